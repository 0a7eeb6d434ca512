"""``t[...]`` and ``t[...] = v``: keys, and what each records (windows, scalars, gather; stores, fills, scatter)."""

from __future__ import annotations

from typing import Any

from openpto._records import dataclass
from openpto.diagnostics import fail, portability, user_boundary
from openpto.diagnostics.words import SLICE, extent_of_slice
from openpto.ir import affine
from openpto.ir import expr as ex
from openpto.ir.dtypes import is_int
from openpto.ir.enums import StatusType
from openpto.ir.expr import Dim
from openpto.ir.trace import Var
from openpto.ops import create, movement, reshaping
from openpto.ops import recording as rec
from openpto.ops.shapes import shape_text

from .element import Element
from .faults import known_integers
from .functions import FUNCTIONS, to_ir
from .symbolic import SymbolicScalar, refuse_no_value, to_dim
from .tensor import Tensor


@dataclass(frozen=True, slots=True)
class Pick:
    """One axis of a key. ``index``: a single position; else the slice from ``start`` to ``stop`` (None: left out)."""

    index: Dim | None = None
    start: Dim | None = None
    stop: Dim | None = None

    @property
    def is_whole(self) -> bool:
        """Whether it is ``:``."""
        return self.index is None and self.start is None and self.stop is None


def _is_position(part: object) -> bool:
    """Whether a key part is an integer or a symbol."""
    if isinstance(part, (SymbolicScalar, int)):
        return True
    return (hasattr(type(part), "__index__") and not hasattr(part, "shape")) or _is_numpy_int(part)


def _is_numpy_int(part: object) -> bool:
    return getattr(part, "shape", None) == () and hasattr(type(part), "__index__")


def parse(key: Any, var: Var) -> list[Pick]:
    """A key as one Pick per axis: ``...`` expanded, trailing axes added, negative ints counted from a static end."""
    parts = list(key) if isinstance(key, tuple) else [key]
    rank = var.type.rank
    dots = [i for i, part in enumerate(parts) if part is Ellipsis]
    if len(dots) > 1:
        fail("PTO239", count=len(dots), rank=rank)
    count = len(parts) - len(dots)
    if count > rank:
        fail("PTO240", rank=rank, count=count)
    filler = [slice(None)] * (rank - count)
    at = dots[0] if dots else len(parts)
    parts = [*parts[:at], *filler, *parts[at + 1 :]]
    return [_pick(part, extent) for part, extent in zip(parts, var.type.shape, strict=True)]


def _pick(part: Any, extent: Dim) -> Pick:
    if isinstance(part, slice):
        if part.step is not None and not (isinstance(part.step, int) and part.step == 1):
            fail("PTO241", step=part.step)
        start, stop = (None if b is None else _bound(b, extent) for b in (part.start, part.stop))
        return Pick(start=start, stop=stop)
    if not _is_position(part):
        fail("PTO238", got=type(part).__name__)
    index = _bound(part, extent)
    if isinstance(index, int) and isinstance(extent, int) and index >= extent:
        fail("PTO242", index=index, extent=extent)
    return Pick(index=index)


def _bound(value: Any, extent: Dim) -> Dim:
    """A bound or index; negative ints count from the end, which must be static (PTO242)."""
    if not _is_position(value):
        fail("PTO238", got=f"slice bound {type(value).__name__}")
    known = to_dim(value)
    if not isinstance(known, int):
        return known
    if known >= 0:
        return rec.scalar_in_range(known)
    if not isinstance(extent, int) or known + extent < 0:
        fail("PTO242", index=known, extent=ex.text(extent))
    return known + extent


# Reading


def read(tensor: Tensor, key: Any, valid_shape: Any = None) -> Any:
    """``tensor[key]``."""
    if _only_whole(key) and valid_shape is None:
        return tensor
    if _by_tensor(key):
        return FUNCTIONS["gather"](tensor, _axis(key, "gather"), key.stop)
    var = tensor.cell
    picks = parse(key, var)
    if all(p.index is not None for p in picks):
        return SymbolicScalar.of(movement.read_element(var, tuple(p.index for p in picks if p.index is not None)))
    window = tuple(_extent(p, extent) for p, extent in zip(picks, var.type.shape, strict=True))
    starts = tuple(p.index if p.index is not None else p.start or 0 for p in picks)
    dropped = tuple(i for i, p in enumerate(picks) if p.index is not None)
    valid = rec.valid_shape("view", to_ir(valid_shape), window)
    found = movement.window_of(var, window, starts, valid, dropped if valid is None else ())
    return Tensor.of(reshaping.squeezed(found, dropped) if dropped else found)


def _extent(pick: Pick, extent: Dim) -> int:
    """The extent of a slice, which must fold to an int (PTO234, PTO235)."""
    if pick.index is not None:
        return 1
    stop = extent if pick.stop is None else pick.stop
    size = affine.simplify(ex.expr(stop) if not pick.start else ex.binary("sub", stop, pick.start))
    if not isinstance(size, int):
        fail("PTO234", op=SLICE, name=extent_of_slice(ex.text(pick.start or 0), ex.text(stop)), expr=ex.text(size))
    if size < 0:
        fail("PTO235", op=SLICE, extent=size, shape=f"[{ex.text(pick.start or 0)}:{ex.text(stop)}]")
    return size


def _only_whole(key: Any) -> bool:
    """``[:]``, ``[:, :]``, ``[()]``: nothing but empty slices."""
    parts = key if isinstance(key, tuple) else (key,)
    return all(isinstance(p, slice) and p.start is None and p.stop is None and p.step is None for p in parts)


def _by_tensor(key: Any) -> bool:
    return isinstance(key, slice) and isinstance(key.stop, Tensor)


def _axis(key: slice, kind: str) -> int:
    if isinstance(key.start, bool) or not isinstance(key.start, int):
        fail("PTO261", kind=kind, got=type(key.start).__name__)
    return key.start


# Writing


def write(tensor: Tensor, key: Any, value: Any) -> None:
    """``tensor[key] = value``."""
    if _by_tensor(key):
        axis = _axis(key, "scatter")
        portability("PTO656")
        FUNCTIONS["scatter_"](tensor, axis, key.stop, value)
    elif _only_whole(key):
        _replace(tensor, value)
    else:
        target = tensor.cell
        _store(target, parse(key, target), value)
        tensor.written(target)


def _replace(tensor: Tensor, value: Any) -> None:
    """``o[:] = v``."""
    if not _is_scalar(value):
        tensor.move(value)
        return
    portability("PTO650", what=f"o[:] = {_short(value)}", got=type(value).__name__)
    fill(tensor, value)


def fill(tensor: Tensor, value: Any) -> None:
    """Every element takes ``value``; all of it is valid afterwards."""
    target = tensor.cell
    type = target.type
    contents = create.filled("full", type.shape, to_ir(value), type.dtype, None)
    tensor.take(contents)


def _store(target: Var, picks: list[Pick], value: Any) -> None:
    if all(p.index is not None for p in picks):
        _store_element(target, tuple(p.index for p in picks if p.index is not None), value)
    elif _is_scalar(value):
        _store_scalar(target, picks, value)
    elif isinstance(value, Tensor):
        _store_tensor(target, picks, value.cell)
    else:
        refuse_no_value(value)
        fail("PTO246", got=type(value).__name__)


def _store_element(target: Var, index: tuple[Dim, ...], value: Any) -> None:
    """``o[i, j] = n``: an integer into one element of an integer tensor (PTO256)."""
    if not _is_scalar(value):
        refuse_no_value(value)
        fail("PTO246", got=type(value).__name__)
    number = value.value if isinstance(value, Element) else to_ir(value)
    dtype = target.type.dtype
    if isinstance(number, float) or not is_int(dtype):
        fail("PTO256", dtype=dtype.name, access=f"{target.name or 't'}[...] = {_short(value)}")
    movement.write_element(target, index, number if isinstance(number, ex.Expr) else int(number))


def _store_scalar(target: Var, picks: list[Pick], value: Any) -> None:
    """``o[a:b, i] = 0.0``: the slices' extents are filled."""
    portability("PTO650", what=f"o[...] = {_short(value)}", got=type(value).__name__)
    shape: list[Dim] = []
    for pick, extent in zip(picks, target.type.shape, strict=True):
        stop = extent if pick.stop is None else pick.stop
        size = 1 if pick.index is not None else affine.simplify(ex.binary("sub", stop, pick.start or 0))
        if isinstance(size, int) and size < 0:
            fail("PTO235", op=SLICE, extent=size, shape=f"[{ex.text(pick.start or 0)}:{ex.text(stop)}]")
        shape.append(size)
    contents = create.filled("full", tuple(shape), to_ir(value), target.type.dtype, None)
    movement.store(contents, tuple(p.index if p.index is not None else p.start or 0 for p in picks), target)


def _store_tensor(target: Var, picks: list[Pick], source: Var) -> None:
    """``o[a:b, i] = v``: the valid region of v at the starts; a stop that is given must agree with v's extent."""
    slices = [p for p in picks if p.index is None]
    if source.type.rank != len(slices):
        fail("PTO243", slices=len(slices), rank=source.type.rank)
    if not source.type.is_static:
        fail("PTO251", name=source.name or "the value", shape=shape_text(source.type.shape))
    dropped = tuple(i for i, p in enumerate(picks) if p.index is not None)
    block = reshaping.widened(source, dropped)
    starts, extents = [], []
    for axis, (pick, size) in enumerate(zip(picks, target.type.shape, strict=True)):
        starts.append(pick.index if pick.index is not None else pick.start or 0)
        extents.append(None if pick.index is not None else _checked_stop(axis, pick, size, block))
    movement.writable(block, target)
    unsure = tuple(extents) if any(e is not None for e in extents) else None
    movement.store(block, tuple(starts), target, extents=unsure)


def _checked_stop(axis: int, pick: Pick, size: Dim, block: Var) -> Dim | None:
    """Compare the span of a slice with the block (PTO244, PTO245); the span if only the run can tell."""
    if pick.stop is None:
        return None
    if pick.start is None and not affine.equal(pick.stop, size):
        fail("PTO245", stop=ex.text(pick.stop), size=ex.text(size))
    span = affine.simplify(ex.binary("sub", pick.stop, pick.start or 0))
    gaps = [affine.difference(span, known) for known in (block.type.shape[axis], block.valid[axis])]
    if 0 in gaps:
        return None
    if None not in gaps:
        fail(
            "PTO244",
            axis=axis,
            span=ex.text(span),
            shape=ex.text(block.type.shape[axis]),
            valid=ex.text(block.valid[axis]),
        )
    return span


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (int, float, Element, SymbolicScalar)) and not isinstance(value, StatusType)


def _short(value: Any) -> str:
    return str(value.value if isinstance(value, Element) else value)[:40]


@user_boundary()
def _getitem(self: Tensor, key: Any, valid_shape: Any = None) -> Any:
    with known_integers():
        return read(self, key, valid_shape)


@user_boundary()
def _setitem(self: Tensor, key: Any, value: Any) -> None:
    with known_integers():
        write(self, key, value)


@user_boundary()
def _fill(self: Tensor, value: Any) -> Tensor:
    """Set every element to ``value``; the whole tensor is valid afterwards."""
    fill(self, value)
    return self


def install_indexing() -> None:
    """Give Tensor ``t[...]``, ``t[...] = v`` and ``fill_``."""
    Tensor.__getitem__ = _getitem
    Tensor.__setitem__ = _setitem
    Tensor.fill_ = _fill  # type: ignore[attr-defined]
