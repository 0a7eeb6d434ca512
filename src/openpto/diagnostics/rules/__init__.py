"""The rules, a file per subject. Each file registers its rules when it is imported; the list below is complete."""

from openpto.diagnostics.rules import (
    arguments,
    command,
    install,
    internal,
    options,
    portability,
    runtime,
    runtime_tiles,
    signatures,
    symbols,
    tiles,
    unwritten,
)

__all__ = [
    "arguments",
    "command",
    "install",
    "internal",
    "options",
    "portability",
    "runtime",
    "runtime_tiles",
    "signatures",
    "symbols",
    "tiles",
    "unwritten",
]
