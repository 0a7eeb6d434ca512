"""The rules, a file per subject. Each file registers its checks when it is imported; the list below is complete."""

from openpto.lint.rules import (
    conditions,
    flow,
    gym,
    gym_folder,
    gym_tests,
    jit,
    loops,
    names,
    operands,
    signature,
    syntax,
    tiles,
    traps,
    unwritten,
    windows,
)

__all__ = [
    "conditions",
    "flow",
    "gym",
    "gym_folder",
    "gym_tests",
    "jit",
    "loops",
    "names",
    "operands",
    "signature",
    "syntax",
    "tiles",
    "traps",
    "unwritten",
    "windows",
]
