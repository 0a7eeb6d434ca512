"""Selection and updates by index tensors: order of equal indices, rounding, valid extents, faults."""

import ml_dtypes
import numpy as np
import pytest

from openpto.diagnostics import PyptoError
from openpto.ir import expr as ex
from openpto.ir.dtypes import DataType

F32, I32, I64 = DataType.DT_FP32, DataType.DT_INT32, DataType.DT_INT64
HALVES = [np.float16, ml_dtypes.bfloat16]
rng = np.random.default_rng(12)
pytestmark = pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")


def stopped(p, code, **fields):
    with pytest.raises(PyptoError) as caught:
        p.run()
    error = caught.value
    assert error.code == code, str(error)
    assert error.fault
    for name, value in fields.items():
        assert error.fields[name] == value, (name, error.fields[name])


def params(p, **arrays):
    return [p.param(name, array) for name, array in arrays.items()]


def added(x, axis, index, source, alpha=1):
    """The contract, element by element: FP32 steps for 16-bit types, one rounding at the end; integers wrap."""
    work = np.moveaxis(x, axis, 0)
    wide = work.astype(np.float32) if x.dtype.itemsize == 2 and x.dtype.kind != "i" else work.copy()
    parts = np.moveaxis(source, axis, 0).astype(wide.dtype)
    with np.errstate(over="ignore"):
        for k, place in enumerate(index):
            wide[place] = wide[place] + wide.dtype.type(alpha) * parts[k]
    return np.moveaxis(wide.astype(x.dtype), 0, axis)


# index_add


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("host", [np.float32, *HALVES, np.int8, np.int16, np.int32])
def test_index_add_in_the_order_of_the_index(p, host, axis):
    shape = (5, 6, 7)
    integers = np.dtype(host).kind == "i"
    make = (lambda s: rng.integers(-120, 120, s)) if integers else rng.standard_normal
    x, count = make(shape).astype(host), 11
    source = make([count if a == axis else n for a, n in enumerate(shape)]).astype(host)
    index = rng.integers(0, shape[axis], count).astype(np.int64)
    alpha = 3 if integers else 0.75
    want = added(x, axis, index, source, alpha)
    a, i, s = params(p, x=x, i=index, s=source)
    p.index_add_(a, axis, i, s, alpha=alpha)
    p.run()
    np.testing.assert_array_equal(x.astype(np.float64), want.astype(np.float64))


def test_index_add_leaves_its_operand_alone(p):
    x, index, source = np.zeros((4, 8), np.float32), np.array([1, 1, 3], np.int32), np.ones((3, 8), np.float32)
    out = np.zeros_like(x)
    a, i, s, o = params(p, x=x, i=index, s=source, o=out)
    p.move(p.index_add(a, 0, i, s), o)
    p.run()
    np.testing.assert_array_equal(out[:, 0], [0, 2, 0, 1])
    np.testing.assert_array_equal(x, 0)


def test_sums_of_fp32_depend_on_the_order_that_is_promised(p):
    x = np.array([[1e8]], np.float32)
    source = np.array([[1.0], [-1e8], [1.0]], np.float32)
    a, i, s = params(p, x=x, i=np.zeros(3, np.int32), s=source)
    p.index_add_(a, 0, i, s)
    p.run()
    assert x[0, 0] == 1.0


@pytest.mark.parametrize("form", ["index_add_", "index_put_", "scatter_"])
def test_sixteen_bit_sums_are_rounded_once(p, form):
    x = np.array([[2048.0]], np.float16)  # 2048 + 1 is a tie that goes back to 2048 if every step is rounded
    ones = np.ones((4, 1), np.float16)
    a, i, s = params(p, x=x, i=np.zeros((4, 1) if form == "scatter_" else 4, np.int32), s=ones)
    if form == "index_put_":
        p.index_put_(a, [i], s, True)
    elif form == "index_add_":
        p.index_add_(a, 0, i, s)
    else:
        p.scatter_(a, 0, i, s, reduce="add")
    p.run()
    assert x[0, 0] == 2052


@pytest.mark.parametrize(("dtype", "alpha"), [(np.int8, 200), (np.int16, 2**15), (np.float16, 1e6)])
def test_alpha_must_fit(p, dtype, alpha):
    a, i, s = params(p, x=np.ones((2, 4), dtype), i=np.zeros(1, np.int32), s=np.ones((1, 4), dtype))
    with pytest.raises(PyptoError, match="out of the range") as caught:
        p.index_add_(a, 0, i, s, alpha=alpha)
    assert caught.value.code == "PTO268"


@pytest.mark.parametrize("reduce", ["add", "multiply"])
@pytest.mark.parametrize("host", [np.float32, np.float16, np.int8])
@pytest.mark.parametrize("places", [1, 3, 50])
def test_many_updates_of_few_places(p, places, host, reduce):
    integers = np.dtype(host).kind == "i"
    x = np.ones((50, 4), host)
    index = rng.integers(0, places, (50, 4)).astype(np.int32)
    source = (rng.integers(-3, 4, (50, 4)) if integers else rng.uniform(-1.5, 1.5, (50, 4))).astype(host)
    wide = x.astype(host if integers else np.float32)
    with np.errstate(all="ignore"):
        for place in np.ndindex(index.shape):
            old, new = wide[index[place], place[1]], source[place].astype(wide.dtype)
            wide[index[place], place[1]] = old + new if reduce == "add" else old * new
    a, i, s = params(p, x=x, i=index, s=source)
    p.scatter_(a, 0, i, s, reduce=reduce)
    p.run()
    np.testing.assert_array_equal(x, wide.astype(host))


# index_put_


@pytest.mark.parametrize("host", [np.float32, *HALVES, np.int8, np.uint16, np.int64, np.uint64])
@pytest.mark.parametrize("lists", [1, 2, 3])
def test_index_put_the_last_one_stays(p, lists, host):
    shape, length = (4, 5, 6), 9
    x = rng.integers(0, 100, shape).astype(host)
    values = rng.integers(0, 100, (length, *shape[lists:])).astype(host)
    where = [rng.integers(0, 2, length).astype(np.uint8) for _ in range(lists)]
    want = x.copy()
    for k in range(length):
        want[tuple(w[k] for w in where)] = values[k]
    a, v = params(p, x=x, v=values)
    p.index_put_(a, [p.param(f"i{n}", w) for n, w in enumerate(where)], v)
    p.run()
    np.testing.assert_array_equal(x, want)


def test_index_put_out_of_range_names_the_axis(p):
    x, where = np.zeros((4, 5), np.float32), [np.array([0, 3], np.int32), np.array([1, 5], np.int32)]
    a, i, j, v = params(p, x=x, i=where[0], j=where[1], v=np.ones(2, np.float32))
    p.index_put_(a, [i, j], v)
    stopped(p, "PTO454", axis=1, value=5, extent=5, at="[1]")


def test_index_put_writes_what_is_valid(p):
    x, count = np.zeros((8, 4), np.float32), np.array([2], np.int32)
    a, i, v, n = params(p, x=x, i=np.array([6, 1, 99], np.int32), v=np.ones((3, 4), np.float32), n=count)
    some = p.read(n, 0)
    p.index_put_(a, [p.view(i, [3], [0], valid_shape=[some])], p.view(v, [3, 4], [0, 0], valid_shape=[some, 4]))
    p.run()
    assert np.flatnonzero(x[:, 0]).tolist() == [1, 6]


# scatter_update


def test_scatter_update_rows(p):
    x, index = np.zeros((10, 4), np.int16), np.array([[9, 0], [9, 3], [5, 1]], np.int16)
    source = np.arange(24, dtype=np.int16).reshape(6, 4)
    a, i, s = params(p, x=x, i=index, s=source)
    p.scatter_update(a, -2, i, s)
    p.run()
    want = np.zeros((10, 4), np.int16)
    for row, place in zip(source, index.reshape(-1)):
        want[place] = row
    np.testing.assert_array_equal(x, want)


def test_scatter_update_counts_rows_through_blocks(p):
    x, index = np.zeros((3, 4, 1, 8), np.float16), np.array([[11, 4, 2], [0, 7, 8]], np.int64)
    source = rng.standard_normal((2, 3, 1, 8)).astype(np.float16)
    a, i, s = params(p, x=x, i=index, s=source)
    p.scatter_update(a, -2, i, s)
    p.run()
    want = np.zeros((12, 8), np.float16)
    want[index.reshape(-1)] = source.reshape(6, 8)
    np.testing.assert_array_equal(x.reshape(12, 8), want)


@pytest.mark.parametrize("row", [-1, 12])
def test_scatter_update_beyond_the_last_block_stops(p, row):
    index = np.array([[3, row]], np.int32)
    a, i, s = params(p, x=np.zeros((3, 4, 1, 8), np.float32), i=index, s=np.ones((1, 2, 1, 8), np.float32))
    p.scatter_update(a, -2, i, s)
    stopped(p, "PTO454", value=row, extent=12, at="[0, 1]")


# atomic_add


@pytest.mark.parametrize("host", [np.float32, *HALVES, np.int32])
def test_atomic_add_of_blocks_of_parallel_iterations(p, host):
    x, out = rng.integers(-9, 9, (24, 8)).astype(host), np.ones((10, 8), host)
    a, o = params(p, x=x, o=out)
    with p.loop(6, parallel=True) as i:
        p.atomic_add(p.view(a, [4, 8], [ex.binary("mul", i, 4), 0]), [2, 0], o)
    p.run()
    want = np.ones((10, 8))
    want[2:6] += x.astype(np.float64).reshape(6, 4, 8).sum(0)
    np.testing.assert_array_equal(out.astype(np.float64), want)


def test_atomic_add_past_the_end_stops(p):
    a, o = params(p, x=np.ones((4, 8), np.float32), o=np.ones((10, 8), np.float32))
    p.atomic_add(a, [7, 0], o)
    stopped(p, "PTO452", axis=0, low=7, high=11, capacity=10)


# Selection


@pytest.mark.parametrize("host", [np.float32, *HALVES, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.bool_])
@pytest.mark.parametrize(("axis", "shape"), [(0, (4,)), (1, (3, 2)), (2, (5,))])
def test_index_select(p, axis, shape, host):
    x = rng.integers(0, 2, (6, 7, 8)).astype(host)
    index = rng.integers(0, x.shape[axis], shape).astype(np.int32)
    want = np.take(x, index, axis)
    out = np.zeros(want.shape, host)
    a, i, o = params(p, x=x, i=index, o=out)
    p.move(p.index_select(a, axis, i), o)
    p.run()
    np.testing.assert_array_equal(out, want)


def test_index_select_from_and_by_the_valid_part(p):
    x, index = rng.standard_normal((8, 16)).astype(np.float32), np.array([4, 0, 99], np.int32)
    out = np.full((3, 16), 7, np.float32)
    a, i, n, o = params(p, x=x, i=index, n=np.array([2, 5], np.int32), o=out)
    window = p.view(a, [8, 16], [0, 0], valid_shape=[p.read(n, 1), 16])
    p.store(p.index_select(window, 0, p.view(i, [3], [0], valid_shape=[p.read(n, 0)])), (0, 0), o)
    p.run()
    np.testing.assert_array_equal(out, np.concatenate([x[[4, 0]], np.full((1, 16), 7, np.float32)]))


@pytest.mark.parametrize("value", [-1, 5])
def test_index_select_outside_of_the_valid_part_stops(p, value):
    a, i, n, o = params(
        p,
        x=np.ones((8, 16), np.float32),
        i=np.array([0, value], np.int32),
        n=np.array([5], np.int32),
        o=np.zeros((2, 16), np.float32),
    )
    p.move(p.index_select(p.view(a, [8, 16], [0, 0], valid_shape=[p.read(n, 0), 16]), 0, i), o)
    stopped(p, "PTO454", value=value, extent=5, at="[1]")


@pytest.mark.parametrize("value", [-1, 8])
def test_one_hot_of_no_class_stops(p, value):
    a, o = params(p, x=np.array([0, value], np.int8), o=np.zeros((2, 8), np.int64))
    p.move(p.one_hot(a, 8), o)
    stopped(p, "PTO467", value=value, classes=8, at="[1]")


# Triangles and padding


@pytest.mark.parametrize("host", [np.float32, *HALVES, np.int8, np.int16, np.int32, np.uint16, np.uint32])
@pytest.mark.parametrize("diagonal", [-9, -2, 0, 3, 99, 2**40])
def test_triangles_by_a_symbol(p, diagonal, host):
    x = rng.integers(1, 9, (2, 5, 7)).astype(host)
    low, high = np.zeros_like(x), np.zeros_like(x)
    a, n, lo, hi = params(p, x=x, n=np.array([diagonal], np.int64), lo=low, hi=high)
    symbol = p.read(n, 0)
    p.move(p.tril(a, symbol), lo)
    p.move(p.triu(a, symbol), hi)
    p.run()
    wide = x.astype(np.float64)
    reach = max(min(diagonal, 50), -50)
    np.testing.assert_array_equal(low.astype(np.float64), np.tril(wide, reach))
    np.testing.assert_array_equal(high.astype(np.float64), np.triu(wide, reach))


def test_a_triangle_drops_nan(p):
    x = np.full((4, 4), np.nan, np.float32)
    a, o = params(p, x=x, o=np.ones((4, 4), np.float32))
    p.move(p.tril(a, -1), o)
    p.run()
    assert not np.isnan(p.arrays[1][np.triu_indices(4)]).any()


def test_padding_follows_the_valid_elements(p):
    x, out = rng.standard_normal((6, 8)).astype(np.float32), np.full((8, 12), 7, np.float32)
    a, n, o = params(p, x=x, n=np.array([3, 5], np.int32), o=out)
    window = p.view(a, [6, 8], [0, 0], valid_shape=[p.read(n, 0), p.read(n, 1)])
    p.store(p.pad(window, [0, 4, 0, 2], value=-1.0), (0, 0), o)
    p.run()
    want = np.full((8, 12), 7, np.float32)
    want[:5, :9] = -1
    want[:3, :5] = x[:3, :5]
    np.testing.assert_array_equal(out, want)


# Every second element, bytes


@pytest.mark.parametrize("pattern", range(1, 8))
@pytest.mark.parametrize("columns", [0, 1, 6, 15, 16])
def test_patterns_pick_from_the_valid_part(p, pattern, columns):
    x = rng.standard_normal((3, 16)).astype(np.float32)
    start, step = {1: (0, 2), 2: (1, 2), 3: (0, 4), 4: (1, 4), 5: (2, 4), 6: (3, 4), 7: (0, 1)}[pattern]
    out = np.full((3, 16 // step), 7, np.float32)
    a, n, o = params(p, x=x, n=np.array([columns], np.int32), o=out)
    p.store(p.gathermask(p.view(a, [3, 16], [0, 0], valid_shape=[3, p.read(n, 0)]), pattern), (0, 0), o)
    p.run()
    picked = x[:, :columns][:, start::step]
    np.testing.assert_array_equal(out[:, : picked.shape[1]], picked)
    np.testing.assert_array_equal(out[:, picked.shape[1] :], 7)


@pytest.mark.parametrize("columns", [0, 3, 5, 8])
def test_both_halves_of_what_is_valid_are_merged(p, columns):
    x, y = rng.standard_normal((2, 3, 8)).astype(np.float32)
    first, second = np.full((3, 8), 7, np.float32), np.full((3, 8), 7, np.float32)
    a, b, n, f, s = params(p, x=x, y=y, n=np.array([columns], np.int32), f=first, s=second)
    count = p.read(n, 0)
    left, right = p.interleave(*[p.view(v, [3, 8], [0, 0], valid_shape=[3, count]) for v in (a, b)])
    p.store(left, (0, 0), f)
    p.store(right, (0, 0), s)
    p.run()
    both = np.full((3, 16), 7, np.float32)
    both[:, : 2 * columns] = np.stack([x[:, :columns], y[:, :columns]], -1).reshape(3, -1)
    np.testing.assert_array_equal(np.concatenate([first, second], 1), both)


@pytest.mark.parametrize("host", [np.float16, ml_dtypes.bfloat16, np.float32, np.int16, np.uint32, np.int64])
def test_bytes_there_and_back(p, host):
    x = rng.integers(-99, 99, (4, 8)).astype(host)
    count = x.size * x.dtype.itemsize
    packed, back = np.zeros(count, np.uint8), np.zeros(x.size, host)
    a, q, b = params(p, x=x, q=packed, b=back)
    row = p.pack(a)
    p.move(row, q)
    p.move(p.unpack(row, a.type.dtype), b)
    p.run()
    np.testing.assert_array_equal(packed, np.frombuffer(x.astype(x.dtype.newbyteorder("<")).tobytes(), np.uint8))
    np.testing.assert_array_equal(back, x.reshape(-1))
