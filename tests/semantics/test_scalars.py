"""Run-time scalars: int64 arithmetic and its faults (semantics 4)."""

import numpy as np
import pytest
from semantics_support import F32, I32, I64, D, T, blank, fails, jit, whole

import openpto
import pypto

EDGES = [-7, -4, -1, 0, 1, 2, 5, 12]


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


@pytest.mark.parametrize(
    "rule",
    [
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: a * b,
        lambda a, b: -a + 3,
        lambda a, b: +a,
        lambda a, b: 5 - a,
        lambda a, b: 5 * a + 2 * b,
        lambda a, b: a == b,
        lambda a, b: a != b,
        lambda a, b: a < b,
        lambda a, b: a <= b,
        lambda a, b: a > b,
        lambda a, b: a >= b,
        lambda a, b: 3 < a,
        lambda a, b: (a > 0) * (b > 0) + 2 * (a < b),
    ],
    ids=["add", "sub", "mul", "neg", "pos", "rsub", "rmul", "eq", "ne", "lt", "le", "gt", "ge", "reflected", "logic"],
)
def test_arithmetic(rule):
    """Scalars are integers; comparisons are 0 or 1."""
    a, b = zip(*[(x, y) for x in EDGES for y in EDGES])
    assert evaluate(rule, a, b) == [int(rule(x, y)) for x, y in zip(a, b)]


def test_methods():
    """min and max take one argument; pypto.min and pypto.max take two."""

    def rule(a, b):
        return a.min(b) + 100 * a.max(3) + 10000 * pypto.min(a, 2) + 1000000 * pypto.max(1, b)

    a, b = zip(*[(x, y) for x in EDGES for y in EDGES])
    want = [min(x, y) + 100 * max(x, 3) + 10000 * min(x, 2) + 1000000 * max(1, y) for x, y in zip(a, b)]
    assert evaluate(rule, a, b) == want


def test_division_where_floor_and_truncation_agree():
    """`//`, `/` and `%` of operands where floor and truncation agree."""

    def rule(a, b):
        return a // b + 100 * (a % b) + 10000 * (a / b)

    pairs = [(x, y) for x in range(0, 20) for y in (1, 2, 3, 7)] + [(-8, 2), (-8, -2), (0, -5), (-9, -4)]
    pairs = [(x, y) for x, y in pairs if x % y == 0 or (x < 0) == (y < 0)]
    pairs = [(x, y) for x, y in pairs if x >= 0 or x % y == 0]
    a, b = zip(*pairs)
    assert evaluate(rule, a, b) == [x // y + 100 * (x % y) + 10000 * (x // y) for x, y in pairs]


@pytest.mark.parametrize("rule", [lambda a, b: a // b, lambda a, b: a % b], ids=["div", "mod"])
@pytest.mark.parametrize("pair", [(-7, 2), (7, -2), (-1, 8)])
def test_division_where_they_differ(rule, pair):
    """Where floor and truncated results differ: a run-time error that names ceildiv."""
    with fails("ceildiv"):
        evaluate(rule, [pair[0]], [pair[1]])


def test_ceildiv():
    """ceildiv(a, b) = (a + b - 1) // b, and folds for ints."""

    def rule(a, b):
        return pypto.ceildiv(a, b) + 100 * pypto.ceildiv(a + 1, 4)

    pairs = [(x, y) for x in range(0, 20) for y in (1, 2, 3, 7)]
    a, b = zip(*pairs)
    assert evaluate(rule, a, b) == [-(-x // y) + 100 * -(-(x + 1) // 4) for x, y in pairs]
    assert pypto.ceildiv(7, 2) == 4


@pytest.mark.parametrize("rule", [lambda a, b: a // b, lambda a, b: a % b], ids=["div", "mod"])
def test_division_by_zero(rule):
    """Division by zero stops the run."""
    assert evaluate(rule, [0], [5]) == [0]
    with fails("zero"):
        evaluate(rule, [5], [0])


def test_division_by_a_constant_zero():
    """A constant zero divisor is refused with the documented phrase."""
    with fails("Division or Mod by zero|zero"):
        evaluate(lambda a, b: a // 0, [5], [0])


def test_overflow():
    """int64 overflow stops the run."""

    @jit
    def kernel(n: T([2], I64), o: T([1], I32)):
        v = n[0] * n[1]
        o[0] = v > 0

    o = np.zeros(1, np.int32)
    kernel(np.array([2**31, 2**31], np.int64), o)
    assert o[0] == 1
    for pair in ((2**32, 2**31), (-(2**33), 2**31)):
        with fails("overflow"):
            kernel(np.array(pair, np.int64), np.zeros(1, np.int32))


def test_sixty_four_bits():
    """Scalars are int64, wider than the tensors they come from."""

    def rule(a, b):
        return (a * b - 1) // 4000000000

    top = 2**31 - 1
    assert evaluate(rule, [top], [top]) == [(top * top - 1) // 4000000000]


def test_read_at_that_point_of_the_program():
    """Reading a scalar from a tensor uses its value at that point."""

    @jit
    def kernel(n: T([1], I32), o: T([3], I32)):
        before = n[0]
        n[0] = before + 1
        middle = n[0]
        n[0] = n[0] * 10
        o[0] = before
        o[1] = middle
        o[2] = n[0]

    n, o = np.array([4], np.int32), np.zeros(3, np.int32)
    kernel(n, o)
    assert o.tolist() == [4, 5, 50]
    assert n[0] == 50


def test_scalar_of_a_computed_tensor():
    """A value computed by the same kernel can steer it."""

    @jit
    def kernel(x: T([4, 8], I32), data: T([64, 8], F32), o: T([1, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        total = pypto.sum(pypto.sum(x, 0, True), 1, True)
        at = total[0, 0]
        o[:] = pypto.view(data, [1, 8], [at, 0]) + 0.0

    x = np.arange(32, dtype=np.int32).reshape(4, 8) % 3
    data, o = whole(64, 8), blank(1, 8)
    kernel(x, data, o)
    assert np.array_equal(o[0], data[x.sum()])


@pytest.mark.parametrize(
    ("use", "match"),
    [
        (lambda s, x: int(s), "Not concrete value"),
        (lambda s, x: float(s), "Not concrete value|float"),
        (lambda s, x: list(range(s)), "pypto.loop|interpreted as an integer|Not concrete value"),
        (lambda s, x: [1, 2, 3][s], "Not concrete value|index"),
        (lambda s, x: s**2, r"\*\*|pow|unsupported operand"),
        (lambda s, x: s << 1, r"<<|unsupported operand"),
        (lambda s, x: s + 0.5, "Invalid type|float"),
        (lambda s, x: s + "a", "Invalid type|str"),
        (lambda s, x: x + s, "symbol|scalar|SymbolicScalar"),
        (lambda s, x: x * s, "symbol|scalar|SymbolicScalar"),
        (lambda s, x: s in [1, 2], "Not concrete value"),
        (lambda s, x: hash(s), "hash"),
        (lambda s, x: len(s), "len"),
    ],
    ids=[
        "int",
        "float",
        "range",
        "list",
        "pow",
        "shift",
        "add-float",
        "add-str",
        "tensor-add",
        "tensor-mul",
        "in",
        "hash",
        "len",
    ],
)
def test_what_a_symbol_is_not(use, match):
    """int, float, range on a symbol, tensor with symbol: errors with the alternative."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        use(n[0], x)
        o[:] = x + 1.0

    with pytest.raises((TypeError, ValueError, AttributeError), match=f"(?i){match}"):
        kernel(whole(4, 8), np.array([1], np.int32), blank(4, 8))


def test_assert_on_a_symbol():
    """assert on a symbol is an error; on a concrete value it is Python's."""

    @jit
    def symbolic(n: T([1], I32), o: T([1], I32)):
        assert n[0] > 0
        o[0] = 1

    with fails("assert|Not concrete value", line="assert n[0] > 0"):
        symbolic(np.array([1], np.int32), np.zeros(1, np.int32))

    @jit
    def concrete(o: T([1], I32), n):
        assert n > 0, "n must be positive"
        o[0] = n

    o = np.zeros(1, np.int32)
    concrete(o, 3)
    assert o[0] == 3
    with pytest.raises(AssertionError, match="n must be positive"):
        concrete(o, -1)


def test_while_on_a_symbol():
    """`while` on a symbol is an error with the alternative; on concrete values it unrolls."""

    @jit
    def symbolic(n: T([1], I32), o: T([1], I32)):
        k = n[0]
        while k > 0:
            k = k - 1
        o[0] = k

    with fails("while|loop", line="while k > 0:"):
        symbolic(np.array([1], np.int32), np.zeros(1, np.int32))

    @jit
    def concrete(x: T([4, 8], F32), o: T([4, 8], F32), n):
        pypto.set_vec_tile_shapes(4, 8)
        t = x * 1.0
        while n > 0:
            t = t + float(n)
            n -= 1
            if n == 2:
                continue
            if n == 1:
                break
        o[:] = t

    x, o = whole(4, 8), blank(4, 8)
    concrete(x, o, 5)
    assert np.array_equal(o, x + 5 + 4 + 3 + 2)


def test_a_symbol_as_a_tile():
    """A symbolic tile is an error: Not concrete value."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([D, 8], F32)):
        pypto.set_vec_tile_shapes(x.shape[0], 8)
        o[:] = x

    with fails("Not concrete value", line="pypto.set_vec_tile_shapes(x.shape[0], 8)"):
        kernel(whole(4, 8), blank(4, 8))


def test_the_first_fault_is_reported():
    """The fault that is first in program order is reported, with the helper chain and loop indices."""

    def pick(seq, at):
        return seq[at]

    @jit
    def kernel(seq: T([4], I32), o: T([8], I32)):
        for i in pypto.loop(8, name="LOOP_I", idx_name="i"):
            for j in pypto.loop(2, name="LOOP_J", idx_name="j"):
                o[i] = pick(seq, i + j)
                o[i + 100] = 1 // (j - j)

    o = np.zeros(8, np.int32)
    with fails("", line="o[i + 100] = 1 // (j - j)"):
        kernel(np.arange(4, dtype=np.int32), o)

    @jit
    def later(seq: T([4], I32), o: T([8], I32)):
        for i in pypto.loop(8, name="LOOP_I", idx_name="i"):
            for j in pypto.loop(2, name="LOOP_J", idx_name="j"):
                o[i] = pick(seq, i + j)

    with fails("LOOP_I.*LOOP_J|LOOP_J.*LOOP_I", line="return seq[at]") as caught:
        later(np.arange(4, dtype=np.int32), np.zeros(8, np.int32))
    site = caught.value.site
    assert {f.index_name: f.value for f in site.loops} == {"i": 3, "j": 1}
    assert [name for name, _ in site.chain] == ["pick"]
    assert caught.value.fault
    assert "unspecified" in str(caught.value)


@pytest.mark.parametrize("op", ["//", "%"])
@pytest.mark.parametrize("zero", ["n - 4", "v[0] - 4", "i - 1", "pypto.min(n, 0)"])
def test_division_by_zero_that_nothing_uses(op, zero):
    """A division by zero stops where it is written, as in Python, also if its result is not used."""

    @jit
    def floor(v: T([D], I32), o: T([D], I32)):
        n = v.shape[0]
        for i in pypto.loop(n, name="L", idx_name="i"):
            unused = 8 // (eval(zero, {"n": n, "v": v, "i": i, "pypto": pypto}))
            o[i] = 1

    @jit
    def rest(v: T([D], I32), o: T([D], I32)):
        n = v.shape[0]
        for i in pypto.loop(n, name="L", idx_name="i"):
            unused = 8 % (eval(zero, {"n": n, "v": v, "i": i, "pypto": pypto}))
            o[i] = 1

    kernel = floor if op == "//" else rest
    with fails("divi", code="PTO406", line=f"8 {op}", exc=ZeroDivisionError):
        kernel(np.full(4, 4, np.int32), np.zeros(4, np.int32))


LEAST, MOST = -(2**63), 2**63 - 1


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize(
    ("rule", "values"),
    [
        (lambda n: n + 1, (MOST,)),
        (lambda n: n - 1, (LEAST,)),
        (lambda n: n * 2, (MOST, LEAST)),
        (lambda n: n * -1, (LEAST,)),
        (lambda n: 0 - n, (LEAST,)),
        (lambda n: -n, (LEAST,)),
        (lambda n: -(n + 1), (MOST,)),
        (lambda n: n // -1, (LEAST,)),
        (lambda n: -n // 1, (LEAST,)),
    ],
)
def test_results_that_64_bits_cannot_hold(rule, values, engine):
    """Every operation that can leave the range stops there, and not a step earlier."""

    @jit
    def kernel(v: T([D], I64), o: T([D], I64)):
        for i in pypto.loop(v.shape[0], name="L", idx_name="i"):
            o[i] = rule(v[i])

    with openpto.configure(engine=engine):
        for value in values:
            near = value - 2 if value > 0 else value + 2
            if not LEAST <= rule(near) <= MOST:
                near = near // 2 if near > 0 else -(-near // 2)
            o = np.zeros(1, np.int64)
            kernel(np.array([near]), o)
            assert o[0] == rule(near)
            with fails("overflow", code="PTO405", exc=OverflowError):
                kernel(np.array([value]), np.zeros(1, np.int64))


def test_division_that_is_not_reached():
    """An unused division stops the run only where its branch, or the second operand of `and`, is reached."""

    @jit
    def kernel(v: T([D], I32), o: T([D], I32)):
        for i in pypto.loop(v.shape[0], name="L", idx_name="i"):
            n = v[i]
            if n > 0:
                unused = 8 // n
            unused = n > 0 and 8 // n > 2
            unused = 8 % n if n > 0 else 0
            o[i] = 1

    o = np.zeros(3, np.int32)
    kernel(np.array([0, 3, 0], np.int32), o)
    assert o.tolist() == [1, 1, 1]

    @jit
    def reached(v: T([D], I32), o: T([D], I32)):
        for i in pypto.loop(v.shape[0], name="L", idx_name="i"):
            unused = v[i] >= 0 and 8 // v[i] > 2
            o[i] = 1

    with fails("divi", code="PTO406", line="8 // v[i]"):
        reached(np.array([1, 0], np.int32), np.zeros(2, np.int32))
