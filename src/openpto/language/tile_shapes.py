"""Setters and getters of tile shapes. Whether the values suit an op is judged when that op is recorded."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from openpto._records import dataclass
from openpto.diagnostics import fail, user_boundary, warn
from openpto.ir import nodes
from openpto.ir.expr import Expr
from openpto.language.scopes import change_scope, current_scope

MULTI_DATA_LOAD = ("enable_multi_data_load", "set_enable")


def concrete_int(value: Any, call: str, argument: str) -> int:
    """An int from an int or a symbol with a known value (PTO286 otherwise, PTO285 for anything else)."""
    symbol = getattr(value, "expr", None)
    if isinstance(symbol, Expr):
        known = symbol.concrete()
        if known is None:
            fail("PTO286", call=call, value=str(value))
        return known
    try:
        return operator.index(value)
    except TypeError:
        fail("PTO285", call=call, key=argument, got=type(value).__name__)


@user_boundary()
def set_vec_tile_shapes(*shape: Any) -> None:
    """Set the vector tile, one int per axis from the left.

    Raises:
        TypeError: PTO285, an argument is not an int (a list, a float).
        ValueError: PTO286, a symbol without a known value.

    >>> set_vec_tile_shapes(32, 64)
    """
    values = tuple(concrete_int(v, "set_vec_tile_shapes", "vec_tile_shapes") for v in shape)
    change_scope(vec=values or None)


@user_boundary()
def get_vec_tile_shapes() -> list[int]:
    """The vector tile in force, [] if there is none."""
    return list(current_scope().vec or ())


class CubeTile:
    """A cube tile: ``m`` and ``n`` are [L0, L1], ``k`` is [L0, L1] or [L0, L1 of A, L1 of B]."""

    __slots__ = ("enable_split_k", "k", "m", "n")

    @user_boundary()
    def __init__(self, m: Sequence[int], k: Sequence[int], n: Sequence[int], enable_split_k: bool = False) -> None:
        self.m = _extents("m", m, (2,))
        self.k = _extents("k", k, (2, 3))
        self.n = _extents("n", n, (2,))
        if len(self.k) == 2:
            self.k = [*self.k, self.k[1]]
        if not isinstance(enable_split_k, (bool, int)):
            fail("PTO285", call="set_cube_tile_shapes", key="enable_split_k", got=type(enable_split_k).__name__)
        self.enable_split_k = bool(enable_split_k)

    def __repr__(self) -> str:
        return f"CubeTile(m={self.m}, k={self.k}, n={self.n}, enable_split_k={self.enable_split_k})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CubeTile) and self.recorded() == other.recorded()

    def __hash__(self) -> int:
        return hash(self.recorded())

    def recorded(self) -> nodes.CubeTile:
        """The form that nodes keep."""
        return nodes.CubeTile(tuple(self.m), tuple(self.k), tuple(self.n), self.enable_split_k)


def _extents(name: str, values: Any, lengths: tuple[int, ...]) -> list[int]:
    wanted = "exactly 2" if lengths == (2,) else "2 or 3"
    if not isinstance(values, (list, tuple)):
        fail("PTO288", name=name, wanted=wanted, got=type(values).__name__)
    if len(values) not in lengths:
        fail("PTO287", name=name, wanted=wanted, got=len(values))
    return [concrete_int(v, "set_cube_tile_shapes", "cube_tile_shapes") for v in values]


@user_boundary()
def set_cube_tile_shapes(
    m: Sequence[int], k: Sequence[int], n: Sequence[int], *flags: bool, enable_split_k: bool = False, **older: Any
) -> None:
    """Set the cube tile: m = [mL0, mL1], k = [kL0, kL1] or [kL0, kAL1, kBL1], n = [nL0, nL1].

    ``enable_split_k`` may stand fourth. Older kernels pass ``enable_multi_data_load`` (fourth) before it; the flag
    is accepted with a warning and has no effect.

    Raises:
        ValueError: PTO287, a list of the wrong length; PTO286, a symbol without a known value.
        TypeError: PTO288, not a list or tuple; PTO285, an entry that is not an int; PTO281, an unknown keyword.
    """
    unknown = [key for key in older if key not in MULTI_DATA_LOAD]
    if unknown:
        fail("PTO281", call="set_cube_tile_shapes", key=unknown[0], near="enable_split_k")
    if len(flags) > 2:
        fail("PTO281", call="set_cube_tile_shapes", key="a sixth argument", near="enable_split_k")
    if older or len(flags) == 2:
        warn("PTO289", name=next(iter(older), MULTI_DATA_LOAD[0]))
    split = flags[-1] if flags and not (older and len(flags) == 2) else enable_split_k
    change_scope(cube=CubeTile(m, k, n, split).recorded())


@user_boundary()
def get_cube_tile_shapes() -> tuple[list[int], list[int], list[int], bool]:
    """The cube tile in force as (m, k, n, enable_split_k); k has three entries; zeros if there is none."""
    cube = current_scope().cube
    if cube is None:
        return [0, 0], [0, 0, 0], [0, 0], False
    return list(cube.m), list(cube.k), list(cube.n), cube.split_k


@dataclass
class TileL1Info:
    """L1 tile of a convolution."""

    tileHin: int = 0  # noqa: N815 - names of the public API
    tileHout: int = 0  # noqa: N815
    tileWin: int = 0  # noqa: N815
    tileWout: int = 0  # noqa: N815
    tileCinFmap: int = 0  # noqa: N815
    tileCinWeight: int = 0  # noqa: N815
    tileN: int = 0  # noqa: N815
    tileBatch: int = 0  # noqa: N815


@dataclass
class TileL0Info:
    """L0 tile of a convolution."""

    tileH: int = 0  # noqa: N815
    tileW: int = 0  # noqa: N815
    tileK: int = 0  # noqa: N815
    tileN: int = 0  # noqa: N815


@dataclass(frozen=True, slots=True)
class ConvTile:
    """The convolution tile that nodes keep: L1 and, if given, L0 extents in the order of the public classes."""

    l1: tuple[int, ...]
    l0: tuple[int, ...] | None


@user_boundary()
def set_conv_tile_shapes(tile_l1_info: TileL1Info, tile_l0_info: TileL0Info | None = None) -> None:
    """Set the convolution tile; giving L0 extents switches the L0 tiling on.

    Raises:
        TypeError: PTO288, not a TileL1Info or TileL0Info; PTO285, an entry that is not an int.
    """
    change_scope(conv=conv_tile(tile_l1_info, tile_l0_info))


def conv_tile(tile_l1_info: Any, tile_l0_info: Any = None) -> ConvTile:
    """The recorded form of a pair of convolution tiles."""
    if not isinstance(tile_l1_info, TileL1Info):
        fail("PTO288", name="tile_l1_info", wanted="the", got=type(tile_l1_info).__name__)
    if tile_l0_info is not None and not isinstance(tile_l0_info, TileL0Info):
        fail("PTO288", name="tile_l0_info", wanted="the", got=type(tile_l0_info).__name__)
    return ConvTile(_entries(tile_l1_info), None if tile_l0_info is None else _entries(tile_l0_info))


def _entries(info: TileL1Info | TileL0Info) -> tuple[int, ...]:
    return tuple(
        concrete_int(getattr(info, name), "set_conv_tile_shapes", name) for name in type(info).__dataclass_fields__
    )


@user_boundary()
def get_conv_tile_shapes() -> tuple[TileL1Info, TileL0Info | None]:
    """The convolution tile in force; zeros if there is none."""
    conv = current_scope().conv
    if conv is None:
        return TileL1Info(), None
    return TileL1Info(*conv.l1), None if conv.l0 is None else TileL0Info(*conv.l0)


@user_boundary()
def set_matrix_size(size: Sequence[int]) -> None:
    """Set the true [m, k, n] of a following matmul whose NZ operand was reshaped.

    Raises:
        TypeError: PTO288, not a list or tuple; PTO285, an entry that is not an int.
        ValueError: PTO286, a symbol without a known value.
    """
    if not isinstance(size, (list, tuple)):
        fail("PTO288", name="matrix_size", wanted="3", got=type(size).__name__)
    change_scope(matrix_size=tuple(concrete_int(v, "set_matrix_size", "matrix_size") for v in size) or None)
