"""Passes over tile IR that refuse or warn, in one linear pipeline.

Each pass is a frozen dataclass whose fields are its options; `run(kernel)` raises, warns, and changes nothing.
"""

from __future__ import annotations

from openpto.checks.portability import Portability
from openpto.checks.tiles import Tiles
from openpto.checks.unwritten import Unwritten
from openpto.ir.nodes import Kernel

__all__ = ["Portability", "Tiles", "Unwritten", "run"]


def run(kernel: Kernel, platform: str | None = None) -> None:
    """Run every check on a verified kernel: missing data, tiles and capacity, portability.

    `platform` is the chip the user chose ("910B", "910C", "950"), None for any.

    Raises:
        PyptoError: the first refusal in the order above, in program order within a check.
    """
    for check in (Unwritten(), Tiles(platform), Portability()):
        check.run(kernel)
