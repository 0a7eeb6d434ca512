"""The rules of the convolution tile (set_conv_tile_shapes) for one convolution."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from openpto.device import Chip
from openpto.diagnostics import fail, warn
from openpto.ir.dtypes import bytes_of
from openpto.ir.nodes import Op, Value
from openpto.ops.convolution import Geometry

Rule = tuple[str, int, bool, str]
"""Name and value of a tile entry, whether it suits, and what it must be."""


def check_convolution(op: Op, chips: tuple[Chip, ...]) -> None:
    """Refuse a convolution whose tile is missing, inconsistent or too large (PTO330-332)."""
    tile = op.scope.conv
    if tile is None:
        fail("PTO330", site=op.site)
    facts = _Facts(op)
    rules = [*_l1_rules(facts, tile.l1), *(_l0_rules(facts, tile.l1, tile.l0) if tile.l0 is not None else ())]
    for name, value, suits, rule in rules:
        if not suits:
            fail("PTO331", site=op.site, name=name, value=value, rule=rule)
    _check_capacity(op, chips, list(_buffers(facts, tile.l1, tile.l0)))


class _Facts:
    """Extents of the convolution as the tile names them; what a 1-D one lacks counts as 1."""

    def __init__(self, op: Op) -> None:
        geometry, (outer, extents, spatial) = op.attrs["convolution"]
        shape = Geometry(*geometry)
        first = op.operands[0]
        assert isinstance(first, Value)
        self.size = bytes_of(first.type.dtype)
        self.c0 = 32 // self.size
        self.outer = outer // shape.groups
        depth = first.type.shape[-1]
        assert isinstance(depth, int)
        volume = 1
        for k in shape.kernel:
            volume *= k
        self.channels = depth // volume
        self.hin, self.win = (1, 1, *extents)[-2:]
        self.hout, self.wout = (1, 1, *spatial)[-2:]
        self.kernel = (1, 1, *shape.kernel)[-2:]
        self.strides = (1, 1, *shape.strides)[-2:]
        self.dilations = (1, 1, *shape.dilations)[-2:]

    def window(self, axis: int, count: int, extent: int) -> int:
        """Input elements that ``count`` output positions meet."""
        return min((count - 1) * self.strides[axis] + (self.kernel[axis] - 1) * self.dilations[axis] + 1, extent)

    def depth(self, channels: int) -> int:
        """Elements of K that so many channels make."""
        return up(channels * self.kernel[0] * self.kernel[1], self.c0)


def up(value: int, step: int) -> int:
    """The next multiple."""
    return -(-value // step) * step


def _l1_rules(f: _Facts, l1: tuple[int, ...]) -> Iterator[Rule]:
    hin, hout, win, wout, feature, weight, n, batch = l1
    yield "tileHin", hin, 1 <= hin <= f.hin, f"in [1, {f.hin}]"
    most = f.hout if f.wout % 16 == 0 else 1
    yield "tileHout", hout, 1 <= hout <= most, f"in [1, {most}]" if most > 1 else "1, because Wout is no multiple of 16"
    yield "tileWin", win, 1 <= win <= f.win, f"in [1, {f.win}]"
    yield "tileWout", wout, _multiple(wout, 16, f.wout), f"a multiple of 16, at most {up(f.wout, 16)}"
    for name, value in (("tileCinFmap", feature), ("tileCinWeight", weight)):
        yield name, value, _multiple(value, f.c0, f.channels), f"a multiple of {f.c0}, at most {up(f.channels, f.c0)}"
    yield "tileN", n, _multiple(n, 16, f.outer), f"a multiple of 16, at most {up(f.outer, 16)}"
    yield "tileBatch", batch, batch == 1, "1"


def _multiple(value: int, step: int, extent: int) -> bool:
    return value > 0 and value % step == 0 and value <= up(extent, step)


def _l0_rules(f: _Facts, l1: tuple[int, ...], l0: tuple[int, ...]) -> Iterator[Rule]:
    h, w, k, n = l0
    yield "tileH of L0", h, h > 0 and l1[1] % h == 0, f"a divisor of tileHout {l1[1]}"
    yield "tileW of L0", w, w > 0 and w % 16 == 0 and l1[3] % w == 0, f"a multiple of 16 that divides tileWout {l1[3]}"
    for name, channels in (("tileCinFmap", l1[4]), ("tileCinWeight", l1[5])):
        rule = f"a multiple of {f.c0} that divides {f.depth(channels)}, the depth of {name}"
        yield "tileK of L0", k, k > 0 and k % f.c0 == 0 and f.depth(channels) % k == 0, rule
    yield "tileN of L0", n, n > 0 and n % 16 == 0 and l1[6] % n == 0, f"a multiple of 16 that divides tileN {l1[6]}"


def _buffers(f: _Facts, l1: tuple[int, ...], l0: tuple[int, ...] | None) -> Iterator[tuple[str, str, int]]:
    """Memory, its field, and the bytes it must hold."""
    if l0 is not None:
        h, w, k, n = l0
        yield "L0A", "l0a", up(h * w, 16) * up(k, f.c0) * f.size
        yield "L0B", "l0b", up(k, f.c0) * up(n, 16) * f.size
        yield "L0C", "l0c", up(h * w, 16) * up(n, 16) * 4
    rows, columns = f.window(0, l1[1], f.hin), f.window(1, l1[3], f.win)
    parts = (rows * columns * l1[4], l1[6] * f.depth(l1[5]), l1[6])
    yield "L1", "l1", sum(up(part * f.size, 32) for part in parts)


def _check_capacity(op: Op, chips: tuple[Chip, ...], needs: list[tuple[str, str, int]]) -> None:
    for memory, field, need in needs:
        have: list[Any] = [getattr(chip, field) for chip in chips]
        fitting = [chip.name for chip, room in zip(chips, have, strict=True) if need <= room]
        if not fitting:
            fail("PTO332", site=op.site, memory=memory, need=need, have=max(have))
        if len(fitting) < len(chips):
            warn("PTO307", site=op.site, op="conv", memory=memory, need=need, chips=", ".join(fitting))
