"""Every available operation: its samples, run through a kernel, against their independent goldens."""

from __future__ import annotations

import warnings

import ml_dtypes
import numpy as np
import pytest
from sample_kernels import compile_kernel

import pypto
from openpto import distributed
from openpto.ir.dtypes import from_numpy, is_float, numpy_dtype
from openpto.ops import OPS, PUBLIC

CASES = [
    pytest.param(name, number, id=f"{name}-{number}") for name in PUBLIC for number in range(len(OPS[name].samples))
]


def ulps(got, want):
    """Greatest distance in units of the last place of the type of `got`; what overflows when rounded counts as inf."""
    info = ml_dtypes.finfo(got.dtype)
    got, rounded = got.astype(np.float64), np.asarray(want).astype(got.dtype).astype(np.float64)
    want = np.asarray(want, np.float64)
    same = (got == want) | (np.isnan(got) & np.isnan(want)) | (np.isinf(got) & (got == rounded))
    _, exponent = np.frexp(np.maximum(np.abs(want), float(info.smallest_normal)))
    unit = np.ldexp(1.0, exponent - 1 - info.nmant)
    return np.where(same, 0.0, np.abs(got - want) / unit).max()


@pytest.mark.parametrize(("name", "number"), CASES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # goldens meet NaN and infinities
def test_sample(name, number):
    sample = OPS[name].samples[number]
    rng = np.random.default_rng(number)
    arrays = {key: make(rng) for key, make in sample.arrays.items()}
    wide = [a.astype(np.float64) if is_float(from_numpy(a.dtype)) else a for a in arrays.values()]
    exact = sample.golden(*(arrays.values() if "view(x, dtype" in sample.call else wide))
    if sample.result is not None:
        dtype = numpy_dtype(sample.result)
    else:
        dtype = np.dtype(np.float32 if exact.dtype == np.float64 else exact.dtype)
    outs = [np.zeros(exact.shape, dtype) for _ in range(sample.ranks or 1)]
    kernel = compile_kernel(sample, arrays, outs[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pypto.PyptoWarning)
        if sample.ranks:
            distributed.launch(lambda rank: kernel(*arrays.values(), outs[rank]), sample.ranks)
        else:
            kernel(*arrays.values(), outs[0])
    for out in outs:
        if is_float(from_numpy(dtype)):
            assert ulps(out, exact) <= sample.ulp + 1e-6
        else:
            assert np.array_equal(out, exact)


def test_every_available_operation_has_a_sample():
    assert [name for name in PUBLIC if OPS[name].status != "missing" and not OPS[name].samples] == []


def test_documentation_names_shapes_dtypes_and_errors():
    for name in PUBLIC:
        decl = OPS[name]
        if decl.record is not None and name != "scatter_":
            for word in ("Shapes:", "Dtypes:", "Errors:"):
                assert word in decl.doc, f"{name} says nothing about {word}"


@pytest.mark.parametrize("name", [n for n in PUBLIC if OPS[n].status == "missing"])
def test_missing_operation_stops_naming_itself(name):
    function = pypto
    for part in name.split("."):
        function = getattr(function, part)
    with pytest.raises(pypto.PyptoError, match="not yet available") as caught:
        function(1, anything=2)
    assert caught.value.code == "PTO902"
    assert name.rpartition(".")[2] in str(caught.value)


def test_declarations_know_their_hardware():
    for name in PUBLIC:
        decl = OPS[name]
        if decl.record is not None:
            assert decl.core in ("vector", "cube", "move"), name
            assert decl.arithmetic is not None, name
