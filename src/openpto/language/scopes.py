"""Settings that nodes are recorded with: tile shapes, labels and options, and where they are in force.

Set outside of kernels they are the default of the process for kernels compiled later, or, inside
``with pypto.options(...)``, of that block. Set inside a kernel they hold until the end of that kernel or loop body.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from openpto._forks import opened_in_child
from openpto._records import dataclass, replace
from openpto.diagnostics import user_boundary
from openpto.ir.nodes import Scope
from openpto.ir.trace import current
from openpto.language.option_schema import OPTIONS, Group


@dataclass(eq=False)
class Holder:
    """A place that keeps the settings in force outside of kernels."""

    scope: Scope


_process = Holder(Scope())
_block: ContextVar[Holder | None] = ContextVar("openpto_options_block", default=None)
_lock = opened_in_child(threading.Lock())


def current_scope() -> Scope:
    """The settings in force here: of the kernel being traced, else of the ``options`` block, else of the process."""
    trace = current()
    return trace.scope if trace is not None else scope_outside()


def scope_outside() -> Scope:
    """The settings in force here where no kernel is being traced."""
    return (_block.get() or _process).scope


def change_scope(**changes: Any) -> None:
    """Replace fields of the settings in force here."""
    trace = current()
    if trace is not None:
        trace.scope = replace(trace.scope, **changes)
        return
    with _lock:
        holder = _holder()
        holder.scope = replace(holder.scope, **changes)


def put_options(group: Group, values: Mapping[str, Any]) -> None:
    """Store checked values of one option dictionary in the settings in force here."""
    change_scope(options=with_options(current_scope().options, group, values))


def with_options(options: Mapping[str, Any], group: Group, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """``options`` with values of one dictionary added, keys prefixed by its name."""
    return MappingProxyType({**options, **{f"{group}.{key}": value for key, value in values.items()}})


def options_in_force(group: Group, scope: Scope | None = None) -> dict[str, Any]:
    """One option dictionary: defaults and what the scope (default: the one in force) sets."""
    chosen = (scope or current_scope()).options
    table = {key: spec.default for key, spec in OPTIONS[group].items() if not spec.legacy}
    prefix = f"{group}."
    table |= {key[len(prefix) :]: value for key, value in chosen.items() if key.startswith(prefix)}
    return table


def push_block() -> Any:
    """Open a block outside of kernels; give the result to :func:`pop_block`."""
    return _block.set(Holder(_holder().scope))


def pop_block(token: Any) -> None:
    """Close a block opened by :func:`push_block`."""
    _block.reset(token)


class ConfigScope:
    """What :func:`get_current_scope` returns: the settings in force, one ``key: value`` line each when printed."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    @property
    def options(self) -> dict[str, Any]:
        """Every setting by its full name."""
        return dict(describe(self._scope))

    def __str__(self) -> str:
        return "\n".join(f"{key}: {value}" for key, value in describe(self._scope).items())

    __repr__ = __str__


def describe(scope: Scope) -> dict[str, Any]:
    """Every setting of a scope by its full name, defaults included."""
    lines: dict[str, Any] = {
        "vec_tile_shapes": list(scope.vec or ()),
        "cube_tile_shapes": scope.cube,
        "conv_tile_shapes": scope.conv,
        "matrix_size": list(scope.matrix_size or ()),
        "semantic_label": scope.label,
    }
    for group in OPTIONS:
        if group != "runtime":
            lines |= {f"{group}.{key}": value for key, value in options_in_force(group, scope).items()}
    return lines


@user_boundary()
def get_current_scope() -> ConfigScope:
    """The settings in force here; printing them gives one ``key: value`` line each."""
    return ConfigScope(current_scope())


@user_boundary()
def get_options_tree() -> str:
    """The settings in force here as indented text: of the process, of the block, of the kernel."""
    levels: list[tuple[str, Scope]] = [("global", _process.scope)]
    block = _block.get()
    if block is not None:
        levels.append(("options", block.scope))
    trace = current()
    if trace is not None:
        levels.append((trace.name, trace.scope))
    lines: list[str] = []
    for depth, (name, scope) in enumerate(levels):
        lines.append(f"{'  ' * depth}{name}")
        lines += [f"{'  ' * (depth + 1)}{key}: {value}" for key, value in describe(scope).items()]
    return "\n".join(lines)


@user_boundary()
def reset_options() -> None:
    """Put every setting in force here back to its default."""
    change_scope(**{name: getattr(Scope(), name) for name in Scope.__dataclass_fields__})


def _holder() -> Holder:
    return _block.get() or _process
