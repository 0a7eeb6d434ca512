"""How kernels are made and called: options of `jit` (PTO280 to PTO299, PTO536), calls (PTO511 to PTO514)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from openpto.lint import api
from openpto.lint.calls import near
from openpto.lint.functions import JIT, Function, own_nodes
from openpto.lint.hooks import on_module
from openpto.lint.judge import Look
from openpto.lint.modules import Module
from openpto.lint.parameters import kind_of
from openpto.lint.scopes import Scope, module_scope, scope_of
from openpto.lint.values import Callable

OLD_KEYWORDS = frozenset({"infer_controlflow_shape", "use_cache"})
NEW_KEYWORDS = frozenset({"new_ir", "create_new_logical_tensor"})


@on_module
def jit_calls(look: Look) -> None:
    """`jit(...)`, as a decorator or called."""
    for node in look.module.nodes:
        if not isinstance(node, ast.Call) or look.path_of(node.func) not in JIT:
            continue
        for keyword in node.keywords:
            _keyword(look, keyword)


def _keyword(look: Look, keyword: ast.keyword) -> None:
    name = keyword.arg
    if name is None:
        return
    if name in OLD_KEYWORDS:
        if not (isinstance(keyword.value, ast.Constant) and keyword.value.value is None):
            look.report("PTO536", keyword, name=name)
    elif name in api.option_groups():
        _options(look, name, keyword.value)
    elif name not in NEW_KEYWORDS:
        look.report("PTO281", keyword, call="jit", key=name, near=near(name, api.option_groups()))


def _options(look: Look, name: str, value: ast.expr) -> None:
    """An option dictionary, written here or given a name once."""
    value = written_out(look.module, value)
    if isinstance(value, (ast.List, ast.Tuple, ast.Set)) or (
        isinstance(value, ast.Constant) and value.value is not None
    ):
        got = type(value.value).__name__ if isinstance(value, ast.Constant) else type(value).__name__.lower()
        look.report("PTO299", value, name=name, got=got)
    if not isinstance(value, ast.Dict):
        return
    group = name.removesuffix("_options")
    for key, entry in zip(value.keys, value.values, strict=True):
        if not isinstance(key, ast.Constant):
            continue
        known = api.option_keys(name)
        if key.value not in known:
            shown = str(key.value)
            look.report("PTO280", key, name=name, group=group, key=shown, near=near(shown, known))
        elif key.value == "run_mode" and isinstance(entry, ast.Constant):
            if isinstance(entry.value, bool) or entry.value not in (0, 1, None):
                look.report("PTO297", entry, value=repr(entry.value))


def written_out(module: Module, value: ast.expr) -> ast.expr:
    """The expression behind a name that the module binds once."""
    defined = module_scope(module).definition(value.id) if isinstance(value, ast.Name) else None
    return value if defined is None else defined


@on_module
def kernel_calls(look: Look) -> None:
    """Calls of the module's kernels, and what becomes of their result (PTO773)."""
    if not look.module.kernels:
        return
    for node, kernel, parent in calls_of_kernels(look.module):
        _arguments(look, node, kernel)
        if isinstance(parent, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.BinOp, ast.Call, ast.Attribute)):
            look.report("PTO773", node, kernel=kernel.name)


def calls_of_kernels(module: Module) -> Iterator[tuple[ast.Call, Function, ast.AST | None]]:
    """Calls of kernels that the module defines, outside of kernels, with the node that holds the call.

    What stands under `with pytest.raises(...)` is left out.
    """
    yield from _calls_in(module.source.tree.body, module_scope(module))
    for function in module.functions:
        if function.kind != "kernel" and not _inside_kernel(function):
            scope = Scope(module, function, scope_of(function))
            yield from _calls_in(function.node.body, scope)


def _inside_kernel(function: Function) -> bool:
    outer = function.outer
    while outer is not None:
        if outer.kind == "kernel":
            return True
        outer = outer.outer
    return False


def _calls_in(body: list[ast.stmt], scope: Scope) -> Iterator[tuple[ast.Call, Function, ast.AST | None]]:
    nodes = list(own_nodes(body))
    expected = {id(inner) for node in nodes if _expects_an_error(node) for inner in ast.walk(node)}
    parents = {id(child): node for node in nodes for child in ast.iter_child_nodes(node)}
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and id(node) not in expected:
            value = scope.lookup(node.func.id)
            if isinstance(value, Callable) and value.function.kind == "kernel":
                yield node, value.function, parents.get(id(node))


def _expects_an_error(node: ast.AST) -> bool:
    return isinstance(node, (ast.With, ast.Try)) and (
        isinstance(node, ast.Try) or any("raises" in ast.unparse(entry.context_expr) for entry in node.items)
    )


def _arguments(look: Look, node: ast.Call, kernel: Function) -> None:
    if any(isinstance(part, ast.Starred) for part in node.args) or any(k.arg is None for k in node.keywords):
        return
    scope = scope_of(kernel)
    kinds = [kind_of(parameter.annotation, scope) for parameter in kernel.parameters]
    arguments = kernel.node.args
    if "unknown" in kinds or arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
        return
    names = [parameter.arg for parameter in kernel.parameters]
    tensors, values = names[: kinds.count("tensor")], names[kinds.count("tensor") :]
    given = len(node.args)
    if given < len(tensors):
        missing = ", ".join(tensors[given:])
        look.report("PTO511", node, wanted=len(tensors), got=given, kernel=kernel.name, missing=missing)
        return
    if given > len(names):
        extra = node.args[len(names)]
        look.report("PTO512", extra, wanted=len(tensors), values=len(values), got=given, kernel=kernel.name)
        return
    unknown = [keyword for keyword in node.keywords if keyword.arg not in values]
    if unknown:
        shown, valid = ", ".join(str(k.arg) for k in unknown), ", ".join(values) or "none"
        look.report("PTO513", unknown[0], names=shown, valid=valid, kernel=kernel.name)
        return
    optional = set(names[len(names) - len(arguments.defaults) :]) if arguments.defaults else set()
    known = {*names[:given], *(keyword.arg for keyword in node.keywords), *optional}
    for name in values:
        if name not in known:
            look.report("PTO514", node, name=name, kernel=kernel.name)
            return
