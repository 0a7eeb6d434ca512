"""Whole texts of diagnostics, one for each shape that they come in: 80 columns, no colour.

`HEAD` stands before every program, so that its first line is line 7 of the file.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from example_runs import execute

from openpto.diagnostics import set_language
from openpto.diagnostics.source import cell_width

HEAD = """import numpy as np
import pypto

F = pypto.DT_FP32


"""
XY = "x: pypto.Tensor([32, 32], F), y: pypto.Tensor([32, 32], F)"
XNY = "x: pypto.Tensor([32, 32], F), n: pypto.Tensor([2], pypto.DT_INT32), y: pypto.Tensor([32, 32], F)"
ARRAYS = {
    "x": "np.ones((32, 32), np.float32)",
    "n": "np.array([4, 12], np.int32)",
    "y": "np.zeros((32, 32), np.float32)",
}


@dataclass(frozen=True)
class Golden:
    """A program, and all that is told about it."""

    name: str
    program: str
    text: str
    language: str = "en"


def kernel(body: str, *, before: str = "", parameters: str = XY) -> str:
    """A kernel `k`, behind helpers, and the function that calls it."""
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    helpers = f"{before}\n\n\n" if before else ""
    call = f"k({', '.join(text for name, text in ARRAYS.items() if f'{name}: ' in parameters)})"
    return f"{helpers}@pypto.frontend.jit\ndef k({parameters}):\n{lines}\n\ndef run():\n    {call}\n"


RANKS = """import pypto.distributed as D
from openpto import distributed


@pypto.frontend.jit
def k(x: pypto.Tensor([8, 16], F), me=0):
    pypto.set_vec_tile_shapes(8, 16)
    s = D.create_shmem_signal("tp", 2)
    D.shmem_wait_until(s, 1 - me, 1)
    x[:] = x + 1.0


def main(rank):
    k(np.ones((8, 16), np.float32), me=rank)


def run():
    distributed.launch(main, ranks=2)
"""

GOLDENS = [
    Golden(
        "the message stands behind the carets",
        kernel("y[:] = x + 1.0"),
        """
error[PTO301]: tile shape not set                              (F21004, OL04)
 --> <kernel.py>:9:12
  |
9 |     y[:] = x + 1.0
  |            ^^^^^^^ add works on a 2-D tile, and no vector tile is in force here
  = help: call pypto.set_vec_tile_shapes(<rows>, <cols>) before this line
  = explain: pypto explain PTO301
""",
    ),
    Golden(
        "a message that does not fit stands below them",
        kernel("pypto.set_cube_tile_shapes([32, 16], [16, 16], [16, 16])\ny[:] = pypto.matmul(x, x, F)"),
        """
error[PTO321]: L1 tile is not a multiple of the L0 tile  (FC4000, F0000C, OL48)
  --> <kernel.py>:10:12
   |
10 |     y[:] = pypto.matmul(x, x, F)
   |            ^^^^^^^^^^^^^^^^^^^^^
   | Invalid L1/L0 relation: mL0=32, mL1=16, require mL0 <= mL1 && mL1 % mL0 == 0
   | (in matmul)
   = help: make mL1 a multiple of mL0, for example
     pypto.set_cube_tile_shapes([32, 32], [16, 16], [16, 16])
   = explain: pypto explain PTO321
""",
    ),
    Golden(
        "a helper in a helper in a loop",
        kernel(
            'for i in pypto.loop(2, name="ROWS", idx_name="r"):\n    scaled(pypto.view(x, [16, 32], [i * 16, 0]), y)',
            before="def doubled(t):\n    return t * 2.0\n\n\ndef scaled(t, out):\n    out[0:16, :] = doubled(t)",
        ),
        """
error[PTO301]: tile shape not set                              (F21004, OL04)
 --> <kernel.py>:8:12
  |
8 |     return t * 2.0
  |            ^^^^^^^ mul works on a 2-D tile, and no vector tile is in force here
  = called from <kernel.py>:12 in scaled
  = called from <kernel.py>:18 in k, in loop ROWS (r)
  = help: call pypto.set_vec_tile_shapes(<rows>, <cols>) before this line
  = explain: pypto explain PTO301
""",
    ),
    Golden(
        "a fault in two loops, with their indices",
        kernel(
            "pypto.set_vec_tile_shapes(8, 32)\n"
            'for i in pypto.loop(2, name="B"):\n'
            '    for j in pypto.loop(2, name="S", idx_name="s"):\n'
            "        store(y, pypto.view(x, [8, 32], [0, 0]), i * n[1] + j * 16)",
            before="def store(out, t, at):\n    pypto.assemble(t * 2.0, [at, 0], out)",
            parameters=XNY,
        ),
        """
error[PTO452]: store outside of the destination
 --> <kernel.py>:8:5
  |
8 |     pypto.assemble(t * 2.0, [at, 0], out)
  |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  | axis 0: elements 28 to 36 are written (valid extents [8, 32]), and the
  | destination has 32
  = called from <kernel.py>:16 in k, in loop B (i = 1), in loop S (s = 1)
  = help: cut the tile that is stored: a view whose valid_shape has
    (32 - offset).min(8) as its entry 0; the outputs of this call are
    unspecified now
  = explain: pypto explain PTO452
""",
    ),
    Golden(
        "symbols as the author writes them",
        kernel("for i in pypto.loop(2):\n    y[0:8, :] = x[i * 4 :, :]"),
        """
error[PTO234]: extent is not known while the kernel is traced        (F00002)
  --> <kernel.py>:10:21
   |
10 |         y[0:8, :] = x[i * 4 :, :]
   |                     ^^^^^^^^^^^^^
   | the extent of [(i*4):32] in a slice is ((i*-4)+32): Not concrete value
   | (Cannot convert symbols to int)
   = in loop loop_1 (i)
   = help: use a fixed window:
     pypto.view(t, [8, 16], [i, 0], valid_shape=[n, 16]), or a slice such as
     i*8:i*8+8
   = explain: pypto explain PTO234
""",
    ),
    Golden(
        "a warning",
        kernel("pypto.set_vec_tile_shapes(16, 32)\ny[:] = x\ny[0:8, :] = 1.0"),
        """
warning[PTO650]: a store of a scalar fills                           (F00001)
  --> <kernel.py>:11:5
   |
11 |     y[0:8, :] = 1.0
   |     ^^^^^^^^^
   | o[...] = 1.0 fills here; toolchains 0.2, 0.3 refuse it
   | ('float' type cannot be moved to Tensor)
   = help: store a tensor: pypto.full([rows, cols], value, dtype)
   = explain: pypto explain PTO650
""",
    ),
    Golden(
        "words of the toolchains that the message does not have",
        kernel("pypto.set_vec_tile_shapes(16, 32)\ny[:] = x\ny[0:16, :] = y[0:16, :] + 1.0"),
        """
warning[PTO611]: part of a tensor is read and part of it is written back  (F21007, F21009, F43000)
  --> <kernel.py>:11:5
   |
11 |     y[0:16, :] = y[0:16, :] + 1.0
   |     ^^^^^^^^^^
   | what is stored into part of y was read from a part of y in the same
   | straight line; toolchains 0.2, 0.3 refuse it (in the words of the
   | toolchain: Operation already in a group; cycle detected)
   = help: write to another tensor, or read in one loop and write in another
   = explain: pypto explain PTO611
""",
    ),
    Golden(
        "a headline that is too long for its column",
        kernel("pypto.set_vec_tile_shapes(16)\ny[:] = x + 1.0"),
        """
error[PTO303]: vector tile has fewer values than the tensor has axes  (FC1000, FFFFFF)
  --> <kernel.py>:10:12
   |
10 |     y[:] = x + 1.0
   |            ^^^^^^^
   | the vector tile (16) has 1 value(s), add works on 2 axes:
   | Tile shape size 1 is not matched the output shape size 2 (in the words of
   | the toolchain: Run pass failed)
   = help: set a vector tile with 2 values before this line, for example
     pypto.set_vec_tile_shapes(16, 32)
   = explain: pypto explain PTO303
""",
    ),
    Golden(
        "a recursion is one note",
        kernel("y[:] = down(x, 0)", before="def down(t, k):\n    return down(t, k + 1)"),
        """
error[PTO161]: helper calls itself without end
 --> <kernel.py>:8:12
  |
8 |     return down(t, k + 1)
  |            ^^^^^^^^^^^^^^ maximum recursion depth exceeded while tracing down
  = called from <kernel.py>:8 in down, 18 times
  = called from <kernel.py>:13 in k
  = help: end the recursion on a value that is known while tracing, or use
    pypto.loop
  = explain: pypto explain PTO161
""",
    ),
    Golden(
        "a statement over several lines",
        kernel("pypto.set_vec_tile_shapes(16, 32)\ny[:] = pypto.add(\n    x,\n    None,\n)"),
        """
error[PTO225]: operand is neither tensor nor number                  (F00001)
  --> <kernel.py>:10:12
   |
10 |     y[:] = pypto.add(
   |            ^^^^^^^^^^
   | add does not take a NoneType (incompatible constructor arguments); use a
   | Tensor, int or float
   = help: use a Tensor, an int, a float or pypto.Element(dtype, value)
   = explain: pypto explain PTO225
""",
    ),
    Golden(
        "a parameter of a definition",
        kernel("y[:] = x", parameters="x: pypto.Tensor([32, 32], F), scale, y: pypto.Tensor([32, 32], F)"),
        """
error[PTO506]: tensor parameter after another parameter        (F00002, OL26)
 --> <kernel.py>:8:44
  |
8 | def k(x: pypto.Tensor([32, 32], F), scale, y: pypto.Tensor([32, 32], F)):
  |                                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  | Non-tensor parameters must come after all tensor parameters.
  | Found tensor parameter 'y' after non-tensor parameter(s) 'scale'
  = help: move y before scale
  = explain: pypto explain PTO506
""",
    ),
    Golden(
        "Chinese, with a line end before a phrase",
        kernel("pypto.set_vec_tile_shapes(16)\ny[:] = x + 缩放  # 加上偏移", before="缩放 = 2.0"),
        """
error[PTO303]: 向量 tile 的值少于张量的维数                  (FC1000, FFFFFF)
  --> <kernel.py>:13:12
   |
13 |     y[:] = x + 缩放  # 加上偏移
   |            ^^^^^^^^
   | 向量 tile (16) 有 1 个值，而 add 处理 2 个维度：
   | Tile shape size 1 is not matched the output shape size 2（原文：
   | Run pass failed）
   = 建议：在此行之前设置有 2 个值的向量 tile，例如
     pypto.set_vec_tile_shapes(16, 32)
   = 说明：pypto explain PTO303
""",
        "zh",
    ),
    Golden(
        "Chinese, wide characters beside the marked ones",
        kernel("结果 = x + y  # 相加\ny[:] = 结果"),
        """
error[PTO301]: 未设置 tile 形状                                (F21004, OL04)
 --> <kernel.py>:9:10
  |
9 |     结果 = x + y  # 相加
  |            ^^^^^ add 处理 2 维 tile，而此处没有生效的向量 tile（原文：tile shape not set）
  = 建议：在此行之前调用 pypto.set_vec_tile_shapes(<rows>, <cols>)
  = 说明：pypto explain PTO301
""",
        "zh",
    ),
    Golden(
        "Chinese loops and indices",
        kernel(
            "pypto.set_vec_tile_shapes(8, 32)\n"
            'for i in pypto.loop(2, name="块", idx_name="行"):\n'
            "    y[i * n[1] + 16 :, :] = pypto.view(x, [8, 32], [0, 0]) * 2.0",
            parameters=XNY,
        ),
        """
error[PTO452]: 写入超出目标范围
  --> <kernel.py>:11:9
   |
11 |         y[i * n[1] + 16 :, :] = pypto.view(x, [8, 32], [0, 0]) * 2.0
   |         ^^^^^^^^^^^^^^^^^^^^^ 第 0 轴：写入元素 28 到 36（有效长度 [8, 32]），而目标只有 32 个
   = 位于循环 块 (行 = 1)
   = 建议：请裁剪要写入的 tile：使用 valid_shape 第 0 项为 (32 - offset).min(8)
     的 view；本次调用的输出内容现已不确定
   = 说明：pypto explain PTO452
""",
        "zh",
    ),
    Golden(
        "notes of other ranks",
        RANKS,
        """
error[PTO472]: ranks wait for each other                             (FA3000)
  --> <kernel.py>:15:5
   |
15 |     D.shmem_wait_until(s, 1 - me, 1)
   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
   | rank 0 waits here in vain: 2 rank(s) wait for what no rank can bring any
   | more
   = rank 0 at <kernel.py>:15 waits until the signal of PE 1 in tp#0 is 1; it is
     0
   = rank 1 at <kernel.py>:15 waits until the signal of PE 0 in tp#0 is 1; it is
     0
   = help: compare the signals that are sent with those that are waited for: PE,
     value, SET or ADD, order; the outputs of this call are unspecified now
   = explain: pypto explain PTO472
""",
    ),
]


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden.name)
@pytest.mark.skipif("sys.version_info < (3, 11)", reason="Python keeps no columns of instructions")
def test_text(golden):
    set_language(golden.language)
    outcome = execute(HEAD + golden.program, "<kernel.py>")
    told = [*outcome.warnings, *([outcome.error] if outcome.error is not None else [])]
    assert "\n".join(map(str, told)) == golden.text.strip("\n")


def test_texts_fit_the_terminal():
    for golden in GOLDENS:
        assert "\x1b" not in golden.text
        prose = [
            line for line in golden.text.splitlines() if "^ " not in line and not line.startswith(("error", "warn"))
        ]
        wide = [line for line in prose if cell_width(line) > 80]
        assert all("Invalid L1/L0 relation" in line for line in wide), "only words of the toolchains stay in one piece"
