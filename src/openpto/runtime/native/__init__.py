"""The native engine: whole kernels compiled through LLVM.

``tile IR -> lower.py -> loop IR (loopir.py) -> emit.py -> LLVM text -> jit.py``. It computes the bits of the reference
and stops where the reference stops.
"""

from .engine import Unsupported, execute, stage_text, statements

__all__ = ["Unsupported", "execute", "stage_text", "statements"]
