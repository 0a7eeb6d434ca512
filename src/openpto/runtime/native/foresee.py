"""What a kernel is going to call, told by what its trace records."""

from __future__ import annotations

from functools import cache

from openpto.ir.dtypes import DataType
from openpto.ir.enums import TransMode
from openpto.ir.trace import TOp, Var

from . import gemm, jit, pool
from .targets import Target


def follow(node: TOp) -> None:
    """Begin to compile what an operation of a trace is likely to call, if there is a thread for it."""
    if node.name == "matmul" and pool.wanted() > 1:
        matrix, attrs = node.operands[0], node.attrs
        assert isinstance(matrix, Var)
        mode = attrs.get("trans_mode", TransMode.CAST_NONE)
        _product(jit.target(), matrix.type.dtype, mode, bool(attrs.get("a_trans")), bool(attrs.get("b_trans")))


@cache
def _product(goal: Target, source: DataType, mode: TransMode, a_trans: bool, b_trans: bool) -> None:
    """A product of matrices whose rows lie one after another. A kernel that has one is long enough to share its
    regions, so the pool's code is made too."""
    name = gemm.routine(source, mode, a_trans, b_trans)
    if name is None:
        return
    jit.begin(goal, gemm.modules((name,), goal))
    shared = pool.extra()
    if shared is not None:
        jit.begin(goal, {shared.name: shared.text})
