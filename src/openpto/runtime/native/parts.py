"""A module in parts: what is compiled fast, what is compiled well, and what several threads compile.

LLVM chooses its passes per module. The functions that are marked ``optnone`` run once per tile at most and hold no
floating-point arithmetic; in a module of their own the fast register allocator does for them, which takes a third of
the time. The others are cut further where that is worth a thread.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

LEAST = 150
"""Lines that are worth a thread."""
_DEFINITION = re.compile(r"^define (?:internal )?(?P<result>[^@]+)@(?P<name>[^(]+)\((?P<params>[^)]*)\)")
_NAME = re.compile(r" %[\w.]+")
_BEGIN = re.compile(r"^(?=define )", re.MULTILINE)
_INTERNAL = re.compile(r"^define internal ", re.MULTILINE)
_USED = re.compile(r"@([\w.]+)")


def parts(text: str, threads: int = 1) -> list[tuple[str, bool]]:
    """The functions marked ``optnone``, and the others in up to ``threads`` groups of about equal length: modules that
    declare what they call of each other, and whether they are compiled well. Declarations and constants precede the
    functions in ``text``."""
    head, *functions = _BEGIN.split(text)
    ends = [f.index("\n}") + 2 for f in functions]
    between = [line for f, end in zip(functions, ends, strict=True) for line in f[end:].splitlines() if line.strip()]
    functions = [f[: end + 1] for f, end in zip(functions, ends, strict=True)]
    fast = [f for f in functions if _is_fast(f)]
    groups = [fast, *_groups([f for f in functions if not _is_fast(f)], threads)]
    groups = [group for group in groups if group]
    if len(groups) <= 1:
        return [(text, not fast)]
    head = "\n".join([head, *between, ""])
    declared = dict(map(_declared, functions))
    return [(_part(head, group, declared), group is not fast) for group in groups]


def _groups(functions: Sequence[str], threads: int) -> list[list[str]]:
    """Functions in groups: each joins the shortest one, the longest first."""
    lengths = {f: f.count("\n") for f in functions}
    count = max(1, min(threads, sum(lengths.values()) // LEAST))
    groups: list[list[str]] = [[] for _ in range(count)]
    totals = [0] * count
    for function in sorted(functions, key=lengths.__getitem__, reverse=True):
        shortest = totals.index(min(totals))
        groups[shortest].append(function)
        totals[shortest] += lengths[function]
    return groups


def _is_fast(function: str) -> bool:
    return " optnone " in function[: function.index("{\n") + 1]


def _declared(function: str) -> tuple[str, str]:
    """Name and declaration of a function."""
    found = _DEFINITION.match(function)
    assert found is not None
    return found["name"], f"declare {found['result']}@{found['name']}({_NAME.sub('', found['params'])})"


def _part(head: str, own: Sequence[str], declared: dict[str, str]) -> str:
    """Some functions of a module, visible to the other parts, and declarations of those that they need of these."""
    body = _INTERNAL.sub("define ", "\n".join(own))
    mine = {name for name, _ in map(_declared, own)}
    needed = [declared[name] for name in sorted(set(_USED.findall(body)) & declared.keys() - mine)]
    return "\n".join([head, *needed, body, ""])
