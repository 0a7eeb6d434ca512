"""Random kernels mean what Python says: equal values, or a coded refusal; never something else."""

import linecache
import warnings

import numpy as np
import pytest
from random_programs import Program, as_python

import pypto

X = np.arange(64, dtype=np.float32).reshape(8, 8) / 8 - 3
F, I = pypto.DT_FP32, pypto.DT_INT32
REFUSED_ALTHOUGH_PYTHON_RUNS = {
    "PTO120": "a name that some path leaves unbound, read on that path",
    "PTO121": "the same, found where the paths meet",
    "PTO122": "None and a tensor meet",
    "PTO142": "None and a tensor alternate",
    "PTO145": "a tensor is written under one of two names",
    "PTO146": "a container is changed under one of two names",
    "PTO225": "arithmetic with None on a path that is not taken",
    "PTO404": "a name bound only if a loop runs, read on a path that is not needed",
}


def as_kernel(text, seed):
    """The program as a kernel; its text is known to Python as a notebook cell's would be."""
    name = f"<program {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {"pypto": pypto}
    exec(compile(text, name, "exec"), space)
    function = space["kernel"]
    function.__annotations__ = {
        "x": pypto.Tensor([8, 8], F),
        "n": pypto.Tensor([1], I),
        "out": pypto.Tensor([8, 8], F),
    }
    return pypto.frontend.jit(function)


def outcome(kernel, n):
    """`x` and `out` after the kernel, or the code that refused it."""
    x, out = X.copy(), np.full((8, 8), -777, np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            kernel(x, np.full(1, n, np.int32), out)
        except pypto.PyptoError as error:
            return error.code
        except TypeError as error:  # arithmetic with None is Python's own refusal
            assert "NoneType" in str(error)
            return "TypeError"
    return x, out


@pytest.mark.parametrize("seed", range(40))
def test_program(seed):
    text = Program(seed).text()
    kernel = as_kernel(text, seed)
    for n in (0, 1, 3):
        got = outcome(kernel, n)
        try:
            want = as_python(text, X, n)
        except Exception:
            assert isinstance(got, str), f"accepted, although Python fails\n{text}"
            continue
        if isinstance(got, str):
            assert got in REFUSED_ALTHOUGH_PYTHON_RUNS or got == "TypeError", f"{got}\n{text}"
            return
        for a, b in zip(got, want, strict=True):
            np.testing.assert_array_equal(a, b, err_msg=f"n = {n}\n{text}")
