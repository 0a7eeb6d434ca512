"""Nests that share a function: each call runs its own with its own arguments."""

import re

import numpy as np
import pytest
from machine_code import PATHS, call, runs

from openpto.ir.dtypes import DataType
from openpto.ops import arith
from openpto.runtime.native import engine, grouping, jit
from openpto.runtime.native import loopir as L

F32 = DataType.DT_FP32
COUNT, WIDTH = 12, 37


def nests():
    """Loops over rows that each scale their own part of one array by another number, some of two arrays: target =
    source * (k + 1), plus the other source where k is odd."""
    body = []
    for k in range(COUNT):
        scale = arith.build(lambda x, k=k: x * float(k + 1), F32)
        row = L.mul(L.Slot("r"), WIDTH)
        at = [L.Ptr(f"param{n}", L.add(k * 4 * WIDTH, row), F32) for n in range(3)]
        parts = [L.Load("x", at[0], 1), L.Compute("y", scale, ("x",))]
        if k % 2:
            parts += [L.Load("z", at[1], 1), L.Compute("y", arith.build(lambda a, b: a + b, F32, F32), ("y", "z"))]
        vector = L.Vector(WIDTH, (*parts, L.Store(at[2], 1, "y")), unit=1)
        body.append(L.For("r", 0, L.Slot(f"size{k % 2}"), 1, (vector,)))
    return body


@pytest.mark.parametrize("most", [1, 60, 10_000])
@pytest.mark.parametrize("path", PATHS)
def test_each_call_runs_its_own(monkeypatch, path, most):
    if not runs(path):
        pytest.skip("this machine cannot run the code")
    monkeypatch.setattr(grouping, "MOST", most)
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, COUNT, 4, WIDTH)).astype(np.float32)
    o = np.zeros_like(a)
    failed, _ = call(nests(), (a, b, o), sizes=(4, 3), path=path)
    assert not failed
    wanted = np.zeros_like(a)
    for k in range(COUNT):
        rows = slice(0, 4 - k % 2)
        wanted[k, rows] = a[k, rows] * np.float32(k + 1)
        if k % 2:
            wanted[k, rows] += b[k, rows]
    np.testing.assert_array_equal(o.view(np.uint32), wanted.view(np.uint32))


def test_functions_are_not_longer_than_the_limit(monkeypatch):
    program = L.Program("kernel", ("param0", "param1", "param2"), ("size0", "size1"), 0, tuple(nests()))

    def functions(most):
        monkeypatch.setattr(grouping, "MOST", most)
        text = engine.llvm_text(engine.Lowered(program, None, (), ()), jit.target())
        return [part.count("\n") for part in re.split(r"^define internal void @nest", text, flags=re.M)[1:]]

    assert len(functions(10_000)) == 1
    assert len(functions(1)) == COUNT
    longest = max(functions(1))
    assert 1 < len(functions(3 * longest)) < COUNT
    assert max(functions(3 * longest)[:-1]) < 3 * longest + 10


def test_a_nest_without_arguments_is_called():
    none, all_ = grouping.Body("nest0", 0, 0, ["nest0:"]), grouping.Body("nest1", 1, 2, ["nest1:"])
    calls = ["  call void @nest0()", "  call void @nest1(ptr %p, i64 %a, i64 7)"]
    assert grouping.redirected(calls[:2], grouping.groups([all_, none])) == [
        "  call void @nest0(i64 0, ptr poison, i64 poison, i64 poison)",
        "  call void @nest0(i64 1, ptr %p, i64 %a, i64 7)",
    ]
    assert grouping.redirected(calls[:2], grouping.groups([none]) + grouping.groups([all_])) == calls[:2]
