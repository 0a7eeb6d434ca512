"""The gradient of attention of packed sequences."""

from openpto_gym.attention_backward.kernel import attention_backward

__all__ = ["attention_backward"]
