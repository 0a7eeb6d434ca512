"""Inputs on which the matrix product is checked: four pairs of transposes, sizes that no tile divides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.ir.dtypes import DataType
from openpto.testing import Tolerance
from openpto_gym.matmul.golden import numpy_golden, torch_golden
from openpto_gym.matmul.kernel import matmul
from openpto_gym.operator import Array, Arrays, Case, Operator
from openpto_gym.special import not_finite

RTOL = {DataType.DT_FP32: 1e-5, DataType.DT_FP16: 2.0**-10, DataType.DT_BF16: 2.0**-7}


def tolerance(dtype: DataType, depth: int) -> Tolerance:
    """Every one of `depth` additions rounds; sums may cancel, so the bound does not follow the result."""
    return Tolerance(rtol=RTOL[dtype], atol=3e-7 * depth)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatmulCase(Case):
    """op(a) [m, k] @ op(b) [k, n] of normal values; ``whole``: small integers, so that the result is exact.

    ``wide``: rows of a and columns of b differ by powers of two up to 2^20. ``special``: NaN and infinities in one of
    every five rows of a and columns of b.
    """

    m: int
    k: int
    n: int
    a_trans: bool = False
    b_trans: bool = False
    whole: bool = False
    wide: bool = False
    special: bool = False

    @property
    def sizes(self) -> str:
        """M x K x N."""
        return f"{self.m}x{self.k}x{self.n}"


def _cases(dtype: DataType) -> tuple[MatmulCase, ...]:
    ending = "" if dtype is DataType.DT_FP32 else f"_{dtype.short.lower()}"

    def case(
        name: str, m: int, k: int, n: int, ways: str = "nn",
        whole: bool = False, wide: bool = False, special: bool = False, slow: bool = False,
    ) -> MatmulCase:  # fmt: skip
        return MatmulCase(
            name=name + ending, tolerance=tolerance(dtype, k), dtype=dtype, slow=slow, m=m, k=k, n=n,
            a_trans=ways[0] == "t", b_trans=ways[1] == "t", whole=whole, wide=wide, special=special,
        )  # fmt: skip

    return (
        *(case(f"odd_sizes_{ways}", 37, 53, 29, ways) for ways in ("nn", "nt", "tn", "tt")),
        *(case(f"past_a_block_{ways}", 129, 65, 200, ways) for ways in ("nn", "nt", "tn", "tt")),
        case("one_element", 1, 1, 1),
        case("one_row", 1, 300, 257),
        case("one_column", 257, 300, 1, "tt"),
        case("outer_product", 130, 1, 131),
        case("many_blocks", 300, 96, 290, "nt"),
        case("deep", 65, 1000, 33),
        case("deep_whole_numbers", 40, 1024, 40, "tn", whole=True),
        case("rows_of_all_magnitudes", 100, 48, 70, wide=True),
        case("special_values", 40, 70, 33, special=True),
        case("no_rows", 0, 32, 16),
        case("no_columns", 16, 32, 0, "nt"),
        case("gate_of_experts", 64, 5120, 160, slow=True),
        case("gate_of_256_experts", 130, 2048, 256, "nt", slow=True),
        case("joint_projection", 32, 5120, 1792, slow=True),
        case("down_projection", 8, 7168, 1536, slow=True),
    )


def inputs(case: MatmulCase) -> Arrays:
    """a and b as they are stored."""
    rng = case.generator()

    def values(*shape: int) -> Array:
        return rng.integers(-4, 5, shape).astype(float) if case.whole else rng.standard_normal(shape)

    a, b = values(case.m, case.k), values(case.k, case.n)
    if case.wide:
        a *= 2.0 ** rng.integers(-20, 0, (case.m, 1))
        b *= 2.0 ** rng.integers(-20, 0, (1, case.n))
    if case.special:
        a[::5], b[:, ::5] = not_finite(a[::5], rng), not_finite(b[:, ::5], rng)
    stored = {"a": a.T if case.a_trans else a, "b": b.T if case.b_trans else b}
    return {name: np.ascontiguousarray(array.astype(case.element)) for name, array in stored.items()}


def run(case: MatmulCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = np.full((case.m, case.n), np.nan, case.element)
    matmul(arrays["a"], arrays["b"], out, depth=case.k, a_trans=case.a_trans, b_trans=case.b_trans)
    return {"out": out}


OPERATOR = Operator(
    name="matmul",
    summary="out = op(a) @ op(b), op = as it is or transposed",
    cases=tuple(case for dtype in RTOL for case in _cases(dtype)),
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.a_trans, case.b_trans),
    numpy=lambda case, arrays: numpy_golden(arrays, case.a_trans, case.b_trans),
)
