"""What each target refuses: the same kernel under target 0.2, under 0.3 and under none.

A row names, per target that refuses it, the class, the code, the familiar words and the vendor's code of the error;
`# !` marks its line. Under a target the exception has exactly that class. Where a target does not refuse the row, it
runs with the right values: without a warning if another target is chosen, and with one that names the refusing targets
if none is. A row that every target refuses is an error without a target too, with the classes of all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pytest
from kernel_rows import CUBE, DYNAMIC, MATMUL, MM, Row, marked_line, plus_one

import openpto
from openpto.diagnostics import PROFILES, PyptoError

TARGETS = (None, *PROFILES)


@dataclass(frozen=True)
class Refusal:
    """How one target refuses a row. ``alias`` is empty where the vendor gives no code."""

    code: str
    python: type[Exception]
    phrase: str
    alias: str = ""


@dataclass(frozen=True)
class Case(Row):
    """``refused`` by target; ``expected`` is y as numpy computes it, for targets that run the row."""

    refused: Mapping[str, Refusal] = field(default_factory=dict)
    expected: object = None


def both(code, python, phrase, alias=""):
    """Refused in one way by both targets."""
    return dict.fromkeys(PROFILES, Refusal(code, python, phrase, alias))


def each(code, alias, old, new):
    """Refused by both targets with a class and words of its own, and maybe a vendor's code: `old` for 0.2, `new` for
    0.3."""
    return {
        profile: Refusal(code, python, phrase, *(others or [alias]))
        for profile, (python, phrase, *others) in (("0.2", old), ("0.3", new))
    }


def older(code, python, phrase, alias=""):
    """Refused by target 0.2."""
    return {"0.2": Refusal(code, python, phrase, alias)}


def newer(code, python, phrase, alias=""):
    """Refused by target 0.3."""
    return {"0.3": Refusal(code, python, phrase, alias)}


UNSET_CUBE = "Invalid tile values: kL0=0, kL1a=0, kL1b=0, mL0=0, mL1=0, nL0=0, nL1=0"
HALVES = "for i in P.loop(2):\n    b = P.view(x, [16, 32], [i * 16, 0])\n"
PICK = (
    "    if {test}:  # !\n        P.assemble(b + 1.0, [i * 16, 0], y)\n"
    "    else:\n        P.assemble(b * 2.0, [i * 16, 0], y)"
)
HELPER = (
    "def fill(y, b, i):\n    if {test}:  # !\n        P.assemble(b + 1.0, [i * 16, 0], y)\n"
    "    else:\n        P.assemble(b * 2.0, [i * 16, 0], y)\n"
)
USE = HALVES + "    fill(y, b, i)"


def first_then_second(x):
    return np.concatenate([x[:16] + 1, x[16:] * 2])


def second_then_first(x):
    return np.concatenate([x[:16] * 2, x[16:] + 1])


ARTICLES = [
    Case("symbol in a vector tile", "rows = x.shape[0]\nP.set_vec_tile_shapes(rows, 16)  # !\ny[:] = x", DYNAMIC,
         refused=both("PTO286", ValueError, "Not concrete value", "F00002")),
    Case("symbol in a cube tile", "P.set_cube_tile_shapes([x.shape[0], 16], [16, 16], [16, 16])  # !\ny[:] = x",
         DYNAMIC, refused=both("PTO286", ValueError, "Not concrete value", "F00002")),
    *(
        Case(f"loop({bound})", f"for i in P.loop({bound}):  # !\n    y[:] = x",
             refused=each("PTO201", "", (ValueError, "Invalid value type", "F21004"),
                          (ValueError, "Invalid value type", "F00002")))
        for bound in ("range(4)", "0, range(4)", "2.0", "[1, 2]", "DYN")
    ),
    *(
        Case(f"slice [{key}]", f"for i in P.loop(2):\n    b = x[{key}, :]  # !\n    y[0:16, :] = b",
             refused=each("PTO234", "F00002", (TypeError, "Cannot convert symbols to int"),
                          (ValueError, "Not concrete value")))
        for key in ("i * 16:", "0:i", ":i.min(8)")
    ),
    Case("open axis beside another key", "b = x[:, 0:16]  # !\ny[:] = b", "x: T(DYN, 32), y: T(32, 16)",
         y_shape=(32, 16),
         refused=each("PTO234", "F00002", (TypeError, "Cannot convert symbols to int"),
                      (ValueError, "Not concrete value"))),
    Case("window of another rank", "b = P.view(x, [16, 16], [0, 0, 0, 0])  # !\ny[:] = b",
         "x: T(2, 2, 16, 16), y: T(16, 16)", shape=(2, 2, 16, 16), y_shape=(16, 16),
         refused=each("PTO236", "", (ValueError, "Their size actually are 4 and 2", "F21004"),
                      (ValueError, "Their size actually are 4 and 2", "F21003"))),
    Case("offsets of another rank", "y[:] = P.view(x, [32, 32], [0])  # !",
         refused=each("PTO236", "", (ValueError, "Their size actually are 1 and 2", "F21004"),
                      (ValueError, "Their size actually are 1 and 2", "F21003"))),
    Case("valid_shape of another rank", "y[:] = P.view(x, [32, 32], [0, 0], valid_shape=[16])  # !",
         refused=each("PTO236", "", (ValueError, "Their size actually are 1 and 2", "F21004"),
                      (ValueError, "Their size actually are 1 and 2", "F21003"))),
    *(
        Case(f"{test} in a plain helper", USE, before=HELPER.format(test=f"P.{test}(i)"), expected=expected,
             refused=older("PTO661", ValueError, "Not concrete value", "F00002"))
        for test, expected in (("is_loop_begin", first_then_second), ("is_loop_end", second_then_first))
    ),
    Case("loop and its test in a plain helper", "work(x, y)", expected=first_then_second,
         before="def work(x, y):\n    for i in P.loop(2):\n        b = P.view(x, [16, 32], [i * 16, 0])\n"
                "        if P.is_loop_begin(i):  # !\n            P.assemble(b + 1.0, [0, 0], y)\n"
                "        else:\n            P.assemble(b * 2.0, [16, 0], y)\n",
         refused=older("PTO661", ValueError, "Not concrete value", "F00002")),
    Case("cond in a plain helper", USE, before=HELPER.format(test="P.cond(P.is_loop_begin(i))"),
         expected=first_then_second),
    Case("test in a frontend.function helper", USE, expected=first_then_second,
         before="@P.frontend.function\n" + HELPER.format(test="P.is_loop_begin(i)")),
    Case("test in the kernel", HALVES + PICK.format(test="P.is_loop_begin(i)"), expected=first_then_second),
    Case("no vector tile", "y[:] = x + 1.0  # !", tile="",
         refused=both("PTO301", ValueError, "tile shape not set", "F21004")),
    Case("vector tile of a loop that has ended",
         "for i in P.loop(2):\n    P.set_vec_tile_shapes(16, 16)\n    y[:] = x + 1.0\ny[:] = y * 2.0  # !", tile="",
         refused=both("PTO301", ValueError, "tile shape not set", "F21004")),
    Case("vector tile of zeros", "y[:] = x + 1.0  # !", tile="P.set_vec_tile_shapes(0, 16)",
         refused=each("PTO302", "", (ValueError, "tile shape not set", "F21004"),
                      (ValueError, "tile shape not set", "FC1000"))),
    Case("no cube tile", MM, MATMUL, "k(x, x, y)",
         refused=each("PTO320", "", (ValueError, UNSET_CUBE, "FC4000"), (ValueError, UNSET_CUBE, "F0000C"))),
    Case("dynamic operand of matmul", "y[:] = P.matmul(x, w, F)  # !", "x: T(DYN, 32), w: T(32, 32), y: T(32, 32)",
         "k(x, x, y)", tile=CUBE, refused=each(
             "PTO271", "", (RuntimeError, "operand1 dim[0] = -1, must be > 0", "FC3000"),
             (RuntimeError, "Dynamic shape tensors are not allowed as operation operands", "F0000A"))),
    Case("dynamic operand", "y[:] = x + 1.0  # !", DYNAMIC,
         refused=each("PTO224", "",
                      (RuntimeError, "The shape size of tensor must less than or equal to INT32_MAX", "FFFFFF"),
                      (RuntimeError, "Dynamic shape tensors are not allowed as operation operands", "F0000A"))),
    Case("annotations as strings", "y[:] = x + 1.0", 'x: "T(32, 32)", y: T(32, 32)', expected=plus_one,
         refused=both("PTO508", RuntimeError, "Non-tensor parameter 'x' must not be a torch.Tensor. Use positional "
                      "arguments for tensors.")),
    Case("return annotation", "y[:] = x", "x: T(32, 32), y: T(32, 32)) -> (None",
         refused=both("PTO501", ValueError, "Return annotation is not allowed")),
    Case("loop over a tensor", "for row in x:  # !\n    y[:] = row",
         refused=each("PTO152", "F00001",
                      (TypeError, "Loop iterator must be range  Iterator, or list/tuple, but got Tensor"),
                      (TypeError, "Tensor is not iterable."))),
    Case("unpacked tensor", "p, q = x  # !\ny[:] = x",
         refused=each("PTO257", "F00001", (TypeError, "Cannot unpack non-sequence type Tensor"),
                      (TypeError, "Tensor is not iterable."))),
    Case("unpacked shape", "r, c = x.shape\ny[:] = x[0:r, 0:c] + 1.0", expected=plus_one),
]  # fmt: skip

FRONT_ENDS = [
    Case("annotation without a shape", "y[:] = x + 1.0", "x: P.Tensor, y: T(32, 32)", expected=plus_one,
         refused=older("PTO510", AttributeError, "type object 'Tensor' has no attribute 'shape'")),
    Case("marks in a tuple", "y[:] = x", "x: P.Tensor((DYN, 32), F), y: T(32, 32)",
         refused=both("PTO269", TypeError, "Invalid value type", "F00001")),
    Case("cond in a kernel", HALVES + PICK.format(test="P.cond(i < 1)"), expected=first_then_second,
         refused=older("PTO660", TypeError,
                       "Test condition must be a symbolic scalar or boolean, but got RecordIfBranch")),
    Case("number as a condition", "n = 2\nif n:  # !\n    y[:] = x + 1.0", expected=plus_one,
         refused=older("PTO666", TypeError, "Test condition must be a symbolic scalar or boolean, but got int",
                       "F00001")),
    *(
        Case(name, HALVES + PICK.format(test=test), expected=first_then_second,
             refused=older("PTO669", ValueError, "Not concrete value", "F00002"))
        for name, test in (("and", "i >= 0 and i < 1"), ("or", "i < 1 or i > 1"), ("not", "not i > 0"),
                           ("chained comparison", "-1 < i < 1"))
    ),
    Case("conditional expression", HALVES + "    at = 16 if i > 0 else 0  # !\n    P.assemble(b + 1.0, [at, 0], y)",
         expected=plus_one, refused=both("PTO669", ValueError, "Not concrete value", "F00002")),
    Case("builtin max", HALVES + "    at = max(i * 16, 0)  # !\n    P.assemble(b + 1.0, [at, 0], y)",
         expected=plus_one, refused=older("PTO663", ValueError, "Not concrete value", "F00002")),
    Case("test of an outer loop",
         "for i in P.loop(2):\n    for j in P.loop(2):\n        b = P.view(x, [16, 16], [i * 16, j * 16])\n"
         "        if P.is_loop_begin(i):  # !\n            P.assemble(b + 1.0, [i * 16, j * 16], y)\n"
         "        else:\n            P.assemble(b * 2.0, [i * 16, j * 16], y)",
         expected=first_then_second, refused=newer("PTO670", ValueError, "the innermost loop")),
    Case("loop in a name", "steps = P.loop(2)\nfor i in steps:  # !\n"
         "    P.assemble(P.view(x, [16, 32], [i * 16, 0]) + 1.0, [i * 16, 0], y)", expected=plus_one,
         refused=newer("PTO681", NotImplementedError, "Function should not be called directly", "F00005")),
    *(
        Case(f"test of a loop and {sign}", HALVES + PICK.format(test=f"P.is_loop_begin(i) {sign}"),
             expected=first_then_second, refused=older("PTO673", RuntimeError, "RawSymbolicExpression", "F3FFFF"))
        for sign in ("* 1", "+ 0", "== 1")
    ),
    Case("& of symbols", HALVES + PICK.format(test="(i >= 0) & (i < 1)"), expected=first_then_second,
         refused=older("PTO674", TypeError, "unsupported operand type(s) for &: 'SymbolicScalar'")),
    Case("| of symbols", HALVES + PICK.format(test="(i < 1) | (i > 1)"), expected=first_then_second,
         refused=older("PTO674", TypeError, "unsupported operand type(s) for |: 'SymbolicScalar'")),
    Case("unroll_list without 1",
         "for i in P.loop(x.shape[0] // 8, unroll_list=[4, 2]):  # !\n"
         "    P.assemble(P.view(x, [8, 32], [i * 8, 0]) + 1.0, [i * 8, 0], y)",
         DYNAMIC, expected=plus_one, refused=older("PTO672", RuntimeError, "whole groups of 2 iterations")),
    Case("unroll_list that divides",
         "for i in P.loop(4, unroll_list=[4, 2]):\n"
         "    P.assemble(P.view(x, [8, 32], [i * 8, 0]) + 1.0, [i * 8, 0], y)", expected=plus_one),
    *(
        Case(f"loop over {got}", f"for j in {text}:  # !\n    y[:] = x + 1.0", expected=plus_one,
             refused=older("PTO675", TypeError,
                           f"Loop iterator must be range  Iterator, or list/tuple, but got {got}", "F00001"))
        for got, text in (("dict", "{0: 1}"), ("str", "'a'"), ("set", "{1}"), ("dict_items", "{0: 1}.items()"))
    ),
    *(
        Case(f"loop over empty {text}", f"none = {text}\nfor j in {name}:  # !\n    y[:] = x\ny[:] = x + 1.0",
             expected=plus_one,
             refused=older("PTO676", ValueError, "Empty list/tuple cannot be used as loop iterator.", "F00002"))
        for text, name in (("[]", "[]"), ("()", "none"))
    ),
    *(
        Case(f"loop over pairs {name}",
             f"pairs = [(0, 1.0), (8, 1.0), (16, 1.0), (24, 1.0)]\nfor a, b in {name}:  # !\n"
             "    P.assemble(P.view(x, [8, 32], [a, 0]) + b, [a, 0], y)", expected=plus_one,
             refused=older("PTO677", ValueError, "Cannot unpack 4 values into 2 targets.", "F00002"))
        for name in ("pairs", "[(0, 1.0), (8, 1.0), (16, 1.0), (24, 1.0)]")
    ),
    Case("loop over two pairs", "for a, b in [(0, 1.0), (16, 1.0)]:\n"
         "    P.assemble(P.view(x, [16, 32], [a, 0]) + b, [a, 0], y)", expected=plus_one),
    Case("loop over zip", "for a, b in zip([0, 8, 16, 24], [1.0] * 4):\n"
         "    P.assemble(P.view(x, [8, 32], [a, 0]) + b, [a, 0], y)", expected=plus_one),
    Case("return in a nested function", "def more(t):\n    return t + 1.0  # !\ny[:] = more(x)", expected=plus_one,
         refused=older("PTO679", ValueError, "Return statements are not allowed.", "F00002")),
    Case("name of a loop after it", "for i in P.loop(2):  # !\n    t = x + 1.0\ny[:] = t", expected=plus_one,
         refused=older("PTO680", NameError, "name 't' is not defined", "F00004")),
    Case("while", "n = 0\nwhile n < 1:  # !\n    n += 1\ny[:] = x + 1.0", expected=plus_one,
         refused=older("PTO671", NotImplementedError, "While is not supported by the PTO parser yet", "F00005")),
    Case("break in a Python loop", "for j in range(4):\n    y[:] = x + 1.0\n    break  # !", expected=plus_one,
         refused=older("PTO671", NotImplementedError, "Break is not supported by the PTO parser yet", "F00005")),
    Case("annotated name", "t: object = x + 1.0  # !\ny[:] = t", expected=plus_one,
         refused=older("PTO671", NotImplementedError, "AnnAssign is not supported by the PTO parser yet", "F00005")),
    Case("with", "with P.options(vec_tile_shapes=[16, 16]):  # !\n    y[:] = x + 1.0", expected=plus_one,
         refused=both("PTO664", NotImplementedError, "With is not supported by the PTO parser yet", "F00005")),
    Case("try", "try:  # !\n    y[:] = x\nexcept ValueError:\n    pass",
         refused=both("PTO110", NotImplementedError, "Try is not supported by the PTO parser yet", "F00005")),
    Case("break in a run-time loop", "for i in P.loop(2):\n    y[:] = x\n    break  # !",
         refused=each("PTO114", "F00005", (NotImplementedError, "Break is not supported by the PTO parser yet"),
                      (SyntaxError, "break is not supported in pypto.loop"))),
    Case("return", "y[:] = x\nreturn  # !",
         refused=each("PTO113", "F00002", (ValueError, "Return statements are not allowed"),
                      (SyntaxError, "Return statements are not allowed"))),
    Case("else of a loop", "for j in range(2):\n    y[:] = x\nelse:\n    y[:] = x  # !",
         refused=each("PTO112", "F00005", (NotImplementedError, "For-else clauses are not supported"),
                      (SyntaxError, "For-else clauses are not supported"))),
    Case("range of a symbol", "for i in range(x.shape[0]):  # !\n    y[:] = x", DYNAMIC,
         refused=both("PTO134", TypeError, "range() not support symbolic scalar yet, try use pypto.loop", "F00001")),
    Case("**keywords of a helper", "y[:] = more(x, by=1.0)", expected=plus_one,
         before="def more(t, **named):  # !\n    return t + named['by']\n",
         refused=both("PTO665", NotImplementedError, "Keyword argument packing (**kwargs) is not supported", "F00005")),
    Case("keyword for a frontend.function helper", "more(x, y=y)  # !", expected=plus_one,
         before="@P.frontend.function\ndef more(x, y):\n    y[:] = x + 1.0\n",
         refused=older("PTO667", NotImplementedError,
                       "Keyword arguments in nested function calls are not supported yet.", "F00005")),
    Case("return annotation of a frontend.function helper", "more(x, y)", expected=plus_one,
         before="@P.frontend.function\ndef more(x, y) -> None:  # !\n    y[:] = x + 1.0\n",
         refused=older("PTO678", ValueError, "Return annotation is not allowed in nested functions")),
    Case("counter carried by rebinding",
         "n = 0\nfor i in P.loop(2):  # !\n    y[n:n + 16, :] = P.view(x, [16, 32], [n, 0]) + 1.0\n    n = n + 16",
         expected=plus_one, refused=older("PTO668", RuntimeError, "by rebinding")),
    Case("index name of an outer loop",
         'for i in P.loop(2, idx_name="i"):\n    for j in P.loop(2, idx_name="i"):  # !\n'
         "        P.assemble(P.view(x, [16, 16], [i * 16, j * 16]) + 1.0, [i * 16, j * 16], y)",
         expected=plus_one, refused=each("PTO662", "", (RuntimeError, "Forbid duplicate name of loop idx", "F21007"),
                      (RuntimeError, "Forbid duplicate name of loop idx", "F21006"))),
    Case("part read and written", "y[:] = x\ny[0:16, :] = y[0:16, :] + 1.0  # !",
         expected=lambda x: np.concatenate([x[:16] + 1, x[16:]]),
         refused=each("PTO611", "", (RuntimeError, "Operation already in a group", "F21007"),
                      (RuntimeError, "cycle detected", "F21009"))),
    Case("number stored into a part", "y[:] = x\ny[0:8, :] = 1.0  # !",
         expected=lambda x: np.concatenate([np.ones((8, 32)), x[8:]]),
         refused=both("PTO650", TypeError, "'float' type cannot be moved to Tensor", "F00001")),
    Case("scalar read of floats", "n = x[0, 0]  # !\ny[:] = x",
         refused=each("PTO256", "F00001", (AssertionError, "tensor dtype must be DT_INT32."),
                      (TypeError, "tensor dtype must be DT_INT32."))),
    Case("too many indices", "b = x[0:1, 0:1, 0:1]  # !\ny[:] = x",
         refused=each("PTO240", "F00008", (AssertionError, "rank not match, expect 2, but got 3"),
                      (IndexError, "Too many indices for tensor with dimension 2"))),
    Case("symbol with a float", "n = x.shape[0] + 1.5  # !\ny[:] = x", DYNAMIC,
         refused=each("PTO205", "F00001", (AttributeError, "Invalid type."), (TypeError, "Invalid type."))),
    Case("division of known numbers by zero", "n = P.SymbolicScalar(1) // 0  # !\ny[:] = x",
         refused=each("PTO202", "F00002", (ZeroDivisionError, "Division or Mod by zero."),
                      (ValueError, "Division or Mod by zero."))),
    Case("valid_shape of an in-place reshape",
         "t = P.reshape(x, [64, 16], valid_shape=[32, 16], inplace=True)  # !\n"
         "for _ in P.loop(1):\n    y[:] = P.reshape(t, [32, 32])",
         expected=lambda x: x, refused=newer("PTO658", ValueError, "ignores valid_shape")),
    Case("label like a key", 'P.set_semantic_label("func1_2")  # !\ny[:] = x + 1.0', expected=plus_one,
         refused=newer("PTO291", ValueError, "conflicts with function-granularity hashOrder format")),
    Case("keyword for a tensor of assemble", "P.assemble(input=x, offsets=[0, 0], out=y)  # !",
         refused=both("PTO222", TypeError, "positional", "F00001")),
]  # fmt: skip

CASES = [*ARTICLES, *FRONT_ENDS]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_target_refuses_what_its_front_end_refuses(case, target, run_example):
    with openpto.configure(target=target):
        outcome = run_example(case.source + "    return x, y\n")
    everywhere = set(case.refused) == set(PROFILES) and case.expected is None
    if target in case.refused:
        judge_refusal(outcome, case, case.refused[target], target)
        assert type(outcome.error).__bases__ == (PyptoError, case.refused[target].python)
    elif target is None and everywhere:
        for refusal in case.refused.values():
            judge_refusal(outcome, case, refusal, target)
    else:
        judge_run(outcome, case, target)


def judge_refusal(outcome, case, refusal, target):
    error = outcome.error
    if not isinstance(error, PyptoError):
        pytest.fail(f"not refused: {error!r}")
    assert error.code == refusal.code, str(error)
    assert isinstance(error, refusal.python)
    assert refusal.phrase in str(error)
    assert refusal.alias in str(error).splitlines()[0]
    assert not refusal.alias or target is None or f"({refusal.alias}" in str(error).splitlines()[0], str(error)
    judge_place(error, case, outcome.file)


def judge_run(outcome, case, target):
    if outcome.error is not None:
        raise outcome.error
    x, y = outcome.result
    np.testing.assert_array_equal(y, np.asarray(case.expected(x), np.float32))
    if target is not None or not case.refused:
        assert outcome.warnings == []
        return
    warning = outcome.warnings[0]
    first = next(iter(case.refused.values()))
    assert warning.code == first.code
    assert first.phrase in str(warning)
    assert all(profile in str(warning) for profile in case.refused)
    judge_place(warning, case, outcome.file)


def judge_place(told, case, file):
    """The marked line, or where the kernel is defined."""
    line = marked_line(case.source)
    if line is None:
        line = next(n for n, text in enumerate(case.source.splitlines(), 1) if text.startswith("def k("))
    assert (told.site.span.file, told.site.span.line) == (file, line), str(told)
