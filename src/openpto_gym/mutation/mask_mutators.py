"""Mutators of masks, conditions, tails, padding and windows."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from openpto_gym.mutation.mutator import Change, instead, mutator, swapped
from openpto_gym.mutation.source import Site, Source, argument, called, is_number, is_public

NEIGHBOURS = {"le": "lt", "lt": "le", "ge": "gt", "gt": "ge", "eq": "ne", "ne": "eq"}
COMPARED: dict[type[ast.cmpop], str] = {ast.LtE: "<", ast.Lt: "<=", ast.GtE: ">", ast.Gt: ">=", ast.Eq: "!="}


@mutator("dropped mask")
def mask_dropped(source: Source, site: Site) -> Iterator[Change]:
    """`pypto.where(mask, a, b)` becomes one of the two tensors."""
    if is_public(site.node, "where"):
        for choice in site.node.args[1:]:
            if not is_number(choice):
                yield instead(source, site.node, source.operand(choice))


@mutator("wrong mask")
def mask_shifted(source: Source, site: Site) -> Iterator[Change]:
    """A comparison of tensors is strict where it was not, or the reverse; equal becomes different."""
    if is_public(site.node, *NEIGHBOURS):
        begin, _ = source.span(site.node.func)
        name = called(site.node)
        yield Change(begin, begin + len(f"pypto.{name}"), f"pypto.{NEIGHBOURS[name]}")


@mutator("wrong condition")
def condition_shifted(source: Source, site: Site) -> Iterator[Change]:
    """A comparison of numbers is strict where it was not, or the reverse; equal becomes different."""
    if isinstance(site.node, ast.Compare) and len(site.node.ops) == 1 and type(site.node.ops[0]) in COMPARED:
        left, (right,) = source.of(site.node.left), site.node.comparators
        yield instead(source, site.node, f"{left} {COMPARED[type(site.node.ops[0])]} {source.of(right)}")


@mutator("wrong condition")
def condition_negated(source: Source, site: Site) -> Iterator[Change]:
    """The branches of an `if` or of a ternary change places; first and last iteration are taken for each other."""
    if not isinstance(site.node, (ast.If, ast.IfExp)):
        return
    test = site.node.test
    if is_public(test, "is_loop_begin", "is_loop_end"):
        other = "is_loop_end" if called(test) == "is_loop_begin" else "is_loop_begin"
        yield instead(source, test.func, f"pypto.{other}")
    elif not isinstance(test, ast.Compare) or isinstance(test.ops[0], (ast.Is, ast.IsNot)):
        yield instead(source, test, f"not {source.operand(test)}")


@mutator("wrong tail")
def tail_not_cut(source: Source, site: Site) -> Iterator[Change]:
    """`left.min(BLOCK)`, the live rows of a block, becomes BLOCK or what is left; `a.max(b)` likewise."""
    node = site.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) == 1:
        receiver = node.func.value
        if node.func.attr in ("min", "max") and not (isinstance(receiver, ast.Name) and receiver.id == "pypto"):
            yield instead(source, node, source.operand(node.args[0]))
            yield instead(source, node, source.operand(receiver))


@mutator("wrong tail")
def tail_off_by_one(source: Source, site: Site) -> Iterator[Change]:
    """The live rows of a block are one less or one more."""
    if isinstance(site.node, ast.Call) and isinstance(site.node.func, ast.Attribute) and site.node.func.attr == "min":
        for step in (" - 1", " + 1"):
            yield instead(source, site.node, f"({source.of(site.node)}{step})")


@mutator("lost valid_shape")
def valid_shape_lost(source: Source, site: Site) -> Iterator[Change]:
    """The argument `valid_shape` of a call is left out."""
    if not isinstance(site.node, ast.Call):
        return
    before: ast.expr | None = site.node.args[-1] if site.node.args else None
    for keyword in site.node.keywords:
        if keyword.arg == "valid_shape" and before is not None:
            yield Change(source.span(before)[1], source.span(keyword.value)[1], "")
        before = keyword.value


@mutator("missing fillpad")
def fillpad_missing(source: Source, site: Site) -> Iterator[Change]:
    """`pypto.fillpad(x, ...)` becomes x."""
    if is_public(site.node, "fillpad"):
        yield instead(source, site.node, source.operand(site.node.args[0]))


@mutator("missing fillpad")
def fillpad_value(source: Source, site: Site) -> Iterator[Change]:
    """The padding is 1 more than it should be, or 0 where it is the lowest score."""
    if is_public(site.node, "fillpad"):
        value = argument(site.node, 2, "value")
        if value is not None:
            yield instead(source, value, "1.0" if isinstance(value, ast.Constant) else "0.0")


@mutator("swapped offset")
def offsets_swapped(source: Source, site: Site) -> Iterator[Change]:
    """The first two different neighbours in a list of offsets, or in an index of several parts, change places."""
    parts = _offsets(site)
    for one, other in pairwise(parts):
        if source.of(one) != source.of(other):
            yield swapped(source, one, other)
            return


@mutator("swapped offset")
def offset_zero(source: Source, site: Site) -> Iterator[Change]:
    """An offset or an index is 0."""
    for part in _offsets(site):
        if not isinstance(part, (ast.Constant, ast.Slice)):
            yield instead(source, part, "0")


@mutator("swapped offset")
def slice_moved(source: Source, site: Site) -> Iterator[Change]:
    """A slice starts and ends one further."""
    node = site.node
    if isinstance(node, ast.Slice) and node.lower is not None and node.upper is not None:
        low, high = source.operand(node.lower), source.operand(node.upper)
        yield Change(source.span(node.lower)[0], source.span(node.upper)[1], f"{low} + 1 : {high} + 1")


def _offsets(site: Site) -> list[ast.expr]:
    """The offsets that a node is: a list that is no shape, or the index of a tensor."""
    node = site.node
    if isinstance(node, ast.List) and not _is_shape(site):
        return list(node.elts)
    if isinstance(node, ast.Subscript) and not _is_extent(node):
        index = node.slice
        if isinstance(index, ast.Tuple):
            return list(index.elts)
        return [] if isinstance(index, (ast.Constant, ast.Slice, ast.UnaryOp)) else [index]
    return []


def _is_extent(node: ast.Subscript) -> bool:
    """Whether something is looked up in a shape or in a list of the kernel's own."""
    return isinstance(node.value, ast.Attribute) and node.value.attr == "shape"


def _is_shape(site: Site) -> bool:
    """Whether a list is a shape or a valid shape, as far as its place says."""
    holder = site.around[0]
    if isinstance(holder, ast.keyword):
        return holder.arg in ("shape", "valid_shape", "valid")
    if isinstance(holder, ast.Call):
        places = {"view": 1, "reshape": 1, "full": 0, "tensor": 0, "zeros": 0}
        place = places.get(called(holder))
        return place is not None and len(holder.args) > place and holder.args[place] is site.node
    return isinstance(holder, ast.Assign) and any(
        isinstance(target, ast.Name) and target.id in ("shape", "valid", "block", "rows", "live", "column")
        for target in holder.targets
    )
