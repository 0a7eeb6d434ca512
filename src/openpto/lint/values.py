"""What the linter knows about a value: abstract values of the walk through a kernel.

Knowledge is either certain or absent: a shape, a dtype or a number that could differ on some run is None or UNKNOWN.
Tensors and lists are objects with an identity, as they are in a kernel; every other value is immutable.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from openpto.lint.integers import Int

if TYPE_CHECKING:
    from openpto.lint.frames import Frame
    from openpto.lint.functions import Function
    from openpto.lint.scopes import Scope

Dim: TypeAlias = Int | None
"""An extent; None where nothing is known about it."""

TensorKind = Literal["parameter", "declared", "window", "result"]


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value of which nothing is known."""


UNKNOWN = Unknown()


@dataclass(frozen=True, slots=True)
class Const:
    """A Python constant that is no int: float, bool, str, bytes, None or `...`."""

    value: object


@dataclass(frozen=True, slots=True)
class Name:
    """A name of a module, by its dotted path: `pypto.DT_FP32`, `torch.float32`."""

    path: str

    @property
    def ours(self) -> bool:
        """Whether it belongs to the API that kernels are written against."""
        return self.path == "pypto" or self.path.startswith("pypto.")

    @property
    def api(self) -> str:
        """The name without `pypto.`; empty for other libraries."""
        return self.path.removeprefix("pypto.") if self.path.startswith("pypto.") else ""


@dataclass(frozen=True, slots=True)
class Condition:
    """A truth value; `symbolic`: it is certainly known at run time only."""

    symbolic: bool


@dataclass(frozen=True, slots=True)
class Tuple:
    """A tuple whose items are known."""

    items: tuple[Value, ...]


@dataclass(eq=False, slots=True)
class List:
    """A list; `items` is None once its contents are not known."""

    items: tuple[Value, ...] | None


@dataclass(frozen=True, slots=True)
class Loop:
    """What `pypto.loop(...)`, `pypto.loop_unroll(...)` or `range(...)` return."""

    kind: Literal["loop", "loop_unroll", "range"]
    call: ast.Call
    bounds: tuple[Value, ...] | None
    parallel: bool = False


@dataclass(frozen=True, slots=True)
class Callable:
    """A function of the project: the scope it was defined in, or the frame if that was inside of a kernel."""

    function: Function
    scope: Scope | Frame


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a tensor, a symbol or a list that was looked up and not called yet."""

    owner: Tensor | Int | List
    name: str


@dataclass(frozen=True, slots=True)
class ShapeOf:
    """`t.shape` of a tensor whose number of axes is not known."""

    tensor: Tensor


@dataclass(frozen=True, slots=True)
class Gone:
    """The value of a name that cannot be read any more: the rule that says so, and its fields."""

    code: str
    fields: tuple[tuple[str, object], ...]


@dataclass(eq=False, slots=True)
class Tensor:
    """A tensor object.

    dims       the extents that are known, from axis 0; with `open`, more axes may follow. None: nothing is known
    dtype      "DT_FP32", or None
    full       certainly every element is valid
    dynamic    a parameter with an extent that is declared DYNAMIC
    written    some statement may have written it
    read       some statement may have read it
    escaped    code that the linter cannot follow has it
    source     the tensor that a window was taken from
    moved      the line that moved it into another tensor; 0 if none did
    choices    the tensors that a name may stand for where ways through the kernel meet
    """

    kind: TensorKind
    name: str
    dims: tuple[Dim, ...] | None
    open: bool = False
    dtype: str | None = None
    node: ast.AST | None = None
    full: bool = False
    dynamic: bool = False
    written: bool = False
    read: bool = False
    escaped: bool = False
    moved: int = 0
    source: Tensor | None = None
    choices: tuple[Tensor, ...] = ()

    @property
    def shape(self) -> tuple[Dim, ...] | None:
        """All extents, if the number of axes is known."""
        return None if self.open else self.dims

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)

    def extent(self, axis: int) -> Dim:
        """The extent of an axis, None if it is not known; negative axes count from a known end."""
        if self.dims is None or (self.open and axis < 0):
            return None
        return self.dims[axis] if -len(self.dims) <= axis < len(self.dims) else None

    def mark_read(self) -> None:
        self.read = True
        for choice in self.choices:
            choice.mark_read()

    def mark_written(self) -> None:
        self.written = True
        self.moved = 0
        for choice in self.choices:
            choice.mark_written()

    def escape(self) -> None:
        """From here on anything may happen to it."""
        self.written = self.read = self.escaped = True
        self.full = False
        if self.kind != "parameter":
            self.dims, self.dtype = None, None
        for choice in self.choices:
            choice.escape()

    def forget(self) -> None:
        """A statement gave it another shape and type, perhaps."""
        self.dims, self.open, self.dtype, self.full = None, False, None, False


Value: TypeAlias = (
    Unknown | Const | Int | Name | Condition | Tuple | List | Loop | Callable | Method | ShapeOf | Gone | Tensor
)


def shown_dims(dims: tuple[Dim, ...]) -> str:
    """A shape as messages print it."""
    return "[" + ", ".join("?" if dim is None else dim.label for dim in dims) + "]"


def number(value: Value) -> int | None:
    """The int behind a value, if it is one."""
    return value.value if isinstance(value, Int) else None


def items_of(value: Value) -> tuple[Value, ...] | None:
    """The items of a list or tuple, if they are known."""
    if isinstance(value, ShapeOf):
        return None
    return value.items if isinstance(value, (Tuple, List)) else None


def numbers_of(value: Value) -> list[int] | None:
    """The ints of a list or tuple; None if it is empty or holds something else."""
    numbers = [number(item) for item in items_of(value) or ()]
    return [n for n in numbers if n is not None] if numbers and None not in numbers else None


def same(a: Value, b: Value) -> bool:
    """Whether two values are certainly the same."""
    return a is b or (not isinstance(a, (Tensor, List)) and a == b)
