"""Shapes and dtypes of results, from those of the arguments; extents may be symbols of torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from openpto.diagnostics import T, fail
from openpto.ir import expr as E
from openpto.ir.expr import Expr
from openpto.kernel.binding import element_type, fitting, wrong_shape
from openpto.kernel.host import torch_element_type
from openpto.kernel.signature import TensorParameter
from openpto.torch_ops.description import Description, refuse

Shape = tuple[Any, ...]
ShapeRule = str | Callable[..., Sequence[Any]]
"""The name of the input that a result is shaped like, or a function of the arguments."""
RULES = T(
    "give for an output the name of an input of its shape, or a function of the arguments that returns the shape",
    "请为输出给出同形状的输入名，或由参数计算形状的函数",
)


def check_rules(op: Description, shapes: Mapping[str, ShapeRule]) -> None:
    """Refuse rules for what is no output, and outputs whose shape nothing tells.

    Raises:
        ValueError: PTO551, PTO552.
    """
    outputs, inputs = [p.name for p in op.outputs], [p.name for p in op.inputs]
    for name, rule in shapes.items():
        if name not in outputs:
            of = ", ".join(outputs)
            problem = T(
                f"shapes names {name!r}; the outputs are {of or 'none'}",
                f"shapes 中的 {name!r} 不是输出；输出为 {of or '无'}",
            )
        elif isinstance(rule, str) and rule not in inputs:
            of = ", ".join(inputs)
            problem = T(
                f"shapes says that {name} is shaped like {rule!r}; the inputs are {of}",
                f"shapes 指定 {name} 与 {rule!r} 同形状；输入为 {of}",
            )
        elif not isinstance(rule, str) and not callable(rule):
            problem = T(
                f"the shape of {name} is {rule!r}, neither the name of an input nor a function",
                f"{name} 的形状为 {rule!r}，既不是输入名也不是函数",
            )
        else:
            continue
        refuse(op.kernel, op.name, problem, RULES)
    known = {leaf for p in op.inputs for dim in p.spec.dims for leaf in _leaf(dim.value)}
    for output in op.outputs:
        if output.name in shapes or (not output.spec.open_ended and _is_determined(output, known)):
            continue
        if not _alike(op, output):
            _unknown(op, output, "no input is declared so")


def _unknown(op: Description, output: TensorParameter, reason: str) -> NoReturn:
    fail("PTO552", name=op.name, output=output.name, declared=str(output.spec), reason=reason)


def _leaf(value: int | Expr | None) -> list[Expr]:
    return [value] if isinstance(value, Expr) and value.is_leaf else []


def _is_determined(output: TensorParameter, known: set[Expr]) -> bool:
    """Whether every extent is a number or follows from named symbols of the inputs."""
    return all(
        dim.kind == "fixed" or (isinstance(dim.value, Expr) and dim.value.leaves <= known) for dim in output.spec.dims
    )


def _alike(op: Description, output: TensorParameter) -> list[int]:
    """Numbers of the inputs that are declared with the same extents."""
    wanted = output.spec.dims, output.spec.open_ended
    return [at for at, p in enumerate(op.inputs) if (p.spec.dims, p.spec.open_ended) == wanted]


def shapes_of(
    op: Description, rules: Mapping[str, ShapeRule], tensors: Sequence[Any], scalars: Mapping[str, Any]
) -> list[Shape]:
    """The shape of every result. ValueError: PTO552, inputs that are declared alike have several."""
    return [_shape_of(op, output, rules.get(output.name), tensors, scalars) for output in op.outputs]


def _shape_of(
    op: Description, output: TensorParameter, rule: ShapeRule | None, tensors: Sequence[Any], scalars: Mapping[str, Any]
) -> Shape:
    if callable(rule):
        return tuple(rule(*tensors, *scalars.values()))
    if rule is not None:
        return tuple(tensors[[p.name for p in op.inputs].index(rule)].shape)
    extents = _extents(op, tensors)
    if not output.spec.open_ended and _is_determined(output, set(extents)):
        return tuple(_value(dim.value, extents) for dim in output.spec.dims)
    found = [tuple(tensors[at].shape) for at in _alike(op, output)]
    if any(other != found[0] for other in found[1:]):
        reason = f"inputs that are declared so have the shapes {', '.join(str(list(shape)) for shape in found)}"
        _unknown(op, output, reason)
    return found[0]


def _extents(op: Description, tensors: Sequence[Any]) -> dict[Expr, Any]:
    """The extents of this call by the symbols that the annotations name."""
    return {
        leaf: extent
        for p, tensor in zip(op.inputs, tensors, strict=True)
        for dim, extent in zip(p.spec.dims, tensor.shape, strict=False)
        for leaf in _leaf(dim.value)
    }


def _value(value: int | Expr | None, extents: Mapping[Expr, Any]) -> Any:
    if isinstance(value, Expr):
        return extents[value] if value.is_leaf else E.evaluate(value, extents)
    return value


def check_arguments(op: Description, tensors: Sequence[Any]) -> None:
    """The checks of a call for tensors without data: element types, ranks, fixed extents.

    Raises:
        ValueError: PTO520 to PTO523, as a call of the kernel does.
    """
    for p, tensor in zip(op.inputs, tensors, strict=True):
        element_type(p, torch_element_type(p.name, tensor.dtype))
        shape = tuple(tensor.shape) or (1,)
        declared = fitting(p, len(shape), op.kernel.signature.place(p.name))
        for axis, (dim, extent) in enumerate(zip(declared, shape, strict=True)):
            if dim.kind == "fixed" and extent != dim.value:
                wrong_shape(p, shape, axis, dim, extent)
