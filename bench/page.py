"""The rows of the table of results, the page and its plot."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from xml.sax.saxutils import escape

from timing import machine

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
PLOT = PAGE.with_suffix(".svg")
FONT = 'font-family="sans-serif" font-size="12"'
HEAD = ("work", "against", "ours", "theirs", "ratio", "target", "")


def milliseconds(value: float) -> str:
    """Seconds as people read them."""
    if value == 0.0:
        return ""
    return f"{value * 1e3:.2f} ms" if value >= 1e-4 else f"{value * 1e6:.1f} us"


def mebibytes(value: float) -> str:
    """Bytes as people read them."""
    return f"{value / 2**20:.1f} MiB"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: seconds (or what ``show`` makes text of); ``ratio`` is theirs over ours, or our share of a
    limit, and is to be at least ``target``."""

    work: str
    against: str
    ours: float
    theirs: float
    ratio: float
    target: float
    percent: bool = False
    show: Callable[[float], str] = milliseconds

    @property
    def met(self) -> bool:
        """Whether the target is reached."""
        return self.ratio >= self.target

    @property
    def cells(self) -> tuple[str, ...]:
        """As text."""
        ratios = [f"{100 * x:.0f} %" if self.percent else f"{x:.2f}x" for x in (self.ratio, self.target)]
        target = ratios[1] if self.target else "-"
        verdict = ("met" if self.met else "missed") if self.target else ""
        return self.work, self.against, self.show(self.ours), self.show(self.theirs), ratios[0], target, verdict


def within(work: str, against: str, ours: float, limit: float, show: Callable[[float], str] = milliseconds) -> Row:
    """A row whose target is a limit of ours."""
    return Row(work, against, ours, limit, limit / ours, 1.0, show=show)


def write(rows: Sequence[Row], threads: int, limits: Sequence[str]) -> None:
    """The page and the plot; ``limits`` are lines about the machine, measured in the same run."""
    lines = ["| " + " | ".join(HEAD) + " |", "|---|---|---:|---:|---:|---:|---|"]
    lines += ["| " + " | ".join(row.cells) + " |" for row in rows]
    facts = "\n".join([*(f"- {name}: {value}" for name, value in machine().items()), *(f"- {x}" for x in limits)])
    now = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    load = os.getloadavg()[1] if hasattr(os, "getloadavg") else 0.0
    warning = LOADED.format(load=load) if load > QUIET else ""
    table = "\n".join(lines)
    PAGE.write_text(TEXT.format(threads=threads, facts=facts, table=table, now=now, plot=PLOT.name, warning=warning))
    PLOT.write_text(plot(rows))


def plot(rows: Sequence[Row]) -> str:
    """A bar for each row: the ratio as a part of its target, on a logarithmic scale from a quarter to eight times."""
    from math import log2

    shown = [row for row in rows if row.target]
    left, width, line, top = 420, 420, 20, 34
    height = top + line * len(shown) + 10

    def place(part: float) -> float:
        return left + width * (min(max(log2(part), -2.0), 3.0) + 2.0) / 5.0

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 90}" height="{height}" {FONT}>',
        '<rect width="100%" height="100%" fill="white"/>',
        '<text x="10" y="16">Measured ratio over its target; right of the line the target is met</text>',
    ]
    for part in (0.25, 0.5, 1, 2, 4, 8):
        x = place(part)
        ink = "#333" if part == 1 else "#ccc"
        parts.append(f'<line x1="{x:.0f}" y1="{top - 4}" x2="{x:.0f}" y2="{height - 8}" stroke="{ink}"/>')
        parts.append(f'<text x="{x:.0f}" y="{top - 7}" text-anchor="middle" fill="#666">{part:g}</text>')
    for number, row in enumerate(shown):
        y, x, one = top + line * number, place(max(row.ratio / row.target, 1e-9)), place(1)
        label = escape(f"{row.work} / {row.against}")
        fill = "#3a7d44" if row.met else "#b5532a"
        parts.append(f'<text x="{left - 8}" y="{y + 14}" text-anchor="end" font-size="11">{label}</text>')
        bar = f'x="{min(x, one):.0f}" y="{y + 4}" width="{abs(x - one):.0f}" height="{line - 8}" fill="{fill}"'
        parts.append(f"<rect {bar}/>")
        parts.append(f'<text x="{max(x, one) + 5:.0f}" y="{y + 14}" font-size="11">{row.cells[4]}</text>')
    return "\n".join([*parts, "</svg>", ""])


QUIET = 1.5
"""Load of a machine that runs the benchmarks and little else."""
LOADED = """
**Not final**: the machine was busy with other work (load {load:.1f}), which slows both sides down, and not alike.
"""
TEXT = """# Benchmarks

Written by `make bench` on {now}: medians of alternated runs in one process, {threads} thread(s) on both sides. A ratio
is the median over rounds of their time over ours. With one thread times are processor time, with several they are wall
time. Limits of the machine are measured in the same run; our share of them is given in percent.
{warning}
{facts}

![Ratios over their targets]({plot})

{table}
"""
