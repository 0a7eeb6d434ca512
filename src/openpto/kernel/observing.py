"""Watching calls of kernels: what went in, what came out, and how the call ended.

Purpose: verification, hand-off and replay need the arguments of a call as they were before it ran.
Postcondition: a call that is watched computes what it computes anyway; it is only slower, by the copies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from openpto.diagnostics import PyptoError
from openpto.kernel.host import host_tensor
from openpto.kernel.receipt import Receipt
from openpto.language.configuration import Settings, settings

if TYPE_CHECKING:
    from openpto.kernel.jit import JitCallableWrapper

Array = NDArray[Any]


@dataclass(slots=True, eq=False)
class ObservedCall:
    """One call of a kernel.

    kernel    the kernel object
    args      its positional arguments, the caller's objects
    kwargs    its keyword arguments
    settings  those in force
    before    tensor arguments as they were, copies by position; missing where an argument is no plain tensor
    same      per tensor argument the first position that is the same memory
    after     tensor arguments as the call left them, copies; empty if the call stopped
    receipt   of a call that completed
    error     what it stopped with
    """

    kernel: JitCallableWrapper
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    settings: Settings
    before: tuple[Array, ...] = ()
    same: tuple[int, ...] = ()
    after: tuple[Array, ...] = ()
    receipt: Receipt | None = None
    error: BaseException | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tensor parameters."""
        return tuple(parameter.name for parameter in self.kernel.signature.tensors)


class Observer:
    """Collects calls. Subclasses may act when one ends.

    Args:
        copies: whether contents are kept.
    """

    def __init__(self, copies: bool = True) -> None:
        self.calls: list[ObservedCall] = []
        self._copies = copies

    def begins(self, kernel: JitCallableWrapper, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> ObservedCall:
        """A call is about to run."""
        call = ObservedCall(kernel, args, dict(kwargs), settings())
        if self._copies:
            views = _views(call)
            call.before = tuple(view.copy() for view in views)
            pointers = [view.ctypes.data if view.nbytes else -1 - index for index, view in enumerate(views)]
            call.same = tuple(map(pointers.index, pointers))
        self.calls.append(call)
        return call

    def completed(self, call: ObservedCall, receipt: Receipt) -> None:
        """The call ran to its end."""
        call.receipt = receipt
        if self._copies:
            call.after = tuple(view.copy() for view in _views(call))

    def failed(self, call: ObservedCall, error: BaseException) -> None:
        """The call stopped."""
        call.error = error


_current: ContextVar[Observer | None] = ContextVar("openpto_observer", default=None)
current = _current.get
"""The observer of this thread or task, None if nobody watches."""


@contextmanager
def observe(observer: Observer | None = None) -> Iterator[Observer]:
    """Watch the calls of kernels in a block."""
    watching = Observer() if observer is None else observer
    token = _current.set(watching)
    try:
        yield watching
    finally:
        _current.reset(token)


def _views(call: ObservedCall) -> list[Array]:
    """The tensor arguments as arrays over the caller's memory, up to the first one that the kernel will refuse."""
    views: list[Array] = []
    for index, (name, value) in enumerate(zip(call.names, call.args, strict=False)):
        try:
            views.append(host_tensor(name, index, value).array)
        except PyptoError:
            break
    return [np.asarray(view) for view in views]
