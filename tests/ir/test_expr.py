"""Symbolic integers: folding, evaluation, text, and the proofs of affine.py against plain evaluation."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openpto.ir import affine
from openpto.ir import expr as ex

N, M, I = ex.dim("x", 0), ex.named("m"), ex.index(1, "i")


def test_nodes_are_interned():
    assert ex.binary("add", N, 1) is ex.binary("add", N, 1)
    assert ex.binary("add", N, 1) is not ex.binary("add", 1, N)


def test_constants_fold_and_symbols_do_not():
    assert ex.binary("mul", 6, 7).concrete() == 42
    assert ex.binary("add", ex.named("k", 5), 1).concrete() == 6
    assert ex.binary("mul", M, 0).concrete() is None


@pytest.mark.parametrize(
    ("op", "a", "b", "kind"),
    [
        ("div", 1, 0, "div_zero"),
        ("mod", 1, 0, "div_zero"),
        ("div", -7, 2, "negative_div"),
        ("mod", 7, -2, "negative_div"),
        ("add", 2**63 - 1, 1, "overflow"),
        ("mul", -(2**62), 4, "overflow"),
        ("div", -(2**63), -1, "overflow"),
    ],
)
def test_meaningless_constants_are_faults(op, a, b, kind):
    with pytest.raises(ex.ScalarFault) as info:
        ex.binary(op, a, b)
    assert (info.value.kind, info.value.values, info.value.op) == (kind, (a, b), op)


def test_exact_negative_quotients_have_a_meaning():
    assert ex.binary("div", -8, 2).concrete() == -4
    assert ex.binary("mod", -8, 2).concrete() == 0
    assert ex.binary("div", -7, -2).concrete() == 3


def test_only_the_chosen_side_of_a_select_is_evaluated():
    guarded = ex.select(ex.binary("gt", M, 0), ex.binary("div", 12, M), -1)
    assert ex.evaluate(guarded, {M: 0}) == -1
    assert ex.evaluate(guarded, {M: 5}) == 2


def test_a_leaf_without_a_value_is_a_fault_only_when_read():
    late = ex.ref(9, "late")
    choice = ex.select(M, late, 3)
    assert ex.evaluate(choice, {M: 0, late: None}) == 3
    with pytest.raises(ex.ScalarFault) as info:
        ex.evaluate(choice, {M: 1, late: None})
    assert info.value.kind == "unset"
    assert info.value.expr is late


def test_long_chains_do_not_recurse():
    total = M
    for k in range(20_000):
        total = ex.binary("add", total, k % 3)
    assert ex.evaluate(total, {M: 1}) == 1 + sum(k % 3 for k in range(20_000))
    assert total.leaves == {M}
    assert affine.difference(total, M) == sum(k % 3 for k in range(20_000))


def test_text_is_the_documented_form():
    assert ex.text(ex.binary("add", ex.binary("mul", M, 2), 3)) == "((m*2)+3)"
    assert ex.text(ex.binary("max", M, 3)) == "RUNTIME_Max(m, 3)"
    assert ex.text(N) == "RUNTIME_GetInputShapeDim(ARG_x,0)"
    assert ex.text(ex.loop_begin(I, 0)) == "RUNTIME_IsLoopBegin(i,0)"
    assert ex.text(ex.loop_end(I, 0, 4, 1)) == "RUNTIME_IsLoopEnd(i,4)"


def test_slice_extents_fold():
    start, stop = ex.binary("mul", I, 8), ex.binary("mul", ex.binary("add", I, 1), 8)
    assert affine.simplify(ex.binary("sub", stop, start)) == 8
    assert affine.simplify(ex.binary("sub", ex.binary("add", start, 8), start)) == 8
    assert affine.simplify(ex.binary("div", ex.binary("mul", I, 16), 8)) is affine.simplify(ex.binary("mul", I, 2))
    assert affine.difference(ex.binary("min", N, ex.binary("add", N, 3)), N) == 0


@pytest.mark.parametrize(("start", "stop", "step"), [(0, 5, 1), (0, 5, 2), (7, -2, -3), (3, 4, 9)])
def test_first_and_last_iteration(start, stop, step):
    indices = list(range(start, stop, step))
    begin, end = ex.loop_begin(I, start), ex.loop_end(I, start, stop, step)
    assert [ex.evaluate(begin, {I: i}) for i in indices] == [int(i == indices[0]) for i in indices]
    assert [ex.evaluate(end, {I: i}) for i in indices] == [int(i == indices[-1]) for i in indices]


def _random_expr(rng, depth):
    if depth == 0 or rng.random() < 0.2:
        return rng.choice([N, M, I, ex.const(rng.randint(-9, 9))])
    op = rng.choice(["add", "sub", "mul", "div", "mod", "min", "max", "neg", "lt", "eq", "select"])
    parts = [_random_expr(rng, depth - 1) for _ in range(3)]
    if op == "neg":
        return ex.unary(op, parts[0])
    if op == "select":
        return ex.select(*parts)
    try:
        return ex.binary(op, parts[0], parts[1])
    except ex.ScalarFault:
        return parts[0]


@given(st.integers(0, 2**32), st.integers(0, 50), st.integers(-20, 20), st.integers(-20, 20))
def test_simplified_and_bounds_agree_with_the_value(seed, n, m, i):
    node = _random_expr(random.Random(seed), 4)
    env = {N: n, M: m, I: i}
    try:
        value = ex.evaluate(node, env)
    except ex.ScalarFault:
        return
    low, high = affine.bounds(node, {M: (-20, 20), I: (-20, 20)})
    assert low <= value <= high
    try:
        assert ex.evaluate(affine.simplify(node), env) == value
    except ex.ScalarFault as fault:  # the canonical order of a sum may pass through larger intermediate values
        assert fault.kind == "overflow"
