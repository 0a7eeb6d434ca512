"""Integers of a kernel as far as its text tells them: a constant plus multiples of quantities that have no value yet.

Two expressions with the same quantities differ by a known number, so that the extent of `x[i * 8 : i * 8 + 8]` is 8
whatever `i` is. A quantity is known to be *symbolic* (it has a value at run time only: an index of `pypto.loop`, an
extent that is declared DYNAMIC) or just not known to the linter (an argument of a factory).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Quantity:
    """An integer without a known value; equal keys are equal integers."""

    key: tuple[object, ...]
    symbolic: bool
    label: str


@dataclass(frozen=True, slots=True)
class Int:
    """`constant + sum(factor * quantity)`; `terms` is ordered and holds no factor 0."""

    constant: int
    terms: tuple[tuple[Quantity, int], ...] = ()

    @property
    def value(self) -> int | None:
        """The number, if it is known."""
        return None if self.terms else self.constant

    @property
    def symbolic(self) -> bool:
        """Whether the value is certainly known at run time only."""
        return any(quantity.symbolic for quantity, _ in self.terms)

    @property
    def label(self) -> str:
        """How messages show it."""
        parts = [q.label if factor == 1 else f"{factor} * {q.label}" for q, factor in self.terms]
        if self.constant or not parts:
            parts.append(str(self.constant))
        return " + ".join(parts)


def of(quantity: Quantity) -> Int:
    return Int(0, ((quantity, 1),))


def add(a: Int, b: Int, sign: int = 1) -> Int:
    """a + b, or a - b with sign -1."""
    factors = dict(a.terms)
    for quantity, factor in b.terms:
        factors[quantity] = factors.get(quantity, 0) + sign * factor
    return _made(a.constant + sign * b.constant, factors)


def multiply(a: Int, b: Int) -> Int:
    """a * b; a product of two unknown integers is a quantity of its own."""
    for number, other in ((a.value, b), (b.value, a)):
        if number is not None:
            return _made(number * other.constant, {q: number * factor for q, factor in other.terms})
    first, second = sorted((a, b), key=repr)
    return of(Quantity(("*", first, second), a.symbolic or b.symbolic, f"{_inner(a)} * {_inner(b)}"))


def combine(operator: str, a: Int, b: Int) -> Int | None:
    """Another operator; None if it fails (a division by zero)."""
    x, y = a.value, b.value
    if x is not None and y is not None:
        return _folded(operator, x, y)
    label = f"{operator}({a.label}, {b.label})" if operator in ("min", "max") else f"{_inner(a)} {operator} {_inner(b)}"
    return of(Quantity((operator, a, b), a.symbolic or b.symbolic, label))


def _folded(operator: str, x: int, y: int) -> Int | None:
    if operator in ("min", "max"):
        return Int(min(x, y) if operator == "min" else max(x, y))
    if y == 0 or operator not in ("//", "%"):
        return None
    return Int(x // y if operator == "//" else x % y)


def _made(constant: int, factors: Mapping[Quantity, int]) -> Int:
    kept = [(quantity, factor) for quantity, factor in factors.items() if factor]
    return Int(constant, tuple(sorted(kept, key=lambda term: repr(term[0].key))))


def _inner(value: Int) -> str:
    return f"({value.label})" if len(value.terms) + bool(value.constant) > 1 else value.label
