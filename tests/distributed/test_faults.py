"""Ranks that wait in vain, fail, race or disagree: one coded stop that says where everybody is."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import openpto
import pypto
from openpto import distributed
from pypto import DT_FP32, AtomicType, PyptoError

D = pypto.distributed
pytestmark = pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
T = pypto.Tensor([8, 16], DT_FP32)
once = pytest.mark.skipif(
    os.environ.get("PYPTO_TEST_ENGINES") == "both", reason="which access comes second differs from run to run"
)


def tensors():
    return np.ones((8, 16), np.float32), np.zeros((8, 16), np.float32)


def stop(kernel, ranks, **how):
    """The error of a launch in which every rank calls the kernel, and the error of each rank."""
    errors = {}

    def main(rank):
        try:
            kernel(*tensors())
        except PyptoError as error:
            errors[rank] = error
            raise

    with pytest.raises(PyptoError) as caught:
        distributed.launch(main, ranks, **how)
    assert caught.value.fault
    return caught.value, errors


def line_of(word):
    """The line of this file that holds a word (in a comment)."""
    with open(__file__, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if line.rstrip().endswith(f"# {word}"))


def flat(error):
    return " ".join(str(error).replace("|", " ").split())


def test_ranks_that_wait_in_a_circle():
    @pypto.frontend.jit
    def kernel(x: T, out: T):
        pypto.set_vec_tile_shapes(8, 16)
        me = D.my_symbolic_pe("ring")
        s = D.create_shmem_signal("ring", 4)
        for step in pypto.loop(3, name="STEPS", idx_name="step"):
            if step == 2:
                D.shmem_wait_until(s, (me + 1) % 4, 7)  # circle
        D.shmem_signal(s, me, 7, target_pe=-1)
        out[:] = x + 1.0

    error, errors = stop(kernel, 4)
    assert {e.code for e in errors.values()} == {"PTO472"}
    assert error is errors[0]
    line = line_of("circle")
    assert error.site.span.line == line
    assert error.site.loops[0].value == 2
    text = flat(error)
    assert "4 rank(s) wait" in text
    for rank in range(4):
        at = f"test_faults.py:{line} (step = 2)"
        assert f"rank {rank} at" in text
        assert f"{at} waits until the signal of PE {(rank + 1) % 4} in ring#0 is 7; it is 0" in text


def test_a_signal_that_nobody_sends():
    @pypto.frontend.jit
    def kernel(x: T, out: T):
        pypto.set_vec_tile_shapes(8, 16)
        me = D.my_symbolic_pe("tp")
        s = D.create_shmem_signal("tp", 3)
        if me == 0:
            D.shmem_wait_until(s, 2, 1)  # missing
        out[:] = x + 1.0

    error, errors = stop(kernel, 3)
    assert list(errors) == [0]
    assert error.site.span.line == line_of("missing")
    text = flat(error)
    assert "waits until the signal of PE 2 in tp#0 is 1; it is 0" in text
    assert "rank 1 has ended" in text
    assert "rank 2 has ended" in text


def test_a_value_that_does_not_fit():
    """SET and ADD mixed up: the signals are shown, tile by tile where they differ."""

    @pypto.frontend.jit
    def kernel(x: T, out: T):
        pypto.set_vec_tile_shapes(8, 16)
        me = D.my_symbolic_pe("tp")
        m = D.create_shmem_tensor("tp", 2, DT_FP32, [8, 16])
        D.shmem_signal(m, me, 2, [4, 16], [0, 0], target_pe=1 - me)
        D.shmem_signal(m, me, 2, [4, 16], [0, 0], target_pe=1 - me, sig_op=AtomicType.ADD)
        D.shmem_wait_until(m, 1 - me, 2, [6, 16], [0, 0])
        out[:] = x + 1.0

    error, _ = stop(kernel, 2)
    assert error.code == "PTO472"
    assert "in tp#0 [0:6, 0:16] is 2; they are [0:4, 0:16]: 4, [4:6, 0:16]: 0" in flat(error)


def test_a_barrier_that_a_rank_leaves_out():
    @pypto.frontend.jit
    def kernel(x: T, out: T):
        pypto.set_vec_tile_shapes(8, 16)
        s = D.create_shmem_signal("tp", 4)
        if D.my_symbolic_pe("tp") != 2:
            D.shmem_barrier_all(s)
        out[:] = x + 1.0

    error, errors = stop(kernel, 4)
    assert sorted(errors) == [0, 1, 3]
    assert "all PEs are in the barrier of tp#0; missing: PE 2" in flat(error)


def test_a_group_that_is_stuck_while_others_run():
    """It is told at once, not when the other ranks have ended."""
    told = threading.Event()

    @pypto.frontend.jit
    def kernel(x: T, out: T):
        pypto.set_vec_tile_shapes(8, 16)
        s = D.create_shmem_signal("pair", 2)
        D.shmem_wait_until(s, 0, 1)
        out[:] = x + 1.0

    def main(rank):
        if rank > 1:
            return told.wait(30)
        try:
            kernel(*tensors())
        except PyptoError as error:
            assert error.code == "PTO472"
            assert "rank 3" not in str(error)
            told.set()
        return True

    assert all(distributed.launch(main, 4, groups={"pair": [[0, 1], [2, 3]]}))


def test_ranks_that_still_may_be_reached_are_not_lost():
    """Rank 0 waits for rank 1, which waits in another group for rank 2, which is slow."""

    @pypto.frontend.jit
    def kernel(x: T, out: T):
        pypto.set_vec_tile_shapes(8, 16)
        first, second = D.create_shmem_signal("a", 2), D.create_shmem_signal("b", 2)
        D.shmem_barrier_all(second)
        D.shmem_barrier_all(first)
        out[:] = x + 1.0

    @pypto.frontend.jit
    def outer(x: T, out: T):
        pypto.set_vec_tile_shapes(8, 16)
        D.shmem_barrier_all(D.create_shmem_signal("a", 2))
        out[:] = x + 1.0

    @pypto.frontend.jit
    def slow(x: T, out: T):
        pypto.set_vec_tile_shapes(8, 16)
        D.shmem_barrier_all(D.create_shmem_signal("b", 2))
        out[:] = x + 1.0

    def main(rank):
        time.sleep(0.2 if rank == 2 else 0)
        (outer, kernel, slow)[rank](*tensors())

    distributed.launch(main, 3, groups={"a": [0, 1], "b": [1, 2]})


def test_a_rank_that_fails_releases_the_others():
    @pypto.frontend.jit
    def kernel(x: T, out: T):
        pypto.set_vec_tile_shapes(8, 16)
        me = D.my_symbolic_pe("tp")
        s = D.create_shmem_signal("tp", 3)
        if me == 1:
            y = pypto.tensor([8, 16], DT_FP32, "y")
            y[0:4, :] = x[0:4, :]
            out[:] = y  # undefined
        else:
            D.shmem_wait_until(s, 1, 1)
            out[:] = x + 1.0

    error, errors = stop(kernel, 3)
    assert error.code == "PTO401"
    assert error is errors[1]
    for rank in (0, 2):
        assert errors[rank].code == "PTO473"
        assert f"rank 1 ended with PTO401 at tests/distributed/test_faults.py:{line_of('undefined')}" in flat(
            errors[rank]
        )


def test_an_error_of_the_host_releases_the_others():
    @pypto.frontend.jit
    def kernel(x: T, out: T):
        pypto.set_vec_tile_shapes(8, 16)
        D.shmem_barrier_all(D.create_shmem_signal("tp", 2))
        out[:] = x + 1.0

    seen = []

    def main(rank):
        if rank == 1:
            raise KeyError("no such model")
        try:
            kernel(*tensors())
        except PyptoError as error:
            seen.append(error)
            raise

    with pytest.raises(KeyError, match="no such model") as caught:
        distributed.launch(main, 2)
    assert seen[0].code == "PTO473"
    assert "rank 1 ended with KeyError: 'no such model'" in flat(seen[0])
    if hasattr(caught.value, "__notes__"):
        assert caught.value.__notes__ == ["on rank 1 of 2"]


def test_launches_after_a_failed_one_are_clean():
    @pypto.frontend.jit
    def kernel(x: T, out: T):
        pypto.set_vec_tile_shapes(8, 16)
        D.shmem_barrier_all(D.create_shmem_signal("tp", 2))
        out[:] = x + 1.0

    def main(rank, both):
        if both or rank == 0:
            kernel(*tensors())
        return rank

    with pytest.raises(PyptoError, match="missing: PE 1"):
        distributed.launch(main, 2, (False,))
    assert distributed.launch(main, 2, (True,)) == [0, 1]


@once
@pytest.mark.parametrize("late", [0, 1])
def test_a_look_that_nothing_orders_is_a_race(late):
    """Whichever rank is faster, the second access stops."""

    @pypto.frontend.jit
    def reader(x: T, out: T):
        pypto.set_vec_tile_shapes(8, 16)
        m = D.create_shmem_tensor("tp", 2, DT_FP32, [8, 16])
        out[0:4, :] = D.shmem_get(m, 1, [4, 16], [4, 0])  # reader
        out[4:8, :] = x[4:8, :] + 1.0

    @pypto.frontend.jit
    def writer(x: T, out: T):
        pypto.set_vec_tile_shapes(8, 16)
        m = D.create_shmem_tensor("tp", 2, DT_FP32, [8, 16])
        D.shmem_put(x, [0, 0], m, 1)  # writer
        out[:] = x + 1.0

    def ordered(rank):
        time.sleep(0.15 if rank == late else 0)
        (writer, reader)[rank](*tensors())

    with pytest.raises(PyptoError) as caught:
        distributed.launch(ordered, 2)
    text = flat(caught.value)
    if late == 1:
        assert caught.value.code == "PTO476"
        assert caught.value.site.span.line == line_of("reader")
        assert "rank 1 reads [4:8, 0:16] of PE 1 in tp#0, rank 0 writes [0:8, 0:16] at" in text
        assert f"test_faults.py:{line_of('writer')}, and nothing orders the two" in text
    else:  # the reader found elements that nobody had written
        assert caught.value.code == "PTO401"


def test_elements_that_nobody_has_put_are_undefined():
    @pypto.frontend.jit
    def kernel(x: T, out: T):
        pypto.set_vec_tile_shapes(8, 16)
        me = D.my_symbolic_pe("tp")
        m = D.create_shmem_tensor("tp", 2, DT_FP32, [8, 16])
        D.shmem_put(x[0:4, :], [0, 0], m, 1 - me)
        D.shmem_put(x[0:4, :], [2, 0], m, 1 - me, put_op=AtomicType.ADD)
        D.shmem_barrier_all(m)
        out[0:4, :] = D.shmem_get(m, me, [4, 16], [0, 0])
        out[4:8, :] = D.shmem_get(m, me, [4, 16], [4, 0])  # not put

    error, _ = stop(kernel, 2)
    assert error.code == "PTO401"
    assert error.site.span.line == line_of("not put")
    assert "element [4, 0] of out" in flat(error)


@once
def test_additions_may_meet_but_not_a_set():
    @pypto.frontend.jit
    def kernel(x: T, out: T):
        pypto.set_vec_tile_shapes(8, 16)
        m = D.create_shmem_tensor("tp", 2, DT_FP32, [8, 16])
        if D.my_symbolic_pe("tp") == 0:
            D.shmem_put(x, [0, 0], m, 0, put_op=AtomicType.ADD)
        else:
            D.shmem_put(x, [0, 0], m, 0)
        out[:] = x + 1.0

    error, _ = stop(kernel, 2)
    assert error.code == "PTO476"
    assert {"adds to", "writes"} == {error.fields["action"], error.fields["other_action"]}


def test_ranks_that_ask_for_different_memory():
    @pypto.frontend.jit
    def kernel(x: T, out: T):
        pypto.set_vec_tile_shapes(8, 16)
        if D.my_symbolic_pe("tp") == 0:
            D.create_shmem_tensor("tp", 2, DT_FP32, [8, 16])
        else:
            D.create_shmem_tensor("tp", 2, DT_FP32, [8, 8])
        out[:] = x + 1.0

    error, _ = stop(kernel, 2)
    assert error.code == "PTO474"
    assert "FP32[8, 16] for 2 PEs" in flat(error)
    assert "FP32[8, 8] for 2 PEs" in flat(error)


def test_outside_of_a_launch():
    @pypto.frontend.jit
    def kernel(x: T, out: T):
        pypto.set_vec_tile_shapes(8, 16)
        m = D.create_shmem_tensor("tp", 2, DT_FP32, [8, 16])  # outside
        out[:] = D.shmem_get(m, 0)

    with pytest.raises(PyptoError) as caught:
        kernel(*tensors())
    assert caught.value.code == "PTO470"
    assert caught.value.site.span.line == line_of("outside")
    assert "openpto.distributed.launch" in flat(caught.value)
    for call in (distributed.rank, distributed.world_size):
        with pytest.raises(PyptoError, match="PTO470"):
            call()


PLACES = {
    "another size": (lambda m, x: D.create_shmem_tensor("tp2", 3, DT_FP32, [8, 16]), "PTO475", "2 members and n_pes"),
    "no member": (lambda m, x: D.my_symbolic_pe("other"), "PTO475", "rank 0 is not one of its members"),
    "get from PE 2": (lambda m, x: D.shmem_get(m, D.my_symbolic_pe("tp") + 2), "PTO471", "src_pe is 2"),
    "put to PE -1": (lambda m, x: D.shmem_put(x, [0, 0], m, D.my_symbolic_pe("tp") - 1), "PTO471", "dst_pe is -1"),
    "signal to PE -1": (
        lambda m, x: D.shmem_signal(m, 0, 1, target_pe=D.my_symbolic_pe("tp") - 1), "PTO471", "target_pe is -1"
    ),
    "signal about PE 5": (
        lambda m, x: D.shmem_signal(m, D.my_symbolic_pe("tp") + 5, 1, target_pe=0), "PTO471", "src_pe is 5"
    ),
    "wait for PE 9": (lambda m, x: D.shmem_wait_until(m, D.my_symbolic_pe("tp") + 9, 1), "PTO471", "src_pe is 9"),
    "put past the end": (lambda m, x: D.shmem_put(x, [1, 0], m, 0), "PTO477", "elements 1:9 on axis 0 of tp#0"),
    "put before the start": (
        lambda m, x: D.shmem_put(x, [0, D.my_symbolic_pe("tp") - 1], m, 0), "PTO477", "elements -1:15 on axis 1"
    ),
    "put past a window": (
        lambda m, x: D.shmem_put(x, [0, 0], D.shmem_view(m, [4, 16], [0, 0]), 0), "PTO477", "which has 4 there"
    ),
    "window before the start": (
        lambda m, x: D.shmem_get(m, 0, [4, 16], [D.my_symbolic_pe("tp") - 1, 0]), "PTO450", "-1"
    ),
    "window past what is valid": (
        lambda m, x: D.shmem_view(m, [4, 16], [D.my_symbolic_pe("tp") + 6, 0], valid_shape=[4, 16]), "PTO451", "4"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PLACES)
def test_numbers_that_lead_outside(name):
    call, code, words = PLACES[name]

    @pypto.frontend.jit
    def kernel(x: T, out: T):
        pypto.set_vec_tile_shapes(8, 16)
        m = D.create_shmem_tensor("tp", 2, DT_FP32, [8, 16])
        call(m, x)
        out[:] = x + 1.0

    errors = {}

    def main(rank):
        if rank == 0:
            try:
                kernel(*tensors())
            except PyptoError as error:
                errors[0] = error

    distributed.launch(main, 2, groups={"tp": [0, 1], "tp2": [0, 1], "other": [1]})
    assert errors[0].code == code, str(errors[0])
    assert errors[0].fault
    assert words in flat(errors[0])
    assert errors[0].site.span.file == __file__


@pytest.mark.parametrize(
    ("ranks", "groups", "words"),
    [
        (0, None, r"in \[1, 256\], got 0"),
        (257, None, "got 257"),
        ("2", None, "must be an int"),
        (2, {"a": [0, 2]}, "from 0 to 1"),
        (2, {"a": []}, "from 0 to 1"),
        (2, {"a": [[0, 1], [1]]}, "twice"),
        (2, {"a": 1}, "from 0 to 1"),
    ],
)
def test_launches_that_make_no_sense(ranks, groups, words):
    with pytest.raises(PyptoError, match=words) as caught:
        distributed.launch(lambda rank: None, ranks, groups=groups)
    assert caught.value.code == "PTO540"


def test_a_rank_does_not_launch_others():
    with pytest.raises(PyptoError, match="inside of a rank") as caught:
        distributed.launch(lambda rank: distributed.launch(lambda r: None, 1), 1)
    assert caught.value.code == "PTO540"


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_interrupt_from_the_keyboard(engine):
    """A rank that waits for one that is busy elsewhere is stopped."""

    @pypto.frontend.jit
    def kernel(x: T, out: T):
        pypto.set_vec_tile_shapes(8, 16)
        D.shmem_barrier_all(D.create_shmem_signal("tp", 2))
        out[:] = x + 1.0

    ended = threading.Event()
    stopped = []

    def main(rank):
        if rank == 1:
            time.sleep(0.3)
            os.kill(os.getpid(), signal.SIGINT)
            ended.wait(20)
            return
        try:
            kernel(*tensors())
        except KeyboardInterrupt:
            stopped.append(rank)
            ended.set()

    with pytest.raises(KeyboardInterrupt):
        distributed.launch(main, 2)
    assert stopped == [0]


def test_faults_are_the_same_on_both_engines(engine):
    """The text too, apart from which rank is first."""

    @pypto.frontend.jit
    def kernel(x: T, out: T):
        pypto.set_vec_tile_shapes(8, 16)
        s = D.create_shmem_signal("tp", 2)
        for i in pypto.loop(4, name="L", idx_name="i"):
            D.shmem_signal(s, i % 2, 5, target_pe=D.my_symbolic_pe("tp"))
            D.shmem_wait_until(s, (i + 1) % 2, 0)
        out[:] = x + 1.0

    texts = []
    for name in ("reference", "native"):
        with openpto.configure(engine=name):
            error, _ = stop(kernel, 2)
            texts.append((error.code, str(error), error.site))
    assert texts[0] == texts[1]
    assert "(i = 1)" in texts[0][1]
