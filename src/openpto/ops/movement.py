"""Windows and writes: view, assemble, and what ``o[:] = x`` and the element accesses record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from openpto.diagnostics import T, current_site, fail, portability
from openpto.ir import affine
from openpto.ir import expr as ex
from openpto.ir.dtypes import DataType, bytes_of, is_int
from openpto.ir.expr import Dim, Expr
from openpto.ir.nodes import TileType
from openpto.ir.trace import Var

from . import recording as rec
from . import shapes
from .dtype_sets import INT32
from .registry import Named, Sample, op
from .samples import normal


@op(
    "view",
    "S",
    core="move",
    arithmetic=Named("view"),
    method=True,
    samples=(
        Sample("pypto.view(x, [4, 8], [2, 8])", {"x": normal(8, 16)}, lambda x: x[2:6, 8:16]),
        Sample("pypto.view(x, dtype=pypto.DT_INT32)", {"x": normal(8, 16)}, lambda x: x.view(np.int32)),
    ),
)
def view(
    input: Var,
    shape: list[int] | None = None,
    offsets: list[Any] | None = None,
    *,
    valid_shape: list[Any] | None = None,
    dtype: DataType | None = None,
) -> Var:
    """The window of ``shape`` at ``offsets``, as it is at this point of the program; or all bytes as another ``dtype``.

    Shapes: ``shape`` plain ints, ``offsets`` and ``valid_shape`` ints or symbols, each with one entry per axis of the
    input, which may be dynamic. Without ``valid_shape`` it is min(max(valid - offset, 0), shape) per axis.
    Dtypes: any. With ``dtype`` the last axis scales by the ratio of the element sizes; the rest is ignored.
    Errors: ranks that differ; a symbolic shape. While running: a negative offset, a valid_shape that reaches past the
    input's valid region.
    """
    var = rec.tensor("view", "input", input)
    if dtype is not None:
        return bitcast(var, rec.data_type("view", "dtype", dtype))
    if shape is None or offsets is None:
        name = "shape" if shape is None else "offsets"
        fail(
            "PTO222",
            op="view",
            why=T(f"missing a required argument: '{name}'", f"缺少必需的参数（missing a required argument: '{name}'）"),
        )
    window = rec.extents("view", "shape", shape)
    starts = rec.dims("view", "offsets", offsets)
    ranks(var, window, starts)
    valid = rec.valid_shape("view", valid_shape, window)
    return window_of(var, window, starts, valid)


def ranks(var: Var, window: Sequence[Dim], starts: Sequence[Dim]) -> None:
    """A window has one extent and one offset per axis (PTO236)."""
    if len(window) != var.type.rank:
        what, window_name = T("the tensor's shape", "张量的 shape"), T("the window", "窗口")
        fail("PTO236", op="view", what=what, a=var.type.rank, what_b=window_name, b=len(window))
    if len(starts) != len(window):
        fail("PTO236", op="view", what="offsets", a=len(starts), what_b="shape", b=len(window))


def window_of(
    var: Var,
    window: tuple[Dim, ...],
    starts: tuple[Dim, ...],
    valid: tuple[Dim, ...] | None = None,
    index_axes: tuple[int, ...] = (),
) -> Var:
    """Record a window. ``index_axes`` are those picked by an integer: there one element must be valid."""
    rec.host_type("view", var.type.dtype)
    trace = rec.recorder("view")
    symbolic = any(isinstance(d, Expr) for d in (*var.valid, *starts, *window))
    known = shapes.index_bounds(trace) if symbolic else {}
    inferred = tuple(
        shapes.window_valid(v, start, extent, known) for v, start, extent in zip(var.valid, starts, window, strict=True)
    )
    if index_axes:
        valid = tuple(1 if i in index_axes else v for i, v in enumerate(inferred))
    type = TileType(window, var.type.dtype, var.type.fmt)
    extra = {"index_axes": index_axes} if index_axes else {}
    return rec.emit("view", [var], type, valid or inferred, offsets=starts, valid=valid, **extra)


def bitcast(var: Var, dtype: DataType) -> Var:
    """Record the bytes of a tensor as another element type."""
    rec.host_type("view", var.type.dtype)
    rec.host_type("view", dtype)
    old, new = bytes_of(var.type.dtype), bytes_of(dtype)
    *outer, last = var.type.shape
    *outer_valid, last_valid = var.valid
    if not isinstance(last, int):
        fail("PTO224", op="view", name=var.name or "input", shape=shapes.shape_text(var.type.shape))
    if last * old % new:
        fail(
            "PTO253", op="view", count=f"{last} x {old} bytes", target=f"elements of {new} bytes", shape="the last axis"
        )
    scaled = _scaled(last_valid, old, new)
    type = TileType((*outer, last * old // new), dtype, var.type.fmt)
    return rec.emit("bitcast", [var], type, (*outer_valid, scaled))


def _scaled(extent: Dim, old: int, new: int) -> Dim:
    return affine.simplify(ex.binary("div", ex.binary("mul", extent, old), new))


@op(
    "assemble",
    "S",
    core="move",
    arithmetic=Named("assemble"),
    writes=("out", "offsets"),
    samples=(
        Sample("pypto.assemble(x, [0, 0], out)", {"x": normal(8, 16)}, lambda x: x),
        Sample(
            "pypto.assemble([(x, [0, 0]), (x * 2.0, [8, 0])], out)",
            {"x": normal(8, 16)},
            lambda x: np.concatenate([x, x * 2]),
        ),
    ),
)
def assemble(input: Any, offsets: list[Any], out: Var | None = None, /, parallel: bool = False) -> None:
    """Write ``input`` into ``out`` at ``offsets``; or every pair of ``assemble([(tensor, offsets), ...], out)``.

    Shapes: the rank of input, out and offsets is the same; input is static, out may be dynamic. The input's valid
    region is written, in program order. Dtypes: any, both the same.
    ``parallel=True`` states that iterations of loops write disjoint regions.
    Errors: ranks, dtypes or formats that differ. While running: writing past the end of ``out``.
    """
    if isinstance(input, (list, tuple)):
        target = rec.tensor("assemble", "out", offsets if out is None or isinstance(offsets, Var) else out)
        for piece, starts in input:
            put(rec.tensor("assemble", "input", piece), starts, target, parallel=parallel)
        return
    target = rec.tensor("assemble", "out", out)
    put(rec.tensor("assemble", "input", input), offsets, target, parallel=parallel)


def put(source: Var, offsets: object, target: Var, *, parallel: object = False) -> None:
    """Check and record one write of a block."""
    starts = rec.dims("assemble", "offsets", offsets)
    if not source.type.is_static:
        fail("PTO251", name=source.name or "input", shape=shapes.shape_text(source.type.shape))
    writable(source, target)
    if len(starts) != target.type.rank:
        fail("PTO249", offsets=len(starts), rank=target.type.rank)
    store(source, starts, target, parallel=rec.flag("assemble", "parallel", parallel))


def writable(source: Var, target: Var) -> None:
    """A block fits a tensor in rank, dtype and format (PTO247, PTO248, PTO250)."""
    if source.type.rank != target.type.rank:
        shown = shapes.shape_text(source.type.shape), shapes.shape_text(target.type.shape)
        fail("PTO248", source=shown[0], target=shown[1])
    if source.type.dtype is not target.type.dtype:
        fail("PTO247", source=source.type.dtype.name, target=target.type.dtype.name)
    if source.type.fmt is not target.type.fmt:
        fail("PTO250", source=source.type.fmt.name, target=target.type.fmt.name)


def store(
    source: Var,
    starts: tuple[Dim, ...],
    target: Var,
    *,
    parallel: bool = False,
    extents: tuple[Dim | None, ...] | None = None,
) -> None:
    """Record a write. ``extents``: per axis the span of the author's slice, to be compared with the block later."""
    rec.host_type("assemble", source.type.dtype)
    extra = {"extents": extents} if extents is not None else {}
    rec.emit_into("assemble", [source, target], target, offsets=starts, parallel=parallel, **extra)


# ``o[:] = x``


def move(source: Var, target: Var) -> None:
    """``target[:] = source`` (PTO247, PTO252): a parameter is written, another object takes over shape and data."""
    if source is target:
        return
    trace = rec.recorder("move")
    if target.kind != "param":
        trace.assign(target, source, current_site())
        return
    rec.host_type("move", source.type.dtype)
    if source.type.dtype is not target.type.dtype:
        fail("PTO247", source=source.type.dtype.name, target=target.type.dtype.name)
    valid = source.valid
    if not _same_shape(source, target):
        valid = _row_major(source, target)
    trace.emit("move", [source, target], [(target.type, valid)], site=current_site(), into=target)


def _same_shape(source: Var, target: Var) -> bool:
    """Whether the shapes agree as far as is known now; symbolic extents are compared while running."""
    pairs = zip(source.type.shape, target.type.shape, strict=True)
    return source.type.rank == target.type.rank and all(affine.difference(a, b) in (0, None) for a, b in pairs)


def _row_major(source: Var, target: Var) -> tuple[Dim, ...]:
    shown = shapes.shape_text(source.type.shape), shapes.shape_text(target.type.shape)
    counts = shapes.element_count(source.type.shape), shapes.element_count(target.type.shape)
    cut = any(shapes.provably_cut(v, s) for v, s in zip(source.valid, source.type.shape, strict=True))
    if affine.difference(*counts) not in (0, None) or cut:
        fail("PTO252", source=shown[0], target=shown[1])
    portability("PTO655", source=shown[0], target=shown[1])
    return target.type.shape


# One element


def read_element(var: Var, indices: tuple[Dim, ...]) -> Expr:
    """``t[i, j]``: one element of an integer tensor as a run-time scalar (PTO256, PTO651)."""
    dtype = var.type.dtype
    if not is_int(dtype):
        fail("PTO256", dtype=dtype.name, access=f"{var.name or 't'}[{', '.join(map(str, indices))}]")
    if dtype is not INT32:
        portability("PTO651", ("0.2",) if var.kind == "param" else ("0.2", "0.3"), dtype=dtype.name)
    return rec.recorder("read").read_scalar(var, indices, current_site())


def write_element(var: Var, indices: tuple[Dim, ...], value: Dim) -> None:
    """``t[i, j] = n``: a run-time integer into one element of an integer tensor (PTO652)."""
    dtype = var.type.dtype
    assert is_int(dtype)
    if dtype is not INT32:
        portability("PTO652", dtype=dtype.name)
    rec.emit_into("write_scalar", [ex.expr(value), var], var, index=indices)
