"""A small site of both languages as mkdocs builds it: search, switch of languages, nothing loaded from elsewhere."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

import build_site
from docsite.built import external_loads, loads, pages_with, without_twin, wrong_switches

ROOT = Path(__file__).resolve().parents[2]
ONLY = ["index.md", "lint.md", "editor.md", "rules/index.md", "rules/PTO301.md"]


SAID: list[str] = []
"""What mkdocs warns of while it builds."""


class Listener(logging.Handler):
    """Keeps warnings in SAID."""

    def emit(self, record: logging.LogRecord) -> None:
        SAID.append(record.getMessage())


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site with the pages of ONLY; links to the other pages lead nowhere, so the build is not strict."""
    pytest.importorskip("material", reason="mkdocs-material is in the extra docs")
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    folder = tmp_path_factory.mktemp("site")
    log, listener = logging.getLogger("mkdocs"), Listener()
    log.setLevel(logging.WARNING)
    log.addHandler(listener)
    for language, file, place in (("en", "mkdocs.yml", folder), ("zh", "mkdocs.zh.yml", folder / "zh")):
        config = load_config(str(ROOT / file), site_dir=str(place), extra={"language": language, "only": ONLY})
        build(config)
    log.removeHandler(listener)
    return folder


def test_warnings_of_the_build_count() -> None:
    assert "--strict" in build_site.COMMAND
    assert not {"--quiet", "-q"} & set(build_site.COMMAND)


def test_every_page_is_built_in_both_languages(site: Path) -> None:
    assert (site / "rules" / "PTO301" / "index.html").exists()
    assert without_twin(site, site / "zh") == []


def test_links_into_pages_find_their_anchors_in_both_languages(site: Path) -> None:
    assert 'id="settings"' in (site / "zh" / "lint" / "index.html").read_text(encoding="utf-8")
    assert any("contract.md" in said for said in SAID)  # the pages that this site does not have
    assert [said for said in SAID if "anchor" in said] == []


def test_switch_of_languages_keeps_the_page(site: Path) -> None:
    assert wrong_switches(site, site / "zh") == []
    text = (site / "rules" / "PTO301" / "index.html").read_text(encoding="utf-8")
    assert '<a href="../../zh/rules/PTO301/" hreflang="zh"' in text


def test_search_finds_words_of_both_languages(site: Path) -> None:
    assert any(place.startswith("rules/PTO301/") for place in pages_with(site, "tile"))
    assert any(place.startswith("lint/") for place in pages_with(site, "mistakes"))
    assert any(place.startswith("rules/PTO301/") for place in pages_with(site / "zh", "形状"))
    assert any(place.startswith("rules/PTO301/") for place in pages_with(site / "zh", "向量"))
    assert pages_with(site / "zh", "量操") == []  # letters of two words beside each other


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    assert external_loads(site) == []


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ('<link rel="stylesheet" href="https://fonts.example/x.css">', ["https://fonts.example/x.css"]),
        ('<link rel="canonical" href="https://example/">', []),
        ('<a href="https://example/">x</a>', []),
        ('<img src="a.svg"><script src="//cdn.example/x.js"></script>', ["a.svg", "//cdn.example/x.js"]),
        ("<style>@import url('https://e.example/a.css')</style>", ["https://e.example/a.css"]),
        ('<p style="background: url(https://e.example/b.png)">', ["https://e.example/b.png"]),
        ('<pre class="mermaid">graph</pre>', ["https://mermaid"]),
    ],
)
def test_loads_of_a_page(html: str, found: list[str]) -> None:
    assert loads(html) == found
