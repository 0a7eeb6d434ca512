"""Kernels may be built and called from many threads at once (semantics 7)."""

import threading

import numpy as np
from semantics_support import F32, I32, D, T, blank, fails, jit, whole

import pypto

THREADS, ROUNDS = 8, 3


def in_threads(work):
    """Run work(t) in eight threads that start together; raise what any of them raised."""
    gate = threading.Barrier(THREADS)
    errors = []

    def body(t):
        try:
            gate.wait(timeout=60)
            work(t)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=body, args=(t,)) for t in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@jit
def shared_scale(x: T([4, 8], F32), o: T([4, 8], F32), gain):
    pypto.set_vec_tile_shapes(4, 8)
    o[:] = x * gain


@jit
def shared_running(x: T([D, 8], F32), o: T([1, 8], F32)):
    pypto.set_vec_tile_shapes(1, 8)
    acc = pypto.full([1, 8], 0.0, F32)
    for i in pypto.loop(x.shape[0], name="rows", idx_name="i"):
        acc[:] = acc * 2.0 + pypto.view(x, [1, 8], [i, 0])
        if pypto.is_loop_end(i):
            o[:] = acc * 1.0


def running(x):
    acc = np.zeros(8, np.float32)
    for row in x:
        acc = acc * 2 + row
    return acc


def test_shared_kernels():
    """Eight threads call the same kernels with their own data."""

    def work(t):
        x = whole(4, 8, seed=t)
        rows = whole(t + 1, 8, seed=t)
        for _ in range(ROUNDS):
            o, p = blank(4, 8), blank(1, 8)
            shared_scale(x, o, float(t + 1))
            shared_running(rows, p)
            assert np.array_equal(o, x * (t + 1))
            assert np.array_equal(p[0], running(rows))

    in_threads(work)


def test_shared_kernel_is_traced_once():
    """Threads that arrive together at an untraced kernel trace it once or agree on one result."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + 1.0

    def work(t):
        x, o = whole(4, 8, seed=t), blank(4, 8)
        kernel(x, o)
        assert np.array_equal(o, x + 1)

    in_threads(work)
    assert kernel.compilations == 1


def test_kernels_built_in_threads():
    """Each thread builds its own kernels, with other tiles, loops and branches, and runs them."""

    def work(t):
        for round_ in range(ROUNDS):
            size = 4 * (t % 3 + 1)

            @jit
            def kernel(x: T([D, size], F32), n: T([1], I32), o: T([D, size], F32)):
                pypto.set_vec_tile_shapes(1, size)
                total = t
                for i in pypto.loop(x.shape[0], name=f"L{t}", idx_name="i"):
                    row = pypto.view(x, [1, size], [i, 0])
                    if i % 2 == t % 2:
                        row = row * float(t + 2)
                    total = total + i
                    pypto.assemble(row + 1.0, [i, 0], o)
                n[0] = total

            rows = t + round_ + 1
            x, n, o = whole(rows, size, seed=t), np.zeros(1, np.int32), blank(rows, size)
            kernel(x, n, o)
            want = x.copy()
            want[t % 2 :: 2] *= t + 2
            assert np.array_equal(o, want + 1)
            assert n[0] == t + sum(range(rows))

    in_threads(work)


def test_failures_stay_in_their_thread():
    """A kernel that fails in one thread does not disturb the others."""

    def work(t):
        for _ in range(ROUNDS):
            if t % 2:

                @jit
                def broken(x: T([4, 8], F32), o: T([4, 8], F32)):
                    pypto.set_vec_tile_shapes(1, 1)
                    for i in pypto.loop(4, name="L", idx_name="i"):
                        o[:] = pypto.view(x, [1], [0])

                with fails("size|dimension|rank"):
                    broken(whole(4, 8), blank(4, 8))
            else:
                x, o = whole(4, 8, seed=t), blank(4, 8)
                shared_scale(x, o, float(t))
                assert np.array_equal(o, x * t)

    in_threads(work)


def test_settings_of_a_thread():
    """A target chosen in one thread's `configure` block is not another's."""
    import openpto

    @jit
    def kernel(o: T([4], I32)):
        count = 0
        for i in pypto.loop(4, name="L", idx_name="i"):
            count = count + 1
            o[i] = count

    def work(t):
        o = np.zeros(4, np.int32)
        if t % 2:
            with openpto.configure(target="0.2"), fails("count"):
                kernel(o)
        else:
            with openpto.configure(target="0.3"):
                kernel(o)
                assert o.tolist() == [1, 2, 3, 4]

    in_threads(work)
