"""Collectives of several ranks against numpy."""

import linecache
import textwrap

import ml_dtypes
import numpy as np
import pytest

import pypto
from openpto import distributed
from pypto import DT_BF16, DT_FP16, DT_FP32, DT_INT32, AtomicType

D = pypto.distributed
RANKS = (2, 4, 8)
pytestmark = pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")


def inputs(ranks, shape, dtype=np.float32, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape).astype(dtype) for _ in range(ranks)]


def run(kernel, arguments, shape, dtype=np.float32, **how):
    """The outputs of all ranks; ``arguments`` are the tensors of each."""
    outs = [np.full(shape, 77, dtype) for _ in arguments]
    distributed.launch(lambda rank: kernel(*arguments[rank], outs[rank]), len(arguments), **how)
    return outs


@pytest.mark.parametrize("ranks", RANKS)
def test_all_reduce_in_one_shot(ranks):
    """Every rank adds its tile to everybody's block; the sum is taken in the order of the ranks."""

    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([8, 16], DT_FP32), out: pypto.Tensor([8, 16], DT_FP32)):
        pypto.set_vec_tile_shapes(8, 16)
        m = D.create_shmem_tensor("tp", ranks, DT_FP32, [8, 16])
        cleared = D.shmem_clear_data(m)
        ready = D.shmem_barrier_all(m, [cleared])
        sent = [D.shmem_put(x, [0, 0], m, pe, put_op=AtomicType.ADD, pred=[ready]) for pe in range(ranks)]
        done = D.shmem_barrier_all(m, sent)
        out[:] = D.shmem_get(m, D.my_symbolic_pe("tp"), pred=[done])

    xs = inputs(ranks, (8, 16))
    want = np.zeros((8, 16), np.float32)
    for x in xs:
        want = want + x
    for out in run(kernel, [(x,) for x in xs], (8, 16)):
        assert np.array_equal(out, want)


@pytest.mark.parametrize("ranks", RANKS)
def test_all_reduce_of_slices(ranks):
    """Reduce-scatter, then all-gather: each PE sums its slice with get, in a run-time loop."""

    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([16, 8], DT_FP32), out: pypto.Tensor([16, 8], DT_FP32)):
        pypto.set_vec_tile_shapes(16, 8)
        rows = 16 // ranks
        me = D.my_symbolic_pe("tp")
        parts = D.create_shmem_tensor("tp", ranks, DT_FP32, [16, 8])
        sums = D.create_shmem_tensor("tp", ranks, DT_FP32, [16, 8])
        D.shmem_put(x, [0, 0], parts, me)
        D.shmem_barrier_all(parts)
        total = pypto.full([rows, 8], 0.0, DT_FP32)
        for pe in pypto.loop(ranks):
            total[:] = total + D.shmem_get(parts, pe, [rows, 8], [me * rows, 0])
        for pe in pypto.loop(ranks):
            D.shmem_put(total, [me * rows, 0], sums, pe)
        D.shmem_barrier_all(sums)
        out[:] = D.shmem_get(sums, me)

    xs = inputs(ranks, (16, 8), seed=1)
    want = np.zeros((16, 8), np.float32)
    for x in xs:
        want = want + x
    for out in run(kernel, [(x,) for x in xs], (16, 8)):
        assert np.array_equal(out, want)


@pytest.mark.parametrize("ranks", RANKS)
def test_all_gather_with_a_signal_of_each_rank(ranks):
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([4, 8], DT_FP32), out: pypto.Tensor([4 * ranks, 8], DT_FP32)):
        pypto.set_vec_tile_shapes(4, 8)
        me = D.my_symbolic_pe("tp")
        m = D.create_shmem_tensor("tp", ranks, DT_FP32, [4 * ranks, 8])
        for pe in pypto.loop(ranks):
            sent = D.shmem_put(x, [me * 4, 0], m, pe)
            D.shmem_signal(m, me, 1, target_pe=pe, pred=[sent])
        for pe in pypto.loop(ranks):
            came = D.shmem_wait_until(m, pe, 1)
            out[pe * 4 : pe * 4 + 4, :] = D.shmem_get(m, me, [4, 8], [pe * 4, 0], pred=[came])

    xs = inputs(ranks, (4, 8), seed=2)
    for out in run(kernel, [(x,) for x in xs], (4 * ranks, 8)):
        assert np.array_equal(out, np.concatenate(xs))


@pytest.mark.parametrize("ranks", RANKS)
def test_ring_that_passes_tiles_on(ranks):
    """What a rank got in one step it sends in the next; a signal about the receiver says that it may."""

    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([8, 8], DT_FP32), out: pypto.Tensor([8, 8], DT_FP32)):
        pypto.set_vec_tile_shapes(8, 8)
        me = D.my_symbolic_pe("tp")
        right, left = (me + 1) % ranks, (me + ranks - 1) % ranks
        m = D.create_shmem_tensor("tp", ranks, DT_FP32, [8, 8])
        free = D.create_shmem_signal("tp", ranks)
        total = pypto.full([8, 8], 0.0, DT_FP32)
        have = pypto.full([8, 8], 0.0, DT_FP32)
        have[:] = x + 0.0
        D.shmem_signal(free, me, 1, target_pe=left)
        for _ in pypto.loop(ranks, name="RING", idx_name="step"):
            total[:] = total * 0.5 + have
            D.shmem_wait_until(free, right, 1, clear_signal=True)
            D.shmem_put(have, [0, 0], m, right)
            D.shmem_signal(m, me, 1, target_pe=right)
            D.shmem_wait_until(m, left, 1, clear_signal=True)
            have[:] = D.shmem_get(m, me)
            D.shmem_signal(free, me, 1, target_pe=left)
        out[:] = total + have

    xs = inputs(ranks, (8, 8), seed=3)
    outs = run(kernel, [(x,) for x in xs], (8, 8))
    for rank, out in enumerate(outs):
        total = np.zeros((8, 8), np.float32)
        for step in range(ranks):
            total = total * np.float32(0.5) + xs[(rank - step) % ranks]
        assert np.array_equal(out, total + xs[rank])


@pytest.mark.parametrize("ranks", RANKS)
def test_dispatch_and_combine(ranks):
    """Tokens go to the rank of their expert, which doubles them, and come back; counts are known while running."""

    @pypto.frontend.jit
    def kernel(
        x: pypto.Tensor([6, 8], DT_FP32),
        expert: pypto.Tensor([6], DT_INT32),
        place: pypto.Tensor([6], DT_INT32),
        count: pypto.Tensor([1], DT_INT32),
        out: pypto.Tensor([6, 8], DT_FP32),
    ):
        pypto.set_vec_tile_shapes(8, 8)
        me = D.my_symbolic_pe("ep")
        m = D.create_shmem_tensor("ep", ranks, DT_FP32, [6 * ranks, 8])
        for t in pypto.loop(6):
            D.shmem_put(x[t : t + 1, :], [place[t], 0], m, expert[t])
        D.shmem_barrier_all(m)
        n = count[0]
        back = D.create_shmem_tensor("ep", ranks, DT_FP32, [6 * ranks, 8])
        for _ in pypto.loop(n > 0):
            mine = D.shmem_get(m, me, [6 * ranks, 8], [0, 0], valid_shape=[n, 8])
            D.shmem_put(mine * 2.0, [0, 0], back, me)
        D.shmem_barrier_all(back)
        for t in pypto.loop(6):
            out[t : t + 1, :] = D.shmem_get(back, expert[t], [1, 8], [place[t], 0])

    rng = np.random.default_rng(ranks)
    xs = inputs(ranks, (6, 8), seed=4)
    experts = [rng.integers(0, ranks, 6).astype(np.int32) for _ in range(ranks)]
    taken, places = np.zeros(ranks, np.int32), [np.zeros(6, np.int32) for _ in range(ranks)]
    for rank in range(ranks):
        for t, e in enumerate(experts[rank]):
            places[rank][t] = taken[e]
            taken[e] += 1
    arguments = [(xs[r], experts[r], places[r], taken[r : r + 1].copy()) for r in range(ranks)]
    for out, x in zip(run(kernel, arguments, (6, 8)), xs, strict=True):
        assert np.array_equal(out, x * 2)


@pytest.mark.parametrize(
    ("sent", "kept", "host"),
    [
        (DT_FP16, DT_FP16, np.float16),
        (DT_BF16, DT_BF16, ml_dtypes.bfloat16),
        (DT_FP16, DT_FP32, np.float32),
        (DT_BF16, DT_FP32, np.float32),
        (DT_INT32, DT_INT32, np.int32),
    ],
)
def test_additions_round_as_the_memory_does(sent, kept, host):
    """Each addition is one in FP32, rounded to the type of the memory; integers wrap."""

    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([4, 16], sent), out: pypto.Tensor([4, 16], kept)):
        pypto.set_vec_tile_shapes(4, 16)
        m = D.create_shmem_tensor("tp", 4, kept, [4, 16])
        D.shmem_clear_data(m)
        D.shmem_barrier_all(m)
        D.shmem_put(x, [0, 0], m, 2, put_op=AtomicType.ADD)
        D.shmem_barrier_all(m)
        out[:] = D.shmem_get(m, 2)

    element = {DT_FP16: np.float16, DT_BF16: ml_dtypes.bfloat16, DT_INT32: np.int32}[sent]
    if sent is DT_INT32:
        xs = [np.full((4, 16), 2**30 + r, np.int32) for r in range(4)]
    else:
        xs = [x.astype(element) for x in inputs(4, (4, 16), seed=5)]
    want = np.zeros((4, 16), host)
    for x in xs:
        if sent is DT_INT32:
            want = (want.astype(np.int64) + x).astype(np.int32)
        else:
            want = (want.astype(np.float32) + x.astype(np.float32)).astype(host)
    for out in run(kernel, [(x,) for x in xs], (4, 16), host):
        assert np.array_equal(out, want)


def test_groups_of_the_same_name_and_across():
    """Two pairs under one name, and a group that lists ranks of both in another order."""

    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([2, 8], DT_FP32), out: pypto.Tensor([4, 8], DT_FP32)):
        pypto.set_vec_tile_shapes(2, 8)
        pair, all_ = D.create_shmem_tensor("pair", 2, DT_FP32, [2, 8]), D.create_shmem_tensor("all", 4, DT_FP32, [2, 8])
        D.shmem_put(x, [0, 0], pair, 1 - D.my_symbolic_pe("pair"))
        D.shmem_put(x + 100.0, [0, 0], all_, 3 - D.my_symbolic_pe("all"))
        D.shmem_barrier_all(pair)
        D.shmem_barrier_all(all_)
        out[0:2, :] = D.shmem_get(pair, D.my_symbolic_pe("pair"))
        out[2:4, :] = D.shmem_get(all_, D.my_symbolic_pe("all"))

    xs = [np.full((2, 8), r, np.float32) for r in range(4)]
    groups = {"pair": [[0, 2], [3, 1]], "all": [2, 0, 1, 3]}
    outs = run(kernel, [(x,) for x in xs], (4, 8), groups=groups)
    partner, mirror = {0: 2, 2: 0, 1: 3, 3: 1}, {2: 3, 0: 1, 1: 0, 3: 2}
    for rank, out in enumerate(outs):
        assert (out[:2] == partner[rank]).all()
        assert (out[2:] == mirror[rank] + 100).all()


def test_tiles_signalled_one_by_one_and_waited_for_together():
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([8, 16], DT_FP32), out: pypto.Tensor([8, 16], DT_FP32)):
        pypto.set_vec_tile_shapes(8, 16)
        me = D.my_symbolic_pe("tp")
        m = D.create_shmem_tensor("tp", 2, DT_FP32, [8, 16])
        for i in pypto.loop(4):
            part = D.shmem_view(m, [2, 16], [i * 2, 0])
            D.shmem_put(x[i * 2 : i * 2 + 2, :], [0, 0], part, 1 - me)
            D.shmem_signal(m, me, 3, [2, 16], [i * 2, 0], target_pe=1 - me, sig_op=AtomicType.ADD)
        D.shmem_wait_until(m, 1 - me, 3, [4, 8], [1, 4])
        D.shmem_wait_until(m, 1 - me, 3, clear_signal=True)
        D.shmem_wait_until(m, 1 - me, 0, [2, 2], [6, 0])
        out[:] = D.shmem_get(m, me)

    xs = inputs(2, (8, 16), seed=6)
    outs = run(kernel, [(x,) for x in xs], (8, 16))
    assert np.array_equal(outs[0], xs[1])
    assert np.array_equal(outs[1], xs[0])


def test_a_rank_may_send_only():
    """A kernel that writes no parameter, but talks with others."""

    @pypto.frontend.jit
    def send(x: pypto.Tensor([8, 16], DT_FP32)):
        pypto.set_vec_tile_shapes(8, 16)
        m = D.create_shmem_tensor("tp", 2, DT_FP32, [8, 16])
        D.shmem_put(x * 2.0, [0, 0], m, 1)
        D.shmem_signal(m, 0, 1, target_pe=-1)

    @pypto.frontend.jit
    def receive(out: pypto.Tensor([8, 16], DT_FP32)):
        pypto.set_vec_tile_shapes(8, 16)
        m = D.create_shmem_tensor("tp", 2, DT_FP32, [8, 16])
        D.shmem_wait_until(m, 0, 1)
        out[:] = D.shmem_get(m, 1)

    x, out = np.ones((8, 16), np.float32), np.zeros((8, 16), np.float32)
    distributed.launch(lambda rank: receive(out) if rank else send(x), 2)
    assert (out == 2).all()


def test_repeated_calls_and_launches_begin_anew():
    """Signals and data of one call are not seen by the next; plans of earlier calls run at once."""

    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([8, 16], DT_FP32), out: pypto.Tensor([8, 16], DT_FP32)):
        pypto.set_vec_tile_shapes(8, 16)
        me = D.my_symbolic_pe("tp")
        m = D.create_shmem_tensor("tp", 2, DT_FP32, [8, 16])
        D.shmem_put(x, [0, 0], m, 1 - me)
        D.shmem_signal(m, me, 1, target_pe=1 - me, sig_op=AtomicType.ADD)
        D.shmem_wait_until(m, 1 - me, 1)
        out[:] = D.shmem_get(m, me)

    def main(rank):
        x, out = np.empty((8, 16), np.float32), np.empty((8, 16), np.float32)
        for step in range(5):
            x[:] = 10 * step + rank
            kernel(x, out)
            assert (out == 10 * step + 1 - rank).all()
        return rank

    for _ in range(3):
        assert distributed.launch(main, 2) == [0, 1]


def test_rows_of_higher_rank_and_memory_of_a_branch():
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([2, 3, 4, 8], DT_INT32), out: pypto.Tensor([2, 3, 4, 8], DT_INT32)):
        pypto.set_vec_tile_shapes(2, 3, 4, 8)
        me = D.my_symbolic_pe("tp")
        for _ in pypto.loop(1):
            m = D.create_shmem_tensor("tp", 2, DT_INT32, [2, 3, 4, 8])
        if me == 0:
            D.shmem_put(x, [0, 0, 0, 0], m, 1)
            D.shmem_signal(m, 0, 9, target_pe=1)
            out[:] = x + 1
        else:
            D.shmem_wait_until(m, 0, 9)
            out[:] = D.shmem_get(m, me)

    xs = [np.arange(192, dtype=np.int32).reshape(2, 3, 4, 8) * (r + 1) for r in range(2)]
    outs = run(kernel, [(x,) for x in xs], (2, 3, 4, 8), np.int32)
    assert np.array_equal(outs[0], xs[0] + 1)
    assert np.array_equal(outs[1], xs[0])


def test_settings_and_numbers_of_the_caller_are_the_ranks():
    def main(rank, scale):
        return distributed.rank() * scale, distributed.world_size(), rank

    assert distributed.launch(main, 3, (10,)) == [(0, 3, 0), (10, 3, 1), (20, 3, 2)]


def test_the_example_of_launch_runs():
    text = distributed.launch.__doc__.split("Example::")[1]
    file = "<launch-example>"
    source = textwrap.dedent(text)
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec", dont_inherit=True), {"__name__": "example"})
