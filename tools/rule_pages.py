"""Write docs/rules: a page for each rule in English and in Chinese, and the lists of codes.

`--check` compares instead and exits with 1 if a page is missing, not current or left over; `--write` writes them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from openpto.diagnostics import RULES, Rule, T
from openpto.diagnostics.language import LANGUAGES, Language
from openpto.diagnostics.markdown import code, escaped, page

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "rules"

GROUPS = {
    "1": T("Source and control flow", "源代码与控制流"),
    "2": T("Symbols, tensors, operations, options", "符号、张量、操作与选项"),
    "3": T("Tiles and chips", "tile 与芯片"),
    "4": T("Run time and unwritten data", "运行时与未写入的数据"),
    "5": T("Kernels, arguments, tools", "kernel、参数与工具"),
    "6": T("What runs here and is refused elsewhere", "此处可运行而其他工具链拒绝的写法"),
    "7": T("Found by pypto lint", "由 pypto lint 发现"),
    "9": T("Internal", "内部"),
}

_WORDS = {
    "title": T("Codes", "诊断代码"),
    "intro": T(
        "Every error and warning has a code and a page. `pypto explain CODE` prints the same page; it also takes a "
        "code of the vendor's, or words of a message. These pages are generated from the rules by `make docs-tables`.",
        "每个错误和警告都有一个代码和一页说明。`pypto explain CODE` 打印同样的内容，也接受厂商的代码或消息中的词句。"
        "这些页面由 `make docs-tables` 从规则生成。",
    ),
    "vendor": T("Codes of the toolchains", "工具链的代码"),
    "phrases": T("Usual words", "常见措辞"),
    "code": T("code", "代码"),
    "what": T("what is wrong", "问题"),
    "class": T("in Python", "Python 类"),
    "warning": T("warning", "警告"),
    "other": T("中文", "English"),
    "back": T("all codes", "全部代码"),
    "word": T("words", "措辞"),
}


def pages() -> dict[str, str]:
    """The text of every page by its path below docs/rules."""
    made = {}
    for language in LANGUAGES:
        made[_path("index", language)] = _index(language)
        made |= {_path(rule.code, language): _page(rule, language) for rule in _ordered()}
    return made


def stale() -> list[str]:
    """Paths of pages that are missing, differ from the rules, or belong to no rule."""
    wanted = pages()
    found = {path.relative_to(FOLDER).as_posix(): path for path in FOLDER.rglob("*.md")}
    differing = [
        name for name, text in wanted.items() if name not in found or found[name].read_text(encoding="utf-8") != text
    ]
    return sorted([*differing, *(found.keys() - wanted.keys())])


def write() -> None:
    """Write every page and remove those of rules that are gone."""
    wanted = pages()
    for name in stale():
        path = FOLDER / name
        if name in wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[name], encoding="utf-8")
        else:
            path.unlink()


def _ordered() -> list[Rule]:
    return [RULES[code] for code in sorted(RULES)]


def _path(name: str, language: Language) -> str:
    return f"{name}.md" if language == "en" else f"{language}/{name}.md"


def _say(key: str, language: Language) -> str:
    return _WORDS[key].in_language(language)


def _links(name: str, language: Language) -> str:
    """To the same page in the other language, and to the list of codes."""
    other = f"zh/{name}.md" if language == "en" else f"../{name}.md"
    links = [f"[{_say('other', language)}]({other})"]
    if name != "index":
        links.append(f"[{_say('back', language)}](index.md)")
    return " · ".join(links)


def _page(rule: Rule, language: Language) -> str:
    return page(rule, language, below=f"`{rule.name}` · {_links(rule.code, language)}")


def _index(language: Language) -> str:
    lines = [f"# {_say('title', language)}", "", _links("index", language), "", _say("intro", language)]
    for digit, title in GROUPS.items():
        members = [rule for rule in _ordered() if rule.code[3] == digit]
        if members:
            heading = ("code", "what", "class")
            lines += ["", f"## {title.in_language(language)} (PTO{digit}xx)", ""]
            lines += table([_say(key, language) for key in heading], (_row(rule, language) for rule in members))
    for key, column, found in (("vendor", "code", _aliases()), ("phrases", "word", _phrases())):
        rows = ([code(name), ", ".join(map(_link, codes))] for name, codes in sorted(found.items()))
        lines += ["", f"## {_say(key, language)}", "", *table([_say(column, language), ""], rows)]
    return "\n".join(lines) + "\n"


def _row(rule: Rule, language: Language) -> list[str]:
    kind = rule.exc.__name__ if rule.severity == "error" else _say("warning", language)
    return [_link(rule.code), escaped(rule.title.in_language(language)), kind]


def table(head: list[str], rows: Iterable[list[str]]) -> Iterator[str]:
    """Lines of a table; bars in its cells do not end them."""
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


def _link(code: str) -> str:
    return f"[{code}]({code}.md)"


def _aliases() -> dict[str, list[str]]:
    """Our codes by vendor code."""
    found: dict[str, list[str]] = {}
    for rule in _ordered():
        for alias in rule.aliases:
            found.setdefault(alias, []).append(rule.code)
    return found


def _phrases() -> dict[str, list[str]]:
    """Our codes by familiar words; what varies in them is shown as dots."""
    found: dict[str, list[str]] = {}
    for rule in _ordered():
        for phrase in (*rule.phrases, *rule.words):
            words = re.sub(r"\{[A-Za-z_0-9]+\}", "...", phrase)
            if words != "...":
                found.setdefault(words, []).append(rule.code)
    return found


def main() -> int:
    """Write or check the pages."""
    if "--write" in sys.argv[1:]:
        write()
        return 0
    names = stale()
    for name in names[:10]:
        print(f"docs/rules/{name} is not current: run `make docs-tables`", file=sys.stderr)
    return int(bool(names))


if __name__ == "__main__":
    sys.exit(main())
