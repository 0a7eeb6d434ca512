"""SymbolicScalar as an object (core 5), and Element (core 6)."""

import numpy as np
import pytest
from semantics_support import F32, I32, D, T, fails, jit

import pypto

Sym = pypto.SymbolicScalar


@pytest.mark.parametrize("value", [0, 5, -3, True])
def test_from_a_number(value):
    """A symbol made of an int is concrete."""
    s = Sym(value)
    assert s.is_concrete()
    assert s.is_immediate()
    assert not s.is_symbol()
    assert s.concrete() == int(value)
    assert int(s) == int(value)


def test_from_a_name():
    """A named symbol without a value is not concrete."""
    n = Sym("n")
    assert n.is_symbol()
    assert not n.is_concrete()
    assert not n.is_expression()
    assert str(n) == "n"
    with fails("Not concrete value", exc=ValueError):
        n.concrete()
    for use in (int, bool, lambda s: [1, 2][s], lambda s: range(s)):
        with pytest.raises((ValueError, TypeError), match=r"(?i)Not concrete value|interpreted as an integer"):
            use(n)


def test_from_a_name_and_a_value():
    """A named symbol with a value is concrete and a symbol."""
    n = Sym("n", 6)
    assert n.is_symbol()
    assert n.is_concrete()
    assert n.concrete() == 6
    assert (n * 2 + 1).concrete() == 13


def test_from_a_symbol():
    """A copy of a symbol is the same expression."""
    n = Sym("n")
    assert str(Sym(n + 1)) == str(n + 1)


@pytest.mark.parametrize("value", [1.5, None, [1]], ids=str)
def test_from_something_else(value):
    """float and None are no symbols."""
    with fails("Invalid arguments|Invalid type"):
        Sym(value)


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda n: n * 2 + 3, "((n*2)+3)"),
        (lambda n: n - 1, "(n-1)"),
        (lambda n: n // 3, "(n/3)"),
        (lambda n: n / 3, "(n/3)"),
        (lambda n: n % 4, "(n%4)"),
        (lambda n: -n, "(-n)"),
        (lambda n: ~n, "(!n)"),
        (lambda n: n < 2, "(n<2)"),
        (lambda n: n >= 2, "(n>=2)"),
        (lambda n: n == 2, "RUNTIME_Eq(n, 2)"),
        (lambda n: n != 2, "RUNTIME_Ne(n, 2)"),
        (lambda n: n.max(3), "RUNTIME_Max(n, 3)"),
        (lambda n: n.min(3), "RUNTIME_Min(n, 3)"),
    ],
    ids=["mul-add", "sub", "floordiv", "div", "mod", "neg", "not", "lt", "ge", "eq", "ne", "max", "min"],
)
def test_text(build, text):
    """`str` is the expression's text, with the documented spellings."""
    assert str(build(Sym("n"))) == text


@pytest.mark.parametrize("op", ["+", "-", "*", "//", "%", "==", "!=", "<", "<=", ">", ">="])
def test_concrete_folding(op):
    """Concrete operands fold, from either side."""
    for a, b in ((7, 2), (0, 3), (12, 4), (5, 5)):
        want = int(eval(f"{a} {op} {b}"))
        for left, right in ((Sym(a), b), (a, Sym(b)), (Sym(a), Sym(b))):
            result = eval(f"left {op} right", {"left": left, "right": right})
            assert int(result) == want


def test_concrete_negative_division():
    """Where floor and truncation differ, folding is refused as at run time."""
    for build in (lambda: Sym(-7) // 2, lambda: Sym(-7) % 2, lambda: 7 // Sym(-2)):
        with fails("ceildiv"):
            build()
    assert int(Sym(-8) // 2) == -4
    assert int(Sym(-8) % 2) == 0


def test_division_by_zero():
    """Division or Mod by zero."""
    for build in (lambda: Sym(7) // 0, lambda: Sym(7) % 0, lambda: Sym("n") // 0):
        with fails("Division or Mod by zero"):
            build()


def test_logic():
    """`&`, `|` and `~` are logical."""
    a, b = Sym(5), Sym(0)
    assert int(a & b) == 0
    assert int(a & 2) == 1
    assert int(a | b) == 1
    assert int(b | 0) == 0
    assert int(~a) == 0
    assert int(~b) == 1


@pytest.mark.parametrize(
    "use",
    [
        lambda s: s**2,
        lambda s: s << 1,
        lambda s: s >> 1,
        lambda s: divmod(s, 2),
        lambda s: round(s),
        lambda s: float(s),
        lambda s: len(s),
        lambda s: hash(s),
        lambda s: s + 1.5,
        lambda s: s * "a",
        lambda s: s < 1.5,
    ],
    ids=["pow", "lshift", "rshift", "divmod", "round", "float", "len", "hash", "add-float", "mul-str", "lt-float"],
)
def test_what_it_cannot(use):
    """No `** << >> divmod round float len hash`, no floats or strings beside it."""
    with pytest.raises((TypeError, ValueError, AttributeError)):
        use(Sym("n"))


def test_min_and_max():
    """Methods take exactly one argument, pypto.min and pypto.max exactly two."""
    assert int(Sym(4).min(3)) == 3
    assert int(Sym(4).max(Sym(9))) == 9
    assert int(pypto.min(2, 8)) == 2
    assert int(pypto.max(Sym(2), 8)) == 8
    for call in (lambda: Sym(4).min(), lambda: Sym(4).min(1, 2), lambda: pypto.min(1), lambda: pypto.max(1, 2, 3)):
        with pytest.raises(TypeError):
            call()


def test_conversions():
    """to_sym and to_syms; the class is also spelled symbolic_scalar."""
    assert int(pypto.to_sym(5)) == 5
    assert [int(s) for s in pypto.to_syms([1, Sym(2)])] == [1, 2]
    with fails("Invalid value type"):
        pypto.to_sym(1.5)
    assert isinstance(pypto.symbolic_scalar(3), pypto.SymbolicScalar)
    assert isinstance(Sym(3), pypto.symbolic_scalar)
    from pypto.symbolic_scalar import SymbolicScalar

    assert SymbolicScalar is Sym
    assert isinstance(pypto.frontend.dynamic("k"), Sym)
    assert pypto.frontend.SymbolicScalar is Sym


def test_simplify():
    """simplify gives an equal expression."""
    n = Sym("n")
    assert int((n * 8 + 8 - n * 8).simplify()) == 8


def test_as_variable():
    """as_variable turns an expression into a run-time variable, in place, and returns None."""

    @jit
    def kernel(n: T([1], I32), o: T([2], I32)):
        s = n[0] * 2 + 1
        assert s.as_variable() is None
        n[0] = 100
        o[0] = s
        o[1] = s + 1

    o = np.zeros(2, np.int32)
    kernel(np.array([4], np.int32), o)
    assert o.tolist() == [9, 10]


def test_dynamic_dimension_prints_its_source():
    """A dynamic dim prints RUNTIME_GetInputShapeDim; fixed and STATIC dims are ints."""
    texts = []

    @jit
    def kernel(x: T([D, 8], F32), o: T([1], I32)):
        texts.append((str(x.shape[0]), x.shape[1]))
        o[0] = x.shape[0]

    o = np.zeros(1, np.int32)
    kernel(np.zeros((5, 8), np.float32), o)
    assert o[0] == 5
    assert texts == [("RUNTIME_GetInputShapeDim(ARG_x,0)", 8)]


def test_bytes_of():
    """Bytes per element."""
    names = {"DT_FP32": 4, "DT_INT32": 4, "DT_INT64": 8, "DT_BOOL": 1, "DT_FP16": 2, "DT_BF16": 2, "DT_INT8": 1}
    for name, size in names.items():
        assert pypto.bytes_of(getattr(pypto, name)) == size


def test_element():
    """Element(dtype, value) has read-only dtype and value; bool counts as int, other types are refused."""
    e = pypto.Element(F32, 2.5)
    assert (e.dtype, e.value) == (F32, 2.5)
    assert pypto.Element(I32, True).value == 1
    assert pypto.element is pypto.Element
    with pytest.raises(AttributeError):
        e.value = 3
    for value in ("2", None, [1]):
        with fails("Invalid data type .* for Element"):
            pypto.Element(F32, value)


def test_element_as_an_operand():
    """An Element is a scalar that carries a dtype."""

    @jit
    def kernel(x: T([4, 8], F32), i: T([4, 8], I32), o: T([4, 8], F32), p: T([4, 8], I32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x * pypto.Element(F32, 2.5)
        p[:] = i + pypto.Element(I32, 7)

    x = np.arange(32, dtype=np.float32).reshape(4, 8)
    i = np.arange(32, dtype=np.int32).reshape(4, 8)
    o, p = np.zeros_like(x), np.zeros_like(i)
    kernel(x, i, o, p)
    assert np.array_equal(o, x * np.float32(2.5))
    assert np.array_equal(p, i + 7)


def test_element_of_another_dtype():
    """An Element of another dtype than its tensor is refused."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x * pypto.Element(I32, 2)

    with fails("dtype|DT_INT32", line="o[:] = x * pypto.Element(I32, 2)"):
        kernel(np.ones((4, 8), np.float32), np.ones((4, 8), np.float32))
