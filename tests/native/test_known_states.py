"""What the engine knows of tiles while compiling: full chunks, declared tensors, what the first iteration leaves.

Each kernel runs on both engines; values come from numpy. The loop IR shows whether marks of undefined elements
(BOOL memory) were written for nothing.
"""

import warnings

import numpy as np
import pytest

import openpto
import pypto
from openpto.runtime.native import engine
from openpto.runtime.native import loopir as L

F32, D = pypto.DT_FP32, pypto.DYNAMIC
WIDTH = 16


def run(kernel, *arrays):
    """(outcome, last array) of a kernel on both engines, which must agree; the outcome names codes of warnings and
    faults."""
    results = []
    for name in ("reference", "native"):
        own = [a.copy() for a in arrays]
        with openpto.configure(engine=name), warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                kernel(*own)
                found = "done"
                assert kernel.last_run.engine == name
            except pypto.PyptoError as error:
                found = error.code
        results.append(((found, *sorted(w.message.code for w in told)), own[-1]))
    assert results[0][0] == results[1][0]
    np.testing.assert_array_equal(results[0][1], results[1][1])
    return results[1]


def loop_text(kernel, *arrays):
    """The loop IR of a kernel."""
    return L.text(engine.lower(kernel.lower(*arrays)).program)


@pypto.frontend.jit
def running_largest(x: pypto.Tensor([D, WIDTH], F32), o: pypto.Tensor([1, WIDTH], F32)):
    """The largest row, element by element; no row, no value."""
    pypto.set_vec_tile_shapes(1, WIDTH)
    best = pypto.tensor([1, WIDTH], F32, "best")
    for i in pypto.loop(x.shape[0], name="I", idx_name="i"):
        row = pypto.view(x, [1, WIDTH], [i, 0])
        if pypto.is_loop_begin(i):
            best[:] = row
        else:
            best[:] = pypto.maximum(best, row)
    o[:] = best


@pytest.mark.parametrize("rows", [1, 2, 7])
def test_what_the_first_iteration_leaves_is_known_to_the_others(rows):
    """No mark is read in the loop, and the largest is right."""
    x = np.random.default_rng(rows).standard_normal((rows, WIDTH)).astype(np.float32)
    outcome, out = run(running_largest, x, np.zeros((1, WIDTH), np.float32))
    assert outcome == ("done",)
    np.testing.assert_array_equal(out, x.max(0, keepdims=True))
    text = loop_text(running_largest, x, out)
    body = text[text.index("for i.") :]
    assert "BOOL" not in body[: body.index("else:")].split("if ")[0]
    assert not [line for line in body.splitlines() if "= max" in line and "BOOL" in line]


def test_a_loop_without_iterations_leaves_nothing():
    """The declared tensor was never written."""
    outcome, _ = run(running_largest, np.zeros((0, WIDTH), np.float32), np.zeros((1, WIDTH), np.float32))
    assert outcome == ("PTO403",)


@pypto.frontend.jit
def shrinking(x: pypto.Tensor([8, WIDTH], F32), o: pypto.Tensor([8, WIDTH], F32)):
    """Every later iteration leaves one row less."""
    pypto.set_vec_tile_shapes(8, WIDTH)
    kept = pypto.tensor([8, WIDTH], F32, "kept")
    for i in pypto.loop(3, name="I", idx_name="i"):
        if pypto.is_loop_begin(i):
            kept[:] = x
        else:
            kept[:] = pypto.view(kept, [8, WIDTH], [1, 0])
    o[:] = kept


def test_later_iterations_that_leave_something_else():
    """What the first iteration leaves is no promise of the others."""
    x = np.arange(8 * WIDTH, dtype=np.float32).reshape(8, WIDTH)
    outcome, out = run(shrinking, x, np.full((8, WIDTH), -1, np.float32))
    assert outcome[0] == "done"
    np.testing.assert_array_equal(out[:6], x[2:])
    assert (out[6:] == -1).all()


@pypto.frontend.jit
def first_skips(x: pypto.Tensor([D, WIDTH], F32), o: pypto.Tensor([D, WIDTH], F32)):
    """The first iteration writes nothing, so the second reads nothing."""
    pypto.set_vec_tile_shapes(1, WIDTH)
    held = pypto.tensor([1, WIDTH], F32, "held")
    for i in pypto.loop(x.shape[0], name="I", idx_name="i"):
        if not pypto.is_loop_begin(i):
            pypto.assemble(held + 1.0, [i, 0], o)
            held[:] = pypto.view(x, [1, WIDTH], [i, 0])


@pytest.mark.parametrize(("rows", "code"), [(1, "done"), (3, "PTO403")])
def test_a_first_iteration_that_writes_nothing(rows, code):
    """The fault of the second iteration stays."""
    x = np.ones((rows, WIDTH), np.float32)
    assert run(first_skips, x, np.zeros_like(x))[0][0] == code


@pypto.frontend.jit
def chunks(x: pypto.Tensor([D, WIDTH], F32), o: pypto.Tensor([D, WIDTH], F32)):
    """Chunks of four rows; the last is filled up."""
    pypto.set_vec_tile_shapes(4, WIDTH)
    for i in pypto.loop(0, x.shape[0], 4, name="I", idx_name="i"):
        live = (x.shape[0] - i).min(4)
        part = pypto.view(x, [4, WIDTH], [i, 0], valid_shape=[live, WIDTH])
        if pypto.is_loop_end(i):
            part = pypto.fillpad(part, "constant", 0.0)
        part = part - pypto.sum(part, 0, True)
        pypto.assemble(pypto.view(part, [4, WIDTH], [0, 0], valid_shape=[live, WIDTH]), [i, 0], o)


@pytest.mark.parametrize("rows", [0, 1, 4, 5, 11])
def test_chunks_but_the_last_are_full(rows):
    """After the branch all four rows are there: their count is a number in the program."""
    x = np.arange(rows * WIDTH, dtype=np.float32).reshape(rows, WIDTH)
    outcome, out = run(chunks, x, np.zeros_like(x))
    assert outcome == ("done",)
    for i in range(0, rows, 4):
        np.testing.assert_array_equal(out[i : i + 4], x[i : i + 4] - x[i : i + 4].sum(0, keepdims=True))
    text = loop_text(chunks, x, out)
    assert "valid." not in text


@pypto.frontend.jit
def quarters(x: pypto.Tensor([8, WIDTH], F32), o: pypto.Tensor([8, WIDTH], F32)):
    """A declared tensor that four stores fill."""
    pypto.set_vec_tile_shapes(8, WIDTH)
    whole = pypto.tensor([8, WIDTH], F32, "whole")
    for k in range(4):
        whole[2 * k : 2 * k + 2, :] = x[6 - 2 * k : 8 - 2 * k, :]
    o[:] = whole * 2.0


@pypto.frontend.jit
def three_quarters(x: pypto.Tensor([8, WIDTH], F32), o: pypto.Tensor([8, WIDTH], F32)):
    """One store is missing."""
    pypto.set_vec_tile_shapes(8, WIDTH)
    whole = pypto.tensor([8, WIDTH], F32, "whole")
    for k in range(3):
        whole[2 * k : 2 * k + 2, :] = x[6 - 2 * k : 8 - 2 * k, :]
    o[:] = whole * 2.0


def test_stores_that_fill_a_declared_tensor():
    """No marks at all; with a store missing they are there, and tell which element has no value."""
    x = np.arange(8 * WIDTH, dtype=np.float32).reshape(8, WIDTH)
    zero = np.zeros_like(x)
    outcome, out = run(quarters, x, zero)
    assert outcome == ("done",)
    np.testing.assert_array_equal(out, np.concatenate([x[6:], x[4:6], x[2:4], x[:2]]) * 2.0)
    assert "BOOL" not in loop_text(quarters, x, zero)
    assert run(three_quarters, x, zero)[0] == ("PTO401", "PTO431")


@pypto.frontend.jit
def in_one_branch(x: pypto.Tensor([D, WIDTH], F32), o: pypto.Tensor([8, WIDTH], F32)):
    """A declared tensor that only one side of a branch fills."""
    pypto.set_vec_tile_shapes(8, WIDTH)
    whole = pypto.tensor([8, WIDTH], F32, "whole")
    whole[0:4, :] = x[0:4, :]
    if x.shape[0] > 6:
        whole[4:8, :] = x[2:6, :]
    o[:] = whole


@pytest.mark.parametrize(("rows", "code"), [(7, "done"), (6, "PTO401")])
def test_a_branch_that_fills_the_rest(rows, code):
    """The other side leaves the tensor with undefined elements."""
    x = np.arange(rows * WIDTH, dtype=np.float32).reshape(rows, WIDTH)
    outcome, out = run(in_one_branch, x, np.zeros((8, WIDTH), np.float32))
    assert outcome[0] == code
    if code == "done":
        np.testing.assert_array_equal(out, np.concatenate([x[:4], x[2:6]]))


@pytest.mark.parametrize("rows", [1, 2, 5, 7])
def test_extents_known_inside_of_a_loop_are_not_known_behind_it(rows):
    """The loop runs downwards from more than four rows, so that its body has two whole rows of the window; behind it,
    where it may not have run, there may be one."""

    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([D, 8], F32), at: pypto.Tensor([1], pypto.DT_INT32), o: pypto.Tensor([D, 8], F32)):
        pypto.set_vec_tile_shapes(8, 8)
        few = pypto.view(x, [2, 8], [0, 0])
        kept = few * 2.0
        for _ in pypto.loop(x.shape[0], 4, -1):
            for _ in pypto.loop(x.shape[0]):
                kept.move(few)
            few + kept
        pypto.assemble(few, [at[0], 0], o)

    x = np.arange(rows * 8, dtype=np.float32).reshape(rows, 8) + 1
    want = np.zeros((9, 8), np.float32)
    want[2 : 2 + min(rows, 2)] = x[:2]
    outcome, found = run(kernel, x, np.full(1, 2, np.int32), np.zeros((9, 8), np.float32))
    assert outcome[0] == "done"
    np.testing.assert_array_equal(found, want)


@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
@pytest.mark.parametrize("engine_name", ["reference", "native"])
def test_products_of_different_batches_tell_valid_extents(engine_name):
    """As the author wrote the operands: not transposed, and with the whole of k, of which the smaller extent counts."""

    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([D, 4, 8], F32), o: pypto.Tensor([4, 4, 16], F32)):
        pypto.set_vec_tile_shapes(4, 8, 16)
        pypto.set_cube_tile_shapes([16, 16], [32, 32], [32, 32])
        few = pypto.view(x, [4, 4, 8], [0, 0, 0], valid_shape=[x.shape[0], 4, x.shape[0] + 1])
        o[:] = pypto.matmul(few, pypto.full([4, 16, 8], 0.5, F32), F32, b_trans=True)

    x = np.ones((2, 4, 8), np.float32)
    with openpto.configure(engine=engine_name), pytest.raises(pypto.PyptoError, match="PTO462") as found:
        kernel(x, np.zeros((4, 4, 16), np.float32))
    assert "[2, 4, 3], [4, 16, 8]" in str(found.value)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("engine_name", ["reference", "native"])
def test_a_batch_that_is_repeated_must_be_there(engine_name, swapped):
    """Otherwise the result would be made of memory that nobody wrote. Where the other operand has no batch either
    there is nothing to compute."""

    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([D, 4, 4], F32), n: pypto.Tensor([D, 4], F32), o: pypto.Tensor([3, 4, 4], F32)):
        pypto.set_vec_tile_shapes(1, 4, 4)
        pypto.set_cube_tile_shapes([16, 16], [32, 32], [32, 32])
        one = pypto.view(x, [1, 4, 4], [0, 0, 0])
        many = pypto.view(o, [3, 4, 4], [0, 0, 0], valid_shape=[n.shape[0], 4, 4])
        product = pypto.matmul(many, one, F32) if swapped else pypto.matmul(one, many, F32)
        pypto.assemble(product, [0, 0, 0], o)

    x = np.arange(16, dtype=np.float32).reshape(1, 4, 4)
    o = np.arange(48, dtype=np.float32).reshape(3, 4, 4) - 20
    with openpto.configure(engine=engine_name):
        want, found = o.copy(), o.copy()
        want[:2] = o[:2] @ x if swapped else x @ o[:2]
        kernel(x, np.zeros((2, 4), np.float32), found)
        np.testing.assert_array_equal(found, want)
        kernel(x[:0], np.zeros((0, 4), np.float32), found)
        np.testing.assert_array_equal(found, want)
        with pytest.raises(pypto.PyptoError, match="PTO462") as fault:
            kernel(x[:0], np.zeros((2, 4), np.float32), found)
    assert fault.value.fields["shapes"] == ("[2, 4, 4], [0, 4, 4]" if swapped else "[0, 4, 4], [2, 4, 4]")
    assert fault.value.fields["want"] == "a valid batch in the operand that is repeated"


@pypto.frontend.jit
def heads_apart(x: pypto.Tensor([D, 2, 128], F32), w: pypto.Tensor([128, 16], F32), o: pypto.Tensor([D, 2, 16], F32)):
    """Every head of x times w, sixteen rows at a time; the rows of a head are not neighbours."""
    pypto.set_vec_tile_shapes(16, 1, 128)
    pypto.set_cube_tile_shapes([16, 16], [128, 128], [16, 16])
    for head in pypto.loop(2, name="HEAD", idx_name="head"):
        for row in pypto.loop(0, x.shape[0], 16, name="ROW", idx_name="row"):
            live = (x.shape[0] - row).min(16)
            part = pypto.view(x, [16, 1, 128], [row, head, 0], valid_shape=[live, 1, 128])
            flat = pypto.reshape(part, [16, 128], valid_shape=[live, 128])
            made = pypto.matmul(flat, w, F32)
            pypto.assemble(pypto.reshape(made, [16, 1, 16], valid_shape=[live, 1, 16]), [row, head, 0], o)


@pytest.mark.parametrize("rows", [1, 16, 37])
def test_a_reshape_that_drops_an_axis_copies_nothing(rows):
    """It looks at the rows where they are, also where the block is cut."""
    rng = np.random.default_rng(rows)
    x, w = rng.standard_normal((rows, 2, 128), dtype=np.float32), rng.standard_normal((128, 16), dtype=np.float32)
    outcome, out = run(heads_apart, x, w, np.zeros((rows, 2, 16), np.float32))
    assert outcome == ("done",)
    np.testing.assert_allclose(out, x.astype(np.float64) @ w, rtol=1e-4, atol=1e-4)
    assert ", 256, " in next(line for line in loop_text(heads_apart, x, w, out).splitlines() if "call gemm" in line)
