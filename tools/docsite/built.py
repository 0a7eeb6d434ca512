"""What a built site has to keep: it loads nothing from elsewhere, its search finds words, its languages are twins."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

LOADING = {
    "audio": "src", "embed": "src", "iframe": "src", "img": "src", "input": "src", "object": "data", "script": "src",
    "source": "src", "track": "src", "video": "src", "image": "href", "use": "href",
}  # fmt: skip
"""Attributes from which a browser loads by itself; links of a head load too, except those that only name a page."""
NAMING = {"alternate", "canonical", "next", "prev"}
_IN_STYLE = re.compile(r"""(?:@import\s*(?:url\()?|url\()\s*["']?([^"')\s]+)""")


class _Loads(HTMLParser):
    """Collects the addresses that a page loads, and whether a diagram asks the theme's script for a library."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.style = tag == "style"
        if tag in LOADING and LOADING[tag] in values:
            self.found.append(values[LOADING[tag]])
        if tag == "link" and not NAMING & set(values.get("rel", "").split()):
            self.found.append(values.get("href", ""))
        if "srcset" in values:
            self.found += [part.split()[0] for part in values["srcset"].split(",")]
        self.found += _IN_STYLE.findall(values.get("style", ""))
        if "mermaid" in values.get("class", "").split():
            self.found.append("https://mermaid")  # the script of the theme would load it

    def handle_data(self, data: str) -> None:
        if self.style:
            self.found += _IN_STYLE.findall(data)


def loads(html: str) -> list[str]:
    """The addresses that a page loads."""
    parser = _Loads()
    parser.feed(html)
    return parser.found


def external_loads(folder: Path) -> list[str]:
    """`file: address` for everything that pages and style sheets load from another host."""
    found = []
    for path in sorted([*folder.rglob("*.html"), *folder.rglob("*.css"), *folder.rglob("*.svg")]):
        text = path.read_text(encoding="utf-8")
        addresses = _IN_STYLE.findall(text) if path.suffix == ".css" else loads(text)
        name = path.relative_to(folder).as_posix()
        found += [f"{name}: {address}" for address in addresses if urlsplit(address).netloc]
    return found


def pages_with(folder: Path, word: str) -> list[str]:
    """Places in the search index of a built language that have the word among their words, as its search cuts them."""
    index = json.loads((folder / "search" / "search_index.json").read_text(encoding="utf-8"))
    separator = re.compile(index["config"]["separator"])
    return [
        entry["location"]
        for entry in index["docs"]
        if word.lower() in separator.split(re.sub(r"<[^>]*>", " ", f"{entry['title']} {entry['text']}").lower())
    ]


def without_twin(english: Path, chinese: Path) -> list[str]:
    """Pages that one language has and the other lacks."""
    names = [
        {path.relative_to(folder).as_posix() for path in folder.rglob("index.html")} for folder in (english, chinese)
    ]
    inside = f"{chinese.relative_to(english).as_posix()}/"
    return sorted({name for name in names[0] if not name.startswith(inside)} ^ names[1])


def wrong_switches(english: Path, chinese: Path) -> list[str]:
    """Pages whose switch of languages does not lead to the same page of the other language."""
    found = []
    for path in sorted(english.rglob("index.html")):
        here, other, language = (chinese, english, "en") if chinese in path.parents else (english, chinese, "zh")
        links = re.findall(rf'<a href="([^"]*)" hreflang="{language}"', path.read_text(encoding="utf-8"))
        if [(path.parent / link / "index.html").resolve() for link in links] != [other / path.relative_to(here)]:
            found.append(path.relative_to(english).as_posix())
    return found
