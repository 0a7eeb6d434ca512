"""Codes in a text, ours and the toolchains', and the page that answers each.

A code of the toolchains leads to the rules that carry it as an alias. One that no rule carries belongs to a stage that
is not part of OpenPTO (passes, code for the device, its control processors); the leaf of that stage answers it.
"""

from __future__ import annotations

import re
from functools import cache

from openpto.diagnostics import RULES

_CODE = re.compile(
    r"(?<![0-9A-Za-z_])(?:(PTO[1-9][0-9]{2})|(?:0x)?(F[0-9A-F]{5})|(OL[0-9]{2})|(10700[0-9]|50701[0-9]|20700[0-9])"
    r"|(E[A-Z][0-9]{4}))(?![0-9A-Za-z_])"
)
_SHORT = re.compile(r"(?i)(?:err(?:or)?[ _-]?code|错误码)[ :=]*(?:0x|F)?([0-9A-F]{5})(?![0-9A-Za-z_])")
"""A code without its F, as the enums of the older toolchain print it."""

FIRST = {
    "F00001": "PTO222", "F00002": "PTO200", "F00003": "PTO511", "F00004": "PTO120", "F00005": "PTO110",
    "F00007": "PTO220", "F00008": "PTO240", "F0000A": "PTO224", "F0000B": "PTO270", "F0000C": "PTO320",
    "F0000D": "PTO276", "F21003": "PTO236", "F21004": "PTO301", "F21006": "PTO662", "F21007": "PTO611",
    "F40003": "PTO253", "F40005": "PTO304", "F42001": "PTO411", "F42003": "PTO410", "F43000": "PTO611",
    "F76007": "PTO463", "FC0000": "PTO229", "FC0001": "PTO231", "FC0002": "PTO232", "FC1000": "PTO303",
    "FC3000": "PTO271", "FC3002": "PTO273", "FC4000": "PTO320", "FC4001": "PTO322", "OL48": "PTO286",
    "FA0001": "PTO475", "FA0008": "PTO477", "F21001": "PTO151", "107003": "PTO621",
}  # fmt: skip
"""Of the rules that carry a code, the one to read first when nothing but the code is known."""

NOTHING_SAID = frozenset({"FFFFFF", "F0FFFF"})
"""Codes of checks without a code: they stand for no rule more than for another."""

STAGES = {
    "FFFFFF": "error-codes", "F0FFFF": "error-codes", "F3FFFF": "PTO673",
    "F1": "error-codes", "F2": "error-codes", "F3": "error-codes", "F4": "error-codes", "F5": "error-codes",
    "F70009": "error-codes", "F7FFFF": "error-codes",
    "F6": "device-code", "F70": "device-code",
    "F71": "npu-launch-failures", "F71008": "device-busy",
    "F72": "device-timeout", "F72002": "device-busy", "F73": "device-timeout", "F73008": "device-timeout",
    "F74": "device-memory", "F76": "error-codes", "F77": "error-codes", "F78": "aicore-exception",
    "F79": "error-codes", "F7A": "error-codes", "F7B": "npu-launch-failures", "F7F": "error-codes",
    "F9": "cost-model", "FA": "multi-card", "FB": "error-codes",
    "FB0001": "verify-build", "FB0002": "verify-build", "FB0003": "PTO483", "FC": "error-codes",
    "107": "device-not-set", "107003": "npu-launch-failures", "207": "device-memory",
    "507015": "aicore-exception", "507018": "driver-too-old", "50701": "aicore-exception",
    "EZ": "aicore-exception", "EE": "aicore-exception", "EI": "multi-card", "EH": "npu-launch-failures",
}  # fmt: skip
"""The page of a code that no rule carries, by the beginning of the code; the longest beginning decides."""


def codes_in(text: str) -> list[str]:
    """Codes in a text in their order, in capitals, each once.

    >>> codes_in("Errcode: F21004! ... error[PTO301]")
    ['F21004', 'PTO301']
    """
    found = [(match.start(), next(filter(None, match.groups()))) for match in _CODE.finditer(text)]
    found += [(match.start(1), f"F{match[1].upper()}") for match in _SHORT.finditer(text)]
    return list(dict.fromkeys(code for _, code in sorted(found)))


@cache
def rules_of(code: str) -> tuple[str, ...]:
    """The rules that a code stands for, the one to read first in front; none if it is not known."""
    if code in RULES:
        return (code,)
    if code in NOTHING_SAID:
        return ()
    carry = tuple(rule.code for rule in RULES.values() if code in rule.aliases)
    first = FIRST.get(code)
    return carry if first not in carry else (first, *(other for other in carry if other != first))


def stage_of(code: str) -> str | None:
    """The page of a code that stands for no rule of ours, or None if nothing is known of it.

    >>> stage_of("F63001"), stage_of("PTO999")
    ('device-code', None)
    """
    if not _CODE.fullmatch(code):
        return None
    for length in range(len(code), 1, -1):
        if page := STAGES.get(code[:length]):
            return page
    return None
