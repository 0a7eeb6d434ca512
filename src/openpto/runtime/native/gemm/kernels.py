"""Micro-kernels: blocks of C in registers, each over all words of a panel of k.

``block(c, ldc, a, lda, b, ldb, rows, columns, k, more)``: C[rows, columns] of at most ``plan.width`` columns, block
under block; ``ld*`` are words from row to row, ``k`` counts words. With ``more`` the products are added to C, else they
start at zero. A block that is not exactly one of the sizes there is code for goes through a buffer, so rows of A up to
the next height and columns of B up to the next vector are read.
"""

from __future__ import annotations

from openpto._records import dataclass, field

from .kinds import Kind
from .plan import AHEAD, LINE, Plan
from .text import Text

_OPERANDS = ("ptr", "a"), ("i64", "lda"), ("ptr", "b"), ("i64", "ldb")
BLOCK = ("ptr", "c"), ("i64", "ldc"), *_OPERANDS
KERNEL = ("ptr", "c"), ("i64", "ldc"), ("ptr", "from"), ("i64", "ldf"), *_OPERANDS
GROUP = 4
"""Rows of A that share a pointer. The distances from it stay in registers, so that a row needs no pointer of its own:
twelve would not fit."""


def block_name(kind: Kind) -> str:
    """The routine's name."""
    return f"gemm_block_{kind.step.name.lower()}"


def _own(kind: Kind, part: str) -> str:
    """The name of a function of the routine's own: those of several routines are in one library."""
    return f"{block_name(kind)}.{part}"


def module(plan: Plan, kind: Kind) -> str:
    """The routine and its kernels."""
    text = Text()
    for height in plan.heights:
        _Kernel(text, plan, kind, height, plan.vectors).write()
    for height in plan.thin:
        _Kernel(text, plan, kind, height, 1).write()
    _edge(text, plan, kind)
    _dispatch(text, plan, kind)
    return text.module()


@dataclass(slots=True)
class _Kernel:
    """Writes ``<height>x<vectors>(c, ldc, from, ldf, a, lda, b, ldb, k, count)``: ``count`` blocks under each other
    (only one if there are taller ones), whose sums start at what is ``from``."""

    text: Text
    plan: Plan
    kind: Kind
    height: int
    vectors: int
    apart: list[str] = field(default_factory=list)
    ahead: str = ""
    below: str = ""

    @property
    def cells(self) -> list[tuple[int, int]]:
        return [(r, v) for r in range(self.height) for v in range(self.vectors)]

    @property
    def unroll(self) -> int:
        """Words in a round: with two the largest block is a hundredth faster, for smaller ones one will do."""
        return 2 if self.height == self.plan.heights[0] else 1

    @property
    def vector(self) -> str:
        return f"<{self.plan.lanes} x {self.kind.step.sum}>"

    def write(self) -> None:
        """The function."""
        text = self.text
        with text.function(_own(self.kind, f"{self.height}x{self.vectors}"), (*KERNEL, ("i64", "k"), ("i64", "count"))):
            self.apart = [text.mul("%lda", r) if r else "0" for r in range(min(GROUP, self.height))]
            self.ahead = text.mul("%ldb", AHEAD)
            self.below = text.mul("%lda", self.height)
            if self.height == self.plan.tallest(self.vectors):
                with text.loop("%count") as number:
                    self.block(text.mul(number, self.height))
            else:  # the rest of the rows
                self.block("0")

    def block(self, first: str) -> None:
        """The block that begins at a row."""
        text = self.text
        places = (("%a", "%lda"), ("%from", "%ldf"), ("%c", "%ldc"))
        top, start, c = (text.at(at, text.mul(first, pitch)) if first != "0" else at for at, pitch in places)
        a, b = [text.at(top, text.mul("%lda", r)) if r else top for r in range(0, self.height, GROUP)], "%b"
        sums = {cell: self.load(self.place(start, "%ldf", cell), self.kind.step.sum) for cell in self.cells}
        if self.kind.step.corrected:
            row = [self.load(text.at(b, v * self.plan.lanes), self.kind.step.sum) for v in range(self.vectors)]
            sums = {(r, v): text.put(f"add {self.vector} {sums[r, v]}, {row[v]}") for r, v in self.cells}
            b = text.at(b, "%ldb")
        sums = self.loop(a, b, sums)
        for cell in self.cells:
            text.do(f"store {self.vector} {sums[cell]}, ptr {self.place(c, '%ldc', cell)}, align 4")

    def place(self, base: str, pitch: str, cell: tuple[int, int]) -> str:
        """The address of a vector of C."""
        row = self.text.at(base, self.text.mul(pitch, cell[0]) if cell[0] else 0)
        return self.text.at(row, cell[1] * self.plan.lanes)

    def loop(self, a: list[str], b: str, first: dict[tuple[int, int], str]) -> dict[tuple[int, int], str]:
        """Rounds of ``unroll`` words, of which there is at least one; the last round may end before its second."""
        text, before = self.text, self.text.here
        body, done = text.label("steps"), text.label("done")
        latch = text.label("second") if self.unroll == 2 else body
        text.jump(body)
        text.start(body)
        next_i, next_b, *next_a = (text.name() for _ in range(2 + len(a)))
        i = text.put(f"phi i64 [ %k, %{before} ], [ {next_i}, %{latch} ]")
        row = text.put(f"phi ptr [ {b}, %{before} ], [ {next_b}, %{latch} ]")
        at_a = [
            text.put(f"phi ptr [ {x}, %{before} ], [ {following}, %{latch} ]")
            for x, following in zip(a, next_a, strict=True)
        ]
        results = {cell: text.name() for cell in self.cells}
        sums = {
            cell: text.put(f"phi {self.vector} [ {first[cell]}, %{before} ], [ {results[cell]}, %{latch} ]")
            for cell in self.cells
        }
        # Without this the code generator gives every row a pointer of its own, and most of them end up in memory.
        hidden = [text.call("llvm.launder.invariant.group.p0", "ptr", ("ptr", x)) for x in at_a]
        half = {}
        if self.unroll == 2:
            self.fetch_below(hidden, i)
            half = sums = self.step(hidden, 0, row, sums, {})
            row = text.at(row, "%ldb")
            text.branch(text.compare("eq", i, 1), done, latch)
            text.start(latch)
        self.step(hidden, self.unroll - 1, row, sums, results)
        text.do(f"{next_i} = add i64 {i}, {-self.unroll}")
        text.do(f"{next_b} = getelementptr i32, ptr {row}, i64 %ldb")
        for x, following in zip(hidden, next_a, strict=True):
            text.do(f"{following} = getelementptr i32, ptr {x}, i64 {self.unroll}")
        text.branch(text.compare("ne", next_i, 0), body, done)
        text.start(done)
        if not half:
            return results
        return {
            cell: text.put(f"phi {self.vector} [ {half[cell]}, %{body} ], [ {results[cell]}, %{latch} ]")
            for cell in self.cells
        }

    def fetch_below(self, a: list[str], left: str) -> None:
        """Ask for rows of the next block of A: one or two in a round, all while a cache line is gone through."""
        text, rounds = self.text, LINE // 2
        turn = text.put(f"and i64 {text.put(f'lshr i64 {left}, 1')}, {rounds - 1}")
        for first in range(0, self.height, rounds):
            rows = min(rounds, self.height - first)
            row = turn if rows == rounds else text.put(f"and i64 {turn}, {(1 << (rows - 1).bit_length()) - 1}")
            top = text.at(a[first // GROUP], self.below)
            text.prefetch(text.at(top, text.mul(row, "%lda")), 1)

    def load(self, address: str, kind: str) -> str:
        """A vector."""
        return self.text.put(f"load <{self.plan.lanes} x {kind}>, ptr {address}, align 4")

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
        text.prefetch(text.at(row, self.ahead), self.vectors * lanes)
        b = [step.operand(text, lanes, self.load(text.at(row, v * lanes), step.word)) for v in range(self.vectors)]
        made = {}
        for r in range(self.height):
            line = text.at(a[r // GROUP], self.apart[r % GROUP]) if r % GROUP else a[r // GROUP]
            word = text.put(f"load {step.word}, ptr {text.at(line, ahead)}, align 4")
            left = step.operand(text, lanes, text.splat(lanes, step.word, word))
            for v in range(self.vectors):
                made[r, v] = step.emit(text, lanes, sums[r, v], left, b[v], results.get((r, v)))
        return made


def _edge(text: Text, plan: Plan, kind: Kind) -> None:
    """``edge(to, ldt, from, ldf, rows, columns)`` copies a part of a block."""
    params = (("ptr", "to"), ("i64", "ldt"), ("ptr", "from"), ("i64", "ldf"), ("i64", "rows"), ("i64", "columns"))
    with text.function(_own(kind, "edge"), params):
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
    with text.function(block_name(kind), params, internal=False, brief=True):
        text.do(f"%buffer = alloca [{plan.heights[0] * plan.width} x i32], align 64")
        zeros = text.constant("zeros", "i32", [0] * plan.width)
        narrow = text.compare("sle", "%columns", plan.lanes) if plan.thin else "false"
        tallest = str(plan.heights[0])
        if plan.thin:
            tallest = text.choose(narrow, "i64", str(plan.tallest(1)), tallest)
        width = text.choose(narrow, "i64", str(plan.lanes), str(plan.width))
        exact = text.compare("eq", "%columns", width)
        count = text.choose(exact, "i64", text.put(f"sdiv i64 %rows, {tallest}"), "0")
        _run(text, plan, kind, narrow, (tallest, count), ("%c", "%ldc", "%a"), zeros)
        with text.loop("%rows", tallest, text.mul(count, tallest)) as r:
            rows = text.least(tallest, text.sub("%rows", r))
            here = text.at("%c", text.mul(r, "%ldc"))
            height = _height(text, plan, rows, tallest)
            whole = text.put(f"and i1 {exact}, {text.compare('eq', rows, height)}")
            part = text.put(f"xor i1 {whole}, true")
            c, ldc = text.choose(whole, "ptr", here, "%buffer"), text.choose(whole, "i64", "%ldc", str(plan.width))
            buffer, home = (("ptr", "%buffer"), ("i64", str(plan.width))), (("ptr", here), ("i64", "%ldc"))
            extents = (("i64", rows), ("i64", "%columns"))
            with text.when(text.put(f"and i1 {part}, %more")):
                text.invoke(_own(kind, "edge"), *buffer, *home, *extents)
            _run(text, plan, kind, narrow, (height, "1"), (c, ldc, text.at("%a", text.mul(r, "%lda"))), zeros)
            with text.when(part):
                text.invoke(_own(kind, "edge"), *home, *buffer, *extents)


def _run(
    text: Text, plan: Plan, kind: Kind, narrow: str, blocks: tuple[str, str], at: tuple[str, str, str], zeros: str
) -> None:
    """Call the kernel for (rows, number) of blocks under each other at (C, its pitch, A); C holds sums if %more."""
    (height, count), (c, ldc, a) = blocks, at
    kernel = ""
    for h in plan.heights:
        names = [f"@{_own(kind, f'{h}x{v}')}" for v in (plan.vectors, 1)]
        own = text.choose(narrow, "ptr", names[1], names[0]) if h in plan.thin else names[0]
        kernel = text.choose(text.compare("eq", height, h), "ptr", own, kernel) if kernel else own
    start = (("ptr", text.choose("%more", "ptr", c, zeros)), ("i64", text.choose("%more", "i64", ldc, "0")))
    operands = (("ptr", a), ("i64", "%lda"), ("ptr", "%b"), ("i64", "%ldb"), ("i64", "%k"), ("i64", count))
    typed = ", ".join(f"{t} {value}" for t, value in (("ptr", c), ("i64", ldc), *start, *operands))
    text.do(f"call void {kernel}({typed})")


def _height(text: Text, plan: Plan, rows: str, tallest: str) -> str:
    """The rows of the lowest block that holds some rows, of which there are at most as many as in the tallest one."""
    height = tallest
    for h in plan.heights[1:]:
        height = text.choose(text.compare("sle", rows, h), "i64", str(h), height)
    return height
