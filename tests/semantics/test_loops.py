"""pypto.loop: ranges, bounds, names, first and last iteration (semantics 4, core 4)."""

import contextlib
import io
import linecache
import textwrap

import numpy as np
import pytest
from semantics_support import F32, I32, D, T, blank, fails, jit, refused_by, warns, whole

import pypto


def counted(*bounds, **keywords):
    """The indices that `pypto.loop(*bounds)` visits, in order."""

    @jit
    def kernel(o: T([64], I32), n: T([1], I32)):
        n[0] = 0
        for i in pypto.loop(*bounds, **keywords):
            o[n[0]] = i
            n[0] = n[0] + 1

    o, n = np.full(64, UNSEEN, np.int32), np.zeros(1, np.int32)
    kernel(o, n)
    assert (o[n[0] :] == UNSEEN).all()
    return o[: n[0]].tolist()


UNSEEN = -12345


@pytest.mark.parametrize(
    "bounds",
    [
        (5,),
        (0,),
        (-3,),
        (1,),
        (2, 7),
        (7, 2),
        (3, 3),
        (0, 10, 3),
        (1, 10, 4),
        (-4, 5, 2),
        (10, 0, -1),
        (10, 0, -3),
        (0, 10, -1),
        (True,),
    ],
    ids=str,
)
def test_ranges(bounds):
    """A loop body runs once per index of Python's range, in order."""
    assert counted(*bounds) == list(range(*bounds))


@pytest.mark.parametrize("bounds", [(0, 7, 1), (2, 9, 3), (5, 5, 1), (6, 0, -2), (0, -3, 1)], ids=str)
def test_ranges_with_run_time_bounds(bounds):
    """The same with bounds read from a tensor; symbolic steps are legal."""

    @jit
    def kernel(b: T([3], I32), o: T([64], I32), n: T([1], I32)):
        n[0] = 0
        for i in pypto.loop(b[0], b[1], b[2], name="L", idx_name="i"):
            o[n[0]] = i
            n[0] = n[0] + 1

    o, n = np.full(64, UNSEEN, np.int32), np.zeros(1, np.int32)
    kernel(np.array(bounds, np.int32), o, n)
    assert o[: n[0]].tolist() == list(range(*bounds))


def test_bounds_from_shapes():
    """Bounds may be derived from dynamic shapes, products of them included."""

    @jit
    def kernel(x: T([D, D], F32), o: T([1], I32)):
        o[0] = 0
        b, t = x.shape
        for _ in pypto.loop(b * t // 2, name="L", idx_name="i"):
            o[0] = o[0] + 1

    for shape in ((2, 3), (1, 1), (5, 4)):
        o = np.zeros(1, np.int32)
        kernel(np.zeros(shape, np.float32), o)
        assert o[0] == shape[0] * shape[1] // 2


def test_bounds_are_evaluated_once():
    """A write in the body does not change the number of iterations."""

    @jit
    def kernel(n: T([1], I32), o: T([1], I32)):
        o[0] = 0
        for i in pypto.loop(n[0], name="L", idx_name="i"):
            n[0] = 100
            o[0] = o[0] + 1

    n, o = np.array([3], np.int32), np.zeros(1, np.int32)
    kernel(n, o)
    assert o[0] == 3
    assert n[0] == 100


def test_step_zero():
    """Step 0 is an error: constant, and read at run time."""
    with fails("step"):
        counted(0, 5, 0)

    @jit
    def kernel(b: T([1], I32), o: T([1], I32)):
        o[0] = 0
        for i in pypto.loop(0, 5, b[0], name="L", idx_name="i"):
            o[0] = o[0] + 1

    with fails("step", line="pypto.loop(0, 5, b[0]"):
        kernel(np.zeros(1, np.int32), np.zeros(1, np.int32))


@pytest.mark.parametrize(
    ("bounds", "match"),
    [
        ((), "loop\\(\\) takes 1 to 3 positional arguments but 0 were given"),
        ((1, 2, 3, 4), "loop\\(\\) takes 1 to 3 positional arguments but 4 were given"),
        ((2.0,), "Invalid value type"),
        (([1, 2],), "Invalid value type"),
        ((range(3),), "Invalid value type"),
        (("a",), "Invalid value type"),
        ((pypto.DYNAMIC,), "Invalid value type"),
        ((None,), "Invalid value type"),
    ],
    ids=str,
)
def test_bounds_that_are_no_numbers(bounds, match):
    """Bounds are ints or symbols."""
    with fails(match):
        counted(*bounds)


def test_keyword_bounds():
    """`loop(start=..)` has no positional bound."""
    with fails("loop\\(\\) takes 1 to 3 positional arguments but 0 were given"):
        counted(stop=3)


def test_unknown_keywords_warn():
    """Unknown loop keywords are ignored with a warning."""
    with warns("parallell"):
        assert counted(3, parallell=True) == [0, 1, 2]


def test_a_comparison_as_bound_counts():
    """A comparison as loop bound counts 0 or 1."""

    @jit
    def kernel(n: T([1], I32), o: T([1], I32)):
        o[0] = 0
        for _ in pypto.loop(n[0] > 2, name="L", idx_name="i"):
            o[0] = o[0] + 1

    for value, runs in ((3, 1), (2, 0)):
        o = np.zeros(1, np.int32)
        kernel(np.array([value], np.int32), o)
        assert o[0] == runs


def test_nested_loops():
    """Three nested loops, sixty inner iterations, each its own tile."""

    @jit
    def kernel(x: T([3, 4, 5, 8], F32), o: T([3, 4, 5, 8], F32)):
        pypto.set_vec_tile_shapes(1, 1, 1, 8)
        for i in pypto.loop(3, name="A", idx_name="i"):
            for j in pypto.loop(4, name="B", idx_name="j"):
                for k in pypto.loop(5, name="C", idx_name="k"):
                    t = pypto.view(x, [1, 1, 1, 8], [2 - i, j, k, 0])
                    pypto.assemble(t + 1.0, [i, j, k, 0], o)

    x, o = whole(3, 4, 5, 8), blank(3, 4, 5, 8)
    kernel(x, o)
    assert np.array_equal(o, x[::-1] + 1)


def test_inner_bound_depends_on_the_outer_index():
    """Triangular iteration."""

    @jit
    def kernel(o: T([6, 6], I32)):
        for i in pypto.loop(6, name="A", idx_name="i"):
            for j in pypto.loop(0, i + 1, name="B", idx_name="j"):
                o[i, j] = i * 10 + j

    o = np.full((6, 6), -1, np.int32)
    kernel(o)
    rows, cols = np.indices((6, 6))
    assert np.array_equal(o, np.where(cols <= rows, rows * 10 + cols, -1))


def test_same_idx_name_nested():
    """Nested loops with one idx_name: refused by 0.2 and 0.3 (duplicate name); one after the other is fine."""

    @jit
    def nested(o: T([4], I32)):
        for i in pypto.loop(2, name="A", idx_name="i"):
            for j in pypto.loop(2, name="B", idx_name="i"):
                o[i * 2 + j] = i * 10 + j

    def call():
        o = np.zeros(4, np.int32)
        nested(o)
        assert o.tolist() == [0, 1, 10, 11]

    refused_by(("0.2", "0.3"), "duplicate name of loop idx", call)

    @jit
    def sequential(o: T([4], I32)):
        for i in pypto.loop(2, name="A", idx_name="i"):
            o[i] = 1
        for j in pypto.loop(2, name="B", idx_name="i"):
            o[j + 2] = 2

    o = np.zeros(4, np.int32)
    sequential(o)
    assert o.tolist() == [1, 1, 2, 2]


def test_index_after_the_loop():
    """The index after the loop is not readable."""

    @jit
    def kernel(o: T([4], I32)):
        for i in pypto.loop(3, name="A", idx_name="i"):
            o[i] = 1
        o[3] = i

    with fails(r"\bi\b", line="o[3] = i"):
        kernel(np.zeros(4, np.int32))


def test_two_names_for_a_loop_index():
    """`for i, j in pypto.loop(n)` cannot be unpacked."""

    @jit
    def kernel(o: T([4], I32)):
        for i, j in pypto.loop(3):
            o[i] = j

    with fails("unpack|two names|SymbolicScalar|target"):
        kernel(np.zeros(4, np.int32))


def test_first_and_last_iteration():
    """is_loop_begin and is_loop_end, also when they are the same iteration."""

    @jit
    def kernel(b: T([3], I32), o: T([32, 2], I32)):
        for i in pypto.loop(b[0], b[1], b[2], name="L", idx_name="i"):
            o[i, 0] = pypto.is_loop_begin(i)
            o[i, 1] = pypto.is_loop_end(i)

    for bounds in ((0, 5, 1), (3, 4, 1), (1, 10, 4), (2, 9, 3), (9, 0, -4), (5, 5, 1)):
        o = np.full((32, 2), -1, np.int32)
        kernel(np.array(bounds, np.int32), o)
        indices = list(range(*bounds))
        want = np.full((32, 2), -1, np.int32)
        for index in indices:
            want[index] = index == indices[0], index == indices[-1]
        assert np.array_equal(o, want), bounds


def test_begin_and_end_in_expressions():
    """They are usable in any expression."""

    @jit
    def kernel(o: T([6], I32)):
        for i in pypto.loop(6, name="L", idx_name="i"):
            o[i] = pypto.is_loop_begin(i) * 10 + pypto.is_loop_end(i) * 20 + (1 - pypto.is_loop_end(i))

    o = np.zeros(6, np.int32)
    kernel(o)
    assert o.tolist() == [11, 1, 1, 1, 1, 20]


def test_begin_and_end_of_the_outer_loop():
    """First or last iteration of the loop that the index belongs to, wherever written; warn 0.3 in an inner loop, and
    0.2 in an expression."""

    @jit
    def tested(o: T([3, 4], I32)):
        for i in pypto.loop(3, name="A", idx_name="i"):
            for j in pypto.loop(4, name="B", idx_name="j"):
                if pypto.is_loop_begin(i):
                    o[i, j] = 10
                else:
                    o[i, j] = 1

    @jit
    def counted(o: T([3, 4], I32)):
        for i in pypto.loop(3, name="A", idx_name="i"):
            for j in pypto.loop(4, name="B", idx_name="j"):
                o[i, j] = 10 * pypto.is_loop_end(j)

    def call(kernel, want):
        o = np.full((3, 4), -1, np.int32)
        kernel(o)
        assert np.array_equal(o, want)

    first, last = np.ones((3, 4)), np.zeros((3, 4))
    first[0], last[:, 3] = 10, 10
    refused_by(("0.3",), "innermost loop", lambda: call(tested, first), line="if pypto.is_loop_begin(i)")
    refused_by(("0.2",), "is_loop_end", lambda: call(counted, last), line="10 * pypto.is_loop_end(j)")


def test_begin_of_something_else():
    """The argument must be a loop index."""

    @jit
    def kernel(o: T([6], I32)):
        for i in pypto.loop(6, name="L", idx_name="i"):
            o[i] = pypto.is_loop_begin(i + 0 * 7 + 1)

    with fails("not loop index"):
        kernel(np.zeros(6, np.int32))


def test_begin_in_an_undecorated_helper():
    """In a plain helper: runs; warn 0.2."""

    def store(o, i):
        if pypto.is_loop_begin(i):
            o[i] = 100
        else:
            o[i] = 1

    @jit
    def kernel(o: T([4], I32)):
        for i in pypto.loop(4, name="L", idx_name="i"):
            store(o, i)

    def call():
        o = np.zeros(4, np.int32)
        kernel(o)
        assert o.tolist() == [100, 1, 1, 1]

    refused_by(("0.2",), "is_loop_begin|helper|frontend.function", call)


def test_begin_in_a_decorated_helper():
    """In a `frontend.function` helper there is nothing to warn of."""

    @pypto.frontend.function
    def store(o, i):
        if pypto.is_loop_begin(i):
            o[i] = 100
        else:
            o[i] = 1

    @jit
    def kernel(o: T([4], I32)):
        for i in pypto.loop(4, name="L", idx_name="i"):
            store(o, i)

    o = np.zeros(4, np.int32)
    kernel(o)
    assert o.tolist() == [100, 1, 1, 1]


def test_python_side_effects_happen_once():
    """Python side effects in a body happen once, at trace time."""

    @jit
    def kernel(o: T([8], I32)):
        for i in pypto.loop(8, name="L", idx_name="i"):
            print("traced")
            o[i] = i

    text = io.StringIO()
    o = np.full(8, -1, np.int32)
    with contextlib.redirect_stdout(text):
        kernel(o)
    assert o.tolist() == list(range(8))
    assert text.getvalue().count("traced") == 1


def test_submit_before_loop_and_names_change_nothing():
    """submit_before_loop, names and tile shapes never change a result."""

    def build(tile, **keywords):
        @jit
        def kernel(x: T([24, 8], F32), o: T([8, 8], F32), trace: T([24, 8], F32)):
            pypto.set_vec_tile_shapes(*tile)
            acc = pypto.full([8, 8], 1.0, F32)
            for k in pypto.loop(3, **keywords):
                acc[:] = acc * pypto.view(x, [8, 8], [k * 8, 0]) + 0.1
                trace[k * 8 : k * 8 + 8, 0:8] = acc * 1.0
            o[:] = acc

        return kernel

    x = np.random.default_rng(0).standard_normal((24, 8)).astype(np.float32)
    results = []
    for tile, keywords in (
        ((8, 8), {}),
        ((1, 8), {"name": "steps", "idx_name": "k"}),
        ((3, 8), {"submit_before_loop": True}),
        ((8, 8), {"unroll_list": [2, 1]}),
    ):
        o, trace = blank(8, 8), blank(24, 8)
        build(tile, **keywords)(x, o, trace)
        results.append(np.concatenate([o, trace]))
    wide = np.ones((8, 8))
    for k in range(3):
        wide = wide * x[k * 8 : k * 8 + 8].astype(np.float64) + 0.1
    np.testing.assert_allclose(results[0][:8], wide, rtol=1e-5, atol=1e-6)
    for result in results[1:]:
        assert np.array_equal(result, results[0])


def test_loop_else():
    """loop-else is refused by both toolchains."""

    @jit
    def kernel(o: T([4], I32)):
        for i in pypto.loop(4, name="L", idx_name="i"):
            o[i] = 1
        else:
            o[0] = 2

    with fails("else"):
        kernel(np.zeros(4, np.int32))


@pytest.mark.parametrize("word", ["break", "continue", "return"])
def test_jumps_in_a_loop(word):
    """break, continue and return in a pypto.loop are errors with the alternative."""
    source = textwrap.dedent(
        f"""
        import pypto
        @pypto.frontend.jit
        def kernel(o: pypto.Tensor([4], pypto.DT_INT32)):
            for i in pypto.loop(4, name="L", idx_name="i"):
                o[i] = 1
                {word}
        """
    )
    name = f"<jumps {word}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = {"__name__": "jumps"}
    exec(compile(source, name, "exec"), space)
    with fails(word, line=word):
        space["kernel"](np.zeros(4, np.int32))


def test_loop_outside_a_kernel():
    """A loop outside a kernel is a coded error."""
    with fails("kernel|loop"):
        for _ in pypto.loop(3):
            pass


def test_range_of_a_symbol():
    """range of a symbol: an error that names pypto.loop."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([4], I32)):
        for i in range(x.shape[0]):
            o[i] = 1

    with fails("pypto.loop", line="for i in range(x.shape[0])"):
        kernel(whole(4, 8), np.zeros(4, np.int32))


def test_python_loops_unroll():
    """range, lists, tuples, enumerate, zip and dicts are ordinary Python at trace time, break and continue included."""

    @jit
    def kernel(o: T([8], I32)):
        for i in range(2):
            o[i] = i + 1
        for i, value in enumerate([30, 40]):
            o[2 + i] = value
        for at, value in zip((4, 5), (50, 60)):
            o[at] = value
        for at, value in {6: 70, 7: 80, 8: 90}.items():
            if at == 8:
                break
            if at == 6:
                o[6] = 71
                continue
            o[at] = value

    o = np.zeros(8, np.int32)
    kernel(o)
    assert o.tolist() == [1, 2, 30, 40, 50, 60, 71, 80]
