"""Root mean square normalisation of rows."""

from openpto_gym.rms_norm.kernel import rms_norm

__all__ = ["rms_norm"]
