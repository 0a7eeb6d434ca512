"""Where two arrays begin to differ, and what the differences look like as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto.capsule.arrays import bits_of
from openpto.diagnostics.language import T, said
from openpto.ir.dtypes import DataType, from_numpy

from .tolerance import Tolerance
from .units import Float64, precision_of, unit

Array = NDArray[Any]
Mask = NDArray[np.bool_]
FURTHEST = 4096
"""Elements by which a shift is looked for."""

_HEAD = T(
    "{count} of {elements} elements differ, the first at {index}: expected {expected}, got {got}{ulp}",
    "{elements} 个元素中有 {count} 个不同，第一个在 {index}：应为 {expected}，实为 {got}{ulp}",
)
_ULP = T(" ({ulp:.3g} ULP)", "（{ulp:.3g} ULP）")
_PATTERNS = {
    "zero": T("all that differ are 0", "不同的元素全为 0"),
    "nan": T("all that differ are NaN", "不同的元素全为 NaN"),
    "constant": T("all that differ are {value}", "不同的元素全为 {value}"),
    "unwritten": T("all that differ are as before the call: never written", "不同的元素与调用前相同：从未写入"),
    "all": T("no element is right", "没有一个元素正确"),
    "tail": T(
        "only indices {start} to {stop} of axis {axis}: the tail", "只涉及轴 {axis} 的下标 {start} 至 {stop}：尾部"
    ),
    "head": T("only indices 0 to {stop} of axis {axis}: the head", "只涉及轴 {axis} 的下标 0 至 {stop}：头部"),
    "range": T("only indices {start} to {stop} of axis {axis}", "只涉及轴 {axis} 的下标 {start} 至 {stop}"),
    "shifted": T("what was expected stands {steps} further along axis {axis}", "应有的内容沿轴 {axis} 偏移了 {steps}"),
    "factor": T("all are the expected values times {factor:.6g}", "全部为应有的值乘以 {factor:.6g}"),
    "step": T("no error exceeds {ulp:.3g} ULP: rounding", "误差均不超过 {ulp:.3g} ULP：舍入"),
}


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between an expected and an actual array.

    index             of the first element that differs, in row-major order
    expected, got     that element
    ulp               its error in units in the last place; None for integers and where it is not finite
    count, elements   how many differ, and of how many
    patterns          (name, particulars) of what the differences look like; see ``_PATTERNS``
    """

    index: tuple[int, ...]
    expected: str
    got: str
    ulp: float | None
    count: int
    elements: int
    patterns: tuple[tuple[str, dict[str, Any]], ...]

    def __str__(self) -> str:
        head = said(
            _HEAD, count=self.count, elements=self.elements, index=list(self.index), expected=self.expected,
            got=self.got, ulp="" if self.ulp is None else said(_ULP, ulp=self.ulp),
        )  # fmt: skip
        told = [said(_PATTERNS[name], **fields) for name, fields in self.patterns]
        return "\n".join([head, *(f"  - {text}" for text in told)])


@np.errstate(invalid="ignore")  # signalling NaN, such as memory has that was never written
def first_difference(
    expected: Array, got: Array, tolerance: Tolerance | None = None, before: Array | None = None
) -> Difference | None:
    """The difference of two arrays of one shape and type; None if there is none.

    Args:
        expected, got: arrays.
        tolerance: None: bits count (all NaN are equal); else errors inside of it are none.
        before: what ``got`` held before it was written, if that is known.

    >>> a = np.arange(6, dtype=np.float32).reshape(3, 2)
    >>> b = a.copy(); b[2] = 0
    >>> print(first_difference(a, b))
    2 of 6 elements differ, the first at [2, 0]: expected 4.0, got 0.0 (8.39e+06 ULP)
      - all that differ are 0
      - only indices 2 to 2 of axis 0: the tail
    """
    assert expected.shape == got.shape
    wrong = _differing(expected, got, tolerance)
    if not wrong.any():
        return None
    flat = int(np.argmax(wrong))
    index = tuple(int(i) for i in np.unravel_index(flat, wrong.shape))
    errors = _ulps(expected, got)
    first = None if errors is None or not np.isfinite(errors[index]) else float(errors[index])
    return Difference(
        index, str(expected[index]), str(got[index]), first, int(wrong.sum()), wrong.size,
        tuple(_patterns(expected, got, wrong, before, errors)),
    )  # fmt: skip


def same_bits(first: Array, second: Array) -> bool:
    """Whether two arrays have one shape and type, and the same bits; all NaN are equal."""
    if (first.shape, first.dtype) != (second.shape, second.dtype):
        return False
    return not differing_bits(first, second).any()


@np.errstate(invalid="ignore")  # signalling NaN, such as memory has that was never written
def differing_bits(first: Array, second: Array) -> Mask:
    """Which elements of two arrays of one shape and type differ in a bit; all NaN are equal."""
    differ: Mask = np.asarray(bits_of(first) != bits_of(second))
    if first.dtype.kind in "iub" or not differ.any():
        return differ
    both_nan = np.isnan(first.astype(np.float64)) & np.isnan(second.astype(np.float64))
    return np.asarray(differ & ~both_nan)


def _differing(expected: Array, got: Array, tolerance: Tolerance | None) -> Mask:
    if tolerance is None and expected.dtype == got.dtype:
        return differing_bits(expected, got)
    if tolerance is None and expected.dtype.kind in "iub":
        return np.asarray(expected != got)
    want, have = expected.astype(np.float64), got.astype(np.float64)
    with np.errstate(invalid="ignore"):
        equal = (want == have) | (np.isnan(want) & np.isnan(have))
        allowed = tolerance.allowed(np.abs(want)) if tolerance is not None else np.zeros(want.shape)
        inside = np.isfinite(want) & np.isfinite(have) & (np.abs(have - want) <= allowed)
    return np.asarray(~(equal | inside))


def _dense(array: Array) -> Array:
    return np.ascontiguousarray(array).reshape(array.shape)


def _ulps(expected: Array, got: Array) -> Float64 | None:
    """Errors in units of the expected values; None for integers and types without one."""
    dtype = from_numpy(got.dtype)
    if dtype is None or got.dtype.kind in "iub":
        return None
    try:
        precision_of(dtype)
    except KeyError:
        return None
    want, have = expected.astype(np.float64), got.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        found: Float64 = np.abs(have - want) / unit(np.abs(want), DataType(dtype))
    return found


def _patterns(
    expected: Array, got: Array, wrong: Mask, before: Array | None, ulps: Float64 | None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """What the differences look like, the most telling first."""
    bad = got[wrong].astype(np.float64)
    if before is not None and not _differing(before, got, None)[wrong].any():
        yield "unwritten", {}
    elif not bad.any():
        yield "zero", {}
    elif np.isnan(bad).all():
        yield "nan", {}
    elif bad.size > 1 and (bad == bad[0]).all():
        yield "constant", {"value": str(got[wrong][0])}
    moved = _shift(expected, got) if wrong.size > 1 else None
    factor = _factor(expected, got, wrong) if moved is None else None
    if moved is not None:
        yield "shifted", {"axis": moved[0], "steps": moved[1]}
    if factor is not None:
        yield "factor", {"factor": factor}
    if wrong.all() and wrong.size > 1:
        yield "all", {}
    else:
        yield from _places(wrong)
    if ulps is not None and np.isfinite(ulps[wrong]).all() and ulps[wrong].max() <= 4:
        yield "step", {"ulp": float(ulps[wrong].max())}


def _places(wrong: Mask) -> Iterator[tuple[str, dict[str, Any]]]:
    """Axes of which only a part is wrong."""
    for axis, extent in enumerate(wrong.shape):
        hit = np.flatnonzero(wrong.any(axis=tuple(a for a in range(wrong.ndim) if a != axis)))
        start, stop = int(hit[0]), int(hit[-1])
        if len(hit) == extent or len(hit) != stop - start + 1:
            continue
        if stop == extent - 1:
            yield "tail", {"axis": axis, "start": start, "stop": stop}
        elif start == 0:
            yield "head", {"axis": axis, "stop": stop}
        else:
            yield "range", {"axis": axis, "start": start, "stop": stop}


def _shift(expected: Array, got: Array) -> tuple[int, int] | None:
    """(axis, steps) if what was expected stands so much further, and most of it does."""
    want, have = _dense(expected), _dense(got)
    for axis, extent in enumerate(want.shape):
        if extent < 2:
            continue
        first = np.moveaxis(want, axis, 0)
        second = np.moveaxis(have, axis, 0)
        for steps in range(1, min(extent // 2, FURTHEST) + 1):
            for sign in (1, -1):
                a, b = (first[:-steps], second[steps:]) if sign > 0 else (first[steps:], second[:-steps])
                if np.array_equal(a, b) and not _uniform(a):
                    return axis, sign * steps
    return None


def _uniform(array: Array) -> bool:
    """Whether all elements are the same, so that a shift shows nothing."""
    flat = array.reshape(-1)
    return bool(flat.size < 2 or (flat == flat[0]).all())


def _factor(expected: Array, got: Array, wrong: Mask) -> float | None:
    """The factor between all expected and actual values, if there is one."""
    if expected.dtype.kind in "b" or wrong.sum() < 4:
        return None
    want, have = expected[wrong].astype(np.float64), got[wrong].astype(np.float64)
    with np.errstate(all="ignore"):
        ratios = have[want != 0] / want[want != 0]
    if ratios.size < 4 or not np.isfinite(ratios).all():
        return None
    middle = float(np.median(ratios))
    spread = float(np.abs(ratios - middle).max())
    return middle if middle != 0 and spread <= 0.02 * abs(middle) else None
