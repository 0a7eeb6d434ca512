"""Product of INT8 matrices with a scale per row and per column."""

from openpto_gym.quant_matmul.kernel import quant_matmul

__all__ = ["quant_matmul"]
