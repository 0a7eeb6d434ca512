"""Marks that say for which chips a test is meant."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from openpto.pytest_plugin.options import restore

CHIPS = ("910B", "910C", "950")
VARIABLE = "PYPTO_PLATFORM"
SOC_NAMES = {
    "910": ("910B", "910C"),
    "910b": ("910B",),
    "910_93": ("910C",),
    "910c": ("910C",),
    "950": ("950",),
    "950pr": ("950",),
    "950dt": ("950",),
}
"""What `pytest.mark.soc` calls them, with or without "Ascend" in front."""


def chips_of(names: Sequence[object]) -> tuple[str, ...]:
    """The chips that `pypto_chip` names. ValueError: PTO542."""
    found = tuple(str(name).upper() for name in names)
    for name in found:
        if name not in CHIPS:
            from openpto.diagnostics import fail

            fail("PTO542", chip=name)
    return found


def _soc_chips(names: Sequence[object]) -> tuple[str, ...]:
    """The chips that `soc` names; none if a name is of another world, since the mark is not ours alone."""
    known = [SOC_NAMES.get(str(name).lower().removeprefix("ascend")) for name in names]
    return tuple(chip for chips in known for chip in chips or ()) if None not in known else ()


def meant_for(item: pytest.Item) -> tuple[str, ...]:
    """The chips a test is meant for; () if it does not say. The mark that is nearest to the test counts."""
    mark = item.get_closest_marker("pypto_chip")
    if mark is not None:
        return chips_of(mark.args)
    mark = item.get_closest_marker("soc")
    return _soc_chips(mark.args) if mark is not None else ()


def _chip_of_run() -> str:
    text = os.environ.get(VARIABLE, "").strip().upper()
    return "" if text in ("NONE", "UNSET") else text


def skip_elsewhere(item: pytest.Item) -> None:
    """Skip a test that is meant for other chips than that of the run."""
    wanted, chip = meant_for(item), _chip_of_run()
    if wanted and chip and chip not in wanted:
        pytest.skip(f"for {', '.join(wanted)}; this run is for {chip}")


@contextmanager
def held_to(item: pytest.Item) -> Iterator[None]:
    """In a run that is for no chip in particular, hold a test that is meant for one chip to it."""
    try:
        wanted = meant_for(item)
    except ValueError:  # told by the set-up of the test
        wanted = ()
    if len(wanted) != 1 or _chip_of_run():
        yield
        return
    before = {VARIABLE: os.environ.get(VARIABLE)}
    os.environ[VARIABLE] = wanted[0]
    try:
        yield
    finally:
        restore(before)
