"""Mutators of arithmetic, functions, constants, dtypes, axes and operands."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from openpto_gym.mutation.mutator import Change, instead, mutator, swapped
from openpto_gym.mutation.source import TILES, Site, Source, argument, called, is_number, is_public

OPERATIONS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"),
}  # fmt: skip
FUNCTIONS = frozenset(
    ("exp", "sqrt", "rsqrt", "abs", "relu", "sigmoid", "erf", "log", "tanh", "neg", "round", "clone", "reciprocal",
     "l2norm", "normed", "normalised")
)  # fmt: skip
OPPOSITES = {"maximum": "minimum", "minimum": "maximum", "amax": "amin", "amin": "amax"}
REDUCTIONS = {"sum": 1, "amax": 1, "amin": 1, "argmax": 1, "prod": 1, "concat": 1, "gather": 1, "scatter_": 1}
OTHER_TYPES = {
    "DT_FP32": "DT_FP16", "DT_FP16": "DT_BF16", "DT_BF16": "DT_FP16", "DT_INT32": "DT_FP32", "DT_INT8": "DT_INT32",
    "DT_FP8E4M3": "DT_FP8E5M2",
}  # fmt: skip
SYMMETRIC = frozenset(
    ("maximum", "minimum", "add", "mul", "eq", "ne", "logical_and", "logical_or",
     "range", "loop", "append", "max", "min", "ceildiv")
)  # fmt: skip
SMALL, LARGE = 1e-4, 1e6
"""Constants below guard against something and are dropped; those above are limits and become 0."""


@mutator("dropped scale or eps")
def operand_dropped(source: Source, site: Site) -> Iterator[Change]:
    """One operand of `a + b`, `a - b`, `a * b` or `a / b` is left out: a term, a scale, an epsilon, an offset."""
    node = site.node
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
        yield instead(source, node, source.operand(node.left))
        if isinstance(node.op, (ast.Add, ast.Mult)):
            yield instead(source, node, source.operand(node.right))


@mutator("wrong operation")
def operation_reversed(source: Source, site: Site) -> Iterator[Change]:
    """`+` becomes `-`, `*` becomes `/`, and the reverse; not in indices, which other mutators change."""
    node = site.node
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS and not _counts(source, site):
        old, new = OPERATIONS[type(node.op)]
        begin, end = source.span(node.left)[1], source.span(node.right)[0]
        yield Change(begin, end, source.text[begin:end].replace(old, new, 1))


@mutator("swapped head index")
def head_wrong(source: Source, site: Site) -> Iterator[Change]:
    """`a // b`, such as the key head of a query head, becomes `a % b` or a; `a % b` becomes `a // b` or a."""
    node = site.node
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.FloorDiv, ast.Mod)):
        other = "%" if isinstance(node.op, ast.FloorDiv) else "//"
        yield instead(source, node, f"({source.operand(node.left)} {other} {source.operand(node.right)})")
        yield instead(source, node, source.operand(node.left))


@mutator("wrong operation")
def sign_dropped(source: Source, site: Site) -> Iterator[Change]:
    """`-x` becomes x."""
    node = site.node
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant):
        yield instead(source, node, source.operand(node.operand))


@mutator("wrong operation")
def function_dropped(source: Source, site: Site) -> Iterator[Change]:
    """A function of one operand, such as exp or sqrt, is left out."""
    node = site.node
    if isinstance(node, ast.Call) and called(node) in FUNCTIONS and node.args:
        yield instead(source, node, source.operand(node.args[0]))


@mutator("wrong operation")
def extreme_reversed(source: Source, site: Site) -> Iterator[Change]:
    """A maximum becomes a minimum, and the reverse."""
    if is_public(site.node, *OPPOSITES):
        yield instead(source, site.node.func, f"pypto.{OPPOSITES[called(site.node)]}")


@mutator("dropped scale or eps")
def guard_dropped(source: Source, site: Site) -> Iterator[Change]:
    """`pypto.maximum(x, SMALL)` and its like become x."""
    if is_public(site.node, "maximum", "minimum", "clip"):
        first, second = site.node.args[:2]
        yield instead(source, site.node, source.operand(first))
        if not is_number(second) and called(site.node) != "clip":
            yield instead(source, site.node, source.operand(second))


@mutator("dropped scale or eps")
def constant_wrong(source: Source, site: Site) -> Iterator[Change]:
    """A constant is one percent too large; a tiny or an enormous one becomes 0."""
    node = site.node
    if not isinstance(node, ast.Constant) or not isinstance(node.value, float) or not node.value:
        return
    if is_public(site.around[0], "full", "fillpad"):
        return  # mutators of their own
    size = abs(node.value)
    yield instead(source, node, "0.0" if size < SMALL or size > LARGE else repr(node.value * 1.01))


@mutator("wrong dtype")
def dtype_wrong(source: Source, site: Site) -> Iterator[Change]:
    """A dtype is another one: FP32 becomes FP16, INT32 becomes FP32."""
    node = site.node
    if isinstance(node, ast.Attribute) and node.attr in OTHER_TYPES:
        yield instead(source, node, f"pypto.{OTHER_TYPES[node.attr]}")
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in ("fp32", "int32"):
        yield instead(source, node, f"pypto.{OTHER_TYPES['DT_' + node.id.upper()]}")


@mutator("wrong dtype")
def widening_dropped(source: Source, site: Site) -> Iterator[Change]:
    """`widened(x)` or `rounded(x, dtype)` becomes x: a step in the dtype of the tensors, a store without rounding."""
    if isinstance(site.node, ast.Call) and called(site.node) in ("widened", "rounded"):
        yield instead(source, site.node, source.operand(site.node.args[0]))


@mutator("wrong dtype")
def cast_mode_dropped(source: Source, site: Site) -> Iterator[Change]:
    """A cast rounds or saturates as it does by default, or truncates where it rounded."""
    node = site.node
    if not is_public(node, "cast"):
        return
    mode = argument(node, 2, "mode")
    if mode is not None:
        yield instead(source, mode, "pypto.CastMode.CAST_TRUNC")
    for keyword in node.keywords:
        if keyword.arg == "satmode":
            yield Change(source.span(node.args[-1])[1], source.span(keyword.value)[1], "")


@mutator("wrong axis")
def axis_wrong(source: Source, site: Site) -> Iterator[Change]:
    """A reduction, concat or gather works along a neighbouring axis."""
    node = site.node
    if is_public(node, *REDUCTIONS):
        axis = argument(node, REDUCTIONS[called(node)], "dim")
        if axis is not None and re.fullmatch(r"-?\d", source.of(axis)):
            yield instead(source, axis, {"-1": "-2", "-2": "-1", "0": "1"}.get(source.of(axis), "0"))


@mutator("wrong transposition")
def transposition_wrong(source: Source, site: Site) -> Iterator[Change]:
    """A flag of a matmul that says whether an operand is transposed is reversed."""
    node = site.node
    if isinstance(node, ast.keyword) and node.arg in ("a_trans", "b_trans"):
        if isinstance(node.value, ast.Constant):
            yield instead(source, node.value, str(not node.value.value))
        else:
            yield instead(source, node.value, f"not {source.operand(node.value)}")


@mutator("wrong transposition")
def transpose_dropped(source: Source, site: Site) -> Iterator[Change]:
    """`pypto.transpose(x, ...)` or a permutation becomes x."""
    if is_public(site.node, "transpose", "permute"):
        yield instead(source, site.node, source.operand(site.node.args[0]))


@mutator("swapped operands")
def arguments_swapped(source: Source, site: Site) -> Iterator[Change]:
    """The first two operands of a call change places."""
    node = site.node
    if not isinstance(node, ast.Call) or len(node.args) < 2 or called(node) in SYMMETRIC | TILES:
        return
    one, other = node.args[:2]
    if isinstance(one, (ast.Name, ast.Call)) and isinstance(other, (ast.Name, ast.Call)):
        if not is_number(one) and not is_number(other) and "dtype" not in source.of(other):
            yield swapped(source, one, other)


@mutator("swapped operands")
def targets_swapped(source: Source, site: Site) -> Iterator[Change]:
    """Two results that are named together get each other's name."""
    node = site.node
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Tuple):
        return
    names = node.targets[0].elts
    for one, other in pairwise(names):
        if source.of(one) != source.of(other) and not source.of(node.value).endswith(".shape"):
            yield swapped(source, one, other)


def _counts(source: Source, site: Site) -> bool:
    """Whether an expression is one of numbers: in a list, an index, a bound of a loop or a tail, or all constants."""
    for holder in site.around:
        if isinstance(holder, (ast.List, ast.Subscript, ast.FunctionDef)):
            return not isinstance(holder, ast.FunctionDef)
        if isinstance(holder, ast.Call) and called(holder) in ("loop", "range", "ceildiv", "min", "max"):
            return True
    return re.fullmatch(r"[A-Z_0-9 *+/().-]+", source.of(site.node)) is not None  # type: ignore[arg-type]
