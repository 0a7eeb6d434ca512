"""What errors about element types advise: every step that they name exists, and following them runs."""

import itertools
import linecache
import re

import numpy as np
import pytest

import pypto
from openpto.diagnostics import conversions
from openpto.ir.dtypes import DataType
from openpto.ops import convert

_number = itertools.count()
pytestmark = pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")


def names(table):
    return {source.short: tuple(t.short for t in targets) for source, targets in table.items()}


def test_the_pairs_are_those_of_cast():
    assert {k: set(v) for k, v in conversions.EVERYWHERE.items()} == {
        k: set(v) for k, v in names(convert.EVERYWHERE).items()
    }
    assert {k: set(v) for k, v in conversions.ONLY_950.items()} == {
        k: set(v) for k, v in names(convert.ONLY_950).items()
    }


def test_every_step_of_every_way_exists():
    found = 0
    for source, target in itertools.permutations([d for d in DataType if d.short in conversions.EVERYWHERE], 2):
        way = conversions.way(source.name, target.name)
        assert way is not None
        steps = [source, *(DataType[name] for name in re.findall(r"pypto\.(DT_\w+)\)", way))]
        assert steps[-1] is target
        assert all(convert.pair_kind(a, b) for a, b in itertools.pairwise(steps)), way
        found += 1
    assert found == 72


def run(body, x):
    """What a kernel with ``out[:] = body`` leaves."""
    text = (
        "import pypto\n\n\n@pypto.frontend.jit\n"
        "def kernel(x: pypto.Tensor([], pypto.DT_FP32), out: pypto.Tensor([], pypto.DT_FP32)):\n"
        f"    pypto.set_vec_tile_shapes(8, 32)\n    out[:] = {body}\n"
    )
    file = f"<advice-{next(_number)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space = {}
    exec(compile(text, file, "exec"), space)
    out = np.full(x.shape, 7, np.float32)
    space["kernel"](x, out)
    return out


@pytest.mark.parametrize(
    ("body", "code", "part", "want"),
    [
        # what is refused, the code, the operand t of the advice, the result once the advice stands in its place
        ("x * pypto.cast(x, pypto.DT_FP16)", "PTO228", "pypto.cast(x, pypto.DT_FP16)", lambda x: x * x),
        (
            "x + pypto.cast(pypto.cast(x, pypto.DT_FP16), pypto.DT_INT8)",
            "PTO228",
            "pypto.cast(pypto.cast(x, pypto.DT_FP16), pypto.DT_INT8)",
            lambda x: x + x,
        ),
        (
            "pypto.where(pypto.cast(x, pypto.DT_INT32) > 0, x, 0.0)",
            "PTO231",
            "pypto.cast(x, pypto.DT_INT32)",
            lambda x: np.maximum(x, 0),
        ),
        (
            "x + pypto.topk(pypto.cast(x, pypto.DT_BF16), 1)[0]",
            "PTO231",
            "pypto.cast(x, pypto.DT_BF16)",
            lambda x: x + x.max(-1, keepdims=True),
        ),
    ],
)
def test_the_advice_put_in_place_of_the_operand_runs(body, code, part, want):
    x = np.random.default_rng(3).integers(-100, 100, (8, 32)).astype(np.float32)
    with pytest.raises(pypto.PyptoError) as caught:
        run(body, x)
    assert caught.value.code == code
    way = re.search(r"pypto\.cast\(.*\)$", caught.value.fields["how"].en)
    assert way is not None
    np.testing.assert_array_equal(run(body.replace(part, way[0].replace("(t,", f"({part},")), x), want(x))


@pytest.mark.parametrize(
    ("body", "code", "repaired", "want"),
    [
        ("x * (x > 0.0)", "PTO228", "pypto.where(x > 0.0, x, 0.0)", lambda x: np.maximum(x, 0)),
        ("(x > 0.0) * x", "PTO231", "pypto.where(x > 0.0, 1.0, 0.0) * x", lambda x: np.maximum(x, 0)),
        ("pypto.cast(x > 0.0, pypto.DT_FP32)", "PTO265", "pypto.where(x > 0.0, 1.0, 0.0)", lambda x: 1.0 * (x > 0)),
    ],
)
def test_a_condition_is_no_number(body, code, repaired, want):
    """A cast would be refused as well."""
    x = np.random.default_rng(4).integers(-100, 100, (8, 32)).astype(np.float32)
    with pytest.raises(pypto.PyptoError) as caught:
        run(body, x)
    assert caught.value.code == code
    how = caught.value.fields["how"].en
    assert "pypto.where(mask" in how
    assert "pypto.cast" not in how
    np.testing.assert_array_equal(run(repaired, x), want(x))


def test_a_cast_in_two_steps_is_written_out():
    x = np.random.default_rng(5).integers(-100, 100, (8, 32)).astype(np.float32)
    with pytest.raises(pypto.PyptoError) as caught:
        run("pypto.cast(x, pypto.DT_INT8)", x)
    way = caught.value.fields["how"].en.replace("(t,", "(x,")
    np.testing.assert_array_equal(run(f"pypto.cast(pypto.cast({way}, pypto.DT_FP16), pypto.DT_FP32)", x), x)
