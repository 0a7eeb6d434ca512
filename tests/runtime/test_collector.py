"""The garbage collector rests during compilations and is as it was afterwards."""

import gc
import os
import threading

import numpy as np
import pytest

import pypto
from openpto.runtime import collector

T = pypto.Tensor([4, 4], pypto.DT_FP32)


@pytest.fixture(autouse=True)
def enabled():
    gc.enable()
    yield
    gc.enable()


def test_a_kernel_is_traced_without_collections():
    seen = []

    @pypto.frontend.jit
    def kernel(x: T, out: T):
        pypto.set_vec_tile_shapes(4, 4)
        seen.append(gc.isenabled())
        out[:] = x + 1.0

    kernel(np.ones((4, 4), np.float32), np.ones((4, 4), np.float32))
    assert seen == [False]
    assert gc.isenabled()


def test_after_an_error_and_nested():
    @collector.rests
    def fails(depth):
        assert not gc.isenabled()
        if depth:
            fails(depth - 1)
        raise ValueError

    with pytest.raises(ValueError):
        fails(2)
    assert gc.isenabled()


def test_who_switched_it_off_keeps_it_off():
    gc.disable()
    collector.rests(lambda: None)()
    assert not gc.isenabled()


def test_the_last_of_two_threads_switches_it_on():
    inside, leave = threading.Event(), threading.Event()

    @collector.rests
    def waits():
        inside.set()
        leave.wait(10)

    thread = threading.Thread(target=waits)
    thread.start()
    inside.wait(10)
    collector.rests(lambda: None)()
    assert not gc.isenabled()
    leave.set()
    thread.join()
    assert gc.isenabled()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_process_collects():
    @collector.rests
    def forks():
        child = os.fork()
        if child == 0:
            os._exit(0 if gc.isenabled() else 1)
        return os.waitpid(child, 0)[1]

    assert forks() == 0
