"""What an engine reports about one execution; the kernel's receipt is made from it."""

from __future__ import annotations

from openpto._records import dataclass
from openpto.diagnostics import PyptoWarning

NO_MEMORY = "the host has no memory left for it"
"""Why a kernel stopped with PTO442; what an allocator says differs between engines and machines."""


@dataclass(frozen=True, slots=True)
class RunReport:
    """One execution of a kernel.

    engine            name of the engine
    ops_executed      operations that ran, each iteration counted
    elements_written  per parameter: elements stored into it, repeated stores counted
    warnings          of this execution, each once per code and place
    """

    engine: str
    ops_executed: int
    elements_written: tuple[int, ...]
    warnings: tuple[PyptoWarning, ...] = ()
