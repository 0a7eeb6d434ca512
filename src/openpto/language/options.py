"""Option dictionaries, the ``options`` block, and configuration that steers a device only."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

from openpto.diagnostics import fail, portability, user_boundary, warn
from openpto.ir.nodes import Scope
from openpto.ir.trace import current
from openpto.language import tile_shapes
from openpto.language.option_schema import FUNCTION_KEY, OPTIONS, TOLERANCE, Group
from openpto.language.scopes import change_scope, options_in_force, pop_block, push_block, put_options

F = TypeVar("F", bound=Callable[..., Any])


def near(word: str, known: Mapping[str, Any] | tuple[str, ...] | list[str]) -> str:
    """Names like ``word`` for a message, or all names where none is alike."""
    close = get_close_matches(word, known, n=3, cutoff=0.5)
    return ", ".join(close or sorted(known))


def check_options(group: Group, values: Any, *, name: str | None = None, quiet: bool = False) -> dict[str, Any]:
    """Check one option dictionary (None: empty); None values are skipped. ``quiet``: no warning of older keys.

    Raises:
        TypeError: PTO299, not a dictionary; PTO282, a value of the wrong type.
        ValueError: PTO280, an unknown key; PTO283, a value out of range; PTO290, mixed dictionary keys.
    """
    name = name or f"{group}_options"
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        fail("PTO299", name=name, got=type(values).__name__)
    checked: dict[str, Any] = {}
    for key, value in values.items():
        spec = OPTIONS[group].get(key) if isinstance(key, str) else None
        if spec is None:
            fail("PTO280", name=name, group=group, key=str(key), near=near(str(key), OPTIONS[group]))
        if value is None:
            continue
        checked[key] = spec.check(f"{group}.{key}", value)
        if spec.legacy and not quiet:
            warn("PTO284", name=f"{group}.{key}")
    return checked


def _set_group(group: Group, values: Mapping[str, Any]) -> None:
    for key in values:
        if key not in OPTIONS[group]:
            fail("PTO281", call=f"set_{group}_options", key=key, near=near(key, OPTIONS[group]))
    put_options(group, check_options(group, values))


@user_boundary()
def set_pass_options(**values: Any) -> None:
    """Set keys of ``pass_options``; None leaves a key as it is. Inside a kernel: until the end of that body.

    Raises:
        TypeError: PTO281, an unknown key; PTO282, a value of the wrong type.
        ValueError: PTO283, a value out of range; PTO290, int keys mixed with function keys.
    """
    _set_group("pass", values)


@user_boundary()
def set_host_options(**values: Any) -> None:
    """Set keys of ``host_options``; errors as in :func:`set_pass_options`."""
    _set_group("host", values)


@user_boundary()
def set_codegen_options(**values: Any) -> None:
    """Set keys of ``codegen_options``; errors as in :func:`set_pass_options`."""
    _set_group("codegen", values)


@user_boundary()
def set_verify_options(**values: Any) -> None:
    """Set keys of ``verify_options``; ``pass_verify_error_tol`` goes back to its default unless given."""
    _set_group("verify", {"pass_verify_error_tol": TOLERANCE, **values})


@user_boundary()
def set_debug_options(**values: Any) -> None:
    """Set keys of ``debug_options``; errors as in :func:`set_pass_options`."""
    _set_group("debug", values)


@user_boundary()
def set_operation_options(**values: Any) -> None:
    """``pypto.experimental.set_operation_options``: ``combine_axis`` lays out broadcasts of a last axis of 1."""
    _set_group("operation", values)


def _shown(group: Group) -> dict[str, Any]:
    """An option dictionary as the getters give it: copies, lists for sequences."""
    table = options_in_force(group)
    return {k: list(v) if isinstance(v, tuple) else dict(v) if isinstance(v, dict) else v for k, v in table.items()}


@user_boundary()
def get_pass_options() -> dict[str, Any]:
    """The ``pass_options`` in force here."""
    table = _shown("pass")
    table["sg_set_scope"] = tuple(table["sg_set_scope"])
    return table


@user_boundary()
def get_host_options() -> dict[str, Any]:
    """The ``host_options`` in force here."""
    return _shown("host")


@user_boundary()
def get_codegen_options() -> dict[str, Any]:
    """The ``codegen_options`` in force here."""
    return _shown("codegen")


@user_boundary()
def get_verify_options() -> dict[str, Any]:
    """The ``verify_options`` in force here."""
    return _shown("verify")


@user_boundary()
def get_debug_options() -> dict[str, Any]:
    """The ``debug_options`` in force here."""
    return _shown("debug")


@user_boundary()
def get_operation_options() -> dict[str, Any]:
    """The options of ``pypto.experimental.set_operation_options`` in force here."""
    return _shown("operation")


@user_boundary()
def set_semantic_label(label: str) -> None:
    """Label the operations that follow; "" ends it.

    Raises:
        TypeError: PTO282, not a string.
        ValueError: PTO291 under target 0.3 (a warning without target), a label like ``func1_2``.
    """
    if not isinstance(label, str):
        fail("PTO282", name="semantic_label", expected="string", got=type(label).__name__)
    if FUNCTION_KEY.match(label):
        portability("PTO291", label=label)
    change_scope(label=label)


_GROUP_ARGUMENTS: dict[str, Group] = {
    "codegen_options": "codegen",
    "host_options": "host",
    "pass_options": "pass",
    "verify_options": "verify",
    "debug_options": "debug",
    "operation_options": "operation",
}


def _cube(value: Any) -> None:
    if isinstance(value, tile_shapes.CubeTile):
        change_scope(cube=value.recorded())
    elif isinstance(value, (list, tuple)) and len(value) in (3, 4):
        tile_shapes.set_cube_tile_shapes(*value)
    else:
        fail("PTO288", name="cube_tile_shapes", wanted="3", got=type(value).__name__)


def _vec(value: Any) -> None:
    if not isinstance(value, (list, tuple)):
        fail("PTO288", name="vec_tile_shapes", wanted="1 to 5", got=type(value).__name__)
    tile_shapes.set_vec_tile_shapes(*value)


def _conv(value: Any) -> None:
    parts = tuple(value) if isinstance(value, (list, tuple)) else (value,)
    change_scope(conv=tile_shapes.conv_tile(*parts))


_TILE_ARGUMENTS: dict[str, Callable[[Any], None]] = {
    "vec_tile_shapes": _vec,
    "cube_tile_shapes": _cube,
    "conv_tile_shapes": _conv,
    "matrix_size": tile_shapes.set_matrix_size,
}


def _apply(call: str, arguments: Mapping[str, Any]) -> None:
    known = [*_GROUP_ARGUMENTS, *_TILE_ARGUMENTS]
    for key, value in arguments.items():
        if key not in known:
            fail("PTO281", call=call, key=key, near=near(key, known))
        if value is None:
            continue
        if key in _GROUP_ARGUMENTS:
            put_options(_GROUP_ARGUMENTS[key], check_options(_GROUP_ARGUMENTS[key], value))
        else:
            _TILE_ARGUMENTS[key](value)


@user_boundary()
def set_options(**arguments: Any) -> None:
    """Set several things at once: the keywords of :class:`options` without a block."""
    _apply("set_options", arguments)


class options:  # noqa: N801 - public name, used as a decorator or a with statement
    """A block with settings of its own: ``with pypto.options(...):``, or a decorator of a function.

    Keywords: codegen_options, host_options, pass_options, verify_options, debug_options, operation_options,
    vec_tile_shapes, cube_tile_shapes, conv_tile_shapes, matrix_size. Settings made inside end with the block. Outside
    of kernels the block counts for the code that runs in it (this thread or task), not for the whole process.
    """

    @user_boundary()
    def __init__(self, name: str | None = None, **arguments: Any) -> None:
        if name is not None and not isinstance(name, str):
            fail("PTO282", name="options name", expected="string", got=type(name).__name__)
        known = [*_GROUP_ARGUMENTS, *_TILE_ARGUMENTS]
        for key in arguments:
            if key not in known:
                fail("PTO281", call="options", key=key, near=near(key, known))
        self.name = name
        self._arguments = arguments
        self._undo: list[tuple[Any, Scope | None]] = []

    @user_boundary()
    def __enter__(self) -> options:
        trace = current()
        if trace is not None:
            self._undo.append((trace, trace.scope))
        else:
            self._undo.append((push_block(), None))
        try:
            _apply("options", self._arguments)
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(self, *exc: object) -> None:
        self._leave()

    def _leave(self) -> None:
        place, scope = self._undo.pop()
        if scope is None:
            pop_block(place)
        else:
            place.scope = scope

    def __call__(self, function: F) -> F:
        scoped = functools.wraps(function, updated=())(self._around(function))
        if not inspect.isfunction(function):  # a jit object keeps its attributes
            for attribute in ("function", "handler", "kmodule", "_original_func"):
                if hasattr(function, attribute):
                    setattr(scoped, attribute, getattr(function, attribute))
        # a kernel that calls the helper traces what is inside: it gives its form of the function, and gets the block
        scoped._pypto_scoped = lambda traced: self._around(traced(function))  # type: ignore[attr-defined]
        return scoped  # type: ignore[return-value]

    def _around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def scoped(*args: Any, **kwargs: Any) -> Any:
            with options(self.name, **self._arguments):
                return function(*args, **kwargs)

        return scoped
