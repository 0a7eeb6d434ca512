"""Front end: source text of kernels, rewriting of control flow, tracing into tile IR."""

from .entry import trace_kernel
from .function import FunctionMarker, dynamic, function
from .source import Captured, capture

__all__ = ["Captured", "FunctionMarker", "capture", "dynamic", "function", "trace_kernel"]
