"""The rules, a file per subject. Each file registers its rules when it is imported; the list below is complete."""

from openpto.diagnostics.rules import install, internal, options, portability, symbols, tiles, unwritten

__all__ = ["install", "internal", "options", "portability", "symbols", "tiles", "unwritten"]
