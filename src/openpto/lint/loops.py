"""Loops of a kernel or helper: the body is walked once, for any of its iterations."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from openpto.diagnostics import words
from openpto.lint import integers
from openpto.lint.frames import OpenLoop, Tiles, carried, merge_names, merge_tiles
from openpto.lint.functions import every_node, names_stored
from openpto.lint.hooks import Branch, Iteration, tell
from openpto.lint.integers import Int, Quantity
from openpto.lint.values import UNKNOWN, Gone, Loop, Tensor, Value, items_of, number

if TYPE_CHECKING:
    from openpto.lint.walk import Walk


def for_statement(walk: Walk, node: ast.For) -> bool:
    iterable = walk.evaluate(node.iter)
    tell(walk, Iteration(node, iterable))
    if isinstance(iterable, Tensor):
        walk.report("PTO152", node.iter, got="Tensor", also="Tensor is not iterable.")
    if isinstance(iterable, Loop) and iterable.kind != "range":
        _run_time_loop(walk, node, iterable)
    else:
        _python_loop(walk, node, iterable)
    if node.orelse:
        walk.block(node.orelse)
    return True


def _run_time_loop(walk: Walk, node: ast.For, loop: Loop) -> None:
    """The body of `pypto.loop`: tiles that it sets are gone after it."""
    name = node.target.id if isinstance(node.target, ast.Name) else "the index"
    index = integers.of(Quantity(("index", id(node), walk.depth), True, name))
    value: Value = UNKNOWN if runs_once(loop) else index
    tiles = walk.tiles
    walk.looped = True
    walk.loops.append(OpenLoop(loop, node, name, value))
    if loop.kind == "loop_unroll" and isinstance(node.target, ast.Tuple) and len(node.target.elts) == 2:
        first, factor = node.target.elts
        targets: list[tuple[ast.expr, Value]] = [(first, value), (factor, UNKNOWN)]
    else:
        targets = [(node.target, value)]
    _body(walk, node, targets, sure=True)
    walk.loops.pop()
    walk.tiles = tiles
    if value is index and isinstance(node.target, ast.Name):
        walk.frame.names[name] = Gone("PTO123", (("name", name), ("loop_line", words.line(node.lineno))))


def runs_once(loop: Loop) -> bool:
    """Whether a loop may be straight-line code: one iteration, whose index is a known int."""
    if loop.bounds is None or not 1 <= len(loop.bounds) <= 3:
        return True
    bounds: list[Value] = [Int(0), *loop.bounds] if len(loop.bounds) == 1 else list(loop.bounds)
    start, stop, step = [number(bound) for bound in [*bounds, Int(1)][:3]]
    if start is None or stop is None or not step:
        # Equal quantities in start and stop may cancel: i .. i + 1.
        first, last = bounds[0], bounds[1]
        if isinstance(first, Int) and isinstance(last, Int) and step:
            gap = integers.add(last, first, -1).value
            return gap is not None and len(range(0, gap, step)) <= 1
        return not (isinstance(first, Int) and isinstance(last, Int) and (first.symbolic or last.symbolic))
    return len(range(start, stop, step)) <= 1


def _python_loop(walk: Walk, node: ast.For, iterable: Value) -> None:
    value: Value = UNKNOWN
    sure = False
    if isinstance(iterable, Loop):
        value = integers.of(Quantity(("range", id(node), walk.depth), False, ast.unparse(node.target)))
        sure = _runs(iterable)
    items = items_of(iterable)
    if items is not None:
        sure = bool(items)
        walk.lose(iterable)
    elif not isinstance(iterable, Loop):
        walk.lose(iterable)
    before = walk.tiles
    walk.unrolled.append(_rounds(iterable))
    _body(walk, node, [(node.target, value)], sure=sure)
    walk.unrolled.pop()
    walk.tiles = merge_tiles(before, walk.tiles)


def _rounds(iterable: Value) -> int:
    """How often a Python loop runs at least."""
    if isinstance(iterable, Loop) and iterable.bounds is not None and _runs(iterable):
        return len(range(*(number(bound) or 0 for bound in iterable.bounds)))
    return len(items_of(iterable) or (None,))


def _runs(loop: Loop) -> bool:
    """Whether a `range` certainly has an element."""
    numbers = None if loop.bounds is None else [number(bound) for bound in loop.bounds]
    if not numbers or None in numbers or len(numbers) > 3:
        return False
    known = [n for n in numbers if n is not None]
    return not (len(known) == 3 and known[2] == 0) and len(range(*known)) > 0


def _body(walk: Walk, node: ast.For | ast.While, targets: list[tuple[ast.expr, Value]], *, sure: bool) -> None:
    """Walk a loop body once, for any of its iterations."""
    module = walk.frame.function.module
    stored = module.fact("stored", node, lambda: names_stored(node.body))
    loaded = module.fact("loaded", node, lambda: _names_loaded(node))
    before = dict(walk.frame.names)
    for name in stored & before.keys():
        if name in loaded:
            walk.frame.names[name] = carried(before[name])
    walk.tiles = _tiles_at_head(walk, node, walk.tiles)
    for target, value in targets:
        walk.bind(target, value, node, None)
    walk.conditional += not sure
    walk.block(node.body)
    walk.conditional -= not sure
    if isinstance(node, ast.For) and any(loop.node is node for loop in walk.loops):
        _tell_rebound(walk, node, before, [name for name in sorted(stored & before.keys()) if name in loaded])
    walk.frame.names = merge_names(before | {n: UNKNOWN for n in walk.frame.names if n not in before}, walk.frame.names)


def _tell_rebound(walk: Walk, node: ast.For, before: dict[str, Value], names: list[str]) -> None:
    """PTO668: tensors that go from iteration to iteration by a new value of their name."""
    carried_ones = [
        name
        for name in names
        if isinstance(before[name], Tensor)
        and isinstance(walk.frame.names.get(name), Tensor)
        and walk.frame.names[name] is not before[name]
        and _read_first(node.body, name)
    ]
    if carried_ones:
        walk.report("PTO668", node.iter, names=", ".join(carried_ones))


def _read_first(body: list[ast.stmt], name: str) -> bool:
    """Whether the first statement that touches a name is an assignment that reads it."""
    for statement in body:
        touching = [n for n in every_node(statement) if isinstance(n, ast.Name) and n.id == name]
        if touching:
            return isinstance(statement, (ast.Assign, ast.AugAssign)) and (
                isinstance(statement, ast.AugAssign) or any(isinstance(n.ctx, ast.Load) for n in touching)
            )
    return False


def _names_loaded(node: ast.For | ast.While) -> set[str]:
    return {
        n.id for part in node.body for n in every_node(part) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    }


def _tiles_at_head(walk: Walk, node: ast.For | ast.While, tiles: Tiles) -> Tiles:
    """Tiles when an iteration begins: a Python loop keeps what its body sets, a run-time loop does not."""
    if isinstance(node, ast.For) and walk.loops and walk.loops[-1].node is node:
        return tiles
    calls = walk.frame.function.module.fact("calls", node, lambda: _has_calls(node.body))
    return replace(tiles, vec=UNKNOWN, cube=UNKNOWN) if calls else tiles


def _has_calls(body: list[ast.stmt]) -> bool:
    return any(isinstance(inner, ast.Call) for part in body for inner in every_node(part))


def while_statement(walk: Walk, node: ast.While) -> bool:
    module = walk.frame.function.module
    stored = module.fact("stored", node, lambda: names_stored(node.body))
    for name in stored & walk.frame.names.keys():
        walk.frame.names[name] = carried(walk.frame.names[name])
    test = walk.evaluate(node.test)
    tell(walk, Branch(node, node.test, test))
    _body(walk, node, [], sure=False)
    if node.orelse:
        walk.block(node.orelse)
    return True
