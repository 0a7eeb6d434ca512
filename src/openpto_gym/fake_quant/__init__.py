"""Weights rounded as a quantisation would, and the gradient of that."""

from openpto_gym.fake_quant.kernel import fake_quant, fake_quant_backward

__all__ = ["fake_quant", "fake_quant_backward"]
