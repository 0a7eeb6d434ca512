"""Every operator has cases of every kind that applies to it; what applies is read off its kernel."""

import re

import numpy as np
import pytest

from openpto_gym import registry
from openpto_gym.kinds import KINDS, plain_name
from openpto_gym.models import MODELS

ALWAYS = {"small", "typical", "empty", "extreme", "long"}
FAST = {"small", "typical", "tail", "empty", "ties", "extreme"}
CUT = ("valid_shape", "loop_unroll")
"""In the text of a kernel: blocks that may not be full."""
DECIDING = ("topk(", "argmax(", "index_put_(", "CAST_RINT", "pypto.round(", "DT_FP8E4M3")
"""In the text of a kernel: an order or a rounding decides."""
BY_ORDER = {"kv_cache_write", "moe_dispatch", "quantize_int8"}
"""Tokens go to places that are read, in their order; the rounding of `quantising` is tested by `quantize_int8`."""
WITHOUT_MODEL = {"adamw", "rms_prop", "scatter_sub", "avg_pool2d", "channel_sums"}
"""Their sizes are customary, or those of the tensor that they are applied to; no model has others."""


def cases_by_name(operator):
    """The first case of each name without its dtype."""
    found = {}
    for case in operator.cases:
        found.setdefault(plain_name(case), case)
    return found


def chosen(name, kind):
    """The cases of a kind with their inputs."""
    operator = registry.load(name)
    named = cases_by_name(operator)
    return [(named[word], operator.inputs(named[word])) for word in KINDS[name][kind].split()]


@pytest.mark.parametrize("name", registry.NAMES)
def test_kinds_that_apply_are_there(name):
    text = (registry.folder(name) / "kernel.py").read_text(encoding="utf-8")
    wanted = set(ALWAYS)
    if any(word in text for word in CUT):
        wanted.add("tail")
    if name in BY_ORDER or any(word in text for word in DECIDING):
        wanted.add("ties")
    assert wanted <= KINDS[name].keys()
    named = cases_by_name(registry.load(name))
    for kind, names in KINDS[name].items():
        for word in names.split():
            assert word in named, f"{kind}: {word}"
            assert not (kind in FAST and named[word].slow), word


def test_every_operator_is_in_the_table():
    assert list(KINDS) == list(registry.NAMES)
    assert set(MODELS) | WITHOUT_MODEL == set(registry.NAMES)
    assert not set(MODELS) & WITHOUT_MODEL


@pytest.mark.parametrize("name", registry.NAMES)
def test_empty_cases_are_empty(name):
    for case, inputs in chosen(name, "empty"):
        lengths = [value for field in case.__dataclass_fields__ if isinstance(value := getattr(case, field), tuple)]
        nothing = any(value == () or 0 in value for value in lengths if field_is_of_numbers(value))
        assert nothing or case.kept or any(array.size == 0 for array in inputs.values()), case.name


def field_is_of_numbers(value):
    return all(isinstance(number, int) for number in value)


def size(inputs):
    return sum(array.size for array in inputs.values())


@pytest.mark.parametrize("name", registry.NAMES)
def test_sizes_grow_with_the_kind(name):
    (_, typical), *_ = chosen(name, "typical")
    assert size(chosen(name, "small")[0][1]) < size(typical)
    names = KINDS[name]["long"].split()
    cases = cases_by_name(registry.load(name))
    fast = [word for word in names if not cases[word].slow]
    assert len(fast) < len(names) or max(size(inputs) for _, inputs in chosen(name, "long")) > size(typical)


def unlike(array, usual):
    """Whether an input holds what a typical one does not: NaN, infinities, zeros, other magnitudes or signs."""
    if array.size == 0 or usual.size == 0:
        return False
    values, others = array.astype(float), usual.astype(float)
    if not np.isfinite(values).all():
        return True
    if array.dtype == np.int8:
        return set(np.unique(values)) <= {-128, 127}
    zeros = np.mean(values == 0) >= 0.2 > np.mean(others == 0)
    largest, usually = (float(np.abs(x).max()) for x in (values, others))
    return bool(zeros or largest > 2.5 * usually or usually > 2.5 * largest or (values.max() < 0 < others.max()))


@pytest.mark.parametrize("name", registry.NAMES)
def test_extreme_cases_are_not_ordinary(name):
    (_, typical), *_ = chosen(name, "typical")
    for case, inputs in chosen(name, "extreme"):
        if any(unlike(array, typical[key]) for key, array in inputs.items() if key in typical):
            return
    pytest.fail(f"no input of {KINDS[name]['extreme']} is unlike those of {case.name}")


@pytest.mark.parametrize("name", MODELS)
def test_cases_of_models_have_their_numbers(name):
    cases = cases_by_name(registry.load(name))
    for word, text in MODELS[name].items():
        _, _, dimensions = text.partition(": ")
        assert set(re.findall(r"\d+", dimensions)) <= set(re.findall(r"\d+", repr(cases[word]))), word
        assert cases[word].slow, word
