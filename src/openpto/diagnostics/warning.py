"""Warnings made from rules, and the policy for what only some toolchains refuse.

A warning goes through the `warnings` module at the user's line, once per code and place within one collector (one
trace or one run), and is kept in the collector for the receipt of the call. Its text is made when it is asked for:
most warnings are collected and never shown.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

from openpto.diagnostics.context import current_site, current_target
from openpto.diagnostics.errors import fail
from openpto.diagnostics.language import T, current_language
from openpto.diagnostics.registry import Rule, find_rule
from openpto.diagnostics.render import render
from openpto.diagnostics.span import Site, Span


class PyptoWarning(UserWarning):
    """What runs here and deserves attention; `str()` is the whole rendered text."""

    def __init__(self, rule: Rule, site: Site, fields: Mapping[str, Any], text: str | None = None) -> None:
        self.rule = rule
        self.site = site
        self.fields = {name: list(value) if type(value) is list else value for name, value in fields.items()}
        self._text = text
        self._language = current_language()
        super().__init__(rule.code)

    @property
    def code(self) -> str:
        """Our stable code, such as PTO601."""
        return self.rule.code

    @property
    def key(self) -> tuple[str, tuple[str, int, int]]:
        """Code and place: a collector keeps one warning per key."""
        return self.code, self.site.place

    def __str__(self) -> str:
        if self._text is None:
            self._text = render(self.rule, self.site, self.fields, severity="warning", language=self._language)
        return self._text

    def __reduce__(self) -> tuple[Any, ...]:
        fields = {name: value if isinstance(value, T) else str(value) for name, value in self.fields.items()}
        return _rebuild, (self.code, self.site, fields, str(self))


_collectors: ContextVar[tuple[list[PyptoWarning], ...]] = ContextVar("openpto_collectors", default=())
_registries: dict[str, dict[Any, Any]] = {}


_quiet: ContextVar[bool] = ContextVar("openpto_quiet", default=False)


class collect_warnings:  # noqa: N801 - reads as a statement
    """``with collect_warnings() as found:``: a list that receives the warnings of the block, each once per code and
    place, in order; ``into`` is one of an earlier block that goes on. With ``quiet`` they are shown to nobody else."""

    __slots__ = ("_into", "_quiet", "_said", "_token")

    def __init__(self, into: list[PyptoWarning] | None = None, *, quiet: bool = False) -> None:
        self._into, self._quiet = into, quiet

    def __enter__(self) -> list[PyptoWarning]:
        collected: list[PyptoWarning] = [] if self._into is None else self._into
        self._token = _collectors.set((collected,) if self._quiet else (*_collectors.get(), collected))
        self._said = _quiet.set(self._quiet or _quiet.get())
        return collected

    def __exit__(self, *error: object) -> None:
        _collectors.reset(self._token)
        _quiet.reset(self._said)


def warn(code: str, /, *, site: Site | Span | None = None, **fields: Any) -> None:
    """Warn with the text of a rule, at `site` or at the place in force."""
    emit(PyptoWarning(find_rule(code), current_site(site), fields))


def emit(warning: PyptoWarning) -> None:
    """Collect and show a warning, also one kept from an earlier trace of the same kernel."""
    active = _collectors.get()
    known = bool(active) and any(warning.key == kept.key for kept in active[-1])
    for collected in active:
        if all(warning.key != kept.key for kept in collected):
            collected.append(warning)
    if known or _quiet.get() or _is_silenced():
        return
    span = warning.site.span
    file, line = (span.file, span.line) if span is not None else ("<pypto>", 1)
    module, registry = _module_of(file)
    warnings.warn_explicit(warning, None, file, line, module=module, registry=registry)


def _is_silenced() -> bool:
    """Whether Python's filters drop our warnings whatever they say, so that nobody needs their text."""
    if getattr(sys.flags, "context_aware_warnings", 0):  # Python 3.14: a context has filters of its own
        return False
    for action, message, category, module, line in warnings.filters:
        if issubclass(PyptoWarning, category):
            return action == "ignore" and message is None and module is None and line == 0
    return False


def portability(
    code: str, /, profiles: tuple[str, ...] | None = None, *, site: Site | Span | None = None, **fields: Any
) -> None:
    """What runs here and is refused by `profiles` (default: those of the rule).

    Without a chosen target this warns; under one of the profiles it is an error of the same code; under another
    target nothing is said. Texts may use the field `profiles`.
    """
    refusing = find_rule(code).profiles if profiles is None else profiles
    fields.setdefault("profiles", ", ".join(refusing))
    target = current_target()
    if target is None:
        warn(code, site=site, **fields)
    elif target in refusing:
        fail(code, site=site, **fields)


def _rebuild(code: str, site: Site, fields: dict[str, Any], text: str) -> PyptoWarning:
    return PyptoWarning(find_rule(code), site, fields, text)


def _module_of(file: str) -> tuple[str, dict[Any, Any]]:
    """Name of the module that the file belongs to, and the registry where Python notes what was shown already."""
    frame = sys._getframe()
    while frame is not None:
        if frame.f_code.co_filename == file:
            space = frame.f_globals
            return str(space.get("__name__", file)), space.setdefault("__warningregistry__", {})
        frame = frame.f_back  # type: ignore[assignment]
    for name, module in list(sys.modules.items()):
        if getattr(module, "__file__", None) == file:
            return name, vars(module).setdefault("__warningregistry__", {})
    return file, _registries.setdefault(file, {})
