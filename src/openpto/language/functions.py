"""The public functions and Tensor methods of operations, generated from their declarations.

A function binds its arguments (all documented spellings of keywords), turns handles into what declarations take, and
the results into handles.
"""

from __future__ import annotations

import difflib
import inspect
from collections import OrderedDict
from collections.abc import Callable, Mapping
from types import MappingProxyType, SimpleNamespace
from typing import Any

from openpto._records import dataclass
from openpto.diagnostics import T, fail, portability, user_boundary
from openpto.ir.expr import Expr
from openpto.ir.nodes import Imm
from openpto.ir.trace import Var
from openpto.ops import OPS, OpDecl
from openpto.ops.recording import asking, dims, is_window, note_renamed
from openpto.ops.reshaping import target_shape
from openpto.ops.shapes import shape_text

from .element import Element
from .faults import known_integers
from .symbolic import SymbolicScalar, refuse_no_value
from .tensor import Tensor


def to_ir(value: Any) -> Any:
    """What a declaration takes for an argument: handles are unwrapped, also inside lists, tuples and dicts."""
    if isinstance(value, Tensor):
        return value.cell
    if isinstance(value, SymbolicScalar):
        return value.expr
    if isinstance(value, Element):
        return Imm(value.value, value.dtype)
    refuse_no_value(value)
    if isinstance(value, (list, tuple)) and any(isinstance(v, (Tensor, SymbolicScalar, list, tuple)) for v in value):
        return [to_ir(v) for v in value]
    return {key: to_ir(v) for key, v in value.items()} if isinstance(value, dict) else value


def from_ir(value: Any) -> Any:
    """The author's object for a result."""
    if isinstance(value, Var):
        return Tensor.of(value)
    if isinstance(value, Expr):
        return SymbolicScalar.of(value)
    return [from_ir(v) for v in value] if isinstance(value, (list, tuple)) else value


@dataclass(frozen=True, slots=True)
class _Form:
    """Parameters that can all be given by name, and the first ``positional`` of them by position; ``required`` have no
    default."""

    names: tuple[str, ...]
    positional: int
    required: frozenset[str]


_forms: dict[str, _Form | None] = {}


def _form(decl: OpDecl) -> _Form | None:
    """The parameters of an operation if all can be given by name."""
    if decl.name not in _forms:
        _forms[decl.name] = _form_of(decl.signature)
    return _forms[decl.name]


def _form_of(signature: inspect.Signature) -> _Form | None:
    parameters = signature.parameters.values()
    kinds = [p.kind for p in parameters]
    positional = kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if positional + kinds.count(inspect.Parameter.KEYWORD_ONLY) < len(kinds):
        return None
    required = frozenset(p.name for p in parameters if p.default is inspect.Parameter.empty)
    return _Form(tuple(signature.parameters), positional, required)


def _matched(form: _Form, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any] | None:
    """The arguments in the order of the parameters if each is given once under its own name, else None."""
    if len(args) > form.positional:
        return None
    given = dict(zip(form.names, args, strict=False))
    if kwargs:
        if not given.keys().isdisjoint(kwargs) or not form.required <= given.keys() | kwargs.keys():
            return None
        given |= kwargs
        ordered = {name: given[name] for name in form.names if name in given}
        return ordered if len(ordered) == len(given) else None
    return given if form.required <= given.keys() else None


def arguments(decl: OpDecl, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by parameter (PTO222)."""
    form = _form(decl)
    given = None if form is None else _matched(form, args, kwargs)
    if given is not None:
        return given
    named = {decl.keywords.get(key, key): value for key, value in kwargs.items()}
    if len(named) < len(kwargs):
        fail("PTO222", op=decl.name, why=T("got an argument under two of its names", "同一参数以它的两个名称传入"))
    try:
        return dict(decl.signature.bind(*args, **named).arguments)
    except TypeError as error:
        _refuse_unknown(decl, named)
        why = str(error)
        if "too many positional" in why:
            fail("PTO222", op=decl.name, why=_too_many(_positional(decl), len(args)))
        fail("PTO222", op=decl.name, why=why.replace("multiple values", "got multiple values"))


ELSEWHERE = {"axis": "dim", "axes": "dim", "keepdims": "keepdim", "eps": "epsilon"}
"""Keywords of other libraries, and ours."""


def _refuse_unknown(decl: OpDecl, named: Mapping[str, Any]) -> None:
    """A keyword that the operation does not have is named before an argument that is missing because of it."""
    names = decl.signature.parameters
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in names.values()):
        return
    key = next((key for key in named if key not in names), None)
    if key is None:
        return
    near = ELSEWHERE.get(key, "")
    if near not in names:
        near = next(iter(difflib.get_close_matches(key, list(names), n=1)), "")
    why = f"got an unexpected keyword argument '{key}'"
    fail("PTO222", op=decl.name, why=f"{why} (did you mean {near}?)" if near else why)


def _too_many(most: int, given: int) -> T:
    return T(
        f"takes at most {most} positional arguments but {given} were given",
        f"最多接受 {most} 个位置参数，但传入了 {given} 个",
    )


def _positional(decl: OpDecl) -> int:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in kinds for p in decl.signature.parameters.values())


def call(decl: OpDecl, *args: Any, **kwargs: Any) -> Any:
    """Check and record one call of an operation."""
    if decl.record is None:
        fail("PTO902", op=f"pypto.{decl.name}")
    given = arguments(decl, args, kwargs)
    if decl.name == "reshape" and given.get("inplace"):
        return _renamed(**given)
    targets = {name: given[name] for name in decl.writes if isinstance(given.get(name), Tensor)}
    plain = {name: to_ir(value) for name, value in given.items()}
    if _form(decl) is None:
        for name, value in given.items():
            if decl.signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
                plain[name] = tuple(to_ir(v) for v in value)
    with known_integers(), asking(decl.name):
        result = _recorded(decl, plain)
    for name, target in targets.items():
        target.written(plain[name])
        if result is plain[name]:
            return Tensor.alias(target.base, tuple(result.type.shape)) if target.base else Tensor.of(result)
    return from_ir(result)


def _recorded(decl: OpDecl, given: dict[str, Any]) -> Any:
    assert decl.record is not None
    if _form(decl) is not None:
        return decl.record(**given)
    bound = inspect.BoundArguments(decl.signature, OrderedDict(given))
    return decl.record(*bound.args, **bound.kwargs)


def _renamed(input: Any, shape: Any, inplace: bool, valid_shape: Any = None) -> Tensor:
    """``reshape(inplace=True)``: another name of the same memory."""
    if not isinstance(input, Tensor):
        fail("PTO223", op="reshape", name="input", got=type(input).__name__)
    if is_window(input.cell):
        portability("PTO613")
    if valid_shape is not None:
        portability("PTO658", valid=shape_text(dims("reshape", "valid_shape", to_ir(valid_shape))))
    note_renamed(input.cell)
    return Tensor.alias(input, target_shape("reshape", input.type, to_ir(shape)))


def make_function(decl: OpDecl) -> Callable[..., Any]:
    """The public function of a declaration."""

    @user_boundary()
    def function(*args: Any, **kwargs: Any) -> Any:
        return call(decl, *args, **kwargs)

    short = decl.name.rpartition(".")[2]
    function.__name__ = function.__qualname__ = short
    function.__module__ = "pypto"
    function.__doc__ = documentation(decl)
    function.__signature__ = public_signature(decl)  # type: ignore[attr-defined]
    return function


def public_signature(decl: OpDecl) -> inspect.Signature:
    """The signature without our own annotations; anything goes for a name that is not available yet."""
    if decl.record is None:
        any_args = (inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),)
        return inspect.Signature((*any_args, inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD)))
    return decl.signature.replace(
        parameters=[p.replace(annotation=inspect.Parameter.empty) for p in decl.signature.parameters.values()],
        return_annotation=inspect.Signature.empty,
    )


def documentation(decl: OpDecl) -> str:
    """The doc string: that of the declaration, and its first sample as the example."""
    if decl.record is None:
        return f"{decl.summary}\n\nNot yet available: a call stops with PTO902."
    if not decl.samples:
        return decl.doc
    return f"{decl.doc}\n\nExample::\n\n    {decl.samples[0].statement}\n"


def _assemble(self: Tensor, input: Any, offsets: Any = None) -> None:
    """Write ``input`` into this tensor at ``offsets``; see ``pypto.assemble``."""
    if isinstance(input, (list, tuple)) and offsets is None:
        FUNCTIONS["assemble"](input, self)
    else:
        FUNCTIONS["assemble"](input, offsets, self)


FUNCTIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {decl.name: make_function(decl) for decl in OPS.values() if decl.public and not decl.elsewhere}
)
"""Public functions by name, dotted for ``experimental`` and ``distributed``."""


def namespace(prefix: str) -> SimpleNamespace:
    """The functions of ``pypto.<prefix>`` as attributes."""
    start = prefix + "."
    return SimpleNamespace(**{n[len(start) :]: f for n, f in FUNCTIONS.items() if n.startswith(start)})


def install_methods() -> None:
    """Give Tensor the methods of the operations."""
    for decl in OPS.values():
        if decl.method:
            setattr(Tensor, decl.name, FUNCTIONS[decl.name])
    for name in ("triu", "tril"):
        setattr(Tensor, f"{name}_", _in_place(FUNCTIONS[name]))
    Tensor.assemble = _assemble  # type: ignore[attr-defined]


def _in_place(function: Callable[..., Any]) -> Callable[..., Any]:
    """The method that computes with the tensor and moves the result into it."""

    @user_boundary()
    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        self.take(function(self, *args, **kwargs).cell)
        return self

    method.__doc__ = f"``{function.__name__}`` in place; returns the tensor."
    return method
