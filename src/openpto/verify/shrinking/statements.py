"""Fewer statements: without some of them, with bodies in the place of their blocks."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from openpto.verify.shrinking.program import Program, blocks, function_of, loads, stores


def without_documentation(program: Program) -> Iterator[Program]:
    """Without docstrings and options of the decorator."""
    changed, tree = program.edited()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    yield changed
    plain, tree = program.edited()
    decorators = function_of(tree, plain.kernel).decorator_list
    if any(isinstance(decorator, ast.Call) for decorator in decorators):
        decorators[:] = [d.func if isinstance(d, ast.Call) else d for d in decorators]
        yield plain


def with_plain_tiles(program: Program) -> Iterator[Program]:
    """Numbers in the place of arguments that are unpacked, such as a tile that helpers compute."""
    for number, node in enumerate(ast.walk(program.tree)):
        if isinstance(node, ast.Call) and any(isinstance(argument, ast.Starred) for argument in node.args):
            for count in (2, 1, 3, 4):
                for size in (1, 8, 32):
                    changed, tree = program.edited()
                    call = next(found for at, found in enumerate(ast.walk(tree)) if at == number)
                    assert isinstance(call, ast.Call)
                    call.args = [ast.Constant(size) for _ in range(count)]
                    ast.fix_missing_locations(tree)
                    yield changed


def fewer(program: Program, keeps: Callable[[Program], bool]) -> Program:
    """Without runs of statements of one block: outer blocks first, long runs first, later statements first."""
    number = 0
    while number < sum(1 for _ in blocks(program.tree)):
        size = _size(program, number)
        run = size
        while run:
            start = size - run
            while start >= 0:
                changed = _without(program, number, start, run)
                if changed is not None and keeps(changed):
                    program, size = changed, _size(changed, number)
                start -= run
            run = min(run // 2, size)
        number += 1
    return program


def _size(program: Program, number: int) -> int:
    """How many statements a block has; 0 if there is none."""
    return next((len(block) for at, block in enumerate(blocks(program.tree)) if at == number), 0)


def _without(program: Program, number: int, start: int, run: int) -> Program | None:
    changed, tree = program.edited()
    block = list(blocks(tree))[number]
    gone = block[start : start + run]
    if not gone:
        return None
    if any(isinstance(s, ast.FunctionDef) and s.name == program.kernel for s in gone):
        return None
    if any(isinstance(s, ast.Import) and s.names[0].name == "pypto" for s in gone):
        return None
    if all(isinstance(s, ast.Pass) for s in gone):
        return None
    del block[start : start + run]
    if not block:
        if block is tree.body:
            return None
        block.append(ast.Pass())
    return changed


def unwrapped(program: Program, indices: Sequence[int]) -> Iterator[Program]:
    """Bodies in the place of loops, conditions and with-blocks; an index becomes a number: 0 or one of those given."""
    for number, block in enumerate(blocks(program.tree)):
        for place, statement in enumerate(block):
            if isinstance(statement, ast.For):
                for value in dict.fromkeys([*indices, 0]):
                    yield _in_place(program, number, place, "body", value)
            elif isinstance(statement, (ast.If, ast.With)):
                yield _in_place(program, number, place, "body", None)
                if isinstance(statement, ast.If) and statement.orelse:
                    yield _in_place(program, number, place, "orelse", None)


def _in_place(program: Program, number: int, place: int, part: str, index: int | None) -> Program:
    changed, tree = program.edited()
    block = list(blocks(tree))[number]
    statement = block[place]
    body: list[ast.stmt] = getattr(statement, part)
    if index is not None:
        assert isinstance(statement, ast.For)
        target = statement.target
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        values = [ast.Constant(index if at == 0 else 1) for at in range(len(names))]
        body = [ast.Assign([name], value) for name, value in zip(names, values, strict=True)] + body
    block[place : place + 1] = body
    ast.fix_missing_locations(tree)
    return changed


def folded(program: Program) -> Iterator[Program]:
    """Names that are bound once, with their value where they are read: constants anywhere, others if read once."""
    for number, block in enumerate(blocks(program.tree)):
        for place in range(len(block) - 1, -1, -1):
            statement = block[place]
            if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
                continue
            target = statement.targets[0]
            if isinstance(target, ast.Name):
                plain = isinstance(statement.value, (ast.Constant, ast.Name, ast.Attribute))
                if plain or loads(program.tree, target.id) <= 1:
                    yield _folded(program, number, place, target.id)
            elif isinstance(target, ast.Tuple):
                yield from _split(program, number, place)


def _folded(program: Program, number: int, place: int, name: str) -> Program:
    changed, tree = program.edited()
    block = list(blocks(tree))[number]
    statement = block.pop(place)
    assert isinstance(statement, ast.Assign)
    _Substitute({name: statement.value}).visit(tree)
    if not block:
        block.append(ast.Pass())
    ast.fix_missing_locations(tree)
    return changed


def _split(program: Program, number: int, place: int) -> Iterator[Program]:
    """`a, b = x, y` as two statements; `a, b = t.shape` as two reads."""
    changed, tree = program.edited()
    block = list(blocks(tree))[number]
    statement = block[place]
    assert isinstance(statement, ast.Assign)
    target, value = statement.targets[0], statement.value
    assert isinstance(target, ast.Tuple)
    written = _written_out(value)
    if written is not None and len(written) == len(target.elts):
        values: list[ast.expr] = written
    else:
        values = [ast.Subscript(value, ast.Constant(at), ast.Load()) for at in range(len(target.elts))]
    block[place : place + 1] = [ast.Assign([t], v) for t, v in zip(target.elts, values, strict=True)]
    ast.fix_missing_locations(tree)
    yield changed


def _written_out(value: ast.expr) -> list[ast.expr] | None:
    """The parts of a tuple or list, also of one that a comprehension makes of another; None for anything else."""
    if isinstance(value, (ast.Tuple, ast.List)):
        return value.elts
    if isinstance(value, (ast.GeneratorExp, ast.ListComp)) and len(value.generators) == 1:
        loop = value.generators[0]
        if isinstance(loop.target, ast.Name) and isinstance(loop.iter, (ast.Tuple, ast.List)) and not loop.ifs:
            parts = []
            for item in loop.iter.elts:
                whole = ast.Expression(ast.parse(ast.unparse(value.elt), mode="eval").body)
                parts.append(_Substitute({loop.target.id: item}).visit(whole).body)
            return parts
    return None


class _Substitute(ast.NodeTransformer):
    """Expressions for names that are read."""

    def __init__(self, values: dict[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and node.id in self._values:
            return ast.copy_location(ast.parse(ast.unparse(self._values[node.id]), mode="eval").body, node)
        return node


def without_parameters(program: Program) -> Iterator[Program]:
    """Without parameters that nothing reads; other arguments than tensors as constants of the kernel."""
    definition = program.definition
    watched = {one.tensor for one in program.watched}
    body = ast.Module(definition.body, [])
    for name in reversed(list(program.shares)):
        used = loads(body, name) or stores(body, name)
        if not used and name not in watched and len(program.shares) > 1 and name not in _owners(program, name):
            yield _without_tensor(program, name)
    for argument in definition.args.args[len(program.shares) :]:
        yield _as_constant(program, argument.arg)


def _owners(program: Program, name: str) -> set[str]:
    """Owners of memory that other parameters than ``name`` share."""
    return {owner for other, owner in program.shares.items() if other != name}


def _without_tensor(program: Program, name: str) -> Program:
    changed, tree = program.edited()
    arguments = function_of(tree, program.kernel).args
    arguments.args = [a for a in arguments.args if a.arg != name]
    shares = {other: owner for other, owner in program.shares.items() if other != name}
    memory = {other: array for other, array in program.memory.items() if other in shares}
    return replace(changed, shares=shares, memory=memory)


def _as_constant(program: Program, name: str) -> Program:
    """A parameter's value in the places where it is read."""
    changed, tree = program.edited()
    definition = function_of(tree, program.kernel)
    arguments = definition.args
    defaults = dict(zip([a.arg for a in arguments.args[::-1]], arguments.defaults[::-1], strict=False))
    text = program.values.get(name)
    value = ast.parse(text, mode="eval").body if text is not None else defaults.get(name)
    if value is not None:
        for statement in definition.body:
            _Substitute({name: value}).visit(statement)
    keep = [a for a in arguments.args if a.arg != name]
    arguments.defaults = [defaults[a.arg] for a in keep if a.arg in defaults]
    arguments.args = keep
    ast.fix_missing_locations(tree)
    return replace(changed, values={other: given for other, given in program.values.items() if other != name})
