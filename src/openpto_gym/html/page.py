"""The report as text: an overview of the operators, and a card for every output of every case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

import numpy as np

from openpto_gym.check import Result
from openpto_gym.html import drawing
from openpto_gym.html.assets import SCRIPT, STYLE
from openpto_gym.html.error_map import BOUNDS, ErrorMap
from openpto_gym.table import counts, outcome

OPEN = 60
"""A report of so many results shows all cards; of more, those of operators where something is wrong."""

WORDS = {"ok": "inside their tolerances", "miss": "outside", "error": "with an error", "skipped": "skipped"}
CLASSES = {"ok": "good", "miss": "bad", "error": "bad", "skipped": "warn"}


def page(results: Sequence[Result], golden: str) -> str:
    """The whole file. The same results give the same text: it holds no times and no dates."""
    groups = [(name, list(found)) for name, found in groupby(results, key=lambda result: result.operator)]
    sections = (_section(name, found, len(results) <= OPEN) for name, found in groups)
    return "\n".join(
        (
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(_title(results, groups))}</title>",
            f"<style>{STYLE}</style></head><body>",
            *_head(results, groups, golden),
            "<main>",
            *_overview(groups),
            FILTERS,
            *sections,
            "</main>",
            f"<footer>{_footer(results)}</footer>",
            f"<script>{SCRIPT}</script></body></html>\n",
        )
    )


FILTERS = (
    '<div class="filters"><input type="search" id="text" placeholder="operator, case, dtype, output" '
    'aria-label="Show only cards with these words"><label><input type="checkbox" id="only"> only what is not ok'
    '</label></div>\n<p id="none" hidden>Nothing has these words.</p>'
)

Groups = Sequence[tuple[str, Sequence[Result]]]


def _title(results: Sequence[Result], groups: Groups) -> str:
    what = groups[0][0] if len(groups) == 1 else f"{len(groups)} operators"
    wrong = sum(result.verdict != "ok" for result in results)
    return (
        f"{what}: {wrong} of {len(results):,} results are not ok" if wrong else f"{what}: {len(results):,} results ok"
    )


def _head(results: Sequence[Result], groups: Groups, golden: str) -> Iterator[str]:
    numbers = [
        f'<span class="{CLASSES[verdict]}">{count:,} {WORDS[verdict]}</span>'
        for verdict, count in counts(results).items()
    ]
    engines = sorted({result.engine for result in results if result.engine})
    yield f"<header><h1>{escape(_title(results, groups))}</h1><p>{', '.join(numbers)}.</p>"
    yield (
        f'<p class="soft">Every output is compared with a golden that {escape(golden)} computes in float64'
        f"{'; engine: ' + escape(', '.join(engines)) if engines else ''}. A map shows the largest error of each cell "
        "over what the tolerance allows there; the ring marks the largest of all.</p>"
    )
    yield drawing.legend() + "</header>"


def _overview(groups: Groups) -> Iterator[str]:
    yield '<div class="wide"><table class="all"><thead><tr><th>operator</th><th class="n">results</th>'
    yield '<th class="n">not ok</th><th>largest error of each result, in tolerances</th>'
    yield '<th class="n">largest</th><th>case</th></tr></thead><tbody>'
    for name, found in groups:
        wrong = sum(result.verdict != "ok" for result in found)
        ratios = [result.errors.ratio for result in found if result.errors is not None]
        worst = max(found, key=lambda result: -1.0 if result.errors is None else result.errors.ratio)
        yield (
            f'<tr><td><a href="#{escape(name)}">{escape(name)}</a></td><td class="n">{len(found)}</td>'
            f'<td class="n{" bad" if wrong else ""}">{wrong or ""}</td><td>{drawing.strip(ratios)}</td>'
            f'<td class="n">{drawing.short(max(ratios)) if ratios else ""}</td>'
            f"<td>{escape(f'{worst.case} {worst.output}') if ratios else ''}</td></tr>"
        )
    yield "</tbody></table></div>"


def _section(name: str, found: Sequence[Result], small: bool) -> str:
    wrong = [result for result in found if result.verdict != "ok"]
    state = f'<span class="bad">{len(wrong)} not ok</span>' if wrong else "ok"
    cards = "\n".join(map(_card, sorted(found, key=lambda result: result.verdict == "ok")))
    return (
        f'<section id="{escape(name)}"><details{" open" if small or wrong else ""}><summary><h2>{escape(name)}</h2>'
        f'<span class="soft">{len(found)} results, {state}</span></summary>\n<div class="cards">\n{cards}\n</div>'
        "</details></section>"
    )


def _card(result: Result) -> str:
    words = escape(f"{result.operator} {result.case} {result.dtype} {result.output} {result.verdict}".lower())
    state = "" if result.verdict == "ok" else f'<div class="bad">{escape(outcome(result))}</div>'
    what = " · ".join(filter(None, (result.output, result.dtype, result.sizes)))
    body = _compared(result, result.errors) if result.errors is not None else _not_compared(result)
    return (
        f'<article class="card {result.verdict}" data-words="{words}"><h3>{escape(result.case)}</h3>'
        f'<div class="what">{escape(what)}</div>{state}{body}</article>'
    )


def _not_compared(result: Result) -> str:
    if result.found is not None:
        return '<p class="soft">The output has no elements.</p>'
    return f"<pre>{escape(result.note)}</pre>"


def _compared(result: Result, errors: ErrorMap) -> str:
    pairs: tuple[tuple[str, str], ...] = (
        ("largest", drawing.share(errors.ratio)),
        ("at", f"[{', '.join(map(str, errors.worst))}]"),
        ("computed", errors.got),
        ("expected", errors.golden),
        ("error", f"{errors.error:.3g}, allowed {errors.allowed:.3g}"),
        ("tolerance", str(result.tolerance).replace("|golden|", "g")),
    )
    if errors.ratio == 0.0:
        pairs = (("largest", "0: every element is equal"), pairs[-1])
    facts = "".join(f'<dt>{name}</dt><dd class="mono">{escape(value)}</dd>' for name, value in pairs)
    return (
        f'<div class="plate">{drawing.heat_map(errors)}</div><div class="axes">{escape(_axes(errors))}</div>'
        f"<dl>{facts}</dl>{_bars(errors)}"
    )


def _axes(errors: ErrorMap) -> str:
    shape = "x".join(map(str, errors.shape))
    if errors.folded:
        text = f"{shape}, elements in order, {errors.grid.shape[1] * errors.cell[1]} a line"
    else:
        lead = len(errors.shape) - 1
        down = "no axis" if not lead else "axis 0" if lead == 1 else f"axes 0 to {lead - 1}"
        text = f"{shape}, down {down}, across the last"
    return text if errors.cell == (1, 1) else f"{text}; a cell is {errors.cell[0]}x{errors.cell[1]} elements"


def _bars(errors: ErrorMap) -> str:
    """The histogram: how many errors are up to each share of the tolerance; empty classes at the ends are left out."""
    filled = [k for k, count in enumerate(errors.histogram) if count]
    most, total = max(errors.histogram), sum(errors.histogram)
    parts = []
    for k in range(filled[0], filled[-1] + 1):
        count, bound = errors.histogram[k], BOUNDS[k]
        label = "0" if bound == 0 else "more" if np.isinf(bound) else f"≤ {drawing.short(bound)}"
        colour = drawing.bar_colour(bound)
        width = 100 * count / most
        bar = f'<i style="width:{width:.1f}%;--c:{colour}"></i>' if count else ""
        parts.append(f"<span>{label}</span><span>{bar}</span><span>{count:,}</span>")
    title = f"{total:,} errors in tolerances"
    return f'<div class="bars" role="img" aria-label="{title}" title="{title}">{"".join(parts)}</div>'


def _footer(results: Sequence[Result]) -> str:
    if any(result.verdict == "skipped" for result in results):
        return "A skipped case is no pass: install torch, or compare with goldens of numpy."
    return "Cases whose output has no elements are compared as well: nothing was written where nothing should be."
