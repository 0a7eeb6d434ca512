"""Every code that the sources mention is registered, and every call that raises one gives the fields its texts need."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from openpto.diagnostics import RULES
from openpto.diagnostics.registry import fields_of

SRC = Path(__file__).resolve().parents[2] / "src"
RAISING = {"fail", "fault", "warn", "make_error", "portability", "report"}
CODE = re.compile(r"PTO[1-9][0-9]{2}\Z")


class Call(NamedTuple):
    """A call such as `fail("PTO301", op=...)` with a literal code."""

    where: str
    code: str
    function: str
    keywords: frozenset[str]
    open_ended: bool  # passes **fields


def sources() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(SRC.rglob("*.py")):
        yield path.relative_to(SRC).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def raising_calls() -> Iterator[Call]:
    for file, tree in sources():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            first = node.args[0]
            codes = [first.body, first.orelse] if isinstance(first, ast.IfExp) else [first]
            for code in codes:
                if name in RAISING and isinstance(code, ast.Constant) and isinstance(code.value, str):
                    given = frozenset(k.arg for k in node.keywords if k.arg)
                    open_ended = any(k.arg is None for k in node.keywords)
                    yield Call(f"{file}:{node.lineno}", code.value, name, given, open_ended)


CALLS = [call for call in raising_calls() if CODE.match(call.code)]


def mentioned_codes() -> set[str]:
    """Codes that occur as string constants outside of the rule files."""
    return {
        node.value
        for file, tree in sources()
        if "diagnostics/rules/" not in file
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and CODE.match(node.value)
    }


def test_raising_calls_give_every_field():
    problems = []
    for call in CALLS:
        rule = RULES.get(call.code)
        if rule is None or call.open_ended:
            continue
        needed = set().union(*map(fields_of, (rule.message.en, rule.help.en, *rule.phrases)))
        given = call.keywords | ({"profiles"} if call.function in ("portability", "report") else set())
        if needed - given:
            problems.append(f"{call.where}: {call.code} needs {sorted(needed - given)}")
    assert problems == []


def test_severity_fits_the_way_it_is_raised():
    for call in CALLS:
        rule = RULES.get(call.code)
        if rule is None or call.function == "report":  # the linter tells what the rule says
            continue
        expected = {"warn": "warning", "portability": "warning"}.get(call.function, "error")
        assert rule.severity == expected, f"{call.where}: {call.function} of {call.code}, which is a {rule.severity}"


def test_portability_rules_name_profiles():
    for call in CALLS:
        if call.function == "portability" and call.code in RULES:
            assert RULES[call.code].profiles, f"{call.where}: {call.code} names no profile"


def test_every_mentioned_code_is_registered():
    assert mentioned_codes() - set(RULES) == set()


def test_every_rule_is_raised_somewhere():
    assert set(RULES) - mentioned_codes() == set()
