"""The rule registry: every code once, with its texts, fix, aliases and examples.

Exceptions, warnings, `pypto explain`, lint and the pages of codes in docs/ are all made from these entries.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from typing import Literal

from openpto._records import dataclass, field
from openpto.diagnostics.language import T

Severity = Literal["error", "warning"]

PROFILES = ("0.2", "0.3")
"""The two vendor front ends that portability rules speak of."""

_CODE = re.compile(r"PTO[1-9][0-9]{2}\Z")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")


@dataclass(frozen=True, slots=True)
class Rule:
    """One diagnostic.

    code         stable own code; the hundred says where it is found (docs/architecture.md, diagnostics)
    name         readable unique name, words joined by hyphens
    title        what is wrong, without the particulars
    message      what is wrong here; fields in braces come from the place that raises it
    help         what to write instead
    explanation  two to six sentences: why the rule exists, what a device does
    exc          the class that users of the API catch; the exception inherits from it and from PyptoError
    exc_in       by profile, the class of the vendor front ends that raise another one
    severity     "error", or "warning" for what runs here and is refused elsewhere
    phrases      familiar words of the vendor's message (fields allowed) that occur unbroken in str(exc)
    words        familiar words that some of its messages have, in a field
    aliases      vendor codes
    profiles     vendor front ends that refuse this; for portability rules
    bad, good    source of a module whose `run()` triggers exactly this rule, and of its repaired twin
    untestable   the reason why no example can exist; only then may `bad` and `good` be empty
    found_by     "lint": only `pypto lint` finds it, so the examples are linted and not run
    page         the guidebook page that treats the subject
    """

    code: str
    name: str
    title: T
    message: T
    help: T
    explanation: T
    exc: type[Exception] = RuntimeError
    exc_in: Mapping[str, type[Exception]] = field(default_factory=dict)
    severity: Severity = "error"
    phrases: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    bad: str = ""
    good: str = ""
    untestable: str = ""
    found_by: Literal["run", "lint"] = "run"
    page: str = ""

    def classes(self, target: str | None) -> tuple[type[Exception], ...]:
        """The classes of the exception under a target: that of its front end alone, without a target those of both."""
        if target is not None:
            return (self.exc_in.get(target, self.exc),)
        every = dict.fromkeys((self.exc, *self.exc_in.values()))
        return tuple(c for c in every if not any(other is not c and issubclass(other, c) for other in every))


RULES: dict[str, Rule] = {}
"""All rules by code, in the order of registration."""


def register(rule: Rule) -> Rule:
    """Add a rule to RULES. A code that is taken is a mistake of ours (ValueError); what else may be wrong with a rule
    (:func:`problems`) is tested once and not at each import."""
    if rule.code in RULES:
        raise ValueError(f"rule {rule.code}: the code is already taken")
    RULES[rule.code] = rule
    return rule


def find_rule(code: str) -> Rule:
    """The rule of a code; a code that is not registered is a mistake of ours."""
    if code not in RULES:
        raise LookupError(f"no rule is registered under {code}")
    return RULES[code]


def fields_of(text: str) -> frozenset[str]:
    """Names of the fields in a format text."""
    return frozenset(
        re.split(r"[.\[]", name, maxsplit=1)[0] for _, name, _, _ in string.Formatter().parse(text) if name is not None
    )


def problems(rule: Rule) -> list[str]:
    """What a rule lacks; empty if it is complete."""
    found = [
        *_identity_problems(rule),
        *(problem for part in ("title", "message", "help", "explanation") for problem in _text_problems(rule, part)),
    ]
    if found:
        return found
    if not rule.untestable and not (rule.bad.strip() and rule.good.strip()):
        found.append("needs a bad and a good example, or a reason why none can exist (untestable)")
    if not issubclass(rule.exc, Exception):
        found.append("exc must be an Exception class")
    if set(rule.exc_in) - set(PROFILES) or rule.exc in rule.exc_in.values():
        found.append("exc_in gives other classes than exc to profiles")
    known = fields_of(rule.message.en) | fields_of(rule.help.en)
    found += [f"phrase {p!r} uses a field that the texts do not have" for p in rule.phrases if fields_of(p) - known]
    return found


def _identity_problems(rule: Rule) -> list[str]:
    found = []
    if not _CODE.match(rule.code):
        found.append("code must be PTO and three digits")
    if not _NAME.match(rule.name):
        found.append(f"name {rule.name!r} must be lower case words joined by hyphens")
    if any(other.name == rule.name for other in RULES.values() if other is not rule):
        found.append(f"name {rule.name!r} is already taken")
    if rule.severity not in ("error", "warning"):
        found.append(f"severity {rule.severity!r} is neither error nor warning")
    if set(rule.profiles) - set(PROFILES):
        found.append(f"profiles must be among {PROFILES}")
    return found


def _text_problems(rule: Rule, part: str) -> list[str]:
    text: T = getattr(rule, part)
    if not (text.en.strip() and text.zh.strip()):
        return [f"{part} must be filled in both languages"]
    try:
        english, chinese = fields_of(text.en), fields_of(text.zh)
    except ValueError as broken:
        return [f"{part}: {broken}"]
    if english != chinese:
        return [f"{part} has different fields in the two languages: {sorted(english ^ chinese)}"]
    if "" in english or any(name.isdigit() for name in english):
        return [f"{part} has a field without a name"]
    if part in ("title", "explanation") and english:
        return [f"{part} takes no fields"]
    return []
