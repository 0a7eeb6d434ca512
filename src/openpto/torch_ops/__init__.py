"""Kernels as operators of PyTorch. torch is loaded by the first registration, not before."""

from openpto.torch_ops.register import register_torch_op

__all__ = ["register_torch_op"]
