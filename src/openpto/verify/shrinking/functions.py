"""Helpers written out where they are called."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from openpto.verify.shrinking.program import Program, blocks, loads

_count = 0


def inlined(program: Program) -> Iterator[Program]:
    """Without one helper: every call of it written out."""
    for node in program.tree.body:
        if isinstance(node, ast.FunctionDef) and node.name != program.kernel and loads(program.tree, node.name):
            changed, tree = program.edited()
            if _inline_all(tree, node):
                yield changed


def _inline_all(tree: ast.Module, helper: ast.FunctionDef) -> bool:
    """Write every call out; False if one cannot be."""
    if not _is_plain(helper):
        return False
    for _ in range(200):
        found = _first_call(tree, helper.name)
        if found is None:
            break
        block, place, call = found
        bound = _arguments(helper, call)
        if bound is None:
            return False
        before, result = _written_out(helper, bound)
        statement = block[place]
        if isinstance(statement, ast.Expr) and statement.value is call:
            block[place : place + 1] = before or [ast.Pass()]
        elif (
            isinstance(statement, (ast.For, ast.If, ast.With, ast.FunctionDef, ast.While)) and before and result is None
        ):
            return False
        else:
            _Replace(call, result if result is not None else ast.Constant(None)).visit(statement)
            block[place:place] = before
    else:
        return False
    if loads(tree, helper.name):
        return False
    tree.body = [node for node in tree.body if not (isinstance(node, ast.FunctionDef) and node.name == helper.name)]
    ast.fix_missing_locations(tree)
    return True


def _is_plain(helper: ast.FunctionDef) -> bool:
    """Whether it returns at its end only, once, and calls no names that it defines."""
    arguments = helper.args
    if arguments.vararg or arguments.kwarg or arguments.posonlyargs:
        return False
    refused = (ast.Yield, ast.YieldFrom, ast.FunctionDef, ast.Lambda, ast.Global, ast.Nonlocal)
    inner = [node for statement in helper.body for node in ast.walk(statement)]
    if any(isinstance(node, refused) for node in inner) or loads(ast.Module(helper.body, []), helper.name):
        return False
    returns = [node for node in inner if isinstance(node, ast.Return)]
    return not returns or (len(returns) == 1 and returns[0] is helper.body[-1])


def _first_call(tree: ast.Module, name: str) -> tuple[list[ast.stmt], int, ast.Call] | None:
    """The innermost block, the statement and the call that is evaluated first in it."""
    for block in reversed(list(blocks(tree))):
        for place, statement in enumerate(block):
            for node in _own(statement):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                    inner = [n for n in ast.walk(node) if n is not node and _calls(n, name)]
                    if not inner:
                        return block, place, node
    return None


def _calls(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement, those of statements inside of it left out."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop(0)
        yield node
        waiting += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]


def _arguments(helper: ast.FunctionDef, call: ast.Call) -> dict[str, ast.expr] | None:
    """Expressions for the parameters of a call."""
    arguments = helper.args
    names = [a.arg for a in (*arguments.args, *arguments.kwonlyargs)]
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return None
    defaults = dict(zip([a.arg for a in arguments.args[::-1]], arguments.defaults[::-1], strict=False))
    defaults |= {a.arg: d for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None}
    bound = {**defaults, **dict(zip(names, call.args, strict=False))}
    bound |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
    return {name: bound[name] for name in names} if bound.keys() == set(names) else None


def _written_out(helper: ast.FunctionDef, bound: dict[str, ast.expr]) -> tuple[list[ast.stmt], ast.expr | None]:
    """Statements, and the expression that is returned; names of the helper get names of their own."""
    global _count
    _count += 1
    body = copy.deepcopy(helper.body)
    assigned = {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    names: dict[str, ast.expr] = {name: ast.Name(f"{name}_{_count}", ast.Load()) for name in assigned}
    before: list[ast.stmt] = []
    for name, value in bound.items():
        if name not in assigned and isinstance(value, (ast.Name, ast.Constant, ast.Attribute)):
            names[name] = value
        else:
            mine = f"{name}_{_count}"
            before.append(ast.Assign([ast.Name(mine, ast.Store())], value))
            names[name] = ast.Name(mine, ast.Load())
    renamer = _Rename(names)
    body = [renamer.visit(statement) for statement in body]
    result: ast.expr | None = None
    if body and isinstance(body[-1], ast.Return):
        result = body[-1].value
        del body[-1]
    return [*before, *body], result


class _Rename(ast.NodeTransformer):
    """Other expressions for names, and other names where they are bound."""

    def __init__(self, names: dict[str, ast.expr]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        found = self._names.get(node.id)
        if found is None:
            return node
        if isinstance(node.ctx, ast.Load):
            return copy.deepcopy(found)
        assert isinstance(found, ast.Name)
        return ast.Name(found.id, node.ctx)


class _Replace(ast.NodeTransformer):
    """One node in the place of another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        if node is self._old:
            return self._new
        found: ast.AST = self.generic_visit(node)
        return found
