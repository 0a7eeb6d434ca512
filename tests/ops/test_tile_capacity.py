"""The largest vector tile per operation: as measured with the compilers on A2 and A3, elsewhere as documented.

A tile of (rows, 256) of a tensor of that shape is accepted, and one more row is refused with PTO304 at the author's
line, naming the operation that the author called.
"""

import numpy as np
import pytest

import openpto
import pypto
from openpto.device import VectorUse, documented_bytes, least_bytes, scratch_bytes
from pypto import DT_BOOL, DT_FP16, DT_FP32, DT_INT32, PyptoError

COLUMNS = 256
KIB = 1024

# name: (operation on x and y, dtype of x and y, measured rows)
MEASURED = {
    "add": (lambda x, y: pypto.add(x, y), DT_FP32, 96),
    "add FP16": (lambda x, y: pypto.add(x, y), DT_FP16, 192),
    "add a number": (lambda x, y: pypto.add(x, 1.0), DT_FP32, 192),
    "add to itself": (lambda x, y: pypto.add(x, x), DT_FP32, 192),
    "exp": (lambda x, y: pypto.exp(x), DT_FP32, 192),
    "exp FP16": (lambda x, y: pypto.exp(x), DT_FP16, 384),
    "rsqrt": (lambda x, y: pypto.rsqrt(x), DT_FP32, 96),
    "reciprocal": (lambda x, y: pypto.reciprocal(x), DT_FP32, 96),
    "sigmoid": (lambda x, y: pypto.sigmoid(x), DT_FP32, 96),
    "sign": (lambda x, y: pypto.sign(x), DT_FP32, 191),
    "expm1": (lambda x, y: pypto.expm1(x), DT_FP32, 191),
    "round": (lambda x, y: pypto.round(x), DT_FP32, 95),
    "sin": (lambda x, y: pypto.sin(x), DT_FP32, 64),
    "cos": (lambda x, y: pypto.cos(x), DT_FP32, 64),
    "pow": (lambda x, y: pypto.pow(x, y), DT_FP32, 48),
    "log1p": (lambda x, y: pypto.log1p(x), DT_FP32, 79),
    "cast to FP16": (lambda x, y: pypto.cast(x, DT_FP16), DT_FP32, 128),
    "cast to FP32": (lambda x, y: pypto.cast(x, DT_FP32), DT_FP16, 128),
    "cast to INT8": (lambda x, y: pypto.cast(x, pypto.DT_INT8), DT_FP16, 256),
    "cast to INT32": (lambda x, y: pypto.cast(x, DT_INT32), DT_FP32, 192),
    "gt": (lambda x, y: pypto.gt(x, y), DT_FP32, 79),
    "gt a number": (lambda x, y: pypto.gt(x, 0.5), DT_FP32, 143),
    "where": (lambda x, y: pypto.where(x > 0.5, x, y), DT_FP32, 79),
    "eq FP16": (lambda x, y: pypto.eq(x, y), DT_FP16, 143),
    "logical_not": (lambda x, y: pypto.logical_not(x), DT_BOOL, 718),
    "logical_and": (lambda x, y: pypto.logical_and(x, y), DT_BOOL, 381),
    "isfinite": (lambda x, y: pypto.isfinite(x), DT_FP32, 109),
    "sum": (lambda x, y: pypto.sum(x, -1), DT_FP32, 125),
    "amax": (lambda x, y: pypto.amax(x, -1), DT_FP32, 125),
    "sum of columns": (lambda x, y: pypto.sum(x, 0), DT_FP32, 127),
    "sum kept": (lambda x, y: pypto.sum(x, -1, True), DT_FP32, 125),
    "amax of columns": (lambda x, y: pypto.amax(x, 0), DT_FP32, 191),
    "transpose": (lambda x, y: pypto.transpose(x, 0, 1), DT_FP32, 64),
    "transpose FP16": (lambda x, y: pypto.transpose(x, 0, 1), DT_FP16, 128),
    "cumsum": (lambda x, y: pypto.cumsum(x, 0), DT_FP32, 96),
}


def refusal(call, dtype, rows):
    """The error of an operation on tiles of so many rows, or None."""
    shape = [rows, COLUMNS]

    def kernel(x: pypto.Tensor(shape, dtype), y: pypto.Tensor(shape, dtype), out: pypto.Tensor([8, 8], DT_FP32)):
        pypto.set_vec_tile_shapes(*shape)
        call(x, y)
        pypto.set_vec_tile_shapes(8, 8)
        out[:] = pypto.full([8, 8], 1.0, DT_FP32)

    x = np.zeros(shape, {DT_FP32: "f4", DT_FP16: "f2", DT_BOOL: "?"}[dtype])
    try:
        with openpto.configure(platform="910B"):
            pypto.jit(kernel)(x, x.copy(), np.zeros((8, 8), "f4"))
    except PyptoError as error:
        return error
    return None


@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
@pytest.mark.parametrize("name", MEASURED)
def test_largest_tile(name):
    call, dtype, rows = MEASURED[name]
    assert refusal(call, dtype, rows) is None
    error = refusal(call, dtype, rows + 1)
    assert error is not None
    assert error.code == "PTO304"
    assert f" of {name.split()[0]} needs" in str(error).replace("\n", " ").replace("      | ", "")
    assert error.site.span.file == __file__


@pytest.mark.parametrize(
    ("name", "shape", "total"),
    [
        ("acos", (4, 100), 6 * 4 * 128 * 4),
        ("asin", (4, 100), 6 * 4 * 128 * 4),
        ("acosh", (2, 4, 10), 5 * 8 * 16 * 4),
        ("cosh", (4, 10), 3 * 4 * 16 * 4),
        ("sinh", (2, 4, 16), 2 * (4 + 4 - 1) * 16 * 4 + 5 * 2 * 4 * 16 * 4),
        ("asinh", (8,), (1 + 8 - 1) * 8 * 4 + 5 * 8 * 4),
        ("atan", (4, 10), 5 * 40 * 4 + 1),
        ("erf", (4, 10), 5 * 40 * 4 + 1),
        ("erfc", (4, 10), 5 * 40 * 4 + 1),
        ("atan2", (4, 10), 7 * 40 * 4 + 1),
        ("cbrt", (4, 10), 4 * 4 * 16 * 4),
        ("tanh", (4, 16), 2 * 256 + 2 * 16 * 4 * 4 + 2 * 4 + 32 + 1),
        ("signbit", (4, 16), 64 * (4 + 2 + 1) + 1),
        ("isnan", (3, 4, 32), 384 * 4 + 3 * 4 * 32 * 4 + 32 + 1),
        ("logical_not", (4, 16), 64 * 5 + 20 * KIB + 256 + 1),
    ],
)
def test_documented_totals(name, shape, total):
    use = VectorUse(name, shape, 4)
    assert (least_bytes(use) or documented_bytes(use)) == total


def test_powers_by_products_need_no_scratch():
    plain = VectorUse("pow", (8, 16), 4, exponent=2.0)
    assert scratch_bytes(plain) == 0
    assert scratch_bytes(VectorUse("pow", (8, 16), 4, exponent=1.7)) == int(2.375 * 512)
    assert scratch_bytes(VectorUse("pow", (8, 16), 4, exponent=1.7, newest=True)) == 512


@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("var", lambda x: pypto.var(x, 1)),
        ("softmax", lambda x: pypto.softmax(x, -1)),
        ("rms_norm", lambda x: pypto.rms_norm(x)),
        ("sigmoid", lambda x: pypto.sigmoid(x)),
        ("pad", lambda x: pypto.pad(x, [0, 1, 0, 0])),
        ("transpose", lambda x: pypto.transpose(x, 0, 1)),
        ("zeros", lambda x: pypto.zeros(8, 16)),
        ("topk", lambda x: pypto.topk(x, 2)[1]),
        ("pack", lambda x: pypto.pack(x)),
    ],
)
@pytest.mark.parametrize(("tile", "code"), [((), "PTO301"), ((8, 0), "PTO302"), ((8,), "PTO303")])
def test_a_missing_tile_names_what_the_author_called(name, call, tile, code):
    def kernel(x: pypto.Tensor([8, 16], DT_FP32), out: pypto.Tensor([8, 16], DT_FP32)):
        if tile:
            pypto.set_vec_tile_shapes(*tile)
        call(x)
        out[:] = x

    x = np.ones((8, 16), np.float32)
    with pytest.raises(PyptoError) as caught:
        pypto.jit(kernel)(x, np.zeros_like(x))
    assert caught.value.code == code, str(caught.value)
    assert caught.value.fields["op"] == name
