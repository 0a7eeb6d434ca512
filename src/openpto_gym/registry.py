"""The operators by name. Nothing of an operator is loaded before it is asked for."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import cast

from openpto.diagnostics import fail, user_boundary
from openpto_gym.operator import Operator

NAMES = (
    "scale_add",
    "relu",
    "gelu",
    "sigmoid",
    "silu",
    "swiglu",
    "softmax",
    "rms_norm",
    "rms_norm_backward",
    "add_rms_norm",
    "layer_norm",
    "rope",
    "interleave_rope",
    "qk_norm_rope",
    "qkv_prologue",
    "mla_prologue",
    "matmul",
    "quantize_int8",
    "quant_matmul",
    "fp8_matmul",
    "mx_matmul",
    "fused_swiglu",
    "moe_gating",
    "moe_dispatch",
    "grouped_matmul",
    "moe_combine",
    "shared_expert",
    "cross_entropy",
    "adamw",
    "rms_prop",
    "scatter_sub",
    "fake_quant",
    "avg_pool2d",
    "channel_sums",
    "sinkhorn",
    "attention",
    "causal_attention",
    "window_attention",
    "varlen_attention",
    "attention_backward",
    "paged_attention",
    "mla_decode",
    "sparse_attention",
    "lightning_indexer",
    "kv_cache_write",
    "kv_cache_gather",
    "sum_lstm",
    "recurrent_delta_rule",
    "kimi_delta_attention",
    "gated_delta_rule",
)
"""Every operator, from the simplest to the most involved; each is a folder beside this file."""


@user_boundary()
def load(name: str) -> Operator:
    """The operator of that name.

    Raises:
        LookupError: PTO599, there is none.
    """
    if name not in NAMES:
        fail("PTO599", name=name, known=", ".join(NAMES))
    return cast(Operator, import_module(f"openpto_gym.{name}.cases").OPERATOR)


def folder(name: str) -> Path:
    """The folder of an operator: kernel.py, golden.py, cases.py and README.md."""
    return Path(__file__).parent / name


def operators() -> tuple[Operator, ...]:
    """All operators."""
    return tuple(load(name) for name in NAMES)
