"""The drawings of the report as inline SVG: error maps, strips of dots, the legend."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from openpto_gym.html import png
from openpto_gym.html.error_map import ErrorMap

WIDTH, HEIGHT = 256, 192
"""Pixels that a map may take."""

WIDEST_CELL, HIGHEST_CELL = 16, 16
STRIP = (360, 20)
DECADES = (-4, 2)
"""The axis of a strip, in powers of ten of a tolerance."""


def short(ratio: float) -> str:
    """A ratio in a few characters: as a percentage of the tolerance, as a multiple where it is more than that."""
    if math.isinf(ratio):
        return "infinite"
    if ratio > 1:
        return f"{ratio:,.0f}x" if ratio >= 100 else f"{ratio:.3g}x"
    if ratio >= 0.1 or not ratio:
        return f"{100 * ratio:.0f} %"
    return f"{100 * ratio:.2g} %" if ratio >= 1e-4 else "< 0.01 %"


def share(ratio: float) -> str:
    """A ratio in words."""
    if math.isinf(ratio):
        return "more than can be measured"
    if ratio > 1:
        return f"{short(ratio)[:-1]} tolerances"
    return f"{short(ratio)} of the tolerance"


def heat_map(errors: ErrorMap) -> str:
    """The map of an output, with a ring around the cell of the largest error."""
    rows, columns = errors.grid.shape
    across, down = min(WIDEST_CELL, WIDTH // columns), min(HIGHEST_CELL, HEIGHT // rows)
    wide, high = columns * across, rows * down
    image = png.data_uri(png.places(errors.grid))
    row, column = errors.at
    ring = ""
    if errors.ratio > 0:
        width, height = max(across, 5) + 4, max(down, 5) + 4
        x, y = (column + 0.5) * across - width / 2, (row + 0.5) * down - height / 2
        box = f'<rect x="{x:g}" y="{y:g}" width="{width}" height="{height}" rx="2" fill="none"'
        ring = f'{box} stroke="#fff" stroke-width="3"/>{box} stroke="#111" stroke-width="1.4"/>'
    label = f"largest error: {share(errors.ratio)}, at [{', '.join(map(str, errors.worst))}]"
    return (
        f'<svg viewBox="-4 -4 {wide + 8} {high + 8}" width="{wide + 8}" height="{high + 8}" role="img" '
        f'aria-label="{label}"><image href="{image}" width="{wide}" height="{high}" '
        'preserveAspectRatio="none"/>'
        f'<rect x="-.5" y="-.5" width="{wide + 1}" height="{high + 1}" fill="none" stroke="#8a8f96" '
        f'stroke-width="1"/>{ring}</svg>'
    )


def strip(ratios: Sequence[float]) -> str:
    """A dot for the largest error of every result, on a line from 0.01 % of a tolerance to a hundred of them."""
    wide, high = STRIP
    limit = _place(1.0)
    ticks = "".join(
        f'<line x1="{_place(10.0**k):.1f}" x2="{_place(10.0**k):.1f}" y1="14" y2="17" stroke="currentColor" '
        'stroke-opacity=".35"/>'
        for k in range(DECADES[0], DECADES[1] + 1)
    )
    dots = "".join(
        f'<circle cx="{place:.1f}" cy="8" r="3" fill="{png.colour(ratio) if ratio > 1 else "var(--good)"}" '
        f'fill-opacity="{".9" if ratio > 1 else ".28"}"/>'
        for place, ratio in sorted((_place(ratio), ratio) for ratio in ratios)
    )
    return (
        f'<svg class="strip" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" role="img" '
        f'aria-label="{len(ratios)} largest errors"><line x1="4" x2="{wide - 4}" y1="15.5" y2="15.5" '
        f'stroke="currentColor" stroke-opacity=".35"/>{ticks}<line x1="{limit:.1f}" x2="{limit:.1f}" y1="1" y2="17" '
        f'stroke="var(--bad)" stroke-width="1.5"/>{dots}</svg>'
    )


def _place(ratio: float) -> float:
    """Where a ratio stands on a strip; what is beyond its ends stands on them."""
    low, high = DECADES
    power = low if ratio <= 10.0**low else high if ratio >= 10.0**high else math.log10(ratio)
    return 6 + (STRIP[0] - 12) * (power - low) / (high - low)


def bar_colour(bound: float) -> str:
    """The colour of a class of a histogram: that of its upper bound in a map."""
    return png.colour(30.0 if math.isinf(bound) else bound)


def legend() -> str:
    """What the colours of the maps mean, and the axis of the strips."""
    ramp = np.logspace(np.log10(png.LOWEST), 0, 100).reshape(1, -1)
    beyond = np.logspace(0.01, np.log10(png.HIGHEST), 75).reshape(1, -1)
    image = png.data_uri(png.places(np.concatenate([ramp, beyond], axis=1)))
    end = 100 * ramp.size / (ramp.size + beyond.size)
    ticks = (("0.01 %", 0.0), ("1 %", end / 2), ("1 tolerance", end), ("1000", 100.0))
    keys = (("no error", 0.0), ("NaN or infinity missed", math.inf))
    squares = "".join(f'<span class="key" style="--c:{png.colour(ratio)}">{text}</span>' for text, ratio in keys)
    marks = "".join(f'<span style="--x:{x:.1f}%">{text}</span>' for text, x in ticks)
    return (
        f'<div class="legend"><div><img src="{image}" alt="colours from 0.01 % of the tolerance to 1000 tolerances">'
        f'<div class="ticks">{marks}</div></div>'
        f"{squares}<span>In the table, the red line is the tolerance; the axis goes from 0.01 % to 100 "
        "tolerances.</span></div>"
    )
