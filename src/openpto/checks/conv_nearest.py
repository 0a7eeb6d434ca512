"""The legal convolution tile nearest to the one an author asked for."""

from __future__ import annotations

from collections.abc import Callable

from openpto.checks.convolution import Entry, Facts, conv_demands, entries
from openpto.device import Chip, Demand
from openpto.ir.nodes import Op
from openpto.language.tile_shapes import ConvTile

Values = tuple[int, ...]

MOST_STEPS = 200
# What is made smaller where a piece does not fit, in this order: places in L1 and in L0.
L1_ORDER = {"input": (1, 3, 4), "weight": (5, 6), "bias": (6,)}
L0_ORDER = {"l0a": (2, 0, 1), "l0b": (2, 3), "l0c": (0, 1, 3)}


def nearest_conv(op: Op, legal: Callable[[ConvTile], bool], chips: tuple[Chip, ...]) -> ConvTile | None:
    """A legal tile near the one in the scope of `op`: values are rounded to what suits, then those that fill the
    memory that overflows are halved. None if there is none."""
    facts, asked = Facts(op), op.scope.conv
    l1: Values = (facts.hin, 1, facts.win, 16, facts.c0, facts.c0, 16, 1) if asked is None else asked.l1
    l0: Values | None = None if asked is None else asked.l0
    for _ in range(MOST_STEPS):
        l1, l0 = _suited(facts, l1, l0)
        found = _overflow(facts, l1, l0, chips)
        if found is None:
            tile = ConvTile(l1, l0)
            return tile if legal(tile) else None
        smaller = _halved(facts, l1, l0, *found)
        if smaller is None:
            return None
        l1, l0 = smaller
    return None


def _suited(f: Facts, l1: Values, l0: Values | None) -> tuple[Values, Values | None]:
    """Every value rounded to what its rule asks for; the rules of L0 depend on L1."""
    first = tuple(nearest_value(entry) for entry in entries(f, l1, None))
    if l0 is None:
        return first, None
    second = [nearest_value(entry) for entry in list(entries(f, first, l0))[len(first) :]]
    while first[6] % second[3]:
        second[3] -= 16
    return first, tuple(second)


def nearest_value(entry: Entry) -> int:
    """The suiting value nearest to that of an entry, the larger of two."""
    if entry.suits(entry.value):
        return entry.value
    suited = [value for value in range(entry.step, entry.most + 1, entry.step) if entry.suits(value)]
    return min(suited or [entry.least], key=lambda value: (abs(value - entry.value), -value))


def _overflow(f: Facts, l1: Values, l0: Values | None, chips: tuple[Chip, ...]) -> tuple[str, Demand] | None:
    """The first memory that is too small on some chip."""
    for field, demand in conv_demands(f, l1, l0):
        if demand.need > min(getattr(chip, field) for chip in chips):
            return field, demand
    return None


def _halved(f: Facts, l1: Values, l0: Values | None, field: str, demand: Demand) -> tuple[Values, Values | None] | None:
    """The tile with one value of the overflowing memory made smaller."""
    if field == "l1":
        largest = max(demand.pieces, key=lambda piece: piece.size)
        found = _smaller(l1, L1_ORDER[largest.what], list(entries(f, l1, None)))
        return None if found is None else (found, l0)
    assert l0 is not None
    found = _smaller(l0, L0_ORDER[field], list(entries(f, l1, l0))[len(l1) :])
    return None if found is None else (l1, found)


def _smaller(tile: Values, order: Values, rules: list[Entry]) -> Values | None:
    for place in order:
        entry = rules[place]
        lower = [v for v in range(entry.step, tile[place], entry.step) if entry.suits(v)]
        if lower:
            half = min(lower, key=lambda value: abs(value - tile[place] / 2))
            return (*tile[:place], half, *tile[place + 1 :])
    return None
