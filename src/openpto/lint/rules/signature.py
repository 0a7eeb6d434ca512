"""Signatures of kernels: what no front end compiles (PTO500 to PTO507), annotations that are texts (PTO508)."""

from __future__ import annotations

import ast
from typing import TypeAlias

from openpto.diagnostics.language import T
from openpto.lint.functions import JIT, Function
from openpto.lint.hooks import on_module
from openpto.lint.judge import Look
from openpto.lint.parameters import kind_of
from openpto.lint.scopes import scope_of

Parameter: TypeAlias = tuple[ast.arg, "ast.expr | None"]


@on_module
def decorated_classes(look: Look) -> None:
    """PTO500: `jit` on a class."""
    for node in look.module.nodes:
        if isinstance(node, ast.ClassDef):
            for decorator in node.decorator_list:
                function = decorator.func if isinstance(decorator, ast.Call) else decorator
                if look.path_of(function) in JIT:
                    look.report("PTO500", node, got=T(f"the class {node.name}", f"类 {node.name}"))


@on_module
def kernel_signatures(look: Look) -> None:
    """The signature of every kernel of the module."""
    for kernel in look.module.kernels:
        arguments = kernel.node.args
        for code, refused in (("PTO502", arguments.vararg), ("PTO503", arguments.kwarg)):
            if refused is not None:
                look.report(code, refused, kernel=kernel.name, name=refused.arg)
        for code, several in (("PTO504", arguments.kwonlyargs), ("PTO505", arguments.posonlyargs)):
            for parameter in several:
                look.report(code, parameter, kernel=kernel.name, name=parameter.arg)
        if kernel.node.returns is not None:
            fix = look.fix("drop-return-annotation", kernel.node.returns)
            look.report("PTO501", kernel.node.returns, fix=fix, kernel=kernel.name)
        _order_and_defaults(look, kernel)
        _texts(look, kernel)


def _order_and_defaults(look: Look, kernel: Function) -> None:
    scope, first_value = scope_of(kernel), ""
    for parameter, default in _with_defaults(kernel.node.args):
        kind = kind_of(parameter.annotation, scope)
        if kind == "value":
            first_value = first_value or parameter.arg
        if kind != "tensor":
            continue
        if first_value:
            look.report("PTO506", parameter, name=parameter.arg, before=first_value)
        if default is not None:
            look.report("PTO507", default, name=parameter.arg)


def _with_defaults(arguments: ast.arguments) -> list[Parameter]:
    parameters = [*arguments.posonlyargs, *arguments.args]
    missing: list[ast.expr | None] = [None] * (len(parameters) - len(arguments.defaults))
    return list(zip(parameters, [*missing, *arguments.defaults], strict=True))


def _texts(look: Look, kernel: Function) -> None:
    """PTO508: quoted annotations, or all of them under `from __future__ import annotations`."""
    future = future_import(look.module.source.tree)
    scope = scope_of(kernel)
    for parameter in kernel.parameters:
        annotation = parameter.annotation
        if annotation is None or kind_of(annotation, scope) != "tensor":
            continue
        if future is not None:
            fix = look.fix("drop-future-annotations", future)
            look.report("PTO508", parameter, fix=fix, name=parameter.arg)
        elif isinstance(annotation, ast.Constant):
            look.report("PTO508", annotation, fix=look.fix("unquote", annotation), name=parameter.arg)


def future_import(tree: ast.Module) -> ast.ImportFrom | None:
    """The statement that turns all annotations of a file into texts."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            if any(alias.name == "annotations" for alias in node.names):
                return node
    return None
