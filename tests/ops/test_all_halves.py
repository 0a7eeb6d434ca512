"""Every function of one operand on all 65,536 values of FP16 and BF16, against FP64."""

from __future__ import annotations

import linecache
import types
import warnings

import numpy as np
import pytest
from test_conformance import ulps

import pypto
from openpto.ir.dtypes import DataType, numpy_dtype
from openpto.ops import OPS, PUBLIC
from openpto.ops.registry import Pointwise

HALVES = (DataType.DT_FP16, DataType.DT_BF16)
LARGEST_ANGLE = 2.0**27
"""Sine, cosine and tangent answer NaN beyond it, by contract."""


def unary():
    for name in PUBLIC:
        decl = OPS[name]
        if decl.family == "U" and isinstance(decl.arithmetic, Pointwise):
            for dtype in HALVES:
                if dtype in decl.dtypes.everywhere:
                    yield pytest.param(name, dtype, id=f"{name}-{dtype.short}")


def kernel_of(call, dtype):
    text = (
        "import pypto\n\n\n@pypto.frontend.jit\n"
        f"def kernel(x: pypto.Tensor([512, 128], pypto.{dtype.name}),\n"
        f"           out: pypto.Tensor([512, 128], pypto.{dtype.name})):\n"
        "    pypto.set_vec_tile_shapes(8, 128)\n"
        f"    out[:] = {call}\n"
    )
    file = f"<all-{dtype.short}-{call}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    module = types.ModuleType("all_halves")
    exec(compile(text, file, "exec", dont_inherit=True), module.__dict__)
    return module.kernel


@pytest.mark.parametrize(("name", "dtype"), list(unary()))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_all_values(name, dtype):
    sample = OPS[name].samples[0]
    x = np.arange(65536, dtype=np.uint16).view(numpy_dtype(dtype)).reshape(512, 128)
    out = np.zeros_like(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pypto.PyptoWarning)
        kernel_of(sample.call, dtype)(x, out)
    want = np.array(sample.golden(x.astype(np.float64)), np.float64)
    if name in ("sin", "cos", "tan"):
        want[np.abs(x.astype(np.float64)) > LARGEST_ANGLE] = np.nan
    allowed = 0.501 if sample.ulp else 0.0
    assert ulps(out, want) <= allowed
