"""Statements with operations of single families: sorting of pairs, random numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .program import Stmt

if TYPE_CHECKING:
    from .generate import Generator


def statement(g: Generator) -> list[Stmt]:
    """One of them."""
    return g.pick(STATEMENTS)(g)


def sorted_pairs(g: Generator) -> list[Stmt]:
    """Groups of 32 sorted, runs merged."""
    able = [n for n in g.names if n.dtype == "FP32" and n.shape[-1] % 2 == 0]
    if not able:
        return []
    a = g.pick(able)
    if a.shape[-1] % 32 or g.chance(0.4):
        return g.new(f"pypto.mrgsort({a.name}, {g.pick((1, 2, 3, 4, 32))})", "FP32", a.shape)
    first = g.pick(("", f", {g.random.randint(0, 99)}"))
    return g.new(f"pypto.sort32({a.name}{first})", "FP32", (*a.shape[:-1], 2 * a.shape[-1]))


def random_numbers(g: Generator) -> list[Stmt]:
    """Uniform and normal numbers."""
    normal = g.chance(0.5)
    shape = tuple([g.random.randint(1, 2)] * g.random.randint(0, 2) + [g.random.randint(1, 16)])
    dtype = g.pick(("FP32", "FP16", "BF16"))
    name, seed = "normal" if normal else "uniform", g.random.randint(-5, 2**64 - 1)
    return g.new(
        f"pypto.{name}({list(shape)}, [{seed}], [0, {seed // 3}], [{g.pick((1, 3))}], pypto.DT_{dtype})", dtype, shape
    )


STATEMENTS: tuple[Callable[[Generator], list[Stmt]], ...] = (sorted_pairs, random_numbers)
