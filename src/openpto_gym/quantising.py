# mypy: ignore-errors
# (tensors of a kernel while it is traced)
"""Dynamic quantisation to INT8 inside kernels; shared by the kernels of this package."""

import pypto

LARGEST = 127.0
SMALLEST = 1e-12
"""The least largest magnitude of a row; a row of zeros gets it, so that nothing is divided by zero."""


def int8_rows(x):
    """Rows of x in FP32 as INT8, and the scale [rows, 1] by which they were divided: largest magnitude / 127.

    Through INT32 and FP16, which hold the rounded numbers exactly; no chip casts FP32 to INT8.
    """
    peak = pypto.maximum(pypto.amax(pypto.abs(x), -1, True), SMALLEST)
    steps = pypto.cast(x / peak * LARGEST, pypto.DT_INT32, pypto.CastMode.CAST_RINT)
    return pypto.cast(pypto.cast(steps, pypto.DT_FP16), pypto.DT_INT8), peak / LARGEST
