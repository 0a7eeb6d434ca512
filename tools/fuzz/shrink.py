"""Makes a failing program small."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from .program import Program

Fails = Callable[[Program], bool]


def shrunk(program: Program, fails: Fails) -> Program:
    """The smallest program found that still fails: without statements, without blocks, with smaller sizes."""
    while True:
        smaller = _unrolled(_fewer(program, fails), fails)
        smaller = _smaller_sizes(smaller, fails)
        if smaller.source()[0] == program.source()[0]:
            return _without_parameters(smaller, fails)
        program = smaller


def _fewer(program: Program, fails: Fails) -> Program:
    """Without statements, last ones first (they use what earlier ones make)."""
    for stmt in reversed(program.statements()):
        if any(s is stmt for s in program.statements()):
            tried = program.without(stmt)
            if fails(tried):
                program = tried
    return program


def _unrolled(program: Program, fails: Fails) -> Program:
    """Bodies in the place of their blocks."""
    for stmt in program.statements():
        if stmt.body is None or stmt.head.startswith("def "):
            continue
        index = re.match(r"for (\w+) in", stmt.head)
        for body in (stmt.body, stmt.other):
            if body and index is None and any(s is stmt for s in program.statements()):
                tried = program.replaced(stmt, body)
                if fails(tried):
                    program = tried
                    break
    return program


def _smaller_sizes(program: Program, fails: Fails) -> Program:
    for name in program.sizes:
        for size in range(program.sizes[name]):
            tried = replace(program, sizes={**program.sizes, name: size})
            if fails(tried):
                program = tried
                break
    return program


def _without_parameters(program: Program, fails: Fails) -> Program:
    """Without unused parameters, where the failure survives the other data that this makes."""
    for param in program.params:
        tried = replace(program, params=tuple(p for p in program.params if p is not param))
        if tried.params and fails(tried):
            program = tried
    return program
