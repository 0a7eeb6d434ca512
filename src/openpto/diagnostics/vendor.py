"""Codes of the vendor's versions: the two front ends number the same mistakes differently."""

from __future__ import annotations

from collections.abc import Sequence

_NEWER = ("F0", "F21003", "F21006", "F21009", "FC0001", "FC1000")
_OLDER = ("FFFFFF", "F21004", "F21007", "FC0000", "FC3000", "FC4000", "FC4001")
"""Beginnings of codes that one front end gives where the other gives another one."""
_CONVENTIONS = "OL"
"""The beginning of codes of operator collections, which are no front end's."""


def in_order_of(target: str | None, codes: Sequence[str]) -> tuple[str, ...]:
    """Codes of one mistake, those of the target's front end first; as they come without a target.

    >>> in_order_of("0.2", ("F21003", "F21004"))
    ('F21004', 'F21003')
    """
    if target is None:
        return tuple(codes)
    last, first = (_NEWER, _OLDER) if target == "0.2" else (_OLDER, _NEWER)

    def rank(code: str) -> int:
        return 2 if code.startswith(_CONVENTIONS) else code.startswith(last) - code.startswith(first)

    return tuple(sorted(codes, key=rank))
