"""The reference engine: one operation at a time with numpy, the definition of what every operation means."""

from .engine import execute

__all__ = ["execute"]
