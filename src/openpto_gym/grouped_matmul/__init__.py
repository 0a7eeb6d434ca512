"""Groups of rows, each times a matrix of its own."""

from openpto_gym.grouped_matmul.kernel import grouped_matmul

__all__ = ["grouped_matmul"]
