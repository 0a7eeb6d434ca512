"""Models whose dimensions slow cases have.

The numbers behind a colon are those of the case; batches and sequences are shorter than in the model, so that a case
takes seconds and a golden in float64 fits into memory.
"""

from __future__ import annotations

_GLM_HEADS = {"heads_of_a_model": "GLM 4.5: 12 heads of 128"}
_BOTH_WAYS = {f"{way}_{name}": text for name, text in _GLM_HEADS.items() for way in ("forward", "backward")}

MODELS: dict[str, dict[str, str]] = {
    "scale_add": _GLM_HEADS,
    "relu": _BOTH_WAYS,
    "gelu": {
        f"{way}_{form}_{name}": text
        for name, text in _GLM_HEADS.items()
        for way in ("forward", "backward")
        for form in ("erf", "tanh")
    },
    "sigmoid": _BOTH_WAYS,
    "silu": _BOTH_WAYS,
    "swiglu": {"width_3072": "phi3: 3072", "width_11008": "gutenocr: 11008", "backward_width_11008": "gutenocr: 11008"},
    "softmax": {"scores_of_a_model": "Gemma4: 4096 keys"},
    "rms_norm": {"hidden_5120": "GLM 4.5: 5120", "hidden_3072_long": "phi3: 3072"},
    "rms_norm_backward": {"hidden_7168": "DeepSeek v3.2: 7168"},
    "add_rms_norm": {"customary": "DeepSeek v3.2: 7168"},
    "layer_norm": {"hidden_7168": "DeepSeek v3.2: 7168"},
    "rope": {
        "customary": "GLM 4.5: 12 heads of 128, of which 64 turn",
        "heads_of_512": "DeepSeek v4: 64 heads of 512, of which 64 turn",
    },
    "interleave_rope": {"many_heads": "DeepSeek v3.2: 128 heads, of which 64 turn"},
    "qk_norm_rope": {"customary": "qwen3 1.7B: 16 and 8 heads of 128"},
    "qkv_prologue": {"customary": "GLM 4.5: 5120, 12 heads of 128 and 1 for keys, of which 64 turn"},
    "mla_prologue": {
        "customary": "DeepSeek v3.2: 7168 through 1536, 128 + 64, latent 512, with an eighth of the heads",
        "all_heads": "DeepSeek v3.2: 7168 through 1536, 128 heads of 128 + 64, latent 512",
    },
    "matmul": {
        "gate_of_experts": "GLM 4.5: 5120 to 160 experts",
        "gate_of_256_experts": "llada2: 2048 to 256 experts",
        "joint_projection": "GLM 4.5: 5120 to 1792",
        "down_projection": "DeepSeek v3.2: 7168 to 1536",
    },
    "quantize_int8": {"hidden_7168": "DeepSeek v3.2: 7168"},
    "quant_matmul": {"customary": "DeepSeek v3.2: 7168", "joint_projection": "GLM 4.5: 5120 to 1792"},
    "fp8_matmul": {"customary": "DeepSeek v4: 4096"},
    "mx_matmul": {"customary": "DeepSeek v3.2: 7168"},
    "fused_swiglu": {
        "expert_512": "llada2: 2048 to 512",
        "expert_3072": "minimax: 6144 to 3072",
        "mlp_11008": "gutenocr: 2048 to 11008",
    },
    "moe_gating": {"customary": "GLM 4.5: 8 of 160 experts", "of_256_experts": "llada2: 256 experts"},
    "moe_dispatch": {"customary": "GLM 4.5: 5120, 8 of 160 experts", "of_256_experts": "llada2: 2048, 256 experts"},
    "grouped_matmul": {
        "customary": "llada2: 2048 to 512, with a few of its experts",
        "wide_experts": "minimax: 3072 to 1536, with a few of its experts",
    },
    "moe_combine": {"customary": "GLM 4.5: 5120, 8 of 160 experts", "of_256_experts": "llada2: 2048, 256 experts"},
    "shared_expert": {"customary": "GLM 4.5: 5120 through 192"},
    "cross_entropy": {"customary": "llada2: a vocabulary of 126464"},
    "fake_quant": {"customary": "QAT: 1024 x 2048", "backward_customary": "QAT: 1024 x 2048"},
    "sinkhorn": {"customary": "DeepSeek v4: 4 streams, 20 iterations"},
    "attention": {"heads_of_a_model": "GLM 4.5: 12 heads of 128 and 1 for keys"},
    "causal_attention": {"customary": "GLM 4.5: 12 heads of 128 and 1 for keys"},
    "window_attention": {
        "customary": "DeepSeek v4: a window of 128",
        "window_1024": "Gemma4: a window of 1024",
        "heads_of_512": "DeepSeek v4: a window of 128, 64 heads of 512",
    },
    "varlen_attention": {"heads_of_128": "Mtgr: 8 heads of 128"},
    "attention_backward": {"heads_of_128": "Mtgr: 8 heads of 128"},
    "paged_attention": {
        "customary": "GLM 4.5: 12 heads of 128 and 1 for keys, pages of 128",
        "two_groups": "GLM 4.5: 12 heads of 128 and 2 for keys, pages of 128",
    },
    "mla_decode": {
        "customary": "DeepSeek v3.2: 128 heads of 512 + 64, pages of 128",
        "two_steps": "DeepSeek v3.2: 512 + 64, pages of 128, with half of the heads",
    },
    "sparse_attention": {"customary": "DeepSeek v3.2: 128 heads of 512 + 64, 2048 tokens, pages of 128"},
    "lightning_indexer": {"customary": "DeepSeek v3.2: 64 heads of 128, 2048 tokens, pages of 128"},
    "kv_cache_write": {"latent_vectors": "DeepSeek v3.2: 512, pages of 128"},
    "kv_cache_gather": {"customary": "DeepSeek v3.2: 512, pages of 128"},
    "sum_lstm": {"customary": "Arctic: 32 rows of 4096"},
    "recurrent_delta_rule": {
        "customary": "qwen3.6: 32 heads of 128",
        "customary_channels": "Kimi linear: 32 heads of 128",
    },
    "kimi_delta_attention": {"customary_strong": "Kimi linear: 32 heads of 128"},
    "gated_delta_rule": {"heads_of_a_model": "qwen3.5: 16 key and 32 value heads of 128, chunks of 128"},
}
"""Operator -> case -> model and numbers. What is not here has sizes that are customary for it."""
