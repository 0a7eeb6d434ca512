"""Which elements of a tile are defined, relative to its valid region.

A region is ``FULL`` (every valid element), a half-open box ``(low, high)``, or an exact boolean mask of the shape of
the valid region where the defined elements are not a box. An empty box means that nothing is defined. A mask belongs
to one tile: functions return new masks, and :func:`paint` changes one in place only when it is told that it may.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Extents = tuple[int, ...]
Box = tuple[Extents, Extents]
Mask = NDArray[np.bool_]
Region = Box | Mask | None

FULL: Region = None


def slices(low: Sequence[int], high: Sequence[int]) -> tuple[slice, ...]:
    """The index that selects a box."""
    return tuple(slice(a, b) for a, b in zip(low, high, strict=True))


def count(extents: Sequence[int]) -> int:
    """Number of elements of a box with these extents."""
    total = 1
    for n in extents:
        total *= n
    return total


def nothing(rank: int) -> Box:
    """The region without elements."""
    return (0,) * rank, (0,) * rank


def is_empty_box(low: Extents, high: Extents) -> bool:
    """Whether a box has no elements."""
    return any(b <= a for a, b in zip(low, high, strict=True))


def box(low: Sequence[int], high: Sequence[int], valid: Extents) -> Region:
    """The box cut to the valid region; FULL if it covers it."""
    low = tuple(max(a, 0) for a in low)
    high = tuple(min(b, n) for b, n in zip(high, valid, strict=True))
    if all(a == 0 for a in low) and high == valid:
        return FULL
    if is_empty_box(low, high):
        return nothing(len(valid)) if count(valid) else FULL
    return low, high


def from_mask(mask: Mask) -> Region:
    """A mask, or FULL if every element is set."""
    return FULL if bool(mask.all()) else mask


def to_mask(region: Region, valid: Extents) -> Mask:
    """The region as a mask of the shape ``valid``; a mask is returned itself."""
    if isinstance(region, np.ndarray):
        return region
    if region is None:
        return np.ones(valid, np.bool_)
    mask = np.zeros(valid, np.bool_)
    mask[slices(*region)] = True
    return mask


def covers(region: Region, low: Extents, high: Extents) -> bool:
    """Whether every element of a box (inside the valid region) is defined."""
    if region is None or is_empty_box(low, high):
        return True
    if isinstance(region, np.ndarray):
        return bool(region[slices(low, high)].all())
    inner = zip(region[0], low, high, region[1], strict=True)
    return all(a <= b and c <= d for a, b, c, d in inner)


def first_hole(region: Region, valid: Extents) -> Extents | None:
    """Index of the first valid element (row-major) that is not defined, or None."""
    if region is None or not count(valid):
        return None
    holes = np.argwhere(~to_mask(region, valid)[None])
    return tuple(int(i) for i in holes[0][1:]) if len(holes) else None


def window(region: Region, offsets: Extents, valid: Extents) -> Region:
    """The region as seen by a window with valid extents ``valid`` whose origin is at ``offsets``."""
    if region is None:
        return FULL
    if isinstance(region, np.ndarray):
        stops = tuple(o + n for o, n in zip(offsets, valid, strict=True))
        return from_mask(region[slices(offsets, stops)].copy())
    low = tuple(a - o for a, o in zip(region[0], offsets, strict=True))
    high = tuple(b - o for b, o in zip(region[1], offsets, strict=True))
    return box(low, high, valid)


def resized(region: Region, old: Extents, new: Extents) -> Region:
    """The region of a tile whose valid extents change from ``old`` to ``new``; what is added is not defined."""
    if old == new:
        return region
    kept = tuple(min(a, b) for a, b in zip(old, new, strict=True))
    inner = window(region, (0,) * len(old), kept)
    if kept == new:
        return inner
    if inner is None:
        return box((0,) * len(new), kept, new)
    if not isinstance(inner, np.ndarray):
        return box(*inner, new)
    mask = np.zeros(new, np.bool_)
    mask[slices((0,) * len(kept), kept)] = inner
    return mask


def paint(region: Region, valid: Extents, low: Extents, source: Region, extents: Extents, *, owned: bool) -> Region:
    """The region after a box of ``extents`` at ``low`` took over the region ``source``; ``owned`` lets a mask change
    in place."""
    high = tuple(a + n for a, n in zip(low, extents, strict=True))
    if is_empty_box(low, high):
        return region
    if source is None and region is None:
        return FULL
    if source is None and not isinstance(region, np.ndarray):
        joined = _union(region, (low, high)) if region is not None else None
        if joined is not None:
            return box(*joined, valid)
    nothing_stored = isinstance(source, tuple) and is_empty_box(*source)
    if nothing_stored and isinstance(region, tuple) and _apart(region, (low, high)):
        return region
    mask = to_mask(region, valid)
    if mask is region and not owned:
        mask = mask.copy()
    mask[slices(low, high)] = to_mask(source, extents)[_inside(low, high, valid)]
    return from_mask(mask)


def _inside(low: Extents, high: Extents, valid: Extents) -> tuple[slice, ...]:
    """The part of a written box that lies inside the valid region, in the box's own coordinates."""
    return tuple(slice(0, max(0, min(b, n) - a)) for a, b, n in zip(low, high, valid, strict=True))


def _apart(a: Box, b: Box) -> bool:
    return any(ah <= bl or bh <= al for al, ah, bl, bh in zip(a[0], a[1], b[0], b[1], strict=True))


def _union(a: Box, b: Box) -> Box | None:
    """The union of two boxes if it is a box."""
    if is_empty_box(*a):
        return b
    if _contains(a, b):
        return a
    if _contains(b, a):
        return b
    low = tuple(min(x, y) for x, y in zip(a[0], b[0], strict=True))
    high = tuple(max(x, y) for x, y in zip(a[1], b[1], strict=True))
    differing = [i for i in range(len(low)) if (a[0][i], a[1][i]) != (b[0][i], b[1][i])]
    if len(differing) != 1:
        return None
    axis = differing[0]
    touching = a[0][axis] <= b[1][axis] and b[0][axis] <= a[1][axis]
    return (low, high) if touching else None


def _contains(outer: Box, inner: Box) -> bool:
    return covers(outer, *inner)


def spread(region: Region, valid: Extents, target: Extents) -> Region:
    """The region of a tile broadcast to the valid extents ``target`` (numpy alignment, extent 1 repeats; an extent
    larger than the target's is cut)."""
    if region is None:
        return FULL
    lead = len(target) - len(valid)
    if isinstance(region, np.ndarray):
        cut = region[tuple(slice(0, t) for t in target[lead:])]
        return from_mask(np.broadcast_to(cut, target).copy())
    low, high = [0] * lead, list(target[:lead])
    for axis, extent in enumerate(valid):
        whole = region[0][axis] == 0 and region[1][axis] == 1
        repeated = extent == 1 and target[lead + axis] != 1 and whole
        low.append(0 if repeated else region[0][axis])
        high.append(target[lead + axis] if repeated else region[1][axis])
    if is_empty_box(*region):
        return nothing(len(target)) if count(target) else FULL
    return box(low, high, target)


def intersect(a: Region, b: Region, valid: Extents) -> Region:
    """Elements defined in both."""
    if a is None:
        return b
    if b is None:
        return a
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return to_mask(a, valid) & to_mask(b, valid)
    low = tuple(max(x, y) for x, y in zip(a[0], b[0], strict=True))
    high = tuple(min(x, y) for x, y in zip(a[1], b[1], strict=True))
    return box(low, high, valid)


def permuted(region: Region, perm: Sequence[int]) -> Region:
    """The region after a permutation of axes."""
    if region is None:
        return FULL
    if isinstance(region, np.ndarray):
        return region.transpose(perm).copy()
    return tuple(region[0][p] for p in perm), tuple(region[1][p] for p in perm)


def without_axes(region: Region, axes: Sequence[int]) -> Region:
    """The region after axes of extent 1 are dropped."""
    if region is None:
        return FULL
    if isinstance(region, np.ndarray):
        return region.squeeze(tuple(axes)).copy()
    if is_empty_box(*region):
        return nothing(len(region[0]) - len(axes))
    kept = [i for i in range(len(region[0])) if i not in axes]
    return tuple(region[0][i] for i in kept), tuple(region[1][i] for i in kept)


def with_axis(region: Region, axis: int) -> Region:
    """The region after an axis of extent 1 is inserted."""
    if region is None:
        return FULL
    if isinstance(region, np.ndarray):
        return np.expand_dims(region, axis).copy()
    extent = 0 if is_empty_box(*region) else 1
    low, high = region
    return (*low[:axis], 0, *low[axis:]), (*high[:axis], extent, *high[axis:])


def reduced(region: Region, valid: Extents, axes: Sequence[int]) -> Region:
    """Which results of a reduction over ``axes`` (kept with extent 1) are fed by defined elements only."""
    if region is None:
        return FULL
    mask: Any = to_mask(region, valid).all(axis=tuple(axes), keepdims=True)
    return from_mask(mask)
