"""The signature of a kernel: which parameters are tensors, what they declare, and what is not allowed."""

from __future__ import annotations

import builtins
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from openpto.diagnostics import Site, Span, fail, portability
from openpto.frontend.source import source_of
from openpto.kernel.declaration import TensorSpec, is_tensor_annotation, spec_of

MISSING = inspect.Parameter.empty

_REFUSED_KINDS = {
    inspect.Parameter.VAR_POSITIONAL: "PTO502",
    inspect.Parameter.VAR_KEYWORD: "PTO503",
    inspect.Parameter.KEYWORD_ONLY: "PTO504",
    inspect.Parameter.POSITIONAL_ONLY: "PTO505",
}


@dataclass(frozen=True, slots=True)
class TensorParameter:
    """A parameter annotated as a tensor. ``written_as_text``: the annotation was a string."""

    name: str
    spec: TensorSpec
    written_as_text: bool = False


@dataclass(frozen=True, slots=True)
class ValueParameter:
    """Any other parameter: a Python object that is a constant of the kernel. ``problem`` tells why an annotation
    written as a string could not be resolved, "" if nothing was wrong."""

    name: str
    default: Any = MISSING
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Signature:
    """Parameters in order: all tensors, then all values. ``refused`` holds what stops the first call: (code, name)."""

    kernel: str
    tensors: tuple[TensorParameter, ...]
    values: tuple[ValueParameter, ...]
    site: Site
    refused: tuple[tuple[str, str], ...] = ()
    sites: Mapping[str, Site] = field(default_factory=dict)

    def check(self) -> None:
        """Refuse what no front end compiles (PTO501-505) and warn of annotations written as text (PTO508)."""
        for code, name in self.refused:
            fail(code, site=self.site, kernel=self.kernel, name=name)
        for parameter in self.tensors:
            if parameter.written_as_text:
                portability("PTO508", site=self.site, name=parameter.name)


def signature_of(function: FunctionType, caller_locals: Mapping[str, Any]) -> Signature:
    """Read the signature of a kernel; ``caller_locals`` are the names of the function that decorates it.

    Raises:
        ValueError: PTO506, a tensor parameter after another one; PTO507, a default of a tensor parameter.
    """
    code = function.__code__
    site = Site(Span(code.co_filename, _def_line(function)), kernel=function.__name__)
    tensors: list[TensorParameter] = []
    values: list[ValueParameter] = []
    refused: list[tuple[str, str]] = []
    annotations = _annotations(function)
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in _REFUSED_KINDS:
            refused.append((_REFUSED_KINDS[parameter.kind], parameter.name))
            continue
        annotation = annotations.get(parameter.name)
        as_text = isinstance(annotation, str)
        problem = ""
        if isinstance(annotation, str):
            annotation, problem = _resolve(annotation, function, caller_locals)
        if not is_tensor_annotation(annotation):
            values.append(ValueParameter(parameter.name, parameter.default, problem))
            continue
        if values:
            fail("PTO506", site=site, name=parameter.name, before=values[0].name)
        if parameter.default is not MISSING:
            fail("PTO507", site=site, name=parameter.name)
        tensors.append(TensorParameter(parameter.name, spec_of(annotation), as_text))
    if "return" in annotations:
        refused.append(("PTO501", "return"))
    return Signature(function.__name__, tuple(tensors), tuple(values), site, tuple(refused))


def _annotations(function: Callable[..., Any]) -> dict[str, Any]:
    """Annotations as they stand. Where they are evaluated late (Python 3.14) and a name is missing, as texts."""
    if sys.version_info >= (3, 14):
        import annotationlib

        try:
            return dict(function.__annotations__)
        except NameError:
            return annotationlib.get_annotations(function, format=annotationlib.Format.STRING)
    return dict(getattr(function, "__annotations__", {}))


def _resolve(
    text: str, function: FunctionType, caller_locals: Mapping[str, Any], nested: bool = False
) -> tuple[Any, str]:
    """The object that an annotation written as text stands for, or (None, why not).

    Names are looked up as the author reads them: closure, then the frame that decorates, then the module.
    """
    space: dict[str, Any] = {"__builtins__": builtins, **function.__globals__, **caller_locals}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            space[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    try:
        result = eval(text, space)
    except Exception as exc:  # the author's expression may raise anything; it is reported if a tensor arrives here
        return None, f"{type(exc).__name__}: {exc}"
    if isinstance(result, str) and not nested:  # quoted, and postponed on top of that
        return _resolve(result, function, caller_locals, nested=True)
    return result, ""


def _def_line(function: FunctionType) -> int:
    """The line of ``def`` rather than that of the first decorator, where the source is at hand."""
    code = function.__code__
    source = None if code.co_name == "<lambda>" else source_of(function)[0]
    if source is None:
        return code.co_firstlineno
    defs = (at for at, line in enumerate(source.lines) if line.lstrip().startswith(("def ", "async def ")))
    return source.first_line + next(defs, 0)
