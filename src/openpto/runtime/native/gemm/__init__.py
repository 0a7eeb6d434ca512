"""Matrix products of the native engine: which routines there are, and their text for a code path."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from openpto.ir.dtypes import DataType
from openpto.ir.enums import TransMode
from openpto.ops.math.conversion import cast_expression, tf32_expression
from openpto.runtime.native import jit, lanes

from . import driver, kernels, packing
from .kinds import Kind, Step, whole_step
from .plan import PLANS, Plan, plan_of

_FLOATS = {"f32": DataType.DT_FP32, "f16": DataType.DT_FP16, "bf16": DataType.DT_BF16}
_TF32 = {"tf32rint": TransMode.CAST_RINT, "tf32round": TransMode.CAST_ROUND}
_KINDS = {**{source: name for name, source in _FLOATS.items()}, DataType.DT_INT8: "i8"}
_TF32_OF = {mode: name for name, mode in _TF32.items()}
WORKSPACE = max(plan.workspace for plan in PLANS)
"""Words that serve every routine on every code path."""


def routine(source: DataType, mode: TransMode, a_turned: bool, b_turned: bool) -> str | None:
    """The name of the routine for operands of ``source`` (see ``driver.py`` for its arguments); ``turned`` tells that
    the elements of a column are neighbours, not those of a row. None: there is none for this type."""
    kind = _KINDS.get(source) if mode is TransMode.CAST_NONE else _TF32_OF[mode]
    return None if kind is None else f"gemm_{kind}_{'nt'[a_turned]}{'nt'[b_turned]}"


def modules(names: Iterable[str], goal: jit.Target) -> dict[str, str]:
    """The modules of routines and of what they call, each after those it needs."""
    found: dict[str, str] = {}
    for name in names:
        found.update(_modules(name, goal))
    return found


@cache
def _modules(name: str, goal: jit.Target) -> dict[str, str]:
    kind_name, form = name.removeprefix("gemm_").rsplit("_", 1)
    plan = plan_of(goal.features, goal.is_x86)
    kind = _kind(kind_name, goal, plan)
    found = {kernels.block_name(kind): kernels.module(plan, kind)}
    for role, letter in zip("ab", form, strict=True):
        shape = "turn" if letter == "t" else "rows"
        key = packing.pack_name(kind, role, shape)
        if key not in found:
            found[key] = packing.module(plan, kind, role, shape, goal.features)
    found[name] = driver.module(plan, kind, form, lanes.memory(kind.source))
    return found


def _kind(name: str, goal: jit.Target, plan: Plan) -> Kind:
    if name == "i8":
        return Kind(name, DataType.DT_INT8, whole_step(goal.features, goal.is_x86, plan))
    if name in _TF32:
        return Kind(name, DataType.DT_FP32, Step.FMA, tf32_expression(_TF32[name]))
    source = _FLOATS[name]
    return Kind(name, source, Step.FMA, None if name == "f32" else cast_expression(source, DataType.DT_FP32))


__all__ = ["WORKSPACE", "modules", "routine"]
