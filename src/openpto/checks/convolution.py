"""The rules of the convolution tile (set_conv_tile_shapes) for one convolution."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from openpto._records import dataclass
from openpto.checks.capacity import find_overflows
from openpto.checks.findings import Finding
from openpto.device import Chip, Demand, Piece, align
from openpto.device.capacity import BLOCK, FRACTAL, SUM_BYTES
from openpto.diagnostics import T
from openpto.diagnostics.words import both
from openpto.ir.dtypes import bytes_of
from openpto.ir.nodes import Op, Value
from openpto.ops.convolution import Geometry

OLDER = "DAV_2201"
_NO_MORE = T("", "")


@dataclass(frozen=True, slots=True)
class Entry:
    """A value of the tile and what it must be: from `least` to `most`, a multiple of `step`, a divisor of each of
    `wholes`. `rule` says so in words."""

    name: str
    value: int
    least: int
    most: int
    step: int = 1
    wholes: tuple[int, ...] = ()
    why: T = _NO_MORE

    def suits(self, value: int) -> bool:
        """Whether a value keeps the rule."""
        whole = all(value and n % value == 0 for n in self.wholes)
        return self.least <= value <= self.most and value % self.step == 0 and whole

    @property
    def rule(self) -> T:
        """The rule in words."""
        if self.least == self.most:
            return T(f"{self.least}{self.why.en}", f"{self.least}{self.why.zh}")
        if self.wholes:
            en, zh = f"{both(*self.wholes).en}{self.why.en}", f"{both(*self.wholes).zh}{self.why.zh}"
            if self.step > 1:
                return T(f"a multiple of {self.step} that divides {en}", f"{self.step} 的倍数，且整除 {zh}")
            return T(f"a divisor of {en}", f"{zh}的约数")
        if self.step > 1:
            return T(f"a multiple of {self.step}, at most {self.most}", f"{self.step} 的倍数，且不超过 {self.most}")
        return T(f"in [1, {self.most}]", f"在 [1, {self.most}] 内")


def find_convolution(op: Op, chips: tuple[Chip, ...]) -> Iterator[Finding]:
    """What is wrong with the tile of a convolution (PTO330-332, PTO307, PTO310)."""
    tile = op.scope.conv
    if tile is None:
        yield Finding("PTO330", op)
        return
    facts = Facts(op)
    for entry in entries(facts, tile.l1, tile.l0):
        if not entry.suits(entry.value):
            yield Finding("PTO331", op, {"name": entry.name, "value": entry.value, "rule": entry.rule})
            return  # what follows counts with these values
    if tile.l0 is not None and tile.l1[6] % tile.l0[3]:
        shown = T(
            f"tileN {tile.l1[6]} is no multiple of {tile.l0[3]}, the tileN of L0",
            f"tileN {tile.l1[6]} 不是 L0 的 tileN {tile.l0[3]} 的倍数",
        )
        yield Finding("PTO310", op, {"tile": tile.l1[6], "memory": "L1", "formula": shown})
    yield from find_overflows(op, conv_demands(facts, tile.l1, tile.l0), chips, "PTO332")


def find_vector_tile(op: Op, chips: tuple[Chip, ...]) -> Iterator[Finding]:
    """What the documentation asks of the vector tile beside it on the older chips (PTO335).

    {n, c, (d,) (h,) w}: n in fractals, c and w in blocks of 32 bytes.
    """
    if any(chip.arch != OLDER for chip in chips):
        return
    f, vec = Facts(op), op.scope.vec
    rank, block = f.rank, BLOCK // f.size
    if vec is None:
        why = T(f"none of {rank} values is set", f"{rank} 个值均未设置")
    elif len(vec) < rank:
        why = T(f"it has {len(vec)} values for {rank} axes", f"{rank} 个轴只有 {len(vec)} 个值")
    elif vec[0] % FRACTAL:
        why = _no_multiple(T("first", "第一"), vec[0], FRACTAL)
    elif vec[1] % f.c0:
        why = _no_multiple(T("second", "第二"), vec[1], f.c0)
    elif vec[rank - 1] % block:
        why = _no_multiple(T("last", "最后一"), vec[rank - 1], block)
    else:
        return
    yield Finding("PTO335", op, {"chip": chips[0].name, "why": why, "suggest": _vector_suggestion(f)})


def _no_multiple(which: T, value: int, step: int) -> T:
    return T(
        f"its {which.en} value is {value} and must be a multiple of {step}",
        f"{which.zh}个值为 {value}，必须是 {step} 的倍数",
    )


def _vector_suggestion(f: Facts) -> str:
    spatial = [1] * (f.rank - 3) + [align(min(f.wout, 64), BLOCK // f.size)]
    return ", ".join(map(str, (FRACTAL, f.c0, *spatial)))


class Facts:
    """Extents of the convolution as the tile names them; what a 1-D one lacks counts as 1."""

    def __init__(self, op: Op) -> None:
        geometry, (outer, extents, spatial) = op.attrs["convolution"]
        shape = Geometry(*geometry)
        first = op.operands[0]
        assert isinstance(first, Value)
        self.rank = 2 + len(shape.kernel)
        self.size = bytes_of(first.type.dtype)
        self.c0 = 32 // self.size
        self.outer = outer // shape.groups
        depth = first.type.shape[-1]
        assert isinstance(depth, int)
        self.channels = depth // prod(shape.kernel)
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
        return align(channels * self.kernel[0] * self.kernel[1], self.c0)


def entries(f: Facts, l1: tuple[int, ...], l0: tuple[int, ...] | None) -> Iterator[Entry]:
    """The values of a tile and their rules, those of L1 first; a rule of L0 depends on values of L1."""
    hin, hout, win, wout, feature, weight, n, batch = l1
    whole_rows = f.wout % FRACTAL == 0
    cut = T(f", because Wout = {f.wout} is no multiple of {FRACTAL}", f"，因为 Wout = {f.wout} 不是 {FRACTAL} 的倍数")
    why = _NO_MORE if whole_rows else cut
    yield Entry("tileHin", hin, 1, f.hin)
    yield Entry("tileHout", hout, 1, f.hout if whole_rows else 1, why=why)
    yield Entry("tileWin", win, 1, f.win)
    yield Entry("tileWout", wout, FRACTAL, align(f.wout, FRACTAL), FRACTAL)
    for name, value in (("tileCinFmap", feature), ("tileCinWeight", weight)):
        yield Entry(name, value, f.c0, align(f.channels, f.c0), f.c0)
    yield Entry("tileN", n, FRACTAL, align(f.outer, FRACTAL), FRACTAL)
    yield Entry("tileBatch", batch, 1, 1)
    if l0 is None:
        return
    depths = (f.depth(feature), f.depth(weight))
    yield Entry("tileH of L0", l0[0], 1, hout, wholes=(hout,), why=T(", tileHout", "（tileHout）"))
    yield Entry("tileW of L0", l0[1], 1, wout, FRACTAL, (wout,), T(", tileWout", "（tileWout）"))
    cin = T(", tileCin x kernel", "（tileCin x kernel）")
    yield Entry("tileK of L0", l0[2], 1, min(depths), f.c0, tuple(dict.fromkeys(depths)), cin)
    yield Entry("tileN of L0", l0[3], 1, n, FRACTAL)


def conv_demands(f: Facts, l1: tuple[int, ...], l0: tuple[int, ...] | None) -> Iterator[tuple[str, Demand]]:
    """What the tile needs of each memory, with the name of its field in `Chip`."""
    if l0 is not None:
        h, w, k, n = l0
        rows, deep, wide = align(h * w, FRACTAL), align(k, f.c0), align(n, FRACTAL)
        yield "l0a", Demand("L0A", (Piece("input", (rows, deep), f.size),))
        yield "l0b", Demand("L0B", (Piece("weight", (deep, wide), f.size),))
        yield "l0c", Demand("L0C", (Piece("sums", (rows, wide), SUM_BYTES),))
    rows, columns = f.window(0, l1[1], f.hin), f.window(1, l1[3], f.win)
    parts = (("input", (rows, columns, l1[4])), ("weight", (l1[6], f.depth(l1[5]))), ("bias", (l1[6],)))
    yield "l1", Demand("L1", tuple(_in_blocks(what, extents, f.size) for what, extents in parts))


def _in_blocks(what: str, extents: tuple[int, ...], size: int) -> Piece:
    """A piece of whole blocks; where its last axis makes none the block is counted in bytes."""
    piece = Piece(what, extents, size)
    return piece if piece.size % BLOCK == 0 else Piece(what, (align(piece.size, BLOCK),), 1)
