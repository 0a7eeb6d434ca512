"""What the documentation forbids for operations element by element, casts and matmul: code, words and the line."""

import numpy as np
import pytest

import pypto
from pypto import (
    DT_BF16,
    DT_BOOL,
    DT_FP16,
    DT_FP32,
    DT_INT8,
    DT_INT16,
    DT_INT32,
    DT_INT64,
    DT_UINT8,
    DT_UINT16,
    Element,
    PyptoError,
)


def of(dtype, shape=(8, 16)):
    """A tensor of this dtype inside a kernel."""
    return pypto.full(list(shape), 1, dtype)


def matmul(dtype, out, bias=None, **extra):
    """A product of two [32, 32] matrices of ones."""
    if bias is not None:
        extra["bias_tensor"] = of(bias, (1, 32))
    return pypto.matmul(of(dtype, (32, 32)), of(dtype, (32, 32)), out, extend_params=extra)


def nz(shape, dtype=DT_FP16):
    """A tensor in the fractal layout."""
    return pypto.tensor(list(shape), dtype, "nz", format=pypto.TileOpFormat.TILEOP_NZ)


def matmul_with(bias):
    """A product of FP16 with a bias made elsewhere."""
    operand = of(DT_FP16, (32, 32))
    return pypto.matmul(operand, operand, DT_FP16, extend_params={"bias_tensor": bias})


# name: (call on x FP32 [8, 16], code, words of the message)
REFUSED = {
    # one operand
    **{
        f"{name} of INT32": (lambda x, name=name: getattr(pypto, name)(of(DT_INT32)), "PTO231", "INT32")
        for name in (
            "acos acosh asin asinh atan atanh cbrt cos cosh erf erfc exp log log2 log10 log1p lrelu reciprocal rsqrt"
            " sin sinh sqrt tan tanh sigmoid isnan"
        ).split()
    },
    "sin of BF16": (lambda x: pypto.sin(of(DT_BF16)), "PTO231", "BF16"),
    "cos of BF16": (lambda x: pypto.cos(of(DT_BF16)), "PTO231", "BF16"),
    "neg of INT8": (lambda x: pypto.neg(of(DT_INT8)), "PTO231", "INT8"),
    "sign of INT64": (lambda x: pypto.sign(pypto.zeros(8, 16, dtype=DT_INT64)), "PTO231", "INT64"),
    "relu of UINT8": (lambda x: pypto.relu(of(DT_UINT8)), "PTO231", "UINT8"),
    "floor of BOOL": (lambda x: pypto.floor(x > 0.0), "PTO231", "BOOL"),
    "exp2 of UINT16": (lambda x: pypto.exp2(of(DT_UINT16)), "PTO231", "UINT16"),
    "expm1 of INT8": (lambda x: pypto.expm1(of(DT_INT8)), "PTO231", "INT8"),
    "exp of a number": (lambda x: pypto.exp(1.0), "PTO223", "exp"),
    "exp of rank 5": (lambda x: pypto.exp(pypto.reshape(x, [1, 1, 1, 8, 16])), "PTO232", "5"),
    "sqrt precision": (lambda x: pypto.sqrt(x, "high"), "PTO222", "PrecisionType"),
    "round decimals": (lambda x: pypto.round(x, 1.5), "PTO222", "decimals"),
    "lrelu negative": (lambda x: pypto.lrelu(x, -0.1), "PTO268", "must be non-negative"),
    "lrelu NaN": (lambda x: pypto.lrelu(x, float("nan")), "PTO268", "must not be NaN."),
    "lrelu inf": (lambda x: pypto.lrelu(x, float("inf")), "PTO268", "must not be inf."),
    "lrelu tensor": (lambda x: pypto.lrelu(x, x), "PTO225", "Tensor"),
    # two operands
    "add of UINT16": (lambda x: of(DT_UINT16) + 1, "PTO231", "UINT16"),
    "mul of INT8": (lambda x: of(DT_INT8) * 2, "PTO231", "INT8"),
    "add of FP16 and FP32": (lambda x: x + of(DT_FP16), "PTO228", "DT_FP16"),
    **{
        f"{name} of ints with a float": (
            lambda x, name=name: getattr(pypto, name)(of(DT_INT32), 1.5), "PTO227", "float scalar incompatible"
        )
        for name in ("add", "sub", "mul", "div", "floor_div", "ceil_div", "remainder")
    },
    "floor_div of INT16": (lambda x: pypto.floor_div(of(DT_INT16), 2), "PTO231", "INT16"),
    "ceil_div by 0": (lambda x: pypto.ceil_div(of(DT_INT32), 0), "PTO268", "by the number 0"),
    "remainder by 0": (lambda x: of(DT_INT16) % 0, "PTO268", "remainder() of integers by the number 0"),
    "ceil_div of floats": (lambda x: pypto.ceil_div(x, 2), "PTO231", "FP32"),
    "fmod of ints": (lambda x: pypto.fmod(of(DT_INT32), 3), "PTO231", "INT32"),
    "fmod NaN": (lambda x: pypto.fmod(x, float("nan")), "PTO268", "fmod(): other must not be NaN."),
    "fmod inf": (lambda x: pypto.fmod(x, float("-inf")), "PTO268", "fmod(): other must not be inf."),
    "remainder of numbers": (lambda x: pypto.remainder(3, 2), "PTO222", "Unsupported operand types for remainder"),
    "maximum of numbers": (lambda x: pypto.maximum(3, 2), "PTO222", "one of `input` and `other` should be `Tensor`"),
    "minimum of a symbol": (lambda x: pypto.minimum(x, pypto.symbolic_scalar("n")), "PTO226", "n"),
    "maximum of UINT8 with a number": (lambda x: pypto.maximum(of(DT_UINT8), 3), "PTO231", "maximum with a scalar"),
    "minimum of a number with UINT16": (lambda x: pypto.minimum(3, of(DT_UINT16)), "PTO231", "minimum with a scalar"),
    "atan2 with a number": (lambda x: pypto.atan2(x, 1.0), "PTO223", "atan2"),
    "hypot of two ranks": (lambda x: pypto.hypot(x, of(DT_FP32, (16,))), "PTO230", "2 and 1"),
    "hypot with a number": (lambda x: pypto.hypot(x, 1.0), "PTO223", "hypot"),
    "expand_exp_dif dtypes": (lambda x: pypto.expand_exp_dif(x, of(DT_BF16)), "PTO228", "DT_BF16"),
    "copysign of INT8": (lambda x: pypto.copysign(of(DT_INT8), of(DT_INT8)), "PTO231", "INT8"),
    "gcd of floats": (lambda x: pypto.gcd(x, x), "PTO231", "FP32"),
    "gcd with a float": (lambda x: pypto.gcd(of(DT_INT32), 2.0), "PTO227", "float scalar"),
    # pow
    "pow of UINT16": (lambda x: of(DT_UINT16) ** 2, "PTO231", "UINT16"),
    "pow INT8 float": (lambda x: pypto.pow(of(DT_INT8), 0.5), "PTO268", "float exponent"),
    "pow INT8 with INT32": (lambda x: pypto.pow(of(DT_INT8), of(DT_INT32)), "PTO228", "DT_INT32"),
    "pow FP32 with INT16": (lambda x: pypto.pow(x, of(DT_INT16)), "PTO228", "DT_INT16"),
    "pow of two ranks": (lambda x: pypto.pow(x, of(DT_FP32, (16,))), "PTO230", "2 and 1"),
    "pow with text": (lambda x: pypto.pow(x, "2"), "PTO222", "other must be Tensor, int or float but got str"),
    "pow far": (lambda x: pypto.pow(x, 2**31), "PTO268", "INT32"),
    # three operands
    "where condition": (lambda x: pypto.where(of(DT_UINT8), x, x), "PTO267", "condition"),
    "where float with FP16": (lambda x: pypto.where(x > 0.0, of(DT_FP16), 0.5), "PTO266", "value type mismatch"),
    "where ranks": (lambda x: pypto.where(x > 0.0, x, of(DT_FP32, (16,))), "PTO230", "2 and 1"),
    "where along two axes": (
        lambda x: pypto.where(x > 0.0, of(DT_FP32, (1, 1)), x), "PTO268", "more than one axis of [8, 16]"
    ),
    "where negative Element": (
        lambda x: pypto.where(x > 0.0, of(DT_UINT8), Element(DT_UINT8, -1)), "PTO268", "negative scalar"
    ),
    "where negative UINT8": (lambda x: pypto.where(x > 0.0, of(DT_UINT8), -1), "PTO268", "negative scalar"),
    "clip of mixed bounds": (lambda x: pypto.clip(x, 0.0, x), "PTO222", "both Tensor or both scalars"),
    "clip Element": (lambda x: pypto.clip(x, Element(DT_FP16, 0.0)), "PTO228", "DT_FP16"),
    "clip bound dtype": (lambda x: pypto.clip(x, of(DT_FP16)), "PTO228", "DT_FP16"),
    "clip two axes": (lambda x: pypto.clip(x, of(DT_FP32, (1, 1))), "PTO268", "more than one axis"),
    "clip too large": (lambda x: pypto.clip(x[0:1, :], x), "PTO229", "[1, 16] and [8, 16]"),
    "clip of INT8": (lambda x: pypto.clip(of(DT_INT8), 0, 1), "PTO231", "INT8"),
    "prelu rank": (lambda x: pypto.prelu(x, of(DT_FP32, (1, 16))), "PTO268", "[16]"),
    "prelu length": (lambda x: pypto.prelu(x, of(DT_FP32, (8,))), "PTO268", "[16]"),
    "prelu dtype": (lambda x: pypto.prelu(x, of(DT_FP16, (16,))), "PTO228", "DT_FP16"),
    "axpy_ of BF16": (lambda x: pypto.axpy_(of(DT_BF16), of(DT_BF16)), "PTO231", "BF16"),
    "axpy_ FP16 with FP32": (lambda x: pypto.axpy_(of(DT_FP16), of(DT_FP32)), "PTO228", "DT_FP32"),
    "axpy_ y broadcasts": (lambda x: pypto.axpy_(of(DT_FP32, (1, 16)), x), "PTO229", "[1, 16] and [8, 16]"),
    "axpy_ ranks": (lambda x: pypto.axpy_(pypto.clone(x), of(DT_FP32, (16,))), "PTO230", "2 and 1"),
    "axpy_ alpha": (lambda x: pypto.axpy_(pypto.clone(x), x, x), "PTO225", "alpha"),
    # comparisons, logic, bits
    "eq of BF16": (lambda x: of(DT_BF16) == 1.0, "PTO231", "BF16"),
    "lt of INT32": (lambda x: of(DT_INT32) < 1.0, "PTO231", "INT32"),
    "gt dtypes": (lambda x: x > of(DT_FP16), "PTO228", "DT_FP16"),
    "ge ranks": (lambda x: x >= of(DT_FP32, (16,)), "PTO230", "2 and 1"),
    "logical_and with a number": (lambda x: pypto.logical_and(x, 1), "PTO223", "logical_and"),
    "logical_and ranks": (lambda x: pypto.logical_and(x, of(DT_FP32, (16,))), "PTO230", "2 and 1"),
    "logical_not of INT64": (lambda x: pypto.logical_not(pypto.zeros(8, 16, dtype=DT_INT64)), "PTO231", "INT64"),
    "isfinite of BOOL": (lambda x: pypto.isfinite(x > 0.0), "PTO231", "BOOL"),
    "isnan of half a block": (lambda x: pypto.isnan(x), "PTO263", "a multiple of 32"),
    "isfinite of half a block": (lambda x: pypto.isfinite(x), "PTO263", "a multiple of 32"),
    "signbit of UINT8": (lambda x: pypto.signbit(of(DT_UINT8)), "PTO231", "UINT8"),
    "bitwise_and of floats": (lambda x: pypto.bitwise_and(x, x), "PTO231", "FP32"),
    "bitwise_or of BOOL": (lambda x: pypto.bitwise_or(x > 0.0, x > 0.0), "PTO231", "BOOL"),
    "bitwise_xor float": (
        lambda x: pypto.bitwise_xor(of(DT_INT16), 1.0), "PTO222", "Scalar operand for bitwise_xor must be an integer"
    ),
    "bitwise_and dtypes": (lambda x: pypto.bitwise_and(of(DT_INT16), of(DT_UINT16)), "PTO228", "DT_UINT16"),
    "bitwise_not of floats": (lambda x: pypto.bitwise_not(x), "PTO231", "FP32"),
    "shift of numbers": (lambda x: pypto.bitwise_left_shift(1, 2), "PTO222", "should be `Tensor`"),
    "shift by a float": (lambda x: pypto.bitwise_right_shift(of(DT_INT16), 1.0), "PTO222", "must be an integer"),
    "shift of INT64": (
        lambda x: pypto.bitwise_left_shift(pypto.zeros(8, 16, dtype=DT_INT64), 1), "PTO231", "INT64"
    ),
    # casts
    "cast of BOOL": (lambda x: pypto.cast(x > 0.0, DT_FP32), "PTO265", "DT_BOOL"),
    "cast to BOOL": (lambda x: pypto.cast(x, DT_BOOL), "PTO265", "DT_BOOL"),
    "cast FP32 to INT8": (lambda x: pypto.cast(x, DT_INT8), "PTO265", "DT_INT8"),
    "cast of rank 5": (lambda x: pypto.cast(pypto.reshape(x, [1, 1, 1, 8, 16]), DT_FP32), "PTO232", "5"),
    "cast mode": (lambda x: pypto.cast(x, DT_FP16, "rint"), "PTO222", "CastMode"),
    "cast satmode": (lambda x: pypto.cast(x, DT_INT16, pypto.CastMode.CAST_RINT, True), "PTO222", "SaturationMode"),
    # matmul
    "matmul FP16 to INT32": (lambda x: matmul(DT_FP16, DT_INT32), "PTO273", "DT_INT32"),
    "matmul INT8 to FP32": (lambda x: matmul(DT_INT8, DT_FP32), "PTO273", "DT_FP32"),
    "matmul INT8 to BF16": (lambda x: matmul(DT_INT8, DT_BF16, scale=2.0), "PTO273", "DT_BF16"),
    "matmul INT8 to FP16": (lambda x: matmul(DT_INT8, DT_FP16), "PTO275", "need a scale"),
    "matmul scale 0": (lambda x: matmul(DT_INT8, DT_INT8, scale=0.0), "PTO275", "need a scale"),
    "matmul FP16 scaled": (lambda x: matmul(DT_FP16, DT_FP16, scale=2.0), "PTO275", "scale needs INT8"),
    "matmul two scales": (
        lambda x: matmul(DT_INT8, DT_FP16, scale=2.0, scale_tensor=pypto.zeros(1, 32, dtype=DT_INT64)),
        "PTO275", "exclude each other",
    ),
    "matmul scale_tensor dtype": (
        lambda x: matmul(DT_INT8, DT_FP16, scale_tensor=of(DT_FP32, (1, 32))), "PTO275", "DT_UINT64 or DT_INT64"
    ),
    "matmul scale_tensor shape": (
        lambda x: matmul(DT_INT8, DT_FP16, scale_tensor=pypto.zeros(1, 16, dtype=DT_INT64)), "PTO275", "[1, 32]"
    ),
    "matmul bias dtype": (lambda x: matmul(DT_FP16, DT_FP16, DT_BF16), "PTO275", "DT_FP16 or DT_FP32"),
    "matmul INT8 bias": (lambda x: matmul(DT_INT8, DT_INT32, DT_FP32), "PTO275", "DT_INT32"),
    "matmul TF32 of FP16": (
        lambda x: matmul(DT_FP16, DT_FP16, trans_mode=pypto.TransMode.CAST_ROUND),
        "PTO275", "The param of trans_mode is only supported when input data type is DT_FP32",
    ),
    "matmul TF32 to INT8": (
        lambda x: matmul(DT_FP32, DT_INT8, scale=1.0, trans_mode=pypto.TransMode.CAST_RINT), "PTO275", "keeps FP32"
    ),
    "matmul batch of NZ": (
        lambda x: pypto.matmul(nz((2, 32, 32)), of(DT_FP16, (2, 32, 32)), DT_FP16), "PTO276", "set_matrix_size"
    ),
    "matmul trans_mode": (lambda x: matmul(DT_FP32, DT_FP32, trans_mode=1), "PTO275", "TransMode"),
    "matmul relu_type": (lambda x: matmul(DT_FP32, DT_FP32, relu_type=True), "PTO275", "ReLuType"),
    "matmul mixed": (
        lambda x: pypto.matmul(of(DT_FP16, (32, 32)), of(DT_BF16, (32, 32)), DT_FP32), "PTO272", "identical dtypes"
    ),
    "matmul of long rows": (
        lambda x: pypto.matmul(x, pypto.full([16, 65536], 1.0, DT_FP32), DT_FP32), "PTO279",
        "inner axis must be less than 65535",
    ),
    "matmul NZ rows": (
        lambda x: pypto.matmul(nz((8, 32)), of(DT_FP16, (32, 32)), DT_FP16), "PTO276", "whole 32 bytes",
    ),
    "matmul NZ columns": (
        lambda x: pypto.matmul(nz((32, 40)), of(DT_FP16, (40, 32)), DT_FP16), "PTO276", "whole 32 bytes",
    ),
    "matmul NZ of FP32": (
        lambda x: pypto.matmul(nz((32, 32), DT_FP32), of(DT_FP32, (32, 32)), DT_FP32), "PTO276", "must use ND format",
    ),
    "matmul NZ bias": (lambda x: matmul_with(nz((1, 32), DT_FP32)), "PTO264", "bias_tensor of matmul"),
    "matmul of INT16": (lambda x: matmul(DT_INT16, DT_INT32), "PTO231", "INT16"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_refused(name):
    call, code, words = REFUSED[name]

    def kernel(x: pypto.Tensor([8, 16], DT_FP32), out: pypto.Tensor([8, 16], DT_FP32)):
        pypto.set_vec_tile_shapes(8, 32, 16, 16)
        pypto.set_cube_tile_shapes([32, 32], [32, 32], [32, 32])
        call(x)
        out[:] = x + 1.0

    x = np.ones((8, 16), np.float32)
    with pytest.raises(PyptoError) as caught:
        pypto.jit(kernel)(x, np.zeros_like(x))
    assert caught.value.code == code, str(caught.value)
    assert words in " ".join(str(caught.value).replace("|", " ").split())
    assert caught.value.site.span.file == __file__


@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
@pytest.mark.parametrize("extra", [{"relu_type": pypto.ReLuType.RELU}, {"bias": DT_FP32}])
def test_split_k_takes_no_epilogue(extra):
    def kernel(x: pypto.Tensor([8, 16], DT_FP32), out: pypto.Tensor([8, 16], DT_FP32)):
        pypto.set_vec_tile_shapes(8, 16)
        pypto.set_cube_tile_shapes([32, 32], [32, 32], [32, 32], True)
        matmul(DT_FP32, DT_FP32, **extra)
        out[:] = x + 1.0

    x = np.ones((8, 16), np.float32)
    with pytest.raises(PyptoError, match=r"(?i)split-k") as caught:
        pypto.jit(kernel)(x, np.zeros_like(x))
    assert caught.value.code == "PTO275"


TILES = {
    "isnan": ((8, 16), lambda x: pypto.isnan(of(DT_FP32, (8, 32)))),
    "isfinite": ((8, 48), lambda x: pypto.isfinite(of(DT_FP32, (8, 64)))),
    "gcd": ((8, 16), lambda x: pypto.gcd(of(DT_INT8), 4)),
}


@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
@pytest.mark.parametrize("name", TILES)
def test_rows_of_these_tiles_are_whole_blocks(name):
    tile, call = TILES[name]

    def kernel(x: pypto.Tensor([8, 16], DT_FP32), out: pypto.Tensor([8, 16], DT_FP32)):
        pypto.set_vec_tile_shapes(*tile)
        call(x)
        out[:] = x + 1.0

    x = np.ones((8, 16), np.float32)
    with pytest.raises(PyptoError) as caught:
        pypto.jit(kernel)(x, np.zeros_like(x))
    assert caught.value.code == "PTO305"
    assert "32Byte align" in str(caught.value)


CHIPS = {
    "abs of INT8": lambda x: pypto.abs(of(DT_INT8)),
    "add of UINT8": lambda x: of(DT_UINT8) + 1,
    "eq of INT16": lambda x: of(DT_INT16) == 1.0,
    "shift of INT32": lambda x: pypto.bitwise_left_shift(of(DT_INT32), 1),
    "matmul with trans_mode": lambda x: matmul(DT_FP32, DT_FP32, trans_mode=pypto.TransMode.CAST_RINT),
    "matmul with a bias of DT_BF16": lambda x: matmul(DT_BF16, DT_BF16, DT_BF16),
    "cast of BF16 to FP16": lambda x: pypto.cast(of(DT_BF16), DT_FP16),
}


@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
@pytest.mark.parametrize("name", CHIPS)
def test_what_only_the_950_has(name):
    import openpto

    def kernel(x: pypto.Tensor([8, 16], DT_FP32), out: pypto.Tensor([8, 16], DT_FP32)):
        pypto.set_vec_tile_shapes(8, 32)
        pypto.set_cube_tile_shapes([32, 32], [32, 32], [32, 32])
        CHIPS[name](x)
        out[:] = x + 1.0

    x = np.ones((8, 16), np.float32)
    with openpto.configure(platform="950"):
        pypto.jit(kernel)(x, np.zeros_like(x))
    with openpto.configure(platform="910B"), pytest.raises(PyptoError) as caught:
        pypto.jit(kernel)(x, np.zeros_like(x))
    assert caught.value.code == "PTO309"
