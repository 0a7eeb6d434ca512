"""How much on-chip memory one tile operation needs. Sizes in bytes, shapes in elements.

The vector rule is the one the compilers apply per operation: the distinct buffers among inputs and outputs are added
up, each padded to whole blocks of 32 bytes along the last axis. An output takes over the buffer of an input of the
same padded size and element size that nobody else needs (a last use), so an elementwise operation with two inputs
needs two tiles, not three. There is no second set for double buffering.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

BLOCK = 32
"""UB block in bytes: the granule of rows and allocations."""


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
    taken: set[int] = set()
    for output in outputs[:1]:
        for number, source in enumerate(inputs):
            fits = source.size == output.size and source.itemsize == output.itemsize
            if fits and source.reusable and number not in taken:
                taken.add(number)
                total -= output.size
                break
    return total


@dataclass(frozen=True, slots=True)
class CubeNeed:
    """Bytes that a matmul needs in each cube memory; `l1_sum` is the documented sum over both operands."""

    l0a: int
    l0b: int
    l0c: int
    l1_a: int
    l1_b: int
    l1_sum: int


def cube_need(
    m: Sequence[int], k: Sequence[int], n: Sequence[int], size_a: int, size_b: int, depth: int | None = None
) -> CubeNeed:
    """What the tiles (m, n: L0, L1; k: L0, L1 of A, L1 of B) need.

    `size_a` and `size_b` are bytes per element, `depth` is K where it is known: copies to L1 are cut to it. An
    operand is copied to L1 as (mL0 x kL1) or (kL1 x nL0), so mL1 and nL1 enter the documented sum only.

    >>> cube_need((128, 128), (128, 512, 512), (256, 256), 2, 2).l0b
    65536
    """
    step_a, step_b = (32 if size == 1 else 16 for size in (size_a, size_b))
    m0, m1 = (align(value, step_a) for value in m)
    n0, n1 = (align(value, step_b) for value in n)
    k1a, k1b = (value if depth is None else min(value, depth) for value in (k[1], k[-1]))
    return CubeNeed(
        l0a=m0 * align(k[0], step_a) * size_a,
        l0b=n0 * align(k[0], step_b) * size_b,
        l0c=align(m[0], 16) * align(n[0], 16) * 4,
        l1_a=m0 * align(k1a, step_a) * size_a,
        l1_b=n0 * align(k1b, step_b) * size_b,
        l1_sum=m1 * align(k1a, step_a) * size_a + n1 * align(k1b, step_b) * size_b,
    )
