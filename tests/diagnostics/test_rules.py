"""Every registered rule: its bad example is refused with its code and no other, its good example is clean.

What is refused may also use something that one toolchain does not take (PTO6xx); nothing else is reported beside it.
"""

import pytest

from openpto.diagnostics import RULES, PyptoError, file_origin, render
from openpto.diagnostics.registry import fields_of
from openpto.diagnostics.render import fill

TESTABLE = [code for code, rule in RULES.items() if not rule.untestable and rule.found_by == "run"]


def reported(rule, outcome):
    """The exception or warning of the rule."""
    return outcome.error if rule.severity == "error" else outcome.warnings[0]


@pytest.mark.parametrize("code", TESTABLE)
def test_bad_example_is_refused_with_its_code(code, run_example):
    rule = RULES[code]
    outcome = run_example(rule.bad)
    if outcome.error is not None and not isinstance(outcome.error, PyptoError):
        raise outcome.error
    beside = {other for other in outcome.codes if not (outcome.error and other.startswith("PTO6"))}
    assert beside - {code} == set(), f"{outcome.codes}\n{outcome.error or ''}"
    assert code in outcome.codes
    if rule.severity == "error":
        assert isinstance(outcome.error, rule.exc)
    else:
        assert outcome.error is None
    told = reported(rule, outcome)
    if told.site.span is not None:
        assert file_origin(told.site.span.file) == "user", str(told)
    for language in ("en", "zh"):
        text = render(rule, told.site, told.fields, language=language)
        for phrase in rule.phrases:
            assert fill(phrase, told.fields) in text
        missing = [name for name in fields_of(rule.message.en + rule.help.en) if f"<{name}>" in text]
        assert not missing or not (set(missing) - set(told.fields)), f"no value for {missing}\n{text}"


@pytest.mark.parametrize("code", TESTABLE)
def test_good_example_is_clean(code, run_example):
    outcome = run_example(RULES[code].good)
    if outcome.error is not None:
        raise outcome.error
    assert outcome.codes == [], "\n".join(map(str, outcome.warnings))
