"""Dynamic quantisation of rows to INT8."""

from openpto_gym.quantize_int8.kernel import quantize_int8

__all__ = ["quantize_int8"]
