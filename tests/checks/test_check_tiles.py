"""`openpto.check_tiles`: what it says, and that the tile it suggests is legal itself. Tiles are computed by hand."""

from __future__ import annotations

import doctest
import runpy
import warnings
from math import prod

import pytest

import openpto
import pypto
from openpto.checks import nearest, query
from openpto.device import capacity, chips, memory, scratch
from openpto.diagnostics import PyptoError, set_language
from openpto.language.tile_shapes import TileL0Info, TileL1Info


@pytest.mark.parametrize("module", [query, nearest, capacity, chips, memory, scratch])
def test_examples(module):
    assert doctest.testmod(module).failed == 0


# (operation, shape, element type, tile, formula, suggested tile)
VECTOR = [
    # two buffers of 512 columns: 192 KiB / (2 x 2 KiB) = 48 rows
    ("add", (1024, 512), "FP32", (64, 512), "2 buffers x 64 x 512 x 4 B = 256 KiB > 192 KiB UB of 910B", (48, 512)),
    ("exp", (512, 512), "FP16", (512, 512), "512 x 512 x 2 B = 512 KiB > 192 KiB UB of 910B", (192, 512)),
    # one row of 65536 is too long by itself: 49152 elements are 192 KiB
    ("exp", (8, 65536), "FP32", (1, 65536), "1 x 65536 x 4 B = 256 KiB > 192 KiB UB of 910B", (1, 49152)),
    # four rows are enough if the last axis is cut to 12288, which leaves more than any number of rows does
    ("exp", (8, 65536), "FP32", (4, 65536), "4 x 65536 x 4 B = 1024 KiB > 192 KiB UB of 910B", (4, 12288)),
    # of three axes the one that leaves the largest tile: (3, 64, 256) has 49152 elements, so has (64, 3, 256)
    ("exp", (64, 64, 256), "FP32", (64, 64, 256), "64 x 64 x 256 x 4 B = 4096 KiB > 192 KiB UB of 910B", (3, 64, 256)),
    ("sin", (512, 256), "FP32", (65, 256), "65 x 256 x 4 B + 130 KiB = 195 KiB > 192 KiB UB of 910B", (64, 256)),
    # values beyond the tensor are cut to it
    ("add", (40, 4096), "FP32", (1000, 4096), "2 buffers x 40 x 4096 x 4 B = 1280 KiB > 192 KiB UB of 910B", (6, 4096)),
]


@pytest.mark.parametrize(("op", "shape", "dtype", "tile", "formula", "suggested"), VECTOR)
def test_vector_tiles(op, shape, dtype, tile, formula, suggested):
    found = openpto.check_tiles(op, shape, dtype, tile, "910B")
    assert [each.code for each in found] == ["PTO304"]
    assert found[0].formula == formula
    assert found[0].text == f"one tile ({', '.join(map(str, tile))}) of {op} needs {formula}"
    assert found[0].tile == suggested
    assert found[0].suggestion == f"pypto.set_vec_tile_shapes({', '.join(map(str, suggested))})"
    assert openpto.check_tiles(op, shape, dtype, suggested, "910B") == ()
    next_row = (suggested[0] + 1, *suggested[1:])
    if prod(suggested) < prod(next_row) and suggested[0] < tile[0]:
        assert openpto.check_tiles(op, shape, dtype, next_row, "910B")


@pytest.mark.parametrize(
    ("op", "shape", "tile", "suggested", "given"),
    [
        ("exp", (64, 512), None, (64, 512), {}),
        ("exp", (64, 512), (16,), (16, 512), {}),
        ("exp", (64, 512), (0, 512), (64, 512), {}),
        ("sum", (64, 512), (16, 10), (16, 16), {}),
        ("sum", (80, 256), (80, 256), (64, 256), {}),
        ("argsort", (64, 512), (8, 70), (8, 64), {"descending": True}),
        ("interleave", (64, 512), (16, 256), (16, 512), {}),
        ("gather", (64, 512), (16, 100), (16, 512), {"dim": 1}),
    ],
)
def test_other_vector_tiles(op, shape, tile, suggested, given):
    chip = "950" if op == "interleave" else "910B"
    found = openpto.check_tiles(op, shape, "FP32", tile, chip, **given)
    assert found
    assert found[0].tile == suggested, found
    assert openpto.check_tiles(op, shape, "FP32", suggested, chip, **given) == ()


def test_ones_before_the_values_that_were_meant():
    found = openpto.check_tiles("exp", (64, 64), "FP32", (1, 64, 64), "910B")
    assert [(each.code, each.severity) for each in found] == [("PTO312", "warning")]
    assert "it takes (1, 64): 64 tiles instead of 1" in found[0].text
    assert found[0].tile == (64, 64)
    for tile in ((64, 64, 1), (8, 16, 64), (1, 64)):  # the same, and meant so
        assert openpto.check_tiles("exp", (64, 64), "FP32", tile, "910B") == (), tile


def test_a_composite_is_judged_part_by_part_and_the_tile_suits_all_parts():
    found = openpto.check_tiles("softmax", (1024, 512), "FP32", (128, 512), "910B")
    assert [each.code for each in found] == ["PTO304", "PTO310"]
    assert found[0].formula == "2 buffers x 128 x 512 x 4 B = 512 KiB > 192 KiB UB of 910B"
    assert found[0].op == "div"
    assert found[0].tile == (32, 512)  # the reductions ask for 64 KiB
    assert openpto.check_tiles("softmax", (1024, 512), "FP32", (32, 512), "910B") == ()


# (element type, tile, first code, suggested tile)
CUBE = [
    ("FP16", None, "PTO320", ([128, 128], [64, 256, 256], [128, 128])),
    ("FP16", ([32, 48], [64, 64], [32, 32]), "PTO321", ([32, 64], [64, 64, 64], [32, 32])),
    ("FP16", ([32, 32], [24, 48], [32, 32]), "PTO322", ([32, 32], [16, 48, 48], [32, 32])),
    ("INT8", ([32, 32], [16, 64], [32, 32]), "PTO323", ([32, 32], [32, 64, 64], [32, 32])),
    ("FP16", ([16, 16], [64, 768, 512], [16, 16]), "PTO325", ([16, 16], [64, 768, 256], [16, 16])),
    ("FP16", ([256, 256], [144, 144], [16, 16]), "PTO324", ([256, 256], [128, 128, 128], [16, 16])),
    ("FP16", ([128, 128], [128, 2176], [128, 128]), "PTO324", ([128, 128], [128, 1024, 1024], [128, 128])),
]


@pytest.mark.parametrize(("dtype", "tile", "code", "suggested"), CUBE)
def test_cube_tiles(dtype, tile, code, suggested):
    found = openpto.check_tiles("matmul", (512, 4096, 512), dtype, tile, "910B")
    assert found[0].code == code
    assert found[0].tile == (*suggested, False)
    assert openpto.check_tiles("matmul", (512, 4096, 512), dtype, found[0].tile, "910B") == ()


def test_formulas_of_cube_tiles():
    found = openpto.check_tiles("matmul", (512, 512, 512), "FP16", ([250, 250], [144, 144], [16, 16]), "910B")
    assert found[0].formula == "256 x 144 x 2 B = 72 KiB > 64 KiB L0A of 910B"
    found = openpto.check_tiles("matmul", (512, 512, 512), "FP32", ([512, 512], [16, 512], [512, 512]), "910B")
    assert [each.formula for each in found] == [
        "512 x 512 x 4 B = 1024 KiB > 128 KiB L0C of 910B",
        "512 x 512 x 4 B = 1024 KiB > 512 KiB L1 of 910B",
        "2 buffers x 512 x 512 x 4 B = 2048 KiB > 512 KiB L1",
    ]


CONV = [
    (TileL1Info(32, 2, 32, 32, 32, 32, 64, 1), None, "PTO331"),
    (TileL1Info(32, 1, 32, 24, 30, 32, 65, 1), None, "PTO331"),
    (TileL1Info(32, 1, 32, 32, 32, 32, 64, 1), TileL0Info(2, 24, 100, 30), "PTO331"),
    (TileL1Info(32, 1, 32, 32, 32, 32, 64, 1), TileL0Info(1, 32, 32, 48), "PTO310"),
    (None, None, "PTO330"),
]


@pytest.mark.parametrize(("l1", "l0", "code"), CONV)
def test_tiles_of_convolutions(l1, l0, code):
    shapes = [(1, 32, 32, 32), (64, 32, 3, 3)]
    found = openpto.check_tiles("conv", shapes, "FP16", None if l1 is None else (l1, l0), "910B")
    assert found[0].code == code
    if code != "PTO310":
        assert openpto.check_tiles("conv", shapes, "FP16", found[0].tile, "910B") == ()


def test_a_convolution_that_is_too_large_is_made_smaller():
    shapes = [(1, 256, 128, 130), (256, 256, 3, 3)]
    tile = TileL1Info(128, 126, 130, 128, 256, 256, 256, 1)
    found = openpto.check_tiles("conv", shapes, "FP16", tile, "910B")
    # input window, weights and bias: 128 x 130 x 256, 256 x 2304 and 256 elements
    assert found[0].formula.startswith("128 x 130 x 256 x 2 B + 256 x 2304 x 2 B + 256 x 2 B = 9472.5 KiB > 512 KiB L1")
    better = found[0].tile
    assert openpto.check_tiles("conv", shapes, "FP16", better, "910B") == ()


def test_only_some_chips():
    found = openpto.check_tiles("add", (200, 256), "FP32", (120, 256))
    assert [(each.code, each.severity) for each in found] == [("PTO307", "warning")]
    assert found[0].formula == "2 buffers x 120 x 256 x 4 B = 240 KiB > 192 KiB UB of 910B"
    assert found[0].tile == (96, 256)
    assert openpto.check_tiles("add", (200, 256), "FP32", (120, 256), "950") == ()


@pytest.mark.parametrize(("chip", "code"), [(None, "PTO308"), ("910B", "PTO309"), ("950", None)])
def test_operations_of_one_chip(chip, code):
    found = openpto.check_tiles("abs", (16, 16), "INT32", (16, 16), chip)
    assert [each.code for each in found] == ([] if code is None else [code])


@pytest.mark.parametrize(
    ("call", "code", "words"),
    [
        (("expp", (8, 8)), "PTO592", "did you mean exp"),
        (("pypto.exp", (8, 8), "FP33"), "PTO592", "did you mean FP32"),
        (("exp", (8, 8), "FP32", (8, 8), "910X"), "PTO592", "did you mean 910"),
        (("exp", (8, 0)), "PTO593", "(8, 0) is not a shape"),
        (("exp", "8x8"), "PTO593", "8x8 is not a shape"),
        (("exp", ()), "PTO593", "is not a shape"),
        (("matmul", (64, 64, 64), "FP16", ([16, 16], [16, 16])), "PTO287", ""),
        (("exp", (8, 8), "FP32", 8), "PTO288", ""),
        (("exp", (8, 8), "FP32", (8, 1.5)), "PTO285", ""),
        (("add", [(8, 8), (8, 7)], "FP32", (8, 8)), "PTO229", ""),
    ],
)
def test_mistakes_in_the_question(call, code, words):
    with pytest.raises(PyptoError) as caught:
        openpto.check_tiles(*call)
    assert caught.value.code == code, str(caught.value)
    assert words in " ".join(str(caught.value).split())


def test_nothing_is_shown_while_a_question_is_answered(recwarn):
    openpto.check_tiles("argsort", (64, 64), "FP32", (64, 64))
    openpto.check_tiles("exp", (4096, 4096), "FP32", (1, 8))
    assert not recwarn.list


def test_scalars_and_usual_arguments():
    assert openpto.check_tiles("add", [(192, 256), 2.0], "FP32", (192, 256), "910B") == ()
    assert openpto.check_tiles("full", (192, 256), "FP32", (192, 256), "910B") == ()
    assert openpto.check_tiles("transpose", (64, 256), "FP32", (64, 256), "910B") == ()
    assert openpto.check_tiles("concat", [(64, 256), (64, 256)], "FP32", (64, 256), "910B") == ()


def test_chinese():
    set_language("zh")
    found = openpto.check_tiles("add", (64, 512), "FP32", (64, 512), "910B")
    assert found[0].text == "add 的一个 tile (64, 512) 需要 2 buffers x 64 x 512 x 4 B = 256 KiB > 192 KiB UB of 910B"


# -- suggestions in kernels -------------------------------------------------------------------------------------------

KERNEL = """import numpy as np
import openpto
import pypto
import pypto

F = pypto.DT_FP32


@pypto.frontend.jit
def kernel(x: pypto.Tensor([512, 1024], F), w: pypto.Tensor([1024, 256], F), out: pypto.Tensor([512, 256], F)):
    pypto.set_vec_tile_shapes({vec})
    pypto.set_cube_tile_shapes({cube})
    m = pypto.amax(x, -1, True)
    e = pypto.exp(x - m)
    s = pypto.sum(e, -1, True)
    out[:] = pypto.matmul(e / s, w, F)


with openpto.configure(platform={chip!r}):
    kernel(np.ones((512, 1024), "f4"), np.ones((1024, 256), "f4"), np.zeros((512, 256), "f4"))
"""


@pytest.mark.parametrize("chip", ["910B", "910C", "950", None])
@pytest.mark.parametrize(
    ("vec", "cube"),
    [
        ("128, 1024", "[128, 128], [64, 256], [128, 128]"),
        ("16, 1020", "[128, 128], [64, 256], [128, 128]"),
        ("16", "[128, 128], [64, 256], [128, 128]"),
        ("8, 1024", "[128, 128], [256, 512], [256, 256]"),
        ("8, 1024", "[96, 128], [24, 100], [64, 64]"),
    ],
)
def test_a_kernel_with_the_suggested_tile_is_clean(vec, cube, chip, tmp_path):
    """Everything that shares the tile suits the suggestion; what is refused next has one of its own."""
    tiles = {"vec": vec, "cube": cube}
    with warnings.catch_warnings():
        warnings.simplefilter("error", pypto.PyptoWarning)
        for attempt in range(4):
            file = tmp_path / f"kernel_{attempt}.py"
            file.write_text(KERNEL.format(chip=chip, **tiles), encoding="utf-8")
            try:
                runpy.run_path(str(file))
            except PyptoError as refused:
                kind = "cube" if "set_cube" in str(refused) else "vec"
                assert refused.fields["suggest"] in str(refused), str(refused)
                tiles[kind] = refused.fields["suggest"]
            else:
                break
    assert attempt == 1
