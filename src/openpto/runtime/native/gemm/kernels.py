"""Micro-kernels: one block of C in registers, over all words of a panel of k.

``block(c, ldc, a, lda, b, ldb, rows, columns, k, more)``: C[rows, columns] of at most ``plan.heights[0]`` by
``plan.width`` elements; ``ld*`` are words from row to row, ``k`` counts words. With ``more`` the products are added to
C, else they start at zero. A block that is not exactly one of the sizes there is code for goes through a buffer, so
rows of A up to the next height and columns of B up to the next vector are read.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .kinds import Kind
from .plan import AHEAD, Plan
from .text import Text

BLOCK = ("ptr", "c"), ("i64", "ldc"), ("ptr", "a"), ("i64", "lda"), ("ptr", "b"), ("i64", "ldb")
GROUP = 4
"""Rows of A that share a pointer. The distances from it stay in registers, so that a row needs no pointer of its own:
twelve would not fit."""


def block_name(kind: Kind) -> str:
    """The routine's name."""
    return f"gemm_block_{kind.step.name.lower()}"


def module(plan: Plan, kind: Kind) -> str:
    """The routine and its kernels."""
    text = Text()
    for vectors in _widths(plan):
        for height in plan.heights:
            _Kernel(text, plan, kind, height, vectors).write()
    _edge(text, plan)
    _dispatch(text, plan, kind)
    return text.module()


def _widths(plan: Plan) -> tuple[int, ...]:
    return (1, plan.vectors) if plan.narrow else (plan.vectors,)


@dataclass(slots=True)
class _Kernel:
    """Writes ``block_<height>_<vectors>(c, ldc, a, b, ldb, k, more)``."""

    text: Text
    plan: Plan
    kind: Kind
    height: int
    vectors: int
    apart: list[str] = field(default_factory=list)
    ahead: str = ""

    @property
    def cells(self) -> list[tuple[int, int]]:
        return [(r, v) for r in range(self.height) for v in range(self.vectors)]

    @property
    def unroll(self) -> int:
        """Words in a round: two keep the multipliers busy, in blocks that are narrower than a panel one will do."""
        return 2 if self.vectors == self.plan.vectors else 1

    @property
    def vector(self) -> str:
        return f"<{self.plan.lanes} x {self.kind.step.sum}>"

    def write(self) -> None:
        """The function."""
        text = self.text
        params = (*BLOCK, ("i64", "k"), ("i1", "more"))
        with text.function(f"block_{self.height}_{self.vectors}", params):
            a = [text.at("%a", text.mul("%lda", r)) if r else "%a" for r in range(0, self.height, GROUP)]
            self.apart = [text.mul("%lda", r) if r else "0" for r in range(min(GROUP, self.height))]
            self.ahead = text.mul("%ldb", AHEAD)
            b = "%b"
            first = dict.fromkeys(self.cells, "zeroinitializer")
            if self.kind.step.corrected:
                row = [self.load_b(b, v, self.kind.step.sum) for v in range(self.vectors)]
                first = {(r, v): row[v] for r, v in self.cells}
                b = text.at(b, "%ldb")
            first = self.continued(first)
            if self.unroll == 1:
                sums = self.loop("%k", a, b, first)
            else:
                pairs = text.put("lshr i64 %k, 1")
                sums = self.loop(pairs, a, b, first)
                done = text.mul(pairs, 2)
                last = text.at(b, text.mul(done, "%ldb"))
                sums = self.rest(text.compare("slt", done, "%k"), [text.at(x, done) for x in a], last, sums)
            for cell in self.cells:
                text.do(f"store {self.vector} {sums[cell]}, ptr {self.place(cell)}, align 4")

    def place(self, cell: tuple[int, int]) -> str:
        """The address of a vector of C."""
        row = self.text.at("%c", self.text.mul("%ldc", cell[0]) if cell[0] else 0)
        return self.text.at(row, cell[1] * self.plan.lanes)

    def continued(self, first: dict[tuple[int, int], str]) -> dict[tuple[int, int], str]:
        """What the sums start from: C so far if there is more, each plus what they would start from alone."""
        text, before = self.text, self.text.here
        there, on = text.label("more"), text.label("on")
        text.branch("%more", there, on)
        text.start(there)
        held = {}
        for cell in self.cells:
            held[cell] = text.put(f"load {self.vector}, ptr {self.place(cell)}, align 4")
            if self.kind.step.corrected:
                held[cell] = text.put(f"add {self.vector} {held[cell]}, {first[cell]}")
        text.jump(on)
        text.start(on)
        return {
            cell: text.put(f"phi {self.vector} [ {first[cell]}, %{before} ], [ {held[cell]}, %{there} ]")
            for cell in self.cells
        }

    def loop(self, count: str, a: list[str], b: str, first: dict[tuple[int, int], str]) -> dict[tuple[int, int], str]:
        """``count`` rounds of ``unroll`` words each."""
        text, before = self.text, self.text.here
        body, done = text.label("steps"), text.label("done")
        text.branch(text.compare("sgt", count, 0), body, done)
        text.start(body)
        next_i, next_b, *next_a = (text.name() for _ in range(2 + len(a)))
        i = text.put(f"phi i64 [ 0, %{before} ], [ {next_i}, %{body} ]")
        row = text.put(f"phi ptr [ {b}, %{before} ], [ {next_b}, %{body} ]")
        at_a = [
            text.put(f"phi ptr [ {x}, %{before} ], [ {following}, %{body} ]")
            for x, following in zip(a, next_a, strict=True)
        ]
        results = {cell: text.name() for cell in self.cells}
        sums = {
            cell: text.put(f"phi {self.vector} [ {first[cell]}, %{before} ], [ {results[cell]}, %{body} ]")
            for cell in self.cells
        }
        # Without this the code generator gives every row a pointer of its own, and most of them end up in memory.
        hidden = [text.call("llvm.launder.invariant.group.p0", "ptr", ("ptr", x)) for x in at_a]
        for u in range(self.unroll):
            text.prefetch(text.at(row, self.ahead), self.vectors * self.plan.lanes)
            sums = self.step(hidden, u, row, sums, results if u == self.unroll - 1 else {})
            row = text.at(row, "%ldb")
        text.do(f"{next_i} = add i64 {i}, 1")
        text.do(f"{next_b} = getelementptr i8, ptr {row}, i64 0")
        for x, following in zip(hidden, next_a, strict=True):
            text.do(f"{following} = getelementptr i32, ptr {x}, i64 {self.unroll}")
        text.branch(text.compare("slt", next_i, count), body, done)
        text.start(done)
        return {
            cell: text.put(f"phi {self.vector} [ {first[cell]}, %{before} ], [ {results[cell]}, %{body} ]")
            for cell in self.cells
        }

    def rest(self, some: str, a: list[str], b: str, sums: dict[tuple[int, int], str]) -> dict[tuple[int, int], str]:
        """The last word if their number is odd."""
        text, before = self.text, self.text.here
        last, done = text.label("last"), text.label("store")
        text.branch(some, last, done)
        text.start(last)
        made = self.step(a, 0, b, sums, {})
        text.jump(done)
        text.start(done)
        return {
            cell: text.put(f"phi {self.vector} [ {sums[cell]}, %{before} ], [ {made[cell]}, %{last} ]")
            for cell in self.cells
        }

    def load_b(self, row: str, v: int, kind: str) -> str:
        """A vector of B."""
        return self.text.put(
            f"load <{self.plan.lanes} x {kind}>, ptr {self.text.at(row, v * self.plan.lanes)}, align 4"
        )

    def step(
        self,
        a: list[str],
        ahead: int,
        row: str,
        sums: dict[tuple[int, int], str],
        results: dict[tuple[int, int], str],
    ) -> dict[tuple[int, int], str]:
        """One word of k: its row of B times a column of A. ``results`` names registers that were promised."""
        text, step, lanes = self.text, self.kind.step, self.plan.lanes
        b = [step.operand(text, lanes, self.load_b(row, v, step.word)) for v in range(self.vectors)]
        made = {}
        for r in range(self.height):
            line = text.at(a[r // GROUP], self.apart[r % GROUP]) if r % GROUP else a[r // GROUP]
            word = text.put(f"load {step.word}, ptr {text.at(line, ahead)}, align 4")
            left = step.operand(text, lanes, text.splat(lanes, step.word, word))
            for v in range(self.vectors):
                made[r, v] = step.emit(text, lanes, sums[r, v], left, b[v], results.get((r, v)))
        return made


def _edge(text: Text, plan: Plan) -> None:
    """``edge(to, ldt, from, ldf, rows, columns)`` copies a part of a block."""
    params = (("ptr", "to"), ("i64", "ldt"), ("ptr", "from"), ("i64", "ldf"), ("i64", "rows"), ("i64", "columns"))
    with text.function("edge", params):
        masks = []
        for v in range(plan.vectors):
            left = text.sub("%columns", v * plan.lanes) if v else "%columns"
            masks.append(text.first_lanes(plan.lanes, left))
        with text.loop("%rows") as r:
            source = text.at("%from", text.mul(r, "%ldf"))
            target = text.at("%to", text.mul(r, "%ldt"))
            for v, mask in enumerate(masks):
                x = text.load_masked(plan.lanes, "i32", text.at(source, v * plan.lanes), mask)
                text.store_masked(plan.lanes, "i32", x, text.at(target, v * plan.lanes), mask)


def _dispatch(text: Text, plan: Plan, kind: Kind) -> None:
    params = (*BLOCK, ("i64", "rows"), ("i64", "columns"), ("i64", "k"), ("i1", "more"))
    tallest, width = plan.heights[0], plan.width
    with text.function(block_name(kind), params, internal=False):
        text.do(f"%buffer = alloca [{tallest * width} x i32], align 64")
        kernel, height, columns = _choice(text, plan)
        whole = text.put(f"and i1 {text.compare('eq', '%rows', height)}, {text.compare('eq', '%columns', columns)}")
        c = text.choose(whole, "ptr", "%c", "%buffer")
        ldc = text.choose(whole, "i64", "%ldc", str(width))
        part = text.put(f"xor i1 {whole}, true")
        extents = (("i64", "%rows"), ("i64", "%columns"))
        with text.when(text.put(f"and i1 {part}, %more")):
            buffer = (("ptr", "%buffer"), ("i64", str(width)))
            text.invoke("edge", *buffer, ("ptr", "%c"), ("i64", "%ldc"), *extents)
        operands = (("ptr", c), ("i64", ldc), ("ptr", "%a"), ("i64", "%lda"), ("ptr", "%b"), ("i64", "%ldb"))
        typed = ", ".join(f"{t} {value}" for t, value in (*operands, ("i64", "%k"), ("i1", "%more")))
        text.do(f"call void {kernel}({typed})")
        with text.when(part):
            home = (("ptr", "%c"), ("i64", "%ldc"))
            text.invoke("edge", *home, ("ptr", "%buffer"), ("i64", str(width)), *extents)


def _choice(text: Text, plan: Plan) -> tuple[str, str, str]:
    """The kernel for %rows and %columns, its rows and its columns."""
    full = plan.vectors
    kernel, height = f"@block_{plan.heights[0]}_{full}", str(plan.heights[0])
    thin = f"@block_{plan.heights[0]}_1" if plan.narrow else ""
    for h in plan.heights[1:]:
        fits = text.compare("sle", "%rows", h)
        kernel = text.choose(fits, "ptr", f"@block_{h}_{full}", kernel)
        height = text.choose(fits, "i64", str(h), height)
        if thin:
            thin = text.choose(fits, "ptr", f"@block_{h}_1", thin)
    if not thin:
        return kernel, height, str(plan.width)
    narrow = text.compare("sle", "%columns", plan.lanes)
    columns = text.choose(narrow, "i64", str(plan.lanes), str(plan.width))
    return text.choose(narrow, "ptr", thin, kernel), height, columns
