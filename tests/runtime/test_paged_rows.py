"""Rows of a paged store: windows on it, rows outside of them, and faults."""

import numpy as np
import pytest

import pypto
from pypto import DT_FP32, DT_INT32, DYNAMIC, PyptoError

F, I = DT_FP32, DT_INT32


@pypto.frontend.jit
def through_a_window(x: pypto.Tensor([DYNAMIC, 16], F), i: pypto.Tensor([1, 6], I), t: pypto.Tensor([1, 4], I),
                     n: pypto.Tensor([2], I), out: pypto.Tensor([6, 8], F)):  # fmt: skip
    pypto.set_vec_tile_shapes(8, 16)
    window = pypto.view(x, [8, 8], [n[0], 4])
    tokens = pypto.view(i, [1, 6], [0, 0], valid_shape=[1, n[1]])
    rows = pypto.experimental.gather_in_ub(window, tokens, t, 4, -2)
    pypto.assemble(rows, [0, 0], out)


def arguments(tokens, table, start=0, count=6):
    x = np.arange(24 * 16, dtype=np.float32).reshape(24, 16)
    return x, np.array([tokens], np.int32), np.array([table], np.int32), np.array([start, count], np.int32)


def test_rows_inside_of_the_window():
    x, i, t, n = arguments([7, 0, 3, 4, 5, 5], [1, 0, 9, 9], 2, 5)
    out = np.full((6, 8), -1, np.float32)
    through_a_window(x, i, t, n, out)
    np.testing.assert_array_equal(out[:5], x[[5, 6, 9, 2, 3]][:, 4:12])
    assert (out[5] == -1).all()


def test_rows_outside_of_the_window_come_from_the_tensor_with_a_warning():
    x, i, t, n = arguments([0, 4, 8, 9, 1, 12], [3, 5, 0, 1], 1)
    out = np.zeros((6, 8), np.float32)
    with pytest.warns(pypto.PyptoWarning, match="PTO435"):
        through_a_window(x, i, t, n, out)
    np.testing.assert_array_equal(out, x[[13, 21, 1, 2, 14, 5]][:, 4:12])


@pytest.mark.parametrize(
    ("tokens", "table", "words"),
    [
        ([0, 1, 16, 0, 0, 0], [0, 0, 0, 0], "token 16, number 2 of the indices, leads to block 4"),
        ([0, -1, 0, 0, 0, 0], [0, 0, 0, 0], "token -1, number 1 of the indices, leads to block -1"),
        ([0, -5, 0, 0, 0, 0], [0, 0, 0, 0], "leads to block -2"),
        ([4, 0, 0, 0, 0, 0], [0, 6, 0, 0], "token 4, number 0 of the indices, leads to row 25"),
        ([4, 0, 0, 0, 0, 0], [0, -1, 0, 0], "leads to row -3"),
    ],
)
@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_rows_that_are_nowhere(tokens, table, words):
    with pytest.raises(PyptoError) as caught:
        through_a_window(*arguments(tokens, table, 1), np.zeros((6, 8), np.float32))
    assert caught.value.code == "PTO468"
    assert words in " ".join(str(caught.value).replace("|", " ").split())


@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_rows_before_the_window_lie_in_the_tensor():
    x, i, t, n = arguments([0, 1, 2, 3, 0, 1], [-1, 0, 0, 0], 5)
    out = np.zeros((6, 8), np.float32)
    through_a_window(x, i, t, n, out)
    np.testing.assert_array_equal(out, x[[1, 2, 3, 4, 1, 2]][:, 4:12])


@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_a_changed_window_shows_its_own_rows():
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([16, 8], F), i: pypto.Tensor([1, 4], I), t: pypto.Tensor([1, 2], I),
               out: pypto.Tensor([4, 8], F)):  # fmt: skip
        pypto.set_vec_tile_shapes(8, 16)
        window = pypto.view(x, [4, 8], [4, 0])
        window[0:2, :] = pypto.full([2, 8], -5.0, F)
        out[:] = pypto.experimental.gather_in_ub(window, i, t, 4, -2)

    x = np.arange(128, dtype=np.float32).reshape(16, 8)
    out = np.zeros((4, 8), np.float32)
    kernel(x, np.array([[0, 3, 4, 7]], np.int32), np.array([[0, 2]], np.int32), out)
    assert (out[0] == -5).all()
    np.testing.assert_array_equal(out[1:], x[[7, 12, 15]])


@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_undefined_rows_stay_undefined():
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([4, 8], F), i: pypto.Tensor([1, 3], I), out: pypto.Tensor([3, 8], F)):
        pypto.set_vec_tile_shapes(8, 16)
        store = pypto.tensor([8, 8], F)
        pypto.assemble(x, [0, 0], store)
        table = pypto.zeros(1, 1, dtype=I)
        out[:] = pypto.experimental.gather_in_ub(store, i, table, 8, -2)

    x = np.arange(32, dtype=np.float32).reshape(4, 8)
    out = np.zeros((3, 8), np.float32)
    kernel(x, np.array([[3, 0, 1]], np.int32), out)
    np.testing.assert_array_equal(out, x[[3, 0, 1]])
    with pytest.raises(PyptoError) as caught:
        kernel(x, np.array([[3, 4, 1]], np.int32), out)
    assert caught.value.code == "PTO401"
