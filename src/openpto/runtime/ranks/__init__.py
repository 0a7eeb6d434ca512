"""Several ranks in one process: shared memory, signals, and stops instead of hangs.

``launch`` runs ranks on threads. A ``Session`` is one call of a kernel by one rank; engines hand it the distributed
operations. ``World`` knows who waits for whom, ``clocks`` what is ordered, and ``segments`` what races.
"""

from .launch import launch, rank, world_size
from .session import Session, ended

__all__ = ["Session", "ended", "launch", "rank", "world_size"]
