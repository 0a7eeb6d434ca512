"""A module in two halves: what is compiled fast and what is compiled well.

LLVM chooses its passes per module. The functions that are marked ``optnone`` run once per tile at most and hold no
floating-point arithmetic; in a module of their own the fast register allocator does for them, which takes a third of
the time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_DEFINITION = re.compile(r"^define (?:internal )?(?P<result>[^@]+)@(?P<name>[^(]+)\((?P<params>[^)]*)\)")
_NAME = re.compile(r" %[\w.]+")
_BEGIN = re.compile(r"^(?=define )", re.MULTILINE)


def halves(text: str) -> tuple[str, str]:
    """(functions marked ``optnone``, the others) as modules that declare what they call of each other; a half without
    functions is empty. Declarations and constants precede the functions in ``text``."""
    head, *functions = _BEGIN.split(text)
    between = [line for f in functions for line in f[f.index("\n}") + 2 :].splitlines() if line.strip()]
    functions = [f[: f.index("\n}") + 3] for f in functions]
    fast = [f for f in functions if _is_fast(f)]
    well = [f for f in functions if not _is_fast(f)]
    if not fast or not well:
        return (text, "") if fast else ("", text)
    head = "\n".join([head, *between, ""])
    return _half(head, fast, well), _half(head, well, fast)


def _is_fast(function: str) -> bool:
    return " optnone " in function[: function.index("{\n") + 1]


def _half(head: str, own: Iterable[str], others: Iterable[str]) -> str:
    """Some functions of a module, visible to the other half, and declarations of those that they need of it."""
    body = "\n".join(re.sub(r"^define internal ", "define ", f) for f in own)
    used = set(re.findall(r"@([\w.]+)", body))
    needed = []
    for function in others:
        found = _DEFINITION.match(function)
        assert found is not None
        if found["name"] in used:
            needed.append(f"declare {found['result']}@{found['name']}({_NAME.sub('', found['params'])})")
    return "\n".join([head, *needed, body, ""])
