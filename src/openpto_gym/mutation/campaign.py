"""Trials of many mutants, on several processes if wanted; the order of the results does not depend on their number."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context

from openpto_gym.mutation.mutant import Mutant, mutants, subject
from openpto_gym.mutation.trial import Outcome, trial

PORTION = 16
"""Mutants that a process takes at once."""

Portion = tuple[str, tuple[int, ...]]
"""A subject and the numbers of some of its mutants."""


def campaign(names: Sequence[str], jobs: int = 1) -> Iterator[Outcome]:
    """The outcomes of all mutants of some subjects, in order."""
    portions = [
        (name, tuple(range(first, min(first + PORTION, len(mutants_of(name))))))
        for name in names
        for first in range(0, len(mutants_of(name)), PORTION)
    ]
    yield from _outcomes(portions, jobs)


def sample(names: Sequence[str], count: int, seed: int, jobs: int = 1) -> Iterator[Outcome]:
    """The outcomes of ``count`` mutants drawn from all of some subjects."""
    every = [(name, number) for name in names for number in range(len(mutants_of(name)))]
    chosen = sorted(random.Random(seed).sample(range(len(every)), min(count, len(every))))
    yield from _outcomes([(every[k][0], (every[k][1],)) for k in chosen], jobs)


@cache
def mutants_of(name: str) -> tuple[Mutant, ...]:
    """The mutants of a subject by its name."""
    return tuple(mutants(subject(name)))


def _outcomes(portions: Sequence[Portion], jobs: int) -> Iterator[Outcome]:
    if jobs <= 1 or len(portions) <= 1:
        for portion in portions:
            yield from _try(portion)
        return
    # Fresh processes: threads of this one would not survive a fork.
    with ProcessPoolExecutor(min(jobs, len(portions)), mp_context=get_context("spawn")) as pool:
        for outcomes in pool.map(_try, portions):
            yield from outcomes


def _try(portion: Portion) -> list[Outcome]:
    name, numbers = portion
    return [trial(mutants_of(name)[number], subject(name)) for number in numbers]
