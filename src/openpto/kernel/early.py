"""What a decorator fixes before a program knows better: the run mode, and options that a simple kernel cannot have.

A decorator runs when its module is imported. The variable that its run mode came from may change afterwards, and the
command line may ask for another mode; a device runs what the decorator saw. Both are told at the call.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping
from types import CodeType
from typing import Any

from openpto._records import dataclass
from openpto.diagnostics import Site, warn
from openpto.frontend.source import Captured, tree_of
from openpto.ir.enums import RunMode
from openpto.language.configuration import RUN_MODE_VARIABLE

STITCHING = "stitch_function_"
"""The beginning of the names of options that join root functions."""

_ARGUMENT = "--run_mode"
_PLAIN = (
    ast.Expression, ast.Name, ast.Attribute, ast.Constant, ast.Dict, ast.IfExp, ast.Compare, ast.BoolOp, ast.UnaryOp,
    ast.Subscript, ast.Load, ast.cmpop, ast.boolop, ast.unaryop,
)  # fmt: skip
"""Expressions whose evaluation does nothing but look names up."""


@dataclass(frozen=True, slots=True)
class BoundMode:
    """The run mode that a decorator bound, None if it names none, and the expression ``text`` that it came from, which
    can be evaluated again among ``names``."""

    mode: RunMode | None = None
    text: str = ""
    code: CodeType | None = None
    names: dict[str, Any] | None = None

    @classmethod
    def of(cls, captured: Captured, options: object, caller_locals: Mapping[str, Any]) -> BoundMode:
        """What the decorator of a function binds; ``options`` are its runtime_options. An expression that uses names of
        the function around, ``caller_locals``, is not looked at again: they are out of reach later."""
        mode = _mode_in(options)
        if mode is None:
            return cls()
        node = _options_of(captured)
        if node is None or not all(isinstance(part, _PLAIN) for part in ast.walk(node)):
            return cls(mode)
        if any(isinstance(part, ast.Name) and part.id in caller_locals for part in ast.walk(node)):
            return cls(mode)
        code = compile(ast.Expression(node), "<run mode>", "eval")
        return cls(mode, _written(node), code, captured.function.__globals__)

    def check(self, source: str, site: Site) -> None:
        """Warn if something that a user changes says another mode now (PTO622). ``source`` is what decided the mode of
        the call."""
        if self.mode is None:
            return
        now = self._evaluated()
        if now is not None and now is not self.mode:
            warn("PTO622", site=site, bound=_shown(self.mode), source=self.text, chosen=_shown(now))
        asked = _asked_for()
        if asked is not None and asked is not self.mode and source != RUN_MODE_VARIABLE:
            warn("PTO622", site=site, bound=_shown(self.mode), source=_ARGUMENT, chosen=_shown(asked))

    def signs(self) -> tuple[object, ...]:
        """What :meth:`check` looks at, apart from ``source``: equal signs give equal warnings."""
        return () if self.mode is None else (self._evaluated(), *sys.argv[1:])

    def _evaluated(self) -> RunMode | None:
        if self.code is None or self.names is None:
            return None
        try:
            return _mode_in(eval(self.code, self.names))
        except Exception:  # a name is gone, or means something else by now: nothing can be said
            return None


def warn_of_stitching(simple: bool, options: Mapping[str, Any], site: Site) -> None:
    """Warn of options that join root functions on a kernel that has one of vector operations only (PTO620)."""
    names = [name for name in options if name.startswith(STITCHING)]
    if simple and names:
        warn("PTO620", site=site, options=", ".join(names))


def _options_of(captured: Captured) -> ast.expr | None:
    """The expression of runtime_options in the decorator, if the source shows a decorator with it."""
    if captured.source is None:
        return None
    for decorator in tree_of(captured.source).decorator_list:
        if isinstance(decorator, ast.Call):
            for keyword in decorator.keywords:
                if keyword.arg == "runtime_options":
                    return keyword.value
    return None


def _written(node: ast.expr) -> str:
    """The text of the run mode itself, where the options are written out."""
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == "run_mode":
                return ast.unparse(value)
    return ast.unparse(node)


def _mode_in(options: object) -> RunMode | None:
    mode = options.get("run_mode") if isinstance(options, Mapping) else None
    if type(mode) is RunMode:  # nearly always
        return mode
    return RunMode(mode) if isinstance(mode, int) and mode in tuple(RunMode) else None


def _asked_for() -> RunMode | None:
    """The mode that the command line of the program asks for."""
    arguments = sys.argv[1:] if hasattr(sys, "argv") else []
    for at, argument in enumerate(arguments):
        name, _, value = argument.partition("=")
        if name.replace("-", "_") == _ARGUMENT.replace("-", "_"):
            value = value or (arguments[at + 1] if at + 1 < len(arguments) else "")
            return {"npu": RunMode.NPU, "0": RunMode.NPU, "sim": RunMode.SIM, "1": RunMode.SIM}.get(value.lower())
    return None


def _shown(mode: RunMode) -> str:
    return f"RunMode.{mode.name}"
