"""Matrix products of the native engine: which routines there are, and their text for a code path."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from openpto._records import dataclass
from openpto.ir.dtypes import DataType
from openpto.ir.enums import TransMode
from openpto.ops.math.conversion import cast_expression, tf32_expression
from openpto.runtime.native import jit
from openpto.runtime.native.instructions import memory

from . import driver, kernels, packing
from .kinds import Kind, Step, whole_step
from .plan import PLANS, plan_of

_FLOATS = {"f32": DataType.DT_FP32, "f16": DataType.DT_FP16, "bf16": DataType.DT_BF16}
_TF32 = {"tf32rint": TransMode.CAST_RINT, "tf32round": TransMode.CAST_ROUND}
_KINDS = {**{source: name for name, source in _FLOATS.items()}, DataType.DT_INT8: "i8"}
_TF32_OF = {mode: name for name, mode in _TF32.items()}
_SHAPES = {"n": "rows", "t": "turn"}
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
    kind_name, form = _parts(name)
    plan = plan_of(goal.features, goal.is_x86)
    kind = _kind(kind_name, goal.features, goal.is_x86)
    found = {kernels.block_name(kind): kernels.module(plan, kind)}
    found[driver.gemm_name(kind)] = driver.module(plan, kind, memory(kind.source))
    for role, letter in zip("ab", form, strict=True):
        shape = _SHAPES[letter]
        key = packing.pack_name(kind, role, shape)
        if key not in found:
            found[key] = packing.module(plan, kind, role, shape, goal.features)
    return found


@dataclass(frozen=True, slots=True)
class Callee:
    """The function behind a routine: its name, the (type, value) of the arguments that select the form, and the names
    of the functions among these."""

    name: str
    form: tuple[tuple[str, str], ...]
    packs: tuple[str, ...]


def callee(name: str, features: frozenset[str], is_x86: bool) -> Callee:
    """What a call of a routine is on a code path."""
    kind_name, form = _parts(name)
    kind = _kind(kind_name, features, is_x86)
    packs = tuple(packing.pack_name(kind, role, _SHAPES[letter]) for role, letter in zip("ab", form, strict=True))
    turned = tuple(("i1", str(letter == "t").lower()) for letter in form)
    return Callee(driver.gemm_name(kind), (*(("ptr", f"@{pack}") for pack in packs), *turned), packs)


def _parts(name: str) -> tuple[str, str]:
    """Kind and form of a routine."""
    kind, form = name.removeprefix("gemm_").rsplit("_", 1)
    return kind, form


def _kind(name: str, features: frozenset[str], is_x86: bool) -> Kind:
    if name == "i8":
        return Kind(name, DataType.DT_INT8, whole_step(features, is_x86, plan_of(features, is_x86)))
    if name in _TF32:
        return Kind(name, DataType.DT_FP32, Step.FMA, tf32_expression(_TF32[name]))
    source = _FLOATS[name]
    return Kind(name, source, Step.FMA, None if name == "f32" else cast_expression(source, DataType.DT_FP32))


__all__ = ["WORKSPACE", "Callee", "callee", "modules", "routine"]
