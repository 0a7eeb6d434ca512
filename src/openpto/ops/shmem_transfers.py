"""Tiles that go into the shared memory of another rank, and come out of it."""

from __future__ import annotations

from typing import Any

from openpto.diagnostics import fail
from openpto.ir.enums import AtomicType
from openpto.ir.nodes import TileType
from openpto.ir.trace import Var

from . import recording as rec
from . import shared_memory as sm
from .dtype_sets import BF16, FP16, FP32, HALVES, INT32
from .registry import Dtypes, Named, op
from .shared_memory import ShmemTensor
from .shmem_samples import ADD, BARRIER, GOT, HEAD, MEMORY, PUT, sample

SENT = Dtypes(frozenset({INT32, FP32, FP16, BF16}))


def sent(name: str, src: Var, offsets: object, dst: ShmemTensor, dst_pe: object, put_op: object, pred: object) -> Var:
    """Check and record a tile that goes to a PE."""
    tile = rec.tile(name, "src", src, ranks=(2, 4), dtypes=SENT)
    shared = sm.memory(name, "dst", dst, data=True)
    assert shared.dtype is not None
    if not isinstance(put_op, AtomicType):
        fail("PTO222", op=name, why=rec.wrong_kind("put_op", "pypto.AtomicType", put_op))
    add = put_op is AtomicType.ADD
    widened = add and tile.type.dtype in HALVES and shared.dtype is FP32
    if tile.type.dtype is not shared.dtype and not widened:
        rec.refuse_two_dtypes(name, shared.dtype.name, tile.type.dtype.name)
    starts = rec.dims(name, "offsets", offsets)
    for what, rank in (("src", tile.type.rank), ("offsets", len(starts))):
        if rank != shared.rank:
            fail("PTO236", op=name, what=what, a=rank, what_b="dst", b=shared.rank)
    target = sm.pe(name, "dst_pe", dst_pe, shared)
    sm.tiled(name, shared.rank)
    sm.after(name, pred, tile if name.endswith("store") else None)
    sm.tell(
        name, "shmem_put", [shared.window, target, tile], origin=shared.offsets, offsets=starts, shape=shared.shape,
        dtype=shared.dtype, add=add,
    )  # fmt: skip
    return sm.done()


def fetched(name: str, shared: ShmemTensor, src_pe: object, pred: object) -> Var:
    """Check and record a tile that comes from a PE."""
    assert shared.dtype is not None
    source = sm.pe(name, "src_pe", src_pe, shared)
    sm.tiled(name, shared.rank, exact=True)
    sm.after(name, pred)
    type = TileType(shared.shape, shared.dtype)
    return rec.emit(
        "shmem_get", [shared.window, source], type, shared.valid, offsets=shared.offsets, valid=shared.valid
    )


@op(
    "distributed.shmem_put",
    "D",
    core="move",
    arithmetic=Named("shmem_put"),
    dtypes=SENT,
    samples=(
        sample(f"{MEMORY}{PUT}{BARRIER}{GOT}"),
        sample(
            f"{MEMORY}d.shmem_clear_data(m)\n    {BARRIER}{ADD}{ADD}{BARRIER}{GOT}",
            lambda x: x + x,
        ),
        sample(
            f"{HEAD}m = d.create_shmem_tensor('pair', 2, pypto.DT_FP16, [8, 16])\n    {PUT}{BARRIER}{GOT}",
            dtype=FP16,
        ),
    ),
)
def shmem_put(
    src: Var,
    offsets: list[Any],
    dst: ShmemTensor,
    dst_pe: Any,
    *,
    put_op: AtomicType = AtomicType.SET,
    pred: list[Var] | None = None,
) -> Var:
    """The valid region of ``src`` goes into the block of PE ``dst_pe``, at ``offsets``; returns a predicate.

    A device sends in the background: another PE may look at the elements once a signal or barrier that comes after the
    put (``pred``) has told it. Here they are there at once, and a look that nothing orders with the put is a fault.
    With ``AtomicType.ADD`` they are added. Additions of several PEs that nothing orders are made in the order of the
    ranks, so that sums have the same bits in every run; one addition rounds as ``add`` does.
    Shapes: src static, rank 2-4, that of dst and of the offsets. Dtypes: FP32, FP16, BF16, INT32, those of dst; with
    ADD also FP16 and BF16 into FP32.
    Errors: ranks or dtypes that differ; an int ``dst_pe`` outside of the group. While running: elements outside of dst;
    a PE outside of the group; a data race with another rank.
    """
    return sent("distributed.shmem_put", src, offsets, dst, dst_pe, put_op, pred)


@op(
    "distributed.shmem_get",
    "D",
    arithmetic=Named("shmem_get"),
    samples=(
        sample(f"{MEMORY}{PUT}{BARRIER}{GOT}"),
        sample(
            f"{MEMORY}d.shmem_put(x, [0, 0], m, me)\n    {BARRIER}out[:] = d.shmem_get(m, 1 - me, [4, 8], [2, 8])",
            lambda x: x[2:6, 8:16],
        ),
    ),
)
def shmem_get(
    src: ShmemTensor,
    src_pe: Any,
    shape: list[int] | None = None,
    offsets: list[Any] | None = None,
    *,
    valid_shape: list[Any] | None = None,
    pred: list[Var] | None = None,
) -> Var:
    """The block of PE ``src_pe``, or the window ``shape`` at ``offsets`` of it, as it is at this point of the program.

    Elements that nobody has put are undefined, as those of a tensor that was never written.
    Shapes: as for ``shmem_view``; the result has ``shape``. The vector tile has one value per axis of the data.
    Dtypes: that of src.
    Errors: memory without data; a vector tile of another rank; ranks that differ; an int ``src_pe`` outside of the
    group. While running: a window outside of src; a PE outside of the group; a data race with another rank.
    """
    name = "distributed.shmem_get"
    shared = sm.memory(name, "src", src, data=True)
    return fetched(name, sm.window(name, shared, shape, offsets, valid_shape), src_pe, pred)


@op(
    "distributed.shmem_clear_data",
    "D",
    core="move",
    arithmetic=Named("shmem_clear_data"),
    samples=(
        sample(
            f"{MEMORY}d.shmem_clear_data(m)\n    {BARRIER}"
            "out[:] = x + d.shmem_get(m, 1 - me)",
        ),
    ),
)  # fmt: skip
def shmem_clear_data(
    src: ShmemTensor,
    shape: list[int] | None = None,
    offsets: list[Any] | None = None,
    *,
    pred: list[Var] | None = None,
) -> Var:
    """Zero the own block, or the window ``shape`` at ``offsets`` of it; returns a predicate, INT32 [1, 1].

    Shapes: as for ``shmem_view``. Dtypes: any.
    Errors: memory without data; ranks that differ. While running: a data race with another rank.
    """
    name = "distributed.shmem_clear_data"
    part = sm.window(name, sm.memory(name, "src", src, data=True), shape, offsets)
    sm.after(name, pred)
    sm.tell(name, "shmem_clear_data", [part.window], offsets=part.offsets, valid=part.valid)
    return sm.done()


# Tiles in UB


@op(
    "experimental.shmem_store",
    "E",
    core="move",
    arithmetic=Named("shmem_put"),
    dtypes=SENT,
    samples=(
        sample(
            f"{MEMORY}y = x + 1.0\n    pypto.experimental.shmem_store(y, [0, 0], m, 1 - me, pred=[y])\n    "
            f"{BARRIER}{GOT}",
            lambda x: x + 1,
        ),
    ),
)
def shmem_store(
    src: Var,
    offsets: list[Any],
    dst: ShmemTensor,
    dst_pe: Any,
    *,
    put_op: AtomicType = AtomicType.SET,
    pred: list[Var] | None = None,
) -> Var:
    """A tile in UB goes into the block of PE ``dst_pe``: as ``distributed.shmem_put``.

    A predicate that is ``src`` itself is dropped. Shapes: as there. Dtypes: as there.
    Errors: as there.
    """
    return sent("experimental.shmem_store", src, offsets, dst, dst_pe, put_op, pred)


@op(
    "experimental.shmem_load",
    "E",
    arithmetic=Named("shmem_get"),
    samples=(
        sample(
            f"{MEMORY}{PUT}{BARRIER}out[:] = pypto.experimental.shmem_load(m, me) * 2.0",
            lambda x: x * 2,
        ),
    ),
)
def shmem_load(
    src: ShmemTensor,
    src_pe: Any,
    shape: list[int] | None = None,
    offsets: list[Any] | None = None,
    *,
    valid_shape: list[Any] | None = None,
    pred: list[Var] | None = None,
) -> Var:
    """The block of PE ``src_pe``, or a window of it, as a tile in UB: as ``distributed.shmem_get``.

    Shapes: as there; the tile fits UB. Dtypes: as there.
    Errors: as there.
    """
    name = "experimental.shmem_load"
    shared = sm.memory(name, "src", src, data=True)
    return fetched(name, sm.window(name, shared, shape, offsets, valid_shape), src_pe, pred)
