"""Nothing is lacking: every operation that the reference executes is compiled, in every element type it documents."""

import itertools
import linecache
import types
import warnings

import numpy as np
import pytest

from openpto.diagnostics import PyptoError
from openpto.ir.dtypes import FLOATS, SIGNED_INTS, UNSIGNED_INTS, DataType, from_numpy, is_float, numpy_dtype
from openpto.ops import OPS, PUBLIC
from openpto.runtime.native import engine, jit
from openpto.runtime.native.engine import FAMILIES
from openpto.runtime.native.handlers import HANDLERS
from openpto.runtime.reference.engine import lifetimes_of
from openpto.runtime.reference.handlers import HANDLERS as DEFINED

_numbers = itertools.count(1)
MOVED = SIGNED_INTS | UNSIGNED_INTS | FLOATS | {DataType.DT_BOOL, DataType.DT_FP8E4M3}
"""For declarations that take any type."""
AVAILABLE = [name for name in PUBLIC if OPS[name].record is not None]
TEMPLATE = """import pypto


@pypto.frontend.jit
def kernel({params}):
    pypto.set_vec_tile_shapes({tile})
    pypto.set_cube_tile_shapes([32, 32], [32, 32], [32, 32])
    {statement}
    done[0] = 1
"""


def test_nothing_falls_back():
    """What the reference executes is compiled."""
    assert FAMILIES
    assert lifetimes_of
    assert set(DEFINED) == set(HANDLERS)


def test_nothing_is_lowered_that_has_no_definition():
    """The reference defines every operation."""
    assert set(HANDLERS) <= set(DEFINED)


def arrays_of(sample, dtype, number):
    """The sample's arrays; those of the first one's type in ``dtype`` if that is given."""
    rng = np.random.default_rng(number)
    arrays = {key: make(rng) for key, make in sample.arrays.items()}
    first = next(iter(arrays.values())).dtype if arrays else np.dtype(np.float32)
    if "out" not in arrays:
        wide = [a.astype(np.float64) if is_float(from_numpy(a.dtype)) else a for a in arrays.values()]
        exact = sample.golden(*(arrays.values() if "view(x, dtype" in sample.call else wide))
        plain = np.float32 if exact.dtype == np.float64 else exact.dtype
        own = numpy_dtype(sample.result) if sample.result is not None else plain
        arrays["out"] = np.zeros(exact.shape, own if dtype is None else first)
    if dtype is None:
        return arrays
    with np.errstate(all="ignore"):
        return {k: a.astype(numpy_dtype(dtype)) if a.dtype == first else a for k, a in arrays.items()}


def kernel_of(sample, arrays, statement):
    """Tile IR of a kernel of one statement."""
    declared = {**arrays, "done": np.zeros(1, np.int32)}
    params = ", ".join(
        f"{n}: pypto.Tensor({list(a.shape)}, pypto.{from_numpy(a.dtype).name})" for n, a in declared.items()
    )
    text = TEMPLATE.format(params=params, tile=", ".join(map(str, sample.tile)), statement=statement)
    file = f"<coverage-{next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    module = types.ModuleType("coverage")
    exec(compile(text, file, "exec", dont_inherit=True), module.__dict__)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return module.kernel.lower(*declared.values())


def traced(sample, arrays):
    """Tile IR of the sample, None if its operands are refused; a result that must be stored is stored."""
    stored = sample.statement
    for statement in (f"kept = {sample.call}", stored) if stored != sample.call else (stored,):
        try:
            return kernel_of(sample, arrays, statement)
        except PyptoError:
            continue
    return None


@pytest.mark.parametrize("name", AVAILABLE)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_documented_type_is_compiled(name):
    """LLVM takes the module of every sample, and of the first one in every type of the declaration."""
    decl = OPS[name]
    documented = sorted(decl.dtypes.union if decl.dtypes else MOVED, key=lambda d: d.value)
    for number, sample in enumerate(decl.samples):
        for dtype in (None, *(documented if number == 0 else ())):
            kernel = traced(sample, arrays_of(sample, dtype, number))
            assert kernel is not None or dtype is not None
            if kernel is not None:
                text = engine.llvm_text(engine.lower(kernel), jit.target())
                jit.binding().parse_assembly(text).verify()
