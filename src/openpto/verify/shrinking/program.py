"""What is made smaller: the tree of a kernel's file with its arguments, and the elements that are watched."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from openpto.capsule.arrays import Array
from openpto.capsule.call import Capsule
from openpto.capsule.flatten import Flat
from openpto.capsule.replay_file import Replay


@dataclass(frozen=True, slots=True)
class Watched:
    """An element of an output, by the name of its tensor; whether the recorded run had it wrong, and its bits there."""

    tensor: str
    index: tuple[int, ...]
    wrong: bool
    bits: bytes = b""


@dataclass(frozen=True, eq=False)
class Program:
    """A call whose kernel is a tree. Trees are never changed: `edited` copies.

    memory   contents by tensor parameter; parameters that share memory name one owner in ``shares``
    watched  elements that a comparison looks at
    golden   of the output that missed it, if it covers the tensor
    """

    tree: ast.Module
    kernel: str
    memory: Mapping[str, Array]
    shares: Mapping[str, str]
    values: Mapping[str, str]
    watched: tuple[Watched, ...] = ()
    golden: Array | None = None

    @cached_property
    def text(self) -> str:
        """The file."""
        return ast.unparse(self.tree) + "\n"

    @property
    def lines(self) -> int:
        """Lines of the file that hold something."""
        return sum(bool(line.strip()) for line in self.text.splitlines())

    @property
    def elements(self) -> int:
        """Elements of all arguments."""
        return sum(self.memory[name].size for name, owner in self.shares.items() if name == owner)

    @property
    def definition(self) -> ast.FunctionDef:
        """The kernel's definition."""
        return function_of(self.tree, self.kernel)

    def edited(self) -> tuple[Program, ast.Module]:
        """A copy, and its tree to be changed."""
        tree = ast.parse(self.text)  # faster than a copy
        return replace(self, tree=tree), tree

    def capsule(self) -> Capsule:
        """The call as plain data."""
        names = tuple(self.shares)
        same = tuple(names.index(self.shares[name]) for name in names)
        tensors = tuple(self.memory[self.shares[name]] for name in names)
        formats = ("ND",) * len(names)
        return Capsule(Flat(self.text, self.kernel), names, tensors, same, self.values, formats)


def program_of(replay: Replay) -> Program:
    """The program of a replay."""
    call = replay.call
    tree = ast.parse(call.flat.text)
    shares = {name: call.names[same] for name, same in zip(call.names, call.same, strict=True)}
    memory = dict(zip(call.names, call.tensors, strict=True))
    return Program(tree, call.flat.kernel, memory, shares, call.values)


def function_of(tree: ast.Module, name: str) -> ast.FunctionDef:
    """A function of a file by its name (LookupError)."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node
    raise LookupError(name)


def blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """Every list of statements, outer ones first."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def loads(tree: ast.AST, name: str) -> int:
    """How often a name is read."""
    return sum(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) for n in ast.walk(tree))


def stores(tree: ast.AST, name: str) -> int:
    """How often a name is bound."""
    return sum(isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load) for n in ast.walk(tree))
