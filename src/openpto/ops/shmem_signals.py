"""Signals between ranks, and barriers."""

from __future__ import annotations

from typing import Any

from openpto.diagnostics import T, fail
from openpto.diagnostics.source import printable
from openpto.ir.enums import AtomicType, OpType
from openpto.ir.expr import Expr
from openpto.ir.trace import Var

from . import recording as rec
from . import shared_memory as sm
from .registry import Named, op
from .shared_memory import ShmemTensor
from .shmem_samples import BARRIER, GOT, HEAD, MEMORY, PUT, sample

EVERYBODY = -1


def _element_window(name: str, src: object, shape: object, offsets: object) -> ShmemTensor:
    return sm.window(name, sm.memory(name, "src", src), shape, offsets)


@op(
    "distributed.shmem_signal",
    "D",
    core="move",
    arithmetic=Named("shmem_signal"),
    samples=(
        sample(f"{MEMORY}{PUT}d.shmem_signal(m, me, 1, target_pe=1 - me)\n    d.shmem_wait_until(m, 1 - me, 1)\n    "
                f"{GOT}"),
        sample(f"{MEMORY}{PUT}d.shmem_signal(m, 0, 1, target_pe=-1, sig_op=pypto.AtomicType.ADD)\n    "
                f"d.shmem_wait_until(m, 0, 2, clear_signal=True)\n    {GOT}"),
    ),
)  # fmt: skip
def shmem_signal(
    src: ShmemTensor,
    src_pe: Any,
    signal: int,
    shape: list[int] | None = None,
    offsets: list[Any] | None = None,
    *,
    target_pe: Any,
    sig_op: AtomicType = AtomicType.SET,
    pred: list[Var] | None = None,
) -> Var:
    """Set the signal about PE ``src_pe`` on PE ``target_pe`` to ``signal``, or add to it; returns a predicate.

    The plain int -1 as ``target_pe`` tells every PE, this one too. With ``shape`` and ``offsets`` it concerns the
    elements of that window only: tiles can be signalled one by one. Who waits for the signal sees everything that this
    PE did before.
    Shapes: as for ``shmem_view``. Dtypes: signals are INT32; sums wrap.
    Errors: a signal that is no plain int or does not fit; a window of memory without data; an int PE outside of the
    group. While running: a PE outside of the group.
    """
    name = "distributed.shmem_signal"
    part = _element_window(name, src, shape, offsets)
    sm.tiled(name, part.rank)
    value = sm.int32(name, "signal", signal)
    if not isinstance(sig_op, AtomicType):
        fail("PTO222", op=name, why=rec.wrong_kind("sig_op", "pypto.AtomicType", sig_op))
    source = sm.pe(name, "src_pe", src_pe, part)
    everybody = not isinstance(target_pe, Expr) and rec.dim(name, "target_pe", target_pe) == EVERYBODY
    targets = [] if everybody else [sm.pe(name, "target_pe", target_pe, part)]
    sm.after(name, pred)
    sm.tell(
        name, "shmem_signal", [part.window, source, *targets], value=value, add=sig_op is AtomicType.ADD,
        offsets=part.offsets, valid=part.valid,
    )  # fmt: skip
    return sm.done()


@op(
    "distributed.shmem_wait_until",
    "D",
    core="move",
    arithmetic=Named("shmem_wait"),
    samples=(
        sample(f"{MEMORY}{PUT}d.shmem_signal(m, me, 1, target_pe=1 - me)\n    "
                f"d.shmem_wait_until(m, 1 - me, cmp_value=1, cmp=pypto.OpType.EQ)\n    {GOT}"),
    ),
)  # fmt: skip
def shmem_wait_until(
    src: ShmemTensor,
    src_pe: Any,
    cmp_value: int = 0,
    shape: list[int] | None = None,
    offsets: list[Any] | None = None,
    *,
    cmp: OpType = OpType.EQ,
    clear_signal: bool = False,
    pred: list[Var] | None = None,
) -> Var:
    """Wait until the own signal about PE ``src_pe`` is ``cmp_value``, and set it to 0 if asked to; returns a predicate.

    With ``shape`` and ``offsets`` until it is so for all elements of that window. A value that was there for a moment
    while this PE waited counts. Ranks that wait for each other, or for one that has ended, stop with PTO472, which
    lists where each of them waits and what the signals are.
    Shapes: as for ``shmem_view``. Dtypes: signals are INT32.
    Errors: another ``cmp`` than EQ; a value that is no plain int or does not fit; a window of memory without data.
    While running: a PE outside of the group; nobody is left who could send the signal.
    """
    name = "distributed.shmem_wait_until"
    part = _element_window(name, src, shape, offsets)
    sm.tiled(name, part.rank)
    if cmp is not OpType.EQ:
        got = printable(str(cmp))
        fail(
            "PTO268",
            op=name,
            why=T(f"cmp must be pypto.OpType.EQ, got {got}", f"cmp 须为 pypto.OpType.EQ，实际为 {got}"),
        )
    value = sm.int32(name, "cmp_value", cmp_value)
    source = sm.pe(name, "src_pe", src_pe, part)
    clear = rec.flag(name, "clear_signal", clear_signal)
    sm.after(name, pred)
    tell = [part.window, source]
    sm.tell(name, "shmem_wait", tell, value=value, clear=clear, offsets=part.offsets, valid=part.valid)
    return sm.done()


@op(
    "distributed.shmem_barrier_all",
    "D",
    core="move",
    arithmetic=Named("shmem_barrier"),
    samples=(sample(f"{MEMORY}{PUT}{BARRIER}{GOT}"),),
)
def shmem_barrier_all(src: ShmemTensor, pred: list[Var] | None = None) -> Var:
    """Wait until every PE of the group has come here; returns a predicate. Everybody sees what all did before.

    It counts on its own: the signals of ``src`` stay as they are.
    Shapes: any. Dtypes: any.
    Errors: no shared memory. While running: a PE that can not come any more.
    """
    name = "distributed.shmem_barrier_all"
    shared = sm.memory(name, "src", src)
    sm.after(name, pred)
    sm.tell(name, "shmem_barrier", [shared.window])
    return sm.done()


@op(
    "distributed.shmem_clear_signal",
    "D",
    core="move",
    arithmetic=Named("shmem_clear_signal"),
    samples=(
        sample(
            f"{HEAD}s = d.create_shmem_signal('pair', 2)\n    d.shmem_signal(s, me, 5, target_pe=me)\n    "
            "d.shmem_clear_signal(s)\n    d.shmem_wait_until(s, me, 0)\n    out[:] = x + 1.0",
            lambda x: x + 1,
        ),
    ),
)
def shmem_clear_signal(src: ShmemTensor, *, pred: list[Var] | None = None) -> Var:
    """Zero all own signals; returns a predicate.

    Shapes: any. Dtypes: signals are INT32.
    Errors: no shared memory.
    """
    name = "distributed.shmem_clear_signal"
    shared = sm.memory(name, "src", src)
    sm.after(name, pred)
    sm.tell(name, "shmem_clear_signal", [shared.window])
    return sm.done()
