"""Random chains of FP16 and BF16 operations against a step-by-step model of where values are rounded."""

from __future__ import annotations

import linecache
import random
import types
import warnings

import ml_dtypes
import numpy as np
import pytest

import openpto

F32 = np.float32
HOSTS = {"DT_BF16": np.dtype(ml_dtypes.bfloat16), "DT_FP16": np.dtype(np.float16)}
BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "maximum": np.maximum,
}
UNARY = {
    "abs": np.abs,
    "neg": np.negative,
    "sqrt": np.sqrt,
    "reciprocal": lambda x: F32(1) / x,
    "floor": np.floor,
    "clone": lambda x: x,
}
# Which of these carry FP32 to each other on the device.
CARRIES = {
    "DT_BF16": {"add", "sub", "mul", "div", "maximum", "abs", "neg", "sqrt", "reciprocal", "amax", "where"},
    "DT_FP16": {"add", "sub", "mul"},
}


class Model:
    """Every value as its author sees it (`half`) and as a promoted operation sees it (`wide`)."""

    def __init__(self, dtype: str, strict: bool) -> None:
        self.host, self.strict = HOSTS[dtype], strict
        self.promoted = set() if strict else CARRIES[dtype]

    def leaf(self, half):
        return half, half.astype(F32)

    def apply(self, name, function, *values):
        carries = name in self.promoted
        operands = [wide if carries else half.astype(F32) for half, wide in values]
        result = np.asarray(function(*operands), F32)
        half = result.astype(self.host)
        return half, (result if carries else half.astype(F32))

    def number(self, value):
        half = np.asarray(value, F32).astype(self.host)
        return half, half.astype(F32)


def program(rng: random.Random, model: Model, x, y):
    """Statements of a kernel, and the values they shall leave."""
    values = {"x": model.leaf(x), "y": model.leaf(y)}
    lines = []
    for step in range(rng.randint(4, 12)):
        name, target = rng.choice([*BINARY, *BINARY, *UNARY, "amax", "where", "scalar"]), f"t{step}"
        a, b = rng.choice(list(values)), rng.choice(list(values))
        if name in BINARY:
            lines.append(f"{target} = pypto.{name}({a}, {b})")
            values[target] = model.apply(name, BINARY[name], values[a], values[b])
        elif name in UNARY:
            lines.append(f"{target} = pypto.{name}({a})")
            values[target] = model.apply(name, UNARY[name], values[a])
        elif name == "amax":
            lines.append(f"{target} = pypto.sub({a}, pypto.amax({a}, -1, True))")
            top = model.apply("amax", lambda v: v.max(-1, keepdims=True), values[a])
            values[target] = model.apply("sub", np.subtract, values[a], top)
        elif name == "where":
            lines.append(f"{target} = pypto.where(m, {a}, {b})")
            values[target] = model.apply("where", lambda p, q: np.where(MASK, p, q), values[a], values[b])
        else:
            lines.append(f"{target} = {a} * 0.7")
            values[target] = model.apply("mul", np.multiply, values[a], model.number(0.7))
    lines.append(f"out[:] = {target}")
    return lines, values[target][0]


MASK = np.random.default_rng(5).integers(0, 2, (8, 16)).astype(np.bool_)


def kernel_of(lines, dtype, number):
    shape = f"pypto.Tensor([8, 16], pypto.{dtype})"
    head = f"def kernel(x: {shape}, y: {shape}, m: pypto.Tensor([8, 16], pypto.DT_BOOL), out: {shape}):"
    body = "\n    ".join(["pypto.set_vec_tile_shapes(8, 16)", *lines])
    text = f"import pypto\n\n\n@pypto.frontend.jit\n{head}\n    {body}\n"
    file = f"<chain-{dtype}-{number}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    module = types.ModuleType("chain")
    exec(compile(text, file, "exec", dont_inherit=True), module.__dict__)
    return module.kernel


@pytest.mark.parametrize("number", range(25))
@pytest.mark.parametrize("numerics", ["npu", "strict"])
@pytest.mark.parametrize("dtype", list(HOSTS))
def test_random_chain(dtype, numerics, number):
    data = np.random.default_rng(number)
    x, y = (data.standard_normal((8, 16)).astype(HOSTS[dtype]) for _ in range(2))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        lines, want = program(random.Random(number), Model(dtype, numerics == "strict"), x, y)
        out = np.zeros_like(x)
        with openpto.configure(numerics=numerics):
            kernel_of(lines, dtype, f"{numerics}-{number}")(x, y, MASK, out)
    same = (out == want) | (np.isnan(out.astype(F32)) & np.isnan(want.astype(F32)))
    assert same.all(), "\n".join(lines)
