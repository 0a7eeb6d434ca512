"""Expressions of a kernel or helper: what is known of their values."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from openpto.diagnostics.language import T
from openpto.diagnostics.words import SEE_THE_TABLE, TRANSPOSE, did_you_mean
from openpto.lint import api, calls, integers
from openpto.lint.frames import merge
from openpto.lint.functions import every_node
from openpto.lint.hooks import Binary, Branch, tell
from openpto.lint.integers import Int
from openpto.lint.keys import access
from openpto.lint.results import broadcast, product
from openpto.lint.scopes import arithmetic, literal, member, negated
from openpto.lint.values import (
    UNKNOWN,
    Condition,
    Const,
    Gone,
    List,
    Method,
    Name,
    ShapeOf,
    Tensor,
    Tuple,
    Value,
    number,
)  # fmt: skip

if TYPE_CHECKING:
    from openpto.lint.walk import Walk

OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Mod: "remainder", ast.Pow: "pow",
    ast.FloorDiv: "div", ast.MatMult: "matmul", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
}  # fmt: skip


def evaluate(walk: Walk, node: ast.expr) -> Value:
    """What is known of an expression."""
    handler = _HANDLERS.get(type(node))
    if handler is None:
        walk.lose_names(node)
        return UNKNOWN
    return handler(walk, node)


def _constant(walk: Walk, node: ast.Constant) -> Value:
    return literal(node.value)


def _name(walk: Walk, node: ast.Name) -> Value:
    found = walk.frame.lookup(node.id)
    if isinstance(found, Gone):
        walk.add(found.code, node, dict(found.fields))
        walk.frame.names[node.id] = UNKNOWN  # said once
        return UNKNOWN
    if found is None:
        names_nothing(walk, node)
        return Name(f"builtins.{node.id}")
    return found


def names_nothing(walk: Walk, node: ast.Name) -> None:
    """PTO120 for a name that nothing in the file binds."""
    module = walk.frame.function.module
    if hasattr(builtins, node.id) or node.id.startswith("__") or node.id in module.bound_names or module.stars:
        return
    if not any(word in module.source.text for word in ("globals()", "exec(", "setattr(")):
        walk.report("PTO120", node, name=node.id)


def _attribute(walk: Walk, node: ast.Attribute) -> Value:
    owner = walk.evaluate(node.value)
    if isinstance(owner, Name):
        unknown_member(walk, owner, node)
        return member(owner, node.attr, walk.frame.function.module)
    if isinstance(owner, Tensor):
        return _tensor_attribute(walk, owner, node)
    if isinstance(owner, (Int, List)):
        return Method(owner, node.attr)
    walk.lose(owner)
    return UNKNOWN


def _tensor_attribute(walk: Walk, owner: Tensor, node: ast.Attribute) -> Value:
    if node.attr == "shape":
        if owner.shape is not None:
            return List(tuple(UNKNOWN if dim is None else dim for dim in owner.shape))
        return ShapeOf(owner) if owner.dims is not None else UNKNOWN
    if node.attr == "dtype":
        return UNKNOWN if owner.dtype is None else Name(f"pypto.{owner.dtype}")
    if node.attr not in api.tensor_members():
        hint = TRANSPOSE if node.attr in ("T", "t", "mT") else hint_for(node.attr, api.tensor_members())
        walk.report("PTO219", node, text=f"'Tensor' object has no attribute '{node.attr}'", hint=hint)
        return UNKNOWN
    if node.attr in ("valid_shape", "name", "dim", "format", "id"):
        return UNKNOWN
    return Method(owner, node.attr)


def unknown_member(walk: Walk, owner: Name, node: ast.Attribute) -> None:
    """PTO219 for a name that the API does not have."""
    if not owner.ours:
        return
    names = api.members(owner.api)
    if names is not None and node.attr not in names and not node.attr.startswith("__"):
        text = f"'{owner.path}' has no attribute '{node.attr}'"
        walk.report("PTO219", node, text=text, hint=hint_for(node.attr, names))


def hint_for(name: str, known: Iterable[str]) -> T:
    """What to write instead of a name that does not exist."""
    close = calls.near(name, known)
    return did_you_mean(close) if close else SEE_THE_TABLE


def _binary(walk: Walk, node: ast.BinOp) -> Value:
    return binary(walk, node, walk.evaluate(node.left), walk.evaluate(node.right))


def binary(walk: Walk, node: ast.BinOp | ast.AugAssign, left: Value, right: Value) -> Value:
    """The result of an operator; `a += b` gives a new object as `a + b` does, except that a list is extended."""
    tensors = [value for value in (left, right) if isinstance(value, Tensor)]
    if not tensors:
        if isinstance(node, ast.AugAssign) and isinstance(left, List):
            walk.lose(left)
            walk.lose(right)
            return left
        found = arithmetic(node.op, left, right)
        if found is UNKNOWN:
            walk.lose(left)
            walk.lose(right)
        return found
    name = OPERATORS[type(node.op)]
    tell(walk, Binary(node, name, left, right))
    for value in tensors:
        walk.read(value, node, name)
    if name == "matmul":
        return product(left, right, None, False, False, node)
    return broadcast(left, right, node)


def _unary(walk: Walk, node: ast.UnaryOp) -> Value:
    value = walk.evaluate(node.operand)
    if isinstance(node.op, ast.Not):
        tell(walk, Branch(node, node.operand, value))
        return _not(value)
    if isinstance(value, Tensor):
        walk.read(value, node, "neg")
        return Tensor("result", "", value.dims, value.open, value.dtype, node, full=value.full, written=True)
    return negated(value) if isinstance(node.op, ast.USub) else UNKNOWN


def _not(value: Value) -> Value:
    if isinstance(value, Const):
        return Const(not value.value)
    known = number(value)
    if known is not None:
        return Const(not known)
    return value if isinstance(value, Condition) else Condition(isinstance(value, Int) and value.symbolic)


def _compare(walk: Walk, node: ast.Compare) -> Value:
    values = [walk.evaluate(part) for part in (node.left, *node.comparators)]
    tensors = [value for value in values if isinstance(value, Tensor)]
    for value in tensors:
        walk.read(value, node, "compare")
    if len(values) != 2:
        return Condition(any(isinstance(v, Int) and v.symbolic for v in values) and not tensors)
    a, b = values
    if tensors:
        name = COMPARISONS.get(type(node.ops[0]))
        if name is None:
            return UNKNOWN
        found = broadcast(a, b, node)
        found.dtype = "DT_BOOL"
        return found
    return _compared(node.ops[0], a, b)


def _compared(operator: ast.cmpop, a: Value, b: Value) -> Value:
    if isinstance(a, Int) and isinstance(b, Int):
        x, y = a.value, b.value
        if x is None or y is None:
            gap = integers.add(a, b, -1)
            if gap.value is None:
                return Condition(gap.symbolic) if type(operator) in COMPARISONS else UNKNOWN
            x, y = gap.value, 0
        answers: dict[type[ast.cmpop], bool] = {
            ast.Eq: x == y, ast.NotEq: x != y, ast.Lt: x < y, ast.LtE: x <= y, ast.Gt: x > y, ast.GtE: x >= y,
        }  # fmt: skip
        return Const(answers[type(operator)]) if type(operator) in answers else UNKNOWN
    for one, other in ((a, b), (b, a)):
        if other == Const(None) and isinstance(one, (Tensor, Int, Tuple, List, Condition)):
            if isinstance(operator, (ast.Is, ast.IsNot)):
                return Const(isinstance(operator, ast.IsNot))
    return UNKNOWN


def _logic(walk: Walk, node: ast.BoolOp) -> Value:
    values = []
    before = walk.conditional
    for part in node.values:
        value = walk.evaluate(part)
        values.append(value)
        tell(walk, Branch(node, part, value))
        if isinstance(value, Const) and bool(value.value) is isinstance(node.op, ast.Or):
            break
        walk.conditional = before + 1
    walk.conditional = before
    return _joined_logic(walk, node, values)


def _joined_logic(walk: Walk, node: ast.BoolOp, values: list[Value]) -> Value:
    if all(isinstance(value, (Condition, Const, Int)) for value in values):
        known = [bool(value.value) for value in values if isinstance(value, Const)]
        if len(known) == len(values):
            return Const(any(known) if isinstance(node.op, ast.Or) else all(known))
        return Condition(not known and any(isinstance(value, Condition) and value.symbolic for value in values))
    for value in values:
        walk.lose(value)
    return UNKNOWN


def _ternary(walk: Walk, node: ast.IfExp) -> Value:
    test = walk.evaluate(node.test)
    tell(walk, Branch(node, node.test, test))
    if isinstance(test, Const):
        return walk.evaluate(node.body if test.value else node.orelse)
    walk.conditional += 1
    value = merge(walk.evaluate(node.body), walk.evaluate(node.orelse))
    walk.conditional -= 1
    return value


def _sequence(walk: Walk, node: ast.Tuple | ast.List) -> Value:
    items = tuple(walk.evaluate(entry) for entry in node.elts)
    if any(isinstance(entry, ast.Starred) for entry in node.elts):
        for entry in items:
            walk.lose(entry)
        return UNKNOWN
    return Tuple(items) if isinstance(node, ast.Tuple) else List(items)


def _starred(walk: Walk, node: ast.Starred) -> Value:
    walk.lose(walk.evaluate(node.value))
    return UNKNOWN


def _subscript(walk: Walk, node: ast.Subscript) -> Value:
    return access(walk, node, walk.evaluate(node.value), None, None)


def _call(walk: Walk, node: ast.Call) -> Value:
    return calls.call(walk, node)


def _walrus(walk: Walk, node: ast.NamedExpr) -> Value:
    value = walk.evaluate(node.value)
    walk.frame.names[node.target.id] = value
    return value


def _text(walk: Walk, node: ast.JoinedStr) -> Value:
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            walk.evaluate(part.value)
    return UNKNOWN


def _comprehension(walk: Walk, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Value:
    """The parts are walked once with targets of which nothing is known."""
    before = dict(walk.frame.names)
    for generator in node.generators:
        walk.lose(walk.evaluate(generator.iter))
        for name in every_node(generator.target):
            if isinstance(name, ast.Name):
                walk.frame.names[name.id] = UNKNOWN
    walk.conditional += 1
    for generator in node.generators:
        for test in generator.ifs:
            walk.evaluate(test)
    parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    for part in parts:
        walk.lose(walk.evaluate(part))
    walk.conditional -= 1
    walk.frame.names = before
    return UNKNOWN


def _dictionary(walk: Walk, node: ast.Dict) -> Value:
    for part in (*node.keys, *node.values):
        if part is not None:
            walk.lose(walk.evaluate(part))
    return UNKNOWN


_HANDLERS: dict[type[ast.expr], Callable[[Walk, Any], Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _logic,
    ast.IfExp: _ternary,
    ast.Tuple: _sequence,
    ast.List: _sequence,
    ast.Starred: _starred,
    ast.Subscript: _subscript,
    ast.Call: _call,
    ast.NamedExpr: _walrus,
    ast.JoinedStr: _text,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.Dict: _dictionary,
}
