"""Numbers beside integer tensors that their type cannot hold: told, refused, or a mask of bits."""

import warnings

import numpy as np
import pytest

import openpto
import pypto

I32 = pypto.DT_INT32
X = np.array([[1, -2, 3, 2**31 - 1, -(2**31), 0, 7, 8]], np.int32)


def computed(operation):
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([1, 8], I32), out: pypto.Tensor([1, 8], I32)):
        pypto.set_vec_tile_shapes(1, 8)
        out[:] = operation(x)

    out = np.zeros_like(X)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        kernel(X, out)
    return out, [w.message.code for w in seen if w.message.code != "PTO413"]


@pytest.mark.parametrize(
    ("operation", "want"),
    [
        (lambda x: pypto.maximum(x, 3_000_000_000), np.maximum(X, 3_000_000_000 - 2**32)),
        (lambda x: x + 2**31, (X.astype(np.int64) - 2**31).astype(np.int32)),
        (lambda x: pypto.clip(x, -(2**32) + 1, 5), np.clip(X, 1, 5)),
        (lambda x: pypto.full([1, 8], 2**31, I32), np.full((1, 8), -(2**31))),
    ],
)
def test_the_low_bits_count_and_it_is_told(operation, want):
    out, codes = computed(operation)
    np.testing.assert_array_equal(out, want)
    assert codes == ["PTO649"]


@pytest.mark.parametrize(
    ("operation", "want"),
    [
        (lambda x: pypto.maximum(x, 2**31 - 1), np.full((1, 8), 2**31 - 1)),
        (lambda x: pypto.minimum(x, -(2**31)), np.full((1, 8), -(2**31))),
        (lambda x: pypto.bitwise_and(x, 0xFFFFFFFF), X),
        (lambda x: pypto.bitwise_xor(x, 2**31), X ^ np.int32(-(2**31))),
        (lambda x: pypto.maximum(x, 2.9), np.maximum(X, 2)),
    ],
)
def test_numbers_that_fit_and_masks(operation, want):
    out, codes = computed(operation)
    np.testing.assert_array_equal(out, want)
    assert codes == []


@pytest.mark.parametrize(
    "operation",
    [
        lambda x: pypto.clip(x, 0, float("inf")),
        lambda x: pypto.maximum(x, float("nan")),
        lambda x: pypto.full([1, 8], float("-inf"), I32),
    ],
)
def test_no_integer_is_infinite_or_nan(operation):
    with pytest.raises(TypeError) as raised:
        computed(operation)
    assert raised.value.code == "PTO227"


def test_a_target_refuses():
    with openpto.configure(target="0.3"), pytest.raises(OverflowError) as raised:
        computed(lambda x: x + 2**31)
    assert raised.value.code == "PTO649"
