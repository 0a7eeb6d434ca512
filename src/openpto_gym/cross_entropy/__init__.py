"""Cross entropy of logits and labels, with smoothing and a penalty on the normaliser."""

from openpto_gym.cross_entropy.kernel import cross_entropy

__all__ = ["cross_entropy"]
