"""The registered rules are complete, and what an incomplete one lacks is found."""

import dataclasses
import re

import pytest

from openpto.diagnostics import RULES, Rule, T, fail, find_rule, register
from openpto.diagnostics.registry import problems

GOOD = Rule(
    code="PTO999",
    name="only-for-tests",
    title=T("a title", "标题"),
    message=T("{op} is wrong", "{op} 有误"),
    help=T("write {better}", "写 {better}"),
    explanation=T("It is wrong.", "它有误。"),
    bad="def run(): ...",
    good="def run(): ...",
)


@pytest.fixture(autouse=True)
def forget():
    yield
    RULES.pop("PTO999", None)


def test_a_complete_rule_is_registered_once():
    assert problems(GOOD) == []
    assert register(GOOD) is GOOD
    assert find_rule("PTO999") is GOOD
    with pytest.raises(ValueError, match="PTO999: the code is already taken"):
        register(dataclasses.replace(GOOD, name="another-name"))


@pytest.mark.parametrize("code", RULES)
def test_every_rule_is_complete(code):
    assert problems(RULES[code]) == []


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"code": "PTO1"}, "three digits"),
        ({"code": "PTO012"}, "three digits"),
        ({"name": "internal-error"}, "already taken"),
        ({"name": "Bad Name"}, "lower case"),
        ({"title": T("only english", " ")}, "both languages"),
        ({"message": T("{op} is wrong", "{opp} 有误")}, "different fields"),
        ({"help": T("write {}", "写 {}")}, "without a name"),
        ({"help": T("write {x", "写 {x")}, "help"),
        ({"title": T("{op} title", "{op} 标题")}, "takes no fields"),
        ({"bad": ""}, "needs a bad and a good example"),
        ({"good": "  "}, "needs a bad and a good example"),
        ({"profiles": ("0.4",)}, "profiles"),
        ({"severity": "fatal"}, "severity"),
        ({"exc": KeyboardInterrupt}, "Exception"),
        ({"phrases": ("about {nothing}",)}, "does not have|do not have"),
    ],
)
def test_what_an_incomplete_rule_lacks_is_found(change, complaint):
    assert re.search(complaint, "; ".join(problems(dataclasses.replace(GOOD, **change))))


def test_an_untestable_rule_needs_a_reason_only():
    assert problems(dataclasses.replace(GOOD, bad="", good="", untestable="it depends on the machine")) == []


def test_an_unknown_code_is_our_mistake():
    with pytest.raises(LookupError, match="PTO998"):
        fail("PTO998")


def test_codes_stand_in_the_hundred_of_their_file():
    """PTO1xx source ... PTO7xx lint, PTO9xx internal: the digit says where a diagnostic is found."""
    hundreds = {code[3] for code in RULES}
    assert hundreds <= set("12345679")


def test_missing_operation_names_itself():
    with pytest.raises(NotImplementedError, match="topk is not yet available") as caught:
        fail("PTO902", op="topk")
    assert caught.value.code == "PTO902"
