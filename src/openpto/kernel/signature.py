"""The signature of a kernel: which parameters are tensors, what they declare, and what is not allowed."""

from __future__ import annotations

import builtins
import inspect
import sys
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from openpto._records import dataclass, field, replace
from openpto.diagnostics import Site, Span, fail, portability
from openpto.frontend.header import NAME, RETURNS
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
    """A parameter annotated as a tensor. ``written_as_text``: the annotation was a string; ``bare``: it was the class,
    which declares nothing."""

    name: str
    spec: TensorSpec
    written_as_text: bool = False
    bare: bool = False


@dataclass(frozen=True, slots=True)
class ValueParameter:
    """Any other parameter: a Python object that is a constant of the kernel. ``problem`` tells why an annotation
    written as a string could not be resolved, "" if nothing was wrong."""

    name: str
    default: Any = MISSING
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Signature:
    """Parameters in order: all tensors, then all values.

    ``site`` is the place of the definition, ``spans`` are those of its parts. ``refused`` holds what stops the first
    call: (code, name).
    """

    kernel: str
    tensors: tuple[TensorParameter, ...]
    values: tuple[ValueParameter, ...]
    site: Site
    refused: tuple[tuple[str, str], ...] = ()
    spans: Mapping[str, Span] = field(default_factory=dict)

    def place(self, part: str) -> Site:
        """Where a parameter is declared; without source text, where the kernel is."""
        return Site(self.spans.get(part, self.site.span), kernel=self.kernel)

    def check(self) -> None:
        """Refuse what no front end compiles (PTO501-505); report annotations written as text (PTO508) or as the class
        itself (PTO510)."""
        for code, name in self.refused:
            fail(code, site=self.place(name), kernel=self.kernel, name=name)
        as_text = next((parameter.name for parameter in self.tensors if parameter.written_as_text), None)
        if as_text is not None:
            portability("PTO508", site=self.place(as_text), name=as_text)
        bare = next((parameter.name for parameter in self.tensors if parameter.bare), None)
        if bare is not None:
            portability("PTO510", site=self.place(bare), name=bare)


def signature_of(function: FunctionType, caller_locals: Mapping[str, Any]) -> Signature:
    """Read the signature of a kernel; ``caller_locals`` are the names of the function that decorates it.

    Raises:
        ValueError: PTO506, a tensor parameter after another one; PTO507, a default of a tensor parameter.
    """
    spans = _spans(function)
    signature = Signature(function.__name__, (), (), Site(spans[NAME], kernel=function.__name__), (), spans)
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
            fail("PTO506", site=signature.place(parameter.name), name=parameter.name, before=values[0].name)
        if parameter.default is not MISSING:
            fail("PTO507", site=signature.place(parameter.name), name=parameter.name)
        bare = isinstance(annotation, type)
        tensors.append(TensorParameter(parameter.name, spec_of(annotation), as_text, bare))
    if "return" in annotations:
        refused.append(("PTO501", RETURNS))
    return replace(signature, tensors=tuple(tensors), values=tuple(values), refused=tuple(refused))


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


def _spans(function: FunctionType) -> Mapping[str, Span]:
    """Places of the parts of the definition, that of its name at least."""
    code = function.__code__
    source, _ = source_of(function)
    first = {NAME: Span(code.co_filename, code.co_firstlineno)}
    return first if source is None else {**first, **source.header}
