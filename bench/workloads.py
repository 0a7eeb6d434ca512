"""The work that is timed, and what it is compared with.

A workload is made when it is timed, so that one's tensors are gone before the next begins. Each checks its own result
against torch first: a benchmark of wrong numbers is none.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import torch

from kernels import attention_torch, chain, chain_torch
from openpto_gym.attention.kernel import attention
from openpto_gym.gated_delta_rule.golden import torch_golden
from openpto_gym.gated_delta_rule.kernel import build_kernel
from openpto_gym.gated_delta_rule.operator import helper_matrices
from openpto_gym.gelu.kernel import gelu
from openpto_gym.rms_norm.kernel import rms_norm
from openpto_gym.softmax.kernel import row_softmax

Run = Callable[[], object]
CHUNK = 128
"""Tokens of a chunk of the gated delta rule."""


@dataclass(frozen=True, slots=True)
class Rival:
    """What the work is compared with, and the least ratio of its time to ours that is aimed at."""

    name: str
    run: Run
    target: float


@dataclass(frozen=True, slots=True)
class Work:
    """One row of the table, or one per rival. ``moved`` are bytes, ``flops`` operations, where a limit is the
    comparison; ``least`` is the share of the limit that is aimed at."""

    name: str
    run: Run
    rivals: tuple[Rival, ...] = ()
    moved: float = 0.0
    flops: float = 0.0
    least: float = 0.0
    rounds: int = 7
    keep: tuple[object, ...] = field(default=(), repr=False)


def near(got: torch.Tensor, wanted: torch.Tensor, tolerance: float) -> None:
    """Refuse to time what computes something else."""
    worst = (got.double() - wanted.double()).abs().max().item()
    assert worst <= tolerance, f"differs by {worst}"


def softmax() -> Work:
    """Row softmax of [32768, 1024] FP32."""
    x = torch.randn(32768, 1024)
    out, theirs = torch.empty_like(x), torch.empty_like(x)
    row_softmax(x, out)
    near(out, torch.softmax(x, -1), 1e-6)
    rivals = (
        Rival("torch.softmax into an output", lambda: torch.softmax(x, -1, out=theirs), 1.2),
        Rival("torch op by op", lambda: softmax_op_by_op(x), 8.0),
    )
    return Work("softmax 32768x1024 FP32", lambda: row_softmax(x, out), rivals)


def softmax_new_sizes() -> Work:
    """The same with a number of rows that no call before had."""
    x = torch.randn(32768, 1024)
    out, theirs = torch.empty_like(x), torch.empty_like(x)
    ours, others = rows_in_turn(), rows_in_turn()

    def run() -> None:
        rows = next(ours)
        row_softmax(x[:rows], out[:rows])

    def torch_run() -> None:
        rows = next(others)
        torch.softmax(x[:rows], -1, out=theirs[:rows])

    def op_by_op() -> None:
        softmax_op_by_op(x[: next(others)])

    rivals = (Rival("torch.softmax into an output", torch_run, 1.2), Rival("torch op by op", op_by_op, 8.0))
    return Work("softmax, new rows each call", run, rivals)


def rows_in_turn() -> Iterator[int]:
    """Numbers of rows near 32768, each once."""
    return (32767 - n for n in itertools.count() if n < 16384)


def softmax_op_by_op(x: torch.Tensor) -> torch.Tensor:
    """Softmax in three operations."""
    weights = torch.exp(x - x.amax(-1, keepdim=True))
    return weights / weights.sum(-1, keepdim=True)


def norm() -> Work:
    """rms_norm and scale of [8192, 4096] BF16."""
    x, gamma = torch.randn(8192, 4096).bfloat16(), torch.rand(4096).bfloat16()
    out = torch.empty_like(x)

    def op_by_op() -> torch.Tensor:
        wide = x.float()
        return (wide / torch.sqrt((wide * wide).mean(-1, keepdim=True) + 1e-6) * gamma.float()).bfloat16()

    rms_norm(x, gamma, out)
    near(out, op_by_op(), 0.0625)
    return Work("rms_norm 8192x4096 BF16", lambda: rms_norm(x, gamma, out), (Rival("torch op by op", op_by_op, 8.0),))


def activation() -> Work:
    """gelu(erf) of 64 Mi FP32."""
    x = torch.randn(1, 65536, 8, 128)
    out, theirs = torch.empty_like(x), torch.empty_like(x)
    gelu(x, out)
    near(out, torch.nn.functional.gelu(x), 1e-5)
    rivals = (
        Rival("F.gelu into an output", lambda: torch._C._nn.gelu(x, out=theirs), 1.3),
        Rival("torch op by op", lambda: x * 0.5 * (torch.erf(x * 0.7071067811865476) + 1.0), 8.0),
    )
    return Work("gelu(erf) 64 Mi FP32", lambda: gelu(x, out), rivals, rounds=5)


def elementwise() -> Work:
    """Eight elementwise operations on 64 Mi FP32."""
    x = torch.randn(65536, 1024)
    out = torch.empty_like(x)
    chain(x, out)
    near(out, chain_torch(x), 1e-5)
    rival = Rival("torch op by op", lambda: chain_torch(x), 1.0)
    moved = 2.0 * x.element_size() * x.numel()
    return Work("8 operations, 64 Mi FP32", lambda: chain(x, out), (rival,), moved=moved, least=0.8, rounds=5)


def flash() -> Work:
    """Attention of 16 heads, 4096 tokens, width 128, FP32, with a running softmax over blocks of 128."""
    heads, tokens, width = 16, 4096, 128
    query, key, value = (torch.randn(1, tokens, heads, width) for _ in range(3))
    out, scale = torch.empty_like(query), width**-0.5
    by_head = [t[0].transpose(0, 1).contiguous() for t in (query, key, value)]
    attention(query, key, value, out, scale)
    near(out[0].transpose(0, 1), torch.nn.functional.scaled_dot_product_attention(*by_head), 1e-5)
    rivals = (
        Rival("scaled_dot_product_attention", lambda: torch.nn.functional.scaled_dot_product_attention(*by_head), 1.8),
        Rival("the same loop in torch", lambda: attention_torch(*by_head, scale), 10.0),
    )
    flops = 4.0 * heads * tokens * tokens * width
    run = lambda: attention(query, key, value, out, scale)  # noqa: E731
    return Work("attention 16x4096x128 FP32", run, rivals, flops=flops, rounds=3)


def delta_rule() -> Work:
    """The gated delta rule of two sequences of 4096 tokens, four heads, width 128, chunks of 128."""
    chance = np.random.default_rng(0)
    heads, width, lengths = 4, 128, (4096, 4096)
    tokens = sum(lengths)
    vectors = [chance.standard_normal((tokens, heads, width), dtype=np.float32) for _ in range(3)]
    inputs = {
        **dict(zip(("query", "key", "value"), vectors, strict=True)),
        "beta": chance.random((tokens, heads), dtype=np.float32),
        "gate": -chance.random((tokens, heads), dtype=np.float32),
        "states": np.zeros((len(lengths), heads, width, width), np.float32),
        "act_seq_len": np.array([0, 4096, 8192], np.int32),
    }
    kernel = build_kernel(heads, heads, width, CHUNK)
    outputs = np.empty_like(inputs["value"]), np.empty_like(inputs["states"])
    sequences = inputs["act_seq_len"]
    arguments = (*list(inputs.values())[:-1], *helper_matrices(CHUNK), sequences, *outputs)
    kernel(*arguments)
    near(torch.from_numpy(outputs[0]), torch.from_numpy(torch_golden(inputs)["core_attn_out"]), 1e-4)
    rival = Rival("the golden in torch", lambda: torch_golden(inputs), 10.0)
    products = 9.33  # of [128, 128] matrices in a chunk: nine, and a third of one for merging inverses
    flops = products * 2.0 * CHUNK**3 * heads * tokens / CHUNK
    name = "gated delta rule 2x4096, 4 heads"
    return Work(name, lambda: kernel(*arguments), (rival,), flops=flops, least=0.7, rounds=3)


WORKLOADS: dict[str, Callable[[], Work]] = {
    "softmax": softmax,
    "softmax-sizes": softmax_new_sizes,
    "rms_norm": norm,
    "gelu": activation,
    "chain": elementwise,
    "attention": flash,
    "delta-rule": delta_rule,
}
