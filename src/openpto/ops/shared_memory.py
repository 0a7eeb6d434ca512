"""Memory that the PEs of a group share: handles of it, groups and their PEs, and how programs with it are recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from openpto._records import dataclass, field, replace
from openpto.diagnostics import T, current_site, fail
from openpto.ir import expr as ex
from openpto.ir.dtypes import DataType
from openpto.ir.expr import Dim, Expr
from openpto.ir.nodes import Imm
from openpto.ir.trace import Var

from . import recording as rec
from . import shapes
from .experimental import predicate
from .registry import Core, Named, internal

LONGEST_NAME = 127

_NODES: tuple[tuple[str, Core, str], ...] = (
    ("shmem_pe", "none", "The number of this PE in a group."),
    ("shmem_create", "none", "Memory that the PEs of a group share."),
    ("shmem_window", "none", "Checks of a window of shared memory."),
    ("shmem_put", "move", "A tile into the shared memory of a PE."),
    ("shmem_get", "vector", "A tile out of the shared memory of a PE."),
    ("shmem_signal", "none", "A signal to PEs."),
    ("shmem_wait", "none", "Goes on when a signal has a value."),
    ("shmem_barrier", "none", "Goes on when every PE has come."),
    ("shmem_clear_data", "none", "Zeros in the own shared memory."),
    ("shmem_clear_signal", "none", "Zeros all own signals."),
)
for _name, _core, _what in _NODES:
    internal(_name, _what, core=_core, arithmetic=Named(_name))

COMMUNICATION = frozenset(name for name, _, _ in _NODES)
"""Nodes of tile IR whose order other ranks see, or that ask for what ranks share."""


@dataclass(frozen=True, slots=True)
class ShmemTensor:
    """Shared memory of a group as kernels hold it: every PE has a block of ``shape``, and signals about every PE.

    ``dtype`` is None for signals without data. The block begins at ``offsets`` of what was created, and is valid as far
    as ``valid``; ``window`` stands for the memory while the kernel runs.
    """

    group_name: str
    n_pes: int
    dtype: DataType | None
    shape: tuple[int, ...]
    window: Expr = field(repr=False)
    offsets: tuple[Dim, ...] = field(repr=False)
    valid: tuple[Dim, ...] = field(repr=False)

    @property
    def rank(self) -> int:
        """Axes of the block."""
        return len(self.shape)


# Arguments


def memory(op: str, name: str, value: object, *, data: bool = False) -> ShmemTensor:
    """Shared memory (PTO216), with data if asked for (PTO218)."""
    if not isinstance(value, ShmemTensor):
        fail("PTO216", op=op, name=name, got=rec.type_name(value))
    if data and value.dtype is None:
        fail("PTO218", op=op, name=name)
    return value


def group(op: str, name: object, n_pes: object = None) -> tuple[str, int]:
    """A group's name and size (PTO217): the size is one and the same in the whole kernel."""
    if not isinstance(name, str) or not 1 <= len(name) <= LONGEST_NAME:
        got = f"{len(name)} characters" if isinstance(name, str) else rec.type_name(name)
        got_zh = f"{len(name)} 个字符" if isinstance(name, str) else rec.type_name(name)
        why = T(
            f"group_name must be a text of 1 to {LONGEST_NAME} characters, got {got}",
            f"group_name 须为 1 到 {LONGEST_NAME} 个字符的文本，实际为 {got_zh}",
        )
        fail("PTO217", op=op, why=why)
    if n_pes is None:
        return name, 0
    size = rec.integer(op, "n_pes", n_pes)
    if size < 1:
        fail("PTO217", op=op, why=T(f"n_pes must be at least 1, got {size}", f"n_pes 至少为 1，实际为 {size}"))
    sizes: dict[str, int] = rec.recorder(op).notes.setdefault("groups", {})
    if sizes.setdefault(name, size) != size:
        why = T(
            f"n_pes of group {name!r} is {size} here and {sizes[name]} earlier in the kernel",
            f"通信组 {name!r} 的 n_pes 在此处为 {size}，在 kernel 前文中为 {sizes[name]}",
        )
        fail("PTO217", op=op, why=why)
    return name, size


def pe(op: str, name: str, value: object, shared: ShmemTensor) -> Expr:
    """The number of a PE: an int or a symbol (PTO268 for an int outside of the group)."""
    number = rec.dim(op, name, value)
    if isinstance(number, int) and not 0 <= number < shared.n_pes:
        fail(
            "PTO268",
            op=op,
            why=T(
                f"{name} must be in [0, {shared.n_pes}), got {number}",
                f"{name} 须在 [0, {shared.n_pes}) 内，实际为 {number}",
            ),
        )
    return ex.expr(number)


def after(op: str, pred: object, but: Var | None = None) -> None:
    """Check the predicates that an operation comes after; operations run in program order, so that is all."""
    if pred is None:
        return
    given = [p for p in rec.sequence(op, "pred", pred) if p is not but]
    tokens = [rec.tensor(op, "pred", p) for p in given]
    rec.recorder(op).check_operands(tokens, current_site())


def int32(op: str, name: str, value: object) -> int:
    """A plain int that a signal can have (PTO268)."""
    number = rec.integer(op, name, value)
    if not -(2**31) <= number < 2**31:
        fail(
            "PTO268", op=op, why=T(f"{name} must fit INT32, got {number}", f"{name} 须在 INT32 范围内，实际为 {number}")
        )
    return number


def tiled(op: str, rank: int, *, exact: bool = False) -> None:
    """The vector tile that transfers and signals need: a value per axis of the data (PTO301, PTO303)."""
    tile = rec.recorder(op).scope.vec
    suggest = [*map(str, tile or ()), *(f"<axis {axis}>" for axis in range(len(tile or ()), rank))][:rank]
    if tile is None:
        fail("PTO301", op=op, rank=rank, suggest=", ".join(suggest))
    if len(tile) < rank or (exact and len(tile) > rank):
        given = ", ".join(map(str, tile))
        fail("PTO303", op=op, tile=given, have=len(tile), rank=rank, suggest=", ".join(suggest))


# Windows


def window(
    op: str, shared: ShmemTensor, shape: object, offsets: object, valid_shape: object = None, *, data: bool = True
) -> ShmemTensor:
    """The part of shared memory that a call names; all of it if it names none (PTO218, PTO236, PTO268)."""
    if shape is None and offsets is None and valid_shape is None:
        return shared
    if data and shared.dtype is None:
        fail("PTO218", op=op, name="src")
    if (shape is None) != (offsets is None):
        fail("PTO268", op=op, why=T("shape and offsets must be given together", "shape 与 offsets 须同时给出"))
    extents = shared.shape if shape is None else rec.extents(op, "shape", shape)
    starts: tuple[Dim, ...] = (0,) * shared.rank if offsets is None else rec.dims(op, "offsets", offsets)
    for what, entries in (("shape", extents), ("offsets", starts)):
        if len(entries) != shared.rank:
            memory = T("the shared memory", "共享内存")
            fail("PTO236", op=op, what=what, a=len(entries), what_b=memory, b=shared.rank)
    valid = rec.valid_shape(op, valid_shape, extents)
    return _checked(op, shared, extents, starts, valid)


def _checked(
    op: str, shared: ShmemTensor, extents: tuple[int, ...], starts: tuple[Dim, ...], valid: tuple[Dim, ...] | None
) -> ShmemTensor:
    """Record that the window lies in what it is taken from."""
    trace = rec.recorder(op)
    known = shapes.index_bounds(trace)
    inferred = tuple(
        shapes.window_valid(v, start, n, known) for v, start, n in zip(shared.valid, starts, extents, strict=True)
    )
    tell(op, "shmem_window", [shared.window], offsets=starts, have=shared.valid, valid=valid)
    offsets = tuple(ex.as_dim(ex.binary("add", a, b)) for a, b in zip(shared.offsets, starts, strict=True))
    return replace(shared, shape=extents, offsets=offsets, valid=valid or inferred)


# Recording


def tell(op: str, name: str, operands: Sequence[Var | Imm | Expr], /, **attrs: Any) -> None:
    """Record a node without a result."""
    rec.recorder(op).emit(name, operands, [], attrs, site=rec.site_of_call(name))


def ask(op: str, name: str, label: str, /, **attrs: Any) -> Expr:
    """Record a node whose result is a run-time integer."""
    return rec.recorder(op).emit_scalar(name, attrs, site=rec.site_of_call(name), label=label)


def done() -> Var:
    """The predicate that an operation returns."""
    return predicate()
