"""Traps of kernel files that no run tells: PTO622, PTO771, PTO774, PTO776, PTO777."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from openpto.diagnostics import words
from openpto.diagnostics.language import T
from openpto.lint.functions import Function, called_name, every_node, own_nodes
from openpto.lint.hooks import on_function, on_module
from openpto.lint.judge import Look
from openpto.lint.modules import Module
from openpto.lint.rules.jit import written_out

SHADOWED = ("abs", "max", "min", "pow", "round", "sum")
_REFERENCES = ("golden", "reference", "expected")


@on_module
def golden_fallback(look: Look) -> None:
    """PTO771: a kernel call under `try`, and the golden instead of an error."""
    tries = [node for node in look.module.nodes if isinstance(node, ast.Try)]
    if not tries:
        return
    called = launching_names(look.module)
    for node in tries:
        launched = [name for name in _names_called(node.body) if name in called]
        if not launched:
            continue
        for handler in node.handlers:
            inner = [part for statement in handler.body for part in every_node(statement)]
            if any(isinstance(part, (ast.Raise, ast.Assert)) for part in inner):
                continue
            golden = next((name for name in _names_called(handler.body) if _is_reference(name)), "")
            if golden:
                look.report("PTO771", handler, kernel=launched[0], golden=golden)


def launching_names(module: Module) -> set[str]:
    """Names of kernels of the module, and of its functions that call one."""
    names = {kernel.name for kernel in module.kernels}
    grown = True
    while grown:
        grown = False
        for function in module.functions:
            if function.name not in names and names & set(_names_called(function.node.body)):
                names.add(function.name)
                grown = True
    return names


def _names_called(body: list[ast.stmt]) -> list[str]:
    return [node.func.id for node in own_nodes(body) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]


def _is_reference(name: str) -> bool:
    return any(word in name.lower() for word in _REFERENCES)


@on_module
def run_mode_bound_at_import(look: Look) -> None:
    """PTO622: the decorator reads a name that gets its value later."""
    late = dict(_late_names(look.module))
    if not late:
        return
    for kernel in look.module.kernels:
        if kernel.jit_call is None or kernel.outer is not None:
            continue
        for keyword in kernel.jit_call.keywords:
            if keyword.arg != "runtime_options":
                continue
            for node in every_node(written_out(look.module, keyword.value)):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in late:
                    bound = T(f"what {node.id} is at import", f"{node.id} 在 import 时的值")
                    chosen, source = T("another value", "另一个值"), words.line(late[node.id])
                    look.report("PTO622", node, bound=bound, source=source, chosen=chosen)


def _late_names(module: Module) -> Iterator[tuple[str, int]]:
    """Names of the module that a function or the main program sets, with the line."""
    for function in module.functions:
        shared = {name for node in function.own if isinstance(node, ast.Global) for name in node.names}
        for node in function.own:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in shared:
                yield node.id, node.lineno
    for statement in module.source.tree.body:
        if is_main_block(statement):
            for node in own_nodes([statement]):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    yield node.id, node.lineno


def is_main_block(statement: ast.stmt) -> bool:
    """Whether a statement is `if __name__ == "__main__":`."""
    return isinstance(statement, ast.If) and any(
        isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(statement.test)
    )


@on_module
def own_settings(look: Look) -> None:
    """PTO774: settings of OpenPTO in a kernel file."""
    if not look.module.kernels:
        return
    body = [statement for statement in look.module.source.tree.body if not is_main_block(statement)]
    for node in own_nodes(body):
        if isinstance(node, ast.Call) and look.path_of(node.func) == "openpto.configure":
            look.report("PTO774", node)


@on_function
def own_settings_inside(look: Look, function: Function) -> None:
    """PTO774 inside of a kernel or helper."""
    for node in function.own:
        if isinstance(node, ast.Call) and look.path_of(node.func) == "openpto.configure":
            look.report("PTO774", node)


@on_module
def star_import(look: Look) -> None:
    """PTO776: `from pypto import *` takes the place of builtins that the module uses."""
    for path, node in look.module.stars:
        if path != "pypto":
            continue
        used = {n.id for n in look.module.nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        hidden = [name for name in SHADOWED if name in used]
        if hidden:
            look.report("PTO776", node, names=", ".join(hidden))


@on_module
def compared_with_itself(look: Look) -> None:
    """PTO777: a comparison of two equal expressions."""
    for node in look.module.nodes:
        if not isinstance(node, ast.Call) or len(node.args) < 2:
            continue
        if called_name(node.func) in (
            "assert_allclose",
            "assert_close",
            "allclose",
            "assert_array_equal",
            "detailed_tensor_compare",
        ):
            first, second = node.args[:2]
            if not isinstance(first, ast.Constant) and ast.dump(first) == ast.dump(second):
                look.report("PTO777", node, what=look.module.source.segment(first)[:40])
