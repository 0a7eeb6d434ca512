"""Comparison of outputs with goldens, bound to a run so that a golden is never compared with a golden."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto.diagnostics import fail, user_boundary
from openpto.ir.dtypes import is_float
from openpto.kernel.host import host_tensor, is_torch_tensor
from openpto.kernel.receipt import Receipt, last_run

DEFAULT_RTOL, DEFAULT_ATOL = 1e-5, 1e-6
"""For floats; integers and bools have to be equal unless tolerances are given."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a comparison found. ``where`` is the index of the worst element outside the tolerance."""

    elements: int
    outside: int
    max_abs: float
    max_rel: float
    where: tuple[int, ...]
    got: str
    want: str

    @property
    def ok(self) -> bool:
        """Whether every element is inside the tolerance."""
        return self.outside == 0


def compare(actual: NDArray[Any], golden: NDArray[Any], rtol: float, atol: float) -> Comparison:
    """Element by element: ``|actual - golden| <= atol + rtol * |golden|``; NaN meets NaN, infinities need their sign.

    Both arrays have one shape. The difference is taken in float64, of integers exactly.
    """
    if actual.dtype.kind in "iub" and golden.dtype.kind in "iub":
        wide: Any = np.int64 if max(actual.itemsize, golden.itemsize) < 8 else object
        got, want = actual.astype(wide), golden.astype(wide)
        error, size = np.abs(got - want).astype(np.float64), np.abs(want).astype(np.float64)
    else:
        got, want = actual.astype(np.float64), golden.astype(np.float64)
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        with np.errstate(invalid="ignore"):
            error = np.where(same, 0.0, np.abs(got - want))
        error = np.where(np.isnan(error), np.inf, error)
        size = np.abs(want)
    with np.errstate(invalid="ignore", divide="ignore"):
        outside = ~(error <= atol + rtol * np.where(np.isfinite(size), size, 0.0))
        relative = np.where(error == 0.0, 0.0, error / size)
    if not error.size:
        return Comparison(0, 0, 0.0, 0.0, (), "", "")
    worst = np.unravel_index(int(np.argmax(np.where(outside, error, -1.0))), error.shape)
    return Comparison(
        elements=error.size,
        outside=int(np.count_nonzero(outside)),
        max_abs=float(error.max()),
        max_rel=float(relative.max()),
        where=tuple(int(i) for i in worst),
        got=repr(actual[worst].item()),
        want=repr(golden[worst].item()),
    )


@user_boundary()
def assert_close(
    actual: Any,
    golden: Any,
    run: Receipt | None = None,
    *,
    rtol: float | None = None,
    atol: float | None = None,
) -> Comparison:
    """Check what a kernel wrote against a golden.

    Args:
        actual: an output of this thread's last kernel call, or a view of it: numpy array or torch CPU tensor.
        golden: array or tensor of the same shape, computed without the kernel; it may have more precision.
        run: the receipt of the call that is meant, if it is not the last one or ``actual`` is a copy.
        rtol, atol: tolerances; default 1e-5 and 1e-6 for floats, 0 for integers and bools.

    Raises:
        AssertionError: PTO537, ``actual`` is not what the run wrote; PTO538, another shape or elements outside the
            tolerance.
    """
    place = _bounds(actual)
    mine = host_tensor("actual", 0, _dense(actual))
    other = np.asarray(golden) if not is_torch_tensor(golden) else host_tensor("golden", 1, _dense(golden)).array
    _check_memory(place, mine.shape, golden, run)
    if mine.shape != (other.shape or (1,)):
        fail("PTO538", summary=f"the shape is {list(mine.shape)}, the golden's {list(other.shape)}", tolerance="-")
    exact = not is_float(mine.dtype) and mine.array.dtype.kind in "iub"
    rtol = (0.0 if exact else DEFAULT_RTOL) if rtol is None else rtol
    atol = (0.0 if exact else DEFAULT_ATOL) if atol is None else atol
    found = compare(mine.array, other.reshape(mine.shape), rtol, atol)
    if not found.ok:
        worst = f"worst at {found.where}: got {found.got}, golden {found.want}"
        errors = f"max abs {found.max_abs:.3g}, max rel {found.max_rel:.3g}"
        summary = f"{found.outside} of {found.elements} elements are outside; {worst}; {errors}"
        fail("PTO538", summary=summary, tolerance=f"{atol:g} + {rtol:g} * |golden|")
    return found


def _check_memory(place: tuple[int, int], shape: tuple[int, ...], golden: Any, run: Receipt | None) -> None:
    receipt = run if run is not None else last_run()
    if receipt is None:
        fail("PTO537", kernel="a kernel", reason="no kernel call of this thread has completed")
    begin, end = place
    inside = begin == end or any(memory.holds(begin, end - begin) for memory in receipt.outputs)
    if not inside and run is None:
        fail("PTO537", kernel=receipt.kernel, reason="its address is in none of the outputs of the last run")
    if not inside and all(memory.shape != shape for memory in receipt.outputs):
        fail("PTO537", kernel=receipt.kernel, reason=f"no output has the shape {list(shape)}")
    other_begin, other_end = _bounds(golden)
    if begin < other_end and other_begin < end:
        fail("PTO537", kernel=receipt.kernel, reason="the golden is the same memory")


def _bounds(value: Any) -> tuple[int, int]:
    """First byte and end of the memory in which the elements of an array or tensor lie; (0, 0) for anything else."""
    if isinstance(value, np.ndarray):
        pointer, shape, strides, size = value.ctypes.data, value.shape, value.strides, value.itemsize
    elif is_torch_tensor(value):
        size = value.element_size()
        pointer, shape, strides = value.data_ptr(), tuple(value.shape), tuple(s * size for s in value.stride())
    else:
        return 0, 0
    if 0 in shape:
        return 0, 0
    reach = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    return pointer + sum(r for r in reach if r < 0), pointer + sum(r for r in reach if r > 0) + size


def _dense(value: Any) -> Any:
    """The same elements in row-major order without gaps; other objects as they are."""
    if is_torch_tensor(value):
        return value.detach().contiguous()
    return np.ascontiguousarray(value) if isinstance(value, np.ndarray) and value.ndim else value
