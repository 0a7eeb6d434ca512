"""Attention of the newest tokens to a paged store of shared latent vectors."""

from openpto_gym.mla_decode.kernel import mla_decode

__all__ = ["mla_decode"]
