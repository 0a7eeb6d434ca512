"""Symmetric tensors: handles of memory that every processing element of a group owns a part of."""

from __future__ import annotations

from dataclasses import dataclass, replace

from openpto.diagnostics import fail
from openpto.ir import expr as ex
from openpto.ir.dtypes import DataType
from openpto.ir.expr import Dim, Expr

from . import recording as rec
from . import shapes
from .dtype_sets import BF16, FP16, FP32, INT32
from .registry import Dtypes

CARRIED = Dtypes(frozenset({INT32, FP32, FP16, BF16}))
MOST_NAME = 127


@dataclass(frozen=True, slots=True)
class ShmemTensor:
    """A symmetric tensor, or a window of one, as ``create_shmem_tensor``, ``create_shmem_signal`` and ``shmem_view``
    give it.

    number   which symmetric tensor of the kernel it is
    group    name of the group and ``n_pes``, the number of its processing elements
    dtype    element type; None for a tensor of signals only, whose shape is empty
    shape    extents of the window
    offsets  where it begins in the symmetric tensor
    valid    how much of it is read or written
    """

    number: int
    group: str
    n_pes: int
    dtype: DataType | None
    shape: tuple[int, ...]
    offsets: tuple[Dim, ...] = ()
    valid: tuple[Dim, ...] = ()

    @property
    def dim(self) -> int:
        """Number of axes."""
        return len(self.shape)


def symmetric(name: str, what: str, value: object, *, data: bool = True) -> ShmemTensor:
    """A symmetric tensor, one that has data if the operation needs them (PTO222, PTO263)."""
    if not isinstance(value, ShmemTensor):
        fail("PTO222", op=name, why=f"{what} must be a ShmemTensor, got {rec.type_name(value)}")
    if data and value.dtype is None:
        fail("PTO263", op=name, why=f"{what} has signals only: it was made by create_shmem_signal")
    return value


def window(name: str, src: ShmemTensor, shape: object, offsets: object, valid_shape: object = None) -> ShmemTensor:
    """The window of ``shape`` at ``offsets``; ``src`` itself if neither is given (PTO222, PTO236, PTO237)."""
    if shape is None and offsets is None:
        if valid_shape is None:
            return src
        shape, offsets = list(src.shape), [0] * src.dim
    if shape is None or offsets is None:
        fail("PTO222", op=name, why="shape and offsets belong together")
    if src.dtype is None:
        fail("PTO263", op=name, why="src has signals only, which have no shape")
    extents, starts = rec.extents(name, "shape", shape), rec.dims(name, "offsets", offsets)
    for what, found in (("shape", extents), ("offsets", starts)):
        if len(found) != src.dim:
            fail("PTO236", op=name, what=what, a=len(found), what_b="the symmetric tensor", b=src.dim)
    if any(n < 1 or n > have for n, have in zip(extents, src.shape, strict=True)):
        shown = shapes.shape_text(extents), shapes.shape_text(src.shape)
        fail("PTO263", op=name, why=f"the window {shown[0]} does not fit into {shown[1]}")
    valid = rec.valid_shape(name, valid_shape, extents) or extents
    added = tuple(ex.as_dim(ex.binary("add", a, b)) for a, b in zip(src.offsets, starts, strict=True))
    return replace(src, shape=extents, offsets=added, valid=valid)


def element(name: str, what: str, value: object, src: ShmemTensor) -> Dim:
    """The number of a processing element, in range as far as it is known (PTO268)."""
    found = rec.dim(name, what, value)
    if isinstance(found, int) and not 0 <= found < src.n_pes:
        fail("PTO268", op=name, why=f"{what} must be in [0, {src.n_pes}), got {found}")
    return found


def group_of(name: str, group_name: object, n_pes: object) -> tuple[str, int]:
    """Name and size of a group (PTO222, PTO268)."""
    if not isinstance(group_name, str):
        fail("PTO222", op=name, why=f"group_name must be a str, got {rec.type_name(group_name)}")
    if not 1 <= len(group_name) <= MOST_NAME:
        fail("PTO268", op=name, why=f"group_name must have 1 to {MOST_NAME} characters, it has {len(group_name)}")
    size = rec.integer(name, "n_pes", n_pes)
    if size < 1:
        fail("PTO268", op=name, why=f"n_pes must be at least 1, got {size}")
    groups: dict[str, int] = rec.recorder(name).notes.setdefault("groups", {})
    known = groups.setdefault(group_name, size)
    if known != size:
        fail("PTO268", op=name, why=f"n_pes of group {group_name!r} is {known}, and now {size}")
    return group_name, size


def tiled_rank(name: str, rank: int, *, exact: bool = False) -> None:
    """The vector tile that transfers and signals need (PTO301, PTO303)."""
    vec = rec.recorder(name).scope.vec
    if vec is None:
        fail("PTO301", op=name, rank=rank, suggest=", ".join(f"<axis {axis}>" for axis in range(rank)))
    if len(vec) < rank or (exact and len(vec) != rank):
        fail("PTO303", op=name, tile=", ".join(map(str, vec)), have=len(vec), rank=rank)


def dims(*values: Dim) -> tuple[Dim, ...]:
    """Sizes as an attribute, in which expressions are found."""
    return tuple(ex.as_dim(v) if isinstance(v, Expr) else v for v in values)
