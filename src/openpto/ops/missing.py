"""Public names without a declaration of their own: not available yet (PTO902), or provided by the language itself."""

from __future__ import annotations

from .registry import Sample, elsewhere
from .samples import normal

_X = {"x": normal(8, 16)}

elsewhere(
    "experimental.get_operation_options",
    "E",
    "Read operation options.",
    Sample("x * float(len(pypto.experimental.get_operation_options()) > 0)", _X, lambda x: x),
)
elsewhere(
    "experimental.set_operation_options",
    "E",
    "Set combine_axis option.",
    Sample("pypto.experimental.set_operation_options(combine_axis=True) or x * 1.0", _X, lambda x: x),
)
elsewhere(
    "max",
    "V",
    "SymbolicScalar maximum.",
    Sample("x[0 : int(pypto.max(4, 8)), :] * 1.0", _X, lambda x: x),
)
elsewhere(
    "min",
    "V",
    "SymbolicScalar minimum.",
    Sample("x[0 : int(pypto.min(4, 8)), :] * 1.0", _X, lambda x: x[0:4]),
)
elsewhere(
    "pass_verify_print",
    "V",
    "Debug print in verify mode.",
    Sample("pypto.pass_verify_print(x) or x * 1.0", _X, lambda x: x),
)
elsewhere(
    "pass_verify_save",
    "V",
    "Debug dump in verify mode.",
    Sample("pypto.pass_verify_save(x, 'x') or x * 1.0", _X, lambda x: x),
)
