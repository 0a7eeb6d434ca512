"""The pages of the site: complete, the same ones in both languages, with links that lead to pages."""

from __future__ import annotations

import posixpath
import re
from functools import cache
from pathlib import Path

import pytest

from docsite import translations
from docsite.navigation import navigation
from docsite.pages import assets, joined, site_pages
from docsite.sources import Source, relinked, with_codes_linked
from openpto.diagnostics import RULES
from openpto.diagnostics.language import LANGUAGES, Language
from openpto_gym.chinese import SUMMARIES
from openpto_gym.registry import NAMES

ROOT = Path(__file__).resolve().parents[2]
pages = cache(site_pages)


def flat(entry: object) -> list[str]:
    """The paths of a navigation."""
    if isinstance(entry, str):
        return [entry]
    inner = entry.values() if isinstance(entry, dict) else entry
    return [path for part in inner for path in flat(part)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_left_out(language: Language) -> None:
    made = pages(language)
    assert {f"rules/{code}.md" for code in RULES} <= made.keys()
    assert {f"gym/{name}.md" for name in NAMES} <= made.keys()
    docs = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert {path for path in docs if "zh/" not in path} <= made.keys()
    assert {path.removeprefix("zh/") for path in docs if path.startswith("zh/")} <= made.keys()


def test_both_languages_have_the_same_pages() -> None:
    assert pages("en").keys() == pages("zh").keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_links_lead_to_pages(language: Language) -> None:
    made = pages(language)
    known = made.keys() | set(assets())
    for path, text in made.items():
        prose = re.sub(r"^```.*?^```[ \t]*$|(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", "", text, flags=re.M | re.S)
        for target in re.findall(r"(?<!\\)\]\(([^)#:]+)(?:#[^)]*)?\)", prose):
            assert posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) in known, (path, target)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_is_in_the_navigation_once(language: Language) -> None:
    found = flat(navigation(pages(language), language))
    assert sorted(found) == sorted(pages(language))


def test_a_page_that_no_section_names_stands_under_tools() -> None:
    tools = next(entry["Tools"] for entry in navigation(["index.md", "lint.md", "new.md"], "en") if "Tools" in entry)
    assert tools == ["lint.md", "new.md"]


def test_links_between_files_become_links_between_pages() -> None:
    source = Source("docs/zh/a/b.md", "[x](../../rules/zh/PTO301.md#stops) [y](https://z) ![p](../../assets/p.svg)\n")
    expected = "[x](../rules/PTO301.md#stops) [y](https://z) ![p](../assets/p.svg)\n"
    assert relinked(source, "a/b.md", {}) == expected
    outside = Source("docs/a.md", "see [`the tool`](../tools/build_site.py), [x](../nowhere.py), [b](b.md)\n")
    assert relinked(outside, "a.md", {}) == "see `the tool`, [x](../nowhere.py), [b](b.md)\n"
    block = Source("docs/a.md", "```text\n[x](b.md)\n```\n")
    assert relinked(block, "c/d.md", {}) == block.text


def test_codes_in_prose_become_links() -> None:
    text = "# PTO301\nPTO301, `PTO301`; `noqa: PTO301`, PTO000, [PTO301](x.md)\n```\nPTO301\n```\n"
    link = "rules/PTO301.md"
    expected = (
        f"# PTO301\n[PTO301]({link}), [`PTO301`]({link}); `noqa: PTO301`, PTO000, [PTO301](x.md)\n```\nPTO301\n```\n"
    )
    assert with_codes_linked(text, "a.md") == expected
    assert with_codes_linked("PTO301", link) == "PTO301"


def test_chinese_site_says_where_a_text_is_in_english_only() -> None:
    assert "本页只有英文" in pages("zh")["architecture.md"]
    assert "本页只有英文" not in pages("zh")["index.md"]
    assert "本页只有英文" not in "".join(pages("en").values())


def test_every_operator_has_its_line_in_both_languages() -> None:
    assert list(SUMMARIES) == list(NAMES)
    for language in LANGUAGES:
        assert all(f"]({name}.md) | " in pages(language)["gym/index.md"] for name in NAMES)


def test_lines_of_chinese_are_joined() -> None:
    assert (
        joined("- 一行，\n  下一行 a\n  b\n\n三\n```\n四\n五\n```\n")
        == "- 一行，下一行 a\n  b\n\n三\n```\n四\n五\n```\n"
    )


ORIGINAL = "# A\n\n- x PTO301\n\n```sh\npypto lint\n```\n\n| a | b |\n|---|---|\n"


@pytest.mark.parametrize(
    "lacking",
    ["## B\n", "- y\n", "PTO302\n", "```sh\npypto ir\n```\n", "| c | d |\n"],
)
def test_a_translation_that_lacks_a_part_is_behind(
    lacking: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "zh").mkdir()
    monkeypatch.setattr(translations, "DOCS", tmp_path)
    for name, english in (("same.md", ORIGINAL), ("more.md", f"{ORIGINAL}{lacking}")):
        (tmp_path / name).write_text(english, encoding="utf-8")
        (tmp_path / "zh" / name).write_text(ORIGINAL.replace("A", "甲"), encoding="utf-8")
    found = [translations.behind.__wrapped__(name) for name in ("same.md", "more.md")]
    assert found == [False, True]


def test_headlines_of_a_translation_have_the_anchors_of_the_original() -> None:
    original = "# The `first` kernel\n\n```sh\n# no headline\n```\n\n## What it does, and why\n"
    translation = "# 第一个\n\n```sh\n# no headline\n```\n\n## 作用\n"
    expected = "# 第一个 { #the-first-kernel }\n\n```sh\n# no headline\n```\n\n## 作用 { #what-it-does-and-why }\n"
    assert translations.with_anchors(translation, original) == expected
    assert translations.with_anchors("# 第一个\n", original) == "# 第一个\n"


def test_anchors_that_a_page_lacks_are_left_out() -> None:
    source = Source("docs/a.md", "[b](b.md#x) [c](c.md#x)\n")
    assert relinked(source, "a.md", {}, {"c.md"}) == "[b](b.md#x) [c](c.md)\n"


def test_what_a_reader_sees_first_is_translated() -> None:
    """The home page, the tutorial and the contract are never behind; other pages say so where they are."""
    assert [path for path in ("index.md", "tutorial.md", "contract.md") if translations.behind(path)] == []
    for path in translations.translated():
        assert ("英文版本较新" in pages("zh")[path]) is translations.behind(path)
