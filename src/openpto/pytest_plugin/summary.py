"""The section that pytest prints after the tests: what kernels did, on which engine, and what was not as asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from openpto.pytest_plugin.tally import Tally

NO_DEVICE = "PTO298"
COLUMNS = ("kernel", "engine", "calls", "operations", "compiled", "compile s", "run s")


def write(reporter: Any, total: Tally, chosen: Mapping[str, str]) -> None:
    """Write the section; with `-q` its first line alone, with `-v` a row per kernel too."""
    verbosity = reporter.config.option.verbose
    first, *more = lines(total, chosen)
    if verbosity < 0:
        reporter.write_line(f"pypto: {first}")
        return
    reporter.section("pypto")
    for line in (first, *more):
        reporter.line(line)
    if verbosity > 0:
        for line in table(total):
            reporter.line(line)


def lines(total: Tally, chosen: Mapping[str, str]) -> Iterator[str]:
    """The sums of a session, a sentence each."""
    yield _runs(total)
    settings = _settings(total, chosen)
    if settings:
        yield settings
    fallen = Counter({row[0]: int(amounts["fallbacks"]) for row, amounts in total.rows.items() if amounts["fallbacks"]})
    if fallen:
        yield f"not compiled, ran on the reference (PTO443): {_counted(fallen)}"
    if total.warnings:
        yield f"warnings: {_counted(total.warnings)}"
    if total.stops:
        yield f"stopped by a code: {_counted(total.stops)}"
    if NO_DEVICE in total.stops:
        yield "run mode npu needs a device: PYPTO_NPU_PYTHON names none; --run_mode sim runs kernels on this machine"


def _runs(total: Tally) -> str:
    if not total.rows:
        return "no call of a kernel completed"
    sums = {name: sum(amounts[name] for amounts in total.rows.values()) for name in next(iter(total.rows.values()))}
    engines: Counter[str] = Counter()
    for row, amounts in total.rows.items():
        engines[row[1]] += int(amounts["calls"])
    kernels = len({row[0] for row in total.rows})
    by = ", ".join(f"{engine} {count:,}" for engine, count in sorted(engines.items()))
    what = f"{_number(kernels, 'kernel')}, {_number(int(sums['calls']), 'call')} ({by})"
    seconds = f"{sums['compile_seconds']:.2f} s, run {sums['run_seconds']:.2f} s"
    return (
        f"{what}, {_number(int(sums['operations']), 'operation')}; "
        f"{_number(int(sums['compiled']), 'compilation')} {seconds}"
    )


def _settings(total: Tally, chosen: Mapping[str, str]) -> str:
    """The settings that calls had, where they are not the usual ones."""
    columns: dict[str, tuple[int, tuple[str, ...]]] = {
        "run mode": (2, ("sim (default)",)),
        "numerics": (3, ("npu",)),
        "target": (4, ("",)),
        "platform": (5, ("",)),
    }
    found = []
    for name, (column, usual) in columns.items():
        values = sorted({row[column] for row in total.rows})
        if values and (name in chosen or set(values) - set(usual)):
            found.append(f"{name} {', '.join(value or 'unset' for value in values)}")
    return "; ".join(found)


def table(total: Tally) -> Iterator[str]:
    """A row per kernel and engine."""
    sums: dict[tuple[str, str], Counter[str]] = {}
    for row, amounts in total.rows.items():
        sums.setdefault((row[0], row[1]), Counter()).update(amounts)
    rows = [
        (
            kernel, engine, f"{s['calls']:,}", f"{s['operations']:,}", f"{s['compiled']:,}",
            f"{s['compile_seconds']:.3f}", f"{s['run_seconds']:.3f}",
        )
        for (kernel, engine), s in sorted(sums.items())
    ]  # fmt: skip
    widths = [max(len(row[at]) for row in (COLUMNS, *rows)) for at in range(len(COLUMNS))]
    for line in (COLUMNS, *rows):
        cells = [f"{cell:<{w}}" for cell, w in zip(line[:2], widths, strict=False)]
        cells += [f"{cell:>{w}}" for cell, w in zip(line[2:], widths[2:], strict=True)]
        yield "  ".join(cells).rstrip()


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(name if count == 1 else f"{name} x{count}" for name, count in _sorted(counts.items()))


def _sorted(items: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    return sorted(items, key=lambda item: (-item[1], item[0]))


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
