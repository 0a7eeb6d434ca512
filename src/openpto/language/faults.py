"""Integers that are known while tracing and have no meaning together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from openpto.ir.expr import ScalarFault

from .symbolic import scalar_fault


@contextmanager
def known_integers() -> Iterator[None]:
    """Overflow, division by zero and the like inside the block stop with a code (PTO202 to PTO204)."""
    try:
        yield
    except ScalarFault as fault:
        scalar_fault(fault)
