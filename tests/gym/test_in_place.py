"""Operators whose outputs may be the memory of their inputs."""

import numpy as np
import pytest

import pypto
from openpto_gym.add_rms_norm import add_rms_norm


def test_add_rms_norm_in_place():
    """The same bits as with memory of its own, and a warning for the toolchains that refuse it."""
    rng = np.random.default_rng(3)
    x, residual = (rng.standard_normal((70, 32)).astype(np.float32) for _ in range(2))
    gamma, rate = np.ones(32, np.float32), np.empty((70, 1), np.float32)
    total, out, other = np.empty_like(x), np.empty_like(x), np.empty_like(rate)
    add_rms_norm(x, residual, gamma, total, out, other)
    with pytest.warns(pypto.PyptoWarning, match="PTO611"):
        add_rms_norm(x, residual, gamma, residual, x, rate)
    assert np.array_equal(x, out)
    assert np.array_equal(residual, total)
    assert np.array_equal(rate, other)
