"""How much on-chip memory one tile operation needs. Sizes in bytes, shapes in elements.

The vector rule is the one the compilers apply per operation: the distinct buffers among inputs and outputs are added
up, each padded to whole blocks of 32 bytes along the last axis. An output takes over the buffer of an input of the
same padded size and element size that nobody else needs (a last use), so an elementwise operation with two inputs
needs two tiles, not three. There is no second set for double buffering.

The cube rule: an operand lies in L0 as one padded tile, in L1 as one copy of (mL0 x kL1) or (kL1 x nL0), which is what
the compilers check; the documentation adds both operands up with mL1 and nL1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from openpto._records import dataclass
from openpto.device.memory import KIB, Demand, Piece

BLOCK = 32
"""UB block in bytes: the granule of rows and allocations."""
FRACTAL = 16
"""Elements along an axis of a cube tile; types of one byte and less have 32 bytes along it."""
SUM_BYTES, BIAS_BYTES, SCALE_BYTES = 4, 4, 8
"""An element of L0C, of the bias table and of the scale table."""


@dataclass(frozen=True, slots=True)
class TileBuffer:
    """One tile in UB: its shape, its bytes per element, and whether an output may take its place."""

    shape: tuple[int, ...]
    itemsize: int
    reusable: bool = False

    @property
    def size(self) -> int:
        """Bytes after padding the last axis to whole blocks."""
        if not self.shape:
            return BLOCK
        return prod(self.shape[:-1]) * align(self.shape[-1] * self.itemsize, BLOCK)

    @property
    def padded(self) -> tuple[int, ...]:
        """The shape with padded rows."""
        if not self.shape:
            return (BLOCK // self.itemsize,)
        return (*self.shape[:-1], align(self.shape[-1] * self.itemsize, BLOCK) // self.itemsize)


def align(value: int, step: int) -> int:
    """`value` rounded up to a multiple of `step`.

    >>> align(33, 32)
    64
    """
    return -(-value // step) * step


def tile_of(shape: Sequence[int], tile: Sequence[int]) -> tuple[int, ...]:
    """The largest piece an operation works on: leading tile values, each cut to the extent it belongs to.

    >>> tile_of((100, 8), (64, 64, 2))
    (64, 8)
    """
    return tuple(min(extent, piece) for extent, piece in zip(shape, tile, strict=False))


def vector_bytes(inputs: Sequence[TileBuffer], outputs: Sequence[TileBuffer], scratch: int = 0) -> int:
    """UB that one vector operation needs.

    >>> a = TileBuffer((96, 256), 4, reusable=True)
    >>> vector_bytes([a, a], [TileBuffer((96, 256), 4)]) == 192 * 1024
    True
    """
    total = sum(buffer.size for buffer in (*inputs, *outputs)) + scratch
    return total - outputs[0].size if _shares(inputs, outputs) else total


def vector_demand(inputs: Sequence[TileBuffer], outputs: Sequence[TileBuffer], scratch: int = 0) -> Demand:
    """The same, piece by piece."""
    shares = _shares(inputs, outputs)
    pieces = [Piece("input", buffer.padded, buffer.itemsize) for buffer in inputs]
    pieces += [Piece("output", b.padded, b.itemsize, shares and not number) for number, b in enumerate(outputs)]
    return Demand("UB", (*pieces, *([Piece("scratch", (scratch,), 1)] if scratch else [])))


def _shares(inputs: Sequence[TileBuffer], outputs: Sequence[TileBuffer]) -> bool:
    """Whether the first output takes the place of an input."""
    if not outputs:
        return False
    size, itemsize = outputs[0].size, outputs[0].itemsize
    return any(source.reusable and source.itemsize == itemsize and source.size == size for source in inputs)


@dataclass(frozen=True, slots=True)
class CubeUse:
    """One matmul under one tile.

    m, n            extents in L0 and L1
    k               extents in L0, in L1 of A, in L1 of B
    size_a, size_b  bytes per element (a half for types of 4 bits)
    depth           K where it is known: copies to L1 are cut to it
    bias, scale     whether a bias and a tensor of scales go through their tables
    """

    m: Sequence[int]
    k: Sequence[int]
    n: Sequence[int]
    size_a: float
    size_b: float
    depth: int | None = None
    bias: bool = False
    scale: bool = False

    def copies(self) -> tuple[int, int]:
        """K of the copies to L1."""
        cut = [value if self.depth is None else min(value, self.depth) for value in (self.k[1], self.k[-1])]
        return align(cut[0], cube_step(self.size_a)), align(cut[1], cube_step(self.size_b))


def cube_step(size: float) -> int:
    """Elements that an axis of a cube operand is padded to.

    >>> [cube_step(size) for size in (4, 2, 1, 0.5)]
    [16, 16, 32, 64]
    """
    return max(FRACTAL, int(BLOCK / size)) if size <= 1 else FRACTAL


def cube_demands(use: CubeUse) -> Iterator[tuple[str, Demand]]:
    """What a matmul needs of each memory, with the name of its field in `Chip`; two copies lie in L1, one at a time.

    >>> dict(cube_demands(CubeUse((128, 128), (128, 512, 512), (256, 256), 2, 2)))["l0b"].need
    65536
    """
    step_a, step_b = cube_step(use.size_a), cube_step(use.size_b)
    rows, columns = align(use.m[0], step_a), align(use.n[0], step_b)
    copy_a, copy_b = use.copies()
    yield "l0a", _one("L0A", "tile of A", (rows, align(use.k[0], step_a)), use.size_a)
    yield "l0b", _one("L0B", "tile of B", (align(use.k[0], step_b), columns), use.size_b)
    yield "l0c", _one("L0C", "sums", (align(use.m[0], FRACTAL), align(use.n[0], FRACTAL)), SUM_BYTES)
    yield "l1", _one("L1", "copy of A", (rows, copy_a), use.size_a)
    yield "l1", _one("L1", "copy of B", (copy_b, columns), use.size_b)
    if use.bias:
        yield "bias_table", _one("bias table", "bias", (align(use.n[0], FRACTAL),), BIAS_BYTES)
    if use.scale:
        yield "scale_table", _one("scale table", "scales", (use.n[0],), SCALE_BYTES)


def documented_l1(use: CubeUse) -> Demand:
    """The sum that the documentation compares with L1."""
    step_a, step_b = cube_step(use.size_a), cube_step(use.size_b)
    copy_a, copy_b = use.copies()
    first = Piece("tile of A", (align(use.m[1], step_a), copy_a), use.size_a)
    return Demand("L1", (first, Piece("tile of B", (copy_b, align(use.n[1], step_b)), use.size_b)))


MX_SCALES = 2 * KIB
"""Bytes that compilers count with in each buffer of scales beside L0A and L0B; another source gives them 4 KiB, which
the largest tiles of 4 bits need."""
MX_GROUP = 32
"""Elements of K with one scale."""


def scale_demands(use: CubeUse) -> tuple[Demand, Demand]:
    """What the tiles of a microscaled product need of the buffers of scales.

    >>> [demand.need for demand in scale_demands(CubeUse((128, 128), (256, 256, 256), (64, 64), 0.5, 0.5))]
    [1024, 512]
    """
    groups = align(use.k[0], 2 * MX_GROUP) // MX_GROUP
    rows, columns = align(use.m[0], cube_step(use.size_a)), align(use.n[0], cube_step(use.size_b))
    return _one("L0A_MX", "scales of A", (rows, groups), 1), _one("L0B_MX", "scales of B", (groups, columns), 1)


def _one(memory: str, what: str, extents: tuple[int, ...], itemsize: float) -> Demand:
    return Demand(memory, (Piece(what, extents, itemsize),))
