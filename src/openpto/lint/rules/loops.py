"""Loops: bounds, keywords, targets, nesting (PTO134, PTO151 to PTO154, PTO201, PTO208 to PTO215, PTO662, PTO670)."""

from __future__ import annotations

import ast

from openpto.diagnostics.language import T
from openpto.language.instead import integer_instead
from openpto.lint.frames import keyword, keyword_text
from openpto.lint.hooks import Call, Iteration, on, on_call
from openpto.lint.integers import Int
from openpto.lint.loops import runs_once
from openpto.lint.values import Condition, Const, List, Loop, Name, Tensor, Tuple, Value, items_of, number
from openpto.lint.walk import Walk

KEYWORDS = frozenset({"unroll_list", "name", "idx_name", "submit_before_loop", "parallel"})
_SHOWN: dict[type, str] = {List: "list", Tuple: "tuple", Loop: "range", Tensor: "Tensor"}


@on_call("loop", "loop_unroll")
def bounds(walk: Walk, call: Call) -> None:
    """PTO208 (number of bounds), PTO201 (kind of a bound), PTO211 (step 0)."""
    if not call.complete:
        return
    count = len(call.node.args)
    if not 1 <= count <= 3:
        named = [word for word in ("start", "stop", "step") if keyword(call.node, word) is not None]
        extra = f" ({', '.join(named)} must be positional)" if named else ""
        walk.report("PTO208", call.node, call=call.name, count=count, extra=extra)
        return
    for part in call.node.args:
        _bound(walk, call, part)
    if count == 3 and call.value("2") == Int(0):
        walk.report("PTO211", call.node.args[2], call=call.name)


def _bound(walk: Walk, call: Call, part: ast.expr) -> None:
    value = next(argument.value for argument in call.arguments.values() if argument.node is part)
    got = _SHOWN.get(type(value), "")
    if isinstance(value, Const) and not isinstance(value.value, bool):
        got = type(value.value).__name__
    elif isinstance(value, Name) and value.api in ("DYNAMIC", "DYN", "STATIC"):
        got = "StatusType"
    if not got or (isinstance(value, Loop) and value.kind != "range"):
        return
    source = walk.frame.function.module.source
    single = isinstance(part, ast.Call) and len(part.args) == 1 and len(call.node.args) == 1
    fix = walk.fix("unwrap-call", part) if isinstance(value, Loop) and single else None
    walk.report("PTO201", part, fix=fix, got=got, value=source.segment(part), instead=integer_instead(got))


@on_call("loop", "loop_unroll")
def keywords(walk: Walk, call: Call) -> None:
    """PTO214 (unknown keyword), PTO215 and PTO212 (unroll factors)."""
    for entry in call.node.keywords:
        if entry.arg is not None and entry.arg not in KEYWORDS and entry.arg not in ("start", "stop", "step"):
            walk.report("PTO214", entry, call=call.name, key=entry.arg)
    factors = call.value("unroll_list")
    if isinstance(factors, Int) and factors.value is not None:
        walk.report("PTO215", call.at("unroll_list"), fix=walk.fix("wrap-list", call.at("unroll_list")), got="int")
    for factor in items_of(factors) or ():
        known = number(factor)
        if known is not None and known < 1:
            walk.report("PTO212", call.at("unroll_list"), factor=known)


@on(Iteration)
def targets(walk: Walk, seen: Iteration) -> None:
    """PTO153: one index; PTO154: two names."""
    if not isinstance(seen.iterable, Loop) or seen.iterable.kind == "range":
        return
    pair = isinstance(seen.node.target, (ast.Tuple, ast.List)) and len(seen.node.target.elts) == 2
    if seen.iterable.kind == "loop" and not isinstance(seen.node.target, ast.Name):
        names = [ast.unparse(one) for one in getattr(seen.node.target, "elts", [seen.node.target])]
        walk.report("PTO153", seen.node.target, target=", ".join(names), first=names[0])
    elif seen.iterable.kind == "loop_unroll" and not pair:
        walk.report("PTO154", seen.node.target, target=ast.unparse(seen.node.target))


@on(Iteration)
def nesting(walk: Walk, seen: Iteration) -> None:
    """PTO151: parallel loops do not nest; PTO662: nested loops have names of their own."""
    loop = seen.iterable
    if not isinstance(loop, Loop) or loop.kind == "range":
        return
    for outer in walk.loops:
        if loop.parallel and outer.loop.parallel and not runs_once(loop) and not runs_once(outer.loop):
            walk.report("PTO151", loop.call, name=_name(loop, seen.node), outer=_name(outer.loop, outer.node))
            break
    own = keyword_text(loop.call, "idx_name")
    if own and any(keyword_text(outer.loop.call, "idx_name") == own for outer in walk.loops):
        walk.report("PTO662", loop.call, name=own)


def _name(loop: Loop, node: ast.For) -> str | T:
    return keyword_text(loop.call, "name") or T(f"the loop in line {node.lineno}", f"第 {node.lineno} 行的循环")


@on_call("builtins.range")
def ranges(walk: Walk, call: Call) -> None:
    """PTO134: range() of a value that is known at run time only."""
    for argument in call.arguments.values():
        if isinstance(argument.value, Int) and argument.value.symbolic:
            walk.report(
                "PTO134", call.node, fix=walk.fix_with_pypto("pypto-loop", call.node), expr=argument.value.label
            )
            return


@on_call("builtins.int", "builtins.float")
def conversions(walk: Walk, call: Call) -> None:
    """PTO200: int() and float() need a value that is known now."""
    value = call.value("0")
    symbolic = isinstance(value, (Int, Condition)) and value.symbolic
    if symbolic and len(call.arguments) == 1:
        what = f"{call.name.removeprefix('builtins.')}()"
        why = T(f"{what} needs its number now", f"{what} 此刻就需要它的数值")
        walk.report("PTO200", call.node, expr=_shown(value), why=why)


def _shown(value: Value) -> str | T:
    return value.label if isinstance(value, Int) else T("a condition", "条件")


@on_call("builtins.list", "builtins.enumerate", "builtins.zip", "builtins.tuple", "builtins.sorted")
def consumed(walk: Walk, call: Call) -> None:
    """PTO210: a run-time loop is no list of indices."""
    for argument in call.arguments.values():
        if isinstance(argument.value, Loop) and argument.value.kind != "range":
            walk.report("PTO210", argument.node, name=f"pypto.{argument.value.kind}")


@on_call("is_loop_begin", "is_loop_end")
def indices(walk: Walk, call: Call) -> None:
    """PTO209: the index of a loop, as it is; PTO670: of the innermost one."""
    value = call.value("0")
    if not isinstance(value, Int):
        return
    (quantity, factor), *more = value.terms or ((None, 0),)
    if quantity is None or more or factor != 1 or value.constant or quantity.key[0] != "index":
        walk.report("PTO209", call.at("0"), got=value.label)
        return
    inner = walk.loops[-1] if walk.loops else None
    if inner is not None and inner.value != value and isinstance(inner.value, Int):
        walk.report("PTO670", call.node, inner=_name(inner.loop, inner.node))
