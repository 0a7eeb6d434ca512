"""Functions of LLVM text with structured control flow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from openpto.runtime.native.instructions import Code

from .plan import LINE


class Text(Code):
    """A module being written: functions one after the other, registers numbered through."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = 0
        self.here = "entry"

    def module(self) -> str:
        """All declarations and functions."""
        return "\n".join([*self.declared, *self.lines, ""])

    @contextmanager
    def function(
        self, name: str, params: Sequence[tuple[str, str]], internal: bool = True, brief: bool = False
    ) -> Iterator[None]:
        """A function without result; ``params`` are (type, name) and become ``%name``. What is ``brief`` runs once per
        block, so that the time to compile it counts for more than its own."""
        typed = ", ".join(f"{kind} %{param}" for kind, param in params)
        link = "internal " if internal else ""
        unique = " noinline optnone" if brief else " noinline" if internal else ""
        self.lines.append(f"define {link}void @{name}({typed}){unique} {{")
        self.start("entry")
        yield
        self.do("ret void")
        self.lines.append("}")

    def constant(self, name: str, kind: str, values: Sequence[int]) -> str:
        """An array of numbers; its address."""
        items = ", ".join(f"{kind} {value}" for value in values)
        self.declared[f"@{name} = internal constant [{len(values)} x {kind}] [{items}], align 64"] = None
        return f"@{name}"

    def label(self, hint: str) -> str:
        """A fresh block name."""
        self.blocks += 1
        return f"{hint}{self.blocks}"

    def start(self, label: str) -> None:
        """Begin a block."""
        self.here = label
        self.lines.append(f"{label}:")

    def jump(self, label: str) -> None:
        """End the block."""
        self.do(f"br label %{label}")

    def branch(self, cond: str, then: str, other: str) -> None:
        """End the block."""
        self.do(f"br i1 {cond}, label %{then}, label %{other}")

    @contextmanager
    def loop(self, stop: str, step: str | int = 1, first: str = "0") -> Iterator[str]:
        """``for i in range(first, stop, step)``; tested at the end, which is less code to compile. The code generator
        leaves the addresses of a loop alone whose variable goes through a freeze."""
        body, done, following = self.label("body"), self.label("done"), self.name()
        before = self.here
        self.branch(self.compare("slt", first, stop), body, done)
        self.start(body)
        lines = len(self.lines)
        self.lines.append("")
        i = self.name()
        yield i
        self.lines[lines] = f"  {i} = phi i64 [ {first}, %{before} ], [ {following}, %{self.here} ]"
        self.do(f"{following} = freeze i64 {self.put(f'add i64 {i}, {step}')}")
        self.branch(self.compare("slt", following, stop), body, done)
        self.start(done)

    @contextmanager
    def when(self, cond: str) -> Iterator[None]:
        """Code that runs only if ``cond``."""
        then, done = self.label("then"), self.label("done")
        self.branch(cond, then, done)
        self.start(then)
        yield
        self.jump(done)
        self.start(done)

    def invoke(self, function: str, *typed: tuple[str, str], declare: bool = False) -> None:
        """Call a function without result."""
        if declare:
            self.declare(function, "void", [kind for kind, _ in typed])
        self.do(f"call void @{function}({', '.join(f'{kind} {value}' for kind, value in typed)})")

    # -- 64-bit integers and addresses -----------------------------------------------------------------------------

    def add(self, a: str, b: str | int) -> str:
        """Sum."""
        return a if b == 0 else self.put(f"add i64 {a}, {b}")

    def sub(self, a: str, b: str | int) -> str:
        """Difference."""
        return self.put(f"sub i64 {a}, {b}")

    def mul(self, a: str, b: str | int) -> str:
        """Product."""
        return a if b == 1 else self.put(f"mul i64 {a}, {b}")

    def least(self, a: str | int, b: str) -> str:
        """The smaller one, signed."""
        return self.call("llvm.smin.i64", "i64", ("i64", str(a)), ("i64", b))

    def compare(self, how: str, a: str, b: str | int) -> str:
        """A bit."""
        return self.put(f"icmp {how} i64 {a}, {b}")

    def choose(self, cond: str, kind: str, then: str, other: str) -> str:
        """One of two values."""
        return self.put(f"select i1 {cond}, {kind} {then}, {kind} {other}")

    def at(self, base: str, offset: str | int, kind: str = "i32") -> str:
        """The address ``offset`` elements further."""
        return base if offset == 0 else self.put(f"getelementptr {kind}, ptr {base}, i64 {offset}")

    def prefetch(self, address: str, words: int, near: bool = True) -> None:
        """Ask for the cache lines of ``words`` words; nothing happens where there is no memory."""
        for word in range(0, words, LINE):
            # to be read, into the nearest cache or the next one, data
            hints = (("i32", "0"), ("i32", "3" if near else "2"), ("i32", "1"))
            self.invoke("llvm.prefetch.p0", ("ptr", self.at(address, word)), *hints, declare=True)

    # -- vectors -----------------------------------------------------------------------------------------------------

    def splat(self, count: int, kind: str, value: str) -> str:
        """A scalar in every lane."""
        vector = f"<{count} x {kind}>"
        one = self.put(f"insertelement {vector} poison, {kind} {value}, i64 0")
        return self.put(f"shufflevector {vector} {one}, {vector} poison, <{count} x i32> zeroinitializer")

    def shuffle(self, vector: str, a: str, b: str, lanes: Sequence[int]) -> str:
        """Lanes of two vectors of one type, numbered through."""
        order = ", ".join(f"i32 {k}" for k in lanes)
        return self.put(f"shufflevector {vector} {a}, {vector} {b}, <{len(lanes)} x i32> <{order}>")

    def joined(self, kind: str, count: int, parts: Sequence[str]) -> str:
        """Vectors of ``count`` elements, a power of two of them, one after the other."""
        while len(parts) > 1:
            pairs = zip(parts[::2], parts[1::2], strict=True)
            parts = [self.shuffle(f"<{count} x {kind}>", a, b, range(2 * count)) for a, b in pairs]
            count *= 2
        return parts[0]

    def first_lanes(self, count: int, limit: str) -> str:
        """A mask of the lanes below ``limit``."""
        lanes = ", ".join(f"i64 {k}" for k in range(count))
        wide = self.splat(count, "i64", limit)
        return self.put(f"icmp slt <{count} x i64> <{lanes}>, {wide}")

    def load_masked(self, count: int, kind: str, address: str, mask: str) -> str:
        """The lanes of the mask, zeros elsewhere."""
        vector = f"<{count} x {kind}>"
        return self.call(
            f"llvm.masked.load.v{count}{_suffix(kind)}.p0",
            vector,
            ("ptr", address),
            ("i32", "1"),
            (f"<{count} x i1>", mask),
            (vector, "zeroinitializer"),
        )

    def store_masked(self, count: int, kind: str, value: str, address: str, mask: str) -> None:
        """Write the lanes of the mask."""
        vector, bits = f"<{count} x {kind}>", f"<{count} x i1>"
        name = f"llvm.masked.store.v{count}{_suffix(kind)}.p0"
        self.invoke(name, (vector, value), ("ptr", address), ("i32", "1"), (bits, mask), declare=True)


def _suffix(kind: str) -> str:
    return "f32" if kind == "float" else kind
