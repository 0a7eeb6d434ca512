"""Kernels on several threads: the bits, faults, warnings and counts of one thread."""

import os
import re
import signal
import threading
import time
import warnings

import numpy as np
import pytest

import openpto
import pypto
from openpto.runtime.native import cost, engine, parallel, spread
from openpto.runtime.native import loopir as L
from openpto.runtime.native.verify import problems

F32, I32, D = pypto.DT_FP32, pypto.DT_INT32, pypto.DYNAMIC
THREADS = (1, 2, 5)


@pytest.fixture(autouse=True)
def native(monkeypatch):
    """Kernels of these tests run natively, and even the smallest region is shared."""
    monkeypatch.setattr(parallel, "LEAST_REGION", 0)
    monkeypatch.setattr(parallel, "LEAST_CHUNK", 0)
    monkeypatch.setenv("PYPTO_CACHE_DIR", "off")  # kept code was made with the usual limits
    with openpto.configure(engine="native"):
        yield


@pytest.fixture
def programs(monkeypatch):
    """The loop programs of the kernels that a test compiles."""
    seen = []
    lower = engine.lower

    def watched(kernel, *rest):
        lowered = lower(kernel, *rest)
        seen.append(lowered.program)
        return lowered

    monkeypatch.setattr(engine, "lower", watched)
    return seen


def regions_of(body):
    """All regions of a program."""
    for stmt in body:
        if isinstance(stmt, L.Region):
            yield stmt
        elif isinstance(stmt, (L.For, L.Region)):
            yield from regions_of(stmt.body)
        elif isinstance(stmt, L.If):
            yield from regions_of((*stmt.then, *stmt.other))


def doubled(x, o):
    pypto.set_vec_tile_shapes(8, 16)
    for i in pypto.loop(0, x.shape[0], 8, name="rows", idx_name="i"):
        live = (x.shape[0] - i).min(8)
        tile = pypto.view(x, [8, 16], [i, 0], valid_shape=[live, 16])
        pypto.assemble(tile * 2.0 + 1.0, [i, 0], o)


MATRIX = pypto.Tensor([D, 16], F32)


def kernel(body):
    """A kernel of two matrices, compiled for one test."""
    body.__annotations__ = {"x": MATRIX, "o": MATRIX}
    return pypto.jit(body)


def matrix(rows, seed=0):
    return np.random.default_rng(seed).standard_normal((rows, 16)).astype(np.float32)


@pytest.mark.parametrize("rows", [0, 1, 8, 9, 1000])
def test_rows(programs, rows):
    run, x = kernel(doubled), matrix(rows)
    for threads in THREADS:
        o = np.zeros_like(x)
        with openpto.configure(threads=threads):
            run(x, o)
        assert (o == x * np.float32(2) + np.float32(1)).all()
        assert openpto.last_run().ops_executed == 4 * -(-rows // 8)
        assert openpto.last_run().elements_written == {"o": rows * 16}
    (region,) = regions_of(programs[0].body)
    assert "region" in L.text(programs[0])
    assert region.counters == ("ops", "written1")


def test_a_perfect_nest_is_one_range(programs):
    @pypto.jit
    def nest(x: pypto.Tensor([D, D, 16], F32), o: pypto.Tensor([D, D, 16], F32)):
        pypto.set_vec_tile_shapes(1, 8, 16)
        for b in pypto.loop(x.shape[0], name="outer", idx_name="b"):
            for i in pypto.loop(0, x.shape[1], 8, name="inner", idx_name="i"):
                live = (x.shape[1] - i).min(8)
                tile = pypto.view(x, [1, 8, 16], [b, i, 0], valid_shape=[1, live, 16])
                pypto.assemble(tile * 3.0, [b, i, 0], o)

    for shape in ((3, 20, 16), (1, 100, 16), (7, 1, 16), (0, 5, 16), (5, 0, 16)):
        x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
        for threads in THREADS:
            o = np.zeros_like(x)
            with openpto.configure(threads=threads):
                nest(x, o)
            assert (o == x * np.float32(3)).all()
            assert openpto.last_run().ops_executed == 3 * shape[0] * -(-shape[1] // 8)
    (region,) = regions_of(programs[0].body)
    assert not any(isinstance(s, L.For) and s.independent for s in region.body)


def table(x, t, o):
    pypto.set_vec_tile_shapes(1, 16)
    for i in pypto.loop(x.shape[0], name="rows", idx_name="i"):
        row = t[i]
        o[i : i + 1, :] = pypto.view(x, [1, 16], [row, 0]) * 2.0


@pypto.jit
def tabled(
    x: pypto.Tensor([D, 16], F32),
    t: pypto.Tensor([D], I32),
    n: pypto.Tensor([D], I32),
    o: pypto.Tensor([D, D, 16], F32),
):
    pypto.set_vec_tile_shapes(1, 16)
    for b in pypto.loop(o.shape[0], name="outer", idx_name="b"):
        row = t[b]
        half = 1000 // n[b]
        for h in pypto.loop(o.shape[1], name="inner", idx_name="h"):
            tile = pypto.view(x, [1, 16], [row + h, 0], valid_shape=[1, 16]) * 2.0
            if half > 400:
                tile = tile + 1.0
            pypto.assemble(pypto.reshape(tile, [1, 1, 16]), [b, h, 0], o)


def outcome_of(engine, threads, arrays, shape):
    o = np.zeros(shape, np.float32)
    with openpto.configure(engine=engine, threads=threads):
        try:
            tabled(*arrays, o)
        except pypto.PyptoError as found:
            return str(found)
    return o.tobytes(), openpto.last_run().ops_executed


@pytest.mark.parametrize("shape", [(5, 3, 16), (1, 7, 16), (5, 0, 16), (0, 4, 16), (9, 1, 16)])
@pytest.mark.parametrize(
    "change", [{}, {"n": {3: 0}}, {"t": {2: -1}}, {"t": {2: 40, 4: 99}, "n": {3: 0}}, {"n": {0: -7, 4: 0}}]
)
def test_a_nest_whose_outer_body_reads_tables_is_one_range(programs, shape, change):
    x = matrix(50)
    t, n = np.arange(9, dtype=np.int32) * 3, np.arange(1, 10, dtype=np.int32)
    for array, name in ((t, "t"), (n, "n")):
        for k, v in change.get(name, {}).items():
            array[k] = v
    expected = outcome_of("reference", 1, (x, t, n), shape)
    for threads in THREADS:
        assert outcome_of("native", threads, (x, t, n), shape) == expected
    for program in programs:
        (region,) = regions_of(program.body)
        assert not any(isinstance(s, L.For) and s.independent for s in region.body)


@pypto.jit
def packed(x: pypto.Tensor([D, 2, 16], F32), t: pypto.Tensor([D], I32), o: pypto.Tensor([D, 2, 16], F32)):
    pypto.set_vec_tile_shapes(4, 1, 16)
    for b in pypto.loop(t.shape[0] - 1, name="outer", idx_name="b"):
        first = t[b]
        length = t[b + 1] - first
        for h in pypto.loop(2, name="heads", idx_name="h"):
            total = pypto.full([4, 1, 16], 0.0, F32)
            for s in pypto.loop(0, length, 4, name="chunks", idx_name="s"):
                live = (length - s).min(4)
                tile = pypto.view(x, [4, 1, 16], [first + s, h, 0], valid_shape=[live, 1, 16])
                total[:] = total + pypto.fillpad(tile, "constant", 0.0)
                done = pypto.reshape(total, [4, 1, 16], valid_shape=[live, 1, 16])
                pypto.assemble(done, [first + s, h, 0], o)


TABLES = {
    "ascending": [0, 5, 5, 12, 13, 40],
    "one": [0, 30],
    "none": [0],
    "from the back": [40, 40],
    "going back": [0, 12, 8, 20, 40],
    "all over again": [0, 40, 0, 40],
    "beyond the end": [0, 5, 50, 60],
    "before the start": [3, 8, -4, 9],
    "far beyond": [0, 5, 2**31 - 1, 2**31 - 1],
    "far before": [-(2**31), 5, 2**31 - 1, 0],
}


@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
@pytest.mark.parametrize("name", TABLES)
def test_packed_sequences_are_inspected(programs, name):
    x = np.random.default_rng(6).standard_normal((40, 2, 16)).astype(np.float32)
    outcomes = []
    for engine_name, threads in (("reference", 1), *(("native", t) for t in THREADS)):
        o = np.zeros_like(x)
        with openpto.configure(engine=engine_name, threads=threads):
            try:
                packed(x, np.array(TABLES[name], np.int32), o)
            except pypto.PyptoError as found:
                outcomes.append(str(found))
            else:
                outcomes.append((o.tobytes(), openpto.last_run().ops_executed))
    assert outcomes[1:] == outcomes[:1] * 3
    for program in programs:
        assert "ascending" in L.text(program)
        assert problems(program) == []


@pypto.jit
def placed(x: MATRIX, t: pypto.Tensor([D], I32), o: MATRIX):
    pypto.set_vec_tile_shapes(1, 16)
    for i in pypto.loop(t.shape[0], name="rows", idx_name="i"):
        row = t[i]
        o[row : row + 2, :] = x[2 * i : 2 * i + 2, :] + o[row : row + 2, :]


@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
@pytest.mark.parametrize("rows", [range(0, 40, 2), range(38, -1, -2), [4] * 20, [0, 2, 3, 6] * 5, [0, 39]])
def test_windows_that_may_meet_keep_their_order(rows):
    x, rows = matrix(40), np.array(rows, np.int32)
    outcomes = set()
    for engine_name, threads in (("reference", 1), *(("native", t) for t in THREADS)):
        for _ in range(1 if engine_name == "reference" else 5):
            o = np.ones_like(x)
            with openpto.configure(engine=engine_name, threads=threads):
                try:
                    placed(x, rows, o)
                except pypto.PyptoError as found:
                    outcomes.add(str(found))
                else:
                    outcomes.add(o.tobytes())
    assert len(outcomes) == 1


@pytest.mark.parametrize("wrong", [(63,), (0, 1), (20, 21, 22), (50, 9, 63), tuple(range(5, 64))])
def test_the_first_fault_in_program_order_is_told(wrong):
    table.__annotations__ = {"x": MATRIX, "t": pypto.Tensor([D], I32), "o": MATRIX}
    run, x = pypto.jit(table), matrix(64)
    rows = np.arange(64, dtype=np.int32)
    rows[list(wrong)] = -1 - rows[list(wrong)]
    texts = set()
    for threads in THREADS:
        for _ in range(5):
            o = np.zeros_like(x)
            with openpto.configure(threads=threads), pytest.raises(pypto.PyptoError) as found:
                run(x, rows, o)
            texts.add(str(found.value))
            first = min(wrong)
            assert (o[:first] == x[:first] * np.float32(2)).all(), "what comes before the fault is done"
    assert len(texts) == 1
    assert re.search(rf"\brows\b.*\bi = {min(wrong)}\b", texts.pop())


def mismatched(x, o):
    pypto.set_vec_tile_shapes(8, 16)
    for i in pypto.loop(0, x.shape[0], 8, name="rows", idx_name="i"):
        a = pypto.view(x, [8, 16], [i, 0], valid_shape=[8, 16 - i // 8 % 5])
        b = pypto.view(x, [8, 16], [i, 0], valid_shape=[8, 16 - i // 16 % 3])
        pypto.assemble(a + b, [i, 0], o)


def test_a_warning_is_told_once_and_of_the_first_iteration():
    run, x = kernel(mismatched), matrix(400)
    told = set()
    for threads in THREADS:
        with openpto.configure(threads=threads), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run(x, np.zeros_like(x))
        found = openpto.last_run().warnings
        assert found
        told.add(tuple(str(w) for w in found))
    assert len(told) == 1


@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_a_refused_warning_ends_the_region():
    run, x = kernel(mismatched), matrix(400)
    texts = set()
    for threads in THREADS:
        with openpto.configure(threads=threads, target="0.2"), pytest.raises(pypto.PyptoError) as found:
            run(x, np.zeros_like(x))
        texts.add(str(found.value))
    assert len(texts) == 1


def test_nonsense_in_the_variable_is_told_and_leaves_nothing_behind(monkeypatch):
    run, x = kernel(doubled), matrix(20)
    monkeypatch.setenv("PYPTO_NUM_THREADS", "0")
    for _ in range(2):
        with pytest.raises(pypto.PyptoError, match="PTO295"):
            run(x, np.zeros_like(x))
    monkeypatch.setenv("PYPTO_NUM_THREADS", "2")
    o = np.zeros_like(x)
    run(x, o)
    assert (o == x * np.float32(2) + np.float32(1)).all()


def test_many_callers_of_one_kernel():
    run, wrong = kernel(doubled), []
    run(matrix(8), matrix(8))

    def caller(seed):
        x = matrix(300, seed)
        for _ in range(10):
            o = np.zeros_like(x)
            with openpto.configure(engine="native", threads=3):
                run(x, o)
            if not (o == x * np.float32(2) + np.float32(1)).all():
                wrong.append(seed)

    callers = [threading.Thread(target=caller, args=(seed,)) for seed in range(12)]
    for c in callers:
        c.start()
    for c in callers:
        c.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_runs_the_kernels_of_its_parent():
    run, x = kernel(doubled), matrix(300)
    with openpto.configure(threads=3):
        o = np.zeros_like(x)
        run(x, o)
        child = os.fork()
        if child == 0:
            theirs = np.zeros_like(x)
            run(x, theirs)
            os._exit(0 if (theirs == o).all() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
@pytest.mark.parametrize("threads", THREADS)
def test_a_signal_stops_a_region(threads):
    @pypto.jit
    def long(n: pypto.Tensor([D], I32), o: pypto.Tensor([D, 16], F32)):
        pypto.set_vec_tile_shapes(4, 16)
        for i in pypto.loop(8, name="rows", idx_name="i"):
            total = pypto.full([4, 16], 0.0, F32)
            for _ in pypto.loop(n[0], name="inner", idx_name="j"):
                total[:] = total + 1.0
            o[4 * i : 4 * i + 4, :] = total

    o = np.zeros((32, 16), np.float32)
    with openpto.configure(threads=threads):
        long(np.array([1], np.int32), o)
        assert (o == 1).all()
        sent = []

        def interrupt():
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(0.2, interrupt)
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            long(np.array([200_000_000], np.int32), o)
        assert time.monotonic() - sent[0] < 2
        timer.join()
        long(np.array([2], np.int32), o)
        assert (o == 2).all()


def test_a_region_inside_of_a_region_is_refused_by_the_verifier():
    inner = L.Region("j", 2, 1, 1, ())
    outer = L.Region("i", 2, 1, 1, (inner,))
    assert problems(L.Program("p", (), (), 0, (outer,), regions=1)) == ["region j is inside of a region"]


def test_slots_that_iterations_hand_on_are_refused_by_the_verifier():
    body = (L.Set("a", L.add(L.Slot("a"), 1)),)
    program = L.Program("p", (), (), 0, (L.Set("a", 0), L.Region("i", 2, 1, 1, body)), regions=1)
    assert problems(program) == ["region i hands a from iteration to iteration"]
    counted = L.Region("i", 2, 1, 1, body, counters=("a",))
    assert problems(L.Program("p", (), (), 0, (L.Set("a", 0), counted), regions=1)) == []


def test_a_large_product_runs_in_blocks(programs):
    m, k, n = 700, 60, 1100

    @pypto.jit
    def product(
        a: pypto.Tensor([m, k], F32), b: pypto.Tensor([k, n], F32), bias: pypto.Tensor([1, n], F32),
        o: pypto.Tensor([m, n], F32)
    ):  # fmt: skip
        pypto.set_cube_tile_shapes([128, 128], [64, 64], [128, 128])
        pypto.set_vec_tile_shapes(64, 128)
        o[:] = pypto.matmul(a, b, F32, extend_params={"bias_tensor": bias})

    rng = np.random.default_rng(3)
    a, b, bias = (rng.standard_normal(s).astype(np.float32) for s in ((m, k), (k, n), (1, n)))
    found = []
    for threads in THREADS:
        o = np.zeros((m, n), np.float32)
        with openpto.configure(threads=threads):
            product(a, b, bias, o)
        np.testing.assert_allclose(o, a.astype(np.float64) @ b + bias, rtol=1e-4, atol=1e-4)
        found.append(o.tobytes())
    assert len(set(found)) == 1
    assert any("gemm" in line for r in regions_of(programs[0].body) for line in L.lines(r))


def test_long_element_loops_run_in_blocks_and_rows(programs, monkeypatch):
    monkeypatch.setattr(spread, "LEAST", 0)
    rows, cols = 1000, 130

    @pypto.jit
    def chain(
        x: pypto.Tensor([rows, cols], F32), o: pypto.Tensor([rows, cols], F32), t: pypto.Tensor([cols, rows], F32)
    ):
        pypto.set_vec_tile_shapes(64, 64)
        shifted = x - pypto.amax(x, -1, True)
        o[:] = shifted * 2.0 + 1.0
        pypto.set_vec_tile_shapes(64, 64)
        t[:] = pypto.transpose(x * 3.0, 0, 1)

    x = np.random.default_rng(4).standard_normal((rows, cols)).astype(np.float32)
    for threads in THREADS:
        o, t = np.zeros_like(x), np.zeros((cols, rows), np.float32)
        with openpto.configure(threads=threads):
            chain(x, o, t)
        assert (o == (x - x.max(1, keepdims=True)) * np.float32(2) + np.float32(1)).all()
        assert (t == (x * np.float32(3)).T).all()
    assert len(list(regions_of(programs[0].body))) >= 2
    assert problems(programs[0]) == []


@pytest.mark.parametrize("step", [1, 2, 3, 7, -1, -3])
@pytest.mark.parametrize(
    ("start", "stop"),
    [(0, 10), (0, 0), (5, -5), (-7, 8), (10, 0), (-(2**63), 2**63 - 1), (2**63 - 1, -(2**63)), (-5, 2**63 - 1)],
)
def test_trips_are_counted_exactly(start, stop, step):
    names = {"a": start, "b": stop}
    expected = min(len_of(range(start, stop, step)), 2**63 - 1)
    for low in (start, L.Slot("a")):
        for high in (stop, L.Slot("b")):
            counted = cost.trips(low, high, step)
            assert max(0, value(counted, names)) == expected


def len_of(numbers):
    """``len`` of a range of any length."""
    if not numbers:
        return 0
    return (numbers[-1] - numbers[0]) // numbers.step + 1


def wrapped(number):
    return (number + 2**63) % 2**64 - 2**63


def value(node, names):
    """An integer expression as the machine computes it."""
    if isinstance(node, int):
        return node
    if isinstance(node, L.Slot):
        return names[node.name]
    if isinstance(node, L.Pick):
        return value(node.then if value(node.cond, names) else node.other, names)
    a, b = value(node.left, names), value(node.right, names)
    if node.op in ("div", "mod"):
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return quotient if node.op == "div" else a - quotient * b
    if node.op == "subover":
        return int(wrapped(a - b) != a - b)
    exact = {"add": a + b, "sub": a - b, "mul": a * b, "lt": int(a < b), "max": max(a, b), "min": min(a, b)}
    return wrapped(exact[node.op])


def test_the_reference_agrees_on_a_local_that_iterations_share():
    @pypto.jit
    def shared(x: pypto.Tensor([D, 16], F32), o: pypto.Tensor([D, 16], F32)):
        pypto.set_vec_tile_shapes(8, 16)
        local = pypto.tensor([64, 16], F32, "local")
        for i in pypto.loop(8, name="write", idx_name="i"):
            local[8 * i : 8 * i + 8, :] = x[8 * i : 8 * i + 8, :] * 2.0
        for i in pypto.loop(8, name="read", idx_name="i"):
            o[8 * i : 8 * i + 8, :] = local[56 - 8 * i : 64 - 8 * i, :] + 1.0

    x = matrix(64)
    expected = (x * np.float32(2) + np.float32(1)).reshape(8, 8, 16)[::-1].reshape(64, 16)
    for threads in THREADS:
        o = np.zeros_like(x)
        with openpto.configure(threads=threads):
            shared(x, o)
        assert (o == expected).all()
