"""A random kernel as a tree of statements, and the kernel file that it is printed as."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

HEAD = '''"""Program {seed} of tools/fuzz_engines.py; sizes {sizes}."""

import ml_dtypes
import numpy as np

import pypto

D = pypto.DYNAMIC
'''

DATA = '''

def values(rng, shape, dtype):
    """Mostly small numbers, a few special ones."""
    kind = np.dtype(dtype)
    if kind == np.bool_:
        return rng.random(shape) < 0.5
    if kind.kind in "iu":
        data = rng.integers(0 if kind.kind == "u" else -5, 10, shape).astype(kind)
        edges = [np.iinfo(kind).min, np.iinfo(kind).max]
    else:
        data = (rng.standard_normal(shape) * 10.0 ** rng.integers(-1, 3)).astype(kind)
        edges = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, 65504.0, 3e38, 1.5]
    where = rng.random(shape) < 0.04
    special = np.array(edges, np.int64 if kind.kind in "iu" else np.float64)
    data[where] = rng.choice(special, int(where.sum())).astype(kind)
    return data


def run():
    rng = np.random.default_rng({seed})
    with np.errstate(all="ignore"):
        made = [{arguments}]
    kernel(*made)
    return made


if __name__ == "__main__":
    run()
'''

HOST = {
    "FP32": "np.float32",
    "FP16": "np.float16",
    "BF16": "ml_dtypes.bfloat16",
    "INT64": "np.int64",
    "INT32": "np.int32",
    "INT16": "np.int16",
    "INT8": "np.int8",
    "UINT8": "np.uint8",
    "BOOL": "np.bool_",
}

TILES = ("2, 16, 16, 32", "64, 64, 8, 32")
"""Vector tiles: one smaller than most tensors, one that has the whole axis where an operation needs it."""


@dataclass(frozen=True, eq=False)
class Stmt:
    """A line, or the head of a block with a body and perhaps an ``else``."""

    head: str
    body: tuple[Stmt, ...] | None = None
    other: tuple[Stmt, ...] = ()


@dataclass(frozen=True)
class Param:
    """A tensor parameter: ``shape`` has ints for static extents and names of sizes for dynamic ones."""

    name: str
    dtype: str
    shape: tuple[int | str, ...]

    def annotation(self) -> str:
        """The annotation in the kernel's signature."""
        dims = ", ".join("D" if isinstance(n, str) else str(n) for n in self.shape)
        return f"{self.name}: pypto.Tensor([{dims}], pypto.DT_{self.dtype})"


@dataclass(frozen=True)
class Program:
    """A whole kernel file."""

    seed: int
    params: tuple[Param, ...]
    sizes: dict[str, int]
    helpers: tuple[Stmt, ...]
    body: tuple[Stmt, ...]

    def without(self, gone: Stmt) -> Program:
        """The program without one statement."""
        return replace(self, helpers=_without(self.helpers, gone), body=_without(self.body, gone))

    def repaired(self, gone: Stmt) -> Program:
        """The program without one statement and without all that has a name which came from it or from inside of it."""
        program, waiting = self, [gone]
        while waiting:
            gone = waiting.pop()
            before = program._firsts()
            lost = [n for s in _walk((gone,)) if (n := _assigned(s)) is not None and before.get(n) is s]
            program = program.without(gone)
            if lost:
                used = re.compile(rf"\b({'|'.join(lost)})\b")
                waiting += [s for s in program.statements() if used.search(s.head) and not any(s is w for w in waiting)]
        return program

    def uses(self, name: str) -> list[Stmt]:
        """The statements behind the blocks that give a name which use it; the blocks themselves stay."""
        used = re.compile(rf"\b{name}\b")
        behind = tuple(outer for outer in self.body if all(_assigned(s) != name for s in _walk((outer,))))
        return [s for s in _walk(behind) if used.search(s.head)]

    def _firsts(self) -> dict[str, Stmt]:
        """The first statement that gives each name."""
        firsts: dict[str, Stmt] = {}
        for stmt in self.statements():
            name = _assigned(stmt)
            if name is not None:
                firsts.setdefault(name, stmt)
        return firsts

    def replaced(self, old: Stmt, new: tuple[Stmt, ...]) -> Program:
        """The program with other statements in the place of one."""
        return replace(self, helpers=_replaced(self.helpers, old, new), body=_replaced(self.body, old, new))

    def statements(self) -> list[Stmt]:
        """All statements, outer ones first."""
        return [*_walk(self.helpers), *_walk(self.body)]

    def source(self) -> tuple[str, dict[int, Stmt]]:
        """The text, and the statement of every line that has one."""
        lines = HEAD.format(seed=self.seed, sizes=self.sizes).splitlines()
        where: dict[int, Stmt] = {}
        for helper in self.helpers:
            lines += ["", ""]
            _print(helper, "", lines, where)
        lines += ["", "", "@pypto.frontend.jit", "def kernel("]
        lines += [f"    {p.annotation()}," for p in self.params]
        lines += ["):", f"    pypto.set_vec_tile_shapes({TILES[self.seed % len(TILES)]})"]
        lines += ["    pypto.set_cube_tile_shapes([16, 16], [32, 32], [32, 32])"]
        for stmt in self.body:
            _print(stmt, "    ", lines, where)
        return "\n".join(lines) + self._data(), where

    def _data(self) -> str:
        made = []
        for p in self.params:
            shape = ", ".join(str(self.sizes[n] if isinstance(n, str) else n) for n in p.shape)
            dtype = HOST[p.dtype]
            if p.name == "k":
                made.append(f"rng.integers(-1, 7, ({shape},)).astype({dtype})")
            else:
                made.append(f"values(rng, ({shape},), {dtype})")
        arguments = ",\n            ".join(made)
        return DATA.replace("{seed}", str(self.seed)).replace("{arguments}", f"\n            {arguments},\n        ")


def _assigned(stmt: Stmt) -> str | None:
    """The name that a statement gives."""
    found = re.match(r"(\w+) = ", stmt.head) or re.match(r"def (\w+)", stmt.head)
    return found.group(1) if found else None


def _print(stmt: Stmt, indent: str, lines: list[str], where: dict[int, Stmt]) -> None:
    lines.append(indent + stmt.head)
    where[len(lines)] = stmt
    if stmt.body is None:
        return
    for inner in stmt.body:
        _print(inner, indent + "    ", lines, where)
    if not stmt.body:
        lines.append(indent + "    pass")
    if stmt.other:
        lines.append(indent + "else:")
        for inner in stmt.other:
            _print(inner, indent + "    ", lines, where)


def _walk(body: tuple[Stmt, ...]) -> Iterator[Stmt]:
    for stmt in body:
        yield stmt
        yield from _walk(stmt.body or ())
        yield from _walk(stmt.other)


def _without(body: tuple[Stmt, ...], gone: Stmt) -> tuple[Stmt, ...]:
    return _replaced(body, gone, ())


def _replaced(body: tuple[Stmt, ...], old: Stmt, new: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    made: list[Stmt] = []
    for stmt in body:
        if stmt is old:
            made.extend(new)
        elif stmt.body is None:
            made.append(stmt)
        else:
            inner, other = _replaced(stmt.body, old, new), _replaced(stmt.other, old, new)
            made.append(stmt if _same(inner, stmt.body) and _same(other, stmt.other) else Stmt(stmt.head, inner, other))
    return tuple(made)


def _same(a: tuple[Stmt, ...], b: tuple[Stmt, ...]) -> bool:
    return len(a) == len(b) and all(x is y for x, y in zip(a, b, strict=True))
