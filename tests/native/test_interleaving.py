"""Vector loops that take several groups of lanes at once, and steps that one instruction stands for: the same bits."""

import machine_code
import numpy as np
import pytest

from openpto.ops import arith
from openpto.ops import math as functions
from openpto.ops.arith import F32
from openpto.runtime.native import engine, jit
from openpto.runtime.native import loopir as L
from openpto.runtime.native.idioms import scaled, steps
from openpto.runtime.native.interleaving import divisor, groups, unit
from openpto.runtime.reference.evaluate import evaluate

EXP = arith.build(functions.exp, F32)
SUM = arith.build(lambda a, x: a + x, F32, F32)
DOUBLE = arith.build(lambda x: x * 2.0, F32)
paths = pytest.mark.parametrize("path", [p for p in machine_code.PATHS if machine_code.runs(p)])


def summed(count, known=True):
    """``param1 = exp(param0)``, and its sum in the order of the contract in ``param2``."""
    x, y, total = (L.Ptr(f"param{k}", 0, F32) for k in range(3))
    body = (L.Load("x", x, 1), L.Compute("y", EXP, ("x",)), L.Store(y, 1, "y"), L.Fold("acc", SUM, "y"))
    acc = L.Acc("acc", arith.const(-0.0, F32), SUM, total)
    length = count if known else L.mul(L.Slot("size0"), 64)
    return L.Vector(length, body, (acc,), unit(length, body))


def inputs(count):
    """All kinds of operands of an exponential: huge, tiny, where results are denormal, infinities and NaN."""
    rng = np.random.default_rng(count)
    edges = [0.0, -0.0, np.inf, -np.inf, np.nan, 88.72, 88.73, 89.5, -87.3, -88.0, -103.9, -104.4, -1e30, 1e-45, 3e38]
    found = rng.uniform(-110, 95, count).astype(np.float32)
    found[: len(edges)] = np.array(edges, np.float32)[:count]
    return rng.permutation(found)


@paths
@pytest.mark.parametrize(
    ("count", "known"), [(16, True), (48, True), (64, True), (70, True), (192, True), (64, False), (192, False)]
)
def test_an_exponential_and_its_sum(path, count, known):
    """The bits of the reference's evaluation, sixteen partial sums joined by halving."""
    x, y, total = inputs(count), np.zeros(count, np.float32), np.zeros(1, np.float32)
    x[~np.isfinite(x) | (x > 80)] = -1.0
    failed, _ = machine_code.call([summed(count, known)], [x, y, total], (count // 64,), path=path)
    assert failed == 0
    want = np.asarray(evaluate(EXP, [x]), np.float32)
    np.testing.assert_array_equal(y.view(np.uint32), want.view(np.uint32))
    lanes = np.full(16, -0.0, np.float32)
    for at in range(0, count, 16):
        part = want[at : at + 16]
        lanes[: len(part)] += part
    for half in (8, 4, 2, 1):
        lanes = lanes[:half] + lanes[half : 2 * half]
    assert total[0] == lanes[0]


@paths
@pytest.mark.parametrize("name", ["exp", "exp2"])
def test_special_operands_of_exponentials(path, name):
    """Overflow, gradual underflow, zeros, infinities and NaN."""
    expr, x = arith.build(getattr(functions, name), F32), inputs(256)
    (got,) = machine_code.compute([(expr, [x])], path)
    want = np.asarray(evaluate(expr, [x]), np.float32)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(got.view(np.uint32)[got == got], want.view(np.uint32)[got == got])


def test_an_exponential_scales_by_one_instruction():
    """Where there is one."""
    assert sum(scaled(node) is not None for node in arith.postorder(EXP)) == 1
    assert len(steps(EXP, True)) < len(steps(EXP, False)) == len(list(arith.postorder(EXP)))
    assert scaled(arith.build(lambda x: x * 2.0 * 4.0, F32)) is None
    program = L.Program("kernel", ("param0", "param1", "param2"), (), 0, (summed(64),))
    texts = {
        p: engine.llvm_text(engine.Lowered(program, None, (), ()), jit.target(p)) for p in ("avx512", "avx2", "generic")
    }
    assert {p for p, text in texts.items() if "scalef" in text} == {"avx512"}


def test_groups_at_once():
    """Long bodies take several groups if no rest is left over; short ones, gathers and very long ones one."""
    load = L.Load("x", L.Ptr("param0", 0, F32), 1)
    size = L.Slot("size0")
    assert groups((load, L.Compute("y", EXP, ("x",)))) == 4
    assert groups((load, L.Compute("y", DOUBLE, ("x",)))) == 1
    assert groups((L.Load("x", load.at, 7), L.Compute("y", EXP, ("x",)))) == 1
    assert groups((load, *(L.Compute(f"y{k}", EXP, ("x",)) for k in range(4)))) == 2
    assert groups((load, *(L.Compute(f"y{k}", EXP, ("x",)) for k in range(20)))) == 1
    assert [divisor(n) for n in (0, 1, 48, 64, 1000, -32)] == [64, 1, 16, 64, 8, 32]
    assert divisor(L.mul(size, 32)) == 32
    assert divisor(L.mul(L.mul(size, 16), 8)) == 64
    assert divisor(L.binary("min", L.sub(L.mul(size, 64), 32), 256)) == 32
    assert divisor(L.binary("div", L.mul(size, 64), 2)) == divisor(size) == 1
