"""Capacity rules against maxima that were measured with the compilers (largest tile that is accepted)."""

import pytest

from openpto.device import (
    CHIPS,
    CubeUse,
    TileBuffer,
    VectorUse,
    align,
    chip_name,
    chips_of,
    cube_demands,
    documented_bytes,
    documented_l1,
    least_bytes,
    scratch_bytes,
    tile_of,
    vector_bytes,
)
from openpto.device.scratch import DIFFERENT, DOUBTED, SCRATCH, TOTAL

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
    demands = dict(cube_demands(CubeUse((m, m), (k, k, k), (n, n), size, size)))
    assert (demands[memory].need <= getattr(A2, memory)) is fits


@pytest.mark.parametrize(("k1", "fits"), [(2048, True), (2176, False)])
def test_l1_holds_one_copy(k1, fits):
    use = CubeUse((128, 128), (128, k1, k1), (128, 128), 2, 2)
    copies = [demand.need for field, demand in cube_demands(use) if field == "l1"]
    assert len(copies) == 2
    assert all((need <= A2.l1) is fits for need in copies)
    assert documented_l1(use).need == 2 * copies[0]


def test_copies_to_l1_end_with_k():
    use = CubeUse((16, 16), (16, 512, 512), (16, 16), 4, 4, depth=100)
    assert [demand.need for field, demand in cube_demands(use) if field == "l1"] == [16 * 112 * 4] * 2


def test_one_byte_types_are_padded_to_32_and_four_bits_to_64():
    demands = dict(cube_demands(CubeUse((8, 8), (32, 32, 32), (32, 32), 1, 1)))
    assert (demands["l0a"].need, demands["l0c"].need) == (32 * 32, 16 * 32 * 4)
    demands = dict(cube_demands(CubeUse((8, 8), (64, 64, 64), (32, 32), 0.5, 0.5)))
    assert (demands["l0a"].need, demands["l0b"].need) == (64 * 64 // 2, 64 * 64 // 2)


@pytest.mark.parametrize("name", sorted({*SCRATCH, *TOTAL, *DOUBTED}))
def test_figures_that_depend_on_the_chip_are_listed(name):
    kinds = ({}, {"exponent": 1.7}, {"wraps": 1}, {"integer": True}, {"axis": 1}, {"moves_last": True}, {"radix": True})
    older, newer = (
        [
            ask(VectorUse(name, (48, 64), size, newest=newest, **kind))
            for kind in kinds
            for size in (1, 2, 4)
            for ask in (scratch_bytes, least_bytes, documented_bytes)
        ]
        for newest in (False, True)
    )
    assert (older != newer) is (name in DIFFERENT)


def test_platforms():
    assert chips_of("950") == (CHIPS["950"],)
    assert len(chips_of(None)) == 3
    assert CHIPS["950"].ub == 248 * 1024


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("910B", "910B"),
        ("910b3", "910B"),
        ("Ascend 910B2", "910B"),
        ("A2", "910B"),
        ("A3", "910C"),
        ("ascend910c", "910C"),
        ("950", "950"),
        ("950PR_9579", "950"),
        ("ASCEND_950DT_9581", "950"),
        ("310P", None),
    ],
)
def test_names_of_chips(text, name):
    assert chip_name(text) == name
