"""Matrix product with both operands as they are or transposed."""

from openpto_gym.matmul.kernel import matmul

__all__ = ["matmul"]
