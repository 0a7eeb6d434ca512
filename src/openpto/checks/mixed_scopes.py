"""Cube and vector operations that an author forces into one subgraph.

Purpose: `sg_set_scope` puts neighbouring operations with the same number into one subgraph. A subgraph runs on one kind
of core of the 910B and 910C, so there it may not hold both kinds; the 950 hands results over on the chip.
Non-goals: operations with something else between them, which compilers may or may not separate.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from openpto.checks.access import blocks, core
from openpto.checks.findings import Finding
from openpto.device import Chip
from openpto.ir.nodes import Kernel, Op

OPTION = "pass.sg_set_scope"
APART = "DAV_2201"
"""The architecture whose cube and vector cores meet in global memory only."""


def find_mixed_scopes(kernel: Kernel, chips: tuple[Chip, ...]) -> Iterator[Finding]:
    """PTO313 where no chip of the platform takes both kinds, PTO308 where some do."""
    apart = [chip for chip in chips if chip.arch == APART]
    if not apart:
        return
    for block in blocks(kernel.body):
        before: Op | None = None
        for stmt in block.body:
            unit = core(stmt.name) if isinstance(stmt, Op) else ""
            if not isinstance(stmt, Op) or unit not in ("vector", "cube"):
                before = before if isinstance(stmt, Op) else None
                continue
            number = _number(stmt)
            if before is not None and number == _number(before) != -1 and unit != core(before.name):
                yield _finding(stmt, number, chips, apart)
            before = stmt


def _finding(op: Op, number: int, chips: tuple[Chip, ...], apart: list[Chip]) -> Finding:
    if len(apart) < len(chips):
        other = next(chip.name for chip in chips if chip not in apart)
        return Finding("PTO308", op, {"what": "a subgraph of cube and vector operations", "chip": other})
    return Finding("PTO313", op, {"number": number, "chip": apart[0].name})


def _number(op: Op) -> int:
    """The subgraph that an operation is forced into, -1 for none."""
    value: Any = op.scope.options.get(OPTION, -1)
    return int(value[0]) if isinstance(value, (list, tuple)) else int(value)
