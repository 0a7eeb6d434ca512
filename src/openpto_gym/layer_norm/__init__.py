"""Normalisation of rows to mean zero and variance one."""

from openpto_gym.layer_norm.kernel import layer_norm

__all__ = ["layer_norm"]
