"""`assert_close`: comparison bound to a run of a kernel, so that a golden is never compared with a golden."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto.capsule.arrays import bits_of
from openpto.diagnostics import fail, make_error, user_boundary
from openpto.ir.dtypes import from_numpy
from openpto.kernel.host import HostTensor, host_tensor, is_torch_tensor
from openpto.kernel.receipt import Receipt, last_run
from openpto.language.configuration import settings

from .compare import Comparison, compare
from .report import report, summary
from .tolerance import PROFILES, Ratios, Tolerance, default_tolerance
from .triple import Triple, compare_triple


@user_boundary()
def assert_close(
    actual: Any,
    golden: Any,
    run: Receipt | None = None,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    tolerance: Tolerance | Ratios | str | None = None,
    benchmark: Any = None,
) -> Comparison | Triple:
    """Check what a kernel wrote against a golden.

    Args:
        actual: an output of this thread's last kernel call, or a view of it: numpy array or torch CPU tensor.
        golden: array or tensor of the same shape, computed without the kernel; it may have more precision.
        run: the receipt of the call that is meant, if it is not the last one or ``actual`` is a copy.
        rtol, atol: tolerances, instead of those of ``tolerance``.
        tolerance: a Tolerance, a profile (``openpto.testing.T1`` ... or its name); by default integers and bools have
            to be equal, FP32 and DOUBLE are within 1e-6 + 1e-5 * |golden|, narrower floats within one step.
        benchmark: for T6 only: the result of a plain implementation, an array of the same shape.

    Returns:
        The comparison: its numbers, also where everything is inside.

    Raises:
        AssertionError: PTO537, ``actual`` is not what the run wrote; PTO538, another shape, a golden that is no array
            of real numbers, or elements outside the tolerance.
        ValueError: PTO539, the tolerance is not one, or stands where the receipt belongs.

    >>> from openpto.testing import T1
    >>> print(T1)
    T1: 0.0001 + 0.0078125*|golden|
    """
    _require_receipt(run)
    mine = host_tensor("actual", 0, _dense(actual))
    chosen = _tolerance(mine, tolerance, rtol, atol, benchmark)
    require_output(actual, golden, run)
    other = _array("golden", golden, mine.shape, str(chosen))
    if isinstance(chosen, Ratios):
        return _assert_triple(mine, other, _array("benchmark", benchmark, mine.shape, str(chosen)), chosen)
    found = compare(mine.array, other, chosen)
    if not found.ok:
        error = make_error("PTO538", summary=summary(found), tolerance=str(chosen))
        details = report(found, floats=mine.array.dtype.kind not in "iub")
        if settings().replay_dir is not None:
            details += _replay(mine.array, other, chosen, found, run)
        raise type(error)(error.rule, error.site, error.fields, f"{error}\n\n{details}")
    return found


def _replay(
    mine: NDArray[Any], golden: NDArray[Any], tolerance: Tolerance, found: Comparison, run: Receipt | None
) -> str:
    """The line that names the replay file, which is written here."""
    from .replays import write_comparison  # only where a folder for replays is named

    receipt = run if run is not None else last_run()
    path = write_comparison(mine, golden, tolerance, summary(found), receipt=receipt)
    return "" if path is None else f"\n\nreplay: {path}"


def _assert_triple(mine: HostTensor, golden: NDArray[Any], benchmark: NDArray[Any], limits: Ratios) -> Triple:
    found = compare_triple(mine.array, golden, benchmark, limits)
    if not found.ok:
        fail("PTO538", summary=str(found), tolerance=str(limits))
    return found


def _tolerance(
    mine: HostTensor, given: Tolerance | Ratios | str | None, rtol: float | None, atol: float | None, benchmark: Any
) -> Tolerance | Ratios:
    chosen: Any = PROFILES.get(given, given) if isinstance(given, str) else given
    if chosen is None:
        chosen = default_tolerance(mine.dtype)
    if not isinstance(chosen, (Tolerance, Ratios)):
        fail("PTO539", problem=f"{given!r} is not a Tolerance and not one of {', '.join(PROFILES)}")
    if isinstance(chosen, Ratios):
        if benchmark is None or rtol is not None or atol is not None:
            fail("PTO539", problem="T6 compares with a benchmark: it needs benchmark= and takes no rtol and atol")
        if mine.dtype.short not in ("FP16", "BF16", "FP32"):
            fail("PTO539", problem=f"T6 is for FP16, BF16 and FP32, and the output is {mine.dtype.short}")
        return chosen
    if benchmark is not None:
        fail("PTO539", problem="only T6 compares with a benchmark")
    limits: Tolerance = chosen
    if rtol is not None or atol is not None:
        limits = Tolerance(
            limits.rtol if rtol is None else rtol, limits.atol if atol is None else atol, bad_share=limits.bad_share
        )
    _require_limits(limits)
    return limits


def _require_limits(tolerance: Tolerance) -> None:
    """Stop unless every limit is a number that can refuse something: with NaN or infinity any result would pass."""
    for name in ("rtol", "atol", "bad_share"):
        limit: object = getattr(tolerance, name)
        if not (isinstance(limit, numbers.Real) and 0 <= float(limit) < math.inf):
            fail("PTO539", problem=f"{name} is {limit!r}, not a finite number of at least 0")


def _require_receipt(run: object) -> None:
    """Stop where something else was given for the receipt, by position most of the time."""
    if run is None or isinstance(run, Receipt):
        return
    if isinstance(run, (str, Tolerance, Ratios)):
        name = run if isinstance(run, str) else run.name
        given = f"tolerance={name!r}" if name else "tolerance=..."
        fail("PTO539", problem=f"it stands where the receipt of a run belongs; name the argument: {given}")
    if isinstance(run, numbers.Real):
        fail("PTO539", problem=f"{run} stands where the receipt of a run belongs; name the argument: rtol= or atol=")
    name = getattr(run, "__name__", "a kernel")
    fail("PTO537", kernel=name, reason=f"run is of type {type(run).__name__}, and a receipt is needed")


def _array(name: str, value: Any, shape: tuple[int, ...], tolerance: str) -> NDArray[Any]:
    """A golden as an array of the output's shape."""
    array = (
        host_tensor(name, 1, _dense(value)).array if is_torch_tensor(value) else _real_numbers(name, value, tolerance)
    )
    if shape != (array.shape or (1,)):
        fail("PTO538", summary=f"the shape is {list(shape)}, the {name}'s {list(array.shape)}", tolerance=tolerance)
    return array.reshape(shape)


def _real_numbers(name: str, value: Any, tolerance: str) -> NDArray[Any]:
    """An array of what is given; texts, objects, complex numbers and rows of several lengths stop with PTO538."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):  # rows of several lengths, or an object that refuses
        kind = type(value).__name__
    else:
        if array.dtype.kind in "biuf" or from_numpy(array.dtype.newbyteorder("=")) is not None:
            return array
        kind = f"{type(value).__name__} of {array.dtype}"
    fail("PTO538", summary=f"the {name} is a {kind}, not an array of real numbers", tolerance=tolerance)


@user_boundary()
def require_output(actual: Any, golden: Any = None, run: Receipt | None = None) -> None:
    """Check that ``actual`` is what a run wrote and ``golden`` is other memory; arguments as for ``assert_close``.

    Raises:
        AssertionError: PTO537.
    """
    receipt, names = _output_of_run(actual, golden, run, "golden")
    if names and not any(receipt.elements_written.get(name, 1) for name in names):
        fail("PTO537", kernel=receipt.kernel, reason=f"the run wrote no element of {names[0]}")


@user_boundary()
def require_kept(actual: Any, before: NDArray[Any], run: Receipt | None = None) -> None:
    """Check that a run was given ``actual`` to write and left every bit of it as it was in ``before``.

    For runs that have nothing to write: no token, no update. ``before`` is a copy of ``actual`` from before the run;
    ``run`` as for ``assert_close``.

    Raises:
        AssertionError: PTO537, ``actual`` is not memory that the run could write; PTO543, the run wrote elements of
            it, or it is not what it was.
    """
    receipt, names = _output_of_run(actual, before, run, "copy from before the run")
    mine = host_tensor("actual", 0, _dense(actual)).array
    if mine.size == 0:
        fail("PTO543", kernel=receipt.kernel, reason="it is empty, so that nothing could change")
    written = sum(receipt.elements_written.get(name, 1) for name in names)
    if written:
        fail("PTO543", kernel=receipt.kernel, reason=f"the run wrote {written} elements of it")
    if mine.shape != before.shape or mine.dtype != before.dtype:
        fail("PTO543", kernel=receipt.kernel, reason=f"it was {before.dtype} {list(before.shape)} before the run")
    changed = np.count_nonzero(bits_of(mine) != bits_of(_dense(before)))
    if changed:
        fail("PTO543", kernel=receipt.kernel, reason=f"{changed} of its {mine.size} elements changed")


def _output_of_run(actual: Any, other: Any, run: Receipt | None, name: str) -> tuple[Receipt, list[str]]:
    """The receipt of the run, and its outputs that ``actual`` is a part of: none only if it is empty.

    Stops with PTO537 where ``actual`` is no output of the run, or shares memory with ``other``, which is called so.
    """
    _require_receipt(run)
    receipt = run if run is not None else last_run()
    if receipt is None:
        fail("PTO537", kernel="a kernel", reason="no kernel call of this thread has completed")
    begin, end = _bounds(actual)
    names: list[str] = []
    if begin != end:
        names = [memory.name for memory in receipt.outputs if memory.holds(begin, end - begin)]
    if begin != end and not names:
        if run is None:
            fail("PTO537", kernel=receipt.kernel, reason="its address is in none of the outputs of the last run")
        shape = tuple(actual.shape) or (1,)
        names = [memory.name for memory in receipt.outputs if memory.shape == shape]
        if not names:
            fail("PTO537", kernel=receipt.kernel, reason=f"no output has the shape {list(shape)}")
    other_begin, other_end = _bounds(other)
    if begin < other_end and other_begin < end:
        fail("PTO537", kernel=receipt.kernel, reason=f"the {name} is the same memory")
    return receipt, names


def _bounds(value: Any) -> tuple[int, int]:
    """First byte and end of the memory in which the elements of an array or tensor lie; (0, 0) for anything else."""
    if isinstance(value, np.ndarray):
        pointer, shape, strides, size = value.ctypes.data, value.shape, value.strides, value.itemsize
    elif _is_strided(value):
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
    if _is_strided(value):
        return value.detach().contiguous()
    return np.ascontiguousarray(value) if isinstance(value, np.ndarray) and value.ndim else value


def _is_strided(value: Any) -> bool:
    """Whether this is a torch tensor that has its elements in plain memory; a sparse one has not."""
    return is_torch_tensor(value) and str(value.layout) == "torch.strided"
