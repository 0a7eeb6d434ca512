"""Cases that the elementwise operators share: tensors [B, T, H, K] with tails, extreme values and empty batches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from openpto.ir.dtypes import DataType
from openpto.testing import Tolerance
from openpto_gym.operator import Array, Case

FP16, BF16, FP32 = DataType.DT_FP16, DataType.DT_BF16, DataType.DT_FP32


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


@dataclass(frozen=True, slots=True)
class _Layout:
    name: str
    shape: tuple[int, int, int, int]
    data: str = "normal"
    scale: float = 1.0


_LAYOUTS = (
    _Layout("one_element", (1, 1, 1, 1)),
    _Layout("one_short_of_a_tile", (1, 15, 4, 16)),
    _Layout("one_tile", (1, 16, 4, 16)),
    _Layout("one_past_a_tile", (2, 17, 4, 16)),
    _Layout("many_tiles", (3, 100, 8, 64), scale=3.0),
    _Layout("odd_widths", (2, 33, 3, 37), scale=10.0),
    _Layout("heads_wider_than_a_tile", (1, 5, 130, 80)),
    _Layout("all_magnitudes", (2, 19, 4, 32), data="spread"),
    _Layout("special_values", (1, 3, 2, 24), data="special"),
    _Layout("no_tokens", (2, 0, 4, 16)),
    _Layout("no_batch", (0, 7, 4, 16)),
)


def elementwise_cases(
    tolerances: Mapping[DataType, Tolerance], *, form: str = "", leave_out: frozenset[str] = frozenset()
) -> tuple[ElementwiseCase, ...]:
    """The shared cases for every dtype that has a tolerance; names end in the dtype unless it is FP32."""
    cases = []
    for dtype, tolerance in tolerances.items():
        ending = "" if dtype is FP32 else f"_{dtype.short.lower()}"
        for layout in _LAYOUTS:
            if layout.name in leave_out:
                continue
            b, t, h, k = layout.shape
            name = "_".join(filter(None, (form, layout.name))) + ending
            cases.append(
                ElementwiseCase(
                    name=name, tolerance=tolerance, dtype=dtype, b=b, t=t, h=h, k=k,
                    form=form, data=layout.data, scale=layout.scale,
                )
            )  # fmt: skip
    return tuple(cases)


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
