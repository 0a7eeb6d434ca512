"""The limits of the chips, row by row: what is known to be accepted is accepted, one step more is refused.

The numbers are those of measurements and platform files, not of our formulas. A row names a call, the largest tile that
a device takes and one that it refuses; both are asked of `openpto.check_tiles`, which is the check of kernels.
"""

import warnings

import numpy as np
import pytest

import openpto
import pypto
from openpto.device import CHIPS
from openpto.diagnostics import RULES, PyptoError, PyptoWarning, collect_warnings
from openpto.ir.enums import ReLuType
from openpto.language.tile_shapes import TileL0Info, TileL1Info
from pypto import DT_FP32, Tensor

KIB = 1024


def errors(*call, chip="910B", **arguments):
    """Codes of what is refused."""
    return [found.code for found in openpto.check_tiles(*call, chip, **arguments) if found.severity == "error"]


# -- memories ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chip", "field", "size"),
    [
        *[(name, "ub", 196_608) for name in ("910B", "910C")],
        ("950", "ub", 253_952),  # of 256 KiB, 248 are usable
        *[(name, memory, 65_536) for name in ("910B", "910C", "950") for memory in ("l0a", "l0b")],
        *[(name, "l0c", 131_072) for name in ("910B", "910C")],
        ("950", "l0c", 262_144),
        *[(name, "l1", 524_288) for name in ("910B", "910C", "950")],
        *[(name, "bias_table", 1024) for name in ("910B", "910C")],
        ("950", "bias_table", 4096),
        *[(name, "scale_table", 2048) for name in ("910B", "910C")],
        ("950", "scale_table", 4096),
    ],
)
def test_memories(chip, field, size):
    assert getattr(CHIPS[chip], field) == size


# -- UB: largest number of rows of 256 columns that compiles on A2 and A3 ----------------------------------------------

# (operation, element types, largest rows, other arguments)
ROWS = [
    *[(op, "FP32", 96, {}) for op in ("add", "mul", "div", "maximum")],
    ("add", "FP16", 192, {}),
    *[(op, "FP32", 192, {}) for op in ("exp", "abs", "sqrt", "log", "relu", "floor")],
    *[(op, "FP32", 192, {"other": 2.0}) for op in ("add", "mul")],
    ("exp", "FP16", 384, {}),
    *[(op, "FP32", 96, {}) for op in ("rsqrt", "reciprocal", "sigmoid")],
    *[(op, "FP32", 191, {}) for op in ("sign", "expm1")],
    ("round", "FP32", 95, {}),
    *[(op, "FP32", 64, {}) for op in ("sin", "cos")],
    ("pow", "FP32", 48, {}),
    ("log1p", "FP32", 79, {}),
    ("cast", "FP32", 128, {"dtype": openpto.ir.dtypes.DataType.DT_FP16}),
    ("cast", "FP32", 128, {"dtype": openpto.ir.dtypes.DataType.DT_BF16}),
    ("cast", "FP16", 256, {"dtype": openpto.ir.dtypes.DataType.DT_INT8}),
    ("cast", "FP16", 128, {"dtype": openpto.ir.dtypes.DataType.DT_FP32}),
    ("cast", "BF16", 128, {"dtype": openpto.ir.dtypes.DataType.DT_FP32}),
    ("cast", "FP32", 192, {"dtype": openpto.ir.dtypes.DataType.DT_INT32}),
    ("gt", "FP32", 79, {}),
    ("gt", "FP32", 143, {"other": 0.5}),
    ("eq", "FP16", 143, {}),
    ("where", ("BOOL", "FP32", "FP32"), 79, {}),
    ("logical_not", "BOOL", 718, {}),
    ("logical_and", "BOOL", 381, {}),
    ("isfinite", "FP32", 109, {}),
    *[(op, "FP32", 125, {"dim": -1}) for op in ("sum", "amax")],
    ("sum", "FP32", 127, {"dim": 0}),
    ("amax", "FP32", 191, {"dim": 0}),
    ("transpose", "FP32", 64, {}),
    ("transpose", "FP16", 128, {}),
    ("cumsum", "FP32", 96, {"dim": 0}),
    ("softmax", "FP32", 96, {}),
]


@pytest.mark.parametrize(("op", "dtypes", "rows", "given"), ROWS)
def test_largest_rows(op, dtypes, rows, given):
    for count, codes in ((rows, []), (rows + 1, ["PTO304"])):
        assert errors(op, (count, 256), dtypes, (count, 256), **given) == codes


@pytest.mark.parametrize("chip", ["910C", "950"])
def test_other_chips(chip):
    most = {"910C": 96, "950": 124}[chip]  # 253952 / (2 x 1024)
    assert errors("add", (most, 256), "FP32", (most, 256), chip=chip) == []
    assert errors("add", (most + 1, 256), "FP32", (most + 1, 256), chip=chip) == ["PTO304"]


@pytest.mark.parametrize("small", [(96, 1), (1, 256)])
def test_a_small_operand_takes_no_more_than_a_tile(small):
    assert errors("add", [(96, 256), small], "FP32", (96, 256)) == []


# what compilers reserve where nothing was measured: bytes per element of a row of 256, and bytes per row
@pytest.mark.parametrize(
    ("op", "dtypes", "element", "row", "given"),
    [
        ("floor_div", "FP32", 2 * 4 + 24, 0, {}),
        ("tan", "FP32", 4 + 9 * 4, 0, {}),
        ("atanh", "FP32", 4 + 5 * 4, 0, {}),
        ("copysign", "FP32", 2 * 4 + 4, 0, {}),
        ("bitwise_xor", "INT32", 2 * 4 + 4, 0, {}),
        ("quantize", "FP32", 4 + 1 + 4, 32, {}),  # operand, result, INT32; a scale per row
        ("dequantize", ("INT8", "FP32"), 1 + 4 + 4, 32, {}),
    ],
)
def test_reserved_rows(op, dtypes, element, row, given):
    most = 196_608 // (element * 256 + row)
    for count, codes in ((most, []), (most + 1, ["PTO304"])):
        shapes = [(count, 256), (count,)] if op.endswith("quantize") else (count, 256)
        assert errors(op, shapes, dtypes, (count, 256), **given) == codes


# fp16 add on (256, 384) and fp32 add, measured on a device
@pytest.mark.parametrize(
    ("dtype", "tile", "fits"),
    [
        ("FP16", (128, 1024), True),
        ("FP16", (129, 256), True),
        ("FP16", (129, 383), False),
        ("FP16", (256, 256), False),
        ("FP16", (1024, 2048), False),
        ("FP32", (64, 384), True),
        ("FP32", (127, 384), False),
    ],
)
def test_add_on_a_device(dtype, tile, fits):
    assert errors("add", (256, 384), dtype, tile) == ([] if fits else ["PTO304"])


@pytest.mark.parametrize(("tile", "fits"), [((64, 256), True), ((128, 1024), False)])
def test_transpose_on_a_device(tile, fits):
    assert errors("transpose", (256, 384), "FP16", tile) == ([] if fits else ["PTO304"])


# -- vector tiles -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tile", "codes"),
    [
        (None, ["PTO301"]),
        ((16, 0), ["PTO302"]),
        ((16, -1), ["PTO302"]),
        ((16,), ["PTO303"]),
        ((1, 64, 64), []),  # leading values are used
        ((8, 16, 64), []),
        ((64, 64, 1), []),
        ((100, 1000), []),  # cut to the tensor
        ((24, 24), []),
        ((16, 7), []),  # rows are padded
    ],
)
def test_vector_tiles(tile, codes):
    assert errors("exp", (64, 64), "FP32", tile) == codes


@pytest.mark.parametrize(
    ("op", "shape", "dtype", "tile", "codes"),
    [
        ("exp", (64, 7), "FP32", (64, 7), []),
        ("transpose", (64, 12), "FP32", (16, 12), []),
        ("amax", (64, 64), "FP16", (4, 10), ["PTO305"]),
        ("amax", (64, 64), "FP16", (4, 16), []),
        ("sum", (64, 64), "FP32", (4, 8), []),
        ("sum", (64, 64), "FP32", (4, 12), ["PTO305"]),
        ("sum", (80, 256), "FP32", (80, 256), []),  # 80 KiB compiled
        ("argsort", (64, 64), "FP32", (4, 32), []),
        ("argsort", (64, 64), "FP32", (4, 40), ["PTO328"]),
    ],
)
def test_last_axis(op, shape, dtype, tile, codes):
    assert errors(op, shape, dtype, tile) == codes


def test_documented_limits_that_compilers_do_not_have_warn():
    found = openpto.check_tiles("sum", (80, 256), "FP32", (80, 256), "910B")
    assert [each.code for each in found] == ["PTO310"]
    assert found[0].formula == "80 x 256 x 4 B = 80 KiB > 64 KiB"
    assert openpto.check_tiles("sum", (80, 256), "FP32", (64, 256), "910B") == ()


@pytest.mark.parametrize(
    ("op", "need", "documented"),
    [
        ("atan", 4 * 4, 5 * 4),  # operand and 12 bytes per element; five tiles
        ("erf", 4 * 4, 5 * 4),
        ("atan2", 2 * 4 + 16, 7 * 4),
    ],
)
def test_between_what_a_compiler_takes_and_what_is_documented(op, need, documented):
    least, most = -(-196_608 // (documented * 256)), 196_608 // (need * 256)
    for rows, codes in ((least - 1, []), (most, ["PTO310"]), (most + 1, ["PTO304"])):
        found = openpto.check_tiles(op, (rows, 256), "FP32", (rows, 256), "910B")
        assert [each.code for each in found] == codes, rows


# 64 x 512 tiles of (1, 8), each with operand and result
def test_number_of_tiles():
    assert openpto.check_tiles("exp", (64, 1120), "FP32", (1, 8), "910B") == ()  # 17920
    found = openpto.check_tiles("exp", (64, 1128), "FP32", (1, 8), "910B")
    assert [each.code for each in found] == ["PTO311"]
    assert found[0].formula == "64 x 141 tiles x (1 + 1) = 18048"


# -- cube tiles -------------------------------------------------------------------------------------------------------

# (element type, m, k, n, code of what is refused, other arguments); operands of 4096 x 4096
CUBE = [
    ("FP16", [128, 128], [64, 256], [128, 128], None, {}),
    ("FP16", [128, 128], [64, 256], [256, 256], None, {}),
    ("FP16", [256, 256], [64, 256], [128, 128], None, {}),
    ("FP16", [128, 128], [128, 512], [128, 128], None, {}),
    *[("FP16", [m, m], [64, 64], [64, 64], None, {}) for m in (7, 24, 100, 1)],
    ("FP16", [16, 16], [0, 0], [16, 16], "PTO320", {}),
    ("FP16", [32, 32], [24, 24], [32, 32], "PTO322", {}),
    ("FP32", [32, 32], [8, 8], [16, 16], "PTO322", {}),
    ("FP32", [32, 32], [32, 32], [24, 24], "PTO322", {}),
    ("FP16", [32, 48], [32, 32], [32, 32], "PTO321", {}),
    ("FP16", [32, 16], [32, 32], [32, 32], "PTO321", {}),
    ("FP16", [32, 32], [32, 48], [32, 32], "PTO321", {}),
    ("FP16", [32, 32], [32, 32], [32, 80], "PTO321", {}),
    ("INT8", [32, 32], [16, 32], [32, 32], "PTO323", {}),
    ("INT8", [32, 32], [32, 32], [16, 32], "PTO323", {}),
    ("INT8", [32, 32], [32, 32], [32, 32], None, {}),
    ("FP16", [24, 24], [32, 32], [32, 32], "PTO333", {"a_trans": True}),
    ("FP16", [16, 16], [32, 32], [32, 32], None, {"a_trans": True}),
    ("FP16", [16, 16], [16, 32, 48], [16, 16], "PTO325", {}),
    ("FP16", [16, 16], [64, 768, 512], [16, 16], "PTO325", {}),
    ("FP16", [16, 16], [64, 1536, 384], [16, 16], None, {}),
    ("FP16", [256, 256], [128, 128], [16, 16], None, {}),  # 64 KiB of L0A
    ("FP16", [256, 256], [144, 144], [16, 16], "PTO324", {}),
    ("FP32", [128, 128], [128, 128], [16, 16], None, {}),
    ("FP32", [128, 128], [144, 144], [16, 16], "PTO324", {}),
    ("FP16", [16, 16], [128, 128], [256, 256], None, {}),  # 64 KiB of L0B
    ("FP16", [16, 16], [144, 144], [256, 256], "PTO324", {}),
    ("FP16", [128, 128], [16, 16], [256, 256], None, {}),  # 128 KiB of L0C
    ("FP16", [144, 144], [16, 16], [256, 256], "PTO324", {}),
    ("FP16", [256, 256], [16, 16], [256, 256], "PTO324", {}),
    ("FP16", [512, 512], [512, 512], [512, 512], "PTO324", {}),
    ("FP16", [128, 128], [128, 2048], [128, 128], None, {}),  # 512 KiB of L1 per copy
    ("FP16", [128, 128], [128, 2176], [128, 128], "PTO324", {}),
    ("FP16", [128, 128], [128, 1152], [128, 128], None, {}),  # 576 KiB for both
    ("FP16", [128, 512], [64, 512], [128, 512], None, {}),  # 1 MiB by the documentation
    ("FP16", [16, 16], [16, 16], [256, 256], None, {"bias": True}),
    ("FP16", [16, 16], [16, 16], [272, 272], "PTO324", {"bias": True}),
    ("INT8", [32, 32], [32, 32], [256, 256], None, {"scales": True}),
    ("INT8", [32, 32], [32, 32], [288, 288], "PTO324", {"scales": True}),
]


@pytest.mark.parametrize(("dtype", "m", "k", "n", "code", "given"), CUBE)
def test_cube_tiles(dtype, m, k, n, code, given):
    given = dict(given)
    if given.pop("bias", False):
        given["extend_params"] = {"bias_tensor": (1, 4096)}
    if given.pop("scales", False):
        given |= {"extend_params": {"scale_tensor": (1, 4096)}, "out_dtype": openpto.ir.dtypes.DataType.DT_FP16}
    found = errors("matmul", (4096, 4096, 4096), dtype, (m, k, n), **given)
    assert found[:1] == ([] if code is None else [code])


def test_larger_memories_of_the_950():
    for n, chip, codes in ((272, "950", []), (1024, "950", []), (1040, "950", ["PTO324"])):
        given = {"extend_params": {"bias_tensor": (1, 4096)}}
        assert errors("matmul", (64, 64, 4096), "FP16", ([16, 16], [16, 16], [n, n]), chip=chip, **given) == codes
    assert errors("matmul", (512, 64, 512), "FP16", ([256, 256], [16, 16], [256, 256]), chip="950") == []
    assert errors("matmul", (512, 64, 512), "FP16", ([256, 256], [16, 16], [272, 272]), chip="950") == ["PTO324"]


@pytest.mark.parametrize("k", [[128, 1152], [128, 2048]])
def test_the_documented_sum_of_l1_warns(k):
    found = openpto.check_tiles("matmul", (4096, 4096, 4096), "FP16", ([128, 128], k, [128, 128]), "910B")
    assert [each.code for each in found] == ["PTO326"]


def test_extents_need_not_be_multiples_of_the_tile():
    assert errors("matmul", (7, 100, 80), "FP16", ([16, 16], [32, 32], [16, 48])) == []


@pytest.mark.parametrize(("out", "codes"), [("DT_FP32", []), ("DT_FP16", ["PTO327"])])
def test_split_k(out, codes):
    out = openpto.ir.dtypes.DataType[out]
    tile = ([128, 128], [64, 256], [128, 128], True)
    assert errors("matmul", (128, 4096, 128), "FP16", tile, out_dtype=out) == codes


def test_microscaled_products_take_pairs_of_groups():
    shapes, types = [(128, 256), (256, 128), (128, 4, 2), (4, 128, 2)], ["FP8E4M3", "FP8E4M3", "FP8E8M0", "FP8E8M0"]
    for k, codes in ((64, []), (96, ["PTO329"])):
        assert errors("scaled_mm", shapes, types, ([32, 32], [k, 2 * k], [32, 32]), chip="950") == codes
    fours = ["FP4_E2M1", "FP4_E2M1", "FP8E8M0", "FP8E8M0"]  # half a byte: 512 x 256 x 0.5 B = 64 KiB
    shapes = [(512, 512), (512, 128), (512, 8, 2), (8, 128, 2)]
    for k, codes in ((256, []), (320, ["PTO324"])):
        assert errors("scaled_mm", shapes, fours, ([512, 512], [k, k], [64, 64]), chip="950") == codes


@pytest.mark.parametrize(
    ("m", "n", "k", "formulas"),
    [
        (512, 64, 128, []),  # 512 x 4 scales: 2 KiB
        (512, 64, 192, ["512 x 6 x 1 B = 3 KiB > 2 KiB L0A_MX"]),
        (512, 64, 256, ["512 x 8 x 1 B = 4 KiB > 2 KiB L0A_MX"]),
        (64, 512, 256, ["8 x 512 x 1 B = 4 KiB > 2 KiB L0B_MX"]),
        (128, 128, 512, []),
    ],
)
def test_scales_of_products_in_fp4(m, n, k, formulas):
    """Compilers count with 2 KiB for the scales of a tile in L0, of which another source has 4: a warning."""
    depth = 2 * k
    shapes = [(m, depth), (depth, n), (m, depth // 64, 2), (depth // 64, n, 2)]
    types = ["FP4_E2M1", "FP4_E2M1", "FP8E8M0", "FP8E8M0"]
    found = openpto.check_tiles("scaled_mm", shapes, types, ([m, m], [k, k], [n, n]), "950")
    told = [each for each in found if each.code == "PTO310"]
    assert [each.severity for each in told] == ["warning"] * len(formulas)
    for each, formula in zip(told, formulas, strict=True):
        assert formula in each.text


def test_scales_of_products_in_fp8_fit_where_their_tiles_do():
    shapes, types = [(256, 512), (512, 128), (256, 8, 2), (8, 128, 2)], ["FP8E4M3", "FP8E4M3", "FP8E8M0", "FP8E8M0"]
    found = openpto.check_tiles("scaled_mm", shapes, types, ([256, 256], [256, 256], [128, 128]), "950")
    assert found == ()


@pytest.mark.parametrize(
    ("rows", "columns", "chip", "told"),
    [
        (16, 1024, "910B", False),  # 16 x 1024 x (4 + 8) B = 192 KiB
        (17, 1024, "910B", True),
        (20, 1024, "950", False),
        (21, 1024, "950", True),
        (4, 4096, "910B", False),
        (5, 4090, "910B", True),
    ],
)
def test_rows_that_topk_sorts(rows, columns, chip, told):
    """Values and pairs of value and position of a tile beside each other in UB: not measured, a warning."""
    found = openpto.check_tiles("topk", (rows, columns), "FP32", (rows, columns), chip, k=8, dim=-1)
    assert [each.severity for each in found if each.code == "PTO310"] == ["warning"] * told
    assert not [each for each in found if each.severity == "error"]


@pytest.mark.parametrize(("rows", "codes"), [(9, []), (10, ["PTO304"])])
def test_topk_digit_by_digit_keeps_a_working_copy_of_its_input(rows, codes):
    """26 bytes an element of the input beside it, whatever k: 9 x 896 x (26 + 4) B = 236.25 KiB of 248."""
    algo = openpto.ir.enums.TopKAlgo.RADIX_SELECT
    assert errors("topk", (64, 896), "FP32", (rows, 896), chip="950", k=8, dim=-1, algo=algo) == codes


def test_split_k_of_batches():
    tile, batches = ([64, 64], [64, 128], [64, 64], True), [(4, 64, 256), (4, 256, 64)]
    assert errors("matmul", batches, "FP16", tile) == []
    shapes, types = [(2, 64, 128), (2, 128, 64), (64, 2, 2), (2, 64, 2)], ["FP8E4M3"] * 2 + ["FP8E8M0"] * 2
    with pytest.raises(PyptoError, match="split-K of scaled_mm") as caught:
        openpto.check_tiles("scaled_mm", shapes, types, tile, "950")
    assert caught.value.code == "PTO275"


def test_split_k_with_relu():
    tile, relu = ([64, 64], [64, 128], [64, 64], True), {"relu_type": ReLuType.RELU}
    with pytest.raises(PyptoError, match="ReLU is not supported in split-k scenarios"):
        openpto.check_tiles("matmul", (64, 256, 64), "FP16", tile, "910B", extend_params=relu)


# -- whole tensors ----------------------------------------------------------------------------------------------------


def test_elements_of_a_tensor():
    assert errors("exp", (32767, 65536), "FP16", (1, 65536)) == []  # 2^31 - 65536
    with pytest.raises(PyptoError, match="The shape size of tensor must less than or equal to INT32_MAX") as caught:
        openpto.check_tiles("exp", (32768, 65536), "FP16", (1, 65536))
    assert caught.value.code == "PTO235"


@pytest.mark.parametrize(("inner", "fits"), [(65535, True), (65536, False)])
def test_inner_axis_of_a_matrix(inner, fits):
    tile = ([16, 16], [16, 16], [256, 512])
    if fits:
        assert errors("matmul", (16, 16, inner), "FP16", tile) == []
        return
    with pytest.raises(PyptoError) as caught:
        openpto.check_tiles("matmul", (16, 16, inner), "FP16", tile)
    assert caught.value.code == "PTO279"


# -- subgraphs --------------------------------------------------------------------------------------------------------


def subgraph(first, second, chip):
    """Codes of a kernel whose matmul and addition are forced into these subgraphs."""

    def kernel(a: Tensor([32, 32], DT_FP32), b: Tensor([32, 32], DT_FP32), c: Tensor([32, 32], DT_FP32)):
        pypto.set_vec_tile_shapes(32, 32)
        pypto.set_cube_tile_shapes([32, 32], [32, 32], [32, 32])
        pypto.set_pass_options(sg_set_scope=first)
        product = pypto.matmul(a, b, DT_FP32)
        pypto.set_pass_options(sg_set_scope=second)
        c[:] = product + 1.0

    x = np.ones((32, 32), np.float32)
    with warnings.catch_warnings(), collect_warnings(quiet=True) as told, openpto.configure(platform=chip):
        warnings.simplefilter("ignore", PyptoWarning)
        try:
            pypto.jit(kernel)(x, x.copy(), np.zeros_like(x))
        except PyptoError as refused:
            return [*(each.code for each in told), refused.code]
    return [each.code for each in told]


@pytest.mark.parametrize(
    ("first", "second", "chip", "codes"),
    [
        (1, 1, "910B", ["PTO313"]),
        (1, 1, "910C", ["PTO313"]),
        (1, 1, "950", []),
        (1, 1, None, ["PTO308"]),
        ((1, True, False), (1, True, False), "910B", ["PTO313"]),
        (1, 2, "910B", []),
        (1, -1, "910B", []),
        (-1, -1, "910B", []),
    ],
)
def test_cube_and_vector_operations_in_one_subgraph(first, second, chip, codes):
    assert subgraph(first, second, chip) == codes


# -- tiles of convolutions --------------------------------------------------------------------------------------------

IMAGE, WEIGHT = (1, 32, 32, 34), (64, 32, 3, 3)  # to (1, 64, 30, 32)
L1, L0 = (32, 30, 34, 32, 32, 32, 64, 1), (2, 32, 144, 64)


@pytest.mark.parametrize(
    ("place", "value", "code"),
    [
        (0, 33, "PTO331"),
        (0, 1, None),
        (1, 31, "PTO331"),
        (3, 24, "PTO331"),
        (3, 48, "PTO331"),
        (3, 16, None),
        (4, 8, "PTO331"),
        (4, 16, None),
        (5, 48, "PTO331"),
        (6, 24, "PTO331"),
        (6, 80, "PTO331"),
        (7, 2, "PTO331"),
    ],
)
def test_values_of_l1(place, value, code):
    tile = TileL1Info(*L1[:place], value, *L1[place + 1 :])
    found = errors("conv", [IMAGE, WEIGHT], "FP16", tile)
    assert found == ([] if code is None else [code])


@pytest.mark.parametrize(
    ("place", "value", "code"),
    [
        (0, 4, "PTO331"),  # no divisor of 30
        (0, 3, None),
        (1, 8, "PTO331"),
        (1, 16, None),
        (2, 24, "PTO331"),  # no multiple of C0 = 16
        (2, 160, "PTO331"),  # no divisor of 32 x 9
        (2, 96, None),
        (3, 24, "PTO331"),
        (3, 80, "PTO331"),
        (3, 48, None),  # a warning: 64 is no multiple
    ],
)
def test_values_of_l0(place, value, code):
    tile = (TileL1Info(*L1), TileL0Info(*L0[:place], value, *L0[place + 1 :]))
    found = errors("conv", [IMAGE, WEIGHT], "FP16", tile)
    assert found == ([] if code is None else [code])


def test_rows_of_an_output_that_is_no_multiple_of_16():
    image = (1, 32, 32, 32)  # 30 columns
    for rows, codes in ((1, []), (2, ["PTO331"])):
        tile = TileL1Info(32, rows, 32, 32, 32, 32, 64, 1)
        assert errors("conv", [image, WEIGHT], "FP16", tile) == codes


def test_l0_of_a_convolution():
    tile = (TileL1Info(32, 16, 34, 16, 256, 256, 64, 1), TileL0Info(16, 16, 256, 16))
    found = openpto.check_tiles("conv", [(1, 256, 18, 34), (64, 256, 3, 3)], "FP16", (TileL1Info(
        18, 16, 34, 16, 256, 256, 64, 1), tile[1]), "910B")  # fmt: skip
    assert [each.code for each in found] == ["PTO332"]
    assert found[0].formula == "256 x 256 x 2 B = 128 KiB > 64 KiB L0A of 910B"


def test_every_code_of_tiles_is_asked_here_or_in_kernels():
    """So that a rule that is added gets its row."""
    here = {f"PTO{number}" for number in (*range(301, 306), 310, 311, 312, 313, *range(320, 330), 331, 332, 333)}
    elsewhere = {"PTO306", "PTO307", "PTO308", "PTO309", "PTO330", "PTO334", "PTO335"}
    assert {code for code in RULES if code.startswith("PTO3")} == here | elsewhere
