"""Residual addition and root mean square normalisation."""

from openpto_gym.add_rms_norm.kernel import add_rms_norm

__all__ = ["add_rms_norm"]
