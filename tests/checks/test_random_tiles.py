"""Tiles drawn at random: a suggestion is legal, and not larger than what was asked for."""

from __future__ import annotations

import random

import pytest

import openpto

VECTOR = [
    ("add", "FP32", {}),
    ("exp", "FP16", {}),
    ("where", "FP32", {}),
    ("cast", "FP16", {}),
    ("gt", "FP32", {}),
    ("sum", "FP32", {"dim": -1}),
    ("amax", "BF16", {"dim": 0}),
    ("softmax", "FP32", {"dim": -1}),
    ("transpose", "FP32", {}),
    ("tanh", "FP32", {}),
    ("pow", "FP32", {}),
]
CHIPS = ("910B", "910C", "950", None)


def drawn(rng, low, high):
    """A number whose logarithm is evenly spread."""
    return int(2 ** rng.uniform(low, high))


@pytest.mark.parametrize("seed", range(8))
def test_vector_tiles(seed):
    rng = random.Random(seed)
    for _ in range(12):
        op, dtype, given = rng.choice(VECTOR)
        rank = rng.choice((2, 2, 3))
        shape = tuple(drawn(rng, 3, 12 if rank == 2 else 8) for _ in range(rank))
        tile = tuple(drawn(rng, 2, 12) for _ in range(rank))
        chip = rng.choice(CHIPS)
        for found in openpto.check_tiles(op, shape, dtype, tile, chip, **given):
            if found.code == "PTO311":
                continue
            call = (op, shape, dtype, tile, chip, found)
            assert found.tile is not None, call
            left = [each.code for each in openpto.check_tiles(op, shape, dtype, found.tile, chip, **given)]
            assert set(left) <= {"PTO311"}, (call, left)
            limits = [min(t, -(-e // 32) * 32) + 31 for t, e in zip(tile, shape, strict=True)]
            assert all(new <= old for new, old in zip(found.tile, limits, strict=True)), call


@pytest.mark.parametrize("seed", range(6))
def test_cube_tiles(seed):
    rng = random.Random(100 + seed)
    for _ in range(8):
        dtype = rng.choice(("FP32", "FP16", "BF16", "INT8"))
        m, n = ([drawn(rng, 3, 9), drawn(rng, 4, 10)] for _ in range(2))
        k = [drawn(rng, 3, 9), drawn(rng, 4, 11)]
        given = {"a_trans": True} if rng.random() < 0.3 else {}
        call = ("matmul", (512, 1024, 512), dtype)
        chip = rng.choice(CHIPS)
        for found in openpto.check_tiles(*call, (m, k, n), chip, **given):
            if found.code == "PTO311":
                continue
            assert found.tile is not None, (call, m, k, n, found)
            left = [each.code for each in openpto.check_tiles(*call, found.tile, chip, **given)]
            assert set(left) <= {"PTO311"}, (call, m, k, n, found, left)
