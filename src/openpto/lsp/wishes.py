"""What the client wants: the language of texts, and settings that stand beside those of the project.

The settings are an object, alone or under the key `pypto`:

    {"language": "zh", "select": ["DEFAULT"], "extendSelect": ["GYM"], "ignore": ["PTO413"], "target": "0.3",
     "chip": "950"}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from openpto.device import CHIPS
from openpto.diagnostics.language import Language, T, current_language
from openpto.diagnostics.registry import PROFILES
from openpto.lsp.documents import Wishes

Tell = Callable[[str], None]

_LISTS = {"select": "select", "extendSelect": "extend_select", "ignore": "ignore"}
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "target": tuple(PROFILES),
    "chip": tuple(CHIPS),
    "language": ("en", "zh", "auto"),
}
_TEXTS = {
    "unknown": T(
        "pypto: there is no setting {key!r}; known are {known}", "pypto：没有设置项 {key!r}；可用的有 {known}"
    ),
    "list": T("pypto: {key} is not a list of texts", "pypto：{key} 不是文本列表"),
    "choice": T("pypto: {key} is {value!r}; it is one of {known}", "pypto：{key} 为 {value!r}；应为 {known} 之一"),
}


@dataclass(frozen=True, slots=True)
class Preferences:
    """The language of texts, what the linter is told, and the language that the client's surroundings suggest."""

    language: Language = "en"
    wishes: Wishes = field(default_factory=Wishes)
    natural: Language = "en"


def read(options: object, locale: str | None, tell: Tell) -> Preferences:
    """The preferences at the start: initialization options, and the client's locale where they name no language.

    A client without a locale gets the language that the command would speak (PYPTO_LANG, the locale of the process).
    """
    natural: Language = current_language()
    if locale:
        natural = "zh" if locale.lower().startswith("zh") else "en"
    return changed(Preferences(natural, natural=natural), options, tell)


def changed(before: Preferences, options: object, tell: Tell) -> Preferences:
    """The preferences after the client sent settings; what cannot be used of them is told and left out."""
    if not isinstance(options, Mapping):
        return before
    given: Any = options.get("pypto", options)
    if not isinstance(given, Mapping):
        return before
    values: dict[str, Any] = {}
    for key, value in given.items():
        if key in _LISTS:
            values[_LISTS[key]] = _texts(key, value, before.natural, tell)
        elif key in _CHOICES:
            values[key] = _choice(key, value, before.natural, tell)
        else:
            known = ", ".join((*_LISTS, *_CHOICES))
            tell(_TEXTS["unknown"].in_language(before.natural).format(key=key, known=known))
    wish = values.pop("language", None)
    language: Language = "zh" if wish == "zh" else "en" if wish == "en" else before.natural
    return Preferences(language, Wishes(**values), before.natural)


def _texts(key: str, value: object, language: Language, tell: Tell) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, (list, tuple)) and all(isinstance(entry, str) for entry in value):
        return tuple(value)
    tell(_TEXTS["list"].in_language(language).format(key=key))
    return ()


def _choice(key: str, value: object, language: Language, tell: Tell) -> str | None:
    if value is None or value == "" or value in _CHOICES[key]:
        return str(value) if value else None
    known = ", ".join(_CHOICES[key])
    tell(_TEXTS["choice"].in_language(language).format(key=key, value=value, known=known))
    return None
