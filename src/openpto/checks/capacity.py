"""Whether memories of the chips hold what a cube tile needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from openpto.checks.findings import Finding
from openpto.device import Chip, Demand
from openpto.ir.nodes import Op


def find_overflows(
    op: Op, demands: Iterable[tuple[str, Demand]], chips: tuple[Chip, ...], refusal: str, **more: Any
) -> Iterator[Finding]:
    """Per memory (a field of `Chip`): `refusal` where it exceeds every chip, PTO307 where it exceeds some."""
    told: set[str] = set()
    for field, demand in demands:
        need = demand.need
        fitting = [chip for chip in chips if need <= getattr(chip, field)]
        if len(fitting) == len(chips) or field in told:
            continue
        told.add(field)
        owner = max((chip for chip in chips if chip not in fitting), key=lambda chip: int(getattr(chip, field)))
        have: int = getattr(owner, field)
        fields = {"memory": demand.memory, "need": need, "formula": demand.formula(have, owner.name)}
        if fitting:
            yield Finding("PTO307", op, fields | {"chips": ", ".join(chip.name for chip in fitting)})
        else:
            yield Finding(refusal, op, fields | {"have": have} | more)
