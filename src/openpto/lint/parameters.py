"""What a kernel's signature says of its parameters."""

from __future__ import annotations

import ast
from typing import Literal

from openpto.lint import integers
from openpto.lint.frames import Frame
from openpto.lint.integers import Int, Quantity
from openpto.lint.scopes import Scope, constant
from openpto.lint.values import UNKNOWN, Const, Dim, Name, Tensor, Value, items_of

TENSORS = frozenset({"pypto.Tensor", "pypto.tensor"})
PLAIN = frozenset({"int", "float", "bool", "str", "list", "tuple", "dict", "object"})
MARKS = frozenset({"DYNAMIC", "DYN", "STATIC", "StatusType.DYNAMIC", "StatusType.DYN", "StatusType.STATIC"})


def bind_parameters(frame: Frame) -> tuple[Tensor, ...]:
    """Give the parameters of a kernel their values; returns its tensors."""
    assert isinstance(frame.around, Scope)
    tensors = []
    for parameter in frame.function.parameters:
        value = _parameter(parameter, frame.around)
        frame.names[parameter.arg] = value
        if isinstance(value, Tensor):
            tensors.append(value)
    return tuple(tensors)


def _parameter(parameter: ast.arg, scope: Scope) -> Value:
    annotation = None if parameter.annotation is None else as_written(parameter.annotation, scope)
    if isinstance(annotation, ast.Name) and annotation.id == "int":
        return integers.of(Quantity(("argument", parameter.arg, id(parameter)), False, parameter.arg))
    if annotation is None or kind_of(parameter.annotation, scope) != "tensor":
        return UNKNOWN
    return declared_parameter(parameter, annotation, scope)


def as_written(annotation: ast.expr, scope: Scope) -> ast.expr:
    """The annotation itself where it is quoted, or a name for it."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            return ast.parse(annotation.value, mode="eval").body
        except SyntaxError:
            return annotation
    if isinstance(annotation, ast.Name):
        defined = scope.definition(annotation.id)
        if isinstance(defined, (ast.Call, ast.Subscript)):
            return defined
    return annotation


def kind_of(annotation: ast.expr | None, scope: Scope) -> Literal["tensor", "value", "unknown"]:
    """What a parameter with this annotation is."""
    if annotation is None:
        return "value"
    node = as_written(annotation, scope)
    maker = node.func if isinstance(node, ast.Call) else node.value if isinstance(node, ast.Subscript) else node
    value = constant(maker, scope)
    if isinstance(value, Name) and value.path in TENSORS:
        return "tensor"
    plain = isinstance(node, ast.Name) and node.id in PLAIN and scope.lookup(node.id) is None
    return "value" if plain or (isinstance(node, ast.Constant) and node.value is None) else "unknown"


def declared_parameter(parameter: ast.arg, annotation: ast.expr, scope: Scope) -> Tensor:
    """The tensor of a parameter. Marks (DYNAMIC, STATIC) do not fix the number of axes, ints do."""
    shape, dtype = annotation_parts(annotation)
    tensor = Tensor("parameter", parameter.arg, (), True, node=parameter, written=False, full=True)
    if dtype is not None:
        name = constant(dtype, scope)
        if isinstance(name, Name) and name.api.startswith("DT_"):
            tensor.dtype = name.api
    if shape is None:
        return tensor
    entries = items_of(constant(shape, scope))
    if entries is None:
        return tensor
    dims: list[Dim] = []
    marked = not entries
    for axis, entry in enumerate(entries):
        if entry == Const(...):
            marked = True
            break
        dim, is_mark = _extent(entry, parameter.arg, axis)
        marked = marked or is_mark
        tensor.dynamic = tensor.dynamic or (dim is not None and dim.symbolic)
        dims.append(dim)
    tensor.dims, tensor.open = tuple(dims), marked
    return tensor


def annotation_parts(annotation: ast.expr) -> tuple[ast.expr | None, ast.expr | None]:
    """The shape and the dtype of `Tensor(shape, dtype)` or `Tensor[shape, dtype]`."""
    entries: list[ast.expr] = []
    shape: ast.expr | None = None
    dtype: ast.expr | None = None
    if isinstance(annotation, ast.Call):
        entries = list(annotation.args)
        for keyword in annotation.keywords:
            shape = keyword.value if keyword.arg == "shape" else shape
            dtype = keyword.value if keyword.arg == "dtype" else dtype
    elif isinstance(annotation, ast.Subscript):
        inner = annotation.slice
        entries = list(inner.elts) if isinstance(inner, ast.Tuple) else [inner]
    if entries and not isinstance(entries[0], ast.Starred):
        shape = entries[0]
    if len(entries) > 1 and not isinstance(entries[1], ast.Starred):
        dtype = entries[1]
    return shape, dtype


def _extent(entry: Value, name: str, axis: int) -> tuple[Dim, bool]:
    """An extent, and whether the entry is a mark."""
    label = f"{name}.shape[{axis}]"
    if isinstance(entry, Name) and entry.api in MARKS:
        symbolic = not entry.api.endswith("STATIC")
        return integers.of(Quantity(("extent", name, axis), symbolic, label)), True
    if isinstance(entry, Int):
        if entry.value == -1:
            return integers.of(Quantity(("extent", name, axis), True, label)), True
        return entry, False
    return integers.of(Quantity(("extent", name, axis), False, label)), True
