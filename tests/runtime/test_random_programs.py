"""Random programs with loops, branches, windows and in-place writes, against plain Python on numpy arrays.

They prove the carries and merges of the SSA form, the lifetimes, and that shared memory never shows.
"""

import random
from dataclasses import dataclass, field

import numpy as np
import pytest

from openpto import runtime
from openpto.ir import expr as ex
from openpto.ir.dtypes import DataType
from openpto.ir.parser import parse
from openpto.ir.printer import text
from openpto.runtime.reference import engine
from openpto.runtime.reference.liveness import Deaths, Lifetimes

F32 = DataType.DT_FP32
ROWS, HALF = 8, 4


@dataclass
class Stmt:
    """kind, names of tensors, an offset, and inner statements."""

    kind: str
    names: tuple[str, ...] = ()
    offset: int = 0
    count: int = 0
    body: list["Stmt"] = field(default_factory=list)
    other: list["Stmt"] = field(default_factory=list)


class Writer:
    """Makes a random program; ``full`` and ``half`` are the names in reach by shape."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.full, self.half = ["a", "b", "c"], []
        self.number = 0

    def fresh(self):
        self.number += 1
        return f"t{self.number}"

    def block(self, depth):
        known = len(self.full), len(self.half)
        body = [self.stmt(depth) for _ in range(self.random.randint(1, 6))]
        del self.full[known[0] :], self.half[known[1] :]
        return [s for s in body if s is not None]

    def stmt(self, depth):
        kind = self.random.choice(
            ["add", "add", "view", "view", "store", "store", "move", "clone", "reshape", "loop", "if"]
        )
        pick = self.random.choice
        if kind in ("loop", "if") and depth >= 3:
            kind = "add"
        if kind == "add":
            names = (self.fresh(), pick(self.full), pick(self.full))
            self.full.append(names[0])
            return Stmt("add", names)
        if kind in ("clone", "reshape"):
            names = (self.fresh(), pick(self.full))
            self.full.append(names[0])
            return Stmt(kind, names)
        if kind == "view":
            names = (self.fresh(), pick(self.full))
            self.half.append(names[0])
            return Stmt("view", names, self.random.randint(0, HALF))
        if kind == "store":
            if not self.half:
                return None
            return Stmt("store", (pick(self.half), pick(self.full)), self.random.randint(0, HALF))
        if kind == "move":
            pool = pick([self.full, self.half]) or self.full
            return Stmt("move", (pick(pool), pick(pool)))
        if kind == "loop":
            return Stmt("loop", count=self.random.randint(0, 3), body=self.block(depth + 1))
        return Stmt("if", count=self.random.randint(0, 2), body=self.block(depth + 1), other=self.block(depth + 1))


def interpret(body, tensors, indices):
    """What the program means: every tensor object is one entry that is replaced when the object changes."""
    for s in body:
        if s.kind == "add":
            tensors[s.names[0]] = tensors[s.names[1]] + tensors[s.names[2]]
        elif s.kind in ("clone", "reshape"):
            tensors[s.names[0]] = tensors[s.names[1]].copy()
        elif s.kind == "view":
            tensors[s.names[0]] = tensors[s.names[1]][s.offset : s.offset + HALF].copy()
        elif s.kind == "store":
            new = tensors[s.names[1]].copy()
            new[s.offset : s.offset + HALF] = tensors[s.names[0]]
            tensors[s.names[1]] = new
        elif s.kind == "move":
            tensors[s.names[1]] = tensors[s.names[0]]
        elif s.kind == "loop":
            for i in range(s.count):
                interpret(s.body, tensors, [*indices, i])
        else:
            chosen = s.body if sum(indices) % 3 == s.count else s.other
            interpret(chosen, tensors, indices)


def record(p, body, tensors, indices):
    for s in body:
        if s.kind == "add":
            tensors[s.names[0]] = p.add(tensors[s.names[1]], tensors[s.names[2]])
        elif s.kind == "clone":
            tensors[s.names[0]] = p.clone(tensors[s.names[1]])
        elif s.kind == "reshape":
            tensors[s.names[0]] = p.reshape(p.reshape(tensors[s.names[1]], (4, 16)), (8, 8))
        elif s.kind == "view":
            tensors[s.names[0]] = p.view(tensors[s.names[1]], [HALF, 8], [s.offset, 0])
        elif s.kind == "store":
            p.store(tensors[s.names[0]], (s.offset, 0), tensors[s.names[1]])
        elif s.kind == "move":
            p.move(tensors[s.names[0]], tensors[s.names[1]])
        elif s.kind == "loop":
            with p.loop(s.count, name=f"L{len(indices)}", idx=f"i{len(indices)}") as i:
                record(p, s.body, tensors, [*indices, i])
        else:
            total = ex.const(0)
            for i in indices:
                total = ex.binary("add", total, i)
            cond = ex.binary("eq", ex.binary("mod", total, 3), s.count)
            p.branch(
                cond,
                lambda body=s.body: record(p, body, tensors, indices),
                lambda body=s.other: record(p, body, tensors, indices),
            )


def arrays(seed):
    rng = np.random.default_rng(seed)
    return [rng.integers(-4, 5, (ROWS, 8)).astype(np.float32) for _ in range(3)]


def build(p, seed):
    body = Writer(seed).block(0) + Writer(seed + 10**6).block(0)
    want = dict(zip("abc", arrays(seed)))
    interpret(body, want, [])
    tensors = {name: p.param(name, data) for name, data in zip("abc", arrays(seed))}
    record(p, body, tensors, [])
    return p.kernel(), [want[name] for name in "abc"]


@pytest.mark.parametrize("seed", range(150))
def test_a_random_program(p, seed):
    kernel, want = build(p, seed)
    runtime.execute(kernel, p.arrays, {})
    for got, golden in zip(p.arrays, want):
        np.testing.assert_array_equal(got, golden)


@pytest.mark.parametrize("seed", range(150, 180))
def test_lifetimes_change_no_value(p, seed, monkeypatch):
    """Without them every state is kept, and every write in place is a copy."""
    kernel, want = build(p, seed)
    found = engine.lifetimes_of(kernel).deaths

    def immortal(stmt):
        return Deaths(enter=tuple(() for _ in found[stmt].enter), leave=tuple(() for _ in found[stmt].leave))

    kept = Lifetimes({stmt: immortal(stmt) for stmt in found}, ())
    monkeypatch.setattr(engine, "lifetimes_of", lambda kernel: kept)
    runtime.execute(kernel, p.arrays, {})
    for got, golden in zip(p.arrays, want):
        np.testing.assert_array_equal(got, golden)


@pytest.mark.parametrize("seed", range(180, 210))
def test_the_text_form_runs_the_same(p, seed):
    kernel, want = build(p, seed)
    runtime.execute(parse(text(kernel)), p.arrays, {})
    for got, golden in zip(p.arrays, want):
        np.testing.assert_array_equal(got, golden)


@pytest.mark.parametrize("seed", range(210, 240))
def test_every_value_ends(p, seed):
    """When a kernel is done only the final states of its parameters are left."""
    kernel, _ = build(p, seed)
    machine = engine.Machine(kernel, p.arrays, {}, engine.lifetimes_of(kernel), engine.handler_of)
    machine.run()
    assert set(machine.env) == {param.final for param in kernel.params}
    storages = [machine.env[param.final].storage for param in kernel.params]
    assert all(s.refs == sum(t.storage is s for t in machine.env.values()) for s in storages)
