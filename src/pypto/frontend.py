"""`pypto.frontend`: what kernels are made with."""

from openpto.kernel.api import dynamic, jit
from openpto.kernel.api import nested_function as function
from openpto.language.api import SymbolicScalar

__all__ = ["SymbolicScalar", "dynamic", "function", "jit"]
