"""Parallel loops: boxes of different iterations must not meet where one of them writes."""

import numpy as np
import pytest

from openpto.diagnostics import PyptoError
from openpto.ir import expr as ex
from openpto.ir.dtypes import DataType
from openpto.runtime.reference.races import RaceLog

F32, I32 = DataType.DT_FP32, DataType.DT_INT32


def kernel(p, offset, *, read_output=False):
    x = np.ones((32, 16), np.float32)
    out = np.zeros((32, 16), np.float32)
    a, o = p.param("x", x), p.param("o", out)
    with p.loop(4, name="PAR", idx="i", parallel=True) as i:
        at = offset(i)
        window = p.view(o if read_output else a, [8, 16], [ex.binary("mul", i, 8), 0])
        p.store(p.add(window, 1.0), (at, 0), o)
    return out


def test_disjoint_iterations_run(p):
    out = kernel(p, lambda i: ex.binary("mul", i, 8))
    p.run()
    assert (out == 2).all()


def test_an_iteration_may_read_what_it_writes(p):
    out = kernel(p, lambda i: ex.binary("mul", i, 8), read_output=True)
    p.run()
    assert (out == 1).all()


def test_two_writers(p):
    kernel(p, lambda i: ex.binary("mul", i, 4))
    with pytest.raises(PyptoError) as caught:
        p.run()
    error = caught.value
    assert error.code == "PTO461"
    assert error.fault
    assert (error.fields["name"], error.fields["writer"], error.fields["other"]) == ("o", 0, 1)
    assert error.fields["box"] == "[4:8, 0:16]"
    assert error.fields["action"] == "writes"


def test_a_reader_of_what_another_iteration_writes(p):
    kernel(p, lambda i: ex.binary("mod", ex.binary("mul", ex.binary("add", i, 1), 8), 32), read_output=True)
    with pytest.raises(PyptoError) as caught:
        p.run()
    assert caught.value.code == "PTO461"
    assert caught.value.fields["action"] == "reads"


def test_a_carried_local_is_a_race(p):
    x, out = np.ones((32, 16), np.float32), np.zeros((8, 16), np.float32)
    a, o = p.param("x", x), p.param("o", out)
    total = p.full([8, 16], 0.0, F32)
    with p.loop(4, parallel=True) as i:
        p.move(p.add(total, p.view(a, [8, 16], [ex.binary("mul", i, 8), 0])), total)
    p.move(total, o)
    with pytest.raises(PyptoError) as caught:
        p.run()
    assert caught.value.code == "PTO461"


def test_locals_of_an_iteration_are_private(p):
    x, out = np.ones((32, 16), np.float32), np.zeros((32, 16), np.float32)
    a, o = p.param("x", x), p.param("o", out)
    with p.loop(4, parallel=True) as i:
        at = ex.binary("mul", i, 8)
        t = p.alloc([8, 16], F32)
        with p.loop(2, name="INNER", idx="j") as j:
            low = ex.binary("mul", j, 4)
            p.store(p.view(a, [4, 16], [ex.binary("add", at, low), 0]), (low, 0), t)
        p.store(t, (at, 0), o)
    p.run()
    assert (out == 1).all()


def test_one_parallel_loop_after_another(p):
    """What the first loop wrote is no race for the second."""
    x, out = np.ones((32, 16), np.float32), np.zeros((32, 16), np.float32)
    a, o = p.param("x", x), p.param("o", out)
    for _ in range(2):
        with p.loop(4, parallel=True) as i:
            at = ex.binary("mul", i, 8)
            p.store(p.add(p.view(a, [8, 16], [at, 0]), 1.0), (ex.binary("sub", 24, at), 0), o)
    p.run()
    assert (out == 2).all()


@pytest.mark.parametrize("seed", range(40))
def test_the_sweep_finds_what_comparing_all_pairs_finds(seed):
    rng = np.random.default_rng(seed)
    log = RaceLog(frozenset({1}))
    boxes = []
    for iteration in range(6):
        log.iteration = iteration
        for _ in range(3):
            low = tuple(int(v) for v in rng.integers(0, 20, 2))
            high = tuple(int(a + b) for a, b in zip(low, rng.integers(0, 5, 2)))
            writes = bool(rng.integers(0, 2))
            (log.write if writes else log.read)(1, low, high)
            boxes.append((iteration, low, high, writes))
    meets = [
        (later, earlier)
        for earlier, la, ha, wa in boxes
        for later, lb, hb, wb in boxes
        if earlier < later and (wa or wb) and all(max(a, b) < min(c, d) for a, b, c, d in zip(la, lb, ha, hb))
    ]
    race = log.first()
    if not meets:
        assert race is None
    else:
        assert race is not None
        assert min(meets) == (max(race.writer, race.other), min(race.writer, race.other))
