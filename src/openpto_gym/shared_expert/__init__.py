"""A feed-forward layer in INT8: the expert that every token goes to."""

from openpto_gym.shared_expert.kernel import shared_expert

__all__ = ["shared_expert"]
