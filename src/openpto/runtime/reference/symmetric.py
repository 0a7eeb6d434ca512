"""Transfers, signals and barriers between ranks. Every operation gives a predicate, whose element is 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from openpto.ir.dtypes import numpy_dtype
from openpto.ir.nodes import Op
from openpto.ops import arith
from openpto.runtime.places import shown
from openpto.runtime.ranks import Layout, Seat, Waiting, Window, World, seat

from . import regions
from .creation import result_of
from .evaluate import evaluate
from .handlers import impl
from .machine import Machine
from .regions import FULL, Extents
from .tiles import Array, Tile, framed, tile


def _predicate() -> Tile:
    return tile(np.ones((1, 1), np.int32))


def _seat(m: Machine) -> Seat:
    """The rank that runs the kernel; one of its own where there are no others."""
    found = seat()
    if found is not None:
        return found
    own: Seat = m.shared.setdefault("seat", Seat(World(1), 0))
    return own


def _windows(m: Machine, op: Op) -> list[Window]:
    """The windows of the symmetric tensor, by PE."""
    found: list[Window] | None = m.shared.get(op.attrs["number"])
    if found is None:
        m.fault("PTO404", name="a symmetric tensor")
    return found


def _pe(m: Machine, value: int, count: int) -> int:
    if not 0 <= value < count:
        m.fault("PTO471", why=f"PE {value} is not in [0, {count})")
    return value


def _box(m: Machine, op: Op, window: Window, extents: Extents | None = None) -> tuple[slice, ...]:
    """The part of a window's data that an operation touches; it must not reach beyond."""
    starts = m.dims(op.attrs["offsets"])
    sizes = m.dims(op.attrs["extents"]) if extents is None else extents
    have = window.data.shape
    for axis, (start, n, capacity) in enumerate(zip(starts, sizes, have, strict=True)):
        if start < 0 or n < 0 or start + n > capacity:
            fields = {"axis": axis, "low": start, "high": start + n, "capacity": capacity, "extents": shown(sizes)}
            m.fault("PTO472", **fields)
    return regions.slices(starts, [a + n for a, n in zip(starts, sizes, strict=True)])


@impl("my_pe")
def my_pe(m: Machine, op: Op) -> int:
    """The rank."""
    return _seat(m).rank


@impl("shmem_create")
def shmem_create(m: Machine, op: Op) -> Tile:
    """Windows for all ranks; the first one that comes makes them."""
    here = _seat(m)
    layout = Layout(op.attrs["group"], op.attrs["n_pes"], op.attrs["dtype"], op.attrs["shape"])
    if layout.ranks != here.world.size:
        m.fault("PTO473", group=layout.group, want=layout.ranks, have=here.world.size)
    made = here.world.windows(here.rank, layout)
    if isinstance(made, Layout):
        m.fault("PTO471", why=f"this rank makes {_told(layout)} where another made {_told(made)}")
    m.shared[op.attrs["number"]] = made
    return _predicate()


def _told(layout: Layout) -> str:
    kind = "signals" if layout.dtype is None else f"{layout.dtype.name} {shown(layout.shape)}"
    return f"{kind} in group {layout.group!r}"


@impl("shmem_write")
def shmem_write(m: Machine, op: Op) -> Tile:
    """The valid region of the source goes into, or is added to, the window of a PE."""
    source = m.read(op.operands[0])
    windows, here = _windows(m, op), _seat(m)
    window = windows[_pe(m, m.dims(op.attrs["pe"])[0], len(windows))]
    box = _box(m, op, window, source.valid)
    marks = regions.to_mask(source.defined, source.valid)
    with here.world.changed:
        if op.attrs["adds"]:
            window.data[box] = _sum(window.data[box], source.body)
            window.defined[box] &= marks
        else:
            window.data[box] = source.body
            window.defined[box] = marks
        here.world.changed.notify_all()
    return _predicate()


def _sum(target: Array, source: Array) -> Array:
    """Elements of 16 bits in FP32, rounded once."""
    types = [_type(x) for x in (target, source)]
    wide = [arith.convert(v, arith.F32) if v.dtype in arith.HALVES else v for v in map(arith.var, types, (0, 1))]
    return evaluate(arith.rounded(wide[0] + wide[1], types[0]), [target, source])


def _type(x: Array) -> Any:
    return next(d for d in (*arith.HALVES, arith.F32, arith.I32) if numpy_dtype(d) == x.dtype)


@impl("shmem_read")
def shmem_read(m: Machine, op: Op) -> Tile:
    """A copy of the window of a PE; what nobody has written is undefined."""
    windows, here = _windows(m, op), _seat(m)
    window = windows[_pe(m, m.dims(op.attrs["pe"])[0], len(windows))]
    box = _box(m, op, window)
    with here.world.changed:
        body, marks = window.data[box].copy(), window.defined[box].copy()
    shape = m.shape(result_of(op).type)
    return tile(framed(body, shape), body.shape, FULL if marks.all() else regions.from_mask(marks))


def _signals(m: Machine, op: Op, window: Window, source: int) -> Array:
    """The signals of a window for a source PE (a view)."""
    kept: Array = window.signals[source : source + 1]
    if not window.data.ndim:
        return kept
    return kept[(slice(None), *_box(m, op, window))]


@impl("shmem_notify")
def shmem_notify(m: Machine, op: Op) -> Tile:
    """Signals of one PE or of all are set or grow."""
    windows, here = _windows(m, op), _seat(m)
    source, target = m.dims(op.attrs["pe"])
    _pe(m, source, len(windows))
    chosen = windows if op.attrs["everyone"] else [windows[_pe(m, target, len(windows))]]
    value = np.int32(op.attrs["value"])
    parts = [_signals(m, op, window, source) for window in chosen]
    with here.world.changed:
        for part in parts:
            if op.attrs["adds"]:
                np.add(part, value, out=part)
            else:
                part[...] = value
        here.world.changed.notify_all()
    return _predicate()


@impl("shmem_await")
def shmem_await(m: Machine, op: Op) -> Tile:
    """Sleep until the own signals have the value."""
    windows, here = _windows(m, op), _seat(m)
    source = _pe(m, m.dims(op.attrs["pe"])[0], len(windows))
    part, value = _signals(m, op, windows[here.rank], source), op.attrs["value"]

    def what() -> str:
        seen = sorted({int(v) for v in part.ravel()})
        return f"signal {value} of PE {source}, which is {', '.join(map(str, seen[:4]))}"

    _sleep(m, here, lambda: bool((part == value).all()), what)
    if op.attrs["clears"]:
        with here.world.changed:
            part[...] = 0
            here.world.changed.notify_all()
    return _predicate()


@impl("shmem_meet")
def shmem_meet(m: Machine, op: Op) -> Tile:
    """Sleep until every rank has come as often as this one."""
    windows, here = _windows(m, op), _seat(m)
    arrived: dict[int, list[int]] = here.world.arrived
    with here.world.changed:
        counts = arrived.setdefault(id(windows), [0] * len(windows))
        counts[here.rank] += 1
        mine = counts[here.rank]
        here.world.changed.notify_all()

    def what() -> str:
        late = [pe for pe, count in enumerate(counts) if count < mine]
        return f"the barrier, which PE {', '.join(map(str, late))} has not reached"

    _sleep(m, here, lambda: min(counts) >= mine, what)
    return _predicate()


def _sleep(m: Machine, here: Seat, ready: Callable[[], bool], what: Callable[[], str]) -> None:
    with here.world.changed:
        came = ready() or here.world.wait(here.rank, Waiting(ready, what, m.place(m.site)))
    if not came:
        m.fault("PTO470", rank=here.rank, blocked="; ".join(here.world.blocked))


@impl("shmem_clear")
def shmem_clear(m: Machine, op: Op) -> Tile:
    """Own data, which are defined then, or own signals become zero."""
    windows, here = _windows(m, op), _seat(m)
    own = windows[here.rank]
    box = () if op.attrs["signals"] else _box(m, op, own)
    with here.world.changed:
        if op.attrs["signals"]:
            own.signals[...] = 0
        else:
            own.data[box] = 0
            own.defined[box] = True
        here.world.changed.notify_all()
    return _predicate()
