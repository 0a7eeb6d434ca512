"""The pages of the gym: one per operator, which is its README with its cases and its kernel, and the list of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from docsite.sources import ENGLISH_ONLY, Source, noted, read
from openpto.diagnostics import T
from openpto.diagnostics.language import Language
from openpto_gym.chinese import SUMMARIES
from openpto_gym.operator import Operator
from openpto_gym.registry import NAMES, load

_WORDS = {
    "title": T("Operators", "算子"),
    "intro": T(
        "Operators written with `pypto`, each with goldens in torch and in numpy, tails, extreme values and the sizes "
        "of models. `pypto gym run NAME` compares one on this machine, `pypto gym run --all` all of them; "
        "`pypto gym show NAME` prints the page of one.",
        "用 `pypto` 编写的算子，各带 torch 与 numpy 标准结果，覆盖尾块、极端值与模型尺寸。"
        "`pypto gym run NAME` 在本机比较一个算子，`pypto gym run --all` 比较全部；`pypto gym show NAME` 打印其页面。",
    ),
    "operator": T("operator", "算子"),
    "does": T("what it computes", "内容"),
    "cases": T("cases", "用例"),
    "cases title": T("Cases", "用例"),
    "case": T("case", "用例"),
    "type": T("type", "类型"),
    "sizes": T("sizes", "大小"),
    "tolerance": T("tolerance", "容差"),
    "slow": T("slow", "慢"),
    "kernel": T("Kernel", "kernel 源码"),
}


def gym_pages(language: Language) -> dict[str, Source]:
    """Sources by path."""
    made = {"gym/index.md": Source("gym/index.md", "\n".join(_index(language)) + "\n")}
    for operator in _operators():
        readme = read(readme_of(operator.name))
        page = readme if language == "en" else noted(readme, ENGLISH_ONLY)
        text = "\n".join([page.text.rstrip(), "", *_cases(operator, language), "", *_kernel(operator, language), ""])
        made[f"gym/{operator.name}.md"] = Source(page.file, text)
    return made


def gym_places() -> dict[str, str]:
    """Where the READMEs are in the site."""
    return {readme_of(name): f"gym/{name}.md" for name in NAMES}


def readme_of(name: str) -> str:
    return f"src/openpto_gym/{name}/README.md"


@cache
def _operators() -> tuple[Operator, ...]:
    return tuple(map(load, NAMES))


def _say(key: str, language: Language) -> str:
    return _WORDS[key].in_language(language)


def _index(language: Language) -> Iterator[str]:
    yield from (f"# {_say('title', language)}", "", _say("intro", language), "")
    yield "| " + " | ".join(_say(key, language) for key in ("operator", "does", "cases")) + " |"
    yield "|---|---|---:|"
    for operator in _operators():
        yield f"| [{operator.name}]({operator.name}.md) | {_summary(operator, language)} | {len(operator.cases)} |"


def _summary(operator: Operator, language: Language) -> str:
    text = operator.summary if language == "en" else SUMMARIES[operator.name]
    return re.sub(r"([\\*_<>\[\]|])", r"\\\1", text)


def _cases(operator: Operator, language: Language) -> Iterator[str]:
    yield from (f"## {_say('cases title', language)}", "")
    yield "| " + " | ".join(_say(key, language) for key in ("case", "type", "sizes", "tolerance")) + " | |"
    yield "|---|---|---|---|---|"
    for case in operator.cases:
        slow = _say("slow", language) if case.slow else ""
        tolerance = str(case.tolerance).replace("|", "\\|")
        yield f"| `{case.name}` | {case.dtype.short} | `{case.sizes or '-'}` | `{tolerance}` | {slow} |"


def _kernel(operator: Operator, language: Language) -> Iterator[str]:
    file = f"src/openpto_gym/{operator.name}/kernel.py"
    yield from (f"## {_say('kernel', language)}", "")
    yield from (f'```python title="{file.removeprefix("src/")}"', read(file).text.rstrip(), "```")
