"""Is another distribution called pypto installed here? Asked once, when `pypto` is imported."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from openpto.diagnostics import Site, Span, fail, warn

# Names that installers give to the record of a distribution: pypto-0.2.0.dist-info, pypto-0.2.0-py3.11.egg-info.
_RECORD = re.compile(r"pypto-(?P<version>[0-9][^-]*)(-.*)?\.(dist|egg)-info\Z", re.IGNORECASE)


class Foreign(NamedTuple):
    """A distribution called pypto: its version and the folder it is installed in."""

    version: str
    folder: str


def foreign_distributions(folders: Iterable[str]) -> Iterator[Foreign]:
    """Every distribution called pypto that is recorded in one of the folders."""
    for folder in folders:
        try:
            names = os.listdir(folder or ".")
        except OSError:  # archives, and entries that do not exist
            continue
        for name in names:
            if record := _RECORD.match(name):
                yield Foreign(record["version"], folder or ".")


def check(own: str, folders: Iterable[str] | None = None) -> None:
    """Refuse a foreign pypto that shares the folder `own` with ours, and warn of one that lies elsewhere.

    own: the folder that holds our `pypto` package. folders: where to look, `sys.path` by default.
    Raises PTO590 (ImportError); warns PTO591.
    """
    for found in foreign_distributions(sys.path if folders is None else folders):
        if _same_folder(found.folder, own):
            fail("PTO590", site=_importing_line(), version=found.version, folder=found.folder)
        warn("PTO591", site=_importing_line(), version=found.version, folder=found.folder, own=own)


def _same_folder(one: str, other: str) -> bool:
    return os.path.normcase(os.path.realpath(one)) == os.path.normcase(os.path.realpath(other))


def _importing_line() -> Site | None:
    """The line outside of this project and of the import machinery that led here."""
    ours = str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.with_name("pypto"))
    frame = sys._getframe()
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(("<frozen importlib", *ours)):
            return Site(Span(file, frame.f_lineno))
        frame = frame.f_back  # type: ignore[assignment]
    return None
