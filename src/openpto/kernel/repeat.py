"""Repeated calls: what one call found out is remembered for calls that differ in nothing that matters.

A call is like an earlier one if its tensors have the same element types, shapes, flags and relations in memory, its
other arguments are equal constants, and settings, options and whatever the kernel loads from outside are unchanged. It
then needs no checking and no binding: only addresses, which the compiled code takes.
"""

from __future__ import annotations

import ctypes
import enum
import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from openpto import runtime
from openpto._records import dataclass, replace
from openpto.diagnostics import PyptoWarning, collect_warnings, emit
from openpto.ir.trace import current
from openpto.kernel.receipt import Receipt, owner_of
from openpto.kernel.specialise import Compiled
from openpto.language.configuration import in_force
from openpto.language.scopes import scope_outside
from openpto.runtime.progress import busy

MAX_PLANS = 256
"""Remembered per kernel."""
LONG = 0.2
"""Seconds from which on a run notes that it is busy."""

Key = tuple[Any, ...]
_address, _first = ctypes.addressof, ctypes.c_char.from_buffer
_CONSTANTS = (int, bool, str, bytes, type(None))


@dataclass(slots=True, eq=False)
class Plan:
    """One remembered call.

    settings   what was in force (``configuration.in_force``); scope, runtime: tile shapes and options
    engine     the engine function of the process
    prepared   the compiled code with its sizes (``native.Prepared``)
    warnings   what is said at every call before the kernel runs
    written    indices of the parameters that are written
    counted    those of them that are tensors of torch, which count their versions
    receipt    of the call that is remembered
    seconds    how long the last run took
    """

    settings: tuple[object, ...]
    scope: object
    runtime: Mapping[str, Any] | None
    engine: object
    compiled: Compiled
    prepared: Any
    warnings: tuple[PyptoWarning, ...]
    written: tuple[int, ...]
    counted: tuple[int, ...]
    receipt: Receipt
    seconds: float


@dataclass(slots=True, eq=False)
class Run:
    """What a run leaves behind; the receipt is made of it when somebody asks for it."""

    plan: Plan
    record: Any
    seconds: float
    outputs: tuple[tuple[int, Callable[[], object | None]], ...]
    warnings: tuple[PyptoWarning, ...]
    _made: Receipt | None = None

    def receipt(self) -> Receipt:
        """The receipt, always the same object."""
        if self._made is None:
            self._made = self._receipt()
        return self._made

    def _receipt(self) -> Receipt:
        first = self.plan.receipt
        ops, written = self.plan.prepared.counts(self.record)
        return replace(
            first,
            compiled=False,
            compile_seconds=0.0,
            run_seconds=self.seconds,
            ops_executed=ops,
            elements_written=MappingProxyType(
                {m.name: written[i] for m, i in zip(first.outputs, self.plan.written, strict=True)}
            ),
            outputs=tuple(
                replace(memory, pointer=pointer, owner=owner)
                for memory, (pointer, owner) in zip(first.outputs, self.outputs, strict=True)
            ),
            warnings=self.warnings,
        )


class Repeats:
    """The remembered calls of one kernel. ``count`` is the number of its tensors."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._plans: dict[Key, Plan] = {}

    def run(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], options: Any, name: str) -> Run | None:
        """Run the kernel as an earlier call did; None if there was none like this, and nothing was done."""
        if not self._plans:
            return None
        addresses, key = layout(self._count, args, kwargs)
        plan = self._plans.get(key) if key is not None else None
        if plan is None or current() is not None:
            return None
        if not _unchanged(plan, options):
            self._plans.pop(key or (), None)
            return None
        return _run(plan, args, addresses, name)

    def remember(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], plan: Plan) -> None:
        """Remember a call that was checked and run."""
        _, key = layout(self._count, args, kwargs)
        if key is None or not _is_constant_options(plan.runtime):
            return
        while len(self._plans) >= MAX_PLANS:
            try:
                self._plans.pop(next(iter(self._plans)), None)
            except (StopIteration, RuntimeError):  # another thread was faster
                break
        self._plans[key] = plan


def _unchanged(plan: Plan, options: Any) -> bool:
    return (
        in_force() == plan.settings
        and scope_outside() is plan.scope
        and (options is plan.runtime is None or _same_options(options, plan.runtime))
        and runtime.ENGINES.get("native") is plan.engine
        and plan.compiled.valid()
    )


def _same_options(given: Any, known: Mapping[str, Any] | None) -> bool:
    if type(given) is not dict or known is None or given.keys() != known.keys():
        return False
    return all(type(value) is type(known[key]) and value == known[key] for key, value in given.items())


def _is_constant_options(options: Mapping[str, Any] | None) -> bool:
    return options is None or all(_constant(value) is not None for value in options.values())


def _run(plan: Plan, args: tuple[Any, ...], addresses: Sequence[int], name: str) -> Run | None:
    warnings: list[PyptoWarning] = []
    if plan.warnings:
        with collect_warnings(warnings):
            for warning in plan.warnings:
                emit(warning)
    begin = time.perf_counter()
    try:
        if plan.seconds < LONG:
            record = plan.prepared.run(addresses, warnings)
        else:
            with busy("running", name):
                record = plan.prepared.run(addresses, warnings)
    finally:
        if plan.counted:
            _note_writes(plan, args)
    if record is None:
        return None
    plan.seconds = time.perf_counter() - begin
    outputs = tuple([(addresses[i], owner_of(args[i])) for i in plan.written])
    return Run(plan, record, plan.seconds, outputs, tuple(warnings))


def _note_writes(plan: Plan, args: tuple[Any, ...]) -> None:
    """Advance the version counters of tensors of torch that were written."""
    for index in plan.counted:
        value = args[index]
        if not value.is_inference():
            sys.modules["torch"].autograd.graph.increment_version(value)


# -- what a call looks like -------------------------------------------------------------------------------------------


def layout(count: int, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[list[int], Key | None]:
    """Addresses of the ``count`` tensors, and all that a plan depends on; no key where that cannot be told cheaply."""
    addresses: list[int] = []
    ends: list[int] = []
    parts: list[Any] = []
    for value in args[:count]:
        kind = type(value)
        if kind is np.ndarray:
            flags = value.flags
            if not (value.nbytes and flags.c_contiguous):
                return addresses, None
            try:
                address = _address(_first(value)) if flags.writeable else value.ctypes.data
            except (TypeError, ValueError):  # element types that the buffer protocol does not know
                address = value.ctypes.data
            parts.append((value.dtype, value.shape, flags.num))
        else:
            torch = sys.modules.get("torch")
            if torch is None or kind is not torch.Tensor or not _is_plain(value, torch):
                return addresses, None
            address = value.data_ptr()
            parts.append((value.dtype, value.shape, value.requires_grad))
        if not address:
            return addresses, None
        addresses.append(address)
        ends.append(address + value.nbytes)
    relations = _relations(addresses, ends)
    if relations is None:
        return addresses, None
    for name, value in (*enumerate(args[count:]), *kwargs.items()):
        constant = _constant(value)
        if constant is None:
            return addresses, None
        parts.append((name, constant))
    return addresses, (len(args), relations, *parts)


def _is_plain(value: Any, torch: Any) -> bool:
    """Whether a tensor passes every check of ``host.py``."""
    return (
        value.layout is torch.strided
        and value.is_cpu
        and value.is_contiguous()
        and not (value.is_neg() or value.is_conj() or value.is_quantized or value.is_nested)
        and not torch._C._functorch.is_functorch_wrapped_tensor(value)
    )


def _relations(addresses: list[int], ends: list[int]) -> tuple[int, ...] | None:
    """Per tensor the first one that is the same memory; None if two share a part of theirs."""
    if len(addresses) == 2 and (ends[0] <= addresses[1] or ends[1] <= addresses[0]):
        return 0, 1
    found: list[int] = []
    for at, (begin, end) in enumerate(zip(addresses, ends, strict=True)):
        same = at
        for other in range(at):
            if begin < ends[other] and addresses[other] < end:
                if begin != addresses[other] or end != ends[other]:
                    return None
                same = min(same, other)
        found.append(same)
    return tuple(found)


def _constant(value: Any) -> tuple[Any, ...] | None:
    """A value by type and content, None if it may change."""
    kind = type(value)
    if kind in _CONSTANTS:
        return kind, value
    if kind is float:
        return None if value != value else (kind, value, math.copysign(1.0, value))
    return (kind, value) if isinstance(value, enum.Enum) else None
