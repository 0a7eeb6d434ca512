"""Other shapes of the same elements: reshape, axes, copies, joining, padding."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from openpto.diagnostics import T, current_site, fail, portability
from openpto.ir import affine
from openpto.ir import expr as ex
from openpto.ir.dtypes import bytes_of
from openpto.ir.enums import TileOpFormat
from openpto.ir.expr import Dim
from openpto.ir.nodes import TileType
from openpto.ir.trace import Var

from . import recording as rec
from . import shapes
from .dtype_sets import BF16, BOOL, F3, FP8, FP16, FP32, INT8, INT16, INT32, INTS, UINT8, UINT16, UINT32
from .registry import Dtypes, Named, Sample, op
from .samples import integral, normal


def reshaped(var: Var, target: tuple[Dim, ...], valid: tuple[Dim, ...] | None) -> Var:
    """Record a row-major reshape. Without ``valid`` a cut region is carried where it stays a box, else all is valid."""
    rec.host_type("reshape", var.type.dtype)
    count = shapes.element_count(var.type.shape)
    if affine.difference(count, shapes.element_count(target)) not in (0, None):
        shown = shapes.shape_text(target), shapes.shape_text(var.type.shape)
        fail("PTO253", op="reshape", count=ex.text(count), target=shown[0], shape=shown[1])
    type = TileType(target, var.type.dtype, var.type.fmt)
    hint = valid
    if hint is None and shapes.all_full(var.valid, var.type.shape):
        hint = target
    if hint is None and var.type.is_static and type.is_static:
        hint = shapes.carried_valid(rec.ints(var), var.valid, [d for d in target if isinstance(d, int)])
        if hint is not None and any(map(shapes.provably_cut, var.valid, var.type.shape)):
            cut, kept, whole = (shapes.shape_text(s) for s in (var.valid, hint, target))
            portability("PTO657", valid=cut, carried=kept, target=whole)
    result = rec.emit("reshape", [var], type, hint or target, valid=valid)
    if hint is None:
        rec.recorder("reshape").valid_of(result, current_site())
    return result


def target_shape(name: str, source: TileType, shape: object) -> tuple[Dim, ...]:
    """The target of a reshape with one -1 filled in (PTO253, PTO254)."""
    target = rec.dims(name, "shape", shape)
    shown = shapes.shape_text(target)
    unknown = [i for i, d in enumerate(target) if isinstance(d, int) and d == -1]
    for extent in target:
        if isinstance(extent, int) and extent < -1:
            fail("PTO235", op=name, extent=extent, shape=shown)
    known = [d for d in target if isinstance(d, int) and d != -1]
    if len(unknown) > 1 or (unknown and not (source.is_static and len(known) + 1 == len(target))):
        fail("PTO254", shape=shown, source=shapes.shape_text(source.shape))
    count = shapes.element_count(source.shape)
    if unknown:
        rest = math.prod(known)
        if not isinstance(count, int) or rest == 0 or count % rest:
            fail("PTO253", op=name, count=ex.text(count), target=shown, shape=shapes.shape_text(source.shape))
        target = tuple(count // rest if i == unknown[0] else d for i, d in enumerate(target))
    if affine.difference(count, shapes.element_count(target)) not in (0, None):
        fail("PTO253", op=name, count=ex.text(count), target=shown, shape=shapes.shape_text(source.shape))
    return target


@op(
    "reshape",
    "S",
    core="move",
    arithmetic=Named("reshape"),
    method=True,
    samples=(
        Sample("pypto.reshape(x, [4, 32])", {"x": normal(8, 16)}, lambda x: x.reshape(4, 32)),
        Sample("pypto.reshape(x, [-1, 8])", {"x": integral(8, 16)}, lambda x: x.reshape(-1, 8)),
    ),
)
def reshape(input: Var, shape: list[Any], *, valid_shape: list[Any] | None = None, inplace: bool = False) -> Var:
    """The same elements, row-major, in another shape.

    Shapes: plain ints with the same number of elements; one may be -1. ``inplace=True`` gives another name of the same
    memory and then takes symbols too. A smaller ``valid_shape`` cuts a fully valid tensor; otherwise it has as many
    elements as the valid region, which keep their row-major order. Without it a cut region is carried if it stays one.
    Dtypes: any.
    Errors: another number of elements; two -1; symbols without ``inplace=True``.
    """
    var = rec.tensor("reshape", "input", input)
    target = target_shape("reshape", var.type, shape)
    symbols = [d for d in target if not isinstance(d, int)]
    if symbols:
        fail("PTO255", expr=ex.text(symbols[0]))
    rec.static_shape("reshape", "input", var)
    return reshaped(var, target, rec.valid_shape("reshape", valid_shape, target))


@op(
    "unsqueeze",
    "S",
    core="move",
    arithmetic=Named("unsqueeze"),
    method=True,
    samples=(Sample("pypto.unsqueeze(x, 1)", {"x": normal(8, 16)}, lambda x: x[:, None, :], tile=(8, 1, 16)),),
)
def unsqueeze(input: Var, dim: int) -> Var:
    """Insert an axis of extent 1 before axis ``dim``.

    Shapes: static; -rank - 1 <= dim <= rank; valid extents are carried. Dtypes: any.
    Errors: an axis out of range; a dynamic operand.
    """
    var = rec.tensor("unsqueeze", "input", input)
    shape = rec.static_shape("unsqueeze", "input", var)
    at = rec.axis("unsqueeze", dim, var.type.rank + 1)
    type = TileType((*shape[:at], 1, *shape[at:]), var.type.dtype, var.type.fmt)
    return rec.emit("unsqueeze", [var], type, (*var.valid[:at], 1, *var.valid[at:]), dim=at)


def squeezed(var: Var, axes: tuple[int, ...]) -> Var:
    """Record the removal of axes whose extent and valid extent are 1."""
    kept = [i for i in range(var.type.rank) if i not in axes]
    type = TileType(tuple(var.type.shape[i] for i in kept), var.type.dtype, var.type.fmt)
    return rec.emit("squeeze", [var], type, [var.valid[i] for i in kept], axes=axes)


def widened(var: Var, axes: tuple[int, ...]) -> Var:
    """Record axes of extent 1 at these positions of the result."""
    for at in axes:
        type = TileType((*var.type.shape[:at], 1, *var.type.shape[at:]), var.type.dtype, var.type.fmt)
        var = rec.emit("unsqueeze", [var], type, (*var.valid[:at], 1, *var.valid[at:]), dim=at)
    return var


TRANSPOSED = Dtypes(frozenset({FP16, BF16, FP32, INT8, INT16, INT32, UINT8, UINT16, UINT32}), FP8)
PERMUTED = Dtypes(frozenset({FP16, BF16, FP32, BOOL}) | INTS, FP8)
PAIRS_OF_4 = frozenset({(0, 2), (1, 2), (1, 3), (2, 3)})


def reordered(var: Var, perm: tuple[int, ...]) -> Var:
    """Record a permutation of the axes."""
    type = TileType(tuple(var.type.shape[p] for p in perm), var.type.dtype)
    return rec.emit("permute", [var], type, [var.valid[p] for p in perm], perm=perm)


def _whole_blocks(name: str, var: Var) -> None:
    """A swap that moves nothing is a copy of whole 32-byte blocks of the vector tile (PTO328)."""
    tile, size = rec.vector_tile(-1, var.type.rank), bytes_of(var.type.dtype)
    if tile is not None and tile * size % 32:
        rule = T(
            f"a multiple of {32 // size} on the last axis (CHECK FAILED: lastDimBytes % BLOCK_SIZE)",
            f"最后一个轴上为 {32 // size} 的倍数（CHECK FAILED: lastDimBytes % BLOCK_SIZE）",
        )
        fail("PTO328", op=name, tile=tile, rule=rule)


def _movable(name: str, input: object, dtypes: Dtypes, high: int = 5) -> Var:
    """A static ND tensor of a type the op moves."""
    var = rec.tensor(name, "input", input)
    rec.static_shape(name, "input", var)
    if var.type.fmt is not TileOpFormat.TILEOP_ND:
        fail("PTO264", op=name, name="input")
    if not 1 <= var.type.rank <= high:
        fail("PTO232", op=name, name="input", rank=var.type.rank, low=1, high=high)
    rec.element_type(name, var.type.dtype, dtypes, computes=False)
    return var


@op(
    "transpose",
    "S",
    core="vector",
    arithmetic=Named("permute"),
    dtypes=TRANSPOSED,
    method=True,
    samples=(Sample("pypto.transpose(x, 0, 1)", {"x": normal(8, 16)}, lambda x: x.T),),
)
def transpose(input: Var, dim0: int, dim1: int) -> Var:
    """Swap two axes.

    Shapes: rank 1-5, static; rank 4 swaps (0, 2), (1, 2), (1, 3) or (2, 3) and rank 5 swaps (3, 4) only, unless both
    axes have extent 1 or are the same. Valid extents are carried.
    Dtypes: FP16, BF16, FP32, INT8, INT16, INT32, UINT8, UINT16, UINT32 (FP8 types on the 950).
    Errors: an axis out of range; another pair of axes (use ``permute``); INT64 and BOOL.
    """
    var = _movable("transpose", input, TRANSPOSED)
    rank = var.type.rank
    a, b = sorted((rec.axis("transpose", dim0, rank, "dim0"), rec.axis("transpose", dim1, rank, "dim1")))
    idle = a == b or var.type.shape[a] == var.type.shape[b] == 1
    if not idle and ((rank == 4 and (a, b) not in PAIRS_OF_4) or (rank == 5 and (a, b) != (3, 4))):
        fail(
            "PTO263",
            op="transpose",
            why=T(
                f"a {rank}-D tensor cannot swap the axes {a} and {b}; use permute",
                f"{rank} 维张量不能交换轴 {a} 和 {b}；请使用 permute",
            ),
        )
    if idle:
        _whole_blocks("transpose", var)
    perm = list(range(rank))
    perm[a], perm[b] = b, a
    return reordered(var, tuple(perm))


@op(
    "permute",
    "S",
    core="vector",
    arithmetic=Named("permute"),
    dtypes=PERMUTED,
    method=True,
    keywords={"input_tensor": "input", "dims": "perm"},
    samples=(
        Sample("pypto.permute(x, [2, 0, 1])", {"x": normal(2, 8, 16)}, lambda x: x.transpose(2, 0, 1), tile=(2, 8, 16)),
    ),
)
def permute(input: Var, perm: list[int]) -> Var:
    """Reorder the axes: axis i of the result is axis ``perm[i]`` of the operand.

    Shapes: rank 1-5, static; ``perm`` names every axis once, without negative numbers. Valid extents are carried.
    Dtypes: FP16, BF16, FP32, all INT and UINT, BOOL (FP8 types on the 950).
    Errors: a ``perm`` that is no permutation.
    """
    var = _movable("permute", input, PERMUTED)
    order = rec.integers("permute", "perm", perm)
    if sorted(order) != list(range(var.type.rank)):
        fail(
            "PTO263",
            op="permute",
            why=T(
                f"perm {list(order)} does not name each of the {var.type.rank} axes once",
                f"perm {list(order)} 没有把 {var.type.rank} 个轴各列出一次",
            ),
        )
    if order == tuple(range(var.type.rank)):
        _whole_blocks("permute", var)
    return reordered(var, order)


@op(
    "clone",
    "S",
    core="move",
    arithmetic=Named("clone"),
    method=True,
    samples=(Sample("pypto.clone(x)", {"x": normal(8, 16)}, lambda x: x),),
)
def clone(input: Var) -> Var:
    """A copy: shape, dtype, format and valid shape are those of the operand.

    Shapes: static. Dtypes: any.
    Errors: a dynamic operand.
    """
    var = rec.tensor("clone", "input", input)
    rec.static_shape("clone", "input", var)
    rec.host_type("clone", var.type.dtype)
    return rec.emit("clone", [var], var.type, var.valid)


EXPANDED = Dtypes(F3 | frozenset({INT8, INT16, INT32, UINT8, UINT16, UINT32, BOOL}))


@op(
    "expand_clone",
    "S",
    core="vector",
    arithmetic=Named("expand_clone"),
    dtypes=EXPANDED,
    method=True,
    samples=(Sample("pypto.expand_clone(x, [8, 16])", {"x": normal(8, 1)}, lambda x: np.broadcast_to(x, (8, 16))),),
)
def expand_clone(input: Var, shape: list[int], *, valid_shape: list[Any] | None = None) -> Var:
    """Repeat axes of extent 1 to the extents of ``shape``.

    Shapes: rank 1-4, ``shape`` plain ints of the same rank. Valid extents of other axes are carried, expanded axes are
    valid throughout, unless ``valid_shape`` says otherwise.
    Dtypes: FP16, BF16, FP32, INT8, INT16, INT32, UINT8, UINT16, UINT32, BOOL.
    Errors: an axis that is neither 1 nor the target's extent; ranks that differ.
    """
    var = _movable("expand_clone", input, EXPANDED, high=4)
    target = rec.extents("expand_clone", "shape", shape)
    source = rec.ints(var)
    if len(target) != len(source) or any(a not in (1, b) for a, b in zip(source, target, strict=True)):
        shown = shapes.shape_text(source), shapes.shape_text(target)
        fail("PTO229", op="expand_clone", shapes=T(f"{shown[0]} to {shown[1]}", f"{shown[0]} 到 {shown[1]}"))
    valid = rec.valid_shape("expand_clone", valid_shape, target)
    carried = tuple(v if a == b else b for v, a, b in zip(var.valid, source, target, strict=True))
    type = TileType(target, var.type.dtype)
    return rec.emit("expand_clone", [var], type, valid or carried, valid=valid)


JOINED = Dtypes(F3 | INTS)


@op(
    "concat",
    "S",
    core="vector",
    arithmetic=Named("concat"),
    dtypes=JOINED,
    samples=(
        Sample(
            "pypto.concat([x, y], 1)",
            {"x": normal(8, 16), "y": normal(8, 8)},
            lambda x, y: np.concatenate([x, y], 1),
            tile=(8, 24),
        ),
    ),
)
def concat(tensors: list[Var], dim: int = 0) -> Var:
    """Join tensors along an axis.

    Shapes: 1 to 128 tensors of one rank (1-4), static, equal on the other axes and fully valid along ``dim``.
    Dtypes: FP16, BF16, FP32, all INT and UINT, all the same.
    Errors: different ranks, dtypes or other extents; a tensor that is cut along ``dim``.
    """
    listed = rec.sequence("concat", "tensors", tensors)
    if not 1 <= len(listed) <= 128:
        fail(
            "PTO263",
            op="concat",
            why=T(f"takes 1 to 128 tensors, got {len(listed)}", f"需要 1 至 128 个张量，实际为 {len(listed)} 个"),
        )
    parts = [_movable("concat", rec.tensor("concat", "tensors", t), JOINED, high=4) for t in listed]
    first = parts[0]
    at = rec.axis("concat", dim, first.type.rank)
    for part in parts:
        _joins(first, part, at)
    shape = [sum(rec.ints(p)[at] for p in parts) if i == at else n for i, n in enumerate(rec.ints(first))]
    others = [shapes.minimum_valid([p.valid[i] for p in parts], n) for i, n in enumerate(rec.ints(first))]
    valid = [shape[at] if i == at else v for i, v in enumerate(others)]
    return rec.emit("concat", parts, TileType(tuple(shape), first.type.dtype), valid, axis=at)


def _joins(first: Var, part: Var, at: int) -> None:
    rec.same_dtype("concat", first, part)
    a, b = rec.ints(first), rec.ints(part)
    if len(a) != len(b) or any(m != n for i, (m, n) in enumerate(zip(a, b, strict=True)) if i != at):
        shown = shapes.shape_text(a), shapes.shape_text(b)
        fail(
            "PTO229",
            op="concat",
            shapes=T(f"{shown[0]} and {shown[1]} along axis {at}", f"{shown[0]} 和 {shown[1]}（轴 {at}）"),
        )
    if shapes.provably_cut(part.valid[at], b[at]):
        why = T(
            f"a tensor is valid only up to {ex.text(part.valid[at])} of {b[at]} along axis {at}, where it is joined",
            f"有一个张量沿拼接轴 {at} 的有效长度只到 {ex.text(part.valid[at])}，而长度为 {b[at]}",
        )
        fail("PTO263", op="concat", why=why)


PADDED = Dtypes(F3 | frozenset({INT8, INT16, INT32, UINT8, UINT16, UINT32}))


@op(
    "fillpad",
    "S",
    core="vector",
    arithmetic=Named("fillpad"),
    dtypes=PADDED,
    method=True,
    keywords={"x": "input", "padding": "mode"},
    samples=(
        Sample(
            'pypto.fillpad(pypto.view(x, [8, 16], [0, 0], valid_shape=[5, 9]), "constant", -1.0)',
            {"x": normal(8, 16)},
            lambda x: np.where(np.logical_and.outer(np.arange(8) < 5, np.arange(16) < 9), x, -1.0),
        ),
    ),
)
def fillpad(input: Var, mode: str = "constant", value: int | float = 0) -> Var:
    """Write ``value`` everywhere outside the valid region; the whole result is valid.

    Shapes: rank 1-2, static; the shape stays. Dtypes: FP16, BF16, FP32, INT8, INT16, INT32, UINT8, UINT16, UINT32.
    ``value`` may be ±inf for floats.
    Errors: a mode other than "constant"; a float beside an integer tensor; rank 3 and more.
    """
    var = _movable("fillpad", input, PADDED, high=2)
    if mode != "constant":
        fail(
            "PTO268",
            op="fillpad",
            why=T(
                f"fillpad() knows the mode 'constant' only, got {mode!r}",
                f"fillpad() 只支持 'constant' 模式，实际为 {mode!r}",
            ),
        )
    if isinstance(value, str):
        value = _named_number(value)
    content = rec.strict_scalar("fillpad", value, var.type.dtype)
    return rec.emit("fillpad", [var, content], TileType(var.type.shape, var.type.dtype), var.type.shape)


def _named_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        fail("PTO225", op="fillpad", got="str", hint=T("use a number, or '-inf'", "请使用数值或 '-inf'"))
