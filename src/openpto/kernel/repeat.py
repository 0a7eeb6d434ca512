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
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from types import MappingProxyType
from typing import Any

import numpy as np

from openpto import runtime
from openpto._records import dataclass, replace
from openpto.diagnostics import PyptoWarning, collect_warnings, emit
from openpto.ir.trace import current
from openpto.kernel.early import BoundMode
from openpto.kernel.receipt import Receipt, owner_of
from openpto.kernel.specialise import Compiled
from openpto.language.configuration import in_force
from openpto.language.scopes import scope_outside
from openpto.runtime.progress import busy

MAX_PLANS = 256
"""Remembered per kernel."""
LONG = 0.2
"""Seconds from which on a run notes that it is busy."""

Key = tuple[Any, ...] | None
_CONTIGUOUS, _WRITEABLE = 0x1, 0x400
"""Among numpy's flags."""
_REGISTERED = 256
"""Numbers of element types of other packages, which the buffer protocol does not know, begin here."""
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
    counted    those of them that are tensors of torch which count their versions
    receipt    of the call that is remembered
    signs      what the warning about a run mode that was bound too early looks at (``early.BoundMode.signs``)
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
    signs: tuple[object, ...]
    seconds: float


@dataclass(slots=True, eq=False)
class Run:
    """What a run leaves behind; the receipt is made of it when somebody asks for it."""

    plan: Plan
    record: Any
    seconds: float
    outputs: Sequence[tuple[int, Callable[[], object | None]]]
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


@dataclass(slots=True, eq=False)
class Alike:
    """Calls whose arguments look the same: the bytes of every tensor, and plans by relations in memory."""

    sizes: tuple[int, ...]
    plans: dict[tuple[int, ...], Plan]


class Repeats:
    """The remembered calls of one kernel with ``count`` tensors; ``bound`` is what its decorator fixed."""

    def __init__(self, count: int, bound: BoundMode) -> None:
        self._count = count
        self._bound = bound
        self._apart = tuple(range(count))
        self._known: dict[Key, Alike] = {}

    def run(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], options: Any, name: str) -> Run | None:
        """Run the kernel as an earlier call did; None if there was none like this, and nothing was done."""
        if not self._known:
            return None
        addresses: list[int] = []
        key = look(self._count, args, kwargs, addresses)
        alike = self._known.get(key) if key is not None else None
        if alike is None or current() is not None:
            return None
        relations = self._apart if _are_apart(addresses, alike.sizes) else _relations(addresses, alike.sizes)
        plan = alike.plans.get(relations) if relations is not None else None
        if plan is None or relations is None:
            return None
        if not _unchanged(plan, options) or self._bound.signs() != plan.signs:
            alike.plans.pop(relations, None)
            return None
        return _run(plan, args, addresses, name)

    def remember(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], plan: Plan) -> None:
        """Remember a call that was checked and run."""
        addresses: list[int] = []
        key = look(self._count, args, kwargs, addresses)
        if key is None or not _is_constant_options(plan.runtime):
            return
        sizes = tuple([value.nbytes for value in args[: self._count]])
        relations = _relations(addresses, sizes)
        if relations is None or not all(sizes):
            return
        alike = self._known.get(key)
        if alike is None:
            while len(self._known) >= MAX_PLANS:
                try:
                    self._known.pop(next(iter(self._known)), None)
                except (StopIteration, RuntimeError):  # another thread was faster
                    break
            alike = self._known.setdefault(key, Alike(sizes, {}))
        if len(alike.plans) < MAX_PLANS:
            alike.plans[relations] = plan


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
    begin = perf_counter()
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
    seconds = plan.seconds = perf_counter() - begin
    outputs = []
    for i in plan.written:
        outputs.append((addresses[i], owner_of(args[i])))  # noqa: PERF401 - a comprehension costs more than that
    return Run(plan, record, seconds, outputs, tuple(warnings) if warnings else ())


def _note_writes(plan: Plan, args: tuple[Any, ...]) -> None:
    """Advance the version counters of tensors of torch that were written."""
    for index in plan.counted:
        sys.modules["torch"].autograd.graph.increment_version(args[index])


# -- what a call looks like -------------------------------------------------------------------------------------------


def look(count: int, args: tuple[Any, ...], kwargs: Mapping[str, Any], addresses: list[int]) -> Key:
    """All that a plan depends on, but for relations in memory; None where that cannot be told cheaply. ``addresses``
    takes those of the ``count`` tensors."""
    parts: list[Any] = [len(args)]
    for value in args if len(args) == count else args[:count]:
        kind = type(value)
        if kind is np.ndarray:
            flags, dtype, shape = value.flags.num, value.dtype, value.shape
            if not flags & _CONTIGUOUS:
                return None
            if flags & _WRITEABLE:
                try:
                    address = _address(_first(value if dtype.num < _REGISTERED else value.view(np.uint8)))
                except (TypeError, ValueError):  # no axis, or elements that the buffer protocol does not know either
                    address = value.ctypes.data
            else:
                address = value.ctypes.data
            parts += dtype, shape, flags
        else:
            traits = _traits(value)
            if traits is None:
                return None
            address = value.data_ptr()
            parts += value.dtype, value.shape, value.requires_grad, traits
        if not address:
            return None
        addresses.append(address)
    if kwargs or len(args) > count:
        for name, value in (*enumerate(args[count:]), *kwargs.items()):
            constant = _constant(value)
            if constant is None:
                return None
            parts += name, constant
    return tuple(parts)


_plain: dict[int, bool] = {}
"""Whether tensors of torch with these dispatch keys pass the checks of ``host.py``."""


def _traits(value: Any) -> Any:
    """What decides how a tensor of torch is treated, apart from type, shape and requires_grad: its dispatch keys. They
    say where the memory is, in which layout, and whether it is negated, wrapped or made for inference only. None if the
    memory is not plain, or ``value`` is no tensor."""
    torch = sys.modules.get("torch")
    if torch is None or type(value) is not torch.Tensor:
        return None
    ask = getattr(torch._C, "_dispatch_keys", None)
    if ask is None:  # an old torch: every call is checked
        return None
    keys: int = ask(value).raw_repr()
    plain = _plain.get(keys)
    if plain is None:
        plain = _plain[keys] = _is_plain(value, torch)
    return keys if plain and value.is_contiguous() else None


def _is_plain(value: Any, torch: Any) -> bool:
    """Whether a tensor passes every check of ``host.py``, but for its strides."""
    return (
        value.layout is torch.strided
        and value.is_cpu
        and not (value.is_neg() or value.is_conj() or value.is_quantized or value.is_nested)
        and not torch._C._functorch.is_functorch_wrapped_tensor(value)
    )


def _are_apart(addresses: list[int], sizes: Sequence[int]) -> bool:
    """Whether no two stretches of memory have a part in common."""
    if len(addresses) == 2:
        a, b = addresses
        return a + sizes[0] <= b or b + sizes[1] <= a
    end = 0
    for address, size in sorted(zip(addresses, sizes, strict=True)):
        if address < end:
            return False
        end = address + size
    return True


def _relations(addresses: list[int], sizes: Sequence[int]) -> tuple[int, ...] | None:
    """Per tensor the first one that is the same memory; None if two share a part of theirs."""
    found: list[int] = []
    for at, (begin, size) in enumerate(zip(addresses, sizes, strict=True)):
        same = at
        for other in range(at):
            if begin < addresses[other] + sizes[other] and addresses[other] < begin + size:
                if begin != addresses[other] or size != sizes[other]:
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
