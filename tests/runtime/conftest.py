"""Kernels built by hand for the executor: recorded op by op, turned into SSA, run on numpy arrays."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from openpto import runtime
from openpto.diagnostics import LoopFrame, Site, Span, at
from openpto.ir import expr as ex
from openpto.ir import ssa
from openpto.ir.dtypes import from_numpy
from openpto.ir.nodes import Imm, TileType
from openpto.ir.trace import Trace, Var, recording
from openpto.ir.verifier import require_valid
from openpto.ops import OPS
from openpto.ops.movement import move, read_element, store, write_element
from openpto.ops.reshaping import reshaped, squeezed, widened
from openpto.runtime.reference import machine


class Program:
    """A kernel under construction; every statement stands on a line of its own of ``kernel.py``."""

    def __init__(self) -> None:
        self.trace = Trace("kernel", Site(Span("kernel.py", 1)))
        self.lines = itertools.count(2)
        self.arrays: list[np.ndarray] = []
        self.frames: list[LoopFrame] = []

    def site(self) -> Site:
        return Site(Span("kernel.py", next(self.lines)), (), tuple(self.frames), "kernel")

    @contextmanager
    def line(self) -> Iterator[Site]:
        site = self.site()
        with recording(self.trace), at(site):
            yield site

    def param(self, name: str, array: np.ndarray, shape: tuple | None = None) -> Var:
        self.arrays.append(array)
        type = TileType(tuple(array.shape if shape is None else shape), from_numpy(array.dtype))
        return self.trace.param(name, type, Site(Span("kernel.py", 1)))

    def dims(self, name: str, rank: int) -> tuple:
        return tuple(ex.dim(name, axis) for axis in range(rank))

    def __getattr__(self, name: str):
        """``p.add(x, y)`` records the op of that name."""
        if name not in OPS:
            raise AttributeError(name)

        def record(*args, **kwargs):
            with self.line():
                return OPS[name].record(*args, **kwargs)

        return record

    def alloc(self, shape, dtype, name: str = "t") -> Var:
        with self.line() as site:
            return self.trace.emit("alloc", [], [(TileType(tuple(shape), dtype), tuple(shape))], site=site, label=name)[
                0
            ]

    def emit(self, name, operands, shape, dtype, valid=None, into=None, **attrs):
        with self.line() as site:
            results = [(TileType(tuple(shape), dtype), tuple(valid or shape))]
            return self.trace.emit(name, operands, results, attrs, site=site, into=into)[0]

    def store(self, source, offsets, target, **extra):
        with self.line():
            store(source, tuple(offsets), target, **extra)

    def move(self, source, target):
        with self.line():
            move(source, target)

    def reshape(self, var, shape, valid=None):
        with self.line():
            return reshaped(var, tuple(shape), valid)

    def squeeze(self, var, axes):
        with self.line():
            return squeezed(var, axes)

    def widen(self, var, axes):
        with self.line():
            return widened(var, axes)

    def read(self, var, *indices):
        with self.line():
            return read_element(var, tuple(indices))

    def write(self, var, indices, value):
        with self.line():
            write_element(var, tuple(indices), value)

    @contextmanager
    def loop(self, stop, start=0, step=1, name="L", idx="i", **attrs):
        site = self.site()
        attrs = {"name": name, "idx_name": idx, **attrs}
        loop = self.trace.begin_loop(start, stop, step, idx_name=idx, attrs=attrs, site=site)
        self.frames.append(LoopFrame(name, idx))
        yield loop.index
        self.frames.pop()
        self.trace.end_loop(loop)
        self.trace.settle_after_loop(loop, site)

    def branch(self, cond, then, other=lambda: None):
        site = self.site()
        branch = self.trace.begin_if(cond, site=site)
        then()
        left = self.trace.begin_else(branch)
        other()
        return self.trace.end_if(branch, left, site)

    def kernel(self):
        return require_valid(ssa.build(self.trace))

    def run(self, env=None):
        return runtime.execute(self.kernel(), self.arrays, env or {})


@pytest.fixture
def p() -> Program:
    return Program()


@pytest.fixture
def imm():
    return lambda value, dtype: Imm(value, dtype)


@pytest.fixture(autouse=True)
def tracked_extents(monkeypatch):
    """Shapes and valid extents that tracing foretold are those of the tiles at run time."""
    plain = machine.Machine.bind

    def bind(self, value, tile):
        plain(self, value, tile)
        if tile is not None:
            assert self.scalars.many(value.type.shape) == tile.data.shape
            foretold = [known if dim is None else self.scalars.of(dim) for dim, known in zip(value.valid, tile.valid)]
            assert tuple(foretold) == tile.valid, (value, self.site)

    monkeypatch.setattr(machine.Machine, "bind", bind)
