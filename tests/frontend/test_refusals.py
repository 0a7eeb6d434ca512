"""Coded stops of control flow, beside the examples that each rule carries itself."""

import functools
import os
import warnings

import numpy as np
import pytest

import pypto

F, I = pypto.DT_FP32, pypto.DT_INT32


def jit(function):
    """A kernel whose parameters are (x, n, out)."""
    function.__annotations__ = {"x": pypto.Tensor([8, 8], F), "n": pypto.Tensor([1], I), "out": pypto.Tensor([8, 8], F)}
    return pypto.frontend.jit(function)


def yields():
    yield 1


@jit
def try_statement(x, n, out):
    try:
        out[:] = x + 1.0
    finally:
        pass


@jit
def import_statement(x, n, out):
    import math

    out[:] = x * math.pi


@jit
def class_statement(x, n, out):
    class A:
        pass

    out[:] = x + 1.0


@jit
def global_statement(x, n, out):
    global COUNT
    COUNT = 1
    out[:] = x + 1.0


@jit
def nonlocal_statement(x, n, out):
    k = 1

    def inner():
        nonlocal k
        k = 2

    inner()
    out[:] = x + float(k)


@jit
def with_statement(x, n, out):
    with warnings.catch_warnings():
        out[:] = x + 1.0


@jit
def generator_helper(x, n, out):
    for k in yields():
        out[:] = x + float(k)


@jit
def while_else(x, n, out):
    while False:
        pass
    else:
        out[:] = x + 1.0


@jit
def early_return(x, n, out):
    out[:] = x + 1.0
    if x.shape[0] > 4:
        return
    out[:] = x


@pytest.mark.parametrize(
    ("kernel", "code", "phrase"),
    [
        (try_statement, "PTO110", "Try is not supported by the PTO parser yet"),
        (import_statement, "PTO110", "Import is not supported by the PTO parser yet"),
        (class_statement, "PTO110", "ClassDef is not supported by the PTO parser yet"),
        (global_statement, "PTO110", "Global is not supported by the PTO parser yet"),
        (nonlocal_statement, "PTO110", "Nonlocal is not supported by the PTO parser yet"),
        (with_statement, "PTO110", "With is not supported by the PTO parser yet"),
        (generator_helper, "PTO110", "Yield is not supported by the PTO parser yet"),
        (while_else, "PTO112", "While-else clauses are not supported"),
        (early_return, "PTO113", "Return statements are not allowed"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_syntax(kernel, code, phrase, refusal):
    error = refusal(kernel, code)
    assert phrase in str(error)
    assert error.site.span.file == __file__


@jit
def continue_in_loop(x, n, out):
    for i in pypto.loop(n[0]):
        if x.shape[0] == 8:
            continue
        out[:] = x + 1.0


def returns_early(x, c, out):
    for i in pypto.loop(c):
        out[:] = x + 1.0
        return out
    return out


@jit
def return_in_helper_loop(x, n, out):
    returns_early(x, n[0], out)


@jit
def break_under_symbol(x, n, out):
    for k in range(3):
        if n[0] > k:
            break
    out[:] = x + float(k)


@pytest.mark.parametrize(
    ("kernel", "code"),
    [(continue_in_loop, "PTO114"), (return_in_helper_loop, "PTO114"), (break_under_symbol, "PTO115")],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_jumps(kernel, code, refusal):
    refusal(kernel, code)


@jit
def comprehension_condition(x, n, out):
    parts = [x + float(k) for k in range(3) if k < n[0]]
    out[:] = parts[0]


@jit
def assertion(x, n, out):
    assert n[0] > 2
    out[:] = x + 1.0


@jit
def int_of_symbol(x, n, out):
    out[:] = x * float(int(n[0]))


@jit
def tensor_and(x, n, out):
    if n[0] > 1 and x:
        out[:] = x + 1.0


@jit
def member(x, n, out):
    if n[0] not in [1, 2]:
        out[:] = x + 1.0


@pytest.mark.parametrize(
    ("kernel", "code", "phrase"),
    [
        (comprehension_condition, "PTO131", "Not concrete value"),
        (assertion, "PTO131", "Not concrete value"),
        (int_of_symbol, "PTO200", "Not concrete value"),
        (tensor_and, "PTO130", "but got Tensor"),
        (member, "PTO132", "Not concrete value"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_values_needed_now(kernel, code, phrase, refusal):
    assert phrase in str(refusal(kernel, code))


@jit
def failing_assert(x, n, out):
    assert x.shape[0] == 9, "nine rows"
    out[:] = x + 1.0


def test_an_assert_of_the_author_stays_one(run):
    with pytest.raises(AssertionError, match="nine rows"):
        run(failing_assert)


@jit
def one_branch(x, n, out):
    if n[0] > 1:
        t = x + 1.0
    out[:] = t


@jit
def two_shapes(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    if n[0] > 1:
        t = x + 1.0
    else:
        t = pypto.view(x, [4, 8], [0, 0])
    print(f"a poisoned name fails in an f-string too: {t}")


@jit
def poisoned_entry(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    box = {"t": x}
    if n[0] > 1:
        box["t"] = 1
    out[:] = box["t"] + 1.0


@jit
def unused_conflict(x, n, out):
    """A name that is not used afterwards may hold anything."""
    pypto.set_vec_tile_shapes(8, 8)
    if n[0] > 1:
        t = x + 1.0
        out[:] = t
    else:
        t = "nothing"
        out[:] = x * 0.0 + 9.0


def test_names_of_one_branch(refusal):
    error = refusal(one_branch, "PTO121")
    assert "name 't' is not defined" in str(error)
    assert isinstance(error, NameError)
    shown = os.path.relpath(__file__)
    assert error.fields["set"].startswith(f"{shown}:")
    assert error.fields["test"] == f"{shown}:{int(error.fields['set'].rpartition(':')[2]) - 1}"
    assert os.path.dirname(__file__) not in str(error)


def test_conflicting_branches(refusal, run, x):
    error = refusal(two_shapes, "PTO122")
    assert "Conflicted var t" in str(error)
    assert error.fields["then_line"] != error.fields["other_line"]
    assert refusal(poisoned_entry, "PTO122").fields["name"] == "box['t']"
    np.testing.assert_array_equal(run(unused_conflict, 1), x * 0 + 9)


@jit
def undefined(x, n, out):
    out[:] = x + missing  # noqa: F821


def test_undefined_name_has_the_users_place(refusal):
    error = refusal(undefined, "PTO120")
    assert error.aliases == ("F00004",)
    assert "x + missing" in str(error)


@jit
def late_index(x, n, out):
    for i in pypto.loop(n[0]):
        out[:] = x + 1.0
    for _ in pypto.loop(i):
        out[:] = x


def test_index_after_the_loop(refusal):
    error = refusal(late_index, "PTO123")
    assert error.fields["name"] == "i"
    assert error.fields["loop_line"].rpartition(":")[0] == os.path.relpath(__file__)


@jit
def carried_float(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    w = 1.0
    for _ in pypto.loop(n[0]):
        w = w * 0.5
    out[:] = x * w


@jit
def growing_dict(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    seen = {}
    for i in pypto.loop(n[0]):
        seen[len(seen)] = x
    out[:] = x + 1.0


@jit
def appending_in_branch(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    seen = []
    if n[0] > 1:
        seen.append(x)
    out[:] = x + 1.0


@jit
def alternating(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    a, b = x * 1.0, pypto.view(x, [4, 8], [0, 0])
    for _ in pypto.loop(n[0]):
        a, b = b, a
    out[:] = x + 1.0
    keep(a)


def keep(value):
    return value


@pytest.mark.parametrize(
    ("kernel", "code"),
    [
        (carried_float, "PTO141"),
        (growing_dict, "PTO143"),
        (appending_in_branch, "PTO143"),
        (alternating, "PTO140"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_cannot_be_carried(kernel, code, refusal):
    refusal(kernel, code)


@jit
def append_then_single_loop(x, n, out):
    """A loop of one iteration is straight-line code."""
    pypto.set_vec_tile_shapes(8, 8)
    parts = []
    for _ in pypto.loop(1):
        parts.append(x + 1.0)
    for _ in pypto.loop(0):
        parts.append(undefined_name)  # noqa: F821
    out[:] = parts[0]


def test_known_trip_counts(run, x):
    np.testing.assert_array_equal(run(append_then_single_loop), x + 1)


@jit
def raising(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    if x.shape[0] != 8:
        raise ValueError("eight rows")
    if n[0] > 7:
        raise ValueError("too many")
    out[:] = x + 1.0


def test_raise_under_a_symbol(refusal):
    refusal(raising, "PTO117")


def test_a_failed_kernel_leaves_nothing_behind(refusal, run, x):
    refusal(alternating, "PTO140")
    np.testing.assert_array_equal(run(append_then_single_loop), x + 1)


def test_marked_helper_outside_of_a_kernel():
    @pypto.frontend.function
    def helper(x):
        x[:] = x + 1.0

    with pytest.raises(TypeError, match="'NestedFunctionMarker' object is not callable"):
        helper(1)
    with pytest.raises(TypeError):
        pypto.frontend.function(functools.partial(keep, 1))


@jit
def counting_in_an_array(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    counts = np.zeros(2)
    for _ in pypto.loop(n[0]):
        counts[0] += 1
    out[:] = x * float(counts[0])


@jit
def array_under_a_condition(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    counts = np.zeros(2)
    if n[0] > 1:
        counts[0] += 1
    out[:] = x * float(counts[0])


@jit
def growing_set(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    seen = set()
    for _ in pypto.loop(n[0]):
        seen.add(len(seen))
    out[:] = x * float(len(seen))


@jit
def array_in_straight_line(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    counts = np.zeros(2)
    for _ in range(3):
        counts[0] += 1
    for _ in pypto.loop(n[0]):
        scale = float(counts.sum())
        out[:] = x * scale


class Settings:
    """A property that is computed once changes no meaning."""

    @functools.cached_property
    def gain(self):
        return 2.0


@jit
def cached_property(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    settings = Settings()
    out[:] = x * 1.0
    for _ in pypto.loop(n[0]):
        out[:] = out * settings.gain
    other = Settings()
    if n[0] > 100:
        out[:] = out * other.gain


def test_host_arrays_and_sets(refusal, run, x):
    assert refusal(counting_in_an_array, "PTO142").fields["name"] == "counts"
    refusal(array_under_a_condition, "PTO122")
    refusal(growing_set, "PTO142")
    np.testing.assert_array_equal(run(array_in_straight_line), x * 3)
    np.testing.assert_array_equal(run(cached_property), x * 8)
