"""Several ranks in one process: ``launch`` runs a function as every rank of a group, on threads.

Kernels communicate with the operations of ``pypto.distributed``; this module is the host's side of it.
"""

from openpto.runtime.ranks import launch, rank, world_size

__all__ = ["launch", "rank", "world_size"]
