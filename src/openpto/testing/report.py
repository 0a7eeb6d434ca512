"""The text of a comparison: where, how far, how the errors are spread, and the worst elements."""

from __future__ import annotations

from openpto.diagnostics.language import T, said

from .compare import LARGEST_BOUND, Comparison, Element

BAR = 30
"""Cells of the longest bar of a histogram."""

_WORDS = {
    "spread": T("errors in {unit}", "误差分布（{unit}）"),
    "steps": T("steps", "步"),
    "worst": T("furthest outside", "超出最多的元素"),
    "index": T("index", "下标"),
    "got": T("got", "实际"),
    "golden": T("golden", "标准"),
    "abs": T("abs", "绝对误差"),
    "rel": T("rel", "相对误差"),
}


def _word(name: str, **fields: object) -> str:
    return said(_WORDS[name], **fields)


def summary(found: Comparison) -> str:
    """One sentence: how many are outside, the first and the worst of them, the largest errors."""
    parts = [f"{found.outside} of {found.elements} elements are outside"]
    if found.allowed:
        parts[0] += f" ({found.allowed} may be)"
    if found.not_finite:
        parts.append(f"{found.not_finite} of them are not finite or should not be")
    if found.worst:
        worst = found.worst[0]
        parts.append(f"first at {found.first}; worst at {worst.where}: got {worst.got}, golden {worst.want}")
    parts.append(f"max abs {found.max_abs:.3g}, max rel {found.max_rel:.3g}, max {found.max_ulp:.3g} ULP")
    return "; ".join(parts)


def report(found: Comparison, *, floats: bool = True) -> str:
    """The histogram of the errors and a table of the worst elements; empty for a comparison of nothing."""
    if not found.elements:
        return ""
    lines = [_word("spread", unit="ULP" if floats else _word("steps"))]
    lines += [f"  {label:>8} {count:>10} {bar}" for label, count, bar in _bars(found.histogram)]
    if found.worst:
        lines += [_word("worst"), *_table(found.worst, floats)]
    return "\n".join(line.rstrip() for line in lines)


def _bars(histogram: tuple[tuple[float, int], ...]) -> list[tuple[str, int, str]]:
    most = max(count for _, count in histogram)
    rows = []
    for bound, count in histogram:
        label = f"> {LARGEST_BOUND:g}" if bound == float("inf") else f"<= {bound:g}" if bound else "0"
        rows.append((label, count, "#" * max(1, round(BAR * count / most))))
    return rows


def _table(elements: tuple[Element, ...], floats: bool) -> list[str]:
    head = [_word(name) for name in ("index", "got", "golden", "abs", "rel")] + (["ULP"] if floats else [])
    rows = [head]
    for element in elements:
        where = "[" + ", ".join(map(str, element.where)) + "]"
        cells = [where, element.got, element.want, f"{element.error:.3g}", f"{element.relative:.3g}"]
        rows.append([*cells, f"{element.ulp:.3g}"] if floats else cells)
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    return ["  " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
