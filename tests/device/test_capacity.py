"""Capacity rules against maxima that were measured with the compilers (largest tile that is accepted)."""

import pytest

from openpto.device import CHIPS, TileBuffer, align, chips_of, cube_need, tile_of, vector_bytes

UB = CHIPS["910B"].ub
A2 = CHIPS["910B"]


def need(rows, inputs, output, columns=256):
    """UB bytes of an operation on (rows, columns) tiles; `inputs` and `output` are bytes per element."""
    tiles = [TileBuffer((rows, columns), size, reusable=True) for size in inputs]
    return vector_bytes(tiles, [TileBuffer((rows, columns), output)])


@pytest.mark.parametrize(
    ("inputs", "output", "most"),
    [
        ((4, 4), 4, 96),  # add, FP32: the output takes the place of an input
        ((2, 2), 2, 192),  # add, FP16
        ((4,), 4, 192),  # exp, FP32
        ((2,), 2, 384),  # exp, FP16
        ((4,), 2, 128),  # cast FP32 -> FP16
        ((2,), 4, 128),  # cast FP16 -> FP32
        ((2,), 1, 256),  # cast FP16 -> INT8
    ],
)
def test_largest_tile_of_256_columns(inputs, output, most):
    assert need(most, inputs, output) <= UB
    assert need(most + 1, inputs, output) > UB


@pytest.mark.parametrize(
    ("shape", "tile", "itemsize", "fits"),
    [
        ((256, 384), (128, 1024), 2, True),
        ((256, 384), (129, 256), 2, True),
        ((256, 384), (129, 383), 2, False),
        ((256, 384), (256, 256), 2, False),
        ((256, 384), (1024, 2048), 2, False),
        ((256, 384), (64, 384), 4, True),
        ((256, 384), (127, 384), 4, False),
    ],
)
def test_add_on_silicon(shape, tile, itemsize, fits):
    operand = TileBuffer(tile_of(shape, tile), itemsize, reusable=True)
    assert (vector_bytes([operand, operand], [operand]) <= UB) is fits


def test_an_input_that_is_needed_later_keeps_its_place():
    kept = TileBuffer((96, 256), 4)
    assert vector_bytes([kept], [kept]) == 2 * 96 * 1024


def test_rows_are_padded_to_blocks():
    assert TileBuffer((10, 7), 4).size == 320
    assert TileBuffer((3,), 1).size == 32
    assert TileBuffer((), 4).size == 32
    assert align(0, 32) == 0


@pytest.mark.parametrize(
    ("memory", "m", "k", "n", "size", "fits"),
    [
        ("l0a", 256, 128, 16, 2, True),
        ("l0a", 256, 144, 16, 2, False),
        ("l0a", 128, 128, 16, 4, True),
        ("l0a", 128, 144, 16, 4, False),
        ("l0b", 16, 128, 256, 2, True),
        ("l0b", 16, 144, 256, 2, False),
        ("l0c", 128, 16, 256, 2, True),
        ("l0c", 144, 16, 256, 2, False),
        ("l0c", 256, 16, 256, 2, False),
        ("l0a", 250, 128, 16, 2, True),  # mL0 is padded to 256
        ("l0a", 257, 128, 16, 2, False),
    ],
)
def test_cube_memories(memory, m, k, n, size, fits):
    needed = cube_need((m, m), (k, k, k), (n, n), size, size)
    assert (getattr(needed, memory) <= getattr(A2, memory)) is fits


@pytest.mark.parametrize(("k1", "fits"), [(2048, True), (2176, False)])
def test_l1_holds_one_copy(k1, fits):
    needed = cube_need((128, 128), (128, k1, k1), (128, 128), 2, 2)
    assert (needed.l1_a <= A2.l1) is fits
    assert (needed.l1_b <= A2.l1) is fits


def test_copies_to_l1_end_with_k():
    assert cube_need((16, 16), (16, 512, 512), (16, 16), 4, 4, depth=100).l1_a == 16 * 112 * 4


def test_one_byte_types_are_padded_to_32():
    needed = cube_need((8, 8), (32, 32, 32), (32, 32), 1, 1)
    assert (needed.l0a, needed.l0c) == (32 * 32, 16 * 32 * 4)


def test_platforms():
    assert chips_of("950") == (CHIPS["950"],)
    assert len(chips_of(None)) == 3
    assert CHIPS["950"].ub == 248 * 1024
