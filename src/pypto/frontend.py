"""`pypto.frontend`: what kernels are made with."""

from openpto.kernel.api import jit, nested_function
from openpto.language.api import SymbolicScalar, dynamic

function = nested_function

__all__ = ["SymbolicScalar", "dynamic", "function", "jit"]
