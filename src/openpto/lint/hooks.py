"""What rules ask of the walk: each is a function that is called where something happens in a kernel.

A rule function gets the walk, which tells what is known at this point and takes findings, and the event.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from openpto.lint.values import UNKNOWN, Tensor, Value

if TYPE_CHECKING:
    from openpto.lint.frames import Frame
    from openpto.lint.functions import Function
    from openpto.lint.judge import Look
    from openpto.lint.walk import Walk


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument: where it stands and what is known of it."""

    node: ast.expr
    value: Value


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a name of the API, its arguments by parameter.

    name       "view", "experimental.gather_in_ub"; a method of a tensor has the name of its function
    complete   the arguments are all known: no `*args`, no `**kwargs`
    method     called on its first operand
    """

    node: ast.Call
    name: str
    arguments: Mapping[str, Argument]
    complete: bool = True
    method: bool = False

    def value(self, parameter: str) -> Value:
        argument = self.arguments.get(parameter)
        return UNKNOWN if argument is None else argument.value

    def tensor(self, parameter: str) -> Tensor | None:
        value = self.value(parameter)
        return value if isinstance(value, Tensor) else None

    def at(self, parameter: str) -> ast.expr:
        """Where an argument stands; the call if it was not given."""
        argument = self.arguments.get(parameter)
        return self.node if argument is None else argument.node


@dataclass(frozen=True, slots=True)
class Binary:
    """`left <operator> right` with at least one tensor; `name` is the operation it stands for."""

    node: ast.BinOp | ast.AugAssign
    name: str
    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class Pick:
    """One entry of a key: an index, or a slice."""

    node: ast.expr
    index: Value | None = None
    start: Value | None = None
    stop: Value | None = None
    step: Value | None = None

    @property
    def is_slice(self) -> bool:
        return self.index is None

    @property
    def is_whole(self) -> bool:
        return self.index is None and self.start is None and self.stop is None


@dataclass(frozen=True, slots=True)
class Access:
    """`tensor[key]`; `picks` is None if the key cannot be taken apart. `value` is what is stored, None for a read."""

    node: ast.Subscript
    tensor: Tensor
    picks: tuple[Pick, ...] | None
    ellipsis: int | None = None
    value: Value | None = None
    value_node: ast.expr | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the key is `[:]`, for however many axes."""
        return self.picks is not None and self.ellipsis is None and all(pick.is_whole for pick in self.picks)


@dataclass(frozen=True, slots=True)
class Branch:
    """A test of `if`, `while`, a ternary, `not`, or an operand of `and` and `or`."""

    node: ast.AST
    test: ast.expr
    value: Value


@dataclass(frozen=True, slots=True)
class Iteration:
    """A `for` statement with what it runs over."""

    node: ast.For
    iterable: Value


@dataclass(frozen=True, slots=True)
class Dropped:
    """An expression whose value is not used."""

    node: ast.expr
    value: Value


@dataclass(frozen=True, slots=True)
class Foreign:
    """A call of another library's function with a tensor of a kernel among its arguments."""

    node: ast.Call
    path: str
    tensor: Tensor


@dataclass(frozen=True, slots=True)
class Followed:
    """A call of a function of the project, before it is walked."""

    node: ast.Call
    function: Function


@dataclass(frozen=True, slots=True)
class Rebinding:
    """A statement that gives the name of a parameter another value: in the kernel, or in a helper that got it."""

    name: str
    statement: ast.stmt
    frame: Frame


@dataclass(frozen=True, slots=True)
class KernelEnd:
    """A kernel was walked to its end; `rebound` tells where the name of a parameter first got another value."""

    parameters: tuple[Tensor, ...]
    rebound: Mapping[Tensor, Rebinding]
    complete: bool


Event: TypeAlias = Binary | Access | Branch | Iteration | Dropped | Foreign | Followed | KernelEnd
Check: TypeAlias = Callable[["Walk", Any], None]

_CALLS: dict[str, list[Check]] = defaultdict(list)
_EVENTS: dict[type, list[Check]] = defaultdict(list)
_OPERATIONS: list[Check] = []


def on_call(*names: str) -> Callable[[Check], Check]:
    """Decorator: called for calls of these names of the API, before their result is known."""

    def add(check: Check) -> Check:
        for name in names:
            _CALLS[name].append(check)
        return check

    return add


def on_operation(check: Check) -> Check:
    """Decorator: called for every call of an operation."""
    _OPERATIONS.append(check)
    return check


def on(event: type) -> Callable[[Check], Check]:
    """Decorator: called for every event of a class."""

    def add(check: Check) -> Check:
        _EVENTS[event].append(check)
        return check

    return add


def tell(walk: Walk, event: Event) -> None:
    """Ask every rule that is interested in an event."""
    for check in _EVENTS[type(event)]:
        check(walk, event)


def tell_call(walk: Walk, call: Call, *, operation: bool) -> None:
    """Ask the rules of a call: those of any operation, and of its name."""
    if operation:
        for check in _OPERATIONS:
            check(walk, call)
    for check in _CALLS[call.name]:
        check(walk, call)


# Rules about the text of a module or a function, without a walk


ModuleCheck: TypeAlias = Callable[["Look"], None]
FunctionCheck: TypeAlias = Callable[["Look", "Function"], None]

MODULE_CHECKS: list[ModuleCheck] = []
FUNCTION_CHECKS: list[FunctionCheck] = []


def on_module(check: ModuleCheck) -> ModuleCheck:
    """Decorator: called once for every module."""
    MODULE_CHECKS.append(check)
    return check


def on_function(check: FunctionCheck) -> FunctionCheck:
    """Decorator: called once for every kernel and for every helper that a kernel certainly calls."""
    FUNCTION_CHECKS.append(check)
    return check
