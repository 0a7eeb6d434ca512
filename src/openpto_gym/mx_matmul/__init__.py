"""Product of matrices in a microscaled format."""

from openpto_gym.mx_matmul.kernel import mx_matmul

__all__ = ["mx_matmul"]
