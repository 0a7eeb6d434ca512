"""The native engine as a whole: one compilation for all sizes, faults of the machine, signals, threads, fall back."""

import os
import signal
import threading
import time
import warnings

import numpy as np
import pytest

import openpto
import pypto
from openpto.runtime.native import engine, handlers, jit

F32, I32, D = pypto.DT_FP32, pypto.DT_INT32, pypto.DYNAMIC


@pytest.fixture(autouse=True)
def native():
    """Kernels of these tests run natively."""
    with openpto.configure(engine="native"):
        yield


@pypto.frontend.jit
def twice(x: pypto.Tensor([D, D], F32), o: pypto.Tensor([D, D], F32)):
    pypto.set_vec_tile_shapes(4, 16)
    for i in pypto.loop((x.shape[0] + 3) // 4, name="I", idx_name="i"):
        for j in pypto.loop((x.shape[1] + 15) // 16, name="J", idx_name="j"):
            pypto.assemble(pypto.view(x, [4, 16], [i * 4, j * 16]) * 2.0, [i * 4, j * 16], o)


@pypto.frontend.jit
def counts(n: pypto.Tensor([1], I32), o: pypto.Tensor([4, 16], F32)):
    pypto.set_vec_tile_shapes(4, 16)
    for _ in pypto.loop(n[0] * 1000, name="I", idx_name="i"):
        o[:] = o + 1.0


def test_one_compilation_serves_every_size(monkeypatch):
    """Two hundred random sizes, tails and empty tensors included."""
    compiled = []
    plain = jit.compile_text
    monkeypatch.setattr(jit, "compile_text", lambda *args: compiled.append(1) or plain(*args))
    rng = np.random.default_rng(1)
    before = twice.compilations
    for _ in range(200):
        rows, columns = (int(n) for n in rng.integers(0, 50, 2))
        x = rng.standard_normal((rows, columns)).astype(np.float32)
        o = np.full_like(x, -1)
        twice(x, o)
        assert np.array_equal(o, x * 2)
    assert twice.compilations - before <= 1
    assert len(compiled) <= 1
    assert twice.last_run.engine == "native"


def test_an_unknown_operation_falls_back_with_a_warning(monkeypatch):
    """The whole kernel runs on the reference; the warning and the receipt say so."""

    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([4, 16], F32), o: pypto.Tensor([8, 16], F32)):
        pypto.set_vec_tile_shapes(4, 16)
        pypto.assemble(pypto.concat([x, x], 0), [0, 0], o)

    monkeypatch.delitem(handlers.HANDLERS, "concat")
    x, o = np.ones((4, 16), np.float32), np.zeros((8, 16), np.float32)
    with pytest.warns(pypto.PyptoWarning, match="PTO443") as told:
        kernel(x, o)
    assert any("concat" in str(w.message) for w in told)
    assert [w.code for w in kernel.last_run.warnings] == ["PTO443"]
    assert kernel.last_run.engine == "reference"
    assert (o == 1).all()


def test_a_failed_allocation_is_a_coded_stop():
    """Memory that the host does not have."""

    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([D, 16], F32), o: pypto.Tensor([4, 16], F32)):
        pypto.set_vec_tile_shapes(4, 16)
        t = pypto.tensor([x.shape[0] * 1099511627776, 16], F32)
        pypto.assemble(pypto.view(x, [4, 16], [0, 0]), [0, 0], t)
        pypto.assemble(pypto.view(t, [4, 16], [0, 0]), [0, 0], o)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(pypto.PyptoError) as found:
            kernel(np.ones((4, 16), np.float32), np.zeros((4, 16), np.float32))
    assert found.value.code == "PTO442"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
def test_a_signal_stops_a_long_loop():
    """Ctrl-C within half a second; the kernel can be used afterwards."""
    small, o = np.array([0], np.int32), np.zeros((4, 16), np.float32)
    counts(small, o)
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.2, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        counts(np.array([200_000_000], np.int32), o)
    assert time.monotonic() - sent[0] < 0.5
    timer.join()
    o[:] = 0
    counts(np.array([1], np.int32), o)
    assert (o == 1000).all()


def test_threads():
    """Eight threads, each with sizes of its own."""
    wrong = []

    def work(seed):
        rng = np.random.default_rng(seed)
        for _ in range(20):
            x = rng.standard_normal(tuple(rng.integers(1, 40, 2))).astype(np.float32)
            o = np.zeros_like(x)
            with openpto.configure(engine="native"):
                twice(x, o)
            if not np.array_equal(o, x * 2):
                wrong.append(seed)

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []


def test_stages():
    """What ``pypto ir --stage`` prints."""
    x = np.zeros((4, 16), np.float32)
    kernel = twice.lower(x, x.copy())
    assert "vector 16" in engine.stage_text(kernel, "loop") or "vector" in engine.stage_text(kernel, "loop")
    assert "define i64 @kernel" in engine.stage_text(kernel, "llvm")
    assert "kernel:" in engine.stage_text(kernel, "asm")


def test_extremes_of_rows_keep_nan_infinities_and_signs_of_zeros():
    """They are found among integers of the same order: every pair of special values, in every lane position."""
    special = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, -np.nan, 1e-45, -1e-45, 3e38, -3e38], np.float32)
    pairs = np.array([(a, b) for a in special for b in special], np.float32)
    for width in (2, 16, 17, 40):
        x = np.resize(pairs, (len(pairs), width))
        x[:, 1:-1] = x[:, :1]
        x[:, -1] = pairs[:, 1]
        least, greatest = np.empty((len(x), 1), np.float32), np.empty((len(x), 1), np.float32)
        extremes(width)(x, least, greatest)
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(least, np.min(x, 1, keepdims=True))
            np.testing.assert_array_equal(greatest, np.max(x, 1, keepdims=True))
        zeros = (x == 0).all(1)
        np.testing.assert_array_equal(np.signbit(least[zeros, 0]), np.signbit(x[zeros]).any(1))
        np.testing.assert_array_equal(np.signbit(greatest[zeros, 0]), np.signbit(x[zeros]).all(1))


def extremes(width: int):
    tile = -(-width // 8) * 8

    @pypto.frontend.jit
    def kernel(
        x: pypto.Tensor([pypto.DYNAMIC, width], pypto.DT_FP32),
        least: pypto.Tensor([pypto.DYNAMIC, 1], pypto.DT_FP32),
        greatest: pypto.Tensor([pypto.DYNAMIC, 1], pypto.DT_FP32),
    ):
        pypto.set_vec_tile_shapes(16, tile)
        for row in pypto.loop(0, x.shape[0], 16):
            live = (x.shape[0] - row).min(16)
            block = pypto.view(x, [16, width], [row, 0], valid_shape=[live, width])
            pypto.assemble(pypto.amin(block, -1, True), [row, 0], least)
            pypto.assemble(pypto.amax(block, -1, True), [row, 0], greatest)

    return kernel


@pypto.frontend.jit
def placed(x: pypto.Tensor([4, 16], F32), at: pypto.Tensor([1], pypto.DT_INT64), o: pypto.Tensor([8, 16], F32)):
    pypto.set_vec_tile_shapes(4, 16)
    pypto.assemble(x, [at[0], 0], o)


@pytest.mark.parametrize("at", [5, -1, 2**62, 2**63 - 4, 2**63 - 1, -(2**63)])
@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_a_store_whose_end_leaves_64_bits(at):
    """The end of the box is told as it is, and nothing is written outside of the tensor."""
    with pytest.raises(pypto.PyptoError) as caught:
        placed(np.ones((4, 16), np.float32), np.array([at]), np.zeros((8, 16), np.float32))
    assert (caught.value.code, caught.value.fields["low"], caught.value.fields["high"]) == ("PTO452", at, at + 4)


@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
@pytest.mark.parametrize("step", [2, -2, None, 3], ids=str)
@pytest.mark.parametrize("away", [1, 4, 5])
def test_a_loop_whose_next_index_would_leave_64_bits_ends(step, away):
    """``step`` None: known when the kernel runs."""
    int64 = pypto.DT_INT64

    @pypto.frontend.jit
    def kernel(n: pypto.Tensor([3], int64), o: pypto.Tensor([64], I32), count: pypto.Tensor([1], I32)):
        count[0] = 0
        for i in pypto.loop(n[0], n[1], n[2] if step is None else step):
            o[count[0]] = (i - n[0]).max(n[0] - i)
            count[0] = count[0] + 1

    first, last = (-(2**63) + away, -(2**63)) if step == -2 else (2**63 - 1 - away, 2**63 - 1)
    o, count = np.zeros(64, np.int32), np.zeros(1, np.int32)
    kernel(np.array([first, last, 2**62 if step is None else 0], np.int64), o, count)
    want = [abs(i - first) for i in range(first, last, 2**62 if step is None else step)]
    assert o[: count[0]].tolist() == want
