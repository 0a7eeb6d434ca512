"""Paged stores for the cases and goldens: block tables, and reading a sequence back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from openpto_gym.operator import Array


def block_tables(rng: np.random.Generator, lengths: tuple[int, ...], size: int, spare: int = 3) -> tuple[Array, int]:
    """(block table int32 [B, most blocks of a sequence], number of blocks).

    Physical blocks are a random permutation with ``spare`` unused ones; entries behind a sequence are -1.
    """
    counts = [-(-length // size) for length in lengths]
    order = rng.permutation(sum(counts) + spare)
    table = np.full((len(lengths), max(counts, default=0) + 1), -1, np.int32)
    place = 0
    for b, count in enumerate(counts):
        table[b, :count] = order[place : place + count]
        place += count
    return table, len(order)


def live_pages(table: Array, lengths: tuple[int, ...], size: int) -> Iterator[tuple[int, int]]:
    """(physical block, number of tokens in it) of every page of every sequence."""
    for blocks, length in zip(table, lengths, strict=True):
        for page in range(-(-length // size)):
            yield int(blocks[page]), min(length - page * size, size)


def tokens_of(cache: Array, table: Array, length: int) -> Array:
    """The first tokens of a sequence from a cache [blocks, size, ...], each found by its own block and row."""
    size = cache.shape[1]
    return np.array([cache[table[t // size], t % size] for t in range(length)]).reshape(length, *cache.shape[2:])


def torch_tokens_of(cache: Any, table: Any, length: int) -> Any:
    """The same of tensors, block by block."""
    blocks = table[: -(-length // cache.shape[1])].long()
    return cache[blocks].flatten(0, 1)[:length]
