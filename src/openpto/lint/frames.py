"""Where the walk stands: the names of the function it is in, the way that led there, tiles in force, open loops."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from openpto.diagnostics.span import LoopFrame, Span
from openpto.lint.functions import Function
from openpto.lint.scopes import Scope
from openpto.lint.values import UNKNOWN, List, Loop, Tensor, Tuple, Unknown, Value, same


@dataclass(eq=False, slots=True)
class Frame:
    """One call of a function.

    chain     the calls that led here, innermost first: (name of the called function, span of the call)
    around    where names are looked up that the function does not bind
    returned  what its return statements gave so far
    caller    the frame that called it; None for the kernel itself
    """

    function: Function
    around: Scope | Frame
    chain: tuple[tuple[str, Span], ...] = ()
    names: dict[str, Value] = field(default_factory=dict)
    local: frozenset[str] = frozenset()
    returned: list[Value] = field(default_factory=list)
    caller: Frame | None = None

    def lookup(self, name: str) -> Value | None:
        """The value of a name; None if it is a builtin."""
        if name in self.names:
            return self.names[name]
        return UNKNOWN if name in self.local else self.around.lookup(name)


def frame_of(function: Function, around: Scope | Frame, chain: tuple[tuple[str, Span], ...] = ()) -> Frame:
    """A frame whose parameters have no values yet."""
    return Frame(function, around, chain, local=function.local)


@dataclass(frozen=True, slots=True)
class Tiles:
    """Tile shapes in force; None: none was set in this kernel. UNKNOWN: set, or maybe set, to something."""

    vec: tuple[Value, ...] | Unknown | None = None
    cube: tuple[Value, ...] | Unknown | None = None
    vec_node: ast.Call | None = None
    cube_node: ast.Call | None = None


def merge_tiles(a: Tiles, b: Tiles) -> Tiles:
    """Tiles after two ways through the kernel meet."""
    vec = a.vec if a.vec == b.vec else UNKNOWN
    cube = a.cube if a.cube == b.cube else UNKNOWN
    return Tiles(vec, cube, a.vec_node, a.cube_node)


@dataclass(frozen=True, slots=True)
class OpenLoop:
    """A `pypto.loop` whose body is being walked."""

    loop: Loop
    node: ast.For
    index: str
    value: Value

    @property
    def shown(self) -> LoopFrame:
        name = keyword_text(self.loop.call, "name") or f"line {self.node.lineno}"
        return LoopFrame(name, keyword_text(self.loop.call, "idx_name") or self.index)


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    """The value of a keyword of a call."""
    return next((entry.value for entry in call.keywords if entry.arg == name), None)


def keyword_text(call: ast.Call, name: str) -> str:
    """The string literal of a keyword; empty if it is something else."""
    node = keyword(call, name)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def merge_names(a: dict[str, Value], b: dict[str, Value]) -> dict[str, Value]:
    """Names after two ways through the kernel meet."""
    return {name: merge(a[name], b[name]) if name in a and name in b else UNKNOWN for name in [*a, *b]}


def merge(a: Value, b: Value) -> Value:
    """A value that is one of two."""
    if same(a, b):
        return a
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return either(a, b)
    if isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.items) == len(b.items):
        return Tuple(tuple(merge(x, y) for x, y in zip(a.items, b.items, strict=True)))
    tensors = tuple(t for value in (a, b) for t in tensors_in(value))
    return Tensor("result", "", None, choices=tensors, written=True) if tensors else UNKNOWN


def either(a: Tensor, b: Tensor) -> Tensor:
    """A tensor that is one of two; what they have in common is known."""
    dims, open_ = None, False
    if a.dims is not None and b.dims is not None and not (a.open or b.open) and len(a.dims) == len(b.dims):
        dims = tuple(x if x == y else None for x, y in zip(a.dims, b.dims, strict=True))
    dtype = a.dtype if a.dtype == b.dtype else None
    full = a.full and b.full
    return Tensor("result", a.name, dims, open_, dtype, full=full, written=True, choices=(a, b))


def tensors_in(value: Value) -> tuple[Tensor, ...]:
    """The tensors that a value holds."""
    if isinstance(value, Tensor):
        return (value,)
    if isinstance(value, (Tuple, List)):
        return tuple(t for entry in value.items or () for t in tensors_in(entry))
    return ()


def carried(value: Value) -> Value:
    """What a name that a loop body binds and reads holds when an iteration begins."""
    tensors = tensors_in(value)
    return Tensor("result", "", None, choices=tensors, written=True) if tensors else UNKNOWN
