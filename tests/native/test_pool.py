"""The pool: every chunk runs exactly once, whoever calls, after a fork, and at the end of the interpreter."""

import ctypes
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import openpto
import pypto
from openpto.runtime.native import jit, later, parallel, pool, pool_code

D = pypto.DYNAMIC

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the pool needs POSIX threads")

WORK = """
define void @chunk(ptr %context, i64 %chunk, ptr %arena, ptr %deadline) {
entry:
  %offset = add i64 %chunk, 1
  %at = getelementptr i64, ptr %context, i64 %offset
  %old = load i64, ptr %at
  store i64 %chunk, ptr %arena
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %x = phi i64 [ %old, %entry ], [ %y, %loop ]
  %scaled = mul i64 %x, 6364136223846793005
  %y = add i64 %scaled, %chunk
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 3000
  br i1 %more, label %loop, label %out
out:
  %kept = load i64, ptr %arena
  %right = icmp eq i64 %kept, %chunk
  %result = select i1 %right, i64 %y, i64 -1
  store i64 %result, ptr %at
  ret void
}
"""


@pytest.fixture(scope="module")
def region():
    """Runs the chunks of a region on a number of threads; what each chunk computed."""
    linked = jit.link_module(WORK, jit.target(), ("chunk",))
    arguments = [ctypes.c_void_p] * 3 + [ctypes.c_int64] * 3 + [ctypes.c_void_p] * 3
    together = ctypes.CFUNCTYPE(ctypes.c_int64, *arguments)(pool.code().addresses["openpto_parallel"])

    def run(threads, chunks=40):
        context, arena, record = (ctypes.c_int64 * (chunks + 1))(), (ctypes.c_int64 * 512)(), (ctypes.c_int64 * 64)()
        never = ctypes.c_uint64(2**64 - 1)
        address, function = pool.shared().address, linked.addresses["chunk"]
        stopped = together(address, function, context, chunks, threads, 4096, arena, ctypes.addressof(never), record)
        assert stopped == 0
        return list(context)[1:]

    run.keep = linked
    return run


def expected(chunk):
    """What a chunk computes, with Python's integers."""
    x = 0
    for _ in range(3000):
        x = (x * 6364136223846793005 + chunk) % 2**64
    return x - 2**64 if x >= 2**63 else x


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("chunks", [0, 1, 2, 40])
def test_every_chunk_runs_once(region, threads, chunks):
    assert region(threads, chunks) == [expected(c) for c in range(chunks)]


def test_more_chunks_than_a_ticket_ever_holds(region):
    assert region(3, pool_code.MOST_CHUNKS)[-1] == expected(pool_code.MOST_CHUNKS - 1)


def test_many_callers_share_the_pool(region):
    wanted = [expected(c) for c in range(40)]
    wrong = []

    def caller(number):
        for k in range(30):
            if region(1 + (number + k) % 5) != wanted:
                wrong.append(number)

    callers = [threading.Thread(target=caller, args=(n,)) for n in range(pool_code.SLOTS + 4)]
    for c in callers:
        c.start()
    for c in callers:
        c.join()
    assert not wrong
    assert len(pool.shared().workers) >= 4


def test_workers_that_sleep_are_woken(region):
    wanted = [expected(c) for c in range(40)]
    for _ in range(3):
        time.sleep(0.01)
        assert region(3) == wanted


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_has_workers_of_its_own(region):
    wanted = region(3)
    child = os.fork()
    if child == 0:
        right = region(3) == wanted and pool.shared().process == os.getpid() and len(pool.shared().workers) == 2
        os._exit(0 if right else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert region(3) == wanted


def test_the_interpreter_ends_with_parked_workers():
    program = "from openpto.runtime.native import pool; p = pool.shared(); p.grow(4); print(len(p.workers))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "3\n", "")


def test_without_more_threads_the_caller_does_the_rest(region, monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    fresh = pool.Pool()
    fresh.grow(4)
    assert fresh.workers == []


@pytest.fixture
def doubles(monkeypatch):
    """Whether a kernel of one loop is right for a number of rows and threads; its regions are shared as they are
    outside of tests."""
    monkeypatch.setattr(later, "_free", {})
    monkeypatch.setattr(parallel, "LEAST_REGION", 60_000)
    monkeypatch.setattr(parallel, "LEAST_CHUNK", 4_000)

    @pypto.jit
    def doubled(x: pypto.Tensor([D, 64], pypto.DT_FP32), o: pypto.Tensor([D, 64], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(8, 64)
        for i in pypto.loop(0, x.shape[0], 8, name="rows", idx_name="i"):
            pypto.assemble(pypto.view(x, [8, 64], [i, 0]) * 2.0, [i, 0], o)

    def run(rows, threads=3):
        x = np.ones((rows, 64), np.float32)
        o = np.zeros_like(x)
        with openpto.configure(engine="native", threads=threads):
            doubled(x, o)
        return bool(np.all(o == 2))

    return run


@pytest.mark.parametrize(
    ("rows", "threads", "posix", "asked"),
    [(32, 3, True, 0), (20_000, 3, True, 1), (20_000, 1, True, 0), (20_000, 3, False, 0)],
)
def test_the_pool_is_made_for_the_first_region_that_is_worth_it(monkeypatch, doubles, rows, threads, posix, asked):
    calls = []
    monkeypatch.setattr(pool, "THREADS", posix)
    monkeypatch.setattr(pool, "shared", lambda made=pool.shared: (calls.append(1), made())[1])
    assert doubles(rows, threads)
    assert doubles(rows, threads)
    assert len(calls) == asked


@pytest.mark.parametrize("error", [KeyboardInterrupt("stop"), MemoryError()])
def test_what_keeps_the_pool_from_being_made_ends_the_call(monkeypatch, doubles, error):
    def refuse():
        raise error

    with monkeypatch.context() as failing:
        failing.setattr(pool, "shared", refuse)
        with pytest.raises(type(error)) as raised:
            doubles(20_000)
    assert raised.value is error
    assert doubles(20_000)


def test_the_wanted_threads_follow_the_setting(monkeypatch):
    import openpto

    monkeypatch.delenv("PYPTO_NUM_THREADS", raising=False)
    assert pool.wanted() == pool.processors()
    with openpto.configure(threads=3):
        assert pool.wanted() == 3
    monkeypatch.setenv("PYPTO_NUM_THREADS", "7")
    assert pool.wanted() == 7
    monkeypatch.setenv("PYPTO_NUM_THREADS", "many")
    with pytest.raises(ValueError, match="PTO295"):
        pool.wanted()
    with pytest.raises(ValueError, match="PTO294"):
        openpto.configure(threads=0)
