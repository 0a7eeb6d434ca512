"""Strided picks and merges along the last axis, and elements as bytes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from openpto.diagnostics import T, fail
from openpto.ir import affine
from openpto.ir import expr as ex
from openpto.ir.dtypes import DataType, bytes_of
from openpto.ir.expr import Dim
from openpto.ir.nodes import TileType
from openpto.ir.trace import Var

from . import recording as rec
from . import shapes
from .dtype_sets import BF16, F3, FP16, INT8, INT16, INT32, INTS, UINT8, UINT16, UINT32
from .movement import bitcast
from .registry import Array, Composite, Dtypes, Named, Sample, op
from .reshaping import reshaped
from .samples import converted, integral, normal

PICKED = Dtypes(F3 | frozenset({INT16, INT32, UINT16, UINT32}))
MERGED = Dtypes(frozenset(), F3 | frozenset({INT8, INT16, INT32, UINT8, UINT16, UINT32}))
PACKED = Dtypes(F3 | INTS)
# pattern_mode -> (first position, distance)
PATTERNS = {1: (0, 2), 2: (1, 2), 3: (0, 4), 4: (1, 4), 5: (2, 4), 6: (3, 4), 7: (0, 1)}


def every(name: str, var: Var, start: int, step: int) -> Var:
    """Record the elements start, start + step, ... of the last axis."""
    *outer, last = rec.ints(var)
    *outer_valid, extent = var.valid
    found = affine.simplify(ex.binary("div", ex.binary("add", extent, step - 1 - start), step))
    type = TileType((*outer, last // step), var.type.dtype)
    return rec.emit(name, [var], type, (*outer_valid, found), start=start, step=step)


def _even_last(name: str, var: Var, multiple: int) -> None:
    """The last axis and its vector tile are multiples (PTO263, PTO328)."""
    last = rec.ints(var)[-1]
    if last % multiple:
        fail(
            "PTO263",
            op=name,
            why=T(
                f"the last axis has {last} elements, which is no multiple of {multiple}",
                f"最后一个轴有 {last} 个元素，不是 {multiple} 的倍数",
            ),
        )
    tile = rec.vector_tile(-1, var.type.rank)
    if tile is not None and tile % multiple:
        fail(
            "PTO328",
            op=name,
            tile=tile,
            rule=T(f"a multiple of {multiple} on the last axis", f"最后一个轴上为 {multiple} 的倍数"),
        )


def _whole_tile(name: str, var: Var) -> None:
    """The last axis lies in one vector tile (PTO328)."""
    tile, last = rec.vector_tile(-1, var.type.rank), rec.ints(var)[-1]
    if tile is not None and tile != last:
        fail(
            "PTO328",
            op=name,
            tile=tile,
            rule=T(f"{last} on the last axis, the whole of it", f"最后一个轴上为 {last}，即整个轴"),
        )


@op(
    "gathermask",
    "I",
    arithmetic=Named("gathermask"),
    dtypes=PICKED,
    method=True,
    keywords={"self": "input"},
    samples=(
        Sample("pypto.gathermask(x, 2)", {"x": normal(8, 16)}, lambda x: x[:, 1::2]),
        Sample("pypto.gathermask(x, 5)", {"x": integral(8, 16, dtype=np.int16)}, lambda x: x[:, 2::4]),
        Sample("pypto.gathermask(x, 7)", {"x": converted(normal(8, 16), BF16)}, lambda x: x, result=BF16),
    ),
)
def gathermask(input: Var, pattern_mode: int) -> Var:
    """Elements of the last axis by a pattern: 1 even, 2 odd positions; 3, 4, 5, 6 one of every four; 7 all.

    Shapes: rank 1-4; the last axis and its vector tile are multiples of 2 (patterns 1, 2) or 4 (3-6) and the result has
    that part of them; the valid extent becomes that of the elements picked.
    Dtypes: FP16, BF16, FP32, INT16, INT32, UINT16, UINT32; the result has the operand's.
    Errors: another pattern; extents or tiles that do not fit.
    """
    var = rec.tile("gathermask", "input", input)
    mode = rec.integer("gathermask", "pattern_mode", pattern_mode)
    if mode not in PATTERNS:
        fail(
            "PTO268",
            op="gathermask",
            why=T(f"pattern_mode must be in [1, 7], got {mode}", f"pattern_mode 必须在 [1, 7] 范围内，实际为 {mode}"),
        )
    start, step = PATTERNS[mode]
    _even_last("gathermask", var, step)
    return every("gathermask", var, start, step)


# Merging and splitting


def _merged(part: int) -> Callable[[Array, Array], Array]:
    def golden(x: Array, y: Array) -> Array:
        both = np.stack([x, y], -1).reshape(*x.shape[:-1], -1)
        return np.split(both, 2, -1)[part]

    return golden


@op(
    "interleave",
    "S",
    arithmetic=Named("interleave"),
    dtypes=MERGED,
    only_950=True,
    samples=(
        Sample("pypto.interleave(x, y)[0]", {"x": normal(8, 16), "y": normal(8, 16)}, _merged(0)),
        Sample(
            "pypto.interleave(x, y)[1]",
            {
                "x": integral(8, 16, dtype=np.int8, low=-99, high=99),
                "y": integral(8, 16, dtype=np.int8, low=-99, high=99),
            },
            _merged(1),
        ),
    ),
)
def interleave(input: Var, other: Var) -> list[Var]:
    """Two tensors merged alternately along the last axis, cut in half: [first half, second half].

    Shapes: rank 1-4, both the same, which the results have too; the last axis is even and lies in one vector tile. Of
    operands cut to v elements the merged 2v are valid.
    Dtypes: FP16, BF16, FP32, INT8, INT16, INT32, UINT8, UINT16, UINT32, both the same. On the 950 only.
    Errors: shapes or dtypes that differ; an odd last axis; a vector tile that cuts it.
    """
    first, second = rec.tile("interleave", "input", input), rec.tile("interleave", "other", other)
    rec.same_dtype("interleave", first, second)
    _same_shapes("interleave", first, second)
    _even_last("interleave", first, 2)
    _whole_tile("interleave", first)
    extents = rec.ints(first)
    *outer, last = (shapes.minimum_valid([a, b], n) for a, b, n in zip(first.valid, second.valid, extents, strict=True))
    return [
        rec.emit("interleave", [first, second], first.type, (*outer, extent), half=half)
        for half, extent in enumerate(_halves(last, extents[-1]))
    ]


def _halves(valid: Dim, extent: int) -> tuple[Dim, Dim]:
    """Valid extents of both halves of 2 * valid merged elements."""
    if shapes.is_full(valid, extent):
        return extent, extent
    merged = ex.binary("mul", valid, 2)
    rest = ex.binary("max", ex.binary("sub", merged, extent), 0)
    return ex.as_dim(ex.binary("min", merged, extent)), ex.as_dim(rest)


def _same_shapes(name: str, first: Var, second: Var) -> None:
    if first.type.shape != second.type.shape:
        shown = shapes.shape_text(first.type.shape), shapes.shape_text(second.type.shape)
        fail(
            "PTO263", op=name, why=T(f"shapes {shown[0]} and {shown[1]} differ", f"shape {shown[0]} 和 {shown[1]} 不同")
        )


@op(
    "deinterleave",
    "S",
    arithmetic=Named("deinterleave"),
    dtypes=MERGED,
    only_950=True,
    samples=(
        Sample("pypto.deinterleave(x)[1]", {"x": normal(8, 16)}, lambda x: x[:, 1::2]),
        Sample(
            "pypto.deinterleave(x, y)[0]",
            {"x": converted(normal(8, 16), FP16), "y": converted(normal(8, 16), FP16)},
            lambda x, y: np.concatenate([x, y], -1)[:, ::2],
            result=FP16,
        ),
    ),
)
def deinterleave(input: Var, other: Var | None = None) -> list[Var]:
    """Even and odd positions of the last axis of ``input``, or of ``input`` followed by ``other``.

    Shapes: rank 1-4; the last axis is even; one operand: the results have half of it; two operands of one shape, fully
    valid along the last axis and whole in the vector tile: the results have their shape.
    Dtypes: FP16, BF16, FP32, INT8, INT16, INT32, UINT8, UINT16, UINT32, both the same. On the 950 only.
    Errors: shapes or dtypes that differ; an odd last axis or vector tile; a vector tile that cuts it (two operands).
    """
    var = rec.tile("deinterleave", "input", input)
    _even_last("deinterleave", var, 2)
    if other is not None:
        second = rec.tile("deinterleave", "other", other)
        rec.same_dtype("deinterleave", var, second)
        _same_shapes("deinterleave", var, second)
        _whole_tile("deinterleave", var)
        var = _followed(var, second)
    return [every("deinterleave", var, start, 2) for start in (0, 1)]


def _followed(first: Var, second: Var) -> Var:
    """Both along the last axis."""
    *outer, last = rec.ints(first)
    valid = [
        shapes.minimum_valid([a, b], n) for a, b, n in zip(first.valid, second.valid, rec.ints(first), strict=True)
    ]
    type = TileType((*outer, 2 * last), first.type.dtype)
    return rec.emit("concat", [first, second], type, (*valid[:-1], 2 * last), axis=len(outer))


# Bytes


@op(
    "pack",
    "S",
    core="move",
    arithmetic=Composite(("bitcast", "reshape")),
    dtypes=PACKED,
    keywords={"self": "input"},
    samples=(
        Sample(
            "pypto.pack(x)", {"x": integral(8, 16, low=-(2**31), high=2**31)}, lambda x: x.reshape(-1).view(np.uint8)
        ),
        Sample("pypto.pack(x)", {"x": integral(4, dtype=np.int64)}, lambda x: x.view(np.uint8), tile=(32,)),
    ),
)
def pack(input: Var) -> Var:
    """All bytes of a tensor in a row, low bytes first: 0x03040506 becomes 6, 5, 4, 3.

    Shapes: rank 1-4, static; the result has one axis. Every NaN shows the canonical bits.
    Dtypes: FP16, BF16, FP32, all INT and UINT; the result is UINT8.
    Errors: a dtype outside this list.
    """
    var = rec.tile("pack", "input", input)
    listed = bitcast(var, UINT8)
    count = 1
    for extent in rec.ints(listed):
        count *= extent
    return reshaped(listed, (count,), None)


@op(
    "unpack",
    "S",
    core="move",
    arithmetic=Composite(("bitcast",)),
    dtypes=Dtypes(frozenset({UINT8})),
    keywords={"self": "input", "dstDataType": "dtype"},
    samples=(
        Sample(
            "pypto.unpack(x, pypto.DT_INT32)",
            {"x": integral(128, low=0, high=256, dtype=np.uint8)},
            lambda x: x.view(np.int32),
            tile=(128,),
        ),
    ),
)
def unpack(input: Var, dtype: DataType) -> Var:
    """Bytes as elements of ``dtype``, low bytes first; the inverse of ``pack``.

    Shapes: one axis; its extent, its valid extent and its vector tile are multiples of the element's size.
    Dtypes: UINT8; the result is FP16, BF16, FP32 or any INT or UINT.
    Errors: another rank or dtype; extents or tiles that do not fit.
    """
    var = rec.tile("unpack", "input", input, ranks=(1, 1))
    target = rec.data_type("unpack", "dtype", dtype)
    rec.element_type("unpack", target, PACKED)
    _even_last("unpack", var, bytes_of(target))
    return bitcast(var, target)
