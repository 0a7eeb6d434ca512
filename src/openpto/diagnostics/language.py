"""Texts in two languages, and which of the two the user reads."""

from __future__ import annotations

import locale
import os
import sys
from typing import Literal

from openpto._records import dataclass

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")

_chosen: Language | None = None


@dataclass(frozen=True, slots=True)
class T:
    """One text in English and Chinese. Fields in braces are filled in by `str.format`."""

    en: str
    zh: str

    def in_language(self, language: Language) -> str:
        return self.zh if language == "zh" else self.en


def set_language(language: Language | None) -> None:
    """Choose the language of diagnostics for this process; None goes back to PYPTO_LANG and the locale."""
    global _chosen
    if language not in ("en", "zh", None):
        raise ValueError(f"language must be 'en', 'zh' or None, but got {language!r}")
    _chosen = language


def current_language() -> Language:
    """The language of diagnostics: `set_language`, else PYPTO_LANG, else Chinese under a zh locale, else English."""
    if _chosen is not None:
        return _chosen
    wish = os.environ.get("PYPTO_LANG", "").strip().lower()
    if wish.startswith("zh"):
        return "zh"
    if wish.startswith("en"):
        return "en"
    return "zh" if _locale_is_chinese() and _can_print("中") else "en"


def said(text: T, /, **fields: object) -> str:
    """A text in the language of the user, with its fields filled in.

    >>> said(T("{count} tiles", "{count} 个 tile"), count=3)
    '3 tiles'
    """
    return text.in_language(current_language()).format(**fields)


def _locale_is_chinese() -> bool:
    """The first of the POSIX variables that is set decides; without any, the locale of the process."""
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(variable, "")
        if value:
            return value.lower().startswith("zh")
    try:
        name = locale.getlocale()[0] or ""
    except ValueError:  # a locale name that Python cannot parse
        return False
    return name.lower().startswith(("zh", "chinese"))


def _can_print(text: str) -> bool:
    """True unless the error stream has an encoding that cannot express `text`."""
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
