"""Communication between processing elements (PEs): symmetric tensors, transfers, signals and barriers."""

from __future__ import annotations

from typing import Any

from openpto.diagnostics import current_site, fail
from openpto.ir.dtypes import DataType
from openpto.ir.enums import AtomicType, OpType
from openpto.ir.expr import Dim, Expr
from openpto.ir.nodes import TileType
from openpto.ir.trace import TOp, Var

from . import recording as rec
from .dtype_sets import FP16, FP32, HALVES, INT32
from .registry import Named, Sample, internal, op
from .samples import converted, integral, normal
from .symmetric import CARRIED, ShmemTensor, dims, element, group_of, symmetric, tiled_rank, window

PREDICATE = TileType((1, 1), INT32)

for _name, _what in (
    ("shmem_create", "Symmetric memory of a group."),
    ("shmem_write", "A block goes to a PE."),
    ("shmem_read", "A block comes from a PE."),
    ("shmem_notify", "A signal goes to a PE or to all."),
    ("shmem_await", "Waits for a signal."),
    ("shmem_meet", "Waits for all PEs."),
    ("shmem_clear", "Own data or signals become zero."),
    ("my_pe", "The number of the own PE."),
):
    internal(_name, _what, core="none", arithmetic=Named(_name))


def _effect(kind: str, operands: list[Var], **attrs: Any) -> Var:
    """Record an operation that returns a predicate."""
    return rec.emit(kind, operands, PREDICATE, (1, 1), **attrs)


def _predicates(name: str, pred: object) -> None:
    """``pred`` is None or a list of predicates; operations run in program order in any case."""
    if pred is not None:
        for item in rec.sequence(name, "pred", pred):
            rec.tensor(name, "pred", item)


def _place(src: ShmemTensor) -> dict[str, Any]:
    """A window as attributes."""
    return {"number": src.number, "offsets": dims(*src.offsets), "extents": dims(*src.valid)}


_MADE = 'shared = pypto.distributed.create_shmem_tensor("tp", 1, pypto.DT_FP32, [8, 16])\n    '
_SENT = _MADE + "sent = pypto.distributed.shmem_put(x, [0, 0], shared, 0)\n    "
_GOT = "out[:] = pypto.distributed.shmem_get(shared, 0, pred=[sent])"
_X = {"x": normal(8, 16)}


def _copied(text: str) -> tuple[Sample, ...]:
    """A sample that sends x to the only PE and takes it back."""
    return (Sample(text, _X, lambda x: x),)


# Symmetric tensors


@op(
    "distributed.create_shmem_tensor",
    "D",
    core="move",
    arithmetic=Named("shmem_create"),
    samples=_copied(_SENT + _GOT),
)
def create_shmem_tensor(group_name: str, n_pes: int, dtype: DataType, shape: list[int]) -> ShmemTensor:
    """A symmetric tensor: every PE of the group owns data of this shape, and signals.

    All PEs make the symmetric tensors of a group in one order. The data have no contents until they are written.
    Shapes: rank 2-4, plain ints. Dtypes: INT32, FP32, FP16, BF16.
    Errors: a group name that is empty or longer than 127 characters; n_pes below 1, or another one for a known group;
    another rank or dtype. While running: PEs that disagree; a group that is not the run's (see ``openpto.run_ranks``).
    """
    name = "distributed.create_shmem_tensor"
    group, size = group_of(name, group_name, n_pes)
    kind = rec.data_type(name, "dtype", dtype)
    rec.element_type(name, kind, CARRIED)
    extents = rec.extents(name, "shape", shape)
    if not 2 <= len(extents) <= 4:
        fail("PTO232", op=name, name="shape", rank=len(extents), low=2, high=4)
    if 0 in extents:
        fail("PTO235", op=name, extent=0, shape=list(extents))
    return _created(group, size, kind, extents)


def _created(group: str, size: int, dtype: DataType | None, shape: tuple[int, ...]) -> ShmemTensor:
    number = rec.recorder("shmem_create").uid()
    _effect("shmem_create", [], number=number, group=group, n_pes=size, dtype=dtype, shape=shape)
    return ShmemTensor(number, group, size, dtype, shape, (0,) * len(shape), shape)


@op(
    "distributed.create_shmem_signal",
    "D",
    core="move",
    arithmetic=Named("shmem_create"),
    samples=_copied(
        'flag = pypto.distributed.create_shmem_signal("tp", 1)\n    '
        "told = pypto.distributed.shmem_signal(flag, 0, 3, target_pe=0)\n    "
        "pypto.distributed.shmem_wait_until(flag, 0, 3, pred=[told])\n    out[:] = x * 1.0"
    ),
)
def create_shmem_signal(group_name: str, n_pes: int) -> ShmemTensor:
    """Signals without data: one INT32 per PE and source PE, zero at first.

    Shapes: none. Dtypes: none.
    Errors: those of the group as for ``create_shmem_tensor``.
    """
    group, size = group_of("distributed.create_shmem_signal", group_name, n_pes)
    return _created(group, size, None, ())


@op(
    "distributed.shmem_view",
    "D",
    core="move",
    arithmetic=Named("shmem_view"),
    samples=(
        Sample(
            _SENT + "out[:] = pypto.distributed.shmem_get(pypto.distributed.shmem_view(shared, [4, 16], [2, 0]), 0)",
            _X,
            lambda x: x[2:6],
        ),
    ),
)
def shmem_view(src: ShmemTensor, shape: list[int], offsets: list[Any], *, valid_shape: Any = None) -> ShmemTensor:
    """A window of a symmetric tensor.

    Shapes: ``shape`` plain ints, ``offsets`` and ``valid_shape`` ints or symbols, one per axis of the data.
    Dtypes: any that a symmetric tensor has.
    Errors: a tensor of signals only; ranks that differ; a shape that does not fit. While running: a window that reaches
    beyond the tensor.
    """
    name = "distributed.shmem_view"
    return window(name, symmetric(name, "src", src), shape, offsets, valid_shape)


# Transfers


def _put(name: str, src: object, offsets: object, dst: object, dst_pe: object, put_op: object) -> Var:
    target = symmetric(name, "dst", dst)
    source = rec.tensor(name, "src", src)
    rec.static_shape(name, "src", source)
    rec.row_major(name, "src", source)
    if not 2 <= source.type.rank <= 4:
        fail("PTO232", op=name, name="src", rank=source.type.rank, low=2, high=4)
    rec.element_type(name, source.type.dtype, CARRIED)
    if not isinstance(put_op, AtomicType):
        fail("PTO222", op=name, why=f"put_op must be an AtomicType, got {rec.type_name(put_op)}")
    adds = put_op is AtomicType.ADD
    assert target.dtype is not None
    widens = adds and source.type.dtype in HALVES and target.dtype is FP32
    if source.type.dtype is not target.dtype and not widens:
        fail("PTO228", op=name, first=source.type.dtype.name, other=target.dtype.name)
    starts = rec.dims(name, "offsets", offsets)
    if not source.type.rank == target.dim == len(starts):
        why = f"src has {source.type.rank} axes, dst {target.dim} and offsets {len(starts)}"
        fail("PTO263", op=name, why=why)
    tiled_rank(name, source.type.rank)
    block = window(name, target, list(rec.ints(source)), list(starts))
    place = {**_place(block), "extents": ()}  # the valid region of src is written
    return _effect("shmem_write", [source], **place, pe=dims(element(name, "dst_pe", dst_pe, target)), adds=adds)


def _get(name: str, src: object, src_pe: object, shape: object, offsets: object, valid_shape: object) -> Var:
    block = window(name, symmetric(name, "src", src), shape, offsets, valid_shape)
    tiled_rank(name, block.dim, exact=True)
    pe = element(name, "src_pe", src_pe, block)
    assert block.dtype is not None
    return rec.emit("shmem_read", [], TileType(block.shape, block.dtype), block.valid, **_place(block), pe=dims(pe))


_PUT_DOC_SAMPLES = (
    Sample(_SENT + _GOT, _X, lambda x: x),
    Sample(
        'sums = pypto.distributed.create_shmem_tensor("tp", 1, pypto.DT_FP32, [8, 16])\n    '
        "pypto.distributed.shmem_clear_data(sums)\n    "
        "for i in range(3):\n        "
        "pypto.distributed.shmem_put(x, [0, 0], sums, 0, put_op=pypto.AtomicType.ADD)\n    "
        "out[:] = pypto.distributed.shmem_get(sums, 0)",
        {"x": converted(integral(8, 16, low=-9, high=9), FP16)},
        lambda x: x * 3.0,
    ),
)


@op(
    "distributed.shmem_put", "D", core="move", arithmetic=Named("shmem_write"), dtypes=CARRIED, samples=_PUT_DOC_SAMPLES
)
def shmem_put(
    src: Var,
    offsets: list[Any],
    dst: ShmemTensor,
    dst_pe: Any,
    *,
    put_op: AtomicType = AtomicType.SET,
    pred: list[Any] | None = None,
) -> Var:
    """Write the valid region of ``src`` into ``dst`` of PE ``dst_pe`` at ``offsets``, or add it there; a predicate.

    Shapes: src rank 2-4, static; dst and offsets have its rank. The vector tile in force has it too.
    Dtypes: INT32, FP32, FP16, BF16, both the same; with ADD FP16 and BF16 may go to FP32. FP16 and BF16 are added in
    FP32 and rounded once.
    Errors: ranks or dtypes that differ; a PE out of range; no vector tile. While running: a block beyond the tensor.
    """
    name = "distributed.shmem_put"
    _predicates(name, pred)
    return _put(name, src, offsets, dst, dst_pe, put_op)


@op(
    "distributed.shmem_get",
    "D",
    core="move",
    arithmetic=Named("shmem_read"),
    dtypes=CARRIED,
    samples=_copied(_SENT + _GOT),
)
def shmem_get(
    src: ShmemTensor,
    src_pe: Any,
    shape: list[int] | None = None,
    offsets: list[Any] | None = None,
    *,
    valid_shape: list[Any] | None = None,
    pred: list[Any] | None = None,
) -> Var:
    """The data that PE ``src_pe`` owns, or the window of ``shape`` at ``offsets`` of them, as a tensor.

    Shapes: those of the window; ``valid_shape`` (ints or symbols) cuts it. The vector tile in force has its rank.
    Dtypes: INT32, FP32, FP16, BF16. What no PE has written is undefined.
    Errors: shape without offsets; a PE out of range; no vector tile. While running: a window beyond the tensor.
    """
    name = "distributed.shmem_get"
    _predicates(name, pred)
    return _get(name, src, src_pe, shape, offsets, valid_shape)


_STORED = _MADE + "sent = pypto.experimental.shmem_store(x, [0, 0], shared, 0)\n    "
_LOADED = "out[:] = pypto.experimental.shmem_load(shared, 0, pred=[sent])"


@op(
    "experimental.shmem_store",
    "E",
    core="move",
    arithmetic=Named("shmem_write"),
    dtypes=CARRIED,
    samples=_copied(_STORED + _LOADED),
)
def shmem_store(
    src: Var,
    offsets: list[Any],
    dst: ShmemTensor,
    dst_pe: Any,
    *,
    put_op: AtomicType = AtomicType.SET,
    pred: list[Any] | None = None,
) -> Var:
    """``distributed.shmem_put`` from the vector buffer; values are the same.

    Shapes: as for ``shmem_put``. Dtypes: INT32, FP32, FP16, BF16. Errors: as for ``shmem_put``.
    """
    name = "experimental.shmem_store"
    _predicates(name, pred)
    return _put(name, src, offsets, dst, dst_pe, put_op)


@op(
    "experimental.shmem_load",
    "E",
    core="move",
    arithmetic=Named("shmem_read"),
    dtypes=CARRIED,
    samples=_copied(_STORED + _LOADED),
)
def shmem_load(
    src: ShmemTensor,
    src_pe: Any,
    shape: list[int] | None = None,
    offsets: list[Any] | None = None,
    *,
    valid_shape: list[Any] | None = None,
    pred: list[Any] | None = None,
) -> Var:
    """``distributed.shmem_get`` into the vector buffer; values are the same.

    Shapes: as for ``shmem_get``. Dtypes: INT32, FP32, FP16, BF16. Errors: as for ``shmem_get``.
    """
    name = "experimental.shmem_load"
    _predicates(name, pred)
    return _get(name, src, src_pe, shape, offsets, valid_shape)


# Signals


_TOLD = _SENT + "told = pypto.distributed.shmem_signal(shared, 0, 1, target_pe=0, pred=[sent])\n    "
_WAITED = (
    "pypto.distributed.shmem_wait_until(shared, 0, 1, pred=[told])\n    out[:] = pypto.distributed.shmem_get(shared, 0)"
)


@op("distributed.shmem_signal", "D", core="move", arithmetic=Named("shmem_notify"), samples=_copied(_TOLD + _WAITED))
def shmem_signal(
    src: ShmemTensor,
    src_pe: Any,
    signal: int,
    shape: list[int] | None = None,
    offsets: list[Any] | None = None,
    *,
    target_pe: Any,
    sig_op: AtomicType = AtomicType.SET,
    pred: list[Any] | None = None,
) -> Var:
    """Set the signal that PE ``target_pe`` keeps for ``src`` of ``src_pe``, or add to it; -1 notifies all; a predicate.

    Shapes: of a window only the elements' signals change: each element has one; a tensor of signals only has one.
    Dtypes: INT32 signals, which wrap. The vector tile in force has the rank of the data.
    Errors: a PE out of range; a signal that is no int; no vector tile.
    """
    name = "distributed.shmem_signal"
    _predicates(name, pred)
    block = window(name, symmetric(name, "src", src, data=False), shape, offsets)
    tiled_rank(name, block.dim)
    if not isinstance(sig_op, AtomicType):
        fail("PTO222", op=name, why=f"sig_op must be an AtomicType, got {rec.type_name(sig_op)}")
    everyone = isinstance(target_pe, int) and not isinstance(target_pe, bool) and target_pe == -1
    target: Dim = -1 if everyone else element(name, "target_pe", target_pe, block)
    value = rec.rounded(rec.integer(name, "signal", signal), INT32).value
    pes = dims(element(name, "src_pe", src_pe, block), target)
    return _effect(
        "shmem_notify", [], **_place(block), pe=pes, everyone=everyone, value=value, adds=sig_op is AtomicType.ADD
    )


@op("distributed.shmem_wait_until", "D", core="move", arithmetic=Named("shmem_await"), samples=_copied(_TOLD + _WAITED))
def shmem_wait_until(
    src: ShmemTensor,
    src_pe: Any,
    cmp_value: int = 0,
    shape: list[int] | None = None,
    offsets: list[Any] | None = None,
    *,
    cmp: OpType = OpType.EQ,
    clear_signal: bool = False,
    pred: list[Any] | None = None,
) -> Var:
    """Wait until the own signal for ``src`` of ``src_pe`` equals ``cmp_value``, then clear it if asked; a predicate.

    Shapes: of a window all elements' signals must be equal to it. Dtypes: INT32 signals.
    Errors: another comparison than EQ; a PE out of range; no vector tile. While running: if every PE waits and nothing
    can come any more, all stop with the lines that they wait at.
    """
    name = "distributed.shmem_wait_until"
    _predicates(name, pred)
    block = window(name, symmetric(name, "src", src, data=False), shape, offsets)
    tiled_rank(name, block.dim)
    if cmp is not OpType.EQ:
        fail("PTO268", op=name, why=f"cmp must be OpType.EQ, got {cmp}")
    value = rec.rounded(rec.integer(name, "cmp_value", cmp_value), INT32).value
    clears = rec.flag(name, "clear_signal", clear_signal)
    pe = dims(element(name, "src_pe", src_pe, block))
    return _effect("shmem_await", [], **_place(block), pe=pe, value=value, clears=clears)


@op(
    "distributed.shmem_barrier_all",
    "D",
    core="move",
    arithmetic=Named("shmem_meet"),
    samples=_copied(
        _SENT
        + "pypto.distributed.shmem_barrier_all(shared, [sent])\n    out[:] = pypto.distributed.shmem_get(shared, 0)"
    ),
)
def shmem_barrier_all(src: ShmemTensor, pred: list[Any] | None = None) -> Var:
    """Wait until every PE of the group has come here; a predicate.

    Shapes: none. Dtypes: none.
    Errors: no symmetric tensor. While running: as for ``shmem_wait_until``.
    """
    name = "distributed.shmem_barrier_all"
    _predicates(name, pred)
    return _effect("shmem_meet", [], number=symmetric(name, "src", src, data=False).number)


@op(
    "distributed.shmem_clear_data",
    "D",
    core="move",
    arithmetic=Named("shmem_clear"),
    samples=(
        Sample(
            _SENT + "pypto.distributed.shmem_clear_data(shared, [4, 16], [0, 0])\n    "
            "out[:] = pypto.distributed.shmem_get(shared, 0)",
            _X,
            lambda x: x * ([[0.0]] * 4 + [[1.0]] * 4),
        ),
    ),
)
def shmem_clear_data(
    src: ShmemTensor, shape: list[int] | None = None, offsets: list[Any] | None = None, *, pred: list[Any] | None = None
) -> Var:
    """The own data, or a window of them, become zero; a predicate.

    Shapes: as for ``shmem_view``. Dtypes: any that a symmetric tensor has.
    Errors: a tensor of signals only; shape without offsets.
    """
    name = "distributed.shmem_clear_data"
    _predicates(name, pred)
    block = window(name, symmetric(name, "src", src), shape, offsets)
    return _effect("shmem_clear", [], **_place(block), signals=False)


@op(
    "distributed.shmem_clear_signal",
    "D",
    core="move",
    arithmetic=Named("shmem_clear"),
    samples=_copied(
        _TOLD + "pypto.distributed.shmem_clear_signal(shared, pred=[told])\n    "
        "pypto.distributed.shmem_wait_until(shared, 0, 0)\n    out[:] = pypto.distributed.shmem_get(shared, 0)"
    ),
)
def shmem_clear_signal(src: ShmemTensor, *, pred: list[Any] | None = None) -> Var:
    """All own signals of a symmetric tensor become zero; a predicate.

    Shapes: none. Dtypes: INT32 signals.
    Errors: no symmetric tensor.
    """
    name = "distributed.shmem_clear_signal"
    _predicates(name, pred)
    block = symmetric(name, "src", src, data=False)
    return _effect("shmem_clear", [], number=block.number, offsets=(), extents=(), signals=True)


@op(
    "distributed.my_symbolic_pe",
    "D",
    core="move",
    arithmetic=Named("my_pe"),
    samples=(
        Sample(
            'me = pypto.distributed.my_symbolic_pe("tp")\n    out[:] = x[me : me + 4, :] * 1.0', _X, lambda x: x[:4]
        ),
    ),
)
def my_symbolic_pe(group_name: str) -> Expr:
    """The number of the own PE in the group, as a symbol.

    Shapes: none. Dtypes: an integer.
    Errors: a group name that is no text or not 1 to 127 characters long.
    """
    name = "distributed.my_symbolic_pe"
    if not isinstance(group_name, str):
        fail("PTO222", op=name, why=f"group_name must be a str, got {rec.type_name(group_name)}")
    if not 1 <= len(group_name) <= 127:
        fail("PTO268", op=name, why=f"group_name must have 1 to 127 characters, it has {len(group_name)}")
    trace = rec.recorder(name)
    leaf = trace.leaf("pe")
    trace.region.body.append(TOp("my_pe", (), (leaf,), (), {"group": group_name}, current_site(), trace.scope))
    return leaf
