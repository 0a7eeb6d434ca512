"""Passes over tile IR that refuse or warn, in one linear pipeline.

Each pass is a frozen dataclass whose fields are its options; `run` raises, warns, and changes nothing. Passes about
tensor objects (who writes which) read the recorded trace, the others the SSA form.
"""

from __future__ import annotations

from openpto.checks.chips import Chips
from openpto.checks.launch import Launch, is_simple
from openpto.checks.lost_writes import LostWrites
from openpto.checks.portability import Portability
from openpto.checks.tiles import Tiles
from openpto.checks.unwritten import Unwritten
from openpto.ir.nodes import Kernel
from openpto.ir.trace import Trace
from openpto.language.configuration import settings

__all__ = ["Chips", "Launch", "LostWrites", "Portability", "Tiles", "Unwritten", "is_simple", "run"]


def run(kernel: Kernel, trace: Trace | None = None) -> None:
    """Run every check on a verified kernel: missing data, lost writes, chips, tiles, portability, launch.

    `trace` is the recording that the kernel was built from; a kernel that was read from text has none, and what
    concerns tensor objects is not checked then. The platform is that of the settings in force.

    Raises:
        PyptoError: the first refusal in the order above, in program order within a check.
    """
    Unwritten(trace).run(kernel)
    if trace is not None:
        LostWrites(trace).run()
    platform = settings().platform
    Chips(platform).run(kernel)
    Tiles(platform).run(kernel)
    if trace is not None:
        Portability(trace).run()
        Launch(trace).run(kernel)
