"""Groups of ranks and the memory that they share."""

from __future__ import annotations

from typing import Any

from openpto.diagnostics import fail
from openpto.ir.dtypes import DataType
from openpto.ir.expr import Expr

from . import recording as rec
from . import shared_memory as sm
from .registry import Named, op
from .shared_memory import ShmemTensor
from .shmem_samples import BARRIER, GOT, HEAD, MEMORY, PUT, sample


@op(
    "distributed.my_symbolic_pe",
    "D",
    core="move",
    arithmetic=Named("shmem_pe"),
    samples=(sample(f"{HEAD}out[:] = x + pypto.cast(pypto.full([8, 16], me - me + 2, pypto.DT_INT32), "
                     "pypto.DT_FP32)", lambda x: x + 2),),
)  # fmt: skip
def my_symbolic_pe(group_name: str) -> Expr:
    """The number of this PE in its group, from 0, known while the kernel runs.

    Shapes: none. Dtypes: none.
    Errors: a group name of another length than 1 to 127 characters. While running: no rank (see
    ``openpto.distributed.launch``), or one that is not in the group.
    """
    name, _ = sm.group("distributed.my_symbolic_pe", group_name)
    return sm.ask("distributed.my_symbolic_pe", "shmem_pe", f"pe_{name}", group=name)


@op(
    "distributed.create_shmem_tensor",
    "D",
    core="move",
    arithmetic=Named("shmem_create"),
    samples=(sample(f"{MEMORY}{PUT}{BARRIER}{GOT}"),),
)
def create_shmem_tensor(group_name: str, n_pes: int, dtype: DataType, shape: list[int]) -> ShmemTensor:
    """Memory that the PEs of a group share: every PE has a block of ``shape``, and signals about every PE.

    The ranks' first calls in a group make one memory together, their second calls the next, and so on. Elements have
    no value until they are put or cleared, signals are 0; all is gone when the kernel ends.
    Shapes: plain ints, rank 2-4. Dtypes: any that the host holds; ``shmem_put`` takes FP32, FP16, BF16, INT32.
    Errors: a group name of another length than 1 to 127 characters; ``n_pes`` below 1 or not the same for a group
    everywhere; another rank. While running: ``n_pes`` that is not the group's size, ranks that ask for different
    memory.
    """
    name = "distributed.create_shmem_tensor"
    group, size = sm.group(name, group_name, n_pes)
    kind = rec.data_type(name, "dtype", dtype)
    rec.host_type(name, kind)
    extents = rec.extents(name, "shape", shape)
    if not 2 <= len(extents) <= 4:
        fail("PTO232", op=name, name="shape", rank=len(extents), low=2, high=4)
    for extent in extents:
        if extent < 1:
            fail("PTO235", op=name, extent=extent, shape=list(extents))
    rec.bounded(name, extents)
    window = sm.ask(name, "shmem_create", group, group=group, n_pes=size, dtype=kind, shape=extents)
    return ShmemTensor(group, size, kind, extents, window, (0,) * len(extents), extents)


@op(
    "distributed.create_shmem_signal",
    "D",
    core="move",
    arithmetic=Named("shmem_create"),
    samples=(
        sample(
            f"{HEAD}s = d.create_shmem_signal('pair', 2)\n    "
            "d.shmem_signal(s, me, 5, target_pe=1 - me)\n    "
            "d.shmem_wait_until(s, 1 - me, 5)\n    out[:] = x + 1.0",
            lambda x: x + 1,
        ),
    ),
)
def create_shmem_signal(group_name: str, n_pes: int) -> ShmemTensor:
    """Signals that the PEs of a group share, about every PE, without data.

    Shapes: none. Dtypes: signals are INT32.
    Errors: as for ``create_shmem_tensor``.
    """
    name = "distributed.create_shmem_signal"
    group, size = sm.group(name, group_name, n_pes)
    window = sm.ask(name, "shmem_create", group, group=group, n_pes=size, dtype=None, shape=(1,))
    return ShmemTensor(group, size, None, (1,), window, (0,), (1,))


@op(
    "distributed.shmem_view",
    "D",
    core="move",
    arithmetic=Named("shmem_window"),
    samples=(
        sample(
            f"{MEMORY}upper = d.shmem_view(m, [4, 16], [0, 0])\n    lower = d.shmem_view(m, [4, 16], [4, 0])\n    "
            "d.shmem_put(x[0:4, :], [0, 0], lower, 1 - me)\n    d.shmem_put(x[4:8, :], [0, 0], upper, 1 - me)\n    "
            f"{BARRIER}{GOT}",
            lambda x: x[[4, 5, 6, 7, 0, 1, 2, 3]],
        ),
    ),
)
def shmem_view(
    src: ShmemTensor, shape: list[int], offsets: list[Any], *, valid_shape: list[Any] | None = None
) -> ShmemTensor:
    """A window of shared memory, at the same place of every PE's block.

    Shapes: ``shape`` plain ints, ``offsets`` and ``valid_shape`` ints or symbols, one entry per axis of the data.
    Dtypes: any.
    Errors: memory without data (``create_shmem_signal``); ranks that differ. While running: a negative offset, a
    valid_shape that reaches past the memory.
    """
    name = "distributed.shmem_view"
    shared = sm.memory(name, "src", src, data=True)
    rec.sequence(name, "shape", shape)
    return sm.window(name, shared, shape, offsets, valid_shape)
