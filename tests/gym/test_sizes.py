"""One compilation serves all sizes: random ones through every kernel of the gym, compared with goldens."""

from dataclasses import replace

import numpy as np
import pytest

import openpto
from openpto import runtime
from openpto.kernel.receipt import last_run
from openpto.testing import compare
from openpto_gym.registry import NAMES, load

pytestmark = pytest.mark.skipif(not runtime.native_available(), reason="no llvmlite")


def sizes(n, count, most):
    """Lengths of up to so many sequences, empty ones among them."""
    return tuple(n(0, most) for _ in range(n(0, count + 1)))


SIZES = {
    "scale_add": lambda n: {"b": n(1, 4), "t": n(1, 40), "h": 2, "k": 8},
    "relu": lambda n: {"b": n(1, 4), "t": n(1, 40), "h": 2, "k": 8},
    "gelu": lambda n: {"b": n(1, 4), "t": n(1, 40), "h": 2, "k": 8},
    "sigmoid": lambda n: {"b": n(1, 4), "t": n(1, 40), "h": 2, "k": 8},
    "silu": lambda n: {"b": n(1, 4), "t": n(1, 40), "h": 2, "k": 8},
    "swiglu": lambda n: {"rows": n(1, 300), "width": 48},
    "softmax": lambda n: {"rows": n(1, 200), "cols": 48},
    "rms_norm": lambda n: {"rows": n(1, 300), "hidden": 48},
    "rms_norm_backward": lambda n: {"rows": n(1, 300), "hidden": 48},
    "add_rms_norm": lambda n: {"rows": n(1, 300), "hidden": 48},
    "layer_norm": lambda n: {"rows": n(1, 300), "hidden": 48},
    "rope": lambda n: {"t": n(1, 100), "n": 2, "d": 48, "r": 32},
    "interleave_rope": lambda n: {"b": n(1, 4), "n": 2, "s": n(1, 100), "d": 32},
    "qk_norm_rope": lambda n: {"t": n(1, 60), "nq": 2, "nk": 1, "d": 32},
    "matmul": lambda n: {"m": n(1, 200), "n": n(1, 200), "k": 40},
    "attention": lambda n: {"b": n(1, 3), "tq": n(1, 70), "tk": n(1, 150), "nq": 2, "nkv": 1, "d": 32},
    "causal_attention": lambda n: {"b": n(1, 3), "tq": n(1, 150), "tk": n(1, 150), "nq": 2, "nkv": 1, "d": 32},
    "window_attention": lambda n: {"lengths": sizes(n, 3, 200), "window": 70, "nq": 2, "nkv": 1, "d": 32},
    "varlen_attention": lambda n: {"lengths": sizes(n, 3, 150), "nq": 2, "nkv": 1, "d": 32},
    "attention_backward": lambda n: {"lengths": sizes(n, 2, 150), "nq": 2, "nkv": 1, "d": 32, "causal": True},
    "paged_attention": lambda n: {"lengths": sizes(n, 3, 150), "nq": 2, "nkv": 1, "d": 32, "size": 32},
    "mla_decode": lambda n: {"lengths": sizes(n, 3, 150), "n": 16, "latent": 32, "rope": 16, "size": 32},
    "sparse_attention": lambda n: {"counts": sizes(n, 4, 150), "n": 16, "latent": 32, "rope": 16},
    "lightning_indexer": lambda n: {"lengths": sizes(n, 3, 200), "s": 2, "k": 16, "n": 4, "d": 32, "size": 32},
    "kv_cache_write": lambda n: {"t": n(1, 90), "blocks": 6, "n": 2, "d": 16},
    "kv_cache_gather": lambda n: {"lengths": (n(0, 60), n(0, 60)), "starts": (n(0, 40), n(0, 40)), "n": 2, "d": 16},
    "quantize_int8": lambda n: {"rows": n(1, 200), "width": 64},
    "quant_matmul": lambda n: {"m": n(1, 200), "n": n(1, 200), "k": 64},
    "fp8_matmul": lambda n: {"m": n(1, 100), "n": n(1, 150), "k": 64},
    "mx_matmul": lambda n: {"m": n(1, 100), "n": n(1, 100), "k": 64},
    "fused_swiglu": lambda n: {"m": n(1, 150), "n": n(1, 150), "k": 32},
    "moe_gating": lambda n: {"t": n(1, 60), "e": 16},
    "moe_dispatch": lambda n: {"t": n(1, 60), "h": 32},
    "grouped_matmul": lambda n: {"groups": tuple(n(0, 150) for _ in range(3)), "extra": n(0, 9)},
    "moe_combine": lambda n: {"t": n(1, 60), "h": 32},
    "shared_expert": lambda n: {"t": n(1, 60), "h": 64, "i": 32},
    "cross_entropy": lambda n: {"t": n(1, 30), "v": n(1, 2500)},
    "adamw": lambda n: {"rows": n(1, 100), "width": 48},
    "rms_prop": lambda n: {"rows": n(1, 100), "width": 48},
    "scatter_sub": lambda n: {"u": n(1, 200), "r": n(1, 60), "w": 16},
    "channel_sums": lambda n: {"n": n(1, 100), "c": 8, "p": 6},
    "sinkhorn": lambda n: {"t": n(1, 200)},
    "recurrent_delta_rule": lambda n: {"lengths": (n(1, 5), n(0, 5)), "d": 16},
    "kimi_delta_attention": lambda n: {"lengths": sizes(n, 2, 60), "n": 1, "d": 16},
    "qkv_prologue": lambda n: {"t": n(1, 60), "h": 32, "rows": 64},
    "mla_prologue": lambda n: {"t": n(1, 60), "h": 32, "narrow": 32, "latent": 32, "rows": 64},
    "fake_quant": lambda n: {"rows": n(1, 150), "width": 48},
    "avg_pool2d": lambda n: {"c": n(1, 60), "h": 6, "w": 6, "size": 2},
    "sum_lstm": lambda n: {"b": n(1, 60), "h": 32},
    "gated_delta_rule": lambda n: {"lengths": sizes(n, 2, 90), "nqk": 1, "nv": 2, "d": 32, "chunk": 32},
}
"""Fields of a case, as far as they are sizes; what is a number here is static in the kernel."""


def test_every_operator_has_sizes():
    assert set(SIZES) == set(NAMES)


def through(name, count, monkeypatch):
    """``count`` sizes through one operator; nothing is lowered after the first."""
    from openpto.runtime.native import engine

    lowered, plain = [], engine.lower
    monkeypatch.setattr(engine, "lower", lambda kernel, *more: lowered.append(kernel.name) or plain(kernel, *more))
    operator, rng = load(name), np.random.default_rng(len(name))
    first = next(case for case in operator.cases if not case.slow)
    for number in range(count):
        case = replace(first, **SIZES[name](lambda low, high: int(rng.integers(low, high))), seed=number)
        inputs = operator.inputs(case)
        outputs = operator.run(case, inputs)
        if number == 0:
            once = list(lowered)
        receipt = last_run()
        assert receipt.engine == "native"
        assert number == 0 or not receipt.compiled
        goldens = operator.numpy(case, inputs)
        for key, golden in goldens.items():
            found = compare(outputs[key], golden, case.tolerance_of(key))
            assert found.ok, f"{case}: {key}"
    assert lowered == once
    assert len(set(once)) == len(once)


@pytest.mark.parametrize("name", NAMES)
def test_random_sizes(name, monkeypatch):
    """Small sizes, so that the tails of all loops are met."""
    with openpto.configure(engine="native"):
        through(name, 60, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_two_hundred_random_sizes(name, monkeypatch):
    """The same for longer."""
    with openpto.configure(engine="native"):
        through(name, 200, monkeypatch)
