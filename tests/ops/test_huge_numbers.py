"""Ints that no float type holds, beside float tensors: rounded once, infinite where they are too large, never a mistake
of ours."""

import itertools
import linecache
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

import openpto
import pypto
from openpto.ir.dtypes import DataType
from openpto.ops import recording as rec

HUGE = 10**400
_number = itertools.count()
X = np.array([[1.0, -2.0, 0.5, 3.0, 4.0, -5.0, 6.0, 0.0]] * 8, np.float32)
pytestmark = pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")


def run(body):
    """What a kernel with ``out[:] = body`` leaves."""
    text = (
        "import pypto\n\nF, I = pypto.DT_FP32, pypto.DT_INT32\nHUGE = 10**400\n\n\n@pypto.frontend.jit\n"
        "def kernel(x: pypto.Tensor([8, 8], F), n: pypto.Tensor([1], I), out: pypto.Tensor([8, 8], F)):\n"
        "    pypto.set_vec_tile_shapes(8, 8)\n"
        f"    pypto.set_cube_tile_shapes([16, 16], [16, 16], [16, 16])\n    out[:] = {body}\n"
    )
    file = f"<huge-{next(_number)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space = {}
    exec(compile(text, file, "exec"), space)
    out = np.full(X.shape, 7, np.float32)
    space["kernel"](X, np.array([3], np.int32), out)
    return out


@pytest.mark.parametrize(
    ("body", "want"),
    [
        ("x * HUGE", lambda x: x * np.float32(np.inf)),
        ("x - HUGE", lambda x: x - np.float32(np.inf)),
        ("HUGE / x", lambda x: np.float32(np.inf) / x),
        ("pypto.full([8, 8], -HUGE, F)", lambda x: np.full_like(x, -np.inf)),
        ("x + pypto.Element(F, HUGE)", lambda x: x + np.float32(np.inf)),
        ("pypto.minimum(x, HUGE)", lambda x: x),
        ("pypto.where(x > -HUGE, x, HUGE)", lambda x: x),
        ("pypto.clip(x, -HUGE, HUGE)", lambda x: x),
        ("pypto.fillpad(pypto.view(x, [8, 8], [0, 0], valid_shape=[8, 7]), 'constant', HUGE)",
         lambda x: np.where(np.arange(8) < 7, x, np.inf)),
        ("pypto.axpy_(pypto.clone(x), x, HUGE)", lambda x: x + x * np.float32(np.inf)),
    ],
)  # fmt: skip
def test_too_large_is_infinite(body, want):
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(run(body), want(X))


@pytest.mark.parametrize(
    "body", ["x + pypto.arange(HUGE)", "x + pypto.arange(0.0, HUGE)", "x + pypto.arange(1, 9, HUGE)"]
)
def test_a_sequence_has_no_huge_bounds(body):
    with pytest.raises(pypto.PyptoError) as caught:
        run(body)
    assert caught.value.code == "PTO268"


def test_a_scale_is_no_huge_number():
    with pytest.raises(pypto.PyptoError) as caught:
        run("pypto.matmul(x, x, F, extend_params={'scale': HUGE})")
    assert not caught.value.code.startswith("PTO9")


def nearest(value, digits, least_bit):
    """Nearest even with so many significant bits, in exact arithmetic."""
    if value == 0:
        return Fraction(0)
    size = abs(value)
    step = max(size.bit_length() - digits, least_bit)
    unit = Fraction(2) ** step
    return Fraction(round(Fraction(size) / unit)) * unit * (1 if value > 0 else -1)


@pytest.mark.parametrize(
    ("dtype", "host", "digits"),
    [(DataType.DT_FP32, np.float32, 24), (DataType.DT_BF16, ml_dtypes.bfloat16, 8)],
)
def test_ints_beyond_64_bits_are_rounded_once(dtype, host, digits):
    """A tie of the narrow type that a double rounds to is no tie."""
    rng = np.random.default_rng(7)
    values = [
        2**70 + 2**46 + 1,
        2**70 + 2**46 - 1,
        2**70 + 3 * 2**46 - 1,
        2**90 + 2**82 + 1,
        -(2**70) - 2**46 - 1,
        2**64,
    ]
    values += [int(rng.integers(2**62)) << int(rng.integers(10, 50)) | int(rng.integers(2**10)) for _ in range(300)]
    values += [(int(m) << 40) + (1 << 39) + d for m in rng.integers(2**23, 2**24, 100) for d in (-1, 0, 1)]
    for value in values:
        want = nearest(value, digits, -200)
        assert Fraction(float(rec.rounded(value, dtype).value)) == want, value


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("pypto.view(x, [8, 8], [2**64, 0])", "PTO204"),
        ("pypto.view(x, [8, 8], [2**64 + 1, 0])", "PTO204"),
        ("pypto.view(x, [8, 8], [-(2**64), 0])", "PTO204"),
        ("pypto.view(x, [8, 8], [0, 0], valid_shape=[2**64 + 3, 8])", "PTO204"),
        ("x[2**64:2**64 + 8, :]", "PTO204"),
        ("x[HUGE:HUGE + 8, :]", "PTO204"),
        ("pypto.full([8, 8], n[0] + 2**64, F)", "PTO204"),
        ("pypto.view(x, [8, 8], [n[0] * 0 - 2**64, 0])", "PTO204"),
        ("pypto.tril(x, 2**64)", "PTO204"),
    ],
)
def test_scalars_do_not_wrap_to_another_place(body, code, engine):
    """A place of 2^64 was place 0 on the native engine, and nothing was stored on the reference."""
    with openpto.configure(engine=engine), pytest.raises(pypto.PyptoError) as caught:
        run(body)
    assert caught.value.code == code


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_comparisons_with_huge_numbers_have_their_answer(engine):
    with openpto.configure(engine=engine):
        np.testing.assert_array_equal(run("pypto.view(x, [8, 8], [pypto.min(n[0], 2**70) * 0, 0])"), X)
        np.testing.assert_array_equal(run("pypto.view(x, [8, 8], [(n[0] > 2**64) * 8, 0])"), X)


def test_a_factor_that_the_type_cannot_hold_is_refused():
    with pytest.raises(pypto.PyptoError) as caught:
        run("pypto.index_add(x, 0, pypto.arange(8), x, alpha=HUGE)")
    assert caught.value.code == "PTO268"
