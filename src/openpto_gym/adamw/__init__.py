"""A step of Adam with decoupled weight decay."""

from openpto_gym.adamw.kernel import adamw

__all__ = ["adamw"]
