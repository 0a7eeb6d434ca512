"""Random tensors: uniform and normal numbers of a counter-based generator."""

from __future__ import annotations

import numpy as np

from openpto.diagnostics import T, fail
from openpto.ir.dtypes import DataType
from openpto.ir.nodes import TileType
from openpto.ir.trace import Var

from . import recording as rec
from .dtype_sets import BF16, F3, FP16
from .registry import Array, Dtypes, Named, Sample, op

DRAWN = Dtypes(frozenset(), F3)
PHILOX = (1, 3)
"""Values of ``alg`` that mean Philox: by its number, and by choice of the library."""


def _words(count: int, key: int, counter: int) -> Array:
    """Philox4x32-10 in 64-bit integers, from its definition."""
    blocks = -(-count // 4)
    x = [
        np.arange(blocks, dtype=np.uint64),
        *(np.full(blocks, w, np.uint64) for w in (0, counter % 2**32, counter >> 32)),
    ]
    k0, k1 = key % 2**32, key >> 32
    mask = np.uint64(2**32 - 1)
    for _ in range(10):
        p0, p1 = np.uint64(0xD2511F53) * x[0], np.uint64(0xCD9E8D57) * x[2]
        x = [
            (p1 >> np.uint64(32)) ^ x[1] ^ np.uint64(k0),
            p1 & mask,
            (p0 >> np.uint64(32)) ^ x[3] ^ np.uint64(k1),
            p0 & mask,
        ]
        k0, k1 = (k0 + 0x9E3779B9) % 2**32, (k1 + 0xBB67AE85) % 2**32
    return np.stack(x, -1).reshape(-1)[:count].astype(np.uint32)


def _uniform(shape: tuple[int, ...], key: int, counter: int, bits: int = 23) -> Array:
    words = _words(int(np.prod(shape)), key, counter)
    fractions: Array = (words % 2**bits) / 2.0**bits
    return fractions.reshape(shape)


def _normal(shape: tuple[int, ...], key: int, counter: int) -> Array:
    count = int(np.prod(shape))
    u = _uniform((count + count % 2,), key, counter)
    radius = np.sqrt(-2 * np.log(np.maximum(u[0::2], np.float32(1e-7))))
    angle = (u[1::2].astype(np.float32) * np.float32(2 * np.pi)).astype(np.float64)
    return np.stack([radius * np.sin(angle), radius * np.cos(angle)], -1).reshape(-1)[:count].reshape(shape)


def _drawn(name: str, shape: object, key: object, counter: object, alg: object, dtype: object) -> Var:
    """Record random numbers after the checks that both kinds share."""
    extents = rec.extents(name, "shape", shape)
    if not 1 <= len(extents) <= 4:
        fail("PTO232", op=name, name="shape", rank=len(extents), low=1, high=4)
    if 0 in extents:
        fail("PTO235", op=name, extent=0, shape=list(extents))
    kind = rec.data_type(name, "dtype", dtype)
    rec.element_type(name, kind, DRAWN)
    (seed,) = _listed(name, "key", key, 1)
    _, start = _listed(name, "counter", counter, 2)
    (algorithm,) = _listed(name, "alg", alg, 1)
    if algorithm not in PHILOX:
        fail(
            "PTO268",
            op=name,
            why=T(
                f"alg only support Philox. It must be [1] (Philox) or [3] (automatic), got [{algorithm}]",
                f"算法有误（alg only support Philox. It must be [1] (Philox) or [3] (automatic), got [{algorithm}]）",
            ),
        )
    tile = rec.vector_tile(-1, len(extents))
    if tile is not None and tile % 4:
        fail("PTO328", op=name, tile=tile, rule=T("a multiple of 4 on the last axis", "最后一个轴上为 4 的倍数"))
    return rec.emit(name, [], TileType(extents, kind), extents, key=seed % 2**64, counter=start % 2**64)


def _listed(name: str, what: str, values: object, length: int) -> tuple[int, ...]:
    """A list of so many ints that fit 64 bits."""
    found = rec.integers(name, what, values)
    if len(found) != length:
        fail(
            "PTO268",
            op=name,
            why=T(
                f"input {what} number should be {length}, got {len(found)}",
                f"数的个数有误（input {what} number should be {length}, got {len(found)}）",
            ),
        )
    for value in found:
        if not -(2**63) <= value < 2**64:
            fail(
                "PTO268",
                op=name,
                why=T(f"{what} must fit into 64 bits, got {value}", f"{what} 必须在 64 位以内，实际为 {value}"),
            )
    return found


@op(
    "uniform",
    "N",
    arithmetic=Named("uniform"),
    dtypes=DRAWN,
    only_950=True,
    samples=(
        Sample(
            "pypto.uniform([8, 16], [1234], [0, 1], [1], pypto.DT_FP32) + x",
            {"x": lambda rng: np.zeros((8, 16), np.float32)},
            lambda x: _uniform((8, 16), 1234, 1),
        ),
        Sample(
            "out[:] = pypto.uniform([3, 5, 7], [2**40 + 5], [9, 2**33 + 7], [3], pypto.DT_FP16)",
            {},
            lambda: _uniform((3, 5, 7), 2**40 + 5, 2**33 + 7, 10),
            tile=(1, 4, 8),
            result=FP16,
        ),
        Sample(
            "out[:] = pypto.uniform([50], [-1], [0, 0], [1], pypto.DT_BF16)",
            {},
            lambda: _uniform((50,), 2**64 - 1, 0, 7),
            tile=(64,),
            result=BF16,
        ),
    ),
)
def uniform(shape: list[int], key: list[int], counter: list[int], alg: list[int], dtype: DataType) -> Var:
    """Random numbers that are evenly spread over [0, 1), from the Philox4x32-10 generator.

    Element i, counted row-major, takes word ``i % 4`` of block ``i // 4``, so that equal arguments give equal numbers
    and the first n are the same in every shape. ``counter[1]`` names the stream; ``counter[0]`` is not used. The low 23
    bits of the word (10 for FP16, 7 for BF16) over 2^23 (2^10, 2^7) are the number.
    Shapes: plain ints, rank 1-4; the last vector tile is a multiple of 4.
    Dtypes: FP32, FP16, BF16. On the 950 only.
    Errors: ``key`` not one number, ``counter`` not two, ``alg`` not [1] or [3]; another dtype or vector tile.
    """
    return _drawn("uniform", shape, key, counter, alg, dtype)


@op(
    "normal",
    "N",
    arithmetic=Named("normal"),
    dtypes=DRAWN,
    only_950=True,
    samples=(
        Sample(
            "out[:] = pypto.normal([8, 16], [1234], [0, 1], [1], pypto.DT_FP32)",
            {},
            lambda: _normal((8, 16), 1234, 1),
            ulp=8,
        ),
        Sample(
            "out[:] = pypto.normal([5, 7], [99], [0, 2**40], [3], pypto.DT_BF16)",
            {},
            lambda: _normal((5, 7), 99, 2**40),
            tile=(5, 8),
            ulp=0.51,
            result=BF16,
        ),
    ),
)
def normal(shape: list[int], key: list[int], counter: list[int], alg: list[int], dtype: DataType) -> Var:
    """Normally distributed random numbers (mean 0, deviation 1): Box-Muller on the numbers of ``uniform`` in FP32.

    Elements 2j and 2j+1 are r sin(t) and r cos(t) with r = sqrt(-2 ln max(u[2j], 1e-7)) and t = 2 pi u[2j+1], one
    product in FP32.
    Shapes: plain ints, rank 1-4; the vector tile covers the shape, and is a multiple of 4 on the last axis.
    Dtypes: FP32, FP16, BF16 (computed in FP32, rounded once). On the 950 only.
    Errors: as for ``uniform``; a vector tile that cuts the shape.
    """
    made = _drawn("normal", shape, key, counter, alg, dtype)
    for axis, extent in enumerate(rec.ints(made)):
        tile = rec.vector_tile(axis, made.type.rank)
        if tile is not None and tile < extent:
            fail(
                "PTO328",
                op="normal",
                tile=tile,
                rule=T(f"at least {extent} on axis {axis}, the whole of it", f"轴 {axis} 上至少为 {extent}，即整个轴"),
            )
    return made
