"""Operations of two tensors over ranks, broadcast axes and valid regions, against numpy's broadcasting."""

from __future__ import annotations

import linecache
import types
import warnings

import numpy as np
import pytest
from test_conformance import ulps

import pypto
from openpto.ir.dtypes import from_numpy, is_float, numpy_dtype
from openpto.ops import OPS, PUBLIC

SHAPES = [
    ((32,), (32,)),
    ((32,), (1,)),
    ((1,), (32,)),
    ((3, 32), (1, 32)),
    ((3, 1), (1, 32)),
    ((1, 1), (3, 32)),
    ((2, 1, 32), (1, 3, 32)),
    ((2, 3, 32), (2, 1, 1)),
    ((2, 1, 3, 32), (1, 2, 1, 32)),
    ((1, 1, 1, 1), (2, 2, 3, 32)),
]
OF_TWO_RANKS = [((3, 32), (32,)), ((32,), (2, 3, 32)), ((2, 3, 2, 32), (2, 1))]
EQUAL_RANK = {"eq", "ne", "lt", "le", "gt", "ge", "greater", "logical_and", "hypot", "pow"}


def of_two_tensors():
    for name in PUBLIC:
        decl = OPS[name]
        samples = [s for s in decl.samples if s.call == f"pypto.{name}(x, y)" and decl.family in "BC"]
        if samples:
            yield name, samples


CASES = [
    pytest.param(name, sample, pair, id=f"{name}-{pair[0]}-{pair[1]}")
    for name, samples in of_two_tensors()
    for number, pair in enumerate(SHAPES + ([] if name in EQUAL_RANK else OF_TWO_RANKS))
    for sample in [samples[number % len(samples)]]
]


def compiled(text):
    file = f"<broadcast-{hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    module = types.ModuleType("broadcast")
    exec(compile(text, file, "exec", dont_inherit=True), module.__dict__)
    return module.kernel


def declared(name, array):
    return f"{name}: pypto.Tensor({list(array.shape)}, pypto.{from_numpy(array.dtype).name})"


def drawn(sample, pair, seed):
    rng = np.random.default_rng(seed)
    return [np.resize(make(rng).ravel()[16:], shape) for make, shape in zip(sample.arrays.values(), pair, strict=True)]


def golden_of(sample, x, y):
    """The golden on broadcast operands, and the element type of the result."""
    wide = [a.astype(np.float64) if is_float(from_numpy(a.dtype)) else a for a in np.broadcast_arrays(x, y)]
    with np.errstate(all="ignore"):
        exact = np.asarray(sample.golden(*wide))
    plain = np.dtype(np.float32 if exact.dtype == np.float64 else exact.dtype)
    return exact, plain if sample.result is None else numpy_dtype(sample.result)


def close(out, exact, ulp):
    return ulps(out, exact) <= ulp + 1e-6 if is_float(from_numpy(out.dtype)) else np.array_equal(out, exact)


@pytest.mark.parametrize(("name", "sample", "pair"), CASES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_broadcasting(name, sample, pair):
    x, y = drawn(sample, pair, len(name))
    exact, host = golden_of(sample, x, y)
    out = np.zeros(exact.shape, host)
    tile = ", ".join(["2"] * (exact.ndim - 1) + ["32"])
    text = (
        f"import pypto\n\n\n@pypto.frontend.jit\n"
        f"def kernel({declared('x', x)}, {declared('y', y)}, {declared('out', out)}):\n"
        f"    pypto.set_vec_tile_shapes({tile})\n    out[:] = {sample.call}\n"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pypto.PyptoWarning)
        compiled(text)(x, y, out)
    assert close(out, exact, sample.ulp)


@pytest.mark.parametrize("rows", [0, 1, 5, 8])
@pytest.mark.parametrize(("name", "samples"), list(of_two_tensors()), ids=lambda v: v if isinstance(v, str) else "")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_valid_rows_only(name, samples, rows):
    """A tail: a view past the end of the rows is cut; only valid rows are written, none if there are none."""
    sample = samples[-1]
    x, y = drawn(sample, ((8, 32), (8, 32)), rows)
    exact, host = golden_of(sample, x, y)
    out = np.zeros(exact.shape, host)
    params = ", ".join(
        f"{n}: pypto.Tensor([pypto.DYNAMIC, 32], pypto.{from_numpy(a.dtype).name})"
        for n, a in (("x", x), ("y", y), ("out", out))
    )
    text = (
        f"import pypto\n\n\n@pypto.frontend.jit\ndef kernel({params}, rows: int):\n"
        "    pypto.set_vec_tile_shapes(4, 32)\n"
        "    x = pypto.view(x, [8, 32], [0, 0], valid_shape=[rows, 32])\n"
        "    y = pypto.view(y, [8, 32], [0, 0], valid_shape=[rows, 32])\n"
        f"    pypto.assemble({sample.call}, [0, 0], out)\n"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pypto.PyptoWarning)
        compiled(text)(x, y, out, rows)
    assert not rows or close(out[:rows], exact[:rows], sample.ulp)
    assert not out[rows:].astype(np.float64).any()
