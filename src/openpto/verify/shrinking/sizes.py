"""Smaller data: fewer elements along axes, numbers of the file that follow them, and plain contents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from openpto.capsule.arrays import Array, uniform
from openpto.verify.shrinking.expressions import numbers, places_of, with_number
from openpto.verify.shrinking.program import Program, Watched

Keeps = Callable[[Program], bool]
Axes = tuple[tuple[str, int], ...]
"""(tensor, axis) pairs that are cut together."""


def smaller(program: Program, keeps: Keeps, alone: bool, constants: bool) -> Program:
    """Extents and numbers as small as they go, by halving steps.

    Args:
        constants: whether numbers of the file are made smaller too.
        alone: whether axes of one extent may also be cut one by one, which tears apart what belongs together.
    """
    for extent in sorted({e for array in program.memory.values() for e in array.shape if e > 1}, reverse=True):
        for axes in _groups(program, extent, alone):
            program = _smaller_axes(program, axes, keeps)
    for number in numbers(program) if constants else ():
        program = _smaller_number(program, number, keeps)
    return program


def _smaller_axes(program: Program, axes: Axes, keeps: Keeps) -> Program:
    """Axes that are cut together, at their end or at their beginning; numbers of the file that equal their extent
    follow, or do not."""
    for number in (True, False):
        for front in (True, False):
            extent = _extent(program, axes)
            if extent is None or extent < 2:
                return program

            def change(
                tried: Program, now: int, new: int, number: bool = number, front: bool = front
            ) -> Program | None:
                return _cut(tried, axes, now, new, number, front)

            program = _descend(program, extent, change, keeps)
    return program


def _extent(program: Program, axes: Axes) -> int | None:
    extents = {program.memory[name].shape[axis] for name, axis in axes}
    return extents.pop() if len(extents) == 1 else None


def _groups(program: Program, extent: int, alone: bool) -> Iterator[Axes]:
    """All axes of an extent; those of them that have the same position; single ones."""
    every = tuple((name, axis) for name, array in program.memory.items() if program.shares.get(name) == name
                  for axis, e in enumerate(array.shape) if e == extent)  # fmt: skip
    if every:
        yield every
    positions = {axis for _, axis in every}
    if len(positions) > 1:
        yield from (tuple(one for one in every if one[1] == axis) for axis in sorted(positions))
    if len(every) > 1 and alone:
        yield from ((one,) for one in every)


def _descend(
    program: Program, start: int, change: Callable[[Program, int, int], Program | None], keeps: Keeps, least: int = 1
) -> Program:
    """A number as small as it goes: to the least at once, else by steps of halves, quarters ..., one."""
    now, step = start, start - least
    while step > 0:
        tried = change(program, now, now - step) if now - step >= least else None
        if tried is not None and keeps(tried):
            program, now = tried, now - step
            step = min(step, now - least)
        else:
            step //= 2
    return program


def _cut(program: Program, axes: Axes, now: int, new: int, number: bool, front: bool) -> Program | None:
    """The program with the first (or the last) `new` elements of axes that have `now`; None if it cannot be."""
    if number and not places_of(program, now):
        return None
    cut = set(axes)
    memory: dict[str, Array] = {}
    for name, array in program.memory.items():
        owner = program.shares.get(name, name)
        index = [slice(None)] * array.ndim
        for axis in range(array.ndim):
            if (owner, axis) in cut:
                if array.shape[axis] != now:
                    return None
                index[axis] = slice(0, new) if front else slice(now - new, now)
        memory[name] = np.ascontiguousarray(array[tuple(index)]).reshape(array[tuple(index)].shape)
    watched = _moved(program, cut, now, new, front)
    if watched is None:
        return None
    golden = program.golden
    if golden is not None and program.watched:
        owner = program.shares[program.watched[0].tensor]
        index = [slice(None)] * golden.ndim
        for name, axis in cut:
            if name == owner:
                index[axis] = slice(0, new) if front else slice(now - new, now)
        golden = golden[tuple(index)]
    changed = replace(program, memory=memory, watched=watched, golden=golden)
    return with_number(changed, now, new) if number else changed


def _moved(program: Program, cut: set[tuple[str, int]], now: int, new: int, front: bool) -> tuple[Watched, ...] | None:
    """The watched elements where they are after a cut; None if the wrong ones, or all right ones, are gone."""
    kept = []
    for one in program.watched:
        index = list(one.index)
        inside = True
        for axis in range(len(index)):
            if (program.shares[one.tensor], axis) in cut:
                index[axis] -= 0 if front else now - new
                inside &= 0 <= index[axis] < new
        if inside:
            kept.append(replace(one, index=tuple(index)))
    for wrong in (True, False):
        if any(w.wrong is wrong for w in program.watched) and not any(w.wrong is wrong for w in kept):
            return None
    return tuple(kept)


def _smaller_number(program: Program, number: int, keeps: Keeps) -> Program:
    """A whole number of the file, everywhere and then in single places."""
    program = _descend(program, number, with_number, keeps)
    for place in range(min(places_of(program, number), 8)):

        def change(tried: Program, now: int, new: int, place: int = place) -> Program | None:
            return with_number(tried, now, new, place) if now == number else None

        program = _descend(program, number, change, keeps)
    return program


def plainer(program: Program) -> Iterator[Program]:
    """One tensor at a time with the same number everywhere; what is watched shows where it was written, and stays."""
    watched = {program.shares[one.tensor] for one in program.watched}
    for name, array in program.memory.items():
        if program.shares.get(name) != name or name in watched or uniform(array):
            continue
        for value in (0, 1):
            filled = np.full(array.shape, value).astype(array.dtype)
            if filled.tobytes() != array.tobytes():
                yield replace(program, memory=_with(program, name, filled))


def _with(program: Program, owner: str, array: Array) -> Mapping[str, Array]:
    return {name: array if program.shares.get(name) == owner else old for name, old in program.memory.items()}
