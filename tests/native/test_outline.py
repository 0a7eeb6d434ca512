"""Element loops become functions: equal ones share a function, others do not, and what they compute stays."""

import re

import machine_code
import numpy as np
import pytest

from openpto.ir.dtypes import DataType
from openpto.ops import arith
from openpto.runtime.native import engine, jit
from openpto.runtime.native import loopir as L
from openpto.runtime.native.interleaving import unit
from openpto.runtime.native.outline import is_nest, nest_of

F32 = DataType.DT_FP32
DOUBLE = arith.build(lambda x: x * 2.0, F32)
ROOT = arith.build(arith.sqrt, F32)


def rows(source, target, count, width, expr=DOUBLE, stride=8, names="rxy"):
    """``target[r, p] = expr(source[r, p])`` for rows of a pitch of ``stride``; ``source`` and ``target`` are (tensor,
    first element)."""
    r, x, y = names
    (a, i), (b, k) = source, target
    at = [L.Ptr(f"param{n}", L.add(first, L.mul(L.Slot(r), stride)), F32) for n, first in ((a, i), (b, k))]
    body = (L.Load(x, at[0], 1), L.Compute(y, expr, (x,)), L.Store(at[1], 1, y))
    return L.For(r, 0, count, 1, (L.Vector(width, body, unit=unit(width, body)),))


def functions(*body):
    """How many nests are written for a program."""
    program = L.Program("kernel", ("param0", "param1"), ("size0", "size1"), 0, body)
    text = engine.llvm_text(engine.Lowered(program, None, (), ()), jit.target())
    return len(re.findall(r"^nest\d+:", text, re.MULTILINE))


def test_places_and_run_time_sizes_do_not_make_another_function():
    """Addresses, lengths, pitches and names are no part of a function; the length of a rest and arithmetic are."""
    first = rows((0, 0), (1, 0), L.Slot("size0"), 5)
    assert functions(first, rows((0, 64), (1, 7), L.Slot("size1"), 5, names="sab")) == 1
    assert functions(first, rows((0, 0), (1, 0), L.add(L.Slot("size0"), 1), 5)) == 1
    assert functions(first, rows((0, 0), (1, 0), L.Slot("size0"), 6)) == 2
    assert functions(first, rows((0, 0), (1, 0), L.Slot("size0"), 5, ROOT)) == 2
    assert functions(first, rows((0, 0), (1, 0), 7, 5, stride=16)) == 1
    assert functions(rows((0, 0), (1, 0), 7, 32), rows((0, 0), (1, 0), 7, 48)) == 1
    assert functions(rows((0, 0), (1, 0), 7, 32), rows((0, 0), (1, 0), 7, 33)) == 2


def test_one_tensor_twice_is_another_function_than_two():
    """Which addresses are equal is a part of a function."""
    assert functions(rows((0, 0), (1, 0), 3, 5), rows((0, 0), (0, 0), 3, 5)) == 2


def test_statements_that_stay():
    """What can stop the program, is asked for an interrupt, or reads an integer from memory is no nest."""
    assert not is_nest(L.For("i", 0, 3, 1, (L.Check(L.Slot("i"), 0),)))
    assert not is_nest(L.For("i", 0, 3, 1, (), interruptible=True))
    peek = L.Peek(L.Ptr("param0", 0, DataType.DT_INT64))
    assert nest_of(rows((0, 0), (1, 0), peek, 5)) is None


@pytest.mark.parametrize("path", [p for p in machine_code.PATHS if machine_code.runs(p)])
def test_values(path):
    """Two nests of one function write where each belongs; loops that run no time write nothing."""
    data = np.arange(96, dtype=np.float32) - 40
    out = np.zeros(96, np.float32)
    pair = [rows((0, 0), (1, 0), L.Slot("size0"), 5), rows((0, 40), (1, 32), L.Slot("size1"), 5)]
    none = [rows((0, 0), (1, 80), L.Slot("size2"), 5), rows((0, 0), (1, 80), 2, L.Slot("size2"))]
    none.append(rows((0, 0), (1, 80), 2, L.mul(L.Slot("size2"), 16)))
    assert machine_code.call(pair + none, [data, out], sizes=(3, 2, 0), path=path)[0] == 0
    want = np.zeros(96)
    for start, to, count in ((0, 0, 3), (40, 32, 2)):
        for row in range(count):
            want[to + 8 * row : to + 8 * row + 5] = 2.0 * data[start + 8 * row : start + 8 * row + 5]
    np.testing.assert_array_equal(out, want)
