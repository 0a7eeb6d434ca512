"""Tile IR in SSA form: what a kernel means, after tracing.

Every node is frozen and carries the place in the author's source. Regions (``Block``) nest in ``Loop`` and ``If``;
what a region changes is carried or merged explicitly. Diagnostics always speak this form.

Grammar (text form in ``printer.py``)::

    kernel  = params block results
    stmt    = Op | Let | Loop | If
    operand = Value | Imm | Expr
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from openpto._records import dataclass, field, replace
from openpto.diagnostics import LoopFrame, Site

from .dtypes import DataType
from .enums import TileOpFormat
from .expr import Dim, Expr

EMPTY: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class TileType:
    """Static capacity of a tile: ``shape`` (ints, or symbols for parameters and symbolic locals), ``dtype``, layout."""

    shape: tuple[Dim, ...]
    dtype: DataType
    fmt: TileOpFormat = TileOpFormat.TILEOP_ND

    @property
    def rank(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def is_static(self) -> bool:
        """Whether every extent is an int."""
        for extent in self.shape:  # noqa: SIM110 - asked for every operand
            if not isinstance(extent, int):
                return False
        return True


@dataclass(frozen=True, slots=True)
class CubeTile:
    """Cube tile setting: ``m`` and ``n`` are (L0, L1), ``k`` is (L0, L1 of A, L1 of B)."""

    m: tuple[int, ...]
    k: tuple[int, ...]
    n: tuple[int, ...]
    split_k: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """Settings in force where a node was recorded. ``vec`` is None when no vector tile was set."""

    vec: tuple[int, ...] | None = None
    cube: CubeTile | None = None
    conv: Any = None
    matrix_size: tuple[int, ...] | None = None
    label: str = ""
    options: Mapping[str, Any] = field(default_factory=lambda: EMPTY)


@dataclass(frozen=True, slots=True)
class Imm:
    """A literal operand, already of the element type it is used as."""

    value: int | float | bool
    dtype: DataType


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A tile at one point of the program. ``valid`` is its meaningful extent per axis as far as it is known while
    tracing (None: only at run time); ``var`` names the tensor object it is a state of (values of one object share
    it), ``name`` is for people. The result of op ``unset`` is a name that has no value: any read is a fault."""

    uid: int
    type: TileType
    valid: tuple[Dim | None, ...]
    var: int
    name: str = ""


Operand = Value | Imm | Expr
Result = Value | Expr


@dataclass(frozen=True, slots=True, eq=False)
class Op:
    """One operation. ``attrs`` holds static parameters; dims inside attrs may be Expr. For in-place ops the tensor
    written is the LAST Value operand and the (only) result is its new state (``attrs["inplace"]`` is True)."""

    name: str
    operands: tuple[Operand, ...]
    results: tuple[Result, ...]
    attrs: Mapping[str, Any]
    site: Site
    scope: Scope = field(default_factory=Scope)

    @property
    def called(self) -> str:
        """The operation that the author called, which may be recorded as others: messages name it."""
        return self.site.asked or self.name


@dataclass(frozen=True, slots=True, eq=False)
class Let:
    """``leaf = value``, evaluated here. A bare leaf without a value is copied as such; None is "no value"."""

    leaf: Expr
    value: Expr | None
    site: Site


@dataclass(frozen=True, slots=True, eq=False)
class Carry:
    """State that a loop hands from one iteration to the next. ``init`` None: no value before the loop (a read of
    ``param`` in the first iteration, or of ``result`` after zero iterations, is a fault). Either all four are tiles
    (Value) or all are scalars (``param`` and ``result`` are leaves). ``site``: where the author stores a scalar that is
    yielded, None for the end of the loop."""

    init: Value | Expr | None
    param: Result
    yielded: Value | Expr | None
    result: Result
    name: str = ""
    site: Site | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Statements in program order."""

    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """``for index in range(start, stop, step)`` with run-time bounds, evaluated once. ``attrs``: name, idx_name,
    parallel, submit_before_loop, unroll_list, and ``unset`` (tuple of carry names that may have no value)."""

    index: Expr
    start: Expr
    stop: Expr
    step: Expr
    carries: tuple[Carry, ...]
    body: Block
    attrs: Mapping[str, Any]
    site: Site
    scope: Scope = field(default_factory=Scope)

    def end_site(self) -> Site:
        """The place of what happens at the end of an iteration: the loop's, with the loop itself around it."""
        return self._inside(self.site)

    def yield_site(self, carry: Carry) -> Site:
        """The place of the scalar that an iteration leaves in ``carry``."""
        return self._inside(carry.site or self.site)

    def _inside(self, site: Site) -> Site:
        frame = LoopFrame(self.attrs.get("name") or "", self.attrs.get("idx_name") or "")
        return replace(site, loops=(*self.site.loops, frame))


@dataclass(frozen=True, slots=True, eq=False)
class Merge:
    """State that the two branches of an ``if`` leave; None is a branch that leaves no value. ``sites``: where each
    branch stores a scalar, None for the statement itself."""

    then: Value | Expr | None
    other: Value | Expr | None
    result: Result
    name: str = ""
    sites: tuple[Site | None, Site | None] = (None, None)


@dataclass(frozen=True, slots=True, eq=False)
class If:
    """The branch chosen at run time by ``cond`` runs."""

    cond: Expr
    then: Block
    other: Block
    merges: tuple[Merge, ...]
    site: Site
    attrs: Mapping[str, Any] = field(default_factory=lambda: EMPTY)


Stmt = Op | Let | Loop | If


@dataclass(frozen=True, slots=True, eq=False)
class Param:
    """A tensor parameter: its state at entry, and at the end (``final is value`` if the kernel never writes it)."""

    name: str
    value: Value
    final: Value


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """A traced kernel. ``alias`` maps a parameter to the earlier one that is the same memory."""

    name: str
    params: tuple[Param, ...]
    body: Block
    attrs: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
