"""Which cases of an operator are of which kind; the names leave out the dtype, and a case may be of several kinds.

small, typical   one row, token or element; the middle of the road
tail             blocks that are not full: one past a block, odd sizes
empty            nothing at all along a dynamic axis: no rows, no tokens, sequences of length 0
ties             where an order or a rounding decides: equal scores, one place for two, numbers half way
extreme          NaN, infinities, all magnitudes, zeros, saturation, cancellation
long             many blocks, long sequences

A kind that is missing does not apply, as far as the tests can read that off the kernel.
"""

from __future__ import annotations

from openpto_gym.operator import Case

KINDS: dict[str, dict[str, str]] = {
    "scale_add": {
        "small": "one_element", "typical": "many_tiles", "tail": "one_past_a_tile odd_widths",
        "empty": "no_tokens no_batch", "extreme": "all_magnitudes special_values", "long": "heads_of_a_model",
    },
    "relu": {
        "small": "forward_one_element backward_one_element", "typical": "forward_many_tiles backward_many_tiles",
        "tail": "forward_one_past_a_tile backward_one_past_a_tile",
        "empty": "forward_no_tokens backward_no_tokens forward_no_batch backward_no_batch",
        "extreme": "forward_all_magnitudes forward_special_values backward_all_magnitudes backward_special_values",
        "long": "forward_heads_of_a_model backward_heads_of_a_model",
    },
    "gelu": {
        "small": "forward_erf_one_element backward_erf_one_element forward_tanh_one_element "
        "backward_tanh_one_element",
        "typical": "forward_erf_many_tiles backward_erf_many_tiles forward_tanh_many_tiles backward_tanh_many_tiles",
        "tail": "forward_erf_one_past_a_tile backward_erf_one_past_a_tile forward_tanh_one_past_a_tile "
        "backward_tanh_one_past_a_tile",
        "empty": "forward_erf_no_tokens backward_erf_no_tokens forward_tanh_no_tokens backward_tanh_no_tokens",
        "extreme": "forward_erf_all_magnitudes forward_erf_special_values backward_erf_all_magnitudes "
        "forward_tanh_all_magnitudes forward_tanh_special_values backward_tanh_all_magnitudes",
        "long": "forward_erf_heads_of_a_model",
    },
    "sigmoid": {
        "small": "forward_one_element backward_one_element", "typical": "forward_many_tiles backward_many_tiles",
        "tail": "forward_one_past_a_tile backward_one_past_a_tile", "empty": "forward_no_tokens backward_no_tokens",
        "extreme": "forward_all_magnitudes forward_special_values backward_all_magnitudes backward_special_values",
        "long": "forward_heads_of_a_model",
    },
    "silu": {
        "small": "forward_one_element backward_one_element", "typical": "forward_many_tiles backward_many_tiles",
        "tail": "forward_one_past_a_tile backward_one_past_a_tile", "empty": "forward_no_tokens backward_no_tokens",
        "extreme": "forward_all_magnitudes forward_special_values", "long": "forward_heads_of_a_model",
    },
    "swiglu": {
        "small": "one_row backward_one_row", "typical": "one_short_of_a_block backward_one_past_a_block",
        "tail": "one_past_a_block odd_width backward_odd_width", "empty": "no_rows backward_no_rows",
        "extreme": "special_values saturated", "long": "width_3072",
    },
    "softmax": {
        "small": "one_row", "typical": "many_tiles", "tail": "one_past_a_tile unaligned_columns", "empty": "no_rows",
        "extreme": "special_rows masked_logits all_negative large_positive", "long": "wide_rows scores_of_a_model",
    },
    "rms_norm": {
        "small": "one_row", "typical": "odd_width", "tail": "one_past_a_block", "empty": "no_rows",
        "extreme": "special_rows rows_of_all_magnitudes large far_below_epsilon", "long": "hidden_3072_long",
    },
    "rms_norm_backward": {
        "small": "one_row", "typical": "odd_width", "tail": "one_past_a_block", "empty": "no_rows",
        "extreme": "rows_of_zeros large gradient_along_x", "long": "many_blocks hidden_7168",
    },
    "add_rms_norm": {
        "small": "one_row", "typical": "odd_width", "tail": "one_past_a_block", "empty": "no_rows",
        "extreme": "special_rows opposed near_epsilon", "long": "customary",
    },
    "layer_norm": {
        "small": "one_row", "typical": "odd_width", "tail": "one_past_a_block", "empty": "no_rows",
        "extreme": "special_rows level_rows large near_epsilon", "long": "hidden_7168",
    },
    "rope": {
        "small": "one_token", "typical": "half_of_the_head", "tail": "one_past_a_block odd_heads",
        "empty": "no_tokens", "extreme": "special_values", "long": "customary",
    },
    "interleave_rope": {
        "small": "one_token", "typical": "one_angle", "tail": "one_past_a_block", "empty": "no_tokens no_batch",
        "extreme": "special_values", "long": "long",
    },
    "qk_norm_rope": {
        "small": "one_token", "typical": "many_blocks", "tail": "one_past_a_block", "empty": "no_tokens",
        "extreme": "zeros large near_epsilon", "long": "customary",
    },
    "qkv_prologue": {
        "small": "one_token", "typical": "one_short_of_a_block", "tail": "one_past_a_block", "empty": "no_tokens",
        "extreme": "zeros large near_epsilon", "long": "many_blocks",
    },
    "mla_prologue": {
        "small": "one_token", "typical": "one_short_of_a_block", "tail": "one_past_a_block", "empty": "no_tokens",
        "extreme": "large near_epsilon", "long": "many_blocks",
    },
    "matmul": {
        "small": "one_element", "typical": "many_blocks", "tail": "past_a_block_nn odd_sizes_tt",
        "empty": "no_rows no_columns", "extreme": "special_values rows_of_all_magnitudes",
        "long": "deep gate_of_experts",
    },
    "quantize_int8": {
        "small": "one_row", "typical": "odd_width", "tail": "one_past_a_block", "empty": "no_rows",
        "ties": "between_two_steps", "extreme": "rows_of_zeros all_magnitudes", "long": "hidden_7168",
    },
    "quant_matmul": {
        "small": "one_element", "typical": "odd_sizes", "tail": "past_a_block", "empty": "no_rows no_columns",
        "extreme": "extremes scales_of_all_magnitudes", "long": "customary",
    },
    "fp8_matmul": {
        "small": "one_element", "typical": "odd_sizes", "tail": "past_a_block", "empty": "no_rows no_columns",
        "ties": "between_two_steps", "extreme": "rows_of_zeros all_magnitudes small_beside_large",
        "long": "customary",
    },
    "mx_matmul": {
        "small": "one_element", "typical": "odd_sizes", "tail": "past_a_block", "empty": "no_rows no_columns",
        "ties": "between_two_steps", "extreme": "groups_of_zeros all_magnitudes saturating", "long": "customary",
    },
    "fused_swiglu": {
        "small": "one_element", "typical": "odd_sizes", "tail": "past_a_block", "empty": "no_rows no_columns",
        "extreme": "saturated far_gates", "long": "customary",
    },
    "moe_gating": {
        "small": "one_token", "typical": "groups_by_two", "tail": "one_past_a_block", "empty": "no_tokens",
        "ties": "ties ties_of_groups ties_of_pairs",
        "extreme": "hidden_experts softmax_of_hidden_experts scores_below_the_guard softmax_of_far_logits",
        "long": "customary",
    },
    "moe_dispatch": {
        "small": "one_token", "typical": "typical dropped", "empty": "no_tokens", "ties": "two_experts_take_all",
        "extreme": "special_values", "long": "customary",
    },
    "grouped_matmul": {
        "small": "one_row", "typical": "small_groups", "tail": "around_a_block past_two_blocks_of_columns",
        "empty": "no_rows empty_groups", "extreme": "special_rows", "long": "customary",
    },
    "moe_combine": {
        "small": "one_token", "typical": "typical", "empty": "no_tokens", "extreme": "unused_rows_of_nan",
        "long": "customary",
    },
    "shared_expert": {
        "small": "one_token", "typical": "one_short_of_a_block", "tail": "one_past_a_block", "empty": "no_tokens",
        "extreme": "zeros large", "long": "many_blocks",
    },
    "cross_entropy": {
        "small": "one_token", "typical": "ignored", "tail": "one_past_a_block labels_at_edges", "empty": "no_tokens",
        "ties": "ties", "extreme": "hidden_columns large_logits all_negative falling_blocks", "long": "customary",
    },
    "adamw": {
        "small": "one_row", "typical": "late_step", "tail": "one_past_a_block odd_width", "empty": "no_rows",
        "extreme": "no_gradients gradients_near_zero large_gradients", "long": "customary width_24576",
    },
    "rms_prop": {
        "small": "one_row", "typical": "first_step", "tail": "one_past_a_block odd_width", "empty": "no_rows",
        "extreme": "no_gradients gradients_near_zero large_gradients", "long": "customary",
    },
    "scatter_sub": {
        "small": "one_update", "typical": "width_32", "tail": "one_past_a_block odd_width", "empty": "no_updates",
        "ties": "few_rows one_row", "extreme": "special_updates", "long": "few_rows customary",
    },
    "fake_quant": {
        "small": "one_row backward_one_row", "typical": "eight_bits",
        "tail": "one_past_a_block backward_one_past_a_block", "empty": "no_rows backward_no_rows",
        "ties": "ties backward_ties", "extreme": "special_values beyond_the_limits tiny_steps",
        "long": "customary backward_customary",
    },
    "avg_pool2d": {
        "small": "one_channel", "typical": "not_filled", "tail": "one_past_a_block", "empty": "no_channels",
        "extreme": "special_values large", "long": "customary",
    },
    "channel_sums": {
        "small": "one_sample", "typical": "odd_sizes", "tail": "one_past_a_block", "empty": "no_samples",
        "extreme": "special_channels far_from_zero", "long": "customary",
    },
    "sinkhorn": {
        "small": "one_token", "typical": "larger_matrices", "tail": "one_past_a_block", "empty": "no_tokens",
        "extreme": "hidden_entries peaked negative_extremes", "long": "many_blocks customary",
    },
    "attention": {
        "small": "one_token", "typical": "shared_key_heads", "tail": "one_past_a_block",
        "empty": "no_queries no_batch", "extreme": "peaked_weights flat_weights", "long": "long",
    },
    "causal_attention": {
        "small": "one_token", "typical": "history", "tail": "one_past_a_block", "empty": "no_queries no_keys",
        "extreme": "peaked_weights flat_weights", "long": "long",
    },
    "window_attention": {
        "small": "one_token", "typical": "shorter_than_the_window", "tail": "around_a_block odd_window",
        "empty": "no_sequences empty_sequences", "extreme": "strong_sink no_sink", "long": "long_sequence customary",
    },
    "varlen_attention": {
        "small": "one_token", "typical": "own_key_heads", "tail": "around_a_block causal_around_a_block",
        "empty": "no_sequences empty_sequences", "extreme": "peaked very_peaked", "long": "long",
    },
    "attention_backward": {
        "small": "one_token", "typical": "own_key_heads", "tail": "around_a_block causal_around_a_block",
        "empty": "no_sequences empty_sequences", "extreme": "peaked", "long": "long",
    },
    "paged_attention": {
        "small": "one_key", "typical": "shared_key_heads", "tail": "around_a_page",
        "empty": "no_sequences empty_sequence", "extreme": "peaked", "long": "many_pages two_groups",
    },
    "mla_decode": {
        "small": "one_key", "typical": "two_new_tokens", "tail": "around_a_page",
        "empty": "no_sequences empty_sequence", "extreme": "peaked", "long": "many_pages two_steps",
    },
    "sparse_attention": {
        "small": "one_token_each", "typical": "around_a_block all_tokens", "tail": "around_a_block",
        "empty": "no_queries nothing_chosen", "ties": "tokens_named_twice", "extreme": "peaked", "long": "customary",
    },
    "lightning_indexer": {
        "small": "one_token", "typical": "two_new_tokens", "tail": "around_a_page around_k",
        "empty": "no_sequences empty_sequence", "ties": "all_alike", "extreme": "negative_scores",
        "long": "many_pages customary",
    },
    "kv_cache_write": {
        "small": "one_token", "typical": "scattered some_dropped", "empty": "no_tokens all_dropped",
        "ties": "slots_named_twice", "extreme": "special_values", "long": "customary",
    },
    "kv_cache_gather": {
        "small": "one_token", "typical": "whole_pages", "tail": "across_pages inside_one_page",
        "empty": "no_sequences nothing_of_some", "extreme": "special_values", "long": "customary",
    },
    "sum_lstm": {
        "small": "one_row", "typical": "no_weights", "tail": "three_rows seven_rows odd_width", "empty": "no_rows",
        "extreme": "zeros saturated_gates near_epsilon", "long": "customary",
    },
    "recurrent_delta_rule": {
        "small": "one_token", "typical": "several_tokens", "empty": "no_sequences no_tokens empty_sequences",
        "extreme": "everything_forgotten strong_decay", "long": "many_tokens",
    },
    "kimi_delta_attention": {
        "small": "one_token", "typical": "faster_decay", "tail": "lengths_around_a_chunk",
        "empty": "no_tokens_at_all empty_sequences", "extreme": "strongest_decay strongly_correlated_keys",
        "long": "customary",
    },
    "gated_delta_rule": {
        "small": "aligned_single_chunk_L32", "typical": "three_chunks_correlated_keys",
        "tail": "lengths_around_a_chunk_L128 unaligned_single", "empty": "no_tokens_at_all empty_sequences",
        "extreme": "three_chunks_strongly_correlated_keys unaligned_single state_kept_forever state_forgotten_at_once "
        "next_sequence_is_nan",
        "long": "long",
    },
}  # fmt: skip
"""Operator -> kind -> names of cases."""


def kinds_of(operator: str, case: Case) -> tuple[str, ...]:
    """The kinds of a case of an operator; none if it is one of many of its kind."""
    name = plain_name(case)
    return tuple(kind for kind, names in KINDS.get(operator, {}).items() if name in names.split())


def plain_name(case: Case) -> str:
    """The name of a case without its dtype."""
    return case.name.removesuffix(f"_{case.dtype.short.lower()}")
