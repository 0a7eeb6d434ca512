"""Messages call tensors and operations as the author does, on both engines."""

import pytest

from openpto import configure
from openpto.diagnostics import Span, assigned_name

HEAD = """import numpy as np
import pypto

F, I = pypto.DT_FP32, pypto.DT_INT32


@pypto.frontend.jit
def k(x: pypto.Tensor([8, 16], F), n: pypto.Tensor([2], I), y: pypto.Tensor([8, 16], F)):
    pypto.set_vec_tile_shapes(8, 16)
    {body}


def run():
    k(np.ones((8, 16), np.float32), np.array([4, 12], np.int32), np.zeros((8, 16), np.float32))
"""

FAULTS = [
    (
        "race on a local",
        (
            "buffer = pypto.Tensor([8, 16], F)\nfor i in pypto.loop(2, parallel=True):\n"
            "    buffer[n[0] - 4 : n[0], :] = x[0:4, :] * 2.0\ny[:] = buffer"
        ),
        "PTO461",
        "of buffer, and",
    ),
    (
        "read of a local that no write reached",
        "state = pypto.Tensor([8, 16], F)\nfor i in pypto.loop(n[0] - 4):\n    state[:] = x\ny[:] = state * 2.0",
        "PTO403",
        "state [8, 16] is read here",
    ),
    (
        "element of a local",
        "table = pypto.Tensor([4], I)\ntable[0] = 1\nfor i in pypto.loop(table[1]):\n    y[:] = x",
        "PTO402",
        "element [1] of table is",
    ),
    (
        "softmax, which is five operations",
        (
            "t = pypto.Tensor([8, 16], F)\nt[0:4, :] = x[0:4, :]\ns = pypto.softmax(t, -1)\n"
            "y[:] = pypto.view(s, [8, 16], [0, 0], valid_shape=[4, 16]) * 1.0"
        ),
        "PTO431",
        "an operand of softmax has",
    ),
]


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize(("body", "code", "words"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS])
@pytest.mark.skipif("sys.version_info < (3, 11)", reason="Python keeps no columns of instructions")
def test_faults(engine, body, code, words, run_example):
    pytest.importorskip("llvmlite")
    with configure(engine=engine):
        outcome = run_example(HEAD.format(body=body.replace("\n", "\n    ")))
    told = [*outcome.warnings, *([outcome.error] if outcome.error else [])]
    assert code in [one.code for one in told], told
    assert words in next(" ".join(str(one).split()) for one in told if one.code == code)


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ("t = pypto.Tensor([8, 16], F)\ny[:] = x + t", "PTO410", "add reads t, declared in line 10"),
        ("t = x * 2.0\ny[:] = t\ny[0:4, :] = pypto.view(t, [4, 16], [0, 0]) * 2.0", "PTO610", "t was moved into"),
        ("y[:] = pypto.softmax(x, 5)", "PTO233", "axis 5 of softmax"),
        ("y[:] = pypto.transpose(x, 0, 7)", "PTO233", "axis 7 of transpose"),
    ],
)
@pytest.mark.skipif("sys.version_info < (3, 11)", reason="Python keeps no columns of instructions")
def test_refusals(body, code, words, run_example):
    outcome = run_example(HEAD.format(body=body.replace("\n", "\n    ")))
    told = [*outcome.warnings, *([outcome.error] if outcome.error else [])]
    assert words in next(" ".join(str(one).split()) for one in told if one.code == code)


@pytest.mark.parametrize(
    ("line", "marked", "name"),
    [
        ("    t = pypto.exp(x)", "pypto.exp(x)", "t"),
        ("ergebnis = a + b  # sum", "a + b", "ergebnis"),
        ("结果=f(x)", "f(x)", "结果"),
        ("t = x * 2.0 + 1.0", "x * 2.0", ""),
        ("y[:] = x + 1.0", "x + 1.0", ""),
        ("a.b = f(x)", "f(x)", ""),
        ("return f(x)", "f(x)", ""),
        ("g(t=f(x))", "f(x)", ""),
        ("a == f(x)", "f(x)", ""),
    ],
)
def test_the_name_of_an_expression(line, marked, name, tmp_path):
    file = tmp_path / "names.py"
    file.write_text(f"{line}\n", encoding="utf-8")
    begin = line.index(marked)
    assert assigned_name(Span(str(file), 1, begin, 1, begin + len(marked))) == name
    assert assigned_name(Span(str(file), 1)) == ""
    assert assigned_name(None) == ""
