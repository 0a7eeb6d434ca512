"""Product of FP8 matrices with a scale per row and per column."""

from openpto_gym.fp8_matmul.kernel import fp8_matmul

__all__ = ["fp8_matmul"]
