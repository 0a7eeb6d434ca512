"""A process that forks while its threads are inside of this package: the child can build and run kernels."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import openpto
import pypto
from openpto import _forks
from openpto.runtime.native import engine, jit

F32, D = pypto.DT_FP32, pypto.DYNAMIC

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]


@pypto.jit
def scaled(x: pypto.Tensor([D, 16], F32), o: pypto.Tensor([D, 16], F32), factor=1.0):
    pypto.set_vec_tile_shapes(4, 16)
    for i in pypto.loop(0, x.shape[0], 4, name="rows", idx_name="i"):
        pypto.assemble(pypto.view(x, [4, 16], [i, 0]) * factor, [i, 0], o)


def works(factor):
    x, o = np.ones((6, 16), np.float32), np.zeros((6, 16), np.float32)
    scaled(x, o, factor)
    return bool(np.all(o == factor))


def in_child(run):
    """The exit code of a child that calls ``run``; it is ended after a minute."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if run() else 2
        finally:
            os._exit(code)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "it hangs"


class Holder:
    """A thread that holds locks until it is told otherwise, or for some seconds."""

    def __init__(self, locks, seconds=60.0):
        self.locks, self.seconds = locks, seconds
        self.held, self.enough = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        for lock in self.locks:
            lock.acquire()
        self.held.set()
        self.enough.wait(self.seconds)
        for lock in self.locks:
            lock.release()

    def __enter__(self):
        self.thread.start()
        assert self.held.wait(30)

    def __exit__(self, *error):
        self.enough.set()
        self.thread.join()


@pytest.fixture(autouse=True)
def native():
    with openpto.configure(engine="native"):
        yield


def test_locks_that_another_thread_holds_are_open_in_the_child():
    assert works(2.0)
    locks = [lock for lock in _forks._opened if lock not in _forks._awaited]
    assert len(locks) > 10
    with Holder(locks):
        assert in_child(lambda: works(3.5)) == 0
    assert works(4.5)


def test_a_fork_waits_for_the_compiler():
    assert works(2.0)
    with Holder(list(_forks._awaited), seconds=0.3):
        begin = time.monotonic()
        assert in_child(lambda: works(5.5)) == 0
        assert time.monotonic() - begin > 0.2
    assert works(6.5)


def test_a_fork_waits_for_code_that_is_freed():
    assert works(2.0)
    pytest.importorskip("llvmlite", reason="needs llvmlite")
    freeing = jit.binding().ffi.lib._lock._lock  # llvmlite's, which nothing of ours is held around
    with Holder([freeing], seconds=0.3):
        assert in_child(lambda: works(7.5)) == 0
    assert works(8.5)


def test_a_fork_takes_its_turn_among_threads_that_compete_for_a_lock():
    lock, stop = _forks.awaited_by_fork(threading.Lock()), threading.Event()

    def holds():
        while not stop.is_set():
            with lock:
                time.sleep(0.002)

    threads = [threading.Thread(target=holds) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        begin = time.monotonic()
        codes = [in_child(lambda: True) for _ in range(10)]
        assert time.monotonic() - begin < 20
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert codes == [0] * 10


def test_forks_while_threads_compile(monkeypatch):
    monkeypatch.setattr(engine, "_KEPT", 2)  # so that threads free machine code, too
    factors = iter(range(10, 1000))
    stop, wrong = threading.Event(), []

    def compiles():
        while not stop.is_set():
            factor = float(next(factors))
            if not works(factor):
                wrong.append(factor)

    threads = [threading.Thread(target=compiles) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        codes = [in_child(lambda: works(0.5)) for _ in range(8)]
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert codes == [0] * 8
    assert not wrong
