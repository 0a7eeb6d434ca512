"""Kernels as files that stand alone: run in a namespace of its own, the text gives the bits of the kernel."""

import dataclasses
import enum
import functools
import itertools
import linecache
import math
import types

import numpy as np
import pytest

import pypto
from openpto.capsule.flatten import flatten
from openpto.capsule.values import NotSelfContained
from openpto.kernel.observing import observe
from openpto_gym.registry import load

F32 = pypto.DT_FP32
ROWS, WIDTH = 8, 32
OFFSET = np.float32(0.5)
TABLE = {"scale": [1.5, 2.5], "names": ("a",)}
_numbers = itertools.count()


class Kind(enum.Enum):
    PLAIN = 1
    TWICE = 2


@dataclasses.dataclass(frozen=True)
class Config:
    """What a kernel takes as a parameter."""

    kind: Kind
    factor: float = 2.0


def halved(x, by=2.0):  # a comment that stays
    return x / by


def scaled(x, config: Config):
    """x, as the configuration says."""
    return halved(x) * config.factor if config.kind is Kind.TWICE else halved(x, by=1.0)


@pypto.frontend.function
def stored(x, row, out):
    pypto.assemble(x, [row, 0], out)


def names_of(text, name="flat"):
    """The names of a text that is run as a file."""
    file = f"<capsule {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space = {"__name__": name}
    exec(compile(text, file, "exec"), space)
    return space


def alike(kernel, tensors, **values):
    """Run a kernel and its file on equal data; the text."""
    flat, given = flatten(kernel, values)
    space = names_of(flat.text)
    mine, others = [t.copy() for t in tensors], [t.copy() for t in tensors]
    kernel(*mine, **values)
    space[flat.kernel](*others, **{name: eval(text, space) for name, text in given.items()})
    assert [a.tobytes() for a in mine] == [b.tobytes() for b in others]
    assert any(a.tobytes() != t.tobytes() for a, t in zip(mine, tensors))
    return flat.text


@pytest.fixture
def tensors():
    x = np.random.default_rng(0).standard_normal((11, WIDTH)).astype(np.float32)
    return [x, np.zeros_like(x)]


def test_helpers_constants_classes_and_values(tensors) -> None:
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([pypto.DYNAMIC, WIDTH], F32), out: pypto.Tensor([pypto.DYNAMIC, WIDTH], F32), config):
        pypto.set_vec_tile_shapes(ROWS, WIDTH)
        for row in pypto.loop(0, x.shape[0], ROWS, name="LOOP", idx_name="row"):
            tile = scaled(pypto.view(x, [ROWS, WIDTH], [row, 0]), config)
            stored(tile * TABLE["scale"][1] + float(OFFSET) + math.sqrt(2.0), row, out)

    text = alike(kernel, tensors, config=Config(Kind.TWICE, math.inf if False else 3.0))
    assert "# a comment that stays" not in text  # it stands in the header, which is written again
    assert "x: pypto.Tensor([pypto.DYNAMIC, 32], pypto.DT_FP32)" in text
    assert "@pypto.frontend.function\ndef stored" in text
    assert '"""x, as the configuration says."""' in text
    assert "import math" in text


def test_closures_of_a_factory_and_equal_names(tensors) -> None:
    def helper_of(amount):
        def moved(x):
            return x + amount

        return moved

    first, second = helper_of(1.0), helper_of(20.0)
    width = WIDTH

    @pypto.frontend.jit(runtime_options={"run_mode": pypto.RunMode.SIM, "stitch_function_max_num": 64})
    def kernel(x: pypto.Tensor([pypto.DYNAMIC, width], F32), out: pypto.Tensor([pypto.DYNAMIC, width], F32), bias=ROWS):
        pypto.set_vec_tile_shapes(ROWS, width)
        for row in pypto.loop(0, x.shape[0], ROWS, name="LOOP", idx_name="row"):
            tile = pypto.view(x, [ROWS, width], [row, 0])
            pypto.assemble(first(tile) - second(tile) + bias, [row, 0], out)

    text = alike(kernel, tensors)
    assert text.count("def moved") == 2
    assert "moved_2(tile)" in text
    assert "bias=8" in text
    assert "stitch_function_max_num" in text
    assert "RunMode" not in text


def test_attributes_of_the_authors_modules_partials_and_lambdas(tensors, tmp_path, monkeypatch) -> None:
    (tmp_path / "my_parts.py").write_text("BLOCK = 8\n\n\ndef doubled(x):\n    return x * 2.0\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    import my_parts

    plus = functools.partial(pypto.maximum)
    minus = lambda x: x - my_parts.BLOCK

    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([pypto.DYNAMIC, WIDTH], F32), out: pypto.Tensor([pypto.DYNAMIC, WIDTH], F32)):
        pypto.set_vec_tile_shapes(my_parts.BLOCK, WIDTH)
        for row in pypto.loop(0, x.shape[0], my_parts.BLOCK, name="LOOP", idx_name="row"):
            tile = my_parts.doubled(pypto.view(x, [my_parts.BLOCK, WIDTH], [row, 0]))
            pypto.assemble(plus(minus(tile), tile), [row, 0], out)

    text = alike(kernel, tensors)
    assert "my_parts" not in text.replace("# my_parts.py", "")
    assert "BLOCK = 8" in text


def test_symbols_of_dynamic_extents(tensors) -> None:
    rows = pypto.frontend.dynamic("rows")

    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([rows, pypto.STATIC], F32), out: pypto.Tensor([rows, ...], F32)):
        pypto.set_vec_tile_shapes(ROWS, WIDTH)
        for row in pypto.loop(0, rows, ROWS, name="LOOP", idx_name="row"):
            pypto.assemble(pypto.view(x, [ROWS, WIDTH], [row, 0]) + 1.0, [row, 0], out)

    text = alike(kernel, tensors)
    assert "pypto.Tensor([pypto.frontend.dynamic('rows'), pypto.STATIC], pypto.DT_FP32)" in text


@pytest.mark.parametrize("value", [object(), types.ModuleType("made"), (i for i in ())], ids=lambda v: type(v).__name__)
def test_what_has_no_text_is_named(value) -> None:
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([8, 32], F32), out: pypto.Tensor([8, 32], F32), extra=None):
        pypto.set_vec_tile_shapes(8, 32)
        out[:] = x + 1.0

    with pytest.raises(NotSelfContained):
        flatten(kernel, {"extra": value})


@pytest.mark.parametrize("value", [
    None, True, -3, 1e-30, math.inf, -0.0, "a\n'b'", b"\0x", (1,), [1, (2.0, {3})], {"a": {1: None}}, range(3),
    slice(1, None, 2), frozenset({1}), pypto.DT_BF16, pypto.CastMode.CAST_RINT, np.float16(0.1), np.int8(-3),
    Kind.PLAIN, Config(Kind.TWICE, 0.1), functools.partial(max, 3), types.SimpleNamespace(a=[1]),
], ids=repr)  # fmt: skip
def test_values_are_equal_in_the_file(value) -> None:
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([8, 32], F32), out: pypto.Tensor([8, 32], F32), extra=None):
        pypto.set_vec_tile_shapes(8, 32)
        out[:] = x + 1.0

    flat, given = flatten(kernel, {"extra": value})
    found = eval(given["extra"], names_of(flat.text))
    if isinstance(value, functools.partial):
        assert (found.func, found.args) == (value.func, value.args)
    elif isinstance(value, (Kind, Config)):
        assert repr(found) == repr(value)
    else:
        assert (type(found), repr(found)) == (type(value), repr(value))


def test_arrays_as_constants() -> None:
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([8, 32], F32), out: pypto.Tensor([8, 32], F32), extra=None):
        pypto.set_vec_tile_shapes(8, 32)
        out[:] = x + 1.0

    for array in (np.arange(6).reshape(2, 3), np.array([np.nan, 1.0], np.float32), np.zeros((100, 2), np.int16)):
        flat, given = flatten(kernel, {"extra": array})
        found = eval(given["extra"], names_of(flat.text))
        assert (found.dtype, found.shape, found.tobytes()) == (array.dtype, array.shape, array.tobytes())


@pytest.mark.parametrize("name", ["softmax", "sum_lstm", "moe_gating", "gated_delta_rule", "varlen_attention"])
def test_operators_of_the_gym(name) -> None:
    operator = load(name)
    case = operator.cases[0]
    with observe() as watched:
        operator.run(case, operator.inputs(case))
    for call in watched.calls:
        rest = dict(zip([p.name for p in call.kernel.signature.values], call.args[len(call.before) :]))
        flat, given = flatten(call.kernel, rest | dict(call.kwargs))
        space = names_of(flat.text)
        memory = [array.copy() for array in call.before]
        tensors = [memory[first] for first in call.same]
        space[flat.kernel](*tensors, **{key: eval(text, space) for key, text in given.items()})
        assert [t.tobytes() for t in tensors] == [a.tobytes() for a in call.after]
