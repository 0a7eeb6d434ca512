"""Small records shared by the parts of the machine."""

from __future__ import annotations

from typing import Any

from openpto._records import dataclass
from openpto.diagnostics import LoopFrame, Site
from openpto.ir.expr import Expr
from openpto.ir.trace import ScalarVar


@dataclass(eq=False)
class ActiveLoop:
    """A ``pypto.loop`` whose body is being traced; ``frame`` is what messages tell of it."""

    name: str
    index_name: str
    frame: LoopFrame
    parallel: bool
    site: Site
    index: Expr


@dataclass(eq=False)
class Mark:
    """A value given to a name at the head of a loop body; ``read`` once the name is loaded."""

    value: Any
    read: bool = False


class Retry(BaseException):
    """The body of ``loop`` must be traced again; caught by that loop, never seen by the author."""

    def __init__(self, loop: Any) -> None:
        super().__init__()
        self.loop = loop


@dataclass(eq=False)
class Maybe:
    """The value of a name that is bound only if a loop ran at all; ``cell`` has no value at run time otherwise."""

    value: Any
    cell: ScalarVar


def plain(value: Any) -> Any:
    """``value`` without the doubt whether it is bound."""
    return value.value if isinstance(value, Maybe) else value
