"""Counting runs of kernels: rows that add up and travel as plain values."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from openpto._runs import observers

FALLBACK = "PTO443"
"""The warning that a kernel ran on the reference because the native engine does not compile it."""
MANY = 1000
"""Runs that wait to be counted."""

Row = tuple[str, str, str, str, str, str]
"""Kernel, engine, run mode, numerics, target, platform."""
AMOUNTS = ("calls", "operations", "compiled", "compile_seconds", "run_seconds", "fallbacks")


class Tally:
    """Runs that were counted, warnings that they gave, and codes that stopped a test."""

    def __init__(self) -> None:
        self.rows: dict[Row, dict[str, float]] = {}
        self.warnings: Counter[str] = Counter()
        self.stops: Counter[str] = Counter()
        self._waiting: list[Any] = []
        self._lock = threading.Lock()

    def __bool__(self) -> bool:
        return bool(self.rows or self.stops)

    def listen(self) -> Callable[[], None]:
        """Note every run of this process from now on; the result ends that."""
        observers.append(self._note)
        return lambda: observers.remove(self._note)

    def _note(self, run: Any) -> None:
        self._waiting.append(run)
        if len(self._waiting) >= MANY:
            self._count()

    def _count(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        from openpto.kernel.receipt import receipt_of

        for run in waiting:
            self._add_receipt(receipt_of(run))

    def _add_receipt(self, receipt: Any) -> None:
        codes = [warning.code for warning in receipt.warnings]
        mode = receipt.run_mode.name.lower()
        row = (
            receipt.kernel,
            receipt.engine,
            f"{mode} ({receipt.run_mode_source})",
            receipt.numerics,
            receipt.target or "",
            receipt.platform or "",
        )
        amounts = (
            1,
            receipt.ops_executed,
            int(receipt.compiled),
            receipt.compile_seconds,
            receipt.run_seconds,
            int(FALLBACK in codes),
        )
        with self._lock:
            self._increase(row, dict(zip(AMOUNTS, amounts, strict=True)))
            self.warnings.update(codes)

    def _increase(self, row: Row, amounts: Mapping[str, float]) -> None:
        mine = self.rows.setdefault(row, dict.fromkeys(AMOUNTS, 0))
        for name in AMOUNTS:
            mine[name] += amounts[name]

    def take(self, stops: Iterable[str] = ()) -> dict[str, Any] | None:
        """Everything counted, as plain values, and begin anew; None if there is nothing."""
        self._count()
        with self._lock:
            self.stops.update(stops)
            if not self:
                return None
            taken = {
                "rows": [[list(row), amounts] for row, amounts in self.rows.items()],
                "warnings": dict(self.warnings),
                "stops": dict(self.stops),
            }
            self.rows, self.warnings, self.stops = {}, Counter(), Counter()
        return taken

    def add(self, taken: Mapping[str, Any] | None) -> None:
        """Add what another tally counted."""
        if taken is None:
            return
        for row, amounts in taken["rows"]:
            kernel, engine, mode, numerics, target, platform = row
            self._increase((kernel, engine, mode, numerics, target, platform), amounts)
        self.warnings.update(taken["warnings"])
        self.stops.update(taken["stops"])


class Receipts(list[Any]):
    """A list that every receipt of this process is appended to while it is entered."""

    def __enter__(self) -> Receipts:
        observers.append(self._note)
        return self

    def __exit__(self, *exc: object) -> None:
        observers.remove(self._note)

    def _note(self, run: Any) -> None:
        from openpto.kernel.receipt import receipt_of

        self.append(receipt_of(run))


def codes_of(error: BaseException) -> tuple[str, ...]:
    """The code of an error of ours, () for any other."""
    code = getattr(error, "code", None)
    return (code,) if isinstance(code, str) and code.startswith("PTO") else ()
