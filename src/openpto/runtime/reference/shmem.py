"""Distributed operations: the session of the call (``runtime/ranks``) does them."""

from __future__ import annotations

from openpto.ir.dtypes import DataType
from openpto.ir.expr import Expr
from openpto.ir.nodes import Op, Value
from openpto.ops import OPS
from openpto.ops.registry import Pointwise
from openpto.runtime.places import shown
from openpto.runtime.ranks import Session
from openpto.runtime.ranks.segments import Array, Combine

from . import regions
from .creation import explicit_valid, result_of
from .evaluate import evaluate
from .handlers import impl
from .machine import Machine
from .tiles import Tile, framed, tile


def session(m: Machine, op: Op) -> Session:
    """The session of this run; begun by its first distributed operation."""
    if m.session is None:
        m.session = Session.begin(op.called, m.place(op.site))
    return m.session


def sum_of(have: DataType, come: DataType) -> Combine:
    """What ``add`` computes: of FP16 and BF16 in FP32, and with one rounding to the type of what is there."""
    declared = OPS["add"].arithmetic
    assert isinstance(declared, Pointwise)
    expression = declared.expression((have, come), have, {})

    def combine(there: Array, coming: Array) -> Array:
        return evaluate(expression, [there, coming])

    return combine


def _scalars(m: Machine, op: Op) -> list[int]:
    return [m.scalars.of(o) for o in op.operands if isinstance(o, Expr)]


@impl("shmem_pe")
def pe(m: Machine, op: Op) -> int:
    """The number of this rank in a group."""
    return session(m, op).pe(op.attrs["group"], m.place(op.site))


@impl("shmem_create")
def create(m: Machine, op: Op) -> int:
    """The next memory of a group; its ticket."""
    a = op.attrs
    return session(m, op).create(a["group"], a["n_pes"], a["dtype"], a["shape"], m.place(op.site))


@impl("shmem_window")
def window(m: Machine, op: Op) -> None:
    """A window of shared memory obeys the rules of ``view``."""
    offsets, have = m.dims(op.attrs["offsets"]), m.dims(op.attrs["have"])
    for axis, offset in enumerate(offsets):
        if offset < 0:
            m.fault("PTO450", axis=axis, offset=offset, offsets=shown(offsets))
    if op.attrs["valid"] is None:
        return
    valid = m.dims(op.attrs["valid"])
    for axis, (n, offset, extent) in enumerate(zip(valid, offsets, have, strict=True)):
        rest = max(extent - offset, 0)
        if n > rest and regions.count(valid):
            m.fault("PTO451", axis=axis, want=n, offset=offset, have=extent, rest=rest)


@impl("shmem_put")
def put(m: Machine, op: Op) -> None:
    """The valid region of a tile goes to a PE."""
    ticket, target = _scalars(m, op)
    value = op.operands[2]
    assert isinstance(value, Value)
    source = m.read(value)
    defined = None if source.defined is None else regions.to_mask(source.defined, source.valid)
    combine = sum_of(op.attrs["dtype"], value.type.dtype) if op.attrs["add"] else None
    origin, offsets = m.dims(op.attrs["origin"]), m.dims(op.attrs["offsets"])
    limit = op.attrs["shape"]
    session(m, op).put(ticket, target, origin, offsets, limit, source.body, defined, combine, m.place(op.site))


@impl("shmem_get")
def get(m: Machine, op: Op) -> Tile:
    """A tile from a PE."""
    ticket, source = _scalars(m, op)
    shape = m.shape(result_of(op).type)
    valid = explicit_valid(m, shape, op.attrs["valid"])
    data, defined = session(m, op).get(ticket, source, m.dims(op.attrs["offsets"]), valid, m.place(op.site))
    return tile(framed(data, shape), valid, regions.from_mask(defined))


@impl("shmem_signal")
def signal(m: Machine, op: Op) -> None:
    """A signal to one PE or to all."""
    ticket, source, *targets = _scalars(m, op)
    offsets, valid = m.dims(op.attrs["offsets"]), m.dims(op.attrs["valid"])
    target = targets[0] if targets else None
    value, add = op.attrs["value"], op.attrs["add"]
    session(m, op).signal(ticket, source, target, offsets, valid, value, add, m.place(op.site))


@impl("shmem_wait")
def wait(m: Machine, op: Op) -> None:
    """Go on when a signal has a value."""
    ticket, source = _scalars(m, op)
    offsets, valid = m.dims(op.attrs["offsets"]), m.dims(op.attrs["valid"])
    session(m, op).wait(ticket, source, offsets, valid, op.attrs["value"], op.attrs["clear"], m.place(op.site))


@impl("shmem_barrier")
def barrier(m: Machine, op: Op) -> None:
    """Go on when every PE has come."""
    session(m, op).barrier(_scalars(m, op)[0], m.place(op.site))


@impl("shmem_clear_data")
def clear_data(m: Machine, op: Op) -> None:
    """Zeros in the own block."""
    offsets, valid = m.dims(op.attrs["offsets"]), m.dims(op.attrs["valid"])
    session(m, op).clear_data(_scalars(m, op)[0], offsets, valid, m.place(op.site))


@impl("shmem_clear_signal")
def clear_signal(m: Machine, op: Op) -> None:
    """Zero all own signals."""
    session(m, op).clear_signals(_scalars(m, op)[0], m.place(op.site))
