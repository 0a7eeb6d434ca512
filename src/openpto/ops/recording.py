"""Tools of the recording functions: argument checks, scalars, and nodes of tile IR with their types.

``Var`` operands are read at the point where the op is recorded. Every check names the op, so that the message does.
"""

from __future__ import annotations

import enum
import math
import operator
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NoReturn, cast

import numpy as np

from openpto._records import replace
from openpto.diagnostics import Site, T, conversions, current_site, fail, portability
from openpto.diagnostics.words import both
from openpto.ir import affine
from openpto.ir import expr as ex
from openpto.ir.dtypes import DataType, is_int, numpy_dtype
from openpto.ir.enums import TileOpFormat
from openpto.ir.expr import Dim, Expr
from openpto.ir.nodes import Imm, TileType
from openpto.ir.trace import TOp, Trace, Var, current

from . import shapes
from .dtype_sets import COMPUTED
from .registry import OPS, Dtypes

Operand = Var | Imm
TOO_MANY = "The shape size of tensor must less than or equal to INT32_MAX"
MAX_ELEMENTS = 2**31 - 1


def recorder(op: str) -> Trace:
    """The trace of the kernel being recorded (PTO220 outside one)."""
    trace = current()
    if trace is None:
        fail("PTO220", op=called(op))
    return trace


def made_by(var: Var) -> str:
    """The operation that made a tensor object, as far as the body it was made in tells; "" for a parameter."""
    made = (item for item in var.region.body if isinstance(item, TOp) and var in item.results)
    first = next(made, None)
    return "" if first is None else first.name


# Arguments


def type_name(value: object) -> str:
    """Class of an argument as the author knows it."""
    names = {Var: "Tensor", Expr: "SymbolicScalar", Imm: "Element"}
    known = next((text for kind, text in names.items() if isinstance(value, kind)), None)
    if known is not None:
        return known
    if type(value).__module__.partition(".")[0] == "torch":  # its Tensor is not ours, and its dtypes have names
        return f"torch.{type(value).__name__}" if type(value).__name__ != "dtype" else str(value)
    return type(value).__name__


def wrong_kind(name: str, kind: str, value: object) -> T:
    """Why an argument is refused that is no ``kind``."""
    got = type_name(value)
    return T(f"{name} must be a {kind}, got {got}", f"{name} 须为 {kind}，实际为 {got}")


def tensor(op: str, name: str, value: object) -> Var:
    """``value`` if it is a tensor (PTO223)."""
    if isinstance(value, Var):
        return value
    fail("PTO223", op=called(op), name=name, got=type_name(value))


def tile(
    op: str,
    name: str,
    value: object,
    *,
    ranks: tuple[int, int] = (1, 4),
    dtypes: Dtypes | None = None,
    computes: bool = True,
) -> Var:
    """A tensor that an op can compute on: static shape, ND, rank in range, element type in the op's table (and one
    that arithmetic is available for, unless the op does without: ``computes``)."""
    var = plain(op, name, value)
    if not ranks[0] <= var.type.rank <= ranks[1]:
        fail("PTO232", op=called(op), name=name, rank=var.type.rank, low=ranks[0], high=ranks[1])
    element_type(op, var.type.dtype, dtypes or OPS[op].dtypes, computes=computes)
    return var


def plain(op: str, name: str, value: object) -> Var:
    """A tensor of static shape in the ND layout (PTO264)."""
    var = tensor(op, name, value)
    static_shape(op, name, var)
    row_major(op, name, var)
    return var


def row_major(op: str, name: str, var: Var) -> None:
    """Refuse the fractal layout (PTO264)."""
    if var.type.fmt is not TileOpFormat.TILEOP_ND:
        fail("PTO264", op=called(op), name=name)


def static_shape(op: str, name: str, var: Var) -> tuple[int, ...]:
    """The shape of an operand, which must be known, not empty and not too large (PTO224, PTO235)."""
    shape = var.type.shape
    for extent in shape:
        if not isinstance(extent, int):
            fail("PTO224", op=called(op), name=var.name or name, shape=shapes.shape_text(shape))
        if extent < 1:
            fail("PTO235", op=called(op), extent=extent, shape=shapes.shape_text(shape))
    static = ints(var)
    bounded(op, static)
    return static


def bounded(op: str, shape: Sequence[int]) -> None:
    """A tensor of this shape has no more elements than the device counts (PTO235)."""
    count = math.prod(shape)
    if count > MAX_ELEMENTS:
        fail("PTO235", op=called(op), extent=f"of {count} elements ({TOO_MANY})", shape=shapes.shape_text(shape))


def ints(var: Var) -> tuple[int, ...]:
    """The shape of a tensor that is known to be static."""
    assert var.type.is_static
    return cast("tuple[int, ...]", var.type.shape)


def refuse_dtype(op: str, dtype: str, taken: str) -> NoReturn:
    """A tensor of a type that the op does not have (PTO231)."""
    fail("PTO231", op=op, dtype=dtype, taken=taken, how=conversions.to_one_of(dtype, taken))


def refuse_choice(op: str, dtype: str, taken: str) -> NoReturn:
    """The same of a DataType that is an argument (PTO231)."""
    choice = taken.partition(",")[0]
    fail("PTO231", op=op, dtype=dtype, taken=taken, how=f"pypto.DT_{choice}")


def element_type(op: str, dtype: DataType, dtypes: Dtypes | None, *, computes: bool = True) -> None:
    """Refuse a type outside the op's table (PTO231), or one that is not available yet (PTO903)."""
    if dtypes is not None and dtype not in dtypes.union:
        taken = ", ".join(d.short for d in sorted(dtypes.union))
        refuse_dtype(called(op), dtype.name, taken)
    if computes and dtype not in COMPUTED:
        fail("PTO903", op=called(op), dtype=dtype.name)
    if not computes:
        host_type(op, dtype)


def host_type(op: str, dtype: DataType) -> None:
    """Refuse a type whose values the host cannot hold (PTO903)."""
    try:
        numpy_dtype(dtype)
    except KeyError:
        fail("PTO903", op=called(op), dtype=dtype.name)


def refuse_two_dtypes(op: str, first: str, other: str) -> NoReturn:
    """Two operands that had to have one element type (PTO228)."""
    fail("PTO228", op=op, first=first, other=other, how=conversions.to_one(first, other))


def same_dtype(op: str, first: Var, other: Var) -> None:
    """Both operands have one element type (PTO228)."""
    if first.type.dtype is not other.type.dtype:
        refuse_two_dtypes(called(op), first.type.dtype.name, other.type.dtype.name)


def integer(op: str, name: str, value: object) -> int:
    """A plain int (bool counts, numpy ints too); a symbol only if its value is known (PTO234, PTO222)."""
    if isinstance(value, Expr):
        known = value.concrete()
        if known is None:
            fail("PTO234", op=called(op), name=name, expr=ex.text(value))
        return known
    if isinstance(value, enum.Enum):
        fail(
            "PTO222",
            op=called(op),
            why=T(
                f"{name} must be an int, got {value} (is it the keyword dtype?)",
                f"{name} 必须为 int，实际为 {value}（是否想写关键字参数 dtype？）",
            ),
        )
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        fail(
            "PTO222",
            op=called(op),
            why=T(f"{name} must be an int, got {type_name(value)}", f"{name} 必须为 int，实际为 {type_name(value)}"),
        )


def integers(op: str, name: str, values: object) -> tuple[int, ...]:
    """A list or tuple of plain ints."""
    return tuple(integer(op, name, v) for v in sequence(op, name, values))


def extents(op: str, name: str, values: object) -> tuple[int, ...]:
    """A shape of plain ints, none negative (PTO235)."""
    found = integers(op, name, values)
    for extent in found:
        if extent < 0:
            fail("PTO235", op=called(op), extent=extent, shape=shapes.shape_text(found))
    return found


def dim(op: str, name: str, value: object) -> Dim:
    """An int or a symbol; a run-time integer has 64 bits (PTO204)."""
    if isinstance(value, Expr):
        return ex.as_dim(value)
    return scalar_in_range(integer(op, name, value))


def scalar_in_range(number: int) -> int:
    """``number`` if a scalar of a running kernel can hold it (PTO204): it would wrap to another place."""
    if not ex.INT64_MIN <= number <= ex.INT64_MAX:
        fail("PTO204", values=number)
    return number


def dims(op: str, name: str, values: object) -> tuple[Dim, ...]:
    """A list or tuple of ints and symbols."""
    return tuple(dim(op, name, v) for v in sequence(op, name, values))


def sequence(op: str, name: str, values: object) -> Sequence[Any]:
    """A list or tuple (PTO222)."""
    if isinstance(values, (list, tuple)):
        return values
    fail(
        "PTO222",
        op=called(op),
        why=T(f"{name} must be a list, got {type_name(values)}", f"{name} 必须为列表，实际为 {type_name(values)}"),
    )


def axis(op: str, value: object, rank: int, name: str = "dim") -> int:
    """An axis, negative ones from the end (PTO233)."""
    number = integer(op, name, value)
    if not -rank <= number < rank:
        fail("PTO233", op=called(op), axis=number, rank=rank)
    return number % rank


def valid_shape(op: str, value: object, shape: Sequence[Dim]) -> tuple[Dim, ...] | None:
    """The author's valid_shape for a result of this shape; None if there is none (PTO236, PTO237)."""
    if value is None:
        return None
    valid = dims(op, "valid_shape", value)
    if len(valid) != len(shape):
        fail("PTO236", op=called(op), what="valid_shape", a=len(valid), what_b="shape", b=len(shape))
    for extent, full in zip(valid, shape, strict=True):
        gap = affine.difference(full, extent)
        if isinstance(extent, int) and extent < 0:
            fail(
                "PTO237",
                op=called(op),
                why=T(
                    f"Not supported: validShape contains {extent}",
                    f"有效长度不能为负（Not supported: validShape contains {extent}）",
                ),
                valid=shapes.shape_text(valid),
            )
        if gap is not None and gap < 0:
            why = T(
                f"View operation failed: newValidShapes {ex.text(extent)} is more than the extent {ex.text(full)}",
                f"View operation failed: newValidShapes {ex.text(extent)} 超过长度 {ex.text(full)}",
            )
            fail("PTO237", op=called(op), why=why, valid=shapes.shape_text(valid))
    return valid


def data_type(op: str, name: str, value: object) -> DataType:
    """A DataType (PTO222)."""
    if isinstance(value, DataType):
        return value
    fail(
        "PTO222",
        op=called(op),
        why=T(
            f"{name} must be a pypto DataType such as pypto.DT_FP32, got {type_name(value)}",
            f"{name} 必须为 pypto 的 DataType，例如 pypto.DT_FP32，实际为 {type_name(value)}",
        ),
    )


def flag(op: str, name: str, value: object) -> bool:
    """A bool (ints 0 and 1 too)."""
    if isinstance(value, (bool, int)):
        return bool(value)
    fail(
        "PTO222",
        op=called(op),
        why=T(f"{name} must be a bool, got {type_name(value)}", f"{name} 必须为 bool，实际为 {type_name(value)}"),
    )


def is_window(var: Var) -> bool:
    """Whether a tensor is the result of ``view`` or a slice."""
    trace = current()
    region = trace.region if trace is not None else None
    while region is not None:
        if any(isinstance(node, TOp) and node.name == "view" and var in node.results for node in region.body):
            return True
        region = region.parent
    return False


def note_renamed(var: Var) -> None:
    """Note for the checks that a tensor is reshaped in place here, and after which node of the kernel's body."""
    trace = current()
    if trace is not None and trace.region is trace.root:
        trace.notes.setdefault("renamed", []).append((var, current_site(), len(trace.root.body)))


def vector_tile(axis: int, rank: int) -> int | None:
    """The vector tile in force for an axis of a tensor of this rank; None where there is none (reported elsewhere)."""
    vec = recorder("vector_tile").scope.vec
    at = axis % rank
    return vec[at] if vec is not None and at < len(vec) and vec[at] > 0 else None


def whole_axis(op: str, axis: int, rank: int, extent: int) -> None:
    """The vector tile does not cut an axis that the op needs as a whole (PTO328)."""
    tile = vector_tile(axis, rank)
    if tile is not None and tile < extent:
        fail(
            "PTO328",
            op=called(op),
            tile=tile,
            rule=T(
                f"at least {extent} on axis {axis}, which is needed as a whole",
                f"轴 {axis} 上至少为 {extent}，该轴必须完整",
            ),
        )


@contextmanager
def tiled(*vec: int) -> Iterator[None]:
    """Record with this vector tile instead of the author's."""
    trace = recorder("tiled")
    scope = trace.scope
    trace.scope = replace(scope, vec=vec)
    try:
        yield
    finally:
        trace.scope = scope


# Scalars


def is_number(value: object) -> bool:
    """Whether an op takes ``value`` as a scalar: Python int or float, or an Element."""
    return isinstance(value, (int, float, Imm))


def scalar(op: str, value: object, dtype: DataType) -> Imm:
    """A scalar operand beside a tensor of ``dtype``, rounded to it (PTO225 to PTO228, PTO649)."""
    if isinstance(value, Expr):
        fail("PTO226", op=called(op), expr=ex.text(value))
    if not is_number(value):
        fail("PTO225", op=called(op), got=type_name(value), hint=_number_hint(value))
    if isinstance(value, Imm):
        if value.dtype is not dtype:
            how = conversions.element_of(dtype.name)
            fail("PTO228", op=called(op), first=dtype.name, other=value.dtype.name, how=how)
        value = value.value
    assert isinstance(value, (int, float))
    return represented(op, value, dtype)


def represented(op: str, value: int | float, dtype: DataType) -> Imm:
    """``value`` as a literal of ``dtype``: refused (PTO227) or told (PTO649) if an integer type cannot hold it."""
    if is_int(dtype):
        if isinstance(value, float) and not math.isfinite(value):
            fail("PTO227", op=called(op), dtype=dtype.name, value=value)
        info = np.iinfo(numpy_dtype(dtype))
        lowest, highest = int(info.min), int(info.max)
        if op.startswith("bitwise"):  # the bits count: 0xFF is a mask of INT8
            lowest, highest = -(2 ** (info.bits - 1)), 2**info.bits - 1
        if not lowest <= int(value) <= highest:
            portability("PTO649", op=op, value=value, dtype=dtype.name, taken=rounded(value, dtype).value)
    return rounded(value, dtype)


def _number_hint(value: object) -> T:
    if isinstance(value, np.generic):
        kind = type(value.item()).__name__
        return T(f"write {kind}(...) around it", f"请用 {kind}(...) 转换")
    if hasattr(value, "shape"):
        return T("pass the array to the kernel as a parameter", "请把数组作为参数传给 kernel")
    return T("use a Tensor, int or float", "请使用 Tensor、int 或 float")


def strict_scalar(op: str, value: object, dtype: DataType) -> Imm:
    """As :func:`scalar`, and a float beside an integer tensor is refused (PTO227)."""
    if isinstance(value, float) and is_int(dtype):
        fail("PTO227", op=called(op), dtype=dtype.name, value=value)
    return scalar(op, value, dtype)


def rounded(value: int | float, dtype: DataType) -> Imm:
    """``value`` as a literal of ``dtype``: floats to nearest even, integers keep their low bits."""
    if dtype is DataType.DT_BOOL:
        return Imm(bool(value), dtype)
    host = numpy_dtype(dtype)
    if is_int(dtype):
        if isinstance(value, float) and not math.isfinite(value):
            return Imm(0, dtype)
        bits = 8 * host.itemsize
        low = int(value) & (2**bits - 1)
        signed = host.kind == "i" and low >= 2 ** (bits - 1)
        return Imm(low - 2**bits if signed else low, dtype)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        wide = np.float64(double(value))
        source = wide if host in (np.float64, np.float32, np.float16) else _single(wide)  # the others go through FP32
        return Imm(float(np.asarray(source).astype(host)), dtype)


def _single(value: np.float64) -> np.float32:
    """An FP32 that rounds to narrower floats as the double does: see :func:`double`."""
    near = np.float32(value)
    if np.isfinite(near) and near != value and not int(near.view(np.int32)) & 1:
        near = np.nextafter(near, np.float32(np.inf if value > near else -np.inf), dtype=np.float32)
    return near


def double(value: int | float) -> float:
    """A double that rounds to narrower floats as the number does: an int that is no double becomes the neighbour whose
    last bit is set, one that is too large infinity."""
    try:
        near = float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    if math.isfinite(near) and near != value and not int(np.float64(near).view(np.int64)) & 1:
        return math.nextafter(near, math.inf if value > near else -math.inf)
    return near


# Nodes

_asked: ContextVar[str] = ContextVar("asked", default="")


class asking:  # noqa: N801 - reads as a with statement; a generator would take several times as long
    """What is recorded inside belongs to a call of this operation."""

    __slots__ = ("_name", "_token")

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        self._token = _asked.set(self._name)

    def __exit__(self, *_: object) -> None:
        _asked.reset(self._token)


def called(op: str) -> str:
    """How messages call an operation: as the author does, also where it is recorded as others."""
    asked = _asked.get()
    return op if asked in op else asked


def site_of_call(op: str) -> Site:
    """The place in the author's source, with the operation that is called there if it is recorded as another one."""
    asked, site = _asked.get(), current_site()
    return site if asked in ("", op) else replace(site, asked=asked)


def emit(op: str, operands: Sequence[Var | Imm | Expr], type: TileType, valid: Sequence[Dim], /, **attrs: Any) -> Var:
    """Record an op with one new tensor as result."""
    return recorder(op).emit(op, operands, [(type, valid)], attrs, site=site_of_call(op))[0]


def emit_into(op: str, operands: Sequence[Var | Imm | Expr], target: Var, **attrs: Any) -> Var:
    """Record an op that writes into ``target`` (its last tensor operand) and leaves its shape as it is."""
    site = site_of_call(op)
    return recorder(op).emit(op, operands, [(target.type, target.valid)], attrs, site=site, into=target)[0]


def pointwise(op: str, operands: Sequence[Operand], dtype: DataType | None = None) -> Var:
    """Record an elementwise op on operands whose types are checked; ``dtype`` is the result's (PTO229, PTO653)."""
    tiles = [x for x in operands if isinstance(x, Var)]
    like = tiles[0]
    if all(x.type.shape == like.type.shape and x.valid == like.valid for x in tiles[1:]):
        return emit(op, operands, TileType(like.type.shape, dtype or like.type.dtype), like.valid)
    shape = shapes.broadcast([ints(x) for x in tiles])
    if shape is None or math.prod(shape) > MAX_ELEMENTS:
        fail("PTO229", op=called(op), shapes=both(*(shapes.shape_text(x.type.shape) for x in tiles)))
    valid, differing = shapes.broadcast_valid([(x.type.shape, x.valid) for x in tiles], shape)
    for at, first, other in differing:
        portability("PTO653", op=op, axis=at, first=ex.text(first), other=ex.text(other))
    return emit(op, operands, TileType(shape, dtype or tiles[0].type.dtype), valid)
