"""Cases that the elementwise operators share: tensors [B, T, H, K] with tails, extreme values and empty batches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from openpto.ir.dtypes import DataType
from openpto.testing import Tolerance
from openpto_gym.operator import Array, Case, cases_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementwiseCase(Case):
    """Tensors [b, t, h, k] whose values are drawn as ``data`` says; ``form`` chooses among the operator's formulas.

    normal    normal, scaled by ``scale``
    spread    signs and magnitudes over the whole range of the dtype, denormals included
    special   NaN, infinities, zeros of both signs, the largest, the smallest and the denormal values
    """

    b: int
    t: int
    h: int
    k: int
    form: str = ""
    data: str = "normal"
    scale: float = 1.0

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """[B, T, H, K]."""
        return self.b, self.t, self.h, self.k

    @property
    def sizes(self) -> str:
        """The shape."""
        return "x".join(map(str, self.shape))


_LAYOUTS: dict[str, dict[str, Any]] = {
    "one_element": {"b": 1, "t": 1, "h": 1, "k": 1},
    "one_short_of_a_tile": {"b": 1, "t": 15, "h": 4, "k": 16},
    "one_tile": {"b": 1, "t": 16, "h": 4, "k": 16},
    "one_past_a_tile": {"b": 2, "t": 17, "h": 4, "k": 16},
    "many_tiles": {"b": 3, "t": 100, "h": 8, "k": 64, "scale": 3.0},
    "odd_widths": {"b": 2, "t": 33, "h": 3, "k": 37, "scale": 10.0},
    "heads_wider_than_a_tile": {"b": 1, "t": 5, "h": 130, "k": 80},
    "all_magnitudes": {"b": 2, "t": 19, "h": 4, "k": 32, "data": "spread"},
    "special_values": {"b": 1, "t": 3, "h": 2, "k": 24, "data": "special"},
    "heads_of_a_model": {"b": 1, "t": 1024, "h": 12, "k": 128, "slow": True},
    "no_tokens": {"b": 2, "t": 0, "h": 4, "k": 16},
    "no_batch": {"b": 0, "t": 7, "h": 4, "k": 16},
}


def elementwise_cases(
    tolerances: Mapping[DataType, Tolerance], *, form: str = "", leave_out: frozenset[str] = frozenset()
) -> tuple[ElementwiseCase, ...]:
    """The shared cases for every dtype that has a tolerance; names begin with the form, if there is one."""
    start = f"{form}_" if form else ""
    layouts = {start + name: {**own, "form": form} for name, own in _LAYOUTS.items() if name not in leave_out}
    return cases_of(ElementwiseCase, tolerances, **layouts)


def draw(case: ElementwiseCase, rng: np.random.Generator) -> Array:
    """One tensor of the case's shape and dtype."""
    if case.data == "normal":
        values: Array = rng.standard_normal(case.shape) * case.scale
        return values.astype(case.element)
    if case.data == "spread":
        low, high = _exponents(case)
        size: Array = np.exp2(rng.uniform(low, high, case.shape)) * rng.choice([-1.0, 1.0], case.shape)
        return size.astype(case.element)
    return np.resize(rng.permutation(special_values(case)), case.shape).astype(case.element)


def finfo(element: np.dtype[Any]) -> Any:
    """The facts of a float type, those that numpy does not know included."""
    import ml_dtypes

    return ml_dtypes.finfo(element)  # type: ignore[no-untyped-call]


def special_values(case: Case) -> Array:
    """NaN, infinities, zeros, extremes of the dtype and a few ordinary numbers around them, in float64."""
    info = finfo(case.element)
    sizes = [0.0, 1.0, 0.5, 3.0, 20.0, 88.0, float(info.max), float(info.tiny), float(info.smallest_subnormal), np.inf]
    return np.array([*sizes, *(-size for size in sizes), np.nan])


def _exponents(case: Case) -> tuple[float, float]:
    """Powers of two from the smallest denormal to half the largest value of the dtype."""
    info = finfo(case.element)
    return float(np.log2(float(info.smallest_subnormal))), float(np.log2(float(info.max))) - 1
