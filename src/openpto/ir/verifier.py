"""Checks that a kernel is well-formed tile IR. What it finds is a mistake of ours, never of a user.

Purpose: one table says for every operation which operands, results and attributes it has; the walk checks definitions
before uses, types, in-place states, carries and merges.
Non-goals: whether the kernel means anything (checks) or fits a chip (device).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from openpto._records import dataclass
from openpto.diagnostics import Site

from .dtypes import DataType, bytes_of
from .expr import Expr
from .nodes import Block, If, Imm, Kernel, Let, Loop, Op, Operand, Value

Check = Callable[[Op, Sequence[Value], Value], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, and where."""

    where: str
    site: Site
    why: str

    def __str__(self) -> str:
        place = f"{self.site.span.file}:{self.site.span.line}: " if self.site.span is not None else ""
        return f"{place}{self.where}: {self.why}"


class MalformedKernel(AssertionError):
    """A kernel that breaks a rule of tile IR."""


@dataclass(frozen=True, slots=True)
class Form:
    """What an operation looks like.

    operands   a letter each: v tile, i literal, e scalar expression, s literal or scalar, a tile, literal or scalar;
               a letter followed by * may come any number of times
    result     "tile", "scalar", "state" (the new state of the last tile operand), or "none"
    attrs      required attributes
    check      further rules, given the tile operands and the result tile
    """

    operands: str
    result: str = "tile"
    attrs: tuple[str, ...] = ()
    check: Check | None = None


def require_valid(kernel: Kernel) -> Kernel:
    """``kernel`` itself.

    Raises:
        MalformedKernel: it breaks a rule; the text lists all problems.
    """
    problems = verify(kernel)
    if problems:
        raise MalformedKernel(f"kernel {kernel.name}: " + "; ".join(map(str, problems)))
    return kernel


def verify(kernel: Kernel) -> list[Problem]:
    """Everything that is wrong with ``kernel``, in program order."""
    walk = _Walk()
    for param in kernel.params:
        if param.value not in walk.defined:
            walk.define(param.value, f"parameter {param.name}", Site(None))
    walk.block(kernel.body)
    for param in kernel.params:
        where = f"parameter {param.name}"
        walk.use(param.final, where, Site(None))
        walk.same_object(param.value, param.final, where, Site(None))
    return walk.problems


# Rules of single operations


def _ranks(count: int, name: str, wanted: int) -> Iterable[str]:
    if count != wanted:
        yield f"{name} has {count} entries for rank {wanted}"


def _same_dtype(values: Sequence[Value], result: Value) -> Iterable[str]:
    for value in values:
        if value.type.dtype is not result.type.dtype:
            yield f"element types {value.type.dtype.short} and {result.type.dtype.short}"


def _view(op: Op, tiles: Sequence[Value], result: Value) -> Iterable[str]:
    yield from _same_dtype(tiles, result)
    yield from _ranks(len(op.attrs["offsets"]), "offsets", tiles[0].type.rank)
    yield from _ranks(result.type.rank, "the shape", tiles[0].type.rank)
    yield from _optional_valid(op, tiles, result)


def _optional_valid(op: Op, tiles: Sequence[Value], result: Value) -> Iterable[str]:
    valid = op.attrs.get("valid")
    if valid is not None:
        yield from _ranks(len(valid), "valid", result.type.rank)


def _reshape(op: Op, tiles: Sequence[Value], result: Value) -> Iterable[str]:
    yield from _same_dtype(tiles, result)
    yield from _optional_valid(op, tiles, result)
    if tiles[0].type.is_static and result.type.is_static and _count(tiles[0]) != _count(result):
        yield f"{_count(tiles[0])} elements become {_count(result)}"


def _count(value: Value) -> int:
    total = 1
    for extent in value.type.shape:
        assert isinstance(extent, int)
        total *= extent
    return total


def _assemble(op: Op, tiles: Sequence[Value], result: Value) -> Iterable[str]:
    yield from _same_dtype(tiles, result)
    yield from _ranks(len(op.attrs["offsets"]), "offsets", result.type.rank)
    yield from _ranks(tiles[0].type.rank, "the source", result.type.rank)


def _carries_dtype(op: Op, tiles: Sequence[Value], result: Value) -> Iterable[str]:
    yield from _same_dtype(tiles, result)


def _permute(op: Op, tiles: Sequence[Value], result: Value) -> Iterable[str]:
    yield from _same_dtype(tiles, result)
    perm = op.attrs["perm"]
    if sorted(perm) != list(range(tiles[0].type.rank)):
        yield f"perm {perm} is no permutation of {tiles[0].type.rank} axes"
    elif result.type.shape != tuple(tiles[0].type.shape[p] for p in perm):
        yield f"perm {perm} does not give the shape of the result"


def _axis(op: Op, tiles: Sequence[Value], result: Value) -> Iterable[str]:
    if not 0 <= op.attrs["axis"] < tiles[0].type.rank:
        yield f"axis {op.attrs['axis']} of rank {tiles[0].type.rank}"


def _concat(op: Op, tiles: Sequence[Value], result: Value) -> Iterable[str]:
    yield from _same_dtype(tiles, result)
    yield from _axis(op, tiles, result)


def _indexed(op: Op, tiles: Sequence[Value], result: Value) -> Iterable[str]:
    yield from _axis(op, tiles, result)
    index = tiles[0] if op.name == "scatter" else tiles[1]
    if index.type.dtype not in (DataType.DT_INT32, DataType.DT_INT64):
        yield f"the index is {index.type.dtype.short}"
    yield from _same_dtype([t for t in tiles if t is not index], result)


def _reduce(op: Op, tiles: Sequence[Value], result: Value) -> Iterable[str]:
    rank, axes, keepdim = tiles[0].type.rank, op.attrs["axes"], op.attrs["keepdim"]
    if len(set(axes)) != len(axes) or not all(0 <= a < rank for a in axes):
        yield f"axes {axes} of rank {rank}"
    yield from _ranks(result.type.rank, "the shape", rank if keepdim else rank - len(axes))


def _matmul(op: Op, tiles: Sequence[Value], result: Value) -> Iterable[str]:
    if len(tiles) != 2 + bool(op.attrs["bias"]) + bool(op.attrs.get("scale_tensor")):
        yield f"{len(tiles)} tiles with bias={op.attrs['bias']} and scale_tensor={op.attrs.get('scale_tensor')}"
    if not tiles[0].type.rank == tiles[1].type.rank == result.type.rank:
        yield f"ranks {tiles[0].type.rank}, {tiles[1].type.rank} give {result.type.rank}"


def _read_scalar(op: Op, tiles: Sequence[Value]) -> Iterable[str]:
    yield from _ranks(len(op.operands) - 1, "the index", tiles[0].type.rank)


def _write_scalar(op: Op, tiles: Sequence[Value], result: Value) -> Iterable[str]:
    yield from _ranks(len(op.attrs["index"]), "the index", result.type.rank)


def _squeeze(op: Op, tiles: Sequence[Value], result: Value) -> Iterable[str]:
    yield from _ranks(result.type.rank, "the shape", tiles[0].type.rank - len(op.attrs["axes"]))


def _unsqueeze(op: Op, tiles: Sequence[Value], result: Value) -> Iterable[str]:
    yield from _ranks(result.type.rank, "the shape", tiles[0].type.rank + 1)


def _bitcast(op: Op, tiles: Sequence[Value], result: Value) -> Iterable[str]:
    old, new = tiles[0].type.shape[-1], result.type.shape[-1]
    sizes = bytes_of(tiles[0].type.dtype), bytes_of(result.type.dtype)
    if isinstance(old, int) and isinstance(new, int) and old * sizes[0] != new * sizes[1]:
        yield f"{old} x {sizes[0]} bytes become {new} x {sizes[1]}"


def _pointwise(op: Op, tiles: Sequence[Value], result: Value) -> Iterable[str]:
    for value in tiles:
        if value.type.rank > result.type.rank:
            yield f"an operand of rank {value.type.rank} gives rank {result.type.rank}"
            continue
        for extent, goal in zip(value.type.shape[::-1], result.type.shape[::-1], strict=False):
            if isinstance(extent, int) and isinstance(goal, int) and extent not in (1, goal):
                yield f"extent {extent} does not broadcast to {goal}"


def _added(op: Op, tiles: Sequence[Value], result: Value) -> Iterable[str]:
    yield from _same_dtype(tiles[1:], result)
    if not 0 <= op.attrs["axis"] < result.type.rank:
        yield f"axis {op.attrs['axis']} of rank {result.type.rank}"


def _selected(op: Op, tiles: Sequence[Value], result: Value) -> Iterable[str]:
    yield from _same_dtype(tiles[:1], result)
    yield from _axis(op, tiles, result)
    yield from _ranks(result.type.rank, "the shape", tiles[0].type.rank + tiles[1].type.rank - 1)


def _paged(op: Op, tiles: Sequence[Value], result: Value) -> Iterable[str]:
    yield from _same_dtype(tiles[:2], result)
    yield from _ranks(len(op.attrs["offsets"]), "offsets", result.type.rank)


def _put(op: Op, tiles: Sequence[Value], result: Value) -> Iterable[str]:
    yield from _same_dtype(tiles[-2:], result)


def _position(op: Op, tiles: Sequence[Value], result: Value) -> Iterable[str]:
    yield from _axis(op, tiles, result)
    yield from _ranks(result.type.rank, "the shape", tiles[0].type.rank - (not op.attrs["keepdim"]))


FORMS: dict[str, Form] = {
    "unset": Form(""),
    "alloc": Form(""),
    "full": Form("s", attrs=("valid",), check=_optional_valid),
    "arange": Form("ii"),
    "view": Form("v", attrs=("offsets", "valid"), check=_view),
    "bitcast": Form("v", check=_bitcast),
    "assemble": Form("vv", "state", ("offsets",), _assemble),
    "move": Form("vv", "state", check=_carries_dtype),
    "reshape": Form("v", attrs=("valid",), check=_reshape),
    "squeeze": Form("v", attrs=("axes",), check=_squeeze),
    "unsqueeze": Form("v", attrs=("dim",), check=_unsqueeze),
    "permute": Form("v", attrs=("perm",), check=_permute),
    "clone": Form("v", check=_carries_dtype),
    "expand_clone": Form("v", attrs=("valid",), check=_optional_valid),
    "concat": Form("v*", attrs=("axis",), check=_concat),
    "fillpad": Form("vi", check=_carries_dtype),
    "gather": Form("vv", attrs=("axis",), check=_indexed),
    "scatter": Form("vav", "state", ("axis", "reduce"), _indexed),
    "matmul": Form("v*", attrs=("a_trans", "b_trans", "relu", "scale", "bias"), check=_matmul),
    "read_scalar": Form("ve*", "scalar"),
    "write_scalar": Form("sv", "state", ("index",), _write_scalar),
    "valid_of": Form("v", "scalar", ("axis",)),
    "cast": Form("v", attrs=("mode", "satmode"), check=_pointwise),
    "whole": Form("v", attrs=("axes", "asked"), check=_carries_dtype),
    **dict.fromkeys(("argmax", "argmin"), Form("v", attrs=("axis", "keepdim"), check=_position)),
    **dict.fromkeys(("cumsum", "cumprod"), Form("v", attrs=("axis",), check=_axis)),
    **dict.fromkeys(("tril", "triu"), Form("ve")),
    **dict.fromkeys(("topk", "topk_indices"), Form("v", attrs=("k", "largest"))),
    "argsort": Form("v", attrs=("axis", "descending"), check=_axis),
    "sort32": Form("v", attrs=("index",), check=_carries_dtype),
    "mrgsort": Form("v", attrs=("mergesize",), check=_carries_dtype),
    **dict.fromkeys(("uniform", "normal"), Form("", attrs=("key", "counter"))),
    **dict.fromkeys(("paged_rows", "paged_rows_l1"), Form("vvvv", attrs=("block_size", "offsets"), check=_paged)),
    "mx_widened": Form("vv", attrs=("k_axis", "rows_first")),
    "windows": Form("v", attrs=("shape", "spatial"), check=_carries_dtype),
    "verify_print": Form("a*", attrs=("texts", "shown", "cond")),
    "verify_save": Form("v", attrs=("name", "cond")),
    "one_hot": Form("v"),
    **dict.fromkeys(("gathermask", "deinterleave"), Form("v", attrs=("start", "step"), check=_carries_dtype)),
    "interleave": Form("vv", attrs=("half",), check=_carries_dtype),
    "index_select": Form("vv", attrs=("axis",), check=_selected),
    "index_add_": Form("vviv", "state", ("axis",), _added),
    "index_put_": Form("vvv*", "state", ("accumulate",), _put),
    "scatter_update": Form("vvv", "state", check=_put),
    "atomic_add": Form("vv", "state", ("offsets",), _assemble),
    "shmem_pe": Form("", "scalar", ("group",)),
    "shmem_create": Form("", "scalar", ("group", "n_pes", "dtype", "shape")),
    "shmem_window": Form("e", "none", ("offsets", "have", "valid")),
    "shmem_put": Form("eev", "none", ("origin", "offsets", "shape", "dtype", "add")),
    "shmem_get": Form("ee", attrs=("offsets", "valid"), check=_optional_valid),
    "shmem_signal": Form("ee*", "none", ("value", "add", "offsets", "valid")),
    "shmem_wait": Form("ee", "none", ("value", "clear", "offsets", "valid")),
    "shmem_clear_data": Form("e", "none", ("offsets", "valid")),
    **dict.fromkeys(("shmem_barrier", "shmem_clear_signal"), Form("e", "none")),
    **dict.fromkeys(("sum", "prod", "amax", "amin"), Form("v", attrs=("axes", "keepdim"), check=_reduce)),
}
"""The form of every operation; one that is not listed is element by element."""

POINTWISE = Form("a*", check=_pointwise)


# The walk


class _Walk:
    """Definitions seen so far and problems found."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.defined: set[Value | Expr] = set()
        self.visible: set[Value | Expr] = set()

    def report(self, where: str, site: Site, why: str) -> None:
        self.problems.append(Problem(where, site, why))

    def define(self, item: Value | Expr, where: str, site: Site) -> None:
        if item in self.defined:
            self.report(where, site, f"{_named(item)} is defined twice")
        self.defined.add(item)
        self.visible.add(item)
        if isinstance(item, Value):
            if len(item.valid) != item.type.rank:
                self.report(
                    where, site, f"{_named(item)} has {len(item.valid)} valid extents for {item.type.rank} axes"
                )
            for extent in item.type.shape:
                if not isinstance(extent, int):
                    self.use(extent, where, site)
                elif extent < 0:
                    self.report(where, site, f"{_named(item)} has the extent {extent}")

    def use(self, item: object, where: str, site: Site) -> None:
        """A value or every leaf of an expression must be visible; tuples are searched."""
        if isinstance(item, Value):
            if item not in self.visible:
                self.report(where, site, f"{_named(item)} is used where it is not defined")
        elif isinstance(item, Expr):
            for leaf in item.leaves:
                if leaf.op in ("index", "ref") and leaf not in self.visible:
                    self.report(where, site, f"{_named(leaf)} is used where it is not defined")
        elif isinstance(item, tuple):
            for part in item:
                if not isinstance(part, int):
                    self.use(part, where, site)

    def block(self, block: Block) -> None:
        for stmt in block.body:
            if isinstance(stmt, Op):
                self.op(stmt)
            elif isinstance(stmt, Let):
                self.use(stmt.value, "let", stmt.site)
                self.define(stmt.leaf, "let", stmt.site)
            elif isinstance(stmt, Loop):
                self.loop(stmt)
            else:
                self.branch(stmt)

    def op(self, op: Op) -> None:
        self.use(op.operands, op.name, op.site)
        if op.attrs:
            self.use(tuple(op.attrs.values()), op.name, op.site)
        for why in self.form_problems(op):
            self.report(op.name, op.site, why)
        for result in op.results:
            self.define(result, op.name, op.site)

    def form_problems(self, op: Op) -> Iterable[str]:
        form = FORMS.get(op.name, POINTWISE)
        if not _fits(form.operands, op.operands):
            yield f"operands {_kinds(op.operands)} where {form.operands or 'none'} are expected"
            return
        missing = [a for a in form.attrs if a not in op.attrs]
        if missing:
            yield f"attributes {', '.join(missing)} are missing"
            return
        if form.result == "none":
            if op.results:
                yield "has a result"
            return
        if len(op.results) != 1 or isinstance(op.results[0], Expr) != (form.result == "scalar"):
            yield f"has no {form.result} as its only result"
            return
        tiles = [o for o in op.operands if isinstance(o, Value)]
        result = op.results[0]
        if isinstance(result, Expr):
            if op.name == "read_scalar":
                yield from _read_scalar(op, tiles)
            return
        in_place = bool(op.attrs.get("inplace"))
        if in_place != (form.result == "state"):
            yield f"inplace is {in_place}"
        elif in_place and tiles[-1].type != result.type:
            yield f"writes {tiles[-1].type} and gives {result.type}"
        elif form.check is not None:
            yield from form.check(op, tiles, result)

    def loop(self, loop: Loop) -> None:
        where = f"loop {loop.attrs.get('name', '')}".strip()
        self.use((loop.start, loop.stop, loop.step), where, loop.site)
        for carry in loop.carries:
            self.use(carry.init, where, loop.site)
        outside = set(self.visible)
        self.define(loop.index, where, loop.site)
        for carry in loop.carries:
            self.define(carry.param, where, loop.site)
        self.block(loop.body)
        for carry in loop.carries:
            self.use(carry.yielded, where, loop.site)
        self.visible = outside
        for carry in loop.carries:
            self.define(carry.result, where, loop.site)
            what = f"{where}, carried {carry.name}"
            self.same_kind((carry.init, carry.param, carry.yielded, carry.result), what, loop.site)

    def branch(self, stmt: If) -> None:
        self.use(stmt.cond, "if", stmt.site)
        outside = set(self.visible)
        for block, states in ((stmt.then, [m.then for m in stmt.merges]), (stmt.other, [m.other for m in stmt.merges])):
            self.block(block)
            self.use(tuple(states), "if", stmt.site)
            self.visible = set(outside)
        for merge in stmt.merges:
            self.define(merge.result, "if", stmt.site)
            self.same_kind((merge.then, merge.other, merge.result), f"if, merged {merge.name}", stmt.site)

    def same_kind(self, states: Sequence[Value | Expr | None], where: str, site: Site) -> None:
        """States of one name: all tiles of one type, or all scalars."""
        present = [s for s in states if s is not None]
        tiles = [s for s in present if isinstance(s, Value)]
        if tiles and len(tiles) != len(present):
            self.report(where, site, "tiles and scalars are mixed")
        for other in tiles[1:]:
            if other.type != tiles[0].type:
                self.report(where, site, f"types {tiles[0].type} and {other.type}")

    def same_object(self, first: Value, last: Value, where: str, site: Site) -> None:
        if first.type != last.type or first.var != last.var:
            self.report(where, site, f"begins as {first.type} and ends as {last.type}, objects {first.var}, {last.var}")


def _named(item: Value | Expr) -> str:
    if isinstance(item, Value):
        return f"%{item.uid}"
    return f"scalar {item.value}"


def _kinds(operands: Sequence[Operand]) -> str:
    return "".join(_kind(o) for o in operands) or "none"


def _kind(operand: Any) -> str:
    if isinstance(operand, Value):
        return "v"
    return "i" if isinstance(operand, Imm) else "e"


_ACCEPTS = {"v": "v", "i": "i", "e": "e", "s": "ie", "a": "vie"}


def _fits(pattern: str, operands: Sequence[Operand]) -> bool:
    kinds = [_kind(o) for o in operands]
    if pattern.endswith("*"):
        fixed, repeated = pattern[:-2], pattern[-2]
        if len(kinds) < len(fixed):
            return False
        wanted = fixed + repeated * (len(kinds) - len(fixed))
    else:
        wanted = pattern
    return len(wanted) == len(kinds) and all(k in _ACCEPTS[w] for k, w in zip(kinds, wanted, strict=True))
