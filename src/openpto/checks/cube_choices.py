"""Cube tiles in the order of their estimated time.

The estimate: tiles of L1 are tasks, as many at a time as there are cores; a task takes as long as its products, plus
the store of a result that fills more than half of L0C (nothing is computed meanwhile). Loads go on beside it: a tile
of A is read once for every column of tiles, of B once for every row; what was read before comes from L2.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod

from openpto._records import dataclass, replace
from openpto.checks.buffers import inputs_of
from openpto.checks.cube import GROUPS, depth_of, find_cube, size_of
from openpto.device import Chip, align, cube_step
from openpto.diagnostics import T, said
from openpto.ir.nodes import CubeTile, Op, Value

SIZES = (16, 32, 64, 128, 256)
STARTUP = 6
"""Cycles before an instruction of the cube delivers."""
HBM, L2 = 29, 90
"""Bytes per cycle and core from global memory (1.3 TB/s for the chip) and from L2."""
STORE = 40
"""Bytes per cycle from L0C to global memory."""


@dataclass(frozen=True, slots=True)
class Work:
    """A product of batch x (m, k) by (k, n) with elements of `size` bytes."""

    batch: int
    m: int
    k: int
    n: int
    size: float


@dataclass(frozen=True, slots=True)
class Cost:
    """What the order depends on."""

    cycles: float
    tasks: int
    waves: int
    reads_a: int
    reads_b: int


def cube_choices(op: Op, chip: Chip) -> Iterator[tuple[CubeTile, tuple[str, ...]]]:
    """Legal cube tiles with what speaks for them, the fastest first."""
    work = work_of(op)
    costs = {tile: cost_of(work, tile.m, tile.k[0], tile.n, chip) for tile in _candidates(op, work, chip)}

    def rank(tile: CubeTile) -> tuple[float, ...]:
        full = tile.m[0] * tile.n[0] * 8 > chip.l0c
        return round(costs[tile].cycles), full, len(uneven(work, tile)), -tile.k[0], -tile.k[1]

    for tile in sorted(costs, key=rank):
        yield tile, tuple(_reasons(work, tile, costs[tile], chip))


def work_of(op: Op) -> Work:
    """The extents of a matmul."""
    k, result = depth_of(op), op.results[0]
    assert k is not None
    assert isinstance(result, Value)
    *outer, m, n = (int(extent) for extent in result.type.shape if isinstance(extent, int))
    return Work(prod(outer), m, k, n, size_of(op, inputs_of(op)[0]))


def _candidates(op: Op, work: Work, chip: Chip) -> Iterator[CubeTile]:
    step = min(cube_step(work.size), 32)
    deep = GROUPS if op.attrs.get("microscaled") else step
    rows = _sizes(work.m, step if op.attrs.get("a_trans") else 16)
    for m, n, k in product(rows, _sizes(work.n, step), _sizes(work.k, deep)):
        for more_m, more_n, more_k in product((1, 2), (1, 2), (4, 2, 1)):
            if (more_m > 1 and m >= work.m) or (more_n > 1 and n >= work.n) or (more_k > 1 and k >= work.k):
                continue
            tile = CubeTile((m, m * more_m), (k, k * more_k, k * more_k), (n, n * more_n))
            if not any(find_cube(replace(op, scope=replace(op.scope, cube=tile)), (chip,))):
                yield tile


def _sizes(extent: int, step: int) -> list[int]:
    """Values for an axis: powers of two up to the first that holds all of it."""
    useful = [size for size in SIZES if size % step == 0]
    whole = next((size for size in useful if size >= extent), useful[-1])
    return [size for size in useful if size <= whole]


def cost_of(work: Work, m: tuple[int, ...], k0: int, n: tuple[int, ...], chip: Chip) -> Cost:
    """The estimate for tiles (L0, L1) of m and n and an L0 tile of K."""
    columns, rows = -(-work.n // n[1]), -(-work.m // m[1])
    tasks = work.batch * rows * columns
    waves = -(-tasks // chip.cube_cores)
    inner = -(-min(m[1], work.m) // m[0]) * -(-min(n[1], work.n) // n[0])
    fractals = align(m[0], 16) // 16 * (align(n[0], 16) // 16)
    slow = 2 if work.size == 4 else 1
    steps = -(-work.k // k0)
    one = steps * (STARTUP + slow * fractals * -(-k0 // int(32 / work.size)))
    store = m[0] * n[0] * 4 / STORE if m[0] * n[0] * 8 > chip.l0c else 0
    compute = waves * inner * (one + store)
    first = (work.m * work.k + work.k * work.n) * work.size * work.batch
    again = (work.m * work.k * columns + work.k * work.n * rows) * work.size * work.batch - first
    busy = min(tasks, chip.cube_cores)
    load = first / HBM / busy + again / L2 / busy
    return Cost(max(compute, load), tasks, waves, columns, rows)


def _reasons(work: Work, tile: CubeTile, cost: Cost, chip: Chip) -> Iterator[str]:
    yield said(_TASKS, tasks=cost.tasks, cores=chip.cube_cores, waves=cost.waves)
    yield said(_READS, a=cost.reads_a, b=cost.reads_b)
    if tile.m[0] * tile.n[0] * 8 <= chip.l0c:
        yield said(_BESIDE)
    else:
        yield said(_ALONE)
    cut = uneven(work, tile)
    yield said(_UNEVEN, axes=", ".join(cut)) if cut else said(_EVEN)


def uneven(work: Work, tile: CubeTile) -> list[str]:
    """Axes that the tile cuts into unequal parts."""
    axes = (("M", work.m, tile.m[1]), ("N", work.n, tile.n[1]))
    return [name for name, extent, piece in axes if extent > piece and extent % piece]


_TASKS = T("{tasks} tasks for {cores} cube cores, {waves} round(s)", "{tasks} 个任务，{cores} 个 cube 核，{waves} 轮")
_READS = T("A is read {a} time(s), B {b}", "A 读取 {a} 次，B 读取 {b} 次")
_BESIDE = T("L0C takes the next result while one is stored", "存储结果时 L0C 可计算下一个结果")
_ALONE = T("L0C holds one result at a time", "L0C 一次只存放一个结果")
_EVEN = T("divides M and N", "整除 M 和 N")
_UNEVEN = T("leaves a remainder of {axes}", "{axes} 有余数")
