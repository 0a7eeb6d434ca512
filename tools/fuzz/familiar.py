"""Statements with operations that the other families of the generator leave out."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING

from .program import Stmt

if TYPE_CHECKING:
    from .generate import Generator, Name

FLOATS = ("FP32", "FP16", "BF16")
COPIED = ("FP32", "FP16", "BF16", "INT8", "INT16", "INT32", "UINT8")


def statement(g: Generator) -> list[Stmt]:
    """One of them."""
    return g.pick(STATEMENTS)(g)


def _one(g: Generator, dtypes: tuple[str, ...], ranks: tuple[int, int] = (1, 4)) -> Name | None:
    able = [n for n in g.names if n.dtype in dtypes and ranks[0] <= len(n.shape) <= ranks[1]]
    return g.pick(able) if able else None


def normalised(g: Generator) -> list[Stmt]:
    """Composite functions and statistics."""
    a = _one(g, FLOATS)
    if a is None:
        return []
    kind = g.random.randrange(3)
    if kind == 2:
        axis = g.random.randrange(len(a.shape))
        shape = tuple(1 if i == axis else n for i, n in enumerate(a.shape))
        return g.new(f"pypto.var({a.name}, {axis}, correction={g.pick((0, 1))}, keepdim=True)", a.dtype, shape)
    return g.new(f"pypto.{('sigmoid', 'rms_norm')[kind]}({a.name})", a.dtype, a.shape)


def moved(g: Generator) -> list[Stmt]:
    """Axes exchanged, edges added, constants."""
    a = _one(g, COPIED)
    if a is None:
        return []
    rank, kind = len(a.shape), g.random.randrange(3)
    if kind == 0 and rank in (2, 3):
        i, j = g.random.sample(range(rank), 2)
        shape = list(a.shape)
        shape[i], shape[j] = shape[j], shape[i]
        return g.new(f"pypto.transpose({a.name}, {i}, {j})", a.dtype, tuple(shape))
    if kind == 1 and a.dtype != "UINT8":
        right, bottom = g.random.randint(0, 3), g.random.randint(0, 3)
        pads = [0, right] if rank == 1 else [0, right, 0, bottom]
        shape = (*a.shape[:-2], a.shape[-2] + bottom, a.shape[-1] + right) if rank > 1 else (a.shape[0] + right,)
        return g.new(f"pypto.pad({a.name}, {pads}, value={g.random.randint(-2, 2)})", a.dtype, shape)
    return g.new(f"pypto.ones({list(a.shape)}, dtype=pypto.DT_{a.dtype})", a.dtype, a.shape)


def copied_updates(g: Generator) -> list[Stmt]:
    """Updates by index that leave their operand alone, and the other forms of them."""
    a = _one(g, ("FP32", "FP16", "BF16", "INT16", "INT32"))
    if a is None:
        return []
    axis, length = g.random.randrange(len(a.shape)), g.random.randint(1, 4)
    number = g.fresh("j")
    made = [Stmt(f"{number} = pypto.minimum(pypto.arange({length}) * {g.random.randint(0, 2)}, {a.shape[axis] - 1})")]
    if g.chance(0.4):
        shape = [1 if i != axis else length for i in range(len(a.shape))]
        made.append(Stmt(f"{number} = pypto.reshape({number}, {shape})"))
        reduce = g.pick(("", ", reduce='add'", ", reduce='multiply'"))
        call = f"pypto.scatter({a.name}, {axis}, {number}, {g.literal(a.dtype)}{reduce})"
        return made + g.new(call, a.dtype, a.shape)
    shape = (*a.shape[:axis], length, *a.shape[axis + 1 :])
    rows = g.new(f"pypto.full({list(shape)}, 2, pypto.DT_{a.dtype})", a.dtype, shape)
    if not rows:
        return []
    source, alpha = g.names[-1].name, g.pick(("", ", alpha=2"))
    name = g.pick(("index_add", "index_add_ub", "index_add__ub"))
    call = f"pypto.{name}({a.name}, {axis}, {number}, {source}{alpha})"
    return [*made, *rows, *g.new(call, a.dtype, a.shape)]


def paged_writes(g: Generator) -> list[Stmt]:
    """Rows of a store by number."""
    a = _one(g, ("FP32", "FP16", "BF16", "INT16", "INT32"), (2, 2))
    if a is None:
        return []
    number = g.fresh("j")
    made = [Stmt(f"{number} = pypto.reshape(pypto.arange(4) * {g.random.randint(0, 2)}, [1, 4])")]
    rows = g.new(f"pypto.full([4, {a.shape[1]}], 3, pypto.DT_{a.dtype})", a.dtype, (4, a.shape[1]))
    return [*made, *rows, Stmt(f"pypto.scatter_update({a.name}, -2, {number}, {g.names[-1].name})")] if rows else []


def bytes_and_pairs(g: Generator) -> list[Stmt]:
    """Bytes as another type; groups of 32 that fit."""
    if g.chance(0.5):
        a = _one(g, COPIED)
        if a is None:
            return []
        dtype, size = g.pick((("FP32", 4), ("INT16", 2), ("INT32", 4), ("INT8", 1), ("BF16", 2)))
        own = {"FP32": 4, "INT32": 4, "INT8": 1, "UINT8": 1}.get(a.dtype, 2)
        total = prod(a.shape) * own
        if total % size:
            return []
        return g.new(f"pypto.unpack(pypto.pack({a.name}), pypto.DT_{dtype})", dtype, (total // size,))
    shape = (g.random.randint(1, 3), g.pick((32, 64)))
    x = f"pypto.normal({list(shape)}, [{g.random.randint(0, 99)}], [0, 0], [1], pypto.DT_FP32)"
    if shape[0] > 2 or shape[1] > 16:  # normal wants its whole shape in one tile
        x = x.replace("normal", "uniform")
    return g.new(f"pypto.sort32({x}, {g.random.randint(0, 9)})", "FP32", (shape[0], 2 * shape[1]))


def merged_states(g: Generator) -> list[Stmt]:
    """Two states of a softmax as one; predicates."""
    a = _one(g, ("FP32",), (2, 2))
    if a is None:
        return []
    if g.chance(0.2):
        return g.new(f"pypto.experimental.nop([{a.name}])", "INT32", (1, 1))
    part = g.random.randint(0, 2)
    p, m, s = g.fresh("u"), g.fresh("u"), g.fresh("u")
    made = [Stmt(f"{p} = pypto.exp({a.name})"), Stmt(f"{m} = pypto.amax({a.name}, 0, keepdim=True)")]
    made.append(Stmt(f"{s} = pypto.sum({p}, 0, keepdim=True)"))
    call = f"pypto.experimental.online_softmax_update({m}, {s}, {p}, {m} * 0.5, {s}, {p})[{part}]"
    return made + g.new(call, "FP32", (1, a.shape[1]) if part < 2 else a.shape)


STATEMENTS: tuple[Callable[[Generator], list[Stmt]], ...] = (
    normalised,
    moved,
    copied_updates,
    paged_writes,
    bytes_and_pairs,
    merged_states,
)
