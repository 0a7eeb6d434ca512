"""Diagnostics point at the expression, name the helper chain and the enclosing loops."""

import sys

import numpy as np
import pytest

import pypto

F, I = pypto.DT_FP32, pypto.DT_INT32
T, N = pypto.Tensor([8, 8], F), pypto.Tensor([1], I)


def inner(t):
    return [pypto.amax(part, 5, True) for part in (t,)][0]


def outer(t):
    return inner(t) + 1.0


@pypto.frontend.jit
def kernel(x: T, n: N, out: T):
    pypto.set_vec_tile_shapes(8, 8)
    for i in pypto.loop(n[0], name="ROWS", idx_name="i"):
        for j in pypto.loop(2, name="COLS", idx_name="j"):
            名称 = "寬"
            out[:] = outer(x)


def refused():
    with pytest.raises(pypto.PyptoError) as caught:
        kernel(np.ones((8, 8), np.float32), np.ones(1, np.int32), np.zeros((8, 8), np.float32))
    return caught.value


def text_of(span):
    with open(span.file, encoding="utf-8") as file:
        return file.read().split("\n")[span.line - 1][span.col : span.end_col]


def test_chain_and_loops():
    site = refused().site
    assert [name for name, _ in site.chain] == ["inner", "outer"]
    assert [(loop.name, loop.index_name) for loop in site.loops] == [("ROWS", "i"), ("COLS", "j")]
    assert site.kernel == "kernel"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="columns of instructions exist since 3.11")
def test_columns_count_characters():
    site = refused().site
    assert text_of(site.span) == "pypto.amax(part, 5, True)"
    assert text_of(site.chain[0][1]) == "inner(t)"
    assert text_of(site.chain[1][1]) == "outer(x)"


@pytest.mark.skipif(sys.version_info >= (3, 11), reason="older interpreters point at the statement")
def test_the_statement_where_columns_are_not_known():
    site = refused().site
    assert text_of(site.span) == "return [pypto.amax(part, 5, True) for part in (t,)][0]"
    assert text_of(site.chain[0][1]) == "return inner(t) + 1.0"


def test_the_users_frames_are_all_that_is_left_of_the_traceback():
    import traceback

    error = refused()
    files = {frame.filename for frame in traceback.extract_tb(error.__traceback__)}
    kept = ("boundary.py", "jit.py") if sys.version_info < (3, 11) else ()  # the frame that catches the error
    ours = {file for file in files - {__file__} if not file.endswith(kept)}
    assert not ours


@pypto.frontend.jit
def single(x: T, n: N, out: T):
    for _ in pypto.loop(4, 5, name="ONE", idx_name="k"):
        out[:] = pypto.amax(x, 5, True)


def test_the_index_of_a_single_iteration_is_known():
    with pytest.raises(pypto.PyptoError) as caught:
        single(np.ones((8, 8), np.float32), np.ones(1, np.int32), np.zeros((8, 8), np.float32))
    assert "ONE (k = 4)" in str(caught.value)


def broken(t):
    return t + nowhere  # noqa: F821


@pypto.frontend.jit
def calls_broken(x: T, n: N, out: T):
    pypto.set_vec_tile_shapes(8, 8)
    for _ in pypto.loop(n[0], name="ROWS", idx_name="i"):
        out[:] = broken(x)


def test_what_python_refuses_has_a_chain_too():
    with pytest.raises(NameError) as caught:
        calls_broken(np.ones((8, 8), np.float32), np.ones(1, np.int32), np.zeros((8, 8), np.float32))
    site = caught.value.site
    assert [name for name, _ in site.chain] == ["broken"]
    assert site.loops[0].name == "ROWS"
    assert "nowhere" in text_of(site.span)


@pypto.frontend.jit
def without_names(x: T, n: N, out: T):
    pypto.set_vec_tile_shapes(8, 8)
    for row in pypto.loop(n[0]):
        for column, _ in pypto.loop_unroll(0, n[0], 1, unroll_list=[2]):
            out[:] = pypto.view(x, [8, 8], [row - 4, column])


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_an_index_has_the_name_that_the_author_gave_it(engine, monkeypatch):
    monkeypatch.setenv("PYPTO_ENGINE", engine)
    with pytest.raises(pypto.PyptoError) as caught:
        without_names(np.ones((8, 8), np.float32), np.full(1, 2, np.int32), np.zeros((8, 8), np.float32))
    assert [(loop.index_name, loop.value) for loop in caught.value.site.loops] == [("row", 0), ("column", 0)]
