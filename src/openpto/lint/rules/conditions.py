"""Conditions: what cannot be one (PTO130, PTO131), jumps under one (PTO115, PTO117), what 0.2 refuses (PTO66x)."""

from __future__ import annotations

import ast

from openpto.diagnostics import words
from openpto.lint.functions import own_nodes
from openpto.lint.hooks import Branch, Call, on, on_call
from openpto.lint.integers import Int
from openpto.lint.rules.syntax import own_jumps
from openpto.lint.statements import is_symbolic_test
from openpto.lint.values import Tensor
from openpto.lint.walk import Walk


@on(Branch)
def truth(walk: Walk, seen: Branch) -> None:
    """PTO130: a tensor has no truth value."""
    if isinstance(seen.value, Tensor):
        walk.report("PTO130", seen.test, got="Tensor")


@on(Branch)
def now(walk: Walk, seen: Branch) -> None:
    """PTO131: `while` and `assert` ask for a value now."""
    if isinstance(seen.node, (ast.While, ast.Assert)) and symbolic(seen):
        what = "while" if isinstance(seen.node, ast.While) else "assert"
        walk.report("PTO131", seen.test, what=what, expr=ast.unparse(seen.test))


def symbolic(seen: Branch) -> bool:
    """Whether the test is certainly known at run time only."""
    return is_symbolic_test(seen.value)


@on(Branch)
def jumps(walk: Walk, seen: Branch) -> None:
    """PTO115 and PTO117: jumps and raises that would depend on a run-time condition."""
    if not isinstance(seen.node, ast.If) or not symbolic(seen):
        return
    in_loop = any(loop.node.lineno <= seen.node.lineno <= (loop.node.end_lineno or 0) for loop in walk.loops)
    for node in own_jumps([seen.node]):
        if not (in_loop and _belongs(walk, node)):
            jump = type(node).__name__.lower()
            walk.report("PTO115", node, jump=jump, where=getattr(node, "lineno", 0))
    for node in own_nodes([*seen.node.body, *seen.node.orelse]):
        if isinstance(node, ast.Raise):
            walk.report("PTO117", node, condition=words.line(seen.test.lineno))


def _belongs(walk: Walk, node: ast.AST) -> bool:
    """Whether the jump leaves a run-time loop of this function, which PTO114 says."""
    line = getattr(node, "lineno", 0)
    own = (loop.node for loop in walk.loops if loop.node in list(own_nodes(walk.frame.function.node.body)))
    return any(loop.lineno <= line <= (loop.end_lineno or 0) for loop in own)


@on_call("cond")
def marks(walk: Walk, call: Call) -> None:
    """PTO660: `pypto.cond` in a kernel or marked helper; PTO213: its place."""
    if call.complete and ("file" in call.arguments) != ("lineno" in call.arguments):
        walk.report("PTO213", call.node, given="file" if "file" in call.arguments else "lineno")
    if walk.frame.function.kind in ("kernel", "marked"):
        walk.report("PTO660", call.node, fix=walk.fix("unwrap-call", call.node))


@on(Branch)
def helpers(walk: Walk, seen: Branch) -> None:
    """PTO661: a run-time condition in a helper that runs as plain Python; PTO669: logic on run-time values."""
    marked = isinstance(seen.test, ast.Call) and walk.frame.function.module.path_of(seen.test.func) == "pypto.cond"
    if not symbolic(seen) or marked:
        return
    operators: dict[type[ast.AST], str] = {ast.IfExp: "if/else expression", ast.UnaryOp: "not"}
    if isinstance(seen.node, ast.BoolOp):
        walk.report("PTO669", seen.node, op="and" if isinstance(seen.node.op, ast.And) else "or")
    elif type(seen.node) in operators:
        walk.report("PTO669", seen.node, op=operators[type(seen.node)])
    elif isinstance(seen.node, ast.If) and walk.frame.function.kind == "plain":
        walk.report("PTO661", seen.test, name=walk.frame.function.name)


@on_call("builtins.min", "builtins.max")
def extremes(walk: Walk, call: Call) -> None:
    """PTO663: builtin min and max of run-time values."""
    values = [argument.value for argument in call.arguments.values()]
    if any(isinstance(value, Int) and value.symbolic for value in values):
        which = call.name.removeprefix("builtins.")
        fix = walk.fix_with_pypto("pypto-extreme", call.node) if len(values) == 2 else None
        walk.report("PTO663", call.node, fix=fix, which=which)
