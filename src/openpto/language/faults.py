"""Integers that are known while tracing and have no meaning together."""

from __future__ import annotations

from types import TracebackType

from openpto.ir.expr import ScalarFault

from .symbolic import scalar_fault


class known_integers:  # noqa: N801 - reads as a with statement; a generator would take several times as long
    """Overflow, division by zero and the like inside the block stop with a code (PTO202 to PTO204)."""

    __slots__ = ()

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, found: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(found, ScalarFault):
            scalar_fault(found)
