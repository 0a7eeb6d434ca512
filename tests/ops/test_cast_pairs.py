"""`pypto.cast` over all pairs of types that the engines compute with, all modes and both saturations.

Goldens: FP64 rounding and remainders for integers, a table of all values of the target for narrower floats.
"""

from __future__ import annotations

import itertools
import linecache
import types
import warnings

import ml_dtypes
import numpy as np
import pytest

import pypto
from openpto.ir.dtypes import DataType, is_float, numpy_dtype
from openpto.ir.enums import CastMode, SaturationMode
from openpto.ops.dtype_sets import COMPUTED

FP32, FP16, BF16 = DataType.DT_FP32, DataType.DT_FP16, DataType.DT_BF16
I8, I16, I32, I64 = DataType.DT_INT8, DataType.DT_INT16, DataType.DT_INT32, DataType.DT_INT64
U8, U16, U32 = DataType.DT_UINT8, DataType.DT_UINT16, DataType.DT_UINT32
MODES, SATURATIONS = tuple(CastMode), tuple(SaturationMode)

# The documented table: pairs for which a mode can be chosen, and pairs without a choice.
ROUNDED = {
    FP32: (FP16, BF16, FP32, I64, I32, I16), FP16: (I32, I16, I8, U8), BF16: (I32, FP16), I64: (FP32,),
    I32: (FP32, FP16), I16: (FP32, FP16),
}  # fmt: skip
PLAIN = {
    FP16: (FP32,), BF16: (FP32,), I64: (I32,), I32: (I64, I16, U16, U8), I16: (I32, U32, U8), I8: (FP16, I16, I32),
    U8: (FP16, U16), U32: (U8, U16, I16),
}  # fmt: skip
PAIRS = [(s, t) for s, targets in (*ROUNDED.items(), *PLAIN.items()) for t in targets]
_number = itertools.count()


def compiled(source, target, mode, saturation):
    text = (
        "import pypto\n\n\n@pypto.frontend.jit\n"
        f"def kernel(x: pypto.Tensor([512, 128], pypto.{source.name}),\n"
        f"           out: pypto.Tensor([512, 128], pypto.{target.name})):\n"
        "    pypto.set_vec_tile_shapes(8, 128)\n"
        f"    out[:] = pypto.cast(x, pypto.{target.name}, pypto.CastMode.{mode.name},"
        f" pypto.SaturationMode.{saturation.name})\n"
    )
    file = f"<cast-{next(_number)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    module = types.ModuleType("cast")
    exec(compile(text, file, "exec", dont_inherit=True), module.__dict__)
    return module.kernel


def inputs(dtype):
    """All values of a type of 16 bits or fewer; a spread and the edges of a wider one."""
    host, count = numpy_dtype(dtype), 65536
    rng = np.random.default_rng(3)
    if host.itemsize <= 2:
        return np.arange(count).astype(np.uint16 if host.itemsize == 2 else np.uint8).view(host).reshape(512, 128)
    unsigned = np.dtype(f"u{host.itemsize}")
    values = rng.integers(0, 2 ** (8 * host.itemsize), count, dtype=unsigned).view(host)
    if host.kind == "f":
        values[: count // 2] = rng.standard_normal(count // 2) * 2.0 ** rng.integers(-4, 70, count // 2)
        values[: count // 4] = rng.integers(-(2**17), 2**17, count // 4) / 2
    else:
        values[: count // 2] >>= rng.integers(0, 8 * host.itemsize, count // 2, dtype=unsigned).astype(host)
    return values.reshape(512, 128)


ROUND_TO_INTEGRAL = {
    CastMode.CAST_RINT: np.rint,
    CastMode.CAST_FLOOR: np.floor,
    CastMode.CAST_CEIL: np.ceil,
    CastMode.CAST_TRUNC: np.trunc,
    CastMode.CAST_ROUND: lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
}


def to_integer(x, target, mode, saturation):
    info = np.iinfo(numpy_dtype(target))
    bits = info.bits
    exact = x.astype(np.float64)
    whole = ROUND_TO_INTEGRAL.get(mode, np.trunc)(exact)
    if saturation is SaturationMode.ON:
        top, bottom = whole >= 2.0 ** (bits - (info.min < 0)), whole < float(info.min)
        inside = np.where(top | bottom | np.isnan(whole), 0, whole).astype(np.int64)
        return np.where(top, info.max, np.where(bottom, info.min, inside)).astype(info.dtype)
    magnitude = np.fmod(np.abs(np.where(np.isfinite(whole), whole, 0)), 2.0**bits).astype(np.uint64)
    wrapped = np.where(whole < 0, np.uint64(0) - magnitude, magnitude).astype(info.dtype)
    return np.where(np.isposinf(whole), info.max, np.where(np.isneginf(whole), info.min, wrapped)).astype(info.dtype)


def to_narrower_float(x, target, mode):
    """By looking up the neighbours of every value among all values of the target."""
    table = np.arange(65536, dtype=np.uint16).view(numpy_dtype(target)).astype(np.float64)
    table = np.unique(table[np.isfinite(table)])
    largest = table[-1]
    exact = x.astype(np.float64)
    above = np.searchsorted(table, exact, "left")
    upper = np.where(above < table.size, table[np.minimum(above, table.size - 1)], np.inf)
    lower = np.where(upper == exact, exact, np.where(above > 0, table[np.maximum(above - 1, 0)], -np.inf))
    if mode is CastMode.CAST_FLOOR:
        result = lower
    elif mode is CastMode.CAST_CEIL:
        result = upper
    elif mode is CastMode.CAST_TRUNC:
        result = np.where(exact < 0, upper, lower)
    elif mode is CastMode.CAST_ODD and target is FP16:
        inexact = upper != lower
        bounded = np.clip(np.where(inexact, lower, exact), -largest, largest)
        odd = (bounded.astype(np.float16).view(np.uint16) & 1).astype(bool)
        result = np.where(inexact, np.where(odd, lower, upper), exact)
        result = np.where(np.isinf(result) & np.isfinite(exact), np.copysign(largest, exact), result)
    else:
        # Beyond the last value the next one would be this far away; it stands for infinity.
        step = largest - table[-2]
        up, down = np.where(np.isinf(upper), largest + step, upper), np.where(np.isinf(lower), -largest - step, lower)
        middle = (up + down) / 2
        index = np.searchsorted(table, np.clip(lower, -largest, largest))
        even_below = (index - (table.size - 1) // 2) % 2 == 0
        away = mode is CastMode.CAST_ROUND
        take_up = (exact > middle) | ((exact == middle) & (exact > 0 if away else ~even_below))
        result = np.where(upper == lower, exact, np.where(take_up, upper, lower))
    return np.where(np.isnan(exact), np.nan, np.copysign(np.where(np.isinf(exact), exact, result), exact))


def to_float32(x, mode):
    """64-bit integers through their neighbours in FP32; all others are FP64 values first."""
    nearest = x.astype(np.float32)
    if x.dtype.itemsize < 8:
        exact = x.astype(np.float64)
        low = np.where(nearest.astype(np.float64) <= exact, nearest, np.nextafter(nearest, np.float32(-np.inf)))
        high = np.where(nearest.astype(np.float64) >= exact, nearest, np.nextafter(nearest, np.float32(np.inf)))
        tie = exact - low.astype(np.float64) == high.astype(np.float64) - exact
    else:
        exact = x.astype(object)
        near = nearest.astype(object)
        near = np.array([int(v) for v in nearest.ravel()], object).reshape(x.shape)
        low = np.where(near <= exact, nearest, np.nextafter(nearest, np.float32(-np.inf)))
        high = np.where(near >= exact, nearest, np.nextafter(nearest, np.float32(np.inf)))
        below = np.array([int(v) for v in low.ravel()], object).reshape(x.shape)
        beyond = np.array([int(v) for v in high.ravel()], object).reshape(x.shape)
        tie = (exact - below == beyond - exact).astype(bool)
    chosen = {
        CastMode.CAST_FLOOR: low,
        CastMode.CAST_CEIL: high,
        CastMode.CAST_TRUNC: np.where(x < 0, high, low),
        CastMode.CAST_ROUND: np.where(tie, np.where(x < 0, low, high), nearest),
    }
    return chosen.get(mode, nearest)


def golden(x, source, target, mode, saturation):
    if is_float(source) and not is_float(target):
        return to_integer(x, target, mode, saturation)
    if not is_float(source) and not is_float(target):
        info = np.iinfo(numpy_dtype(target))
        wide = x.astype(np.int64)
        return (np.clip(wide, info.min, info.max) if saturation is SaturationMode.ON else wide).astype(info.dtype)
    if target in PLAIN.get(source, ()):
        return x.astype(np.float32).astype(numpy_dtype(target))
    if target is FP32 and source is FP32:
        keeps = mode in (CastMode.CAST_NONE, CastMode.CAST_RINT, CastMode.CAST_ODD)
        return x if keeps else ROUND_TO_INTEGRAL[mode](x.astype(np.float64)).astype(np.float32)
    if target is FP32:
        return to_float32(x, mode)
    single = x.astype(np.float32) if is_float(source) else to_float32(x, mode)
    odd_unknown = mode is CastMode.CAST_ODD and source is not FP32
    return to_narrower_float(single, target, CastMode.CAST_RINT if odd_unknown else mode)


@pytest.mark.parametrize(("source", "target"), PAIRS, ids=lambda d: d.short)
def test_pair(source, target):
    x = inputs(source)
    for mode, saturation in itertools.product(MODES, SATURATIONS):
        out = np.zeros(x.shape, numpy_dtype(target))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pypto.PyptoWarning)
            compiled(source, target, mode, saturation)(x, out)
        with np.errstate(all="ignore"):
            want = np.asarray(golden(x, source, target, mode, saturation)).astype(numpy_dtype(target))
        wrong = (out != want) & ~((out != out) & (want != want))
        if is_float(target):
            wrong |= (np.signbit(out) != np.signbit(want)) & (want == want)
        assert not wrong.any(), (mode, saturation, x[wrong][:4], out[wrong][:4], want[wrong][:4])


@pytest.mark.parametrize("source", sorted(COMPUTED), ids=lambda d: d.short)
@pytest.mark.parametrize("target", sorted(COMPUTED), ids=lambda d: d.short)
def test_other_pairs_are_refused(source, target):
    if (source, target) in PAIRS or source is target:
        return
    x, out = np.zeros((512, 128), numpy_dtype(source)), np.zeros((512, 128), numpy_dtype(target))
    with pytest.raises(pypto.PyptoError) as caught:
        compiled(source, target, CastMode.CAST_NONE, SaturationMode.OFF)(x, out)
    assert caught.value.code == "PTO265"


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_goldens_know_the_documented_examples():
    x = np.array([[300.0, -300.0]], np.float16)
    assert to_integer(x, I8, CastMode.CAST_TRUNC, SaturationMode.OFF).tolist() == [[44, -44]]
    assert to_integer(x, I8, CastMode.CAST_TRUNC, SaturationMode.ON).tolist() == [[127, -128]]
    assert to_narrower_float(np.array([65520.0]), FP16, CastMode.CAST_RINT) == np.inf
    assert to_narrower_float(np.array([65519.0]), FP16, CastMode.CAST_RINT) == 65504
    assert to_narrower_float(np.array([1.0 + 2.0**-9]), BF16, CastMode.CAST_RINT).astype(ml_dtypes.bfloat16) == 1
