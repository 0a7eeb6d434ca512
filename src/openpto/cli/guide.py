"""`pypto guide`: from what is seen to the one leaf that helps, by its key, by words, or by two questions."""

from __future__ import annotations

import difflib
import math
import re
import sys
from collections.abc import Callable, Iterator
from typing import TextIO

from openpto.diagnostics import T, current_language, said, set_language
from openpto.diagnostics.language import Language
from openpto.diagnostics.render import wrapped
from openpto.guide.leaves import LEAVES, Leaf
from openpto.guide.leaves.tree import AREAS

_SAID = {
    "ask": T("What do you see?", "你看到了什么？"),
    "further": T("Which of these is it?", "属于下面哪一种？"),
    "read": T(
        "pypto guide KEY shows a leaf, pypto guide WORDS the one that answers them best;\n"
        "pypto guide --walk asks the questions one by one.",
        "pypto guide KEY 显示一页，pypto guide WORDS 显示最相符的一页；\npypto guide --walk 逐个提问。",
    ),
    "prompt": T("number ({first}-{last}), b: back, q: quit> ", "编号（{first}-{last}），b 返回，q 退出> "),
    "not": T("{answer} is none of these", "{answer} 不在选项之中"),
    "none": T("no leaf of the guide answers {query}", "指南中没有与 {query} 相符的页面"),
    "near": T("near ones: {near}", "相近的：{near}"),
    "rules": T("codes: {codes}", "错误码：{codes}"),
    "leaf": T("{text} (pypto guide {key})", "{text}（pypto guide {key}）"),
}
_LINK = re.compile(r"\[([^\]]+)\]\((rule|guide):([\w-]+)\)")


def run(query: str, asking: bool, language: Language | None) -> bool:
    """Carry out the command; False if there is no leaf for the query.

    Args:
        query: a key or words, empty for the table.
        asking: whether to ask for the leaf.
        language: that of the guide, None for that of all messages.
    """
    if language is not None:
        set_language(language)
    if asking:
        leaf = walk((line.rstrip("\n") for line in sys.stdin), _print)
        text, found = (markdown(leaf), True) if leaf is not None else ("", True)
    else:
        text, found = page(query) if query else (table(), True)
    if not found:
        print(text, end="", file=sys.stderr)
    elif query or asking:
        show(text, sys.stdout)
    else:
        print(text, end="")
    return found


def _print(text: str) -> None:
    print(text, end="", flush=True)


def show(text: str, stream: TextIO) -> None:
    """Write Markdown, laid out if the stream is a terminal."""
    if not stream.isatty():
        stream.write(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console(file=stream).print(Markdown(text, code_theme="ansi_light"))


def table() -> str:
    """The questions with all their answers: areas, and in each the keys and situations of its leaves."""
    width = max(map(len, LEAVES))
    lines = [_say("ask"), ""]
    for number, area in enumerate(AREAS, 1):
        lines.append(f"{number}. {_text(area.answer)}")
        for key in area.leaves:
            lines += wrapped(f"     {key:<{width}}  ", " " * (width + 7), _text(LEAVES[key].title))
        lines.append("")
    return "\n".join([*lines, _say("read")]) + "\n"


def page(query: str) -> tuple[str, bool]:
    """The leaf that a key stands for, or that answers a code or words best, as Markdown; and whether there is one.

    >>> page("dynamic-shapes")[1]
    True
    """
    leaf = LEAVES.get(query.strip().lower()) or _searched(query)
    if leaf is not None:
        return markdown(leaf), True
    near = difflib.get_close_matches(query.strip().lower(), LEAVES, n=3, cutoff=0.5)
    lines = [_say("none", query=query)] + ([_say("near", near=", ".join(near))] if near else [])
    return "\n".join(lines) + "\n", False


def _searched(query: str) -> Leaf | None:
    """The leaf that the search speaks for most: by itself, and by the rules that belong to it, the first ones more."""
    from openpto.guide.search import search

    answer = search(query)
    if answer.best is None:
        return None
    weights = {hit.key: hit.score for hit in answer.near} | {answer.best.key: answer.best.score}
    if math.isinf(answer.best.score):  # a code, which is one rule before all others
        weights = {key: float(key == answer.best.key) for key in weights}

    def votes(leaf: Leaf) -> float:
        rules = (weights.get(code, 0.0) / (1 + place / 4) for place, code in enumerate(leaf.see))
        return max((weights.get(leaf.key, 0.0), *rules))

    best = max(LEAVES.values(), key=votes)
    return best if votes(best) > 0 else None


def markdown(leaf: Leaf) -> str:
    """A leaf as Markdown whose links are commands: `[PTO301](rule:PTO301)` is a code, a leaf is named by its key."""
    body = _LINK.sub(lambda link: _linked(*link.groups()), _text(leaf.body))
    codes = f"\n{_say('rules', codes=', '.join(leaf.see))}\n" if leaf.see else ""
    return f"# {_text(leaf.title)}\n\n{_text(leaf.situation)}\n\n{body.rstrip()}\n{codes}"


def _linked(text: str, kind: str, target: str) -> str:
    return text if kind == "rule" else _say("leaf", text=text, key=target)


def walk(answers: Iterator[str], say: Callable[[str], None]) -> Leaf | None:
    """Ask what is seen until that leads to a leaf; None if the answers end before, or with q.

    Args:
        answers: what the user types, without line ends.
        say: prints a text; prompts have no line end.
    """
    while True:
        area = _chosen(_say("ask"), [_text(area.answer) for area in AREAS], answers, say)
        if area is None:
            return None
        if area == _BACK:
            continue
        leaves = [LEAVES[key] for key in AREAS[area].leaves]
        leaf = _chosen(_say("further"), [_text(leaf.situation) for leaf in leaves], answers, say)
        if leaf is None:
            return None
        if leaf != _BACK:
            return leaves[leaf]


_BACK = -1


def _chosen(question: str, options: list[str], answers: Iterator[str], say: Callable[[str], None]) -> int | None:
    """The index of the option that is chosen, _BACK, or None to leave."""
    say(f"\n{question}\n\n")
    for number, option in enumerate(options, 1):
        say("\n".join(wrapped(f"{number:3}. ", "     ", option)) + "\n")
    while True:
        say("\n" + _say("prompt", first="1", last=str(len(options))))
        answer = next(answers, "q").strip().lower()
        if answer in ("q", "quit"):
            return None
        if answer in ("b", "back"):
            return _BACK
        if answer.isdecimal() and 1 <= int(answer) <= len(options):
            return int(answer) - 1
        say(_say("not", answer=answer) + "\n")


def _text(text: T) -> str:
    return text.in_language(current_language())


def _say(name: str, /, **fields: str) -> str:
    return said(_SAID[name], **fields)
