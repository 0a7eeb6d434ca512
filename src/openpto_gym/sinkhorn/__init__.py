"""Small matrices made doubly stochastic."""

from openpto_gym.sinkhorn.kernel import sinkhorn

__all__ = ["sinkhorn"]
