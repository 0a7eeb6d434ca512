"""Operands: dynamic shapes, dtypes, shapes, kinds (PTO223 to PTO231, PTO253 to PTO260, PTO27x, PTO308 and PTO309)."""

from __future__ import annotations

import ast

from openpto.diagnostics import conversions
from openpto.diagnostics.language import T
from openpto.diagnostics.words import A_TEXT, both
from openpto.lint import api
from openpto.lint.hooks import Binary, Call, on, on_call, on_operation
from openpto.lint.integers import Int
from openpto.lint.results import ONE, count_of, dims_of, flag
from openpto.lint.values import Condition, Const, Tensor, Value, shown_dims
from openpto.lint.walk import Walk

INNER_LIMIT = 65535
INTEGERS = frozenset(f"DT_{sign}INT{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64))
_INSTEAD = {
    "&": T("pypto.logical_and or pypto.bitwise_and", "pypto.logical_and 或 pypto.bitwise_and"),
    "|": T("pypto.bitwise_or, or + of conditions", "pypto.bitwise_or，或对条件使用 +"),
    "^": "pypto.bitwise_xor",
    "<<": "pypto.bitwise_left_shift",
    ">>": "pypto.bitwise_right_shift",
}
_BROADCAST = frozenset({
    "add", "sub", "mul", "div", "maximum", "minimum", "eq", "ne", "lt", "le", "gt", "ge", "fmod", "remainder", "hypot",
    "copysign", "floor_div", "ceil_div",
})  # fmt: skip


def dynamic(tensor: Tensor) -> bool:
    """Whether a tensor certainly has an extent that is known at run time only."""
    return any(dim is not None and dim.symbolic for dim in tensor.dims or ())


def shape_text(tensor: Tensor) -> str:
    return shown_dims(tensor.dims or ()) if not tensor.open else f"{shown_dims(tensor.dims or ())[:-1]}, ...]"


@on_operation
def dynamic_operands(walk: Walk, call: Call) -> None:
    """PTO224 and PTO271: a dynamic tensor is viewed before it is computed with."""
    operation = api.operation(call.name)
    if operation is None or operation.core == "move" or "." in call.name:
        return
    if not (operation.pointwise or call.name in ("matmul", "sum", "amax", "amin", "softmax", "transpose", "sigmoid")):
        return
    for number, (name, argument) in enumerate(call.arguments.items(), 1):
        tensor = argument.value
        if not isinstance(tensor, Tensor) or not dynamic(tensor):
            continue
        if call.name == "matmul":
            axis = next(i for i, dim in enumerate(tensor.dims or ()) if dim is not None and dim.symbolic)
            shown, shape = tensor.name or name, shape_text(tensor)
            walk.report("PTO271", argument.node, number=number, axis=axis, name=shown, shape=shape)
        else:
            walk.report("PTO224", argument.node, name=tensor.name or name, shape=shape_text(tensor), op=call.name)
        return


@on(Binary)
def operators(walk: Walk, seen: Binary) -> None:
    """PTO260, PTO224, PTO226 to PTO229 of `a + b` and its like."""
    if seen.name in _INSTEAD:
        walk.report("PTO260", seen.node, sign=seen.name, instead=_INSTEAD[seen.name])
        return
    for value in (seen.left, seen.right):
        if isinstance(value, Tensor) and dynamic(value) and seen.name != "matmul":
            walk.report("PTO224", seen.node, name=value.name or T("it", "它"), shape=shape_text(value), op=seen.name)
            return
    if seen.name in _BROADCAST:
        pair(walk, seen.node, seen.name, seen.left, seen.right)


@on_operation
def functions(walk: Walk, call: Call) -> None:
    """The same of `pypto.add(a, b)` and its like."""
    if call.name in _BROADCAST and {"input", "other"} <= call.arguments.keys():
        pair(walk, call.node, call.name, call.value("input"), call.value("other"))


def pair(walk: Walk, node: ast.AST, op: str, left: Value, right: Value) -> None:
    """Two operands of an operation element by element."""
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        if left.dtype is not None and right.dtype is not None and left.dtype != right.dtype:
            how = conversions.to_one(left.dtype, right.dtype)
            walk.report("PTO228", node, op=op, first=left.dtype, other=right.dtype, how=how)
        elif not fit(left, right):
            walk.report("PTO229", node, op=op, shapes=both(shape_text(left), shape_text(right)))
        return
    for tensor, other in ((left, right), (right, left)):
        if not isinstance(tensor, Tensor):
            continue
        if isinstance(other, Int) and other.symbolic:
            walk.report("PTO226", node, op=op, expr=other.label)
        elif isinstance(other, Const) and isinstance(other.value, float) and tensor.dtype in INTEGERS:
            if op in ("add", "sub", "mul", "maximum", "minimum") and not other.value.is_integer():
                walk.report("PTO227", node, op=op, dtype=tensor.dtype, value=other.value)
        elif isinstance(other, Const) and isinstance(other.value, str):
            walk.report("PTO225", node, op=op, got="str", hint=A_TEXT)


def fit(a: Tensor, b: Tensor) -> bool:
    """Whether two shapes may broadcast; True where it is not known."""
    if a.shape is None or b.shape is None:
        return True
    for x, y in zip(a.shape[::-1], b.shape[::-1], strict=False):
        if x is None or y is None or ONE in (x, y) or x == y:
            continue
        if x.value is not None and y.value is not None:
            return False
    return True


@on_operation
def kinds(walk: Walk, call: Call) -> None:
    """PTO223: a number where a tensor is needed; PTO231: a dtype that no chip takes."""
    operation = api.operation(call.name)
    if operation is None or not operation.parameters or "." in call.name:
        return
    first = operation.parameters[0].name
    value = call.value(first)
    if isinstance(value, (Int, Const, Condition)) and first == "input" and operation.core in ("vector", "cube"):
        got = "int" if isinstance(value, Int) else type(getattr(value, "value", True)).__name__
        symbolic = isinstance(value, Int) and value.symbolic
        got = "SymbolicScalar" if symbolic or isinstance(value, Condition) else got
        if call.name not in ("where", "maximum", "minimum", "pow"):
            walk.report("PTO223", call.at(first), op=call.name, name=first, got=got)
    elif isinstance(value, Tensor) and value.dtype is not None and operation.dtypes is not None and _judged(operation):
        if value.dtype not in operation.dtypes and value.dtype != "DT_BOOL":
            taken = ", ".join(sorted(name.removeprefix("DT_") for name in operation.dtypes))
            how = conversions.to_one_of(value.dtype, taken)
            walk.report("PTO231", call.at(first), op=call.name, dtype=value.dtype, taken=taken, how=how)


def _judged(operation: api.Operation) -> bool:
    """Whether the table of the operation holds for every call: others only move elements for some arguments."""
    computes = operation.pointwise and operation.name not in ("where", "cast", "pow")
    return computes or operation.name in ("sum", "amax", "amin", "prod", "matmul", "softmax", "sigmoid")


@on_operation
def chips(walk: Walk, call: Call) -> None:
    """PTO308 and PTO309: operations that only the 950 has."""
    operation = api.operation(call.name)
    chip = walk.judge.selection.chip
    if operation is not None and operation.only_950 and chip is not None and chip != "950":
        walk.report("PTO309", call.node, platform=chip, what=call.name, chip="950")


@on_call("matmul")
def products(walk: Walk, call: Call) -> None:
    """PTO270 (ranks), PTO272 (dtypes), PTO274 (K), PTO279 (inner axis)."""
    a, b = call.tensor("input"), call.tensor("mat2")
    if a is not None and b is not None:
        places = (call.at("input"), call.at("mat2"))
        _product(walk, call.node, (a, b), places, (flag(call, "a_trans"), flag(call, "b_trans")))


@on(Binary)
def product_operators(walk: Walk, seen: Binary) -> None:
    """The same of `a @ b`."""
    if seen.name == "matmul" and isinstance(seen.left, Tensor) and isinstance(seen.right, Tensor):
        _product(walk, seen.node, (seen.left, seen.right), (seen.node, seen.node), (False, False))


def _product(
    walk: Walk,
    node: ast.AST,
    operands: tuple[Tensor, Tensor],
    places: tuple[ast.AST, ast.AST],
    transposed: tuple[bool | None, bool | None],
) -> None:
    a, b = operands
    if a.dtype is not None and b.dtype is not None and a.dtype != b.dtype:
        if not {a.dtype, b.dtype} <= {"DT_FP8E4M3", "DT_FP8E5M2"}:
            how = conversions.to_one(a.dtype, b.dtype)
            walk.report("PTO272", node, first=a.dtype, other=b.dtype, how=how)
    for tensor, name, place in ((a, "input", places[0]), (b, "mat2", places[1])):
        extent = tensor.shape[-1] if tensor.shape else None
        if extent is not None and extent.value is not None and extent.value > INNER_LIMIT:
            shape = shape_text(tensor)
            walk.report("PTO279", place, name=tensor.name or name, extent=extent.value, shape=shape)
    if a.shape is None or b.shape is None:
        return
    if len(a.shape) != len(b.shape) or not 2 <= len(a.shape) <= 4:
        walk.report("PTO270", node, first=len(a.shape), other=len(b.shape))
        return
    a_trans, b_trans = transposed
    if a_trans is None or b_trans is None:
        return
    depth, other = a.shape[-2 if a_trans else -1], b.shape[-1 if b_trans else -2]
    known = depth is not None and other is not None and depth.value is not None and other.value is not None
    if known and depth != other and a.full and b.full and depth is not None and other is not None:
        first, second = shape_text(a), shape_text(b)
        walk.report("PTO274", node, first=first, other=second, a=depth.label, b=other.label)


@on_call("reshape")
def reshapes(walk: Walk, call: Call) -> None:
    """PTO254 (two -1), PTO255 (a symbol in the target), PTO253 (another number of elements)."""
    target, source = dims_of(call.value("shape")), call.tensor("input")
    if target is None:
        return
    if sum(dim == Int(-1) for dim in target) > 1:
        shown = shape_text(source) if source is not None else "[...]"
        walk.report("PTO254", call.at("shape"), shape=shown_dims(target), source=shown)
        return
    inplace = flag(call, "inplace")
    for dim in target:
        if dim is not None and dim.symbolic and inplace is False:
            walk.report("PTO255", call.at("shape"), expr=dim.label)
            return
    if source is None or source.shape is None:
        return
    have, want = count_of(source.shape), count_of(target)
    if have is not None and want is not None and have != want:
        shape = shape_text(source)
        walk.report("PTO253", call.node, op="reshape", shape=shape, count=have, target=shown_dims(target))
