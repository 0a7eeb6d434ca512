"""Statements with operations of single families: sorting of pairs, random numbers, paged rows, softmax states."""

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


def paged_rows(g: Generator) -> list[Stmt]:
    """Rows of a paged store, sometimes beyond a window on it."""
    able = [n for n in g.names if n.dtype in ("FP32", "FP16") and len(n.shape) == 2]
    if not able:
        return []
    a = g.pick(able)
    count, page = g.random.randint(1, 5), g.pick((1, 2, 4))
    tokens, table = g.fresh("j"), g.fresh("j")
    step = g.random.randint(0, 2)
    made = [
        Stmt(f"{tokens} = pypto.reshape(pypto.arange({count}) * {step}, [1, {count}])"),
        Stmt(f"{table} = pypto.reshape(pypto.arange(8) + {g.pick((0, 0, 0, 1, -1))}, [1, 8])"),
    ]
    rows = f"pypto.experimental.gather_in_ub({a.name}, {tokens}, {table}, {page}, -2)"
    if g.chance(0.3):
        rows = f"pypto.experimental.gather_in_l1({a.name}, {tokens}, {table}, {page}, {a.shape[1]}, True, False)"
    return made + g.new(rows, a.dtype, (count, a.shape[1]))


def softmax_states(g: Generator) -> list[Stmt]:
    """A block of scores: weights or statistics."""
    able = [n for n in g.names if n.dtype == "FP32" and len(n.shape) == 2]
    if not able:
        return []
    a = g.pick(able)
    part = g.random.randint(0, 2)
    shape = (1, a.shape[1]) if part else a.shape
    return g.new(f"pypto.experimental.online_softmax({a.name}, 0.5)[{part}]", "FP32" if part else "BF16", shape)


STATEMENTS: tuple[Callable[[Generator], list[Stmt]], ...] = (sorted_pairs, random_numbers, paged_rows, softmax_states)
