"""The chunked gated delta rule of the gym beyond its cases."""

import numpy as np
import pytest

import pypto
from openpto.testing import compare
from openpto_gym.gated_delta_rule import build_kernel, cases, helper_matrices, run
from openpto_gym.gated_delta_rule.golden import chunked, gated_delta_rule_golden
from openpto_gym.gated_delta_rule.operator import chunk_size_for


def check(case):
    inputs = cases.make_inputs(case)
    results = run(*inputs, chunk_size=case.chunk)
    for actual, golden in zip(results, gated_delta_rule_golden(*inputs)):
        assert np.isfinite(actual).all()
        difference = compare(actual, golden, case.tolerance)
        assert difference.outside == 0, difference
        assert difference.elements == golden.size
        assert difference.max_abs < 2e-6


def parametrize(chosen):
    """One test per case; the slow ones are marked."""

    def marks(case):
        return [pytest.mark.slow] if case.slow else []

    return pytest.mark.parametrize("case", [pytest.param(case, id=case.name, marks=marks(case)) for case in chosen])


@parametrize(cases.CASES)
def test_goldens_agree(case):
    """The recurrence and the chunked form are independent derivations of the same numbers."""
    inputs = cases.make_inputs(case)
    for one, other in zip(gated_delta_rule_golden(*inputs), gated_delta_rule_golden(*inputs, rule=chunked)):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-13)


def series_inverse(a, eye, size):
    """I + A + ... + A^8: exact only where the ninth power of A vanishes."""
    total, power = eye + a, a
    for _ in range(7):
        power = pypto.matmul(power, a, pypto.DT_FP32)
        total = total + power
    return total


def outside(case):
    """Elements outside the tolerance of a case, outputs and states together."""
    inputs = cases.make_inputs(case)
    pairs = zip(run(*inputs, chunk_size=case.chunk), gated_delta_rule_golden(*inputs))
    return sum(compare(actual, golden, case.tolerance).outside for actual, golden in pairs)


def test_hard_data_tell_a_truncated_inverse(monkeypatch):
    """The decay of the customary data hides it, correlated keys with a mild decay do not."""
    customary = cases.OPERATOR.case("aligned_single_chunk_L32")
    hard = cases.OPERATOR.case("lengths_around_a_chunk_L32")
    assert outside(hard) == 0
    monkeypatch.setattr("openpto_gym.gated_delta_rule.kernel.invert_unit_lower", series_inverse)
    assert outside(customary) == 0
    assert outside(hard) > 100


def small_case(*lengths):
    return cases.DeltaCase(
        name="small", lengths=lengths, nqk=1, nv=2, d=16, chunk=16, correlation=2.0, gate_low=-0.1, initial_state=True,
        tolerance=cases.HARD_TOLERANCE, seed=7,
    )  # fmt: skip


def test_one_compilation_serves_every_batch():
    """Numbers of tokens and sequences are dynamic."""
    check(small_case(5, 20))
    kernel = build_kernel(1, 2, 16, 16)
    before = kernel.compilations
    for lengths in ((1,), (16,), (17, 3, 40), (0, 15)):
        check(small_case(*lengths))
    assert kernel.compilations == before


def test_sequences_do_not_see_each_other():
    """A sequence gives the same bits alone and inside a batch."""
    inputs = cases.make_inputs(small_case(20, 33))
    outs, states = run(*inputs, chunk_size=16)
    alone = inputs._replace(
        **{name: getattr(inputs, name)[20:] for name in ("query", "key", "value", "beta", "gate")},
        states=inputs.states[1:],
        act_seq_len=np.array([0, 33], np.int32),
    )
    out, state = run(*alone, chunk_size=16)
    assert np.array_equal(out, outs[20:])
    assert np.array_equal(state, states[1:])


def test_tokens_behind_a_sequence_do_not_leak_into_its_tail():
    """The rows of the next sequence lie inside the last view of the one before; NaN there must not show."""
    inputs = cases.make_inputs(small_case(19, 30))
    clean = run(*inputs, chunk_size=16)[0][:19].copy()
    for name in ("query", "key", "value", "beta", "gate"):
        getattr(inputs, name)[19:] = np.nan
    dirty, states = run(*inputs, chunk_size=16)
    assert np.array_equal(dirty[:19], clean)
    assert np.isfinite(states[0]).all()


def test_helper_matrices():
    mask, tril, eye = helper_matrices(32)
    rows, cols = np.indices((32, 32))
    assert np.array_equal(mask, np.where(rows > cols, -1.0, 0.0))
    assert np.array_equal(tril, np.where(rows >= cols, 1.0, 0.0))
    assert np.array_equal(eye, np.where(rows == cols, 1.0, 0.0))
    assert mask.dtype == tril.dtype == eye.dtype == np.float32


@pytest.mark.parametrize(("longest", "size"), [(0, 32), (32, 32), (33, 64), (64, 64), (65, 128), (4096, 128)])
def test_chunk_size_by_the_longest_sequence(longest, size):
    assert chunk_size_for(np.array([1, longest])) == size


@pytest.mark.parametrize(
    "arguments", [(2, 3, 16, 16), (1, 1, 16, 24), (1, 1, 16, 256), (1, 1, 20, 16), (1, 1, 256, 16)]
)
def test_limits_of_the_factory(arguments):
    with pytest.raises(ValueError, match=r"nv=3|chunk=|d="):
        build_kernel(*arguments)


@pytest.mark.parametrize("prefix", [[0, 5, 40], [1, 5, 53], [0, 60, 53], [0, 53]])
def test_prefix_sums_are_checked(prefix):
    inputs = cases.make_inputs(small_case(20, 33))
    with pytest.raises(ValueError, match="act_seq_len"):
        run(*inputs._replace(act_seq_len=np.array(prefix, np.int32)))
