"""`pypto tiles`: suggestions and pictures, with numbers computed by hand from the sizes of the memories."""

from __future__ import annotations

import io
import re
import subprocess
import sys

import pytest

import openpto
from openpto.checks.choices import choices
from openpto.checks.memory_map import memory_map
from openpto.checks.query import public
from openpto.checks.question import asked
from openpto.cli import styled, tiles
from openpto.device import CHIPS
from openpto.diagnostics import PyptoError, set_language

KIB = 1024


def answer(op, shape, dtype="FP32", chip="910B", tile=None, arguments=(), count=3):
    """The text of the command and whether it ends well."""
    lines, good = tiles.report(op, shape, dtype, chip, tile, arguments, count)
    out = io.StringIO()
    styled.write(lines, out)
    return out.getvalue(), good


def suggested(text):
    return re.findall(r"^\d\. (pypto\.set.*)$", text, re.MULTILINE)


ADD = """\
add 1024x512 FP32 on the 910B

1. pypto.set_vec_tile_shapes(32, 512)
   whole rows of 512; divides the shape; 64 KiB per tile; 32 tile(s) for 48 vector cores; UB 67 % full

   UB  [AAAAAAAAAAAAABBBBBBBBBBBBBB.............]  128 of 192 KiB, 67 %
        A input   32 x 512 x 4 B  64 KiB
        B input   32 x 512 x 4 B  64 KiB
          output  32 x 512 x 4 B  in the place of an input
"""


def test_the_whole_answer():
    assert answer("add", "1024x512", count=1) == (ADD, True)


def test_a_matmul_shows_every_memory():
    text, good = answer("matmul", "1024x1024x1024", "FP16", tile="[128,128],[64,256],[128,256]")
    assert good
    assert "this tile is legal" in text
    for line in (
        "L1   [AAAAABBBBB..............................]  128 of 512 KiB, 25 %",
        "L0C  [AAAAAAAAAAAAAAAAAAAA....................]  64 of 128 KiB, 50 %",
        "L0A  [AAAAAAAAAA..............................]  16 of 64 KiB, 25 %",
        "A copy of A  128 x 256 x 2 B  64 KiB",
        "A sums  128 x 128 x 4 B  64 KiB",
        "A tile of B  64 x 128 x 2 B  16 KiB",
    ):
        assert line in text, text


def test_bias_and_scales_have_tables():
    question = asked("matmul", (64, 64, 512), "FP16", {"extend_params": {"bias_tensor": (1, 512)}})
    tile = openpto.language.tile_shapes.CubeTile([64, 64], [64, 64], [256, 256]).recorded()
    found = {
        memory.demand.memory: (memory.demand.need, memory.have) for memory in memory_map(question, tile, CHIPS["910B"])
    }
    assert found == {
        "L1": (64 * 64 * 2 + 64 * 256 * 2, 512 * KIB),
        "L0A": (64 * 64 * 2, 64 * KIB),
        "L0B": (64 * 256 * 2, 64 * KIB),
        "L0C": (64 * 256 * 4, 128 * KIB),
        "bias table": (1024, 1024),
    }


def test_copies_that_come_in_turn():
    text, good = answer("matmul", "4096x4096x4096", "FP16", tile="[128,128],[128,2048],[128,128]")
    assert good  # the sum is a warning
    assert "warning[PTO326]" in text
    assert "1024 of 512 KiB, 200 % (not at a time)" in text
    assert "!" not in text


def test_a_tile_that_is_too_large():
    text, good = answer("add", "1024x512", tile="128,512")
    assert not good
    assert "error[PTO304]: one tile (128, 512) of add needs 2 buffers x 128 x 512 x 4 B = 512 KiB > 192 KiB" in text
    assert "  help: pypto.set_vec_tile_shapes(48, 512)" in text
    assert f"UB  [{'A' * 40}!]  512 of 192 KiB, 267 %" in text


def test_a_composite_names_the_part_that_needs_most():
    text, _ = answer("softmax", "1024x512", tile="32,512")
    assert "memory of div, the part of softmax that needs most" in text


# (operation, shape, element type, the best tile): rows of a fold whole, 16 to 64 KiB, all cores
BEST = [
    ("exp", "1024x512", "FP32", "pypto.set_vec_tile_shapes(32, 512)"),
    ("exp", "64", "FP16", "pypto.set_vec_tile_shapes(64)"),
    ("sum", "1024x4096", "FP32", "pypto.set_vec_tile_shapes(4, 4096)"),
    ("sum", "7x100", "FP32", "pypto.set_vec_tile_shapes(7, 104)"),  # rows of 32 bytes: 104 elements
    ("transpose", "1024x512", "FP32", "pypto.set_vec_tile_shapes(32, 512)"),
    ("matmul", "6144x6144x6144", "FP16", "pypto.set_cube_tile_shapes([128, 256], [256, 512], [128, 256])"),
]


@pytest.mark.parametrize(("op", "shape", "dtype", "best"), BEST)
def test_the_best_tile(op, shape, dtype, best):
    assert suggested(answer(op, shape, dtype)[0])[0] == best


ASKED = [
    ("add", (1024, 512), "FP32", {}),
    ("softmax", (1000, 300), "BF16", {}),
    ("sum", (8, 64, 4096), "FP32", {"dim": 1}),
    ("argmax", (100, 100), "FP16", {}),
    ("topk", (64, 512), "FP32", {}),
    ("argsort", (64, 500), "FP32", {"descending": True}),
    ("where", (64, 512), "FP16", {}),
    ("cast", (64, 4096), "FP16", {}),
    ("gather", (64, 512), "FP32", {"dim": 1}),
    ("concat", [(64, 512), (64, 512)], "FP32", {}),
    ("matmul", (100, 100, 100), "INT8", {}),
    ("matmul", (8, 7168, 2048), "BF16", {}),
    ("matmul", (256, 256, 256), "FP32", {"a_trans": True}),
    ("matmul", [(4, 64, 64), (4, 64, 64)], "FP16", {}),
    ("conv", [(1, 16, 32, 32), (64, 16, 3, 3)], "FP16", {}),
    ("conv", [(8, 256, 56, 56), (256, 256, 1, 1)], "FP32", {}),
    ("conv", [(2, 16, 40), (32, 16, 5)], "BF16", {}),
]


@pytest.mark.parametrize("chip", ["910B", "950"])
@pytest.mark.parametrize(("op", "shapes", "dtype", "given"), ASKED)
def test_every_suggestion_is_legal(op, shapes, dtype, given, chip):
    found = choices(asked(op, shapes, dtype, given), CHIPS[chip], 5)
    assert found
    for choice in found:
        assert openpto.check_tiles(op, shapes, dtype, public(choice.tile), chip, **given) == ()
        assert choice.reasons


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("ad", "64x512", "FP32"), "PTO592"),
        (("add", "64x512", "FP33"), "PTO592"),
        (("add", "64x512", "FP32", "910X"), "PTO592"),
        (("add", "64by512", "FP32"), "PTO593"),
        (("add", "", "FP32"), "PTO593"),
        (("add", "64x512", "FP32", "910B", "wide"), "PTO594"),
        (("matmul", "64x64x64", "FP16", "910B", "16,16"), "PTO594"),
        (("conv", "1x16x4x16,16x16x1x1", "FP16", "910B", "1,2,3"), "PTO594"),
        (("sum", "64x512", "FP32", "910B", None, ["dim"]), "PTO598"),
        (("sum", "64x512", "FP32", "910B", None, ["dim=7"]), "PTO233"),
    ],
)
def test_mistakes(arguments, code):
    with pytest.raises(PyptoError) as caught:
        answer(*arguments)
    assert caught.value.code == code, str(caught.value)


def test_scalars_and_element_types():
    text, good = answer("add", "192x256,2.0", tile="192,256")
    assert good, text
    text, good = answer("matmul", "64x64x64", "FP16", arguments=["out_dtype=FP16"], count=1)
    assert good, text


def test_what_only_moves_data_needs_no_tile():
    text, good = answer("reshape", "64x512", arguments=["shape=[512, 64]"])
    assert good
    assert "reshape moves data" in text


def test_an_operation_of_another_chip():
    text, good = answer("interleave", "64x512")
    assert not good
    assert "error[PTO309]: the 910B has no interleave; the 950 has" in text
    assert answer("interleave", "64x512", chip=None)[1]  # taken for the 950


def test_chinese():
    set_language("zh")
    text, _ = answer("add", "1024x512", count=1)
    assert text.splitlines()[0] == "add 1024x512 FP32，芯片 910B"
    assert "整行 512 个元素；整除形状；每个 tile 64 KiB；32 个 tile，48 个向量核；UB 占用 67%" in text
    assert "192 KiB 中的 128，67%" in text
    assert "输出  32 x 512 x 4 B  占用输入的位置" in text


def pypto_command(*arguments):
    program = "from openpto.cli import main; main()"
    return subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)


def test_the_command():
    done = pypto_command("tiles", "add", "1024x512", "FP32", "--chip", "A2", "--count", "1")
    assert (done.returncode, done.stdout) == (0, ADD)
    done = pypto_command("tiles", "add", "1024x512", "FP32", "--tile", "128,512")
    assert done.returncode == 1
    assert "PTO304" in done.stdout
    done = pypto_command("tiles", "expp", "1024x512", "FP32")
    assert done.returncode == 1
    assert "did you mean exp" in done.stderr
    assert "-->" not in done.stderr


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def test_colours_on_a_terminal_and_the_same_text():
    lines, _ = tiles.report("add", "1024x512", "FP32", "910B", None, (), 1)
    out = Terminal()
    styled.write(lines, out)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue())
    assert [line.rstrip() for line in plain.splitlines()] == ADD.splitlines()
