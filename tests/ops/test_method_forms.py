"""Methods of Tensor do what the functions do; other spellings of keywords are the same parameters."""

import inspect
import re
import warnings

import numpy as np
import pytest
from sample_kernels import compile_kernel

import pypto
from openpto.ir.dtypes import numpy_dtype
from openpto.ops import OPS
from openpto.ops.registry import Sample

FIRST = re.compile(r"^pypto\.(\w+)\((\w+)(?:, |(?=\)))")


def method_call(decl, sample):
    """The sample's call as a method of its first tensor, or None where it has another form."""
    match = FIRST.match(sample.call)
    if match is None or match[1] != decl.name or match[2] not in sample.arrays:
        return None
    return f"{match[2]}.{decl.name}({sample.call[match.end() :]}"


METHODS = {
    decl.name: (sample, call)
    for decl in OPS.values()
    if decl.method
    for sample in decl.samples[:1]
    if (call := method_call(decl, sample)) is not None
}


def outcome(sample, call):
    """What an output holds after ``out[:] = call``."""
    rng = np.random.default_rng(3)
    arrays = {key: make(rng) for key, make in sample.arrays.items()}
    exact = sample.golden(*arrays.values())
    dtype = numpy_dtype(sample.result) if sample.result is not None else exact.dtype
    dtype = np.float32 if dtype == np.float64 else dtype
    out = np.zeros(exact.shape, dtype)
    changed = Sample(call, sample.arrays, sample.golden, tile=sample.tile)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pypto.PyptoWarning)
        compile_kernel(changed, arrays, out)(*arrays.values(), out)
    return out


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_method(name):
    sample, call = METHODS[name]
    np.testing.assert_array_equal(outcome(sample, call), outcome(sample, sample.call))


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("prod", "pypto.prod(self=x, dim=-1, keepdim=True)"),
        ("pad", "pypto.pad(x=x, padding=[0, 8, 0, 4], value=-1.0)"),
        ("permute", "pypto.permute(input_tensor=x, dims=[2, 0, 1])"),
        ("argmax", "pypto.argmax(x, keepdim=True)"),
        ("topk", "x.topk(k=4)[0]"),
        ("var", "pypto.var(x, -1, 1, True)"),
    ],
)
def test_other_spelling(name, call):
    sample = OPS[name].samples[0]
    np.testing.assert_array_equal(outcome(sample, call), outcome(sample, sample.call))


@pytest.mark.parametrize(
    ("body", "golden"),
    [
        ("t = pypto.clone(x)\n    t.tril_(1)\n    out[:] = t", lambda x: np.tril(x, 1)),
        ("t = pypto.clone(x)\n    out[:] = t.triu_() + t", lambda x: 2 * np.triu(x)),
        ("out[:] = x\n    out.triu_(-2)", lambda x: np.triu(x, -2)),
        ("out[:] = x\n    out.fill_(2.5)", lambda x: np.full_like(x, 2.5)),
        ("t = x.copy()\n    t.fill_(3)\n    out[:] = t + x", lambda x: x + 3),
        ("out[:] = x\n    out.index_add_(0, pypto.arange(8), x)", lambda x: 2 * x),
        ("out.assemble(x, [0, 0])", lambda x: x),
    ],
)
def test_in_place(body, golden):
    sample = Sample(body, {"x": lambda rng: rng.standard_normal((8, 16)).astype(np.float32)}, golden)
    x = sample.arrays["x"](np.random.default_rng(3))
    np.testing.assert_array_equal(outcome(sample, body), golden(x))


def test_methods_have_the_signature_of_their_function():
    for name in METHODS:
        assert inspect.signature(getattr(pypto.Tensor, name)) == inspect.signature(getattr(pypto, name))


def test_a_merge_as_a_method():
    sample = OPS["mrgsort"].samples[0]
    assert sample.call == "pypto.mrgsort(pypto.sort32(x), 32)"
    np.testing.assert_array_equal(outcome(sample, "x.sort32().mrgsort(32)"), outcome(sample, sample.call))


def test_methods_without_a_sample_of_this_form_are_known():
    uncovered = {d.name for d in OPS.values() if d.method and d.samples} - set(METHODS)
    assert uncovered <= {"index_add_", "scatter_", "scatter_update", "axpy_", "fillpad", "mrgsort"}
