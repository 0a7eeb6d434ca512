"""Every registered rule, enumerated: its bad example is refused with its code and no other, its good example is clean,
and what is told has a place, a caret, values, one fix, and the same in Chinese.

What is refused may also use something that one toolchain does not take (PTO6xx); nothing else is reported beside it.
"""

import functools
import re
from pathlib import Path

import pytest
from example_runs import execute

import pypto  # noqa: F401 - its front end tells where the author is
from openpto.diagnostics import RULES, PyptoError, file_origin, render, set_language
from openpto.diagnostics.registry import fields_of
from openpto.diagnostics.render import fill
from openpto.diagnostics.source import cell_width
from openpto.diagnostics.span import NOWHERE

TESTABLE = [
    pytest.param(code, marks=pytest.mark.torch) if "import torch" in rule.bad else code
    for code, rule in RULES.items()
    if not rule.untestable and rule.found_by == "run"
]
ROOT = Path(__file__).resolve().parents[2]

WITHOUT_VALUES = {
    "PTO535": "a lambda has neither a name nor annotations that could be quoted",
}
"""Rules whose message has no field, and why."""

PLACE = re.compile(r" *--> [^\n]+:\d+:\d+\Z")
CARET = re.compile(r" *\| +\^+( .*)?\Z")
CHINESE = re.compile("[\u4e00-\u9fff]")


@functools.cache
def outcome_of(code):
    """What the bad example of a rule leads to."""
    return execute(RULES[code].bad)


def told(code):
    """The exception or warning of the rule."""
    outcome = outcome_of(code)
    if RULES[code].severity == "error":
        return outcome.error
    return next(warning for warning in outcome.warnings if warning.code == code)


def text(code, language="en"):
    diagnostic = told(code)
    return render(diagnostic.rule, diagnostic.site, diagnostic.fields, language=language)


@pytest.mark.parametrize("code", TESTABLE)
def test_bad_example_is_refused_with_its_code(code):
    rule, outcome = RULES[code], outcome_of(code)
    if outcome.error is not None and not isinstance(outcome.error, PyptoError):
        raise outcome.error
    beside = {other for other in outcome.codes if not (outcome.error and other.startswith("PTO6"))}
    assert beside - {code} == set(), f"{outcome.codes}\n{outcome.error or ''}"
    assert code in outcome.codes
    if rule.severity == "error":
        assert isinstance(outcome.error, rule.exc)
    else:
        assert outcome.error is None


@pytest.mark.parametrize("code", TESTABLE)
def test_good_example_is_clean(code, run_example):
    outcome = run_example(RULES[code].good)
    if isinstance(outcome.error, ModuleNotFoundError):
        pytest.skip(str(outcome.error))  # libcst is optional
    if outcome.error is not None:
        raise outcome.error
    assert outcome.codes == [], "\n".join(map(str, outcome.warnings))


@pytest.mark.parametrize("code", TESTABLE)
def test_the_place_is_the_authors(code):
    site = told(code).site
    assert site.span is not None
    assert site.span.file == outcome_of(code).file
    assert file_origin(site.span.file) == "user"
    lines = text(code).splitlines()
    if site.span.has_columns:  # always from Python 3.11 on, see test_every_place_has_columns
        assert PLACE.match(lines[1]), text(code)
    source = RULES[code].bad.splitlines()[site.span.line - 1]
    assert lines[3].endswith(source.strip()) or "..." in lines[3]
    assert CARET.match(lines[4]), text(code)


@pytest.mark.skipif("sys.version_info < (3, 11)", reason="Python keeps no columns of instructions")
@pytest.mark.parametrize("code", TESTABLE)
def test_every_place_has_columns(code):
    assert told(code).site.span.has_columns, text(code)


@pytest.mark.parametrize("code", TESTABLE)
def test_values_are_filled_in(code):
    rule, fields = RULES[code], told(code).fields
    wanted = fields_of(rule.message.en) | fields_of(rule.help.en)
    assert wanted <= set(fields), f"no value for {wanted - set(fields)}"
    assert bool(fields_of(rule.message.en)) == (code not in WITHOUT_VALUES)
    for name in wanted:
        shown = str(fields[name])
        assert shown.strip(), f"{name} is empty"
        assert not re.search(r"DataType\.|\bExpr\(|Var\(|Value\(|<[\w.]+ object at", shown), shown


@pytest.mark.parametrize("code", TESTABLE)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_text_has_one_fix_the_usual_words_and_fits_the_terminal(code, language):
    shown = text(code, language)
    lines = shown.splitlines()
    mark = {"en": " = help: ", "zh": " = 建议："}[language]
    assert sum(mark in line for line in lines) == 1
    assert lines[-1].endswith(f"pypto explain {code}")
    rule, fields = RULES[code], told(code).fields
    for phrase in rule.phrases:
        assert fill(phrase, fields) in shown
    for alias in rule.aliases:
        assert alias in lines[0]
    for line in lines[4:]:
        caret = CARET.match(line)
        unbroken = any(fill(phrase, fields) in line for phrase in rule.phrases)
        assert cell_width(line) <= (100 if caret and caret[1] else 130 if caret or unbroken else 80), line


@pytest.mark.parametrize("code", RULES)
def test_chinese_is_chinese(code):
    rule = RULES[code]
    for part in ("title", "message", "help", "explanation"):
        chinese = getattr(rule, part).zh
        assert CHINESE.search(re.sub(r"\{\w+\}", "", chinese)), (part, chinese)
        assert not re.search("[\u4e00-\u9fff][,;:?!] ", chinese), (part, chinese)
        assert not CHINESE.search(getattr(rule, part).en)


@pytest.mark.parametrize("code", [code for code, rule in RULES.items() if rule.untestable])
def test_what_has_no_example_has_a_test_that_says_so(code):
    rule = RULES[code]
    files = re.findall(r"tests/[\w/]+\.py", rule.untestable)
    assert files, "name the test"
    assert any(code in (ROOT / file).read_text(encoding="utf-8") for file in files)
    for language in ("en", "zh"):
        set_language(language)
        assert code in render(rule, NOWHERE, dict.fromkeys(fields_of(rule.message.en), "?"))
