"""Mutators of loops, and of what loops carry, collect and write."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from openpto_gym.mutation.mutator import Change, instead, mutator
from openpto_gym.mutation.source import TILES, Site, Source, argument, called, is_number, is_public


@mutator("loop bound")
def loop_first_lost(source: Source, site: Site) -> Iterator[Change]:
    """A loop leaves out its first iteration."""
    if not _is_loop(site.node):
        return
    args = site.node.args
    if len(args) == 1:
        yield instead(source, args[0], f"1, {source.of(args[0])}")
    else:
        step = source.operand(args[2]) if len(args) > 2 else "1"
        yield instead(source, args[0], f"{source.operand(args[0])} + {step}")


@mutator("loop bound")
def loop_bound_off(source: Source, site: Site) -> Iterator[Change]:
    """A loop ends one earlier or one iteration later."""
    if not _is_loop(site.node):
        return
    args = site.node.args
    stop = args[0] if len(args) == 1 else args[1]
    yield instead(source, stop, f"{source.operand(stop)} - 1")
    yield instead(source, stop, f"{source.operand(stop)} + {source.operand(args[2]) if len(args) > 2 else '1'}")


@mutator("loop bound")
def loop_step_doubled(source: Source, site: Site) -> Iterator[Change]:
    """A loop takes steps of twice the size: every second block is left out."""
    if _is_loop(site.node) and len(site.node.args) > 2:
        step = site.node.args[2]
        yield instead(source, step, f"2 * {source.operand(step)}")


@mutator("loop bound")
def division_rounds_down(source: Source, site: Site) -> Iterator[Change]:
    """`pypto.ceildiv(a, b)`, a number of blocks, becomes `a // b`."""
    if is_public(site.node, "ceildiv"):
        a, b = site.node.args
        yield instead(source, site.node, f"({source.operand(a)} // {source.operand(b)})")


@mutator("missing init")
def init_missing(source: Source, site: Site) -> Iterator[Change]:
    """`pypto.full(shape, value, ...)` becomes a tensor without contents."""
    node = site.node
    if is_public(node, "full"):
        dtype = argument(node, 2, "dtype")
        if dtype is not None:
            yield instead(source, node, f"pypto.tensor({source.of(node.args[0])}, {source.of(dtype)})")


@mutator("missing init")
def init_wrong(source: Source, site: Site) -> Iterator[Change]:
    """What `pypto.full` fills with is 1 instead of a number; 0 instead of the lowest score."""
    if is_public(site.node, "full"):
        value = argument(site.node, 1, "fill_value")
        if value is not None and is_number(value):
            whole = isinstance(value, ast.Constant) and isinstance(value.value, int)
            yield instead(source, value, "1" if whole else "1.0" if isinstance(value, ast.Constant) else "0.0")


@mutator("stale carry")
def carry_stale(source: Source, site: Site) -> Iterator[Change]:
    """`x[:] = ...` is left out, so that x keeps what it had."""
    if _is_update(site.node):
        yield instead(source, site.node, "pass")


@mutator("dropped accumulation")
def accumulation_dropped(source: Source, site: Site) -> Iterator[Change]:
    """`x = x + y`, in any of its forms, becomes `x = y`."""
    node = site.node
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.BinOp):
        return
    target = source.of(node.targets[0]).removesuffix("[:]")
    left, right = node.value.left, node.value.right
    if isinstance(node.value.op, (ast.Add, ast.Sub)) and target in {source.of(part) for part in _parts(left)}:
        yield instead(source, node.value, source.of(right))


@mutator("output not written")
def store_missing(source: Source, site: Site) -> Iterator[Change]:
    """A statement that stores is left out: an assemble, a scatter, a helper that stores, an assignment to elements."""
    node = site.node
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and called(node.value) not in TILES:
        if called(node.value) != "append":
            yield instead(source, node, "pass")
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript) and not _is_update(node):
        yield instead(source, node, "pass")


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield from _parts(child)


def _is_loop(node: ast.AST) -> TypeGuard[ast.Call]:
    if not isinstance(node, ast.Call) or not node.args:
        return False
    return is_public(node, "loop") or (isinstance(node.func, ast.Name) and node.func.id == "range")


def _is_update(node: ast.AST) -> TypeGuard[ast.Assign]:
    """Whether a statement replaces what a tensor holds: `x[:] = ...`."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Subscript):
        return False
    index = node.targets[0].slice
    return isinstance(index, ast.Slice) and index.lower is index.upper is None
