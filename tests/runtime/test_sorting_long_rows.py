"""Sorting and selection of rows of many lengths: the compiled engine ranks runs of 64, merges them, and looks for the
k-th key before it sorts."""

import numpy as np
import pytest

from openpto.diagnostics import PyptoError
from openpto.ir.dtypes import DataType
from openpto.ir.enums import TopKAlgo

F32 = DataType.DT_FP32
pytestmark = pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
SPECIAL = np.array([np.nan, -np.nan, 0.0, -0.0, np.inf, -np.inf, 1e-45, -1e-45, 3.4e38, -3.4e38, 1.0], np.float32)


def rows(length, kind):
    """Six rows: all different, few values many times, special values, ascending, descending, all equal."""
    rng = np.random.default_rng(length)
    made = np.empty((6, length), np.float32 if kind is np.float32 else np.float64)
    made[0] = rng.standard_normal(length)
    made[1] = rng.integers(-2, 3, length)
    made[2] = rng.choice(SPECIAL, length)
    made[3] = np.arange(length)
    made[4] = -np.arange(length)
    made[5] = 7
    return made if kind is np.float32 else np.nan_to_num(made * 40).clip(-100, 100).astype(kind)


def order_of(x, descending):
    """Positions by Python's sort, which is stable: a NaN is the greatest, zeros of either sign are equal."""
    found = []
    for row in x.astype(np.float64):
        keys = [(1, 0.0) if v != v else (0, float(v)) for v in row]
        if descending:
            keys = [(-n, -v) for n, v in keys]
        found.append(sorted(range(len(keys)), key=keys.__getitem__))
    return np.array(found)


def topk(p, x, k, largest, algo):
    """Elements and positions, which the program asks for together."""
    values, places = np.zeros((len(x), k), x.dtype), np.full((len(x), k), -1, np.int32)
    a, v, i = p.param("x", x), p.param("v", values), p.param("i", places)
    best, at = p.topk(a, k, -1, largest, algo)
    p.move(best, v)
    p.move(at, i)
    p.run()
    return values, places


@pytest.mark.parametrize(
    ("length", "k"),
    [(1, 1), (16, 3), (63, 62), (64, 64), (65, 64), (65, 65), (128, 65), (129, 128), (300, 8), (1000, 130)],
)
@pytest.mark.parametrize("largest", [True, False])
def test_topk_of_rows_of_any_length(p, length, k, largest):
    x = rows(length, np.float32)
    values, places = topk(p, x, k, largest, TopKAlgo.MERGE_SORT)
    want = order_of(x, largest)[:, :k]
    np.testing.assert_array_equal(places, want)
    taken = np.take_along_axis(x, want, 1)
    np.testing.assert_array_equal(values, taken)
    finite = ~np.isnan(taken)
    np.testing.assert_array_equal(np.signbit(values[finite]), np.signbit(taken[finite]))


@pytest.mark.parametrize("host", [np.int8, np.uint8, np.int32, np.uint32, np.float16])
def test_keys_of_every_width_are_halved(p, host):
    x = np.abs(rows(200, host)) if host in (np.uint8, np.uint32) else rows(200, host)
    if host is not np.float16:
        info = np.iinfo(host)
        x[0, ::7], x[1, 3], x[2, 5] = info.max, info.min, info.max
    values, places = topk(p, x, 20, True, TopKAlgo.RADIX_SELECT)
    want = order_of(x, True)[:, :20]
    np.testing.assert_array_equal(places, want)
    np.testing.assert_array_equal(values, np.take_along_axis(x, want, 1))


@pytest.mark.parametrize("length", [33, 64, 65, 257, 700])
@pytest.mark.parametrize("descending", [True, False])
def test_argsort_of_rows_of_any_length(p, length, descending):
    x = rows(length, np.float32)
    out = np.full(x.shape, -1, np.int32)
    a, o = p.param("x", x), p.param("o", out)
    p.move(p.argsort(a, -1, descending), o)
    p.run()
    np.testing.assert_array_equal(out, order_of(x, descending))


def test_only_the_valid_part_of_a_long_row_is_searched(p):
    x = rows(300, np.float32)
    n, values, places = np.array([201], np.int32), np.zeros((6, 70), np.float32), np.zeros((6, 70), np.int32)
    a, count, v, i = p.param("x", x), p.param("n", n), p.param("v", values), p.param("i", places)
    cut = p.view(a, [6, 300], [0, 0], valid_shape=[6, p.read(count, 0)])
    best, at = p.topk(cut, 70)
    p.move(best, v)
    p.move(at, i)
    p.run()
    want = order_of(x[:, :201], True)[:, :70]
    np.testing.assert_array_equal(places, want)
    np.testing.assert_array_equal(values, np.take_along_axis(x, want, 1))


def test_positions_and_elements_of_different_searches_are_not_mixed(p):
    """The second search asks for the least ones, of the same rows and as many."""
    x = rows(100, np.float32)[:1]
    outs = [np.zeros((1, 5), np.float32), np.zeros((1, 5), np.int32)]
    a, v, i = p.param("x", x), p.param("v", outs[0]), p.param("i", outs[1])
    best, _ = p.topk(a, 5)
    _, least = p.topk(a, 5, -1, False)
    p.move(best, v)
    p.move(least, i)
    p.run()
    np.testing.assert_array_equal(outs[0], np.take_along_axis(x, order_of(x, True)[:, :5], 1))
    np.testing.assert_array_equal(outs[1], order_of(x, False)[:, :5])


def test_rows_with_holes_give_neither_elements_nor_positions(p):
    """The row without a hole gives both, though the search of all rows is one and the masks of both are made later."""
    x = rows(100, np.float32)[:2]
    outs = [np.zeros((1, 5), np.float32), np.zeros((1, 5), np.int32)]
    a, v, i = p.param("x", x), p.param("v", outs[0]), p.param("i", outs[1])
    t = p.alloc([2, 100], F32)
    p.store(p.view(a, [1, 100], [1, 0]), (1, 0), t)
    p.store(p.view(a, [1, 50], [0, 0]), (0, 0), t)
    best, at = p.topk(t, 5)
    p.store(p.view(best, [1, 5], [1, 0]), (0, 0), v)
    p.store(p.view(at, [1, 5], [1, 0]), (0, 0), i)
    p.run()
    want = order_of(x[1:], True)[:, :5]
    np.testing.assert_array_equal(outs[1], want)
    np.testing.assert_array_equal(outs[0], x[1][want])
    p.store(p.view(at, [1, 5], [0, 0]), (0, 0), i)
    with pytest.raises(PyptoError) as caught:
        p.run()
    assert caught.value.code == "PTO401"
