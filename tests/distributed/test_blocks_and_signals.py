"""Blocks that are cut, signals of blocks, and what ranks agree on."""

import ml_dtypes
import numpy as np
import pytest

import openpto
import pypto
from openpto import distributed
from pypto import DT_BF16, DT_FP32, DT_INT32, PyptoError

D = pypto.distributed
pytestmark = pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
RANKS = 4


def run_ranks(count, work):
    return distributed.launch(work, count)


def alone(kernel, *tensors):
    """A group of one PE."""
    run_ranks(1, lambda rank: kernel(*tensors))


def ones(*shape):
    return np.ones(shape, np.float32)


def test_every_rank_gives_its_block_to_the_next():
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([4, 8], DT_FP32), out: pypto.Tensor([4, 8], DT_FP32)):
        pypto.set_vec_tile_shapes(4, 8)
        ring = D.create_shmem_tensor("ring", RANKS, DT_FP32, [4, 8])
        me = D.my_symbolic_pe("ring")
        sent = D.shmem_put(x, [0, 0], ring, (me + 1) % RANKS)
        told = D.shmem_signal(ring, me, 1, target_pe=(me + 1) % RANKS, pred=[sent])
        came = D.shmem_wait_until(ring, (me + RANKS - 1) % RANKS, 1, pred=[told])
        out[:] = D.shmem_get(ring, me, pred=[came])

    def work(rank):
        out = np.zeros((4, 8), np.float32)
        kernel(ones(4, 8) * rank, out)
        return out

    for rank, out in enumerate(run_ranks(RANKS, work)):
        np.testing.assert_array_equal(out, ones(4, 8) * ((rank - 1) % RANKS))


@pytest.mark.parametrize("rounds", [1, 3])
def test_sum_over_all_ranks(rounds):
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([2, 16], DT_BF16), out: pypto.Tensor([2, 16], DT_FP32)):
        pypto.set_vec_tile_shapes(2, 16)
        total = D.create_shmem_tensor("tp", RANKS, DT_FP32, [2, 16])
        D.shmem_clear_data(total)
        D.shmem_barrier_all(total)
        for _ in pypto.loop(rounds):
            for pe in range(RANKS):
                D.shmem_put(x, [0, 0], total, pe, put_op=pypto.AtomicType.ADD)
            D.shmem_barrier_all(total)
        out[:] = D.shmem_get(total, D.my_symbolic_pe("tp"))

    def work(rank):
        out = np.zeros((2, 16), np.float32)
        kernel((ones(2, 16) * (rank + 1)).astype(ml_dtypes.bfloat16), out)
        return out

    for out in run_ranks(RANKS, work):
        np.testing.assert_array_equal(out, ones(2, 16) * rounds * 10)


def test_halves_are_added_in_fp32_and_rounded():
    @pypto.frontend.jit
    def kernel(
        x: pypto.Tensor([2, 16], DT_BF16), y: pypto.Tensor([2, 16], DT_BF16), out: pypto.Tensor([2, 16], DT_BF16)
    ):
        pypto.set_vec_tile_shapes(2, 16)
        total = D.create_shmem_tensor("one", 1, DT_BF16, [2, 16])
        D.shmem_put(x, [0, 0], total, 0)
        D.shmem_put(y, [0, 0], total, 0, put_op=pypto.AtomicType.ADD)
        out[:] = D.shmem_get(total, 0)

    rng = np.random.default_rng(0)
    x, y = (rng.normal(size=(2, 16)).astype(ml_dtypes.bfloat16) for _ in range(2))
    out = np.zeros_like(x)
    alone(kernel, x, y, out)
    np.testing.assert_array_equal(out, (x.astype("f4") + y.astype("f4")).astype(ml_dtypes.bfloat16))


def test_blocks_and_their_signals():
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([2, 8], DT_INT32), out: pypto.Tensor([4, 8], DT_INT32)):
        pypto.set_vec_tile_shapes(4, 8)
        shared = D.create_shmem_tensor("pair", 2, DT_INT32, [4, 8])
        me = D.my_symbolic_pe("pair")
        mine = D.shmem_view(shared, [2, 8], [me * 2, 0])
        for pe in range(2):
            D.shmem_put(x, [0, 0], mine, pe)
            D.shmem_signal(mine, me, 5, target_pe=pe)
        theirs = D.shmem_view(shared, [2, 8], [2 - me * 2, 0])
        D.shmem_wait_until(theirs, 1 - me, 5, clear_signal=True)
        D.shmem_wait_until(shared, 1 - me, 0)  # the signals of the other blocks were never set
        out[:] = D.shmem_get(shared, me)

    def work(rank):
        out = np.zeros((4, 8), np.int32)
        kernel(np.full((2, 8), rank + 1, np.int32), out)
        return out

    for out in run_ranks(2, work):
        np.testing.assert_array_equal(out[:, 0], [1, 1, 2, 2])


def test_a_cut_block_and_a_cut_window():
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([4, 8], DT_FP32), n: pypto.Tensor([2], DT_INT32), out: pypto.Tensor([4, 8], DT_FP32)):
        pypto.set_vec_tile_shapes(4, 8)
        shared = D.create_shmem_tensor("one", 1, DT_FP32, [6, 8])
        D.shmem_clear_data(shared)
        D.shmem_put(pypto.view(x, [4, 8], [0, 0], valid_shape=[n[0], n[1]]), [2, 0], shared, 0)
        got = D.shmem_get(shared, 0, [4, 8], [1, 0], valid_shape=[n[0] + 1, 8])
        pypto.assemble(got, [0, 0], out)

    out = np.full((4, 8), 9, np.float32)
    alone(kernel, ones(4, 8), np.array([2, 3], np.int32), out)
    want = np.full((4, 8), 9, np.float32)
    want[:3] = 0
    want[1:3, :3] = 1
    np.testing.assert_array_equal(out, want)


def test_signals_of_all_ranks_count():
    @pypto.frontend.jit
    def kernel(out: pypto.Tensor([1, 8], DT_INT32)):
        pypto.set_vec_tile_shapes(1, 8)
        flag = D.create_shmem_signal("all", RANKS)
        D.shmem_signal(flag, 0, 1, target_pe=-1, sig_op=pypto.AtomicType.ADD)
        D.shmem_wait_until(flag, 0, RANKS)
        D.shmem_clear_signal(flag)
        D.shmem_wait_until(flag, 0, 0)
        out[0:1, 0:8] = pypto.full([1, 8], D.my_symbolic_pe("all"), DT_INT32)

    def work(rank):
        out = np.zeros((1, 8), np.int32)
        kernel(out)
        return int(out[0, 0])

    assert run_ranks(RANKS, work) == list(range(RANKS))


# What goes wrong


def test_unwritten_data_are_undefined():
    @pypto.frontend.jit
    def kernel(out: pypto.Tensor([4, 8], DT_FP32)):
        pypto.set_vec_tile_shapes(4, 8)
        shared = D.create_shmem_tensor("one", 1, DT_FP32, [4, 8])
        out[:] = D.shmem_get(shared, 0)

    with pytest.raises(PyptoError) as caught:
        alone(kernel, ones(4, 8))
    assert caught.value.code == "PTO401"


def test_ranks_agree_on_their_tensors():
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([pypto.STATIC, 8], DT_FP32), out: pypto.Tensor([pypto.STATIC, 8], DT_FP32)):
        pypto.set_vec_tile_shapes(8, 8)
        shared = D.create_shmem_tensor("tp", 2, DT_FP32, [x.shape[0], 8])
        D.shmem_put(x, [0, 0], shared, 0)
        D.shmem_barrier_all(shared)
        out[:] = x * 1.0

    def work(rank):
        kernel(ones(4 + rank, 8), ones(4 + rank, 8))

    with pytest.raises(PyptoError) as caught:
        run_ranks(2, work)
    assert caught.value.code == "PTO474"


def test_settings_reach_the_ranks():
    with openpto.configure(target="0.3"):
        assert run_ranks(2, lambda rank: openpto.settings().target) == ["0.3", "0.3"]


def test_results_come_in_order():
    assert run_ranks(3, lambda rank: rank * 10) == [0, 10, 20]
