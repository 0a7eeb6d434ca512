"""docs/editor.md: its settings are those of the server, and its files can be read."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from openpto.lsp import wishes

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "editor.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)


def test_settings_are_those_of_the_server() -> None:
    named = {name for row in re.findall(r"^\| (`.*?) \|", PAGE, re.M) for name in re.findall(r"`(\w+)`", row)}
    told: list[str] = []
    settings = {"language": "zh", "select": [], "extendSelect": ["GYM"], "ignore": [], "target": "0.3", "chip": "950"}
    assert named == set(settings)
    found = wishes.read({"pypto": settings}, None, told.append)
    assert told == []
    assert (found.language, found.wishes.extend_select, found.wishes.chip) == ("zh", ("GYM",), "950")


@pytest.mark.parametrize("block", blocks("json"))
def test_json(block: str) -> None:
    assert json.loads(block)


@pytest.mark.parametrize("block", blocks("toml"))
def test_toml(block: str) -> None:
    assert tomllib.loads(block)


@pytest.mark.parametrize(
    ("options", "locale", "language"),
    [({}, "zh-CN", "zh"), ({}, "en-US", "en"), ({"language": "en"}, "zh", "en"), ({"language": "auto"}, "zh", "zh")],
)
def test_the_language(options: dict[str, str], locale: str, language: str) -> None:
    assert wishes.read(options, locale, print).language == language
