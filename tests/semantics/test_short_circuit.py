"""and, or, not, ternaries, chained comparisons, min and max on symbols (semantics 4)."""

import numpy as np
import pytest
from semantics_support import F32, I32, D, T, blank, jit, refused_by, whole

import pypto
from openpto.frontend.source import source_of


def evaluate(rule, *columns):
    """Run `o[i] = rule(a[i], b[i], ...)` for every row of the columns."""
    rows = np.array(list(zip(*columns)), np.int32)

    @jit
    def kernel(v: T([D, len(columns)], I32), o: T([D], I32)):
        for i in pypto.loop(v.shape[0], name="L", idx_name="i"):
            o[i] = rule(*[v[i, c] for c in range(len(columns))])

    o = np.full(len(rows), -777, np.int32)
    kernel(rows, o)
    return o.tolist()


A = [0, 0, 3, 3, -1, 7]
B = [0, 5, 0, 5, 2, 7]


def test_and_yields_the_operand():
    """`a and b` yields the operand, as in Python."""

    def rule(a, b):
        return a and b

    assert evaluate(rule, A, B) == [a and b for a, b in zip(A, B)]


def test_or_yields_the_operand():
    """`a or b` likewise."""

    def rule(a, b):
        return a or b

    assert evaluate(rule, A, B) == [a or b for a, b in zip(A, B)]


def test_not():
    """`not a` is 0 or 1."""

    def rule(a, b):
        return (not a) + 2 * (not (a > b))

    assert evaluate(rule, A, B) == [(not a) + 2 * (not (a > b)) for a, b in zip(A, B)]


def test_ternary():
    """A ternary yields the value of the chosen side."""

    def rule(a, b):
        return a * 2 if a > b else b + 100

    assert evaluate(rule, A, B) == [a * 2 if a > b else b + 100 for a, b in zip(A, B)]


def test_chained_comparison():
    """`0 < a <= b` is both."""

    def rule(a, b):
        return (0 < a <= b) * 1 + (a < b < 6) * 2

    assert evaluate(rule, A, B) == [(0 < a <= b) * 1 + (a < b < 6) * 2 for a, b in zip(A, B)]


def test_long_chains():
    """Three operands and mixtures."""

    def rule(a, b):
        return (a and b and a + b) or (b > 4 and 40) or -1

    assert evaluate(rule, A, B) == [(a and b and a + b) or (b > 4 and 40) or -1 for a, b in zip(A, B)]


def test_builtin_min_and_max():
    """Builtin min and max take symbols: two, several, mixed with ints."""

    def rule(a, b):
        return min(a, b) + 100 * max(a, b, 4) + 10000 * min(3, a)

    want = [min(a, b) + 100 * max(a, b, 4) + 10000 * min(3, a) for a, b in zip(A, B)]
    assert evaluate(rule, A, B) == want


def test_second_operand_only_if_reached():
    """The second operand's reads and checks happen only if reached."""

    @jit
    def kernel(n: T([1], I32), seq: T([4], I32), o: T([3], I32)):
        at = n[0]
        o[0] = 0
        if at > 0 and seq[at - 1] > 3:
            o[0] = 1
        if at <= 0 or seq[at - 1] > 3:
            o[1] = 1
        else:
            o[1] = 0
        o[2] = seq[at - 1] if at > 0 else -5

    seq = np.array([9, 1, 2, 8], np.int32)
    for at, want in ((0, [0, 1, -5]), (1, [1, 1, 9]), (2, [0, 0, 1]), (4, [1, 1, 8])):
        o = np.full(3, -777, np.int32)
        kernel(np.array([at], np.int32), seq, o)
        assert o.tolist() == want


def test_division_only_if_reached():
    """A check of the second operand (division by zero) belongs to the second operand."""

    def rule(a, b):
        return b != 0 and a // b == 1

    assert evaluate(rule, [4, 5, 0, 9], [3, 0, 0, 9]) == [1, 0, 0, 1]


def test_ternary_of_tensors():
    """A ternary merges tensors like an `if`."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = x + 1.0 if n[0] > 0 else x * 2.0
        o[:] = t

    for n in (0, 1):
        x, o = whole(4, 8), blank(4, 8)
        kernel(x, np.array([n], np.int32), o)
        assert np.array_equal(o, x + 1 if n else x * 2)


def test_walrus_in_a_condition():
    """A walrus keeps its scope."""

    @jit
    def kernel(n: T([2], I32), o: T([1], I32)):
        if (a := n[0]) > 3 and (b := n[1]) > a:
            o[0] = a * 100 + b
        else:
            o[0] = a

    for values, want in (((4, 5), 405), ((4, 4), 4), ((3, 9), 3)):
        o = np.zeros(1, np.int32)
        kernel(np.array(values, np.int32), o)
        assert o[0] == want


def test_concrete_operands_are_python():
    """Concrete operands keep Python's meaning, other types included."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32), scale=None, extra=()):
        pypto.set_vec_tile_shapes(4, 8)
        factor = scale or 2.0
        text = (extra and extra[0]) or "none"
        assert text == "none"
        o[:] = x * factor if not extra else x

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o)
    assert np.array_equal(o, x * 2)
    kernel(x, o, 3.0)
    assert np.array_equal(o, x * 3)


def rule_and(a, b):
    return a and b


def rule_or(a, b):
    return a or b


def rule_not(a, b):
    return 1 - (not a)


def rule_chain(a, b):
    return 0 < a < b


def rule_min(a, b):
    return min(a, b)


def rule_max(a, b):
    return max(a, 3)


@pytest.mark.parametrize("rule", [rule_and, rule_or, rule_not, rule_chain, rule_min, rule_max])
def test_refused_by_the_older_profile(rule):
    """Profile 0.2 knows none of these on symbols (warn 0.2)."""
    a, b = [1, 0], [2, 3]
    want = [int(rule(x, y)) for x, y in zip(a, b)]

    def call():
        assert evaluate(rule, a, b) == want

    refused_by(("0.2",), "Not concrete value|and|or|not|min|max|compar", call)


def test_lambdas_are_rewritten():
    """Lambdas get the treatment of helpers, several on a line included."""
    rules = [lambda a, b: a and b, lambda a, b: a or b, lambda a, b: 1 - (not a), lambda a, b: min(a, b, 2)]
    for rule in rules:
        assert evaluate(rule, A, B) == [int(rule(x, y)) for x, y in zip(A, B)]


def test_a_lambda_inside_of_a_lambda_is_found():
    """The text of the inner one lies in that of the outer one, on the same line and with the same arguments."""
    made = lambda: lambda: A[0]
    outer = lambda a, b: (lambda c, d: c and d)(a, b)
    assert evaluate(outer, A, B) == [int(x and y) for x, y in zip(A, B)]
    for function in (made, made()):
        source, why = source_of(function)
        assert source is not None, why
    first, second = source_of(made)[0], source_of(made())[0]
    assert first.columns[0] < second.columns[0]
    assert first.columns[1] == second.columns[1]
