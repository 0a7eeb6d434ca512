"""Names and container slots around one tracing of a loop body, and what earlier tracings taught about them."""

from __future__ import annotations

from typing import Any, Literal

from openpto._records import dataclass, field
from openpto.diagnostics import Site
from openpto.ir.trace import ScalarVar, Var

from .state import Mark
from .values import MISSING, Mismatch, Path, is_tensor, kind_of, parts

Key = tuple[Any, ...]  # ("name", name) or ("slot", id of a container, key)
Kind = Literal["same", "tensor", "scalar"]


@dataclass(eq=False)
class Plan:
    """What earlier tracings of the body taught. ``kinds`` holds the leaves whose way is decided."""

    kinds: dict[tuple[Key, Path], Kind] = field(default_factory=dict)
    general: set[tuple[Key, Path]] = field(default_factory=set)
    general_vars: dict[Var, None] = field(default_factory=dict)  # keys, in the order in which they were found
    unsure: dict[Var, Site] = field(default_factory=dict)
    guess: bool = True


@dataclass(eq=False)
class Slot:
    """A name or container slot around one tracing: value before the loop, given at the head, found at the end."""

    key: Key
    name: str
    before: Any
    given: Any = None
    mark: Mark | None = None
    cells: dict[Path, Var | ScalarVar] = field(default_factory=dict)
    outs: dict[Path, Var | ScalarVar] = field(default_factory=dict)
    result: Any = MISSING
    bound: ScalarVar | None = None

    @property
    def was_read(self) -> bool:
        """Whether the body may have read the value of the head."""
        return self.mark is None or self.mark.read


def only_tuples(value: Any, path: Path) -> bool:
    """Whether a path leads through tuples only."""
    for key in path:
        if not isinstance(value, tuple):
            return False
        value = value[key]
    return True


def at_path(value: Any, path: Path) -> Any:
    """The leaf of a tree at a path."""
    for key in path:
        children = parts(value)
        if children is None or key not in children:
            raise Mismatch(path, None, value)
        value = children[key]
    return value


def shown(value: Any) -> str:
    return type_text(value.cell.type) if is_tensor(value) else kind_of(value)


def type_text(type_: Any) -> str:
    return f"a {list(type_.shape)} {type_.dtype.short} tensor"
