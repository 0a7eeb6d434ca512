"""Tiles of convolutions in the order of their estimated time, which is that of the product they are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from openpto._records import replace
from openpto.checks.convolution import Facts, find_convolution
from openpto.checks.cube_choices import Work, cost_of
from openpto.device import Chip, align
from openpto.diagnostics import T, said
from openpto.ir.nodes import Op, Value
from openpto.language.tile_shapes import ConvTile

SUMS = 256
"""Rows of L0 at most: more fill L0C with one result."""


def conv_choices(op: Op, chip: Chip) -> Iterator[tuple[ConvTile, tuple[str, ...]]]:
    """Legal tiles with what speaks for them, the fastest first."""
    facts = Facts(op)
    result = op.results[0]
    assert isinstance(result, Value)
    images = result.type.shape[0]
    batch = images if isinstance(images, int) else 1
    depth = facts.channels * facts.kernel[0] * facts.kernel[1]
    ranked = []
    for tile in _candidates(facts):
        if any(find_convolution(replace(op, scope=replace(op.scope, conv=tile)), (chip,))):
            continue
        assert tile.l0 is not None
        rows = tile.l1[1] * tile.l1[3]
        places = align(facts.hout, tile.l1[1]) * align(facts.wout, tile.l1[3])
        work = Work(batch, places, depth, facts.outer, facts.size)
        inner = tile.l0[0] * tile.l0[1]
        cost = cost_of(work, (inner, max(rows, inner)), tile.l0[2], (tile.l0[3], tile.l1[6]), chip)
        ranked.append((round(cost.cycles), -tile.l0[2], tile.l1, tile, cost))
    for _, _, _, tile, cost in sorted(ranked, key=lambda item: item[:3]):
        reasons = (
            said(_TASKS, tasks=cost.tasks, cores=chip.cube_cores, waves=cost.waves),
            said(_WHOLE if tile.l1[4] >= facts.channels else _PARTS, have=tile.l1[4], all=facts.channels),
        )
        yield tile, reasons


def _candidates(f: Facts) -> Iterator[ConvTile]:
    heights = [1] if f.wout % 16 else sorted({h for h in (1, 2, 4, 8, 16) if f.hout % h == 0})
    widths = sorted({w for w in (16, 32, 64, align(f.wout, 16)) if w <= align(f.wout, 16)})
    most = align(f.channels, f.c0)
    channels = sorted({c for c in (f.c0, 2 * f.c0, 4 * f.c0, most) if c <= most})
    outer = align(f.outer, 16)
    outputs = sorted({n for n in (16, 32, 64, 128, outer) if n <= outer and n <= 256})
    for h, w, c, n in product(heights, widths, channels, outputs):
        if h * w > SUMS * 4:
            continue
        l1 = (min(f.window(0, h, f.hin), f.hin), h, min(f.window(1, w, f.win), f.win), w, c, c, n, 1)
        yield ConvTile(l1, _within(f, h, w, c, n))


def _within(f: Facts, h: int, w: int, channels: int, n: int) -> tuple[int, int, int, int]:
    """The largest tile of L0: rows up to `SUMS`, and as much of the depth as L0A and L0B hold."""
    rows = next(part for part in range(h, 0, -1) if h % part == 0 and (part * w <= SUMS or part == 1))
    wide = next(part for part in range(w, 0, -16) if w % part == 0 and (part * rows <= SUMS or part == 16))
    depth, room = f.depth(channels), 32 * 1024 // f.size * 2 // max(rows * wide, n)
    deep = [k for k in range(f.c0, depth + 1, f.c0) if depth % k == 0 and k <= max(room, f.c0)]
    return rows, wide, max(deep), n


_TASKS = T("{tasks} tasks for {cores} cube cores, {waves} round(s)", "{tasks} 个任务，{cores} 个 cube 核，{waves} 轮")
_WHOLE = T("all {all} input channels at a time", "一次处理全部 {all} 个输入通道")
_PARTS = T("{have} of {all} input channels at a time", "每次处理 {all} 个输入通道中的 {have} 个")
