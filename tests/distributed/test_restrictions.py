"""What the documentation forbids: a code and the author's line, before anything runs."""

import numpy as np
import pytest

import pypto
from pypto import DT_BF16, DT_FP16, DT_FP32, DT_INT8, AtomicType, OpType, PyptoError

D, E = pypto.distributed, pypto.experimental


def memory(dtype=DT_FP32, shape=(8, 16), pes=2, name="tp"):
    return D.create_shmem_tensor(name, pes, dtype, list(shape))


def signals():
    return D.create_shmem_signal("tp", 2)


def of(dtype, shape=(8, 16)):
    return pypto.full(list(shape), 1, dtype)


# name: (call on x FP32 [8, 16], code, words of the message)
REFUSED = {
    "group of no name": (lambda x: memory(name=""), "PTO217", "1 to 127 characters, got 0 characters"),
    "group of 128 characters": (lambda x: memory(name="g" * 128), "PTO217", "got 128 characters"),
    "group by number": (lambda x: D.my_symbolic_pe(3), "PTO217", "got int"),
    "PE of no name": (lambda x: D.my_symbolic_pe(""), "PTO217", "1 to 127"),
    "group of no PEs": (lambda x: memory(pes=0), "PTO217", "n_pes must be at least 1, got 0"),
    "group of -2 PEs": (lambda x: D.create_shmem_signal("tp", -2), "PTO217", "got -2"),
    "group of 2.0 PEs": (lambda x: memory(pes=2.0), "PTO222", "n_pes must be an int"),
    "group of two sizes": (lambda x: (memory(), memory(pes=4)), "PTO217", "is 4 here and 2 earlier"),
    "group of symbolic size": (lambda x: memory(pes=D.my_symbolic_pe("tp")), "PTO234", "n_pes"),
    "memory of rank 1": (lambda x: memory(shape=(16,)), "PTO232", "1"),
    "memory of rank 5": (lambda x: memory(shape=(1, 1, 1, 8, 16)), "PTO232", "5"),
    "memory of no rows": (lambda x: memory(shape=(0, 16)), "PTO235", "0"),
    "memory of symbolic shape": (lambda x: memory(shape=(D.my_symbolic_pe("tp"), 16)), "PTO234", "shape"),
    "memory of no dtype": (lambda x: D.create_shmem_tensor("tp", 2, "fp32", [8, 16]), "PTO222", "DataType"),
    "memory too large": (lambda x: memory(shape=(2**16, 2**16)), "PTO235", "4294967296"),
    "view of a tensor": (lambda x: D.shmem_view(x, [4, 16], [0, 0]), "PTO216", "src must be a ShmemTensor, got Tensor"),
    "view of signals": (lambda x: D.shmem_view(signals(), [1], [0]), "PTO218", "create_shmem_signal"),
    "view of rank 1": (lambda x: D.shmem_view(memory(), [4], [0]), "PTO236", "shape has 1 entries"),
    "view of one offset": (lambda x: D.shmem_view(memory(), [4, 16], [0]), "PTO236", "offsets has 1 entries"),
    "view of symbolic shape": (
        lambda x: D.shmem_view(memory(), [D.my_symbolic_pe("tp"), 16], [0, 0]), "PTO234", "shape"
    ),
    "view of a negative offset": (lambda x: D.shmem_view(memory(), [4, 16], [0]), "PTO236", "offsets"),
    "view valid past its shape": (
        lambda x: D.shmem_view(memory(), [4, 16], [0, 0], valid_shape=[5, 16]), "PTO237", "more than the extent 4"
    ),
    "view without a shape": (lambda x: D.shmem_view(memory(), None, [0, 0]), "PTO222", "shape must be a list"),
    "put into a tensor": (lambda x: D.shmem_put(x, [0, 0], x, 0), "PTO216", "dst must be a ShmemTensor"),
    "put into signals": (lambda x: D.shmem_put(x, [0, 0], signals(), 0), "PTO218", "dst"),
    "put of a number": (lambda x: D.shmem_put(1.0, [0, 0], memory(), 0), "PTO223", "src"),
    "put of INT8": (lambda x: D.shmem_put(of(DT_INT8), [0, 0], memory(DT_INT8), 0), "PTO231", "INT8"),
    "put of rank 1": (lambda x: D.shmem_put(of(DT_FP32, [16]), [0], memory(), 0), "PTO232", "1"),
    "put of another rank": (
        lambda x: D.shmem_put(of(DT_FP32, [1, 8, 16]), [0, 0, 0], memory(), 0), "PTO236", "src has 3 entries"
    ),
    "put at one offset": (lambda x: D.shmem_put(x, [0], memory(), 0), "PTO236", "offsets has 1 entries"),
    "put of another dtype": (lambda x: D.shmem_put(of(DT_FP16), [0, 0], memory(), 0), "PTO228", "FP16"),
    "FP32 added to FP16": (
        lambda x: D.shmem_put(x, [0, 0], memory(DT_FP16), 0, put_op=AtomicType.ADD), "PTO228", "FP32"
    ),
    "FP16 added to BF16": (
        lambda x: D.shmem_put(of(DT_FP16), [0, 0], memory(DT_BF16), 0, put_op=AtomicType.ADD), "PTO228", "BF16"
    ),
    "put by a number": (lambda x: D.shmem_put(x, [0, 0], memory(), 0, put_op=1), "PTO222", "AtomicType"),
    "put to PE 2": (lambda x: D.shmem_put(x, [0, 0], memory(), 2), "PTO268", "dst_pe must be in [0, 2), got 2"),
    "put to PE -1": (lambda x: D.shmem_put(x, [0, 0], memory(), -1), "PTO268", "got -1"),
    "put to PE 0.5": (lambda x: D.shmem_put(x, [0, 0], memory(), 0.5), "PTO222", "dst_pe must be an int"),
    "put after a tensor": (lambda x: D.shmem_put(x, [0, 0], memory(), 0, pred=x), "PTO222", "pred must be a list"),
    "put after a number": (lambda x: D.shmem_put(x, [0, 0], memory(), 0, pred=[1]), "PTO223", "pred"),
    "put by position": (lambda x: D.shmem_put(x, [0, 0], memory(), 0, AtomicType.ADD), "PTO222", "positional"),
    "get of a tensor": (lambda x: D.shmem_get(x, 0), "PTO216", "src"),
    "get of signals": (lambda x: D.shmem_get(signals(), 0), "PTO218", "src"),
    "get from PE 3": (lambda x: D.shmem_get(memory(), 3), "PTO268", "src_pe must be in [0, 2), got 3"),
    "get of a shape without offsets": (lambda x: D.shmem_get(memory(), 0, [4, 16]), "PTO268", "together"),
    "get of rank 3 in tiles of 2": (lambda x: D.shmem_get(memory(shape=(2, 4, 16)), 0), "PTO303", "3"),
    "signal of a tensor": (lambda x: D.shmem_signal(x, 0, 1, target_pe=0), "PTO216", "src"),
    "signal of 1.5": (lambda x: D.shmem_signal(signals(), 0, 1.5, target_pe=0), "PTO222", "signal must be an int"),
    "signal of 2**31": (lambda x: D.shmem_signal(signals(), 0, 2**31, target_pe=0), "PTO268", "INT32"),
    "signal without a target": (lambda x: D.shmem_signal(signals(), 0, 1), "PTO222", "target_pe"),
    "signal to PE -2": (lambda x: D.shmem_signal(signals(), 0, 1, target_pe=-2), "PTO268", "got -2"),
    "signal about PE 7": (lambda x: D.shmem_signal(signals(), 7, 1, target_pe=0), "PTO268", "src_pe"),
    "signal of a part of signals": (
        lambda x: D.shmem_signal(signals(), 0, 1, [1], [0], target_pe=0), "PTO218", "no data"
    ),
    "signal by a number": (lambda x: D.shmem_signal(signals(), 0, 1, target_pe=0, sig_op=0), "PTO222", "sig_op"),
    "wait for less": (lambda x: D.shmem_wait_until(signals(), 0, 1, cmp=OpType.LT), "PTO268", "cmp must be"),
    "wait for a symbol": (lambda x: D.shmem_wait_until(signals(), 0, D.my_symbolic_pe("tp")), "PTO234", "cmp_value"),
    "wait by text": (lambda x: D.shmem_wait_until(signals(), 0, 1, clear_signal="yes"), "PTO222", "clear_signal"),
    "wait for a part of signals": (lambda x: D.shmem_wait_until(signals(), 0, 1, [1], [0]), "PTO218", "no data"),
    "wait for PE 2": (lambda x: D.shmem_wait_until(signals(), 2, 1), "PTO268", "src_pe"),
    "barrier of a tensor": (lambda x: D.shmem_barrier_all(x), "PTO216", "src"),
    "clear signals' data": (lambda x: D.shmem_clear_data(signals()), "PTO218", "src"),
    "clear a tensor": (lambda x: D.shmem_clear_data(x), "PTO216", "src"),
    "clear a part of rank 1": (lambda x: D.shmem_clear_data(memory(), [4], [0]), "PTO236", "shape"),
    "clear signals of a tensor": (lambda x: D.shmem_clear_signal(x), "PTO216", "src"),
    "load of a tensor": (lambda x: E.shmem_load(x, 0), "PTO216", "experimental.shmem_load"),
    "load of signals": (lambda x: E.shmem_load(signals(), 0), "PTO218", "experimental.shmem_load"),
    "store of INT8": (lambda x: E.shmem_store(of(DT_INT8), [0, 0], memory(DT_INT8), 0), "PTO231", "shmem_store"),
}  # fmt: skip


def refusal(call, tile, code):
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([8, 16], DT_FP32), out: pypto.Tensor([8, 16], DT_FP32)):
        if tile:
            pypto.set_vec_tile_shapes(*tile)
        call(x)
        out[:] = x

    with pytest.raises(PyptoError) as caught:
        kernel(np.ones((8, 16), np.float32), np.zeros((8, 16), np.float32))
    assert caught.value.code == code, str(caught.value)
    assert not caught.value.fault
    assert caught.value.site.span.file == __file__
    return " ".join(str(caught.value).replace("|", " ").split())


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_call_is_refused(name):
    call, code, words = REFUSED[name]
    assert words in refusal(call, (8, 16), code)


TILED = {
    "shmem_put": lambda x: D.shmem_put(x, [0, 0], memory(), 0),
    "shmem_get": lambda x: D.shmem_get(memory(), 0),
    "shmem_signal": lambda x: D.shmem_signal(signals(), 0, 1, target_pe=0),
    "shmem_wait_until": lambda x: D.shmem_wait_until(signals(), 0, 1),
    "shmem_store": lambda x: E.shmem_store(x, [0, 0], memory(), 0),
    "shmem_load": lambda x: E.shmem_load(memory(), 0),
}


@pytest.mark.parametrize("name", TILED)
@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_a_vector_tile_must_be_set(name):
    assert name in refusal(TILED[name], (), "PTO301")


@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_a_tile_of_another_rank_than_the_data():
    assert "works on 2 axes" in refusal(TILED["shmem_get"], (1, 8, 16), "PTO303")


@pytest.mark.parametrize("name", ["shmem_put", "shmem_signal", "shmem_wait_until"])
@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_a_tile_with_too_few_values(name):
    calls = {
        "shmem_put": lambda x: D.shmem_put(pypto.unsqueeze(x, 0), [0, 0, 0], memory(shape=(1, 8, 16)), 0),
        "shmem_signal": lambda x: D.shmem_signal(memory(shape=(1, 8, 16)), 0, 1, target_pe=0),
        "shmem_wait_until": lambda x: D.shmem_wait_until(memory(shape=(1, 8, 16)), 0, 1),
    }
    assert "works on 3 axes" in refusal(calls[name], (8, 16), "PTO303")


def test_memory_of_a_loop_is_gone_after_it():
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([8, 16], DT_FP32), out: pypto.Tensor([8, 16], DT_FP32)):
        pypto.set_vec_tile_shapes(8, 16)
        for i in pypto.loop(2):
            m = memory()
        D.shmem_barrier_all(m)
        out[:] = x + 1.0

    with pytest.raises(PyptoError) as caught:
        kernel(np.ones((8, 16), np.float32), np.zeros((8, 16), np.float32))
    assert caught.value.code == "PTO171", str(caught.value)
