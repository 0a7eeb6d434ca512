"""Samples of the distributed operations: two ranks with equal tensors, so that both end with the same."""

from __future__ import annotations

from collections.abc import Callable

from openpto.ir.dtypes import DataType

from .dtype_sets import FP32
from .registry import Array, Sample
from .samples import converted, whole

HEAD = "d = pypto.distributed\n    me = d.my_symbolic_pe('pair')\n    "
MEMORY = f"{HEAD}m = d.create_shmem_tensor('pair', 2, pypto.DT_FP32, [8, 16])\n    "
PUT = "d.shmem_put(x, [0, 0], m, 1 - me)\n    "
ADD = "d.shmem_put(x, [0, 0], m, 1 - me, put_op=pypto.AtomicType.ADD)\n    "
BARRIER = "d.shmem_barrier_all(m)\n    "
GOT = "out[:] = d.shmem_get(m, me)"


def sample(body: str, golden: Callable[[Array], Array] = lambda x: x, dtype: DataType = FP32) -> Sample:
    """A program over x [8, 16] that leaves the golden in out on both ranks."""
    return Sample(body, {"x": converted(whole(8, 16), dtype)}, golden, result=None if dtype is FP32 else dtype, ranks=2)
