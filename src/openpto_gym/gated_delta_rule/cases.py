"""Inputs on which the gated delta rule is checked.

`CUSTOMARY` is the set that is customary for this operator: all inputs negative and gates down to -37, so strong that
the decay hides most mistakes inside a chunk. `HARD` is what tells a right kernel from a wrong one: correlated keys and
a mild decay, so that every token depends on many before it, a state to begin with, and lengths of every kind.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from openpto.testing import Tolerance
from openpto_gym.gated_delta_rule.golden import gated_delta_rule_golden, torch_golden
from openpto_gym.gated_delta_rule.operator import run as run_batch
from openpto_gym.operator import Arrays, Case, Operator

Float32 = NDArray[np.float32]

Drawn = tuple[Float32, Float32, Float32, Float32, Float32]  # query, key, value, beta, gate

CUSTOMARY_TOLERANCE = Tolerance(rtol=1e-3, atol=0.0)
HARD_TOLERANCE = Tolerance(rtol=1e-5, atol=2e-6)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaCase(Case):
    """One batch of sequences.

    `correlation` None takes the customary data, a number the weight of a direction that all keys share. Every token of
    the sequence `nan_sequence` is NaN: its outputs are, and those of its neighbours must not be.
    """

    lengths: tuple[int, ...]
    nqk: int
    nv: int
    d: int = 128
    chunk: int = 128
    correlation: float | None = None
    gate_low: float = -1.0
    initial_state: bool = False
    nan_sequence: int | None = None

    @property
    def sizes(self) -> str:
        """Lengths, heads, width and chunk."""
        lengths = "+".join(map(str, self.lengths))
        return f"T{lengths} N{self.nqk}/{self.nv} D{self.d} L{self.chunk}"

    @property
    def tokens(self) -> int:
        """T, the number of tokens of all sequences together."""
        return sum(self.lengths)


class Inputs(NamedTuple):
    """The arguments of `gated_delta_rule.run` and of the golden, in their order."""

    query: Float32
    key: Float32
    value: Float32
    beta: Float32
    gate: Float32
    states: Float32
    act_seq_len: NDArray[np.int32]


SLOW_FROM = 1000
"""Tokens times heads from which on a case is slow."""


def _customary_case(name: str, lengths: tuple[int, ...], nqk: int, nv: int, chunk: int = 128) -> DeltaCase:
    slow = sum(lengths) * nv >= SLOW_FROM
    return DeltaCase(name=name, lengths=lengths, nqk=nqk, nv=nv, chunk=chunk, tolerance=CUSTOMARY_TOLERANCE, slow=slow)


CUSTOMARY = (
    _customary_case("aligned_gqa", (128,), nqk=2, nv=8),
    _customary_case("aligned_multi_batch_gqa", (256, 256), nqk=2, nv=8),
    _customary_case("unaligned_gqa", (130,), nqk=2, nv=8),
    _customary_case("aligned_large_gqa", (256, 256), nqk=4, nv=4),
    _customary_case("unaligned_single", (130,), nqk=2, nv=4),
    _customary_case("aligned_single_chunk_L64", (64,), nqk=2, nv=4, chunk=64),
    _customary_case("aligned_multi_chunk_L64", (128,), nqk=2, nv=4, chunk=64),
    _customary_case("aligned_single_chunk_L32", (32,), nqk=2, nv=4, chunk=32),
)


def _hard(
    name: str, lengths: tuple[int, ...], correlation: float, gate_low: float, chunk: int, d: int, nv: int
) -> DeltaCase:
    return DeltaCase(
        name=name,
        lengths=lengths,
        nqk=2,
        nv=nv,
        d=d,
        chunk=chunk,
        correlation=correlation,
        gate_low=gate_low,
        initial_state=True,
        tolerance=HARD_TOLERANCE,
        slow=sum(lengths) * nv >= SLOW_FROM,
    )


HARD = (
    _hard("three_chunks_independent_keys", (384,), 0.0, -0.1, chunk=128, d=128, nv=2),
    _hard("three_chunks_correlated_keys", (384,), 1.0, -0.1, chunk=128, d=128, nv=2),
    _hard("three_chunks_strongly_correlated_keys", (384,), 3.0, -0.1, chunk=128, d=128, nv=2),
    _hard("three_chunks_faster_decay", (384,), 3.0, -1.0, chunk=128, d=128, nv=2),
    _hard("lengths_around_a_chunk_L128", (1, 127, 128, 129), 3.0, -0.1, chunk=128, d=128, nv=2),
    _hard("lengths_around_a_chunk_L64", (1, 63, 64, 65, 200), 3.0, -0.1, chunk=64, d=64, nv=4),
    _hard("lengths_around_a_chunk_L32", (31, 1, 32, 33, 100), 3.0, -0.1, chunk=32, d=32, nv=4),
    _hard("empty_sequences", (0, 40, 0, 0, 33, 0), 1.0, -0.1, chunk=32, d=32, nv=4),
    _hard("no_tokens_at_all", (0, 0), 1.0, -0.1, chunk=32, d=32, nv=4),
    _hard("narrow_heads", (50, 17), 3.0, -0.1, chunk=32, d=16, nv=6),
    _hard("one_leaf", (15, 16, 17, 1), 3.0, -0.1, chunk=16, d=16, nv=4),
    _hard("state_kept_forever", (33, 64), 1.0, 0.0, chunk=32, d=32, nv=4),
    _hard("state_forgotten_at_once", (33, 64), 1.0, -200.0, chunk=32, d=32, nv=4),
    replace(_hard("next_sequence_is_nan", (19, 30, 40), 1.0, -0.1, chunk=32, d=32, nv=4), nan_sequence=1),
    _hard("long", (1026,), 1.0, -0.1, chunk=128, d=128, nv=4),
    replace(_hard("heads_of_a_model", (130, 126), 1.0, -0.1, chunk=128, d=128, nv=32), nqk=16),
)

CASES = CUSTOMARY + HARD


def _customary(case: DeltaCase, rng: np.random.Generator) -> Drawn:
    """Every input negative: uniform between -c and 0, with the customary c of each."""

    def draw(c: float, *shape: int) -> Float32:
        return (rng.random(shape) * c - c).astype(np.float32)

    t = case.tokens
    return (
        draw(1.644, t, case.nqk, case.d),
        draw(1.745, t, case.nqk, case.d),
        draw(1.927, t, case.nv, case.d),
        draw(0.804, t, case.nv),
        draw(37.41, t, case.nv),
    )


def _realistic(case: DeltaCase, correlation: float, rng: np.random.Generator) -> Drawn:
    """Normal queries and values, keys with a common direction, beta in (0, 1), gates between `gate_low` and 0."""
    t = case.tokens
    common = rng.standard_normal((1, case.nqk, case.d)) * correlation
    return (
        rng.standard_normal((t, case.nqk, case.d)).astype(np.float32),
        (rng.standard_normal((t, case.nqk, case.d)) + common).astype(np.float32),
        rng.standard_normal((t, case.nv, case.d)).astype(np.float32),
        rng.random((t, case.nv)).astype(np.float32),
        (rng.random((t, case.nv)) * case.gate_low).astype(np.float32),
    )


def make_inputs(case: DeltaCase) -> Inputs:
    """The inputs of a case; the same for every call."""
    rng = case.generator()
    if case.correlation is None:
        drawn = _customary(case, rng)
    else:
        drawn = _realistic(case, case.correlation, rng)
    ends = np.concatenate([[0], np.cumsum(case.lengths)]).astype(np.int32)
    if case.nan_sequence is not None:
        for array in drawn:
            array[ends[case.nan_sequence] : ends[case.nan_sequence + 1]] = np.nan
    states = np.zeros((len(case.lengths), case.nv, case.d, case.d), np.float32)
    if case.initial_state:
        states = (rng.standard_normal(states.shape) * 0.1).astype(np.float32)
    return Inputs(*drawn, states, ends)


def run(case: DeltaCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out, states = run_batch(**arrays, chunk_size=case.chunk)
    return {"core_attn_out": out, "last_state_data": states}


def _by_numpy(case: DeltaCase, arrays: Arrays) -> Arrays:
    out, states = gated_delta_rule_golden(*(arrays[name] for name in Inputs._fields))
    return {"core_attn_out": out, "last_state_data": states}


OPERATOR = Operator(
    name="gated_delta_rule",
    summary="linear attention with a decaying state that is corrected towards each new value, in chunks",
    cases=CASES,
    inputs=lambda case: make_inputs(case)._asdict(),
    run=run,
    torch=lambda case, arrays: torch_golden(arrays),
    numpy=_by_numpy,
)
