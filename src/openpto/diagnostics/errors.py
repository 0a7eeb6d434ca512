"""Exceptions made from rules: one base class, combined with the Python class that users of the API catch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar, NoReturn, cast

from openpto.diagnostics.context import current_site, current_target
from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, find_rule
from openpto.diagnostics.render import render
from openpto.diagnostics.span import Site, Span


class PyptoError(Exception):
    """Base of everything that is refused with a code.

    Never raised as such: `fail` raises a subclass that also inherits from ValueError, TypeError or whichever class
    the rule names, so that `except ValueError` keeps working. `str(exc)` is the whole rendered text.
    """

    fault: ClassVar[bool] = False
    """True for an error that depends on run-time data, found while a kernel executes."""

    rule: Rule
    site: Site
    fields: dict[str, Any]

    def __init__(self, rule: Rule, site: Site, fields: Mapping[str, Any], text: str | None = None) -> None:
        self.rule = rule
        self.site = site
        self.fields = {name: _plain(value) for name, value in fields.items()}
        self._text = text if text is not None else render(rule, site, fields, severity="error")
        super().__init__(self._text)
        if isinstance(self, SyntaxError):
            self.msg = self._text  # what the interpreter prints for a SyntaxError instead of str(exc)

    @property
    def code(self) -> str:
        """Our stable code, such as PTO301."""
        return self.rule.code

    @property
    def aliases(self) -> tuple[str, ...]:
        """The vendor's codes for the same mistake."""
        return self.rule.aliases

    @property
    def phrases(self) -> tuple[str, ...]:
        """The vendor's words for the same mistake (with fields in braces); they occur in `str(exc)`."""
        return self.rule.phrases

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        span = self.site.span
        place = f" at {span.file}:{span.line}" if span is not None else ""
        return f"<{type(self).__name__} {self.code} {self.rule.name}{place}>"

    def __reduce__(self) -> tuple[Any, ...]:
        python = tuple(base for base in type(self).__bases__ if base is not PyptoError) or (Exception,)
        return _rebuild, (self.code, self.fault, self.site, self.fields, self._text, python)


def error_class(*python: type[Exception], fault: bool = False) -> type[PyptoError]:
    """The class that is PyptoError and each of the classes in `python`; the same object for the same arguments."""
    known = _CLASSES.get((python, fault))
    if known is not None:
        return known
    bases: tuple[type, ...] = (PyptoError, *(base for base in python if base is not Exception))
    stem = python[0].__name__.removesuffix("Error")
    name = f"Pypto{stem}{'Fault' if fault else 'Error'}"
    body = {"__module__": "pypto", "__doc__": PyptoError.__doc__, "fault": fault}
    made = cast("type[PyptoError]", type(name, bases, body))
    return _CLASSES.setdefault((python, fault), made)


_CLASSES: dict[tuple[tuple[type[Exception], ...], bool], type[PyptoError]] = {}


def make_error(code: str, /, *, site: Site | Span | None = None, fault: bool = False, **fields: Any) -> PyptoError:
    """The exception of a rule, not raised."""
    rule = find_rule(code)
    target = current_target() if rule.exc_in else None  # asking may itself fail, with another rule
    return error_class(*rule.classes(target), fault=fault)(rule, current_site(site), fields)


_refusals: ContextVar[list[PyptoError] | None] = ContextVar("openpto_refusals", default=None)


@contextmanager
def note_refusals() -> Iterator[list[PyptoError]]:
    """A list that receives what `fail` raises inside the block, also what other code catches."""
    noted: list[PyptoError] = []
    token = _refusals.set(noted)
    try:
        yield noted
    finally:
        _refusals.reset(token)


def forgive(error: PyptoError) -> None:
    """Take a refusal back: who caught it has dealt with it."""
    noted = _refusals.get()
    if noted is not None and error in noted:
        noted.remove(error)


def fail(code: str, /, *, site: Site | Span | None = None, **fields: Any) -> NoReturn:
    """Refuse: raise the exception of a rule, at `site` or at the place in force (see context.py)."""
    error = make_error(code, site=site, **fields)
    noted = _refusals.get()
    if noted is not None:
        noted.append(error)
    raise error


def fault(code: str, /, *, site: Site | Span | None = None, **fields: Any) -> NoReturn:
    """Stop a running kernel: like `fail`, for errors that depend on run-time data (`exc.fault` is True)."""
    raise make_error(code, site=site, fault=True, **fields)


def _rebuild(
    code: str, fault: bool, site: Site, fields: dict[str, Any], text: str, python: tuple[type[Exception], ...]
) -> PyptoError:
    return error_class(*python, fault=fault)(find_rule(code), site, fields, text)


def _plain(value: Any) -> Any:
    """Values that travel between processes: numbers, texts and tuples of them; anything else as its text."""
    if isinstance(value, T):
        return value
    if isinstance(value, (bool, int, float, str, type(None))) and type(value).__module__ == "builtins":
        return value
    if isinstance(value, (list, tuple)):
        return tuple(_plain(item) for item in value)
    return str(value)
