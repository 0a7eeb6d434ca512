"""Which rules apply: selected and ignored codes, the target, and what a file's settings say."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePath

from openpto.diagnostics.registry import RULES, Rule, Severity

GROUPS: Mapping[str, tuple[str, ...]] = {
    "ALL": ("PTO",),
    "DEFAULT": ("PTO1", "PTO2", "PTO3", "PTO4", "PTO5", "PTO6", "PTO700", "PTO77", "PTO78"),
    "GYM": ("PTO70", "PTO71", "PTO72", "PTO73", "PTO74", "PTO75", "PTO76"),
}
"""Names for several rules: GYM are the conventions of an operator collection, off unless they are asked for."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Codes are given as prefixes (PTO2), as codes, as vendor codes (OL48, F21004) or as names of GROUPS."""

    select: tuple[str, ...] = ("DEFAULT",)
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    target: str | None = None
    chip: str | None = None

    def severity(self, rule: Rule, path: str) -> Severity | None:
        """The severity of a rule in a file; None if it does not apply there.

        What only some toolchains refuse runs here: it is told if one of them is the target, or if the rule was asked
        for by name.
        """
        asked = matches(self.extend_select, rule.code) or (
            "DEFAULT" not in self.select and matches(self.select, rule.code)
        )
        if not (asked or matches(self.select, rule.code)) or matches(self.ignore, rule.code):
            return None
        if any(matches(codes, rule.code) and _fits(pattern, path) for pattern, codes in self.per_file_ignores.items()):
            return None
        if not rule.profiles:
            return rule.severity
        if self.target is None:
            return rule.severity if asked else None
        return "error" if self.target in rule.profiles else None


def matches(wanted: tuple[str, ...], code: str) -> bool:
    """Whether one of the given codes, prefixes or group names covers a code."""
    return any(code.startswith(prefixes(text)) for text in wanted)


@lru_cache(maxsize=256)
def prefixes(text: str) -> tuple[str, ...]:
    """The code prefixes that a text stands for; empty if it stands for none."""
    upper = text.upper()
    if upper in GROUPS:
        return GROUPS[upper]
    if upper.startswith("PTO"):
        return (upper,) if any(code.startswith(upper) for code in RULES) else ()
    return tuple(rule.code for rule in RULES.values() if upper in rule.aliases)


def _fits(pattern: str, path: str) -> bool:
    pure = PurePath(path)
    return fnmatch.fnmatch(pure.name, pattern) or pure.match(pattern) or fnmatch.fnmatch(pure.as_posix(), pattern)
