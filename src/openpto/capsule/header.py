"""Headers of functions in a file that stands alone: parameters with their defaults, and what tensors declare."""

from __future__ import annotations

import ast
import types
from typing import Any

from openpto.capsule.values import Texts
from openpto.ir import expr as E
from openpto.ir.expr import Expr

WIDTH = 110
"""Columns of a header on one line."""


def kernel_header(signature: Any, name: str, texts: Texts) -> str:
    """`def name(x: pypto.Tensor([...]), n=3):` for the signature of a kernel."""
    parts = [f"{parameter.name}: {_annotation(parameter)}" for parameter in signature.tensors]
    for parameter in signature.values:
        missing = isinstance(parameter.default, type) and parameter.default.__name__ == "_empty"
        parts.append(parameter.name if missing else f"{parameter.name}={texts.of(parameter.default)}")
    line = f"def {name}({', '.join(parts)}):\n"
    if len(line) <= WIDTH:
        return line
    return f"def {name}(\n" + "".join(f"    {part},\n" for part in parts) + "):\n"


def _annotation(parameter: Any) -> str:
    if parameter.bare:
        return "pypto.Tensor"
    spec = parameter.spec
    dims = [_dim(dim) for dim in spec.dims]
    text = f"[{', '.join([*dims, *(['...'] if spec.open_ended and dims else [])])}]"
    dtype = "" if spec.dtype is None else f", pypto.{spec.dtype.name}"
    fmt = "" if spec.fmt.name == "TILEOP_ND" else f", format=pypto.TileOpFormat.{spec.fmt.name}"
    return f"pypto.Tensor({text}{dtype}{fmt})"


def _dim(dim: Any) -> str:
    if not isinstance(dim.value, Expr):
        return str(dim) if dim.value is not None else f"pypto.{dim.kind.upper()}"
    tree = ast.parse(E.text(dim.value), mode="eval")

    class Names(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return ast.parse(f"pypto.frontend.dynamic({node.id!r})", mode="eval").body

    return ast.unparse(Names().visit(tree))


def plain_arguments(arguments: ast.arguments, function: types.FunctionType, texts: Texts) -> str:
    """The parameters of a helper without annotations; defaults that are no literals as they are now."""
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    for argument in every:
        if argument is not None:
            argument.annotation = None
    values = function.__defaults__ or ()
    arguments.defaults = [_default(node, value, texts) for node, value in zip(arguments.defaults, values, strict=False)]
    named = function.__kwdefaults__ or {}
    arguments.kw_defaults = [
        node if node is None else _default(node, named.get(argument.arg), texts)
        for argument, node in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]
    return ast.unparse(arguments)


def _default(node: ast.expr, value: Any, texts: Texts) -> ast.expr:
    if isinstance(node, ast.Constant):
        return node
    return ast.parse(texts.of(value), mode="eval").body
