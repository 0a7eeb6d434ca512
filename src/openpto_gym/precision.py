# mypy: ignore-errors
# (tensors of a kernel while it is traced)
"""Computing in FP32 whatever the dtype of the tensors; shared by the kernels of this package."""

import pypto


def widened(x):
    """x in FP32."""
    return x if x.dtype == pypto.DT_FP32 else pypto.cast(x, pypto.DT_FP32)


def rounded(x, dtype):
    """x, which is FP32, rounded to `dtype`."""
    return x if dtype == pypto.DT_FP32 else pypto.cast(x, dtype)
