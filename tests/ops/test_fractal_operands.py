"""Operands in NZ: a mark of layout that changes no value, what keeps it, and what a product asks for."""

import ml_dtypes
import numpy as np
import pytest

import pypto
from pypto import DT_FP16, DT_FP32, PyptoError

NZ = pypto.TileOpFormat.TILEOP_NZ
E4M3, E8M0 = pypto.DT_FP8E4M3, pypto.DT_FP8E8M0
pytestmark = pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")


def product(body, shape=(2, 32, 64)):
    """A kernel that multiplies x [32, 32] by what `body` makes of w, in FP16."""

    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([32, 32], DT_FP16), w: pypto.Tensor(list(shape), DT_FP16, format=NZ),
               out: pypto.Tensor([32, 64], DT_FP32)):  # fmt: skip
        pypto.set_vec_tile_shapes(2, 32, 64)
        pypto.set_cube_tile_shapes([32, 32], [32, 32], [32, 32])
        out[:] = pypto.matmul(x, body(w), DT_FP32)

    rng = np.random.default_rng(0)
    x = rng.integers(-4, 5, (32, 32)).astype(np.float16)
    w = rng.integers(-4, 5, shape).astype(np.float16)
    out = np.zeros((32, 64), np.float32)
    kernel(x, w, out)
    return x.astype(np.float64), w.astype(np.float64), out


def test_values_are_those_of_the_logical_order():
    x, w, out = product(lambda w: w, (32, 64))
    np.testing.assert_array_equal(out, x @ w)


@pytest.mark.parametrize(
    ("body", "first"),
    [(pypto.clone, 0), (lambda w: pypto.view(w, [32, 64], [32, 0]), 32), (lambda w: w[32:64, :], 32)],
    ids=["clone", "view", "slice"],
)
def test_copies_and_windows_keep_the_layout(body, first):
    seen = []

    def kept(w):
        made = body(w)
        seen.append(made.format)
        return pypto.view(made, [32, 64], [0, 0])

    x, w, out = product(kept, (64, 64))
    assert seen == [NZ]
    np.testing.assert_array_equal(out, x @ w[first : first + 32])


def test_a_reshaped_operand_needs_its_size():
    def flat(w):
        return pypto.view(pypto.reshape(w, [64, 64]), [32, 64], [0, 0])

    def direct(w):
        return pypto.reshape(pypto.view(w, [1, 32, 64], [1, 0, 0]), [32, 64])

    def sized(w):
        pypto.set_matrix_size([32, 32, 64])
        return direct(w)

    x, w, out = product(sized)
    np.testing.assert_array_equal(out, x @ w[1])
    x, w, out = product(flat)  # the product sees a view, not the reshape
    np.testing.assert_array_equal(out, x @ w[0])
    with pytest.raises(PyptoError, match="after reshape needs") as caught:
        product(direct)
    assert caught.value.code == "PTO276"


@pytest.mark.parametrize("size", [[32, 32], [32, 0, 64]])
def test_a_size_has_three_numbers(size):
    def sized(w):
        pypto.set_matrix_size(size)
        return w

    with pytest.raises(PyptoError, match="three positive numbers") as caught:
        product(sized, (32, 64))
    assert caught.value.code == "PTO276"


@pytest.mark.parametrize("sized", [False, True])
def test_batches_of_scaled_products(sized):
    @pypto.frontend.jit
    def kernel(a: pypto.Tensor([2, 32, 64], E4M3, format=NZ), b: pypto.Tensor([2, 64, 32], E4M3),
               sa: pypto.Tensor([32, 1, 2], E8M0), sb: pypto.Tensor([1, 32, 2], E8M0),
               out: pypto.Tensor([2, 32, 32], DT_FP32)):  # fmt: skip
        pypto.set_vec_tile_shapes(1, 32, 64)
        pypto.set_cube_tile_shapes([32, 32], [64, 64], [32, 32])
        if sized:
            pypto.set_matrix_size([32, 64, 32])
        out[:] = pypto.scaled_mm(a, b, DT_FP32, sa, sb)

    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, n).astype(ml_dtypes.float8_e4m3fn) for n in ((2, 32, 64), (2, 64, 32)))
    sa, sb = (np.full(n, 2, ml_dtypes.float8_e8m0fnu) for n in ((32, 1, 2), (1, 32, 2)))
    out = np.zeros((2, 32, 32), np.float32)
    if sized:
        kernel(a, b, sa, sb, out)
        np.testing.assert_array_equal(out, 4 * (a.astype("f8") @ b.astype("f8")))
        return
    with pytest.raises(PyptoError, match="with 3 axes needs") as caught:
        kernel(a, b, sa, sb, out)
    assert caught.value.code == "PTO276"
