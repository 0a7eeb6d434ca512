"""The reference engine's entry: checks before the run, the walk, and what is done with parameters after it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto._forks import opened_in_child
from openpto.diagnostics import PyptoError, collect_warnings, fail
from openpto.ir import expr as ex
from openpto.ir.expr import Expr, ScalarFault
from openpto.ir.nodes import Kernel, Param
from openpto.runtime.places import shown
from openpto.runtime.ranks import ended
from openpto.runtime.report import NO_MEMORY, RunReport

from . import (
    contraction,
    convolution,
    creation,
    indexing,
    inspection,
    microscaled,
    movement,
    paged,
    pairs,
    pointwise,
    random_numbers,
    reduction,
    regions,
    reshaping,
    scan,
    select,
    shmem,
    sort,
    storing,
    updating,
)
from .fma import denormals_flushed
from .handlers import handler_of
from .liveness import Lifetimes, analyse
from .machine import Machine
from .tiles import Array, Tile, duplicate

FAMILIES = (
    contraction,
    convolution,
    creation,
    indexing,
    inspection,
    microscaled,
    movement,
    paged,
    pairs,
    pointwise,
    random_numbers,
    reduction,
    reshaping,
    scan,
    select,
    shmem,
    sort,
    storing,
    updating,
)
"""Modules that register handlers."""

_KEPT = 64
_lifetimes: OrderedDict[int, tuple[Kernel, Lifetimes]] = OrderedDict()
_lock = opened_in_child(threading.Lock())


def execute(kernel: Kernel, buffers: Sequence[NDArray[Any]], env: Mapping[Expr, int]) -> RunReport:
    """Run ``kernel`` on ``buffers`` (see :func:`openpto.runtime.execute`)."""
    if denormals_flushed():
        fail("PTO441")
    machine = Machine(kernel, buffers, bound_sizes(kernel, buffers, env), lifetimes_of(kernel), handler_of)
    with collect_warnings() as warnings, np.errstate(all="ignore"), ended(lambda: machine.session):
        _run(machine)
    written = tuple([machine.written[machine.parameter_of[p.value.var]] for p in kernel.params])
    return RunReport("reference", machine.ops_executed, written, tuple(warnings))


def _run(machine: Machine) -> None:
    try:
        machine.run()
        _finish(machine)
    except ScalarFault as found:
        _scalar_fault(machine, found)
    except MemoryError as found:
        if isinstance(found, PyptoError):
            raise
        machine.fault("PTO442", why=NO_MEMORY)


def lifetimes_of(kernel: Kernel) -> Lifetimes:
    """The lifetimes of the kernel's values, kept for the kernels that ran last."""
    with _lock:
        found = _lifetimes.get(id(kernel))
        if found is not None:
            _lifetimes.move_to_end(id(kernel))
            return found[1]
    lifetimes = analyse(kernel)
    with _lock:
        _lifetimes[id(kernel)] = (kernel, lifetimes)
        while len(_lifetimes) > _KEPT:
            _lifetimes.popitem(last=False)
    return lifetimes


def bound_sizes(kernel: Kernel, buffers: Sequence[Array], env: Mapping[Expr, int]) -> dict[Expr, int]:
    """``env`` with the extents of the parameters."""
    assert len(buffers) == len(kernel.params), "one buffer per parameter"
    values = dict(env)
    for param, data in zip(kernel.params, buffers, strict=True):
        assert data.ndim == param.value.type.rank, f"{param.name} has rank {data.ndim}"
        for axis, (dim, extent) in enumerate(zip(param.value.type.shape, data.shape, strict=True)):
            values.setdefault(ex.dim(param.name, axis), extent)
            if isinstance(dim, Expr) and dim.is_leaf:
                values.setdefault(dim, extent)
    return values


def _finish(machine: Machine) -> None:
    """Parameters must be defined; a final state in other memory is copied home."""
    params = machine.kernel.params
    machine.site = _kernel_site(machine)
    states: list[tuple[int, Param, Tile]] = []
    for param in params:
        number = machine.parameter_of[param.value.var]
        tile = machine.tile(param.final)
        if param.final is not param.value:
            _check_defined(machine, number, param, tile)
            states.append((number, param, tile))
    foreign = [(n, duplicate(t) if t.storage.parameter >= 0 else t) for n, _, t in states if t.storage.parameter != n]
    for number, tile in foreign:
        machine.buffers[number][tuple([slice(n) for n in tile.valid])] = tile.body


def _check_defined(machine: Machine, number: int, param: Param, tile: Tile) -> None:
    hole = regions.first_hole(tile.defined, tile.valid)
    if hole is None:
        return
    machine.frames.clear()
    for site, (low, high) in reversed(machine.stores.get(number, [])):
        if all(a <= i < b for a, i, b in zip(low, hole, high, strict=True)):
            machine.site = site
            break
    machine.fault("PTO401", name=param.name, index=shown(hole))


def _kernel_site(machine: Machine) -> Any:
    body = machine.kernel.body.body
    return body[-1].site if body else machine.site


def _scalar_fault(machine: Machine, found: ScalarFault) -> None:
    written = "the expression" if found.expr is None else ex.text(found.expr)
    if found.kind == "unset":
        machine.fault("PTO404", name=written)
    code = {"overflow": "PTO405", "div_zero": "PTO406", "negative_div": "PTO407"}[found.kind]
    machine.fault(code, expr=written, values=", ".join(map(str, found.values)))
