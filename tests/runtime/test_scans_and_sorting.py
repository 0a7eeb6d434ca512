"""Scans, positions of extremes, statistics and sorting: order, ties, special values, valid extents, faults."""

import ml_dtypes
import numpy as np
import pytest

from openpto.diagnostics import PyptoError
from openpto.ir.dtypes import DataType
from openpto.ir.enums import TopKAlgo

F32, I32, I64 = DataType.DT_FP32, DataType.DT_INT32, DataType.DT_INT64
rng = np.random.default_rng(11)
NAN, INF = np.nan, np.inf
pytestmark = pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")


def stopped(p, code, **fields):
    with pytest.raises(PyptoError) as caught:
        p.run()
    error = caught.value
    assert error.code == code, str(error)
    assert error.fault
    for name, value in fields.items():
        assert error.fields[name] == value, (name, error.fields[name])


def computed(p, x, record, shape, dtype):
    """What ``record(x)`` leaves in an output that held 7."""
    out = np.full(shape, 7, dtype)
    a, o = p.param("x", x), p.param("o", out)
    result = record(a)
    p.store(result, (0,) * out.ndim, o)
    p.run()
    return out


def cut(p, x, rows, columns, shape):
    """A window on ``x`` of which only the first rows and columns are valid, as values that only the run knows."""
    n = p.param("n", np.array([rows, columns], np.int32))
    return p.view(x, list(shape), [0] * len(shape), valid_shape=[p.read(n, 0), p.read(n, 1)])


# Scans


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_scans_ascend_one_rounding_at_a_time(p, name, axis):
    x = rng.uniform(0.5, 2, (9, 33)).astype(np.float32)
    want = np.moveaxis(x.copy(), axis, 0)
    for k in range(1, len(want)):
        want[k] = want[k - 1] + want[k] if name == "cumsum" else want[k - 1] * want[k]
    got = computed(p, x, lambda a: getattr(p, name)(a, axis), x.shape, np.float32)
    np.testing.assert_array_equal(got, np.moveaxis(want, 0, axis))


@pytest.mark.parametrize("host", [np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_halves_are_scanned_in_fp32(p, name, host):
    x = rng.uniform(0.5, 2, (3, 40)).astype(host)
    wide = x.astype(np.float32)
    for k in range(1, 40):
        wide[:, k] = wide[:, k - 1] + wide[:, k] if name == "cumsum" else wide[:, k - 1] * wide[:, k]
    got = computed(p, x, lambda a: getattr(p, name)(a, 1), x.shape, host)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(got.astype(np.float32), wide.astype(host).astype(np.float32))


@pytest.mark.parametrize("host", [np.int16, np.int32])
def test_integers_are_summed_in_int64(p, host):
    top = np.iinfo(host).max
    x = np.full((2, 16), top, host)
    got = computed(p, x, lambda a: p.cumsum(a, -1), x.shape, np.int64)
    np.testing.assert_array_equal(got, top * np.arange(1, 17, dtype=np.int64) * np.ones((2, 1), np.int64))


def test_a_scan_keeps_minus_zero_and_meets_infinities(p):
    x = np.array([[-0.0, -0.0, 1.0, INF, 1.0, -INF, 3.0, NAN]], np.float32)
    got = computed(p, x, lambda a: p.cumsum(a, 1), x.shape, np.float32)
    np.testing.assert_array_equal(got, [[-0.0, -0.0, 1, INF, INF, NAN, NAN, NAN]])
    np.testing.assert_array_equal(np.signbit(got[0, :2]), True)


def test_a_scan_covers_the_valid_extents(p):
    x = rng.integers(-9, 9, (8, 16)).astype(np.float32)
    got = computed(p, x, lambda a: p.cumsum(cut(p, a, 3, 5, (8, 16)), 1), x.shape, np.float32)
    want = np.full((8, 16), 7, np.float32)
    want[:3, :5] = x[:3, :5].cumsum(1)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(("row", "column", "code"), [(0, 4, None), (0, 5, "PTO401"), (1, 5, None)])
def test_a_scan_spreads_what_is_undefined(p, row, column, code):
    """Row 0 has a hole at column 4 of 8: what stands before it is defined."""
    x = np.ones((2, 8), np.float32)
    out = np.zeros((2, 8), np.float32)
    a, o = p.param("x", x), p.param("o", out)
    t = p.alloc([2, 8], F32)
    p.store(p.view(a, [2, 4], [0, 0]), (0, 0), t)
    p.store(p.view(a, [2, 3], [0, 0]), (0, 5), t)
    p.store(p.view(a, [1, 8], [1, 0]), (1, 0), t)
    scanned = p.cumsum(t, 1)
    p.store(p.view(scanned, [1, column], [row, 0]), (0, 0), o)
    if code is None:
        p.run()
        np.testing.assert_array_equal(out[0, :column], np.arange(1, column + 1))
    else:
        stopped(p, code, index="[0, 4]")


# Positions of extremes


@pytest.mark.parametrize(
    ("row", "greatest", "least"),
    [
        ([1, 3, 3, 2], 1, 0),
        ([2, 2, 2, 2], 0, 0),
        ([1, NAN, 9, NAN], 1, 1),
        ([-0.0, 0.0, -0.0, 0.0], 0, 0),
        ([-INF, INF, INF, -INF], 1, 0),
        ([INF, NAN, -INF, 0], 1, 1),
    ],
)
@pytest.mark.parametrize("host", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_the_first_extreme_counts(p, host, row, greatest, least):
    x, at = np.array([row], host), np.zeros((2, 1), np.int32)
    a, o = p.param("x", x), p.param("o", at)
    p.store(p.argmax(a, -1, True), (0, 0), o)
    p.store(p.argmin(a, -1, True), (1, 0), o)
    p.run()
    assert at[:, 0].tolist() == [greatest, least]


def test_a_search_sees_the_valid_part_only(p):
    x = rng.standard_normal((8, 16)).astype(np.float32)
    x[:, 9] = 100
    got = computed(p, x, lambda a: p.argmax(cut(p, a, 8, 9, (8, 16)), 1), (8,), np.int32)
    np.testing.assert_array_equal(got, x[:, :9].argmax(1))


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_nothing_has_no_extreme(p, name):
    x = np.ones((4, 8), np.float32)
    a, o = p.param("x", x), p.param("o", np.zeros((4, 1), np.int32))
    p.store(getattr(p, name)(cut(p, a, 4, 0, (4, 8)), -1, True), (0, 0), o)
    stopped(p, "PTO464", op=name, axis=1)


def test_no_row_needs_no_extreme(p):
    got = computed(p, np.ones((4, 8), np.float32), lambda a: p.argmax(cut(p, a, 0, 0, (4, 8)), 1, True), (4, 1), "i4")
    np.testing.assert_array_equal(got, 7)


# Statistics


@pytest.mark.parametrize("name", ["var", "rms_norm"])
def test_a_statistic_of_a_cut_axis_stops(p, name):
    x = np.ones((8, 16), np.float32)
    a, o = p.param("x", x), p.param("o", np.zeros((8, 16), np.float32))
    t = cut(p, a, 8, 9, (8, 16))
    p.store(p.var(t, 1, keepdim=True) if name == "var" else p.rms_norm(t), (0, 0), o)
    stopped(p, "PTO465", op=name, axis=1, have=9, extent=16)


def test_a_statistic_of_an_axis_that_is_known_to_be_cut_is_refused(p):
    a = p.param("x", np.ones((8, 16), np.float32))
    with pytest.raises(PyptoError) as caught:
        p.var(p.view(a, [8, 16], [0, 0], valid_shape=[8, 5]), -1)
    assert caught.value.code == "PTO465"
    assert not caught.value.fault


@pytest.mark.parametrize("columns", [16, 5])
def test_the_other_axes_may_be_cut(p, columns):
    x = rng.standard_normal((8, 16)).astype(np.float32)
    got = computed(p, x, lambda a: p.var(cut(p, a, 8, columns, (8, 16)), 0), (16,), np.float32)
    np.testing.assert_allclose(got[:columns], x[:, :columns].astype(np.float64).var(0, ddof=1), rtol=1e-5)
    np.testing.assert_array_equal(got[columns:], 7)


@pytest.mark.parametrize(("correction", "want"), [(1, NAN), (2, NAN), (0, 0.0)])
def test_variance_of_one_element(p, correction, want):
    x = np.full((4, 1), 3, np.float32)
    got = computed(p, x, lambda a: p.var(a, 1, correction), (4,), np.float32)
    np.testing.assert_array_equal(got, np.full(4, want, np.float32))


def test_variance_with_too_few_degrees_of_freedom_is_infinite(p):
    x = rng.standard_normal((4, 2)).astype(np.float32)
    got = computed(p, x, lambda a: p.var(a, 1, 2.5), (4,), np.float32)
    np.testing.assert_array_equal(got, INF)


# Sorting


def numpy_order(x, axis, descending):
    """A stable order in which NaN is the greatest, by comparing whole keys in Python."""
    moved = np.moveaxis(x, axis, -1)
    found = np.empty(moved.shape, np.int32)
    for place in np.ndindex(moved.shape[:-1]):
        row = [float(v) for v in moved[place]]
        key = [(v != v, 0.0 if v != v else v) for v in row]
        by = sorted(range(len(row)), key=lambda i: (key[i],), reverse=False)
        if descending:
            by = sorted(range(len(row)), key=lambda i: (not key[i][0], -key[i][1]))
        found[place] = by
    return np.moveaxis(found, -1, axis)


SPECIAL = np.array([[0.0, -0.0, NAN, 1.0, -INF, INF, NAN, 1.0, -0.0, 0.0, -1.0, INF, 2.0, -2.0, 1.0, 0.0]], np.float32)


@pytest.mark.parametrize("descending", [True, False])
@pytest.mark.parametrize("axis", [0, 1])
def test_argsort_is_stable(p, axis, descending):
    x = np.concatenate([SPECIAL, rng.integers(-2, 3, (7, 16)).astype(np.float32)])
    got = computed(p, x, lambda a: p.argsort(a, axis, descending), x.shape, np.int32)
    np.testing.assert_array_equal(got, numpy_order(x, axis, descending))


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("k", [1, 7, 16])
def test_topk_is_the_head_of_the_stable_order(p, k, largest):
    x = np.concatenate([SPECIAL, rng.integers(-3, 4, (5, 16)).astype(np.float32)])
    values, places = np.zeros((6, k), np.float32), np.zeros((6, k), np.int32)
    a, v, i = p.param("x", x), p.param("v", values), p.param("i", places)
    found, at = p.topk(a, k, -1, largest)
    p.move(found, v)
    p.move(at, i)
    p.run()
    want = numpy_order(x, 1, largest)[:, :k]
    np.testing.assert_array_equal(places, want)
    np.testing.assert_array_equal(values, np.take_along_axis(x, want, 1))
    np.testing.assert_array_equal(np.signbit(values[1:]), np.signbit(np.take_along_axis(x, want, 1)[1:]))


@pytest.mark.parametrize("host", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32])
@pytest.mark.parametrize("largest", [True, False])
def test_topk_of_integers_reaches_the_limits(p, host, largest):
    info = np.iinfo(host)
    x = rng.integers(info.min, info.max, (4, 16), host, endpoint=True)
    x[:, 5], x[:, 9] = info.min, info.max
    got = computed(p, x, lambda a: p.topk(a, 3, largest=largest, algo=TopKAlgo.RADIX_SELECT)[0], (4, 3), host)
    ordered = np.sort(x, 1)
    np.testing.assert_array_equal(got, ordered[:, ::-1][:, :3] if largest else ordered[:, :3])


def test_topk_of_the_valid_extent(p):
    x = rng.permutation(128).reshape(8, 16).astype(np.float32)
    got = computed(p, x, lambda a: p.topk(cut(p, a, 5, 6, (8, 16)), 4)[0], (8, 4), np.float32)
    np.testing.assert_array_equal(got[:5], -np.sort(-x[:5, :6], 1)[:, :4])
    np.testing.assert_array_equal(got[5:], 7)


def test_topk_of_more_than_is_valid_stops(p):
    a, o = p.param("x", np.ones((8, 16), np.float32)), p.param("o", np.zeros((8, 7), np.float32))
    p.move(p.topk(cut(p, a, 8, 6, (8, 16)), 7)[0], o)
    stopped(p, "PTO466", k=7, have=6)


def test_a_row_with_a_hole_is_not_sorted(p):
    x, out = np.ones((2, 8), np.float32), np.zeros((1, 2), np.float32)
    a, o = p.param("x", x), p.param("o", out)
    t = p.alloc([2, 8], F32)
    p.store(p.view(a, [1, 8], [0, 0]), (1, 0), t)
    p.store(p.view(a, [1, 4], [0, 0]), (0, 0), t)
    best = p.topk(t, 2)[0]
    p.store(p.view(best, [1, 2], [1, 0]), (0, 0), o)
    p.run()
    np.testing.assert_array_equal(out, 1)
    p.store(p.view(best, [1, 2], [0, 0]), (0, 0), o)
    stopped(p, "PTO401")
