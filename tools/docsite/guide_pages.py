"""The pages of the guide: one for each leaf, and the questions that lead to them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docsite.sources import Source
from docsite.words import WORDS
from openpto.diagnostics.language import LANGUAGES, Language
from openpto.diagnostics.markdown import code
from openpto.guide.leaves import LEAVES, Leaf
from openpto.guide.leaves.tree import AREAS

_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_LINK = re.compile(r"\]\((rule|guide):([\w-]+)\)")


def guide_pages(language: Language) -> dict[str, Source]:
    """Sources by path."""
    made = {"guide/index.md": "\n".join(_index(language)) + "\n"}
    made |= {f"guide/{key}.md": "\n".join(_page(leaf, language)) + "\n" for key, leaf in LEAVES.items()}
    return {path: Source(f"docs/{path}", text) for path, text in made.items()}


def guide_places() -> dict[str, str]:
    """Where the files of leaves are in the site."""
    folder = "src/openpto/guide/pages"
    return {f"{folder}/{language}/{key}.md": f"guide/{key}.md" for key in LEAVES for language in LANGUAGES}


def _index(language: Language) -> Iterator[str]:
    yield from (f"# {WORDS['guide'].in_language(language)}", "", WORDS["guide intro"].in_language(language))
    for area in AREAS:
        yield from ("", f"## {area.answer.in_language(language)}", "")
        for key in area.leaves:
            leaf = LEAVES[key]
            yield f"- [{leaf.title.in_language(language)}]({key}.md): {leaf.situation.in_language(language)}"


def _page(leaf: Leaf, language: Language) -> Iterator[str]:
    yield from (f"# {leaf.title.in_language(language)}", "", f"*{leaf.situation.in_language(language)}*", "")
    yield _LINK.sub(_target, leaf.body.in_language(language).rstrip())
    if leaf.see:
        yield from ("", f"{WORDS['see'].in_language(language)}: {', '.join(leaf.see)}")
    yield from ("", f"## {WORDS['symptoms'].in_language(language)}", "")
    said = [words for words in leaf.symptoms if language == "zh" or not _CHINESE.search(words)]
    yield from (f"- {code(words)}" for words in said)


def _target(link: re.Match[str]) -> str:
    """A link of a leaf as a link between files of docs/guide."""
    return f"](../rules/{link[2]}.md)" if link[1] == "rule" else f"]({link[2]}.md)"
