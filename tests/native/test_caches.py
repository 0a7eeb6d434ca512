"""Stores around the caches and fetching ahead: hints, which change no element and appear where they are meant to."""

import machine_code
import numpy as np
import pytest

import pypto
from openpto.ops import arith
from openpto.ops.arith import F32
from openpto.runtime.native import engine, jit
from openpto.runtime.native import loopir as L
from openpto.runtime.native.caches import AHEAD, LARGE, SMALL, streams, with_hints

paths = pytest.mark.parametrize("path", [p for p in machine_code.PATHS if machine_code.runs(p)])
DOUBLE = arith.build(lambda x: x * 2.0, F32)
X, Y = (L.Ptr(f"param{k}", 0, F32) for k in range(2))
ROW = (L.Load("x", X, 1), L.Compute("y", DOUBLE, ("x",)), L.Store(Y, 1, "y"))


def aligned(count, shift):
    """Zeros that begin ``shift`` elements after a line of the caches."""
    raw = np.zeros(count + 48, np.float32)
    first = (-raw.ctypes.data % 64) // 4 + shift
    return raw, raw[first : first + count]


@paths
@pytest.mark.parametrize("shift", [0, 3])
@pytest.mark.parametrize("count", [64, 70, 16, 1])
@pytest.mark.parametrize("wanted", [0, 1])
def test_every_element_and_no_other_is_written(path, shift, count, wanted):
    """Aligned or not, with and without a rest, whether it is wanted or not."""
    x = np.arange(count, dtype=np.float32)
    memory, out = aligned(count, shift)
    fetch = L.Fetch(L.shifted(X, 1 << 40))
    body = (fetch, ROW[0], ROW[1], L.Store(Y, 1, "y", L.Slot("size0")))
    failed, _ = machine_code.call([L.Vector(count, body)], [x, out], (wanted,), path=path)
    assert failed == 0
    np.testing.assert_array_equal(out, x * 2)
    assert np.count_nonzero(memory) == count - 1


def program(body):
    return L.Program("kernel", ("param0", "param1"), ("size0",), 0, tuple(body))


def test_streaming_is_ordered_before_the_end():
    """A program that stores around the caches waits for these stores; others do not."""
    loud = [L.Vector(64, (*ROW[:2], L.Store(Y, 1, "y", 1)))]
    assert streams(loud)
    assert not streams([L.Vector(64, ROW)])
    for path in ("avx512", "avx2"):
        text = engine.llvm_text(engine.Lowered(program(loud), None, (), ()), jit.target(path))
        assert text.count("!nontemporal") == 1
        assert "sse.sfence()" in text
        text = engine.llvm_text(engine.Lowered(program([L.Vector(64, ROW)]), None, (), ()), jit.target(path))
        assert "nontemporal" not in text
        assert "sfence" not in text


def store_of(body):
    """The one store of statements with hints."""
    (found,) = [p for stmt in body if isinstance(stmt, L.Vector) for p in stmt.body if isinstance(p, L.Store)]
    return found


def test_large_results_that_nobody_reads():
    """They go around the caches: known sizes now, others by a slot that the program sets first."""
    loop = (L.Vector(64, ROW),)
    assert store_of(with_hints(loop, {"param1": LARGE})).stream == 1
    assert store_of(with_hints(loop, {"param1": LARGE - 1})).stream == 0
    size = L.mul(L.Slot("size0"), 4)
    first, *rest = with_hints(loop, {"param1": size})
    assert first == L.Set("large.param1", L.binary("ge", size, LARGE))
    assert store_of(rest).stream == L.Slot("large.param1")
    again = L.Vector(64, (L.Load("x", Y, 1), ROW[1], L.Store(X, 1, "y")))
    assert all(store_of([v]).stream == 0 for v in with_hints((*loop, again), {"param1": LARGE}))
    window = L.Point("window", Y)
    assert store_of(with_hints((window, *loop), {"param1": LARGE})).stream == 0


def fetches(body):
    return [p.at for stmt in body if isinstance(stmt, L.Vector) for p in stmt.body if isinstance(p, L.Fetch)]


def test_what_is_fetched():
    """A long loop fetches what it reads later; a loop over rows the next row, during the longest loop over the row at
    hand; only what lies in parameters."""
    names = {"param0": 1 << 20, "param1": 1 << 20}
    assert fetches(with_hints((L.Vector(L.Slot("size0"), ROW),), names)) == [L.shifted(X, AHEAD // 4)]
    assert not fetches(with_hints((L.Vector(L.Slot("size0"), ROW),), {}))
    r = L.Slot("r")
    row, made = L.shifted(X, L.mul(r, 100)), L.Ptr("arena", 0, F32)
    root = arith.build(lambda x: arith.sqrt(arith.sqrt(x)), F32)
    load, last = L.Load("x", row, 1), L.Load("x", made, 1)
    passes = (
        L.Vector(100, (load, ROW[1], L.Store(made, 1, "y"))),
        L.Vector(100, (last, L.Compute("y", root, ("x",)), L.Store(made, 1, "y"))),
        L.Vector(100, (last, ROW[1], ROW[2])),
    )
    (loop,) = with_hints((L.For("r", 0, 9, 1, passes),), names)
    assert [fetches([v]) for v in loop.body] == [[], [L.shifted(X, L.mul(L.add(r, 1), 100))], []]
    (loop,) = with_hints((L.For("r", 0, 9, 1, passes[:1]),), names)
    assert fetches(loop.body) == [L.shifted(X, L.mul(L.add(r, -(-AHEAD // 400)), 100))]


@pypto.frontend.jit
def scaled(x: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_BF16), o: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_BF16)):
    """o = 2 x, 64 rows at a time."""
    pypto.set_vec_tile_shapes(64, 64)
    for row in pypto.loop(0, x.shape[0], 64, name="ROWS", idx_name="row"):
        live = (x.shape[0] - row).min(64)
        pypto.assemble(pypto.view(x, [64, 64], [row, 0], valid_shape=[live, 64]) * 2.0, [row, 0], o)


@pytest.mark.parametrize("rows", [1, 100, LARGE // 128 + 7])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_kernel_with_a_small_and_a_large_result(rows, threads):
    """One compilation serves both; threads too take the flag along."""
    import ml_dtypes

    import openpto

    x = np.arange(rows * 64, dtype=np.int64).astype(np.uint16).reshape(rows, 64) & 0x3FFF
    x = x.view(ml_dtypes.bfloat16)
    out = np.zeros_like(x)
    with openpto.configure(engine="native", threads=threads):
        scaled(x, out)
    np.testing.assert_array_equal(out.view(np.uint16), (x.astype(np.float32) * 2).astype(x.dtype).view(np.uint16))
    assert "around caches if large.param1" in L.text(engine.lower(scaled.lower(x, out)).program)


def test_what_stays_in_a_cache_is_not_fetched():
    """A small parameter of known size."""
    assert not fetches(with_hints((L.Vector(L.Slot("size0"), ROW),), {"param0": SMALL, "param1": 1 << 30}))
    assert fetches(with_hints((L.Vector(L.Slot("size0"), ROW),), {"param0": SMALL + 1}))
