"""Random kernels and what plain Python makes of them: the independent meaning of control flow.

A program is the text of a kernel `(x, n, out)`. It runs twice: as a kernel, and as ordinary Python where `pypto.loop`
is `range` and tensors are small objects around numpy arrays that behave as the contract says (operators give new
objects, `t[:] = v` changes the object).
"""

from __future__ import annotations

import random

import numpy as np

TENSORS, INTS = ("t0", "t1", "t2", "t3"), ("s0", "s1", "s2")


class Program:
    """Text of a random kernel body."""

    def __init__(self, seed: int, size: int = 14) -> None:
        self.random = random.Random(seed)
        self.rich = seed % 2 == 1
        self.lines: list[str] = []
        self.loops = 0
        self.budget = size
        self.indices: list[str] = []
        self._prologue()
        self.block(1, top=True)
        self.line(1, f"out[:] = {self.tensor()}")

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def _prologue(self) -> None:
        self.line(1, "pypto.set_vec_tile_shapes(8, 8)")
        self.line(1, "m = n[0]")
        bound = self.random.sample(TENSORS, 4 if self.random.random() < 0.8 else 3)
        for number, name in enumerate(bound):
            self.line(1, f"{name} = x * {number + 1}.0")
        for name in self.random.sample(INTS, 3 if self.random.random() < 0.9 else 2):
            self.line(1, f"{name} = {self.random.choice(['0', '1', '2', 'm'])}")
        self.line(1, "box = [x * 1.0, x * 3.0, 1]")
        self.line(1, "pair = (x * 2.0, 2)")
        self.line(1, "state = {'h': x * 0.5, 'c': 0, 'parts': box}" if self.rich else "state = {'h': x * 0.5, 'c': 0}")
        if self.rich:
            self.line(1, "def peek():")
            self.line(2, f"return {self.random.choice(TENSORS)}")
        if self.random.random() < 0.1:
            self.line(1, f"{self.random.choice(TENSORS)} = None")

    # -- expressions ---------------------------------------------------------------------------------------------

    def tensor(self) -> str:
        r = self.random
        if self.rich and r.random() < 0.3:
            a = r.choice(TENSORS)
            return r.choice(["peek() * 0.5", "pair[0] + 1.0", "state['h']", f"grow({a}, {self.integer()})"])
        kind = r.randint(0, 9)
        a, b = r.choice((*TENSORS, "x")), r.choice(TENSORS)
        if kind < 3:
            return f"{a} + {r.randint(1, 3)}.0"
        if kind < 5:
            return f"{a} * 0.5 + {b}"
        if kind == 5:
            return f"box[{r.randint(0, 1)}] + {a}"
        if kind == 6:
            return f"({a} + 1.0 if {self.cond()} else {b} * 1.0)"
        if kind == 7:
            return f"mix({a}, {self.integer()})"
        return a

    def integer(self) -> str:
        r = self.random
        if self.rich and r.random() < 0.2:
            return r.choice(["pair[1]", "state['c']", "(pair[1] + state['c']) % 3"])
        kind = r.randint(0, 8)
        names = (*INTS, "m", *self.indices)
        a = r.choice(names)
        if kind < 3:
            return f"({a} + {r.randint(0, 2)}) % 4"
        if kind < 5:
            return f"({a} * 2 + {r.choice(names)}) % 5"
        if kind == 5:
            return f"({a} if {self.cond()} else {r.randint(0, 3)})"
        if kind == 6:
            return "box[2]"
        return a

    def cond(self) -> str:
        r = self.random
        names = (*INTS, "m", *self.indices)
        test = f"{r.choice(names)} {r.choice(['<', '>', '==', '!=', '<='])} {r.choice((*names, '1', '2'))}"
        kind = r.randint(0, 7)
        if kind == 0:
            return f"{test} and {r.choice(names)} > 0"
        if kind == 1:
            return f"{test} or 6 // ({r.choice(names)} + 1) > 2"
        if kind == 2:
            return f"not {test}"
        if kind == 3 and self.indices:
            return f"pypto.is_loop_begin({self.indices[-1]})"
        return test

    # -- statements ----------------------------------------------------------------------------------------------

    def block(self, depth: int, top: bool = False) -> None:
        count = self.random.randint(2, 4) if not top else 7
        for _ in range(count):
            self.budget -= 1
            self.statement(depth)

    def statement(self, depth: int) -> None:
        r = self.random
        if self.rich and r.random() < 0.25:
            self.rich_statement(depth)
            return
        kind = r.randint(0, 15) if depth < 4 and self.budget > 0 else r.randint(0, 9)
        if kind < 3:
            self.line(depth, f"{r.choice(TENSORS)} = {self.tensor()}")
        elif kind == 3:
            self.line(depth, f"{r.choice((*TENSORS, 'out'))}[:] = {self.tensor()} + 0.0")
        elif kind < 6:
            self.line(depth, f"{r.choice(INTS)} = {self.integer()}")
        elif kind == 6:
            self.line(depth, f"{r.choice(INTS)} += 1")
        elif kind == 7:
            self.line(depth, f"box[{r.randint(0, 1)}] = {self.tensor()}")
        elif kind == 8:
            self.line(depth, r.choice([f"box[2] = {self.integer()}", f"{r.choice(TENSORS)} = box[{r.randint(0, 1)}]"]))
        elif kind == 9:
            a, b = r.sample(TENSORS, 2)
            self.line(depth, r.choice([f"{a}, {b} = {b}, {a}", f"box = [{a}, {self.tensor()}, {self.integer()}]"]))
        elif kind < 13:
            self.loop(depth)
        elif kind < 15:
            self.line(depth, f"if {self.cond()}:")
            self.block(depth + 1)
            if r.random() < 0.6:
                self.line(depth, "else:")
                self.block(depth + 1)
        else:
            self.line(depth, f"for j{depth} in range({r.randint(1, 2)}):")
            self.block(depth + 1)

    def rich_statement(self, depth: int) -> None:
        r = self.random
        simple = [
            f"pair = ({self.tensor()}, {self.integer()})",
            f"pair = (pair[0], {self.integer()})",
            f"state['h'] = {self.tensor()}",
            f"state['c'] = {self.integer()}",
            f"state = {{**state, 'h': {self.tensor()}}}",
            f"bump({r.choice(TENSORS)})",
            f"bump(state['h']) if {self.cond()} else None",
            "box = state['parts']",
            f"state['parts'][0] = {self.tensor()}",
        ]
        if r.random() < 0.8:
            self.line(depth, r.choice(simple))
            return
        self.loops += 1
        number = self.loops
        if r.random() < 0.5:
            bounds = r.choice([f"({self.integer()}) % 4", f"1, ({self.integer()}) % 5 + 1, 2"])
            self.line(depth, f"for i{number}, k{number} in pypto.loop_unroll({bounds}, unroll_list=[2]):")
            self.line(depth + 1, f"{r.choice(INTS)} += k{number}")
            self.indices.append(f"i{number}")
            self.block(depth + 1)
            self.indices.pop()
        else:
            self.line(depth, f"k{number} = 0")
            self.line(depth, f"while k{number} < 3:")
            self.line(depth + 1, f"k{number} += 1")
            self.line(depth + 1, f"if k{number} == {r.randint(1, 3)}:")
            self.line(depth + 2, r.choice(["break", "continue"]))
            self.statement(depth + 1)

    def loop(self, depth: int) -> None:
        r = self.random
        self.loops += 1
        index = f"i{self.loops}"
        bounds = r.choice([f"({self.integer()}) % 4", "3", "1", f"1, ({self.integer()}) % 4 + 1", "3, 0, -1"])
        self.line(depth, f"for {index} in pypto.loop({bounds}):")
        self.indices.append(index)
        self.block(depth + 1)
        self.indices.pop()

    def text(self) -> str:
        """The module."""
        return "\n".join(
            [
                "def mix(t, k):",
                "    if pypto.cond(k > 1):",
                "        r = t * 0.5",
                "    else:",
                "        r = t + 2.0",
                "    return r",
                "",
                "",
                "def grow(t, k):",
                "    for _ in pypto.loop(k % 3):",
                "        t = t + 1.0",
                "    return t * 1.0",
                "",
                "",
                "def bump(t):",
                "    t[:] = t + 1.0",
                "",
                "",
                "def kernel(x, n, out):",
                *self.lines,
                "",
            ]
        )


class Plain:
    """A tensor of plain Python."""

    def __init__(self, data: np.ndarray) -> None:
        self.data = data

    def __add__(self, other: object) -> Plain:
        return Plain(self.data + _data(other))

    def __mul__(self, other: object) -> Plain:
        return Plain(self.data * _data(other))

    def __setitem__(self, key: slice, value: Plain) -> None:
        self.data[:] = value.data.copy()

    def __getitem__(self, key: int) -> int:
        return int(self.data[key])


def _data(value: object) -> object:
    return value.data if isinstance(value, Plain) else np.float32(value)  # type: ignore[arg-type]


class PlainApi:
    """`pypto` of plain Python."""

    def __init__(self) -> None:
        self.first: dict[int, object] = {}

    def set_vec_tile_shapes(self, *shape: int) -> None:
        pass

    def cond(self, test: object) -> object:
        return test

    def loop(self, *bounds: int) -> object:
        for position, index in enumerate(range(*bounds)):
            yield Index(index, position == 0)

    def loop_unroll(self, *bounds: int, unroll_list: list[int]) -> object:
        start, stop, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3]
        current = start
        for factor in sorted({*unroll_list, 1}, reverse=True):
            whole = max(stop - start, 0) // (step * factor) * step * factor if factor > 1 else stop - start
            for index in range(current, start + whole, step * factor):
                yield Index(index, index == start), factor
                current = index + step * factor

    def is_loop_begin(self, index: Index) -> bool:
        return index.first


class Index(int):
    """An index that knows whether it is the first."""

    first: bool

    def __new__(cls, value: int, first: bool) -> Index:
        self = super().__new__(cls, value)
        self.first = first
        return self


def as_python(text: str, x: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """`x` and `out` after the program, executed by Python."""
    space: dict[str, object] = {"pypto": PlainApi()}
    exec(text, space)
    a, out = Plain(x.copy()), Plain(np.full_like(x, -777))
    space["kernel"](a, Plain(np.array([n])), out)  # type: ignore[operator]
    return a.data, out.data
