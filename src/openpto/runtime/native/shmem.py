"""Distributed operations: compiled code hands values and addresses to the host, where the session of the call
(``runtime/ranks``) does what the reference does."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from openpto.diagnostics import Site
from openpto.ir.dtypes import DataType
from openpto.ir.expr import Expr
from openpto.ir.nodes import Op, Value
from openpto.runtime.ranks import Session
from openpto.runtime.reference.shmem import sum_of

from . import loopir as L
from .build import count
from .elementwise import explicit_valid, result_of
from .handlers import lowers
from .hosted import Numbers, over, told
from .loopir import Index, Ptr, Slot
from .lower import Lowering
from .movement import check_offsets
from .sites import Host
from .tiles import NTile

Act = Callable[[Session, Site, Numbers, Numbers], "int | None"]


def _shared(
    low: Lowering, op: Op, act: Act, values: Sequence[Index], memory: Sequence[Ptr] = (), answer: str = ""
) -> None:
    """Have the host do ``act`` in the session of the call."""
    name = op.called

    def action(host: Host, site: Site, values: Numbers, addresses: Numbers) -> int | None:
        return act(host.ranks(name, site), site, values, addresses)

    told(low, op, action, values, memory, answer)


def _asked(low: Lowering, op: Op, action: Act) -> None:
    """The result of an op without operands is what the host answers."""
    leaf = op.results[0]
    assert isinstance(leaf, Expr)
    slot = low.b.name("answer")
    _shared(low, op, action, (), (), slot)
    low.set_leaf(leaf, Slot(slot))


def _scalars(low: Lowering, op: Op) -> tuple[Index, ...]:
    return low.dims([o for o in op.operands if isinstance(o, Expr)])


@lowers("shmem_pe")
def pe(low: Lowering, op: Op) -> None:
    """The number of this rank in a group."""
    group = op.attrs["group"]

    def action(session: Session, site: Site, values: Numbers, addresses: Numbers) -> int:
        return session.pe(group, site)

    _asked(low, op, action)


@lowers("shmem_create")
def create(low: Lowering, op: Op) -> None:
    """The next memory of a group; its ticket."""
    a = op.attrs

    def action(session: Session, site: Site, values: Numbers, addresses: Numbers) -> int:
        return session.create(a["group"], a["n_pes"], a["dtype"], a["shape"], site)

    _asked(low, op, action)


@lowers("shmem_window")
def window(low: Lowering, op: Op) -> None:
    """A window of shared memory obeys the rules of ``view``."""
    offsets, have = low.dims(op.attrs["offsets"]), low.dims(op.attrs["have"])
    rank = len(offsets)

    check_offsets(low, offsets)
    if op.attrs["valid"] is None:
        return
    valid = low.dims(op.attrs["valid"])

    def beyond(*v: int) -> dict[str, object]:
        rows = zip(v[:rank], v[rank : 2 * rank], v[2 * rank :], strict=True)
        axis, n, offset, extent = next((k, *row) for k, row in enumerate(rows) if row[0] > max(row[2] - row[1], 0))
        return {"axis": axis, "want": n, "offset": offset, "have": extent, "rest": max(extent - offset, 0)}

    empty = L.binary("eq", count(valid), 0)
    inside: Index = 1
    for n, offset, extent in zip(valid, offsets, have, strict=True):
        inside = L.binary("and", inside, L.binary("le", n, L.binary("max", L.sub(extent, offset), 0)))
    low.check(L.binary("or", empty, inside), "PTO451", beyond, *valid, *offsets, *have)


@lowers("shmem_put")
def put(low: Lowering, op: Op) -> None:
    """The valid region of a tile goes to a PE."""
    scalars = _scalars(low, op)
    value = op.operands[2]
    assert isinstance(value, Value)
    source = low.read(value)
    origin, offsets = low.dims(op.attrs["origin"]), low.dims(op.attrs["offsets"])
    rank, dtype, limit = len(offsets), value.type.dtype, op.attrs["shape"]
    combine = sum_of(op.attrs["dtype"], dtype) if op.attrs["add"] else None
    values = [*scalars, *origin, *offsets, *source.valid, *source.arr.strides]
    memory = [source.arr.at]
    if source.mask is not None:
        values += source.mask.strides
        memory.append(source.mask.at)

    def action(session: Session, site: Site, values: Numbers, addresses: Numbers) -> None:
        ticket, target = values[:2]
        start, at, extents, strides, marks = (values[2 + k * rank : 2 + (k + 1) * rank] for k in range(5))
        data = over(addresses[0], extents, strides, dtype)
        defined = None
        if marks:
            defined = over(addresses[1], extents, marks, DataType.DT_BOOL).copy()
        session.put(ticket, target, start, at, limit, data, defined, combine, site)

    _shared(low, op, action, values, memory)


@lowers("shmem_get")
def get(low: Lowering, op: Op) -> NTile:
    """A tile from a PE."""
    scalars = _scalars(low, op)
    type = result_of(op).type
    shape = low.shape(type)
    valid = explicit_valid(low, shape, op.attrs["valid"])
    offsets = low.dims(op.attrs["offsets"])
    made = low.fresh(type, shape, valid, masked=True)
    assert made.mask is not None
    rank, dtype = len(offsets), type.dtype

    def action(session: Session, site: Site, values: Numbers, addresses: Numbers) -> None:
        ticket, source = values[:2]
        at, extents, strides, marks = (values[2 + k * rank : 2 + (k + 1) * rank] for k in range(4))
        data, defined = session.get(ticket, source, at, extents, site)
        over(addresses[0], extents, strides, dtype)[...] = data
        over(addresses[1], extents, marks, DataType.DT_BOOL)[...] = defined

    values = [*scalars, *offsets, *valid, *made.arr.strides, *made.mask.strides]
    _shared(low, op, action, values, [made.arr.at, made.mask.at])
    return made


@lowers("shmem_signal")
def signal(low: Lowering, op: Op) -> None:
    """A signal to one PE or to all."""
    scalars, at = _scalars(low, op), _region(low, op)
    number, add, one = op.attrs["value"], op.attrs["add"], len(scalars) > 2

    def action(session: Session, site: Site, values: Numbers, addresses: Numbers) -> None:
        ticket, source = values[:2]
        offsets, extents = _halves(values[len(scalars) :])
        session.signal(ticket, source, values[2] if one else None, offsets, extents, number, add, site)

    _shared(low, op, action, (*scalars, *at))


@lowers("shmem_wait")
def wait(low: Lowering, op: Op) -> None:
    """Go on when a signal has a value."""
    scalars, at = _scalars(low, op), _region(low, op)
    number, clear = op.attrs["value"], op.attrs["clear"]

    def action(session: Session, site: Site, values: Numbers, addresses: Numbers) -> None:
        offsets, extents = _halves(values[2:])
        session.wait(values[0], values[1], offsets, extents, number, clear, site)

    _shared(low, op, action, (*scalars, *at))


@lowers("shmem_clear_data")
def clear_data(low: Lowering, op: Op) -> None:
    """Zeros in the own block."""

    def action(session: Session, site: Site, values: Numbers, addresses: Numbers) -> None:
        session.clear_data(values[0], *_halves(values[1:]), site)

    at = _region(low, op)
    _shared(low, op, action, (*_scalars(low, op), *at))


@lowers("shmem_barrier")
def barrier(low: Lowering, op: Op) -> None:
    """Go on when every PE has come."""

    def action(session: Session, site: Site, values: Numbers, addresses: Numbers) -> None:
        session.barrier(values[0], site)

    _shared(low, op, action, _scalars(low, op))


@lowers("shmem_clear_signal")
def clear_signal(low: Lowering, op: Op) -> None:
    """Zero all own signals."""

    def action(session: Session, site: Site, values: Numbers, addresses: Numbers) -> None:
        session.clear_signals(values[0], site)

    _shared(low, op, action, _scalars(low, op))


def _region(low: Lowering, op: Op) -> tuple[Index, ...]:
    return (*low.dims(op.attrs["offsets"]), *low.dims(op.attrs["valid"]))


def _halves(values: Numbers) -> tuple[Numbers, Numbers]:
    middle = len(values) // 2
    return values[:middle], values[middle:]
