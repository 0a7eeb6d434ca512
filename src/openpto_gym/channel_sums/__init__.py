"""Sums and sums of squares of channels, as batch normalisation wants them."""

from openpto_gym.channel_sums.kernel import channel_sums

__all__ = ["channel_sums"]
