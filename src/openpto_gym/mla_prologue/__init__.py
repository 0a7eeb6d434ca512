"""What comes before latent attention: projections down and up, norms, rotation, cache."""

from openpto_gym.mla_prologue.kernel import mla_prologue

__all__ = ["mla_prologue"]
