"""The messages that authors know, row by row: same words, the vendor's code beside ours, and the author's own line.

The tables are the known messages with their real causes, the catalogue of small kernels and what the toolchain says
to them, and the list of frequent questions. A row either is refused here (`Refused`) or has a meaning (`Runs`); then
its values are compared and the warnings are those that name the toolchain which refuses it. `# !` marks the line that
the diagnostic must point at.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from kernel_rows import CUBE, DYNAMIC, MATMUL, MM, Row, marked_line, plus_one

from openpto.diagnostics import PyptoError


@dataclass(frozen=True)
class Refused(Row):
    """`code` is ours, `alias` one of the vendor's (empty where the vendor gives none), `phrase` the familiar words."""

    code: str = ""
    phrase: str = ""
    alias: str = ""
    python: type[Exception] = Exception


@dataclass(frozen=True)
class Runs(Row):
    """`expected` is y as numpy computes it from x; `warns` are the codes of the warnings."""

    expected: object = None
    warns: tuple[str, ...] = field(default=())


NAMED_MESSAGES = [
    Refused(
        "symbol in a tile", "B, C = x.shape\nP.set_vec_tile_shapes(B, C)  # !\ny[:] = x", DYNAMIC,
        code="PTO286", phrase="Not concrete value", alias="F00002", python=ValueError,
    ),
    Runs(
        "loop begin asked in a plain helper",
        "for i in P.loop(2):\n    fill(y, P.view(x, [16, 32], [i * 16, 0]), i)",
        before=(
            "def fill(y, block, i):\n    if P.is_loop_begin(i):\n        P.assemble(block + 1.0, [0, 0], y)\n"
            "    else:\n        P.assemble(block * 2.0, [16, 0], y)\n"
        ),
        expected=lambda x: np.concatenate([x[:16] + 1, x[16:] * 2]), warns=("PTO6",),
    ),
    Runs(
        "and between symbols",
        "for i in P.loop(4):\n    b = P.view(x, [8, 32], [i * 8, 0])\n    if i > 0 and i < 3:\n"
        "        y[i * 8:i * 8 + 8, :] = b + 1.0\n    else:\n        y[i * 8:i * 8 + 8, :] = b * 2.0",
        expected=lambda x: np.concatenate([x[:8] * 2, x[8:24] + 1, x[24:] * 2]), warns=("PTO6",),
    ),
    Runs(
        "builtin max of a symbol",
        "for i in P.loop(4):\n    o = max(i * 8, 8)\n    y[i * 8:i * 8 + 8, :] = P.view(x, [8, 32], [o, 0]) + 1.0",
        expected=lambda x: np.concatenate([x[8:16], x[8:]]) + 1, warns=("PTO6",),
    ),
    Refused(
        "int of a symbol", "n = int(x.shape[0])  # !\ny[:] = x", DYNAMIC,
        code="PTO200", phrase="Not concrete value", alias="F00002", python=ValueError,
    ),
    Refused(
        "slice whose extent is a symbol", "for i in P.loop(4):\n    b = x[0:i, :]  # !\n    y[0:8, :] = b",
        code="PTO234", phrase="Cannot convert symbols to int", alias="F00002",
    ),
    Refused(
        "open slice from a symbol", "for i in P.loop(4):\n    b = x[i * 8:, :]  # !\n    y[0:8, :] = b",
        code="PTO234", phrase="Cannot convert symbols to int", alias="F00002",
    ),
    Refused(
        "loop over a range", "for i in P.loop(range(4)):  # !\n    y[:] = x",
        code="PTO201", phrase="Invalid value type", alias="F00002", python=ValueError,
    ),
    Refused(
        "view of rank 2 from rank 4", "a = P.view(x, [16, 16], [0, 0, 0, 0])  # !\ny[:] = a",
        "x: T(2, 2, 16, 16), y: T(16, 16)", shape=(2, 2, 16, 16), y_shape=(16, 16),
        code="PTO236", phrase="Their size actually are", alias="F21004",
    ),
    Refused(
        "valid_shape of another rank", "y[:] = P.view(x, [32, 32], [0, 0], valid_shape=[16])  # !",
        code="PTO236", phrase="Their size actually are 1 and 2", alias="F21004",
    ),
    Refused(
        "no vector tile", "y[:] = x + 1.0  # !", tile="",
        code="PTO301", phrase="tile shape not set", alias="F21004", python=ValueError,
    ),
    Refused(
        "tile set in a scope that has ended",
        "for i in P.loop(2):\n    P.set_vec_tile_shapes(16, 16)\n    y[:] = x + 1.0\ny[:] = y * 2.0  # !", tile="",
        code="PTO301", phrase="tile shape not set", alias="F21004",
    ),
    Refused(
        "dynamic operand of matmul", "y[:] = P.matmul(x, w, F)  # !", "x: T(DYN, 32), w: T(32, 32), y: T(32, 32)",
        "k(x, x, y)", tile=CUBE,
        code="PTO271", phrase="operand1 dim[0] = -1", alias="FC3000",
    ),
    Refused(
        "cube tile not set", MM, MATMUL, "k(x, x, y)",
        code="PTO320", phrase="Invalid tile values: kL0=0, kL1a=0, kL1b=0, mL0=0, mL1=0, nL0=0, nL1=0",
        alias="FC4000", python=ValueError,
    ),
    Refused(
        "return annotation", "y[:] = x", "x: T(32, 32), y: T(32, 32)) -> (None",
        code="PTO501", phrase="Return annotation is not allowed",
    ),
    Refused(
        "unpacking a tensor", "p, q = x  # !\ny[:] = x",
        code="PTO257", phrase="Tensor is not iterable", python=TypeError,
    ),
    Runs("tile that does not divide", "y[:] = x + 1.0", tile="P.set_vec_tile_shapes(24, 24)", expected=plus_one),
    Runs(
        "tile (8, 8, 8, 8) on an axis of 1", "y[:] = x + 1.0", "x: T(1, 4, 8, 8), y: T(1, 4, 8, 8)",
        tile="P.set_vec_tile_shapes(8, 8, 8, 8)", shape=(1, 4, 8, 8), expected=plus_one, warns=("PTO621",),
    ),
    Refused(
        "L0A too small", MM, MATMUL, "k(x, x, y)", tile="P.set_cube_tile_shapes([256, 256], [128, 128], [16, 16])",
        code="PTO324", phrase="L0A size exceeded", alias="FFFFFF",
    ),
    Refused(
        "L0B too small", MM, MATMUL, "k(x, x, y)", tile="P.set_cube_tile_shapes([16, 16], [128, 128], [256, 256])",
        code="PTO324", phrase="L0B size exceeded", alias="FFFFFF",
    ),
    Refused(
        "L0C too small", MM, MATMUL, "k(x, x, y)", tile="P.set_cube_tile_shapes([512, 512], [16, 16], [256, 256])",
        code="PTO324", phrase="L0C size exceeded", alias="FFFFFF",
    ),
    Runs("operation without a page", "y[:] = P.gathermask(P.sort32(x), 1)", expected=lambda x: -np.sort(-x, -1)),
]  # fmt: skip

CATALOGUE = [
    Refused("tile of one value", "y[:] = x + 1.0  # !", tile="P.set_vec_tile_shapes(16)",
            code="PTO303", phrase="Run pass failed", alias="FFFFFF"),
    *(
        Runs(f"tile {tile}", "y[:] = x + 1.0", tile=f"P.set_vec_tile_shapes({tile})", expected=plus_one)
        for tile in ("1, 1, 16, 16", "24, 24", "64, 64", "16, 5")
    ),
    Refused("tile larger than UB", "y[:] = x + 1.0  # !", "x: T(512, 512), y: T(512, 512)", shape=(512, 512),
            tile="P.set_vec_tile_shapes(512, 512)", code="PTO304", phrase="Run pass failed", alias="FFFFFF"),
    Refused("operands of two dtypes", "y[:] = x + w  # !", "x: T(32, 32), w: P.Tensor([32, 32], H), y: T(32, 32)",
            "k(x, x.astype(np.float16), y)", code="PTO228", phrase="The dtype of input tensors are not same.",
            alias="FC0000"),
    Refused("shapes that do not broadcast", "y[:] = x + w  # !", "x: T(32, 32), w: T(32, 16), y: T(32, 32)",
            "k(x, np.ones((32, 16), np.float32), y)", code="PTO229", phrase="shape not support binary operation",
            alias="FC0000"),
    Refused("axis out of range", "y[:] = P.sum(x, 5)  # !", code="PTO233",
            phrase="Axis is not in the reasonable range!", alias="FFFFFF"),
    Refused("move of another shape", "y[:] = P.view(x, [16, 32], [0, 0]) + 1.0  # !", code="PTO252"),
    Refused("move of another dtype", "y[:] = P.cast(x, I)  # !", code="PTO247"),
    Refused("exp of integers", "z = P.exp(x)  # !\ny[:] = P.cast(z, F)", "x: P.Tensor([32, 32], I), y: T(32, 32)",
            "k(x.astype(np.int32), y)", code="PTO231"),
    Runs("unused result", "z = x * 2.0\ny[:] = x + 1.0", expected=plus_one),
    Refused("empty body", "pass", code="PTO411", alias="F42001"),
    *(
        Refused(f"x + {operand}", f"y[:] = x + {operand}  # !", code="PTO225",
                phrase="incompatible constructor arguments", python=TypeError)
        for operand in ("None", '"a"', "[1.0]")
    ),
    Refused("unknown keyword", "y[:] = P.add(x, x, foo=1)  # !", phrase="unexpected keyword", code="PTO222",
            python=TypeError),
    Refused("test of a tensor", "if x:  # !\n    y[:] = x", code="PTO130", python=TypeError,
            phrase="Test condition must be a symbolic scalar or boolean, but got Tensor"),
    Runs("if of cond", "for i in P.loop(4):\n    b = P.view(x, [8, 32], [i * 8, 0])\n    if P.cond(i < 2):\n"
         "        y[i * 8:i * 8 + 8, :] = b + 1.0\n    else:\n        y[i * 8:i * 8 + 8, :] = b",
         expected=lambda x: np.concatenate([x[:16] + 1, x[16:]]), warns=("PTO6",)),
    Refused("len of a tensor", "n = len(x)  # !\ny[:] = x", code="PTO258", phrase="has no len()", python=TypeError),
    Refused("loop over a tensor", "for r in x:  # !\n    y[:] = x", code="PTO152",
            phrase="Loop iterator must be range  Iterator, or list/tuple, but got Tensor", python=TypeError),
    Refused("float as a key", "a = x[1.5]  # !\ny[:] = x", code="PTO238", phrase="Invalid key type", python=TypeError),
    Runs("number into a slice", "y[:] = x\ny[0:8, :] = 1.0",
         expected=lambda x: np.concatenate([np.ones((8, 32)), x[8:]]), warns=("PTO6",)),
    Refused("slice store with a step", "y[0:8:2, :] = P.view(x, [4, 32], [0, 0])  # !", code="PTO241",
            phrase="step must be 1 or None"),
    Refused("row store of a block", "y[3] = P.view(x, [1, 32], [0, 0])  # !", code="PTO243",
            phrase="The number of slice in key"),
    Refused("assemble with one offset", "P.assemble(P.view(x, [8, 32], [0, 0]), [0], y)  # !", code="PTO249",
            phrase="Assemble: dynOffset and dest requires same shape"),
    Refused("assemble of another dtype", "P.assemble(P.cast(x, I), [0, 0], y)  # !", code="PTO247",
            phrase="Assemble: src and dest requires same dtype"),
    Refused("assemble past the end", "P.assemble(P.view(x, [16, 32], [0, 0]), [24, 0], y)  # !", code="PTO452"),
    Refused("reshape to another size", "y[:] = P.reshape(x, [16, 16])  # !", code="PTO253",
            phrase="Shape size not match"),
    Refused("reshape with two unknowns", "y[:] = P.reshape(x, [-1, -1])  # !", code="PTO254",
            phrase="Only one dim can be inferred"),
    Refused("symbolic reshape", "y[:] = P.reshape(x, [x.shape[0], 32])  # !", DYNAMIC, code="PTO255",
            phrase="reshape() requires integer shape when using non-inplace reshape"),
    Refused("view of symbolic shape", "n = x.shape[0]\ny[:] = P.view(x, [n, 32], [0, 0])  # !", DYNAMIC, code="PTO234",
            alias="F00002", phrase="Not concrete value"),
    Refused("view without offsets", "y[:] = P.view(x, [16, 32])  # !", code="PTO222", python=TypeError),
    Refused("view with four positionals", "y[:] = P.view(x, [16, 32], [0, 0], [8, 32])  # !", code="PTO222",
            python=TypeError, phrase="positional arguments but 4 were given"),
    Runs("view larger than the tensor", "v = P.view(x, [64, 32], [0, 0])\nP.assemble(v + 1.0, [0, 0], y)",
         expected=plus_one),
    Refused("view at a negative offset", "for i in P.loop(2):\n    v = P.view(x, [16, 32], [i - 1, 0])  # !\n"
            "    P.assemble(v, [0, 0], y)", code="PTO450"),
    Refused("float in a shape", "t = P.Tensor([1.5, 2], F)  # !\ny[:] = x", code="PTO201", phrase="Invalid value type",
            alias="F00002", python=ValueError),
    Refused("negative extent", "t = P.Tensor([-4, 2], F)  # !\ny[:] = x", code="PTO235", phrase="Invalid shape -4",
            alias="F21004"),
    Refused("scalar read of floats", "n = x[0, 0]  # !\ny[:] = x", code="PTO256",
            phrase="tensor dtype must be DT_INT32."),
    *(
        Refused(f"loop({arguments})", f"for i in P.loop({arguments}):  # !\n    y[:] = x", code="PTO208",
                phrase=f"takes 1 to 3 positional arguments but {count} were given", python=TypeError)
        for arguments, count in (("", 0), ("0, 1, 2, 3", 4), ("start=0, stop=2", 0))
    ),
    *(
        Refused(f"loop({bound})", f"for i in P.loop({bound}):  # !\n    y[:] = x", code="PTO201",
                phrase="Invalid value type", python=ValueError)
        for bound in ("[1, 2]", '"a"', "range(3)", "2.0")
    ),
    Refused("two names for one index", "for i, j in P.loop(2):  # !\n    y[:] = x", python=TypeError, code="PTO153",
            phrase="Expected tuple/list for unpacking, got SymbolicScalar"),
    Refused("begin of an expression", "for i in P.loop(2):\n    if P.is_loop_begin(i + 0):  # !\n        y[:] = x",
            code="PTO209", phrase="not loop index", python=ValueError),
    Refused("K of matmul differs", "y[:] = P.matmul(x, w, F)  # !", "x: T(32, 32), w: T(48, 32), y: T(32, 32)",
            "k(x, np.ones((48, 32), np.float32), y)", tile=CUBE, code="PTO274", python=RuntimeError,
            phrase="K-dimension valid shape mismatch"),
    Refused("k tile of 8", MM, MATMUL, "k(x, x, y)", tile="P.set_cube_tile_shapes([16, 16], [8, 8], [16, 16])",
            code="PTO322", phrase="kL0(8) and nL0(16) must be aligned to 16 elements", alias="FC4001"),
    Refused("mL0 above mL1", MM, MATMUL, "k(x, x, y)", tile="P.set_cube_tile_shapes([32, 16], [16, 16], [16, 16])",
            code="PTO321", alias="FC4000",
            phrase="Invalid L1/L0 relation: mL0=32, mL1=16, require mL0 <= mL1 && mL1 % mL0 == 0"),
    Refused("L0 tile of 512", MM, MATMUL, "k(x, x, y)",
            tile="P.set_cube_tile_shapes([512, 512], [512, 512], [512, 512])",
            code="PTO324", phrase="Run pass failed", alias="FFFFFF"),
    Runs("part read and written", "y[:] = x\ny[0:16, :] = y[0:16, :] + 1.0",
         expected=lambda x: np.concatenate([x[:16] + 1, x[16:]]), warns=("PTO611",)),
    Refused("tensor without a producer", "t = P.Tensor([32, 32], F)\ny[:] = x + t  # !", code="PTO410",
            phrase="Run pass failed", alias="F42003"),
    Refused("dynamic operand", "y[:] = x + 1.0  # !", DYNAMIC, code="PTO224", alias="F0000A",
            phrase="Dynamic shape tensors are not allowed as operation operands"),
    Refused("unknown runtime option", "y[:] = x", options='(runtime_options={"foo": 1})', code="PTO280",
            phrase="key: runtime.foo does not exist."),
    Refused("runtime option of a wrong type", "y[:] = x", code="PTO282", python=TypeError,
            options='(runtime_options={"stitch_function_max_num": "a"})', phrase="has invalid type. Expected"),
    Refused("runtime option out of range", "y[:] = x", options='(runtime_options={"stitch_function_max_num": 0})',
            code="PTO283", alias="F21004", phrase="its value doesn't within the value range"),
]  # fmt: skip

QUESTIONS = [
    Refused("output unchanged", "y = x + 1.0  # !", code="PTO412"),
    Refused("tile rank", "y[:] = x + 1.0  # !", tile="P.set_vec_tile_shapes(16)", code="PTO303", alias="FC1000",
            phrase="Tile shape size 1 is not matched the output shape size 2"),
    Refused("tail of a reduction", "y[:] = P.sum(x, -1, True)  # !", "x: T(32, 32), y: T(32, 1)", y_shape=(32, 1),
            tile="P.set_vec_tile_shapes(4, 10)", code="PTO305", alias="FC1001",
            phrase="tileShape of last axis need to 32Byte align"),
    Refused("local without a producer on the executed path",
            "t = P.Tensor([32, 32], F)\nfor i in P.loop(x.shape[0] - 32):\n    t[:] = P.view(x, [32, 32], [0, 0])\n"
            "y[:] = t + 1.0  # !", "x: T(DYN, 32), y: T(32, 32)", code="PTO403"),
    Runs("counter that grows in a loop",
         "n = 0\nfor i in P.loop(4):\n    y[n:n + 8, :] = P.view(x, [8, 32], [n, 0]) + 1.0\n    n = n + 8",
         expected=plus_one, warns=("PTO6",)),
    Runs("view and assemble of one tensor", "y[:] = x\nt = P.view(y, [8, 32], [0, 0])\nP.assemble(t, [8, 0], y)",
         expected=lambda x: np.concatenate([x[:8], x[:8], x[16:]]), warns=("PTO611",)),
    Runs("tail block", "n = x.shape[0]\nfor i in P.loop((n + 23) // 24):\n"
         "    b = P.view(x, [24, 32], [i * 24, 0], valid_shape=[(n - i * 24).min(24), 32])\n"
         "    P.assemble(b + 1.0, [i * 24, 0], y)", DYNAMIC, expected=plus_one),
]  # fmt: skip

ROWS = [*NAMED_MESSAGES, *CATALOGUE, *QUESTIONS]
REFUSED = [row for row in ROWS if isinstance(row, Refused)]
RUNS = [row for row in ROWS if isinstance(row, Runs)]


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row.name)
def test_refused_with_familiar_words_and_the_authors_line(row, run_example):
    outcome = run_example(row.source)
    error = outcome.error
    if not isinstance(error, PyptoError):
        pytest.fail(f"not refused: {error!r}")
    assert error.code == row.code, str(error)
    assert row.phrase in str(error)
    if row.alias:
        assert row.alias in error.aliases
        assert row.alias in str(error).splitlines()[0]
    assert isinstance(error, row.python)
    line = marked_line(row.source)
    if line is not None:
        assert (error.site.span.file, error.site.span.line) == (outcome.file, line), str(error)


@pytest.mark.parametrize("row", RUNS, ids=lambda row: row.name)
def test_rows_with_a_meaning_run(row, run_example):
    outcome = run_example(row.source + "    return x, y\n")
    if outcome.error is not None:
        raise outcome.error
    x, y = outcome.result
    np.testing.assert_array_equal(y, np.asarray(row.expected(x), np.float32))
    codes = [warning.code for warning in outcome.warnings]
    assert len(codes) >= len(row.warns) > 0 or codes == []
    for code, wanted in zip(codes, row.warns, strict=False):
        assert code.startswith(wanted), codes
    for warning in outcome.warnings:
        assert warning.rule.profiles or "107003" in warning.rule.aliases


@pytest.mark.parametrize(
    ("body", "python", "words"),
    [
        ("y[:] = P.nosuch(x)", AttributeError, "nosuch"),
        ("y[:] = x.T", AttributeError, "T"),
        ("y[:] = x\nzz + 1", NameError, "name 'zz' is not defined"),
    ],
)
def test_plain_python_mistakes_stay_python_exceptions(body, python, words, run_example):
    """What Python itself says about a name keeps its class and its words, coded or not."""
    outcome = run_example(Row("", body).source)
    assert isinstance(outcome.error, python)
    assert words in str(outcome.error)
