"""Makes random programs. What a statement turns out not to be allowed is repaired by its removal (``compare.py``)."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from math import prod

from openpto.ops.registry import OPS, Reduce

from . import familiar, further
from .possible import converts, pointwise, takes
from .program import HOST, Param, Program, Stmt

ROWS = (1, 2, 3, 4, 5, 8)
COLUMNS = (1, 2, 8, 15, 16, 17, 24, 33, 48)
FLOATS = ("FP32", "FP32", "FP32", "FP16", "BF16")
INTS = ("INT32", "INT32", "INT64", "INT16", "INT8", "UINT8")
OUT_WIDTH = 64
FROM_INT = ("INT32", "INT16", "INT8", "UINT8", "INT64")


@dataclass(frozen=True)
class Name:
    """A tensor that a statement can use."""

    name: str
    dtype: str
    shape: tuple[int, ...]


SIZES = (2, 3, 3, 4, 4, 5, 6, 8, 12)
"""Statements of a body: mostly few, because the time of a run is better spent on many programs than on long ones."""

TENSORS_ONLY = ("logical", "prelu", "expand_exp_dif")
"""Functions of two tensors that take no scalar."""


class Generator:
    """One program."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random.Random(seed)
        self.pick = self.random.choice
        self.params: dict[str, Param] = {}
        self.sizes: dict[str, int] = {}
        self.names: list[Name] = []
        self.scalars: list[str] = []
        self.indices: list[str] = []
        self.helpers: list[Stmt] = []
        self.count = 0
        self.in_helper = False
        self.unary = {d: pointwise(1, d) for d in HOST}
        self.binary = {d: pointwise(2, d) for d in HOST}
        self.reductions = [n for n, d in OPS.items() if isinstance(d.arithmetic, Reduce) and d.record is not None]

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.random.random() < probability

    def fresh(self, prefix: str = "t") -> str:
        """A new name."""
        self.count += 1
        return f"{prefix}{self.count}"

    # -- program -------------------------------------------------------------------------------------------------

    def program(self) -> Program:
        """The whole file."""
        self.params["k"] = Param("k", "INT32", (8,))
        dtypes = {self.pick(FLOATS), self.pick(FLOATS), self.pick(INTS)} | ({"BOOL"} if self.chance(0.3) else set())
        for dtype in sorted(dtypes):
            size = self.size()
            self.params[f"x_{dtype}"] = Param(f"x_{dtype}", dtype, (size, self.pick((8, 16, 24, 33))))
            if self.chance(0.4):
                self.params[f"y_{dtype}"] = Param(f"y_{dtype}", dtype, (size, self.pick((1, 4)), self.size()))
            if self.chance(0.5):
                static = Param(f"s_{dtype}", dtype, (self.pick(ROWS), self.pick((8, 16, 24))))
                self.params[static.name] = static
                self.names.append(Name(static.name, dtype, static.shape))  # type: ignore[arg-type]
        body = self.block(self.pick(SIZES), 0)
        for name in self.names:
            body += self.store(name)
        return Program(self.seed, tuple(self.params.values()), self.sizes, tuple(self.helpers), tuple(body))

    def size(self) -> str:
        """A dynamic extent."""
        if self.sizes and self.chance(0.5):
            return self.pick(sorted(self.sizes))
        name = f"n{len(self.sizes)}"
        self.sizes[name] = self.pick((0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 20))
        return name

    def block(self, length: int, depth: int) -> list[Stmt]:
        """Statements in order."""
        body: list[Stmt] = []
        for _ in range(length):
            body += self.stmt(depth)
        return body

    def stmt(self, depth: int) -> list[Stmt]:
        """One statement, or what a statement needs and itself."""
        if depth < 3 and not self.in_helper and self.chance(0.14 if depth else 0.3):
            return self.pick((self.loop, self.loop, self.branch))(depth)
        if not self.in_helper and depth < 2 and self.chance(0.05):
            return self.helper()
        if not self.names or self.chance(0.12):
            return self.window()
        kinds: list[tuple[int, Callable[[], list[Stmt]]]] = [
            (10, self.compute),
            (3, self.rebind),
            (3, self.reduce),
            (2, self.matmul),
            (6, self.rearrange),
            (4, self.write),
            (2, self.make),
            (3, self.scalar),
            (1, self.index),
            (2, self.along),
            (1, self.update),
            (2, lambda: further.statement(self)),
            (1, lambda: familiar.statement(self)),
            (1, lambda: self.store(self.pick(self.names))),
        ]
        return self.random.choices([k for _, k in kinds], [w for w, _ in kinds])[0]()

    def new(self, expr: str, dtype: str, shape: tuple[int, ...]) -> list[Stmt]:
        """``t = expr``."""
        if not 0 < prod(shape) <= 3000 or not 0 < len(shape) <= 4:
            return []
        name = self.fresh()
        self.names.append(Name(name, dtype, shape))
        return [Stmt(f"{name} = {expr}")]

    # -- scalars -------------------------------------------------------------------------------------------------

    def extent(self) -> str:
        """An integer expression that mostly is small and not negative."""
        choices = [str(self.random.randint(0, 4)), f"k[{self.random.randint(0, 7)}]", *self.indices, *self.scalars]
        params = [p for p in self.params.values() if any(isinstance(n, str) for n in p.shape)]
        if params and not self.in_helper:
            p = self.pick(params)
            axis = self.pick([i for i, n in enumerate(p.shape) if isinstance(n, str)])
            choices.append(f"{p.name}.shape[{axis}]")
        if self.names and self.chance(0.3):
            choices.append(f"{self.pick(self.names).name}.valid_shape[0]")
        return self.pick([c for c in choices if not (self.in_helper and c.startswith("k["))])

    def integer(self) -> str:
        """An integer expression, sometimes one that faults."""
        a, b = self.extent(), self.extent()
        form = self.random.random()
        if form < 0.6:
            return a
        if form < 0.85:
            return self.pick([f"{a} + {b}", f"{a} * 2", f"max(0, {a} - {b})", f"min({a}, {b})", f"({a} + 1) // 2"])
        return self.pick([f"{a} - {b}", f"{a} // {b}", f"{a} % {b}", f"{a} * {b}", f"-({a})", f"max({a}, {b})"])

    def condition(self) -> str:
        """A truth value that is known when the kernel runs."""
        forms = [f"{self.integer()} {self.pick(['<', '<=', '==', '!=', '>', '>='])} {self.integer()}"]
        for index in self.indices:
            forms += [f"pypto.is_loop_begin({index})", f"pypto.is_loop_end({index})"]
        first = self.pick(forms)
        if self.chance(0.2):
            return f"{first} {self.pick(['and', 'or'])} {self.pick(forms)}"
        return first

    def scalar(self) -> list[Stmt]:
        """A scalar from a tensor or from arithmetic, also one that a loop carries."""
        ints = [n for n in self.names if n.dtype in FROM_INT]
        if self.scalars and self.chance(0.4):
            return [Stmt(f"{self.pick(self.scalars)} = {self.integer()}")]
        if ints and self.chance(0.4):
            n = self.pick(ints)
            expr = f"{n.name}[{', '.join(self.position(e) for e in n.shape)}]"
        else:
            expr = self.integer()
        name = self.fresh("q")
        self.scalars.append(name)
        return [Stmt(f"{name} = {expr}")]

    def position(self, extent: int) -> str:
        """A place on an axis."""
        return self.extent() if self.chance(0.25) else str(self.random.randrange(extent))

    # -- regions -------------------------------------------------------------------------------------------------

    def loop(self, depth: int) -> list[Stmt]:
        """A loop; names that its body makes mostly end with it."""
        index = f"i{len(self.indices)}"
        bounds = self.pick(
            [self.integer(), self.integer(), f"{self.extent()}, {self.extent()}, {self.pick((1, 2, -1))}"]
        )
        extra = ", unroll_list=[2, 1]" if self.chance(0.1) else ""
        if not self.indices and self.chance(0.1):
            extra = ", parallel=True"
        known = len(self.names), len(self.scalars)
        self.indices.append(index)
        body = self.block(self.random.randint(1, 5), depth + 1)
        self.indices.pop()
        if not self.chance(0.15):
            del self.names[known[0] :], self.scalars[known[1] :]
        return [Stmt(f"for {index} in pypto.loop({bounds}, name='L{depth}', idx_name='{index}'{extra}):", tuple(body))]

    def branch(self, depth: int) -> list[Stmt]:
        """A branch."""
        cond = self.condition()
        known = len(self.names), len(self.scalars)
        then = self.block(self.random.randint(1, 3), depth + 1)
        kept = (list(self.names), list(self.scalars)) if self.chance(0.1) else None
        del self.names[known[0] :], self.scalars[known[1] :]
        other = self.block(self.random.randint(1, 3), depth + 1) if self.chance(0.6) else []
        del self.names[known[0] :], self.scalars[known[1] :]
        if kept is not None:
            self.names, self.scalars = kept
        return [Stmt(f"if {cond}:", tuple(then), tuple(other))]

    def helper(self) -> list[Stmt]:
        """A call of a function of its own."""
        if not self.names:
            return []
        chosen = [self.pick(self.names) for _ in range(self.random.randint(1, 2))]
        saved = self.names, self.scalars, self.indices
        self.names = [Name(f"a{j}", n.dtype, n.shape) for j, n in enumerate(chosen)]
        self.scalars, self.indices, self.in_helper = [], [], True
        body = self.block(self.random.randint(1, 4), 2)
        result = self.pick(self.names)
        arguments = ", ".join(f"a{j}" for j in range(len(chosen)))
        self.names, self.scalars, self.indices = saved
        self.in_helper = False
        name = self.fresh("h")
        self.helpers.append(Stmt(f"def {name}({arguments}):", (*body, Stmt(f"return {result.name}"))))
        return self.new(f"{name}({', '.join(n.name for n in chosen)})", result.dtype, result.shape)

    # -- tensors -------------------------------------------------------------------------------------------------

    def window(self) -> list[Stmt]:
        """A window of a parameter, often with a tail."""
        if self.in_helper:
            return []
        p = self.pick([p for p in self.params.values() if p.name != "k"])
        shape = tuple([self.pick(ROWS) for _ in p.shape[:-1]] + [self.pick(COLUMNS)])
        offsets = ", ".join(self.offset(n) for n in shape)
        valid = ""
        if self.chance(0.3):
            valid = f", valid_shape=[{', '.join(self.cut(n) for n in shape)}]"
        return self.new(f"pypto.view({p.name}, {list(shape)}, [{offsets}]{valid})", p.dtype, shape)

    def offset(self, extent: int) -> str:
        """Where a window begins."""
        if self.chance(0.55):
            return "0"
        if self.indices and self.chance(0.5):
            return self.pick([self.indices[-1], f"{self.indices[-1]} * {extent}"])
        return self.integer() if self.chance(0.6) else str(self.random.randint(0, 3))

    def cut(self, extent: int) -> str:
        """A valid extent of an axis."""
        if self.chance(0.4):
            return str(extent)
        return str(self.random.randint(0, extent)) if self.chance(0.5) else f"min({extent}, max(0, {self.extent()}))"

    def alike(self, name: Name) -> Name:
        """A tensor that broadcasts with ``name``, if there is another one."""
        good = [n for n in self.names if n.dtype == name.dtype and _fits(n.shape, name.shape)]
        return self.pick(good)

    def literal(self, dtype: str) -> str:
        """A scalar operand."""
        if dtype in FLOATS:
            return self.pick(["0.5", "-2.0", "3", "1e30", "0.0", "-0.0", "float('inf')"])
        return str(self.random.randint(-3, 5)) if dtype != "UINT8" else str(self.random.randint(0, 5))

    def expression(self, a: Name) -> tuple[str, str]:
        """(text, dtype) of something of a's shape."""
        form = self.random.random()
        if form < 0.35:
            if not self.unary[a.dtype]:
                return f"pypto.clone({a.name})", a.dtype
            op = self.pick(self.unary[a.dtype])
            return f"pypto.{op}({a.name})", "BOOL" if OPS[op].family == "C" else a.dtype
        if form < 0.6:
            b = self.alike(a)
            signs = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
            op = self.pick([signs[n] for n in self.binary[a.dtype] if n in signs] or [""])
            if not op:
                return f"pypto.clone({a.name})", a.dtype
            first, second = (a.name, b.name) if self.chance(0.5) else (b.name, a.name)
            return f"{first} {op} {second}", a.dtype
        if form < 0.75 and self.binary[a.dtype]:
            op = self.pick(self.binary[a.dtype])
            dtype = "BOOL" if OPS[op].family == "C" else a.dtype
            other = self.alike(a).name if self.chance(0.7) or op.startswith(TENSORS_ONLY) else self.literal(a.dtype)
            return f"pypto.{op}({a.name}, {other})", dtype
        if form < 0.85 and "mul" in self.binary[a.dtype]:
            return f"{a.name} {self.pick(['+', '-', '*'])} {self.literal(a.dtype)}", a.dtype
        if form < 0.93 and takes("eq", a.dtype):
            b = self.alike(a)
            other = self.literal(a.dtype) if a.dtype == "FP32" and self.chance(0.3) else b.name
            return f"pypto.where({a.name} {self.pick(['<', '==', '>='])} {b.name}, {a.name}, {other})", a.dtype
        targets = [d for d in (*FLOATS, *INTS) if converts(a.dtype, d)]
        if not targets:
            return f"pypto.clone({a.name})", a.dtype
        dtype = self.pick(targets)
        mode = self.pick(
            ["", "", ", pypto.CastMode.CAST_FLOOR", ", pypto.CastMode.CAST_TRUNC", ", satmode=pypto.SaturationMode.ON"]
        )
        return f"pypto.cast({a.name}, pypto.DT_{dtype}{mode})", dtype

    def compute(self) -> list[Stmt]:
        """Element by element."""
        a = self.pick(self.names)
        text, dtype = self.expression(a)
        return self.new(text, dtype, a.shape)

    def rebind(self) -> list[Stmt]:
        """An existing name takes a new value."""
        a = self.pick([n for n in self.names if not n.name.startswith(("s_", "a"))] or self.names)
        text, dtype = self.expression(a)
        if dtype != a.dtype or a.name.startswith(("s_", "a")):
            return self.new(text, dtype, a.shape)
        return [Stmt(f"{a.name} = {text}")]

    def reduce(self) -> list[Stmt]:
        """A reduction."""
        a = self.pick(self.names)
        able = [n for n in self.reductions if takes(n, a.dtype)]
        if not able:
            return []
        axis = self.random.randrange(len(a.shape))
        keep = self.chance(0.6)
        shape = tuple(1 if j == axis else n for j, n in enumerate(a.shape) if keep or j != axis)
        if self.chance(0.1):
            return self.new(f"pypto.softmax({a.name}, {axis})", a.dtype, a.shape)
        return self.new(f"pypto.{self.pick(able)}({a.name}, {axis}, keepdim={keep})", a.dtype, shape)

    def matmul(self) -> list[Stmt]:
        """A matrix product."""
        able = [n for n in self.names if n.dtype in ("FP32", "FP16", "BF16", "INT8") and len(n.shape) in (2, 3)]
        if not able:
            return []
        a = self.pick(able)
        ta, tb = self.chance(0.3), self.chance(0.3)
        m, k = (a.shape[-1], a.shape[-2]) if ta else a.shape[-2:]
        right = [n for n in able if n.dtype == a.dtype and len(n.shape) == len(a.shape)]
        right = [n for n in right if n.shape[-1 if tb else -2] == k]
        before: list[Stmt] = []
        if right and self.chance(0.7):
            b = self.pick(right)
        else:
            n = self.pick((1, 3, 16, 17))
            shape = (*(1 for _ in a.shape[2:]), *((n, k) if tb else (k, n)))
            before = self.new(
                f"pypto.full({list(shape)}, 0.5, pypto.DT_{a.dtype})"
                if a.dtype in FLOATS
                else f"pypto.full({list(shape)}, 2, pypto.DT_{a.dtype})",
                a.dtype,
                shape,
            )
            if not before:
                return []
            b = self.names[-1]
        n = b.shape[-2 if tb else -1]
        out = {"INT8": "INT32"}.get(a.dtype, self.pick((a.dtype, "FP32")))
        extra = ", extend_params={'relu_type': pypto.ReLuType.RELU}" if self.chance(0.1) else ""
        expr = f"pypto.matmul({a.name}, {b.name}, pypto.DT_{out}, a_trans={ta}, b_trans={tb}{extra})"
        batch = tuple(max(p, q) for p, q in zip(a.shape[:-2], b.shape[:-2], strict=True))
        return before + self.new(expr, out, (*batch, m, n))

    def rearrange(self) -> list[Stmt]:
        """The same elements in another place."""
        a = self.pick(self.names)
        rank = len(a.shape)
        kind = self.random.randrange(10)
        if kind == 0:
            shape = self.factors(prod(a.shape))
            valid = f", valid_shape=[{', '.join(self.cut(n) for n in shape)}]" if self.chance(0.5) else ""
            return self.new(f"pypto.reshape({a.name}, {list(shape)}{valid})", a.dtype, shape)
        if kind == 1 and rank > 1:
            i, j = self.random.sample(range(rank), 2)
            perm = list(range(rank))
            perm[i], perm[j] = perm[j], perm[i]
            return self.new(f"pypto.permute({a.name}, {perm})", a.dtype, tuple(a.shape[p] for p in perm))
        if kind == 2:
            axis = self.random.randint(0, rank)
            return self.new(f"pypto.unsqueeze({a.name}, {axis})", a.dtype, (*a.shape[:axis], 1, *a.shape[axis:]))
        if kind == 3:
            axis = self.random.randrange(rank)
            parts = [n for n in self.names if n.dtype == a.dtype and _apart(n.shape, a.shape, axis)]
            b = self.pick(parts)
            total = a.shape[axis] + b.shape[axis]
            shape = (*a.shape[:axis], total, *a.shape[axis + 1 :])
            return self.new(f"pypto.concat([{a.name}, {b.name}], {axis})", a.dtype, shape)
        if kind == 4:
            return self.new(f'pypto.fillpad({a.name}, "constant", {self.literal(a.dtype)})', a.dtype, a.shape)
        if kind == 5:
            return self.new(f"pypto.clone({a.name})", a.dtype, a.shape)
        if kind == 6:
            shape = tuple(self.pick(ROWS) if n == 1 else n for n in a.shape)
            valid = f", valid_shape=[{', '.join(self.cut(n) for n in shape)}]" if self.chance(0.3) else ""
            return self.new(f"pypto.expand_clone({a.name}, {list(shape)}{valid})", a.dtype, shape)
        if kind == 7:
            shape = tuple(self.random.randint(1, n) for n in a.shape)
            offsets = ", ".join(self.offset(n) for n in shape)
            valid = f", valid_shape=[{', '.join(self.cut(n) for n in shape)}]" if self.chance(0.3) else ""
            return self.new(f"pypto.view({a.name}, {list(shape)}, [{offsets}]{valid})", a.dtype, shape)
        if kind == 8:
            return self.slice(a)
        pairs = {"FP32": "INT32", "INT32": "FP32", "FP16": "INT16", "INT16": "BF16", "BF16": "INT16"}
        dtype = pairs.get(a.dtype, a.dtype)
        if self.chance(0.3) and a.dtype == "FP32":
            return self.new(f"pypto.view({a.name}, dtype=pypto.DT_INT16)", "INT16", (*a.shape[:-1], 2 * a.shape[-1]))
        if dtype == a.dtype:
            return []
        return self.new(f"pypto.view({a.name}, dtype=pypto.DT_{dtype})", dtype, a.shape)

    def slice(self, a: Name) -> list[Stmt]:
        """``a[x : x + n, i]``."""
        keys, shape = [], []
        for n in a.shape:
            if self.chance(0.3):
                keys.append(":")
                shape.append(n)
            elif self.chance(0.3) and len(a.shape) > 1:
                keys.append(self.position(n))
            else:
                extent = self.random.randint(1, n)
                start = self.offset(extent)
                keys.append(f"{start} : {start} + {extent}")
                shape.append(extent)
        return self.new(f"{a.name}[{', '.join(keys)}]", a.dtype, tuple(shape)) if shape else []

    def factors(self, total: int) -> tuple[int, ...]:
        """A shape with so many elements."""
        shape: list[int] = []
        while total > 1 and len(shape) < 3 and self.chance(0.8):
            part = self.pick([d for d in range(1, total + 1) if total % d == 0])
            shape.append(part)
            total //= part
        return (*shape, total)

    def make(self) -> list[Stmt]:
        """A tensor from nothing."""
        shape = tuple([self.pick(ROWS) for _ in range(self.random.randint(0, 2))] + [self.pick(COLUMNS)])
        dtype = self.pick((*FLOATS, *INTS))
        kind = self.random.randrange(4)
        if kind == 0:
            return self.new(f"pypto.zeros({list(shape)}, dtype=pypto.DT_{dtype})", dtype, shape)
        if kind == 1:
            valid = f", valid_shape=[{', '.join(self.cut(n) for n in shape)}]" if self.chance(0.5) else ""
            return self.new(f"pypto.full({list(shape)}, {self.literal(dtype)}, pypto.DT_{dtype}{valid})", dtype, shape)
        if kind == 2:
            n = self.pick(COLUMNS)
            return self.new(f"pypto.arange({n})", "INT32", (n,))
        return self.new(f"pypto.tensor({list(shape)}, pypto.DT_{dtype})", dtype, shape)

    def write(self) -> list[Stmt]:
        """An existing tensor is changed in place."""
        a = self.pick(self.names)
        kind = self.random.randrange(6)
        if kind == 0:
            return [Stmt(f"{a.name}[:] = {self.expression(a)[0]}")]
        if kind == 1:
            inside = [n for n in self.names if n.dtype == a.dtype and len(n.shape) == len(a.shape)]
            b = self.pick([n for n in inside if all(p <= q for p, q in zip(n.shape, a.shape, strict=True))])
            offsets = ", ".join(self.offset(n) for n in b.shape)
            return [Stmt(f"pypto.assemble({b.name}, [{offsets}], {a.name})")]
        if kind == 2 and a.dtype in FROM_INT:
            index = ", ".join(self.position(n) for n in a.shape)
            return [Stmt(f"{a.name}[{index}] = {self.integer()}")]
        if kind == 3:
            keys = []
            for n in a.shape:
                start = self.random.randrange(n)
                keys.append(f"{start} : {self.random.randint(start + 1, n)}" if self.chance(0.7) else ":")
            return [Stmt(f"{a.name}[{', '.join(keys)}] = {self.literal(a.dtype)}")]
        if kind == 4:
            inside = [n for n in self.names if n.dtype == a.dtype and n.shape == a.shape]
            return [Stmt(f"{a.name}.move({self.pick(inside).name})")]
        return [Stmt(f"{a.name}[:] = {self.literal(a.dtype)}")] if self.chance(0.5) else []

    def index(self) -> list[Stmt]:
        """Gather and scatter."""
        a = self.pick(self.names)
        rank = len(a.shape)
        axis = self.random.randrange(rank)
        high = a.shape[axis] - 1 if self.chance(0.9) else a.shape[axis]
        shape = tuple(self.random.randint(1, n) for n in a.shape)
        number = self.fresh("j")
        width = prod(shape)
        make = [
            Stmt(f"{number} = pypto.reshape(pypto.arange({width}), {list(shape)}) * {self.random.randint(0, 3)}"),
            Stmt(f"{number} = pypto.minimum(pypto.maximum({number}, 0), {max(high, 0)})"),
        ]
        if self.chance(0.5):
            if not takes("gather", a.dtype):
                return []
            return make + self.new(f"pypto.gather({a.name}, {axis}, {number})", a.dtype, shape)
        reduce = self.pick(["", "", ", reduce='add'", ", reduce='multiply'"])
        source = self.literal(a.dtype)
        inside = [n for n in self.names if n.dtype == a.dtype and len(n.shape) == rank]
        inside = [n for n in inside if all(p <= q for p, q in zip(shape, n.shape, strict=True))]
        if inside and self.chance(0.6):
            source = self.pick(inside).name
        return [*make, Stmt(f"pypto.scatter_({a.name}, {axis}, {number}, {source}{reduce})")]

    def along(self, op: str = "") -> list[Stmt]:
        """Scans, searches, sorts and triangles."""
        a = self.pick(self.names)
        axis = self.random.randrange(len(a.shape))
        op = op or self.pick(["cumsum", "cumprod", "argmax", "argmin", "argsort", "topk", "tril", "triu", "one_hot"])
        if not takes(op, a.dtype) or (op == "topk" and a.dtype != "FP32" and self.chance(0.8)):
            return []
        rest = tuple(1 if j == axis else n for j, n in enumerate(a.shape))
        if op in ("cumsum", "cumprod"):
            wide = "INT64" if a.dtype in INTS else a.dtype
            return self.new(f"pypto.{op}({a.name}, {axis})", wide, a.shape)
        if op in ("argmax", "argmin"):
            return self.new(f"pypto.{op}({a.name}, {axis}, keepdim=True)", "INT32", rest)
        if op == "argsort":
            return self.new(f"pypto.argsort({a.name}, {axis}, {self.chance(0.5)})", "INT32", a.shape)
        if op == "topk":
            k = self.random.randint(1, a.shape[-1])
            part = 0 if self.chance(0.5) else 1
            shape = (*a.shape[:-1], k)
            dtype = "INT32" if part else a.dtype
            return self.new(f"pypto.topk({a.name}, {k}, -1, {self.chance(0.5)})[{part}]", dtype, shape)
        if op == "one_hot":
            return self.new(f"pypto.one_hot({a.name}, 12)", "INT64", (*a.shape, 12))
        return self.new(f"pypto.{op}({a.name}, {self.random.randint(-3, 3)})", a.dtype, a.shape)

    def update(self) -> list[Stmt]:
        """Rows that an index list names are read or changed."""
        a = self.pick(self.names)
        axis = self.random.randrange(len(a.shape))
        length = self.random.randint(1, 6)
        number = self.fresh("j")
        make = [
            Stmt(f"{number} = pypto.arange({length}) * {self.random.randint(0, 3)}"),
            Stmt(f"{number} = pypto.minimum({number}, {a.shape[axis] - (0 if self.chance(0.1) else 1)})"),
        ]
        shape = (*a.shape[:axis], length, *a.shape[axis + 1 :])
        if self.chance(0.5):
            if not takes("index_select", a.dtype):
                return []
            return make + self.new(f"pypto.index_select({a.name}, {axis}, {number})", a.dtype, shape)
        source = self.new(f"pypto.full({list(shape)}, {self.literal(a.dtype)}, pypto.DT_{a.dtype})", a.dtype, shape)
        if not source or not takes("index_add_", a.dtype):
            return source
        rows = self.names[-1].name
        if self.chance(0.5):
            return [*make, *source, Stmt(f"pypto.index_add_({a.name}, {axis}, {number}, {rows})")]
        return [*make, *source, Stmt(f"pypto.index_put_({a.name}, ({number},), {rows}, accumulate={self.chance(0.5)})")]

    def store(self, name: Name) -> list[Stmt]:
        """A tensor goes to an output."""
        rank = len(name.shape)
        if self.in_helper or not rank:
            return []
        out = f"o{rank}_{name.dtype}"
        if out not in self.params:
            rows: tuple[int | str, ...] = ("rows",) if rank > 1 else ()
            self.sizes["rows"] = 48
            self.params[out] = Param(out, name.dtype, (*rows, *(48,) * (rank - 2), OUT_WIDTH))
        rows = self.pick(("0", "0", "8", self.offset(name.shape[0])))
        offsets = ", ".join([rows, *("0" for _ in range(rank - 1))])
        if self.chance(0.3):
            keys = ", ".join([f"{rows} : {rows} + {name.shape[0]}", *(f"0:{n}" for n in name.shape[1:])])
            return [Stmt(f"{out}[{keys}] = {name.name}")]
        return [Stmt(f"pypto.assemble({name.name}, [{offsets}], {out})")]


def _fits(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether a tensor broadcasts into another of the same rank."""
    return len(shape) == len(target) and all(a in (1, b) for a, b in zip(shape, target, strict=True))


def _apart(shape: tuple[int, ...], target: tuple[int, ...], axis: int) -> bool:
    """Whether only the extents on one axis differ."""
    if len(shape) != len(target):
        return False
    return all(a == b for i, (a, b) in enumerate(zip(shape, target, strict=True)) if i != axis)


def program(seed: int) -> Program:
    """The program of a seed."""
    return Generator(seed).program()
