"""The reference engine: one operation at a time with numpy, the definition of what every operation means."""

from .execute import execute

__all__ = ["execute"]
