"""What a verified call prints and saves: real values, in files under one directory of the run.

``output/output_<time>/tensor/<name>.data`` and ``.csv`` hold what ``pass_verify_save`` was given;
``output/output_<time>/verify_<kernel>/`` holds the comparison with goldens: ``verify_graph_data_metainfo.csv``,
``verify_graph_result_brief.csv`` and ``.log``, ``interpreter.log``, and the compared tensors in ``tensor_graph`` if
``pass_verify_save_tensor`` is set.
"""

from __future__ import annotations

import contextvars
import csv
import itertools
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto._records import dataclass, field
from openpto.diagnostics import fail
from openpto.ir.dtypes import DataType
from openpto.ops import arith
from openpto.ops.math.small_floats import CODES, PAIRS, decoded
from openpto.runtime.reference.evaluate import evaluate

Array = NDArray[Any]
FAILED = "0xB4001U"
_runs = itertools.count()


def _make(folder: Path) -> None:
    """Make a directory (PTO484 if that is not possible)."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail("PTO484", folder=str(folder), why=error.strerror or str(error))


@dataclass(slots=True)
class Verification:
    """One verified call: where its files go, and the lines of its log so far."""

    kernel: str
    base: str = ""
    lines: list[str] = field(default_factory=list)
    _root: Path | None = None

    @property
    def root(self) -> Path:
        """The directory of the run; made when it is first asked for."""
        if self._root is None:
            stamp = f"{time.strftime('%Y%m%d_%H%M%S')}_{os.getpid()}_{next(_runs)}"
            self._root = Path(self.base or "output") / f"output_{stamp}"
            _make(self._root)
        return self._root

    def folder(self, name: str) -> Path:
        """A directory below it."""
        path = self.root / name
        _make(path)
        return path

    def say(self, line: str) -> None:
        """Add to the log."""
        self.lines.append(line)

    def save(self, name: str, data: Array, dtype: DataType) -> None:
        """Write the elements as they lie in memory, and as text."""
        folder = self.folder("tensor")
        (folder / f"{name}.data").write_bytes(np.ascontiguousarray(data).tobytes())
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(["shape", "x".join(map(str, data.shape)), "dtype", dtype.name])
            numbers = values_of(data, dtype)
            rows.writerows(numbers.reshape(-1, numbers.shape[-1]).tolist())
        self.say(f"EVENT SAVE {name}.data {dtype.short} {list(data.shape)}")

    def write_log(self) -> None:
        """Write the log if there is anything to say."""
        if self.lines:
            path = self.folder(f"verify_{self.kernel}") / "interpreter.log"
            path.write_text("".join(f"{line}\n" for line in self.lines), encoding="utf-8")


def values_of(data: Array, dtype: DataType) -> Array:
    """Elements as numbers that numpy prints: floats of 8 and 4 bits as what their codes mean, pairs as their codes."""
    if dtype in CODES and dtype not in PAIRS:
        codes = np.ascontiguousarray(data).view(np.uint8)
        return evaluate(decoded(arith.var(arith.U8), dtype), [codes])
    return data.astype(np.float32) if dtype is arith.BF16 else data


def shown(data: Array, dtype: DataType, style: tuple[int, int, int, int]) -> str:
    """A tensor as text; ``style`` is (edgeitems, precision, threshold, linewidth)."""
    edge, precision, threshold, width = style
    return np.array2string(
        values_of(data, dtype),
        edgeitems=edge,
        precision=precision,
        threshold=threshold,
        max_line_width=max(width, 20),
    )


def tell(texts: Sequence[str | None], words: Sequence[str]) -> None:
    """Print a line, and log it; ``words`` stand where there is no text."""
    rest = iter(words)
    line = " ".join(next(rest) if text is None else text for text in texts)
    print(line)
    current().say(f"EVENT PRINT {line}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one tensor compares with its golden; without one there are no numbers."""

    name: str
    result: str
    elements: int = 0
    failed: int = 0
    absolute: float = 0.0
    relative: float = 0.0


def compare(name: str, data: Array, golden: Array | None, rtol: float, atol: float) -> Outcome:
    """Whether |data - golden| <= atol + rtol |golden| everywhere; NaN equals NaN, and infinities themselves."""
    if golden is None:
        return Outcome(name, "NO_COMPARE")
    got, want = data.astype(np.float64), golden.astype(np.float64)
    with np.errstate(all="ignore"):
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        error = np.where(same, 0.0, np.abs(got - want))
        bad: NDArray[np.bool_] = ~(same | (error <= atol + rtol * np.abs(want)))
        finite = np.where(np.isnan(error), np.inf, error)
        ratio = np.where(same, 0.0, finite / np.maximum(np.abs(want), np.finfo(np.float64).tiny))
    absolute, relative = (float(x.max(initial=0.0)) for x in (finite, ratio))
    return Outcome(name, "FAILED" if bad.any() else "PASS", got.size, int(bad.sum()), absolute, relative)


def write_results(run: Verification, outcomes: Sequence[Outcome], arrays: Sequence[tuple[Array, DataType]]) -> None:
    """The tables and the log of a comparison."""
    folder = run.folder(f"verify_{run.kernel}")
    with (folder / "verify_graph_data_metainfo.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["graph", "tensor", "dtype", "shape"])
        for outcome, (data, dtype) in zip(outcomes, arrays, strict=True):
            rows.writerow(["tensor_graph", outcome.name, dtype.name, "x".join(map(str, data.shape))])
    head: list[object] = ["graph", "tensor", "result", "elements", "failed", "max_abs_error", "max_rel_error"]
    body: list[list[object]] = [
        ["tensor_graph", o.name, o.result, o.elements, o.failed, f"{o.absolute:.9g}", f"{o.relative:.9g}"]
        for o in outcomes
    ]
    with (folder / "verify_graph_result_brief.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *body])
    text = "".join("  ".join(map(str, row)) + "\n" for row in [head, *body])
    (folder / "verify_graph_result_brief.log").write_text(text, encoding="utf-8")
    for o in outcomes:
        numbers = "" if o.result == "NO_COMPARE" else f" {o.failed} of {o.elements} elements differ"
        run.say(f"{'ERROR ' + FAILED if o.result == 'FAILED' else 'EVENT'} {o.result} tensor_graph {o.name}{numbers}")


def save_compared(run: Verification, outcomes: Sequence[Outcome], arrays: Sequence[tuple[Array, DataType]]) -> None:
    """The compared tensors as they lie in memory."""
    folder = run.folder(f"verify_{run.kernel}/tensor_graph")
    for outcome, (data, _) in zip(outcomes, arrays, strict=True):
        (folder / f"{outcome.name}.data").write_bytes(np.ascontiguousarray(data).tobytes())


_current: contextvars.ContextVar[Verification | None] = contextvars.ContextVar("verification", default=None)


def current() -> Verification:
    """The verified call that runs now; one of its own where none was begun."""
    found = _current.get()
    return Verification("kernel") if found is None else found


@contextmanager
def verifying(run: Verification | None) -> Iterator[None]:
    """Print and save for ``run`` inside the block; None: nothing is verified."""
    token = _current.set(run)
    try:
        yield
    finally:
        _current.reset(token)
        if run is not None:
            run.write_log()
