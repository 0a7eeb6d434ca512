"""Loop IR: its text form, and the verifier, which finds planted mistakes."""

import pytest

from openpto.ir.dtypes import DataType
from openpto.ops import arith
from openpto.runtime.native import loopir as L
from openpto.runtime.native.verify import problems

F32, I64 = DataType.DT_FP32, DataType.DT_INT64
X = L.Ptr("param0", 0, F32)
DOUBLE = arith.build(lambda x: x * 2.0, F32)


def program(*body, sizes=("size0",)):
    return L.Program("kernel", ("param0",), sizes, 0, tuple(body))


def scaled(count, name="x"):
    """``param0[p] *= 2``."""
    load, make = L.Load(name, X, 1), L.Compute("y", DOUBLE, (name,))
    return L.Vector(count, (load, make, L.Store(X, 1, "y")))


def test_text():
    """A statement a line, bodies indented."""
    loop = L.For("i", 0, L.Slot("size0"), 2, (L.Set("n", L.add(L.Slot("i"), 1)), scaled(L.Slot("n"))))
    check = L.Check(L.binary("lt", L.Slot("size0"), 9), 3, (L.Slot("size0"),))
    assert L.text(program(check, loop, L.Out(0, 7))) == (
        "program kernel(param0; size0) scratch 0\n"
        "  check (size0 < 9) else fault 3, size0\n"
        "  for i in range(0, size0, 2):\n"
        "    n = (i + 1)\n"
        "    vector n:\n"
        "      x = param0.FP32[0] step 1\n"
        "      y = FP32 mul(x0, 2.0) of (x)\n"
        "      param0.FP32[0] step 1 = y\n"
        "  out 0 = 7\n"
    )


def test_a_good_program_has_no_problems():
    """Slots that both branches set count; those of a body that may not run do not matter if nobody reads them."""
    both = L.If(L.Slot("size0"), (L.Set("n", 1),), (L.Set("n", 2),))
    loop = L.For("i", 0, 3, 1, (L.Set("m", L.Slot("i")),))
    assert problems(program(both, loop, scaled(L.Slot("n")))) == []


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (L.Set("n", L.Slot("m")), "slot m is read before"),
        (scaled(L.Slot("m")), "slot m is read before"),
        (L.Poke(L.Ptr("nowhere", 0, I64), 1), "pointer nowhere has no address"),
        (L.Set("n", L.Bin("pow", 1, 2)), "operator pow"),
        (L.Check(1, 0, (0,) * L.RECORD), "hands over"),
        (L.For("i", 0, 1, 0, ()), "does not move"),
        (L.Vector(4, (L.Store(X, 1, "y"),)), "y is stored as"),
        (L.Vector(4, (L.Load("x", X, 1), L.Load("x", X, 1))), "x is defined twice"),
        (L.Vector(4, (L.Compute("y", DOUBLE, ("x",)),)), "x is not defined"),
        (L.Vector(4, (L.Lane("i"), L.Store(X, 1, "i"))), "i is stored as"),
    ],
    ids=lambda x: x if isinstance(x, str) else type(x).__name__,
)
def test_mistakes_are_found(statement, message):
    """Each planted mistake is named."""
    (found,) = problems(program(statement))
    assert message in found


def test_what_a_body_sets_does_not_count_after_it():
    """A loop may not run, and one side of a branch may be the one that is not taken."""
    loop = L.For("i", 0, L.Slot("size0"), 1, (L.Set("n", 1),))
    branch = L.If(L.Slot("size0"), (L.Set("n", 1),))
    for region in (loop, branch):
        assert problems(program(region, L.Out(0, L.Slot("n")))) == ["slot n is read before it is set"]


@pytest.mark.parametrize(
    ("op", "a", "b", "want"), [("add", 0, "s", "s"), ("mul", "s", 0, 0), ("mul", "s", 1, "s"), ("max", 3, 5, 5)]
)
def test_folding(op, a, b, want):
    """Integers fold where the operands allow."""
    a, b, want = (L.Slot(x) if isinstance(x, str) else x for x in (a, b, want))
    assert L.binary(op, a, b) == want
