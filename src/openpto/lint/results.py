"""What operations give: shape and dtype of the result as far as they follow from what is known of the operands."""

from __future__ import annotations

import ast
from collections.abc import Callable

from openpto.lint import api, integers
from openpto.lint.hooks import Call
from openpto.lint.integers import Int
from openpto.lint.values import UNKNOWN, Const, Dim, Name, Tensor, Value, items_of, number, numbers_of

Dims = tuple[Dim, ...]

_MANY = frozenset({"topk", "interleave", "deinterleave", "quant_mx"})
_TRUTHS = frozenset({
    "eq", "ne", "lt", "le", "gt", "ge", "greater", "logical_and", "logical_not", "isfinite", "isnan", "signbit",
})  # fmt: skip
_SAME = frozenset({"softmax", "sigmoid", "cumsum", "cumprod", "rms_norm", "tril", "triu", "clone", "fillpad"})
REDUCTIONS = frozenset({"sum", "amax", "amin", "prod"})
ONE = Int(1)


def result(call: Call) -> Value:
    """The result of a call of an operation."""
    if call.name in _MANY or "." in call.name:
        return UNKNOWN
    operation = api.operation(call.name)
    assert operation is not None
    written = next((call.tensor(name) for name in sorted(operation.writes) if call.tensor(name)), None)
    if call.name == "assemble":
        return Const(None)
    if written is not None:
        return written
    rule = _RULES.get(call.name)
    if rule is not None:
        return rule(call)
    if operation.pointwise:
        return _pointwise(call)
    if call.name in _SAME:
        return _like(call.tensor("input"), call)
    if call.name in REDUCTIONS:
        return _reduced(call)
    return made(call, None)


def made(call: Call, dims: Dims | None, dtype: str | None = None, *, full: bool = False) -> Tensor:
    """A new tensor."""
    return Tensor("result", "", dims, False, dtype, call.node, full=full, written=True)


def _like(source: Tensor | None, call: Call) -> Tensor:
    if source is None:
        return made(call, None)
    full = source.full or call.name == "fillpad"
    return Tensor("result", "", source.dims, source.open, source.dtype, call.node, full=full, written=True)


def _pointwise(call: Call) -> Tensor:
    operation = api.operation(call.name)
    assert operation is not None
    operands = [call.value(p.name) for p in operation.parameters if isinstance(call.value(p.name), Tensor)]
    if not operands:
        return made(call, None)
    found: Value = operands[0]
    for operand in operands[1:]:
        found = broadcast(found, operand, call.node)
    assert isinstance(found, Tensor)
    dtype = found.dtype
    if call.name in _TRUTHS:
        dtype = "DT_BOOL"
    elif call.name == "where":
        values = [v for v in (call.value("input"), call.value("other")) if isinstance(v, Tensor)]
        dtype = values[0].dtype if values else None
    elif call.name == "cast":
        dtype = dtype_of(call.value("dtype"))
    elif call.name in ("dequantize", "quantize", "one_hot"):
        dtype = None
    return Tensor("result", "", found.dims, found.open, dtype, call.node, full=found.full, written=True)


def dtype_of(value: Value) -> str | None:
    """The dtype behind `pypto.DT_FP32` or `pypto.DataType.DT_FP32`."""
    if not isinstance(value, Name):
        return None
    name = value.api.removeprefix("DataType.")
    return name if name.startswith("DT_") else None


def broadcast(left: Value, right: Value, node: ast.AST) -> Tensor:
    """The result of a pointwise operation of two values, at least one of them a tensor."""
    tensors = [value for value in (left, right) if isinstance(value, Tensor)]
    first = tensors[0]
    full = all(tensor.full for tensor in tensors)
    if len(tensors) == 1:
        return Tensor("result", "", first.dims, first.open, first.dtype, node, full=full, written=True)
    dtype = first.dtype if first.dtype == tensors[1].dtype else None
    dims = _broadcast_dims(first.shape, tensors[1].shape)
    return Tensor("result", "", dims, False, dtype, node, full=full, written=True)


def _broadcast_dims(a: Dims | None, b: Dims | None) -> Dims | None:
    if a is None or b is None:
        return None
    rank = max(len(a), len(b))
    padded_a, padded_b = ((ONE,) * (rank - len(a)) + a), ((ONE,) * (rank - len(b)) + b)
    return tuple(_wider(x, y) for x, y in zip(padded_a, padded_b, strict=True))


def _wider(x: Dim, y: Dim) -> Dim:
    if x == y or y == ONE:
        return x
    if x == ONE:
        return y
    known = [dim for dim in (x, y) if dim is not None and dim.value is not None and dim.value > 1]
    return known[0] if len(known) == 1 else None


def _reduced(call: Call) -> Tensor:
    source, axes = call.tensor("input"), _axes(call.value("dim"))
    if source is None or source.shape is None or axes is None:
        return made(call, None, None if source is None else source.dtype)
    shape = source.shape
    if any(not -len(shape) <= axis < len(shape) for axis in axes):
        return made(call, None, source.dtype)
    chosen = {axis % len(shape) for axis in axes}
    keep = call.value("keepdim")
    kept = "keepdim" in call.arguments and keep == Const(True)
    if "keepdim" in call.arguments and not isinstance(keep, Const):
        return made(call, None, source.dtype)
    dims = tuple(ONE if axis in chosen else dim for axis, dim in enumerate(shape) if kept or axis not in chosen)
    return made(call, dims or None, source.dtype, full=source.full)


def _axes(value: Value) -> list[int] | None:
    one = number(value)
    return numbers_of(value) if one is None else [one]


def dims_of(value: Value) -> Dims | None:
    """A shape that is given as a list; entries that are not known are None."""
    items = items_of(value)
    return None if items is None else tuple(entry if isinstance(entry, Int) else None for entry in items)


def _view(call: Call) -> Tensor:
    source = call.tensor("input")
    if "dtype" in call.arguments and call.value("dtype") != Const(None):
        return made(call, None, dtype_of(call.value("dtype")))
    dims = dims_of(call.value("shape"))
    full = source is not None and source.full and "valid_shape" not in call.arguments and _window_inside(call, source)
    dtype = None if source is None else source.dtype
    return Tensor("window", "", dims, False, dtype, call.node, full=full, written=True, source=source)


def _window_inside(call: Call, source: Tensor) -> bool:
    shape, offsets = dims_of(call.value("shape")), dims_of(call.value("offsets"))
    if shape is None or offsets is None or source.shape is None or not len(shape) == len(offsets) == len(source.shape):
        return False
    for size, offset, extent in zip(shape, offsets, source.shape, strict=True):
        if size is None or offset is None or extent is None:
            return False
        rest = integers.add(integers.add(extent, offset, -1), size, -1).value
        if rest is None or rest < 0 or offset.value is None or offset.value < 0:
            return False
    return True


def _reshape(call: Call) -> Tensor:
    source = call.tensor("input")
    dims = dims_of(call.value("shape"))
    if dims is not None:
        dims = tuple(None if dim == Int(-1) else dim for dim in dims)
    found = made(call, dims, None if source is None else source.dtype)
    if source is not None and source.shape is not None and dims is not None and None not in dims:
        have, want = count_of(source.shape), count_of(dims)
        if have is not None and want is not None and have != want:
            found.dims = None  # refused; nothing follows from it
    found.full = source is not None and source.full and "valid_shape" not in call.arguments
    if source is not None and call.value("inplace") != Const(False) and "inplace" in call.arguments:
        found.choices = (source,)
        found.full = False
    return found


def count_of(dims: Dims) -> int | None:
    """The number of elements, if every extent is a known number."""
    total = 1
    for dim in dims:
        if dim is None or dim.value is None or dim.value < 0:
            return None
        total *= dim.value
    return total


def _transpose(call: Call) -> Tensor:
    source, a, b = call.tensor("input"), number(call.value("dim0")), number(call.value("dim1"))
    if source is None or source.shape is None or a is None or b is None:
        return made(call, None, None if source is None else source.dtype)
    dims = list(source.shape)
    if -len(dims) <= a < len(dims) and -len(dims) <= b < len(dims):
        dims[a], dims[b] = dims[b], dims[a]
    return made(call, tuple(dims), source.dtype, full=source.full)


def _permute(call: Call) -> Tensor:
    source, order = call.tensor("input"), _axes(call.value("perm"))
    if source is None or source.shape is None or order is None or sorted(order) != list(range(len(source.shape))):
        return made(call, None, None if source is None else source.dtype)
    return made(call, tuple(source.shape[axis] for axis in order), source.dtype, full=source.full)


def _unsqueeze(call: Call) -> Tensor:
    source, axis = call.tensor("input"), number(call.value("dim"))
    if source is None or source.shape is None or axis is None:
        return made(call, None, None if source is None else source.dtype)
    place = axis if axis >= 0 else axis + len(source.shape) + 1
    dims = (*source.shape[:place], ONE, *source.shape[place:])
    return made(call, dims, source.dtype, full=source.full)


def _full(call: Call) -> Tensor:
    full = "valid_shape" not in call.arguments
    return made(call, dims_of(call.value("size")), dtype_of(call.value("dtype")), full=full)


def _expand(call: Call) -> Tensor:
    source = call.tensor("input")
    return made(call, dims_of(call.value("shape")), None if source is None else source.dtype)


def _concat(call: Call) -> Tensor:
    parts = items_of(call.value("tensors"))
    tensors = [part for part in parts or () if isinstance(part, Tensor)]
    axis = number(call.value("dim")) if "dim" in call.arguments else 0
    if not tensors or parts is None or len(tensors) != len(parts) or axis is None:
        return made(call, None)
    dtype = tensors[0].dtype if all(t.dtype == tensors[0].dtype for t in tensors) else None
    shapes = [t.shape for t in tensors if t.shape is not None]
    if len(shapes) != len(tensors) or len({len(shape) for shape in shapes}) != 1:
        return made(call, None, dtype)
    if not -len(shapes[0]) <= axis < len(shapes[0]):
        return made(call, None, dtype)
    sizes = [shape[axis] for shape in shapes]
    total: Dim = Int(0)
    for size in sizes:
        total = None if total is None or size is None else integers.add(total, size)
    dims = list(shapes[0])
    dims[axis] = total
    return made(call, tuple(dims), dtype, full=all(t.full for t in tensors))


def product(a: Value, b: Value, dtype: str | None, a_trans: bool | None, b_trans: bool | None, node: ast.AST) -> Tensor:
    """The result of a matrix product; a transposition that is not known (None) leaves the extents open."""
    found = Tensor("result", "", None, False, dtype, node, written=True)
    if not (isinstance(a, Tensor) and isinstance(b, Tensor) and a.shape and b.shape):
        return found
    if len(a.shape) != len(b.shape) or len(a.shape) < 2:
        return found
    rows = None if a_trans is None else a.shape[-1 if a_trans else -2]
    columns = None if b_trans is None else b.shape[-2 if b_trans else -1]
    batch = _broadcast_dims(a.shape[:-2], b.shape[:-2])
    found.dims = (*(batch or ()), rows, columns)
    found.full = a.full and b.full
    return found


def flag(call: Call, name: str) -> bool | None:
    """A truth value that is given as a literal; False if it is left out, None if it is not known."""
    if name not in call.arguments:
        return False if call.complete else None
    value = call.value(name)
    return value.value if isinstance(value, Const) and isinstance(value.value, bool) else None


def _matmul(call: Call) -> Tensor:
    dtype = dtype_of(call.value("out_dtype"))
    a, b = call.value("input"), call.value("mat2")
    return product(a, b, dtype, flag(call, "a_trans"), flag(call, "b_trans"), call.node)


_RULES: dict[str, Callable[[Call], Tensor]] = {
    "view": _view,
    "reshape": _reshape,
    "transpose": _transpose,
    "permute": _permute,
    "unsqueeze": _unsqueeze,
    "full": _full,
    "expand_clone": _expand,
    "concat": _concat,
    "matmul": _matmul,
}
