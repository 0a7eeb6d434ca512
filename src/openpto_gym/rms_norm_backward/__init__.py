"""The gradient of the root mean square normalisation."""

from openpto_gym.rms_norm_backward.kernel import rms_norm_backward

__all__ = ["rms_norm_backward"]
