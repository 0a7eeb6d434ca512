"""Where a client opens the page of a rule: a file that is written from the registry when it is first linked to."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from openpto._version import __version__
from openpto.diagnostics import RULES, markdown
from openpto.diagnostics.language import Language


@lru_cache(maxsize=1024)
def page_uri(code: str, language: Language) -> str | None:
    """The URI of a rule's page below the cache folder; None where nothing is kept there, or nothing can be written."""
    from openpto.runtime.store import store

    kept = store()
    if kept.folder is None or kept.check():
        return None
    file = kept.folder.absolute() / "pages" / __version__ / language / f"{code}.md"
    try:
        _write(file, markdown.page(RULES[code], language))
    except OSError:
        return None
    return file.as_uri()


def _write(file: Path, text: str) -> None:
    """Write a file unless it has this text; it appears whole."""
    data = text.encode()
    if file.is_file() and file.read_bytes() == data:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f"{file.name}.{os.getpid()}.new")
    beside.write_bytes(data)
    os.replace(beside, file)
