"""Programs as authors write them: products that are summed over ranks, helpers, run-time sizes, chips."""

import threading
import time

import numpy as np
import pytest

import openpto
import pypto
from openpto import distributed
from openpto.runtime.ranks.launch import here
from pypto import DT_FP16, DT_FP32, AtomicType

D, E = pypto.distributed, pypto.experimental
pytestmark = pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")


@pytest.mark.parametrize("ranks", [2, 4])
def test_product_summed_over_ranks_then_normalised(ranks):
    """y = allreduce(x W) + residual, then RMSNorm; K is cut over the ranks, rows come tile by tile."""

    @pypto.frontend.jit
    def kernel(
        x: pypto.Tensor([pypto.DYNAMIC, 32], DT_FP16),
        w: pypto.Tensor([32, 64], DT_FP16),
        residual: pypto.Tensor([pypto.DYNAMIC, 64], DT_FP32),
        gamma: pypto.Tensor([64], DT_FP32),
        out: pypto.Tensor([pypto.DYNAMIC, 64], DT_FP32),
    ):
        pypto.set_cube_tile_shapes([16, 16], [32, 32], [64, 64])
        pypto.set_vec_tile_shapes(8, 64)
        me = D.my_symbolic_pe("tp")
        shared = D.create_shmem_tensor("tp", ranks, DT_FP32, [16, 64])
        for i in pypto.loop(pypto.ceildiv(x.shape[0], 16), name="ROWS", idx_name="i"):
            rows = pypto.min(x.shape[0] - i * 16, 16)
            part = pypto.matmul(pypto.view(x, [16, 32], [i * 16, 0], valid_shape=[rows, 32]), w, DT_FP32)
            cleared = D.shmem_clear_data(shared)
            ready = D.shmem_barrier_all(shared, [cleared])
            sent = [E.shmem_store(part, [0, 0], shared, pe, put_op=AtomicType.ADD, pred=[ready]) for pe in range(ranks)]
            done = D.shmem_barrier_all(shared, sent)
            y = E.shmem_load(shared, me, valid_shape=[rows, 64], pred=[done])
            y = y + pypto.view(residual, [16, 64], [i * 16, 0], valid_shape=[rows, 64])
            pypto.assemble(pypto.rms_norm(y, gamma), [i * 16, 0], out)
            D.shmem_barrier_all(shared)

    rng = np.random.default_rng(ranks)
    for rows in (16, 37):
        x = rng.standard_normal((rows, 32 * ranks)).astype(np.float16)
        w = (rng.standard_normal((32 * ranks, 64)) / 8).astype(np.float16)
        residual, gamma = rng.standard_normal((rows, 64)).astype(np.float32), rng.standard_normal(64).astype(np.float32)
        y = x.astype(np.float64) @ w.astype(np.float64) + residual
        want = y / np.sqrt((y * y).mean(1, keepdims=True) + 1e-6) * gamma

        def main(rank, x=x, w=w, residual=residual, gamma=gamma, rows=rows):
            out = np.zeros((rows, 64), np.float32)
            cut = slice(32 * rank, 32 * rank + 32)
            kernel(np.ascontiguousarray(x[:, cut]), np.ascontiguousarray(w[cut]), residual, gamma, out)
            return out

        outs = distributed.launch(main, ranks)
        for out in outs:
            assert np.array_equal(out, outs[0])
            np.testing.assert_allclose(out, want, rtol=1e-4, atol=1e-4)


def send(x, shared, pe, sender):
    """A helper, in a module of its own or not."""
    sent = D.shmem_put(x, [0, 0], shared, pe)
    D.shmem_signal(shared, sender, 1, target_pe=pe, pred=[sent])


class Link:
    """What an author may keep shared memory in."""

    def __init__(self, shared, partner):
        self.shared = shared
        self.partner = partner


def test_helpers_and_objects_hold_shared_memory():
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([8, 16], DT_FP32), out: pypto.Tensor([8, 16], DT_FP32)):
        pypto.set_vec_tile_shapes(8, 16)
        me = D.my_symbolic_pe("tp")
        link = Link(D.create_shmem_tensor("tp", 2, DT_FP32, [8, 16]), 1 - me)
        send(x, link.shared, link.partner, me)
        D.shmem_wait_until(link.shared, link.partner, 1)
        out[:] = D.shmem_get(link.shared, me)

    outs = [np.zeros((8, 16), np.float32) for _ in range(2)]
    distributed.launch(lambda rank: kernel(np.full((8, 16), rank, np.float32), outs[rank]), 2)
    assert (outs[0] == 1).all()
    assert (outs[1] == 0).all()


def test_what_a_handle_tells():
    seen = []

    @pypto.frontend.jit
    def kernel(out: pypto.Tensor([8, 16], DT_FP32)):
        pypto.set_vec_tile_shapes(8, 16)
        m = D.create_shmem_tensor("tp", 1, DT_FP32, [8, 16])
        part = D.shmem_view(m, [4, 8], [4, 0])
        seen.append((m.group_name, m.n_pes, m.dtype, m.shape, part.shape, isinstance(m, D.ShmemTensor)))
        D.shmem_clear_data(m)
        out[:] = D.shmem_get(m, 0)

    distributed.launch(lambda rank: kernel(np.ones((8, 16), np.float32)), 1)
    assert seen == [("tp", 1, DT_FP32, (8, 16), (4, 8), True)]


def test_a_look_into_a_window_of_a_window():
    """Offsets add up, what reaches past the memory is not valid."""

    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([8, 16], DT_FP32), out: pypto.Tensor([4, 8], DT_FP32)):
        pypto.set_vec_tile_shapes(4, 8)
        me = D.my_symbolic_pe("tp")
        m = D.create_shmem_tensor("tp", 1, DT_FP32, [8, 16])
        D.shmem_put(x, [0, 0], m, me)
        inner = D.shmem_view(D.shmem_view(m, [6, 12], [me + 2, 4]), [4, 8], [3, 6])
        pypto.assemble(D.shmem_get(inner, me), [0, 0], out)

    x, out = np.arange(128, dtype=np.float32).reshape(8, 16), np.full((4, 8), -1, np.float32)
    distributed.launch(lambda rank: kernel(x, out), 1)
    want = np.full((4, 8), -1, np.float32)
    want[:3, :6] = x[5:8, 10:16]
    assert np.array_equal(out, want)


def test_windows_without_elements_move_nothing():
    """Also where they begin behind the memory."""

    @pypto.frontend.jit
    def kernel(
        x: pypto.Tensor([8, 16], DT_FP32), n: pypto.Tensor([1], pypto.DT_INT32), out: pypto.Tensor([8, 16], DT_FP32)
    ):
        pypto.set_vec_tile_shapes(8, 16)
        m = D.create_shmem_tensor("tp", 1, DT_FP32, [8, 16])
        D.shmem_put(pypto.view(x, [8, 16], [0, 0], valid_shape=[n[0], 16]), [9, 3], m, 0)
        nothing = D.shmem_get(m, 0, [8, 16], [0, 12], valid_shape=[8, n[0]])
        behind = D.shmem_get(m, 0, [4, 16], [n[0] + 10, 0])
        D.shmem_clear_data(m, [4, 16], [n[0] + 10, 0])
        D.shmem_signal(m, 0, 1, [4, 16], [n[0] + 10, 0], target_pe=0)
        D.shmem_wait_until(m, 0, 7, [4, 16], [n[0] + 10, 0])
        D.shmem_wait_until(m, 0, 0)
        out[:] = x * 2.0
        pypto.assemble(nothing, [0, 0], out)
        pypto.assemble(behind, [0, 0], out)

    x, out = np.ones((8, 16), np.float32), np.zeros((8, 16), np.float32)
    distributed.launch(lambda rank: kernel(x, np.zeros(1, np.int32), out), 1)
    assert (out == 2).all()


@pytest.mark.parametrize("platform", ["910B", "910C", "950"])
def test_on_every_chip(platform):
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([8, 16], DT_FP32), out: pypto.Tensor([8, 16], DT_FP32)):
        pypto.set_vec_tile_shapes(8, 16)
        m = D.create_shmem_tensor("tp", 2, DT_FP32, [8, 16])
        D.shmem_put(x, [0, 0], m, 1 - D.my_symbolic_pe("tp"))
        D.shmem_barrier_all(m)
        out[:] = D.shmem_get(m, D.my_symbolic_pe("tp"))

    outs = [np.zeros((8, 16), np.float32) for _ in range(2)]
    with openpto.configure(platform=platform):
        distributed.launch(lambda rank: kernel(np.full((8, 16), rank, np.float32), outs[rank]), 2)
    assert (outs[0] == 1).all()


def test_sums_do_not_depend_on_who_comes_first():
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([8, 16], DT_FP32), out: pypto.Tensor([8, 16], DT_FP32)):
        pypto.set_vec_tile_shapes(8, 16)
        m = D.create_shmem_tensor("tp", 4, DT_FP32, [8, 16])
        s = D.create_shmem_signal("tp", 4)
        if D.my_symbolic_pe("tp") == 3:
            D.shmem_clear_data(m)
            D.shmem_signal(s, 3, 1, target_pe=-1)
        D.shmem_wait_until(s, 3, 1)
        D.shmem_put(x, [0, 0], m, 3, put_op=AtomicType.ADD)
        D.shmem_signal(s, 0, 1, target_pe=-1, sig_op=AtomicType.ADD)
        D.shmem_wait_until(s, 0, 4)
        out[:] = D.shmem_get(m, 3)

    rng = np.random.default_rng(0)
    xs = [(rng.standard_normal((8, 16)) * 10.0 ** rng.integers(-4, 5)).astype(np.float32) for _ in range(4)]
    want = np.zeros((8, 16), np.float32)
    for x in xs:
        want = want + x
    for late in ([0, 1, 2, 3], [3, 1, 0, 2]):
        outs = [np.zeros((8, 16), np.float32) for _ in range(4)]

        def main(rank, late=late, outs=outs):
            time.sleep(0.02 * late.index(rank))
            kernel(xs[rank], outs[rank])

        distributed.launch(main, 4)
        for out in outs:
            assert np.array_equal(out, want)


def test_nothing_is_left_behind():
    """Windows go with the kernel, threads with the launch."""

    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([8, 16], DT_FP32), out: pypto.Tensor([8, 16], DT_FP32)):
        pypto.set_vec_tile_shapes(8, 16)
        m = D.create_shmem_tensor("tp", 2, DT_FP32, [8, 16])
        D.shmem_put(x, [0, 0], m, 1 - D.my_symbolic_pe("tp"))
        D.shmem_barrier_all(m)
        out[:] = D.shmem_get(m, D.my_symbolic_pe("tp"))

    worlds = []

    def main(rank):
        for _ in range(20):
            kernel(np.ones((8, 16), np.float32), np.zeros((8, 16), np.float32))
        worlds.append(here().world)

    distributed.launch(main, 2)
    assert worlds[0] is worlds[1]
    assert not worlds[0]._windows
    assert not [t for t in threading.enumerate() if t.name.startswith("rank-")]
    assert here() is None


def test_torch_tensors():
    torch = pytest.importorskip("torch")

    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([8, 16], DT_FP32), out: pypto.Tensor([8, 16], DT_FP32)):
        pypto.set_vec_tile_shapes(8, 16)
        m = D.create_shmem_tensor("tp", 2, DT_FP32, [8, 16])
        D.shmem_put(x, [0, 0], m, 1 - D.my_symbolic_pe("tp"))
        D.shmem_barrier_all(m)
        out[:] = D.shmem_get(m, D.my_symbolic_pe("tp")) * 2.0

    def main(rank):
        out = torch.empty(8, 16)
        kernel(torch.full((8, 16), float(rank)), out)
        return out

    first, second = distributed.launch(main, 2)
    assert (first == 2).all()
    assert (second == 0).all()


def test_a_kernel_says_which_engine_ran(engine):
    @pypto.frontend.jit
    def kernel(out: pypto.Tensor([8, 16], DT_FP32)):
        pypto.set_vec_tile_shapes(8, 16)
        s = D.create_shmem_signal("tp", 2)
        D.shmem_barrier_all(s)
        out[:] = pypto.full([8, 16], 1.0, DT_FP32)

    def main(rank):
        kernel(np.zeros((8, 16), np.float32))
        return kernel.last_run.engine

    assert distributed.launch(main, 2) == [engine, engine]
