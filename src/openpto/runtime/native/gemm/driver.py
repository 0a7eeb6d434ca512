"""The product of two matrices: panels of k, packed operands, blocks of C.

``gemm_<kind>(c, ldc, a, lda, b, ldb, m, n, k, work, pack_a, pack_b, a_turned, b_turned)``: C[m, n] = A[m, k] B[k, n];
C is FP32, or INT32 for INT8. An operand that is turned is stored the other way round. ``ld*`` are the elements from row
to row of the operand as it is stored; the elements of a row are neighbours. ``work`` has ``plan.workspace`` words.
``pack_*`` are the routines that pack an operand as it is stored: a kernel names them, so that only those of its own
forms are needed. C may be any block of a larger matrix: the routine keeps nothing, so several threads may compute
several blocks.
"""

from __future__ import annotations

from openpto._records import dataclass

from .kernels import block_name
from .kinds import Kind, Step
from .plan import ALIASED, Plan
from .text import Text

GEMM = (
    ("ptr", "c"),
    ("i64", "ldc"),
    ("ptr", "a"),
    ("i64", "lda"),
    ("ptr", "b"),
    ("i64", "ldb"),
    ("i64", "m"),
    ("i64", "n"),
    ("i64", "k"),
    ("ptr", "work"),
    ("ptr", "pack_a"),
    ("ptr", "pack_b"),
    ("i1", "a_turned"),
    ("i1", "b_turned"),
)
FEW = 256
"""Rows of A (columns of B) up to which packing the other operand costs more than reading its rows far apart."""


def gemm_name(kind: Kind) -> str:
    """The routine's name."""
    return f"gemm_{kind.name}"


def module(plan: Plan, kind: Kind, element: str) -> str:
    """The routine; ``element`` is the LLVM type of an element of A and B in memory."""
    text = Text()
    with text.function(gemm_name(kind), GEMM, internal=False, brief=True):
        with text.when(text.compare("sle", "%k", 0)):
            _clear(text)
        _Driver(text, plan, kind, element).write()
    return text.module()


def _clear(text: Text) -> None:
    """An empty sum is zero."""
    length = text.mul("%n", 4)
    with text.loop("%m") as i:
        row = text.at("%c", text.mul(i, "%ldc"))
        zeros = (("ptr", row), ("i8", "0"), ("i64", length), ("i1", "false"))
        text.invoke("llvm.memset.p0.i64", *zeros, declare=True)


class _Driver:
    def __init__(self, text: Text, plan: Plan, kind: Kind, element: str) -> None:
        self.text, self.plan, self.kind, self.element = text, plan, kind, element
        self.factors = kind.step.factors
        self.packed_a = text.at("%work", plan.panels)
        self.direct_a = self.direct("%a_turned", "%n", 2 * plan.width, "%lda")
        self.direct_b = self.direct("%b_turned", "%m", plan.heights[0], "%ldb", "%b")
        self.small = text.compare("sle", "%m", plan.few)
        self.height = str(plan.heights[0])
        if plan.thin:
            self.height = text.choose(text.compare("sle", "%n", plan.lanes), "i64", str(plan.thin[0]), self.height)

    def write(self) -> None:
        """Panels of k, in them columns of B, in them rows of A. If rows are few, all of them take one panel of columns
        after the other, which is packed where the one before was."""
        text, plan = self.text, self.plan
        with text.loop("%k", plan.depth * self.factors) as p:
            here = text.least(plan.depth * self.factors, text.sub("%k", p))
            words = here
            if self.factors > 1:
                words = text.put(f"sdiv i64 {text.add(here, self.factors - 1)}, {self.factors}")
            part = _Part(p, here, words, text.compare("sgt", p, 0))
            part.step = text.mul(text.add(words, 1) if self.kind.step.corrected else words, plan.width)
            most_columns = text.choose(self.small, "i64", str(plan.width), str(plan.columns))
            most_rows = text.choose(self.small, "i64", str(plan.few), str(plan.rows))
            with text.loop("%n", most_columns) as j:
                columns = text.least(most_columns, text.sub("%n", j))
                self.pack_b(part, j, columns)
                again = text.put(f"and i1 {self.small}, {text.compare('ne', j, 0)}")
                with text.loop("%m", most_rows) as i:
                    rows = text.least(most_rows, text.sub("%m", i))
                    with text.when(text.put(f"xor i1 {again}, true")):
                        self.pack_a(part, i, rows)
                    self.blocks(part, (i, j), (rows, columns))

    def direct(self, turned: str, others: str, once: int, ld: str, vectors: str = "") -> str:
        """Whether an operand is read where it lies: its rows are words, the other one has so few rows or columns that
        packing does not pay, its own rows do not fall into the same cache sets, and if its ``vectors`` are read, they
        lie in one cache line each. Empty: never."""
        if self.kind.step is not Step.FMA or self.kind.entering is not None:
            return ""
        text = self.text
        single = text.compare("sle", others, once)
        few = text.compare("sle", others, FEW)
        spread = text.compare("ne", text.put(f"and i64 {ld}, {ALIASED - 1}"), 0)
        if vectors:
            place = text.put(f"ptrtoint ptr {vectors} to i64")
            together = text.put(f"or i64 {place}, {text.mul(ld, 4)}")
            aligned = text.compare("eq", text.put(f"and i64 {together}, {4 * self.plan.lanes - 1}"), 0)
            spread = text.put(f"and i1 {spread}, {aligned}")
        pays = text.put(f"or i1 {single}, {text.put(f'and i1 {few}, {spread}')}")
        return text.choose(turned, "i1", "false", pays)

    def pack(self, role: str, target: tuple[str, int], first: tuple[str, str], extents: tuple[str, str]) -> None:
        """Pack the part of A or B that begins at row and column ``first`` of the product's operand."""
        text, turned, ld = self.text, f"%{role}_turned", f"%ld{role}"
        row, column = (text.choose(turned, "i64", first[1 - k], first[k]) for k in range(2))
        rows, columns = (text.choose(turned, "i64", extents[1 - k], extents[k]) for k in range(2))
        source = text.at(f"%{role}", text.add(text.mul(row, ld), column), self.element)
        integers = f"i64 {ld}, i64 {rows}, i64 {columns}"
        text.do(f"call void %pack_{role}(ptr {target[0]}, i64 {target[1]}, ptr {source}, {integers})")

    def pack_a(self, part: _Part, i: str, rows: str) -> None:
        """Rows of A; of those that are read where they lie only an incomplete block."""
        text, plan = self.text, self.plan
        first = "0"
        if self.direct_a:
            rest = text.put(f"srem i64 {rows}, {self.height}")
            complete = text.sub(rows, rest)
            for height in plan.heights[1:]:
                complete = text.choose(text.compare("eq", rest, height), "i64", rows, complete)
            first = text.choose(self.direct_a, "i64", complete, "0")
        with text.when(text.compare("slt", first, rows)):
            target = text.at(self.packed_a, text.mul(first, plan.stride) if self.direct_a else 0)
            at, extents = (text.add(i, first), part.first), (text.sub(rows, first), part.extent)
            self.pack("a", (target, plan.stride), at, extents)

    def pack_b(self, part: _Part, j: str, columns: str) -> None:
        """Panels of some columns; of those that are read where they lie only an incomplete one."""
        text, width = self.text, self.plan.width
        first = "0"
        if self.direct_b:
            first = text.choose(self.direct_b, "i64", text.put(f"and i64 {columns}, {-width}"), "0")
        with text.loop(columns, width, first) as c:
            wide = text.least(width, text.sub(columns, c))
            at, extents = (part.first, text.add(j, c)), (part.extent, wide)
            self.pack("b", (self.panel(part, c), width), at, extents)

    def panel(self, part: _Part, c: str) -> str:
        """The address of the packed panel of column ``c``."""
        number = self.text.put(f"sdiv i64 {c}, {self.plan.width}")
        return self.text.at("%work", self.text.mul(number, part.step))

    def blocks(self, part: _Part, at: tuple[str, str], extents: tuple[str, str]) -> None:
        """Every block of C in some rows and columns. If rows are few, those under each other come first: a panel of B
        stays in the nearest cache. Else those beside each other do: the rows of C that a block of A feeds are few pages
        of memory."""
        text, plan = self.text, self.plan
        at_once = text.choose(self.small, "i64", str(plan.few), self.height)
        with text.loop(extents[0], at_once) as top:
            here = text.least(at_once, text.sub(extents[0], top))
            rest = text.put(f"srem i64 {here}, {self.height}")
            whole = text.sub(here, rest)
            parts = (top, whole), (text.add(top, whole), rest)
            sides = [(row, rows, *self.left(part, row, at[0], rows)) for row, rows in parts]
            with text.loop(extents[1], plan.width) as c:
                columns = text.least(plan.width, text.sub(extents[1], c))
                column = text.add(at[1], c)
                b, ldb = self.right(part, c, column, columns)
                for row, rows, a, lda in sides:
                    c_at = text.at("%c", text.add(text.mul(text.add(at[0], row), "%ldc"), column))
                    with text.when(text.compare("sgt", rows, 0)):
                        text.invoke(
                            block_name(self.kind),
                            ("ptr", c_at),
                            ("i64", "%ldc"),
                            ("ptr", a),
                            ("i64", lda),
                            ("ptr", b),
                            ("i64", ldb),
                            ("i64", rows),
                            ("i64", columns),
                            ("i64", part.words),
                            ("i1", part.more),
                            declare=True,
                        )

    def left(self, part: _Part, r: str, first: str, rows: str) -> tuple[str, str]:
        """Where rows of A are for blocks, whole ones or one that is not, and how far apart."""
        text, plan = self.text, self.plan
        packed, stride = text.at(self.packed_a, text.mul(r, plan.stride)), str(plan.stride)
        if not self.direct_a:
            return packed, stride
        whole = text.compare("eq", text.put(f"srem i64 {rows}, {self.height}"), 0)
        for height in plan.heights[1:]:
            whole = text.put(f"or i1 {whole}, {text.compare('eq', rows, height)}")
        here = text.put(f"and i1 {self.direct_a}, {whole}")
        there = text.at("%a", text.add(text.mul(text.add(first, r), "%lda"), part.first))
        return text.choose(here, "ptr", there, packed), text.choose(here, "i64", "%lda", stride)

    def right(self, part: _Part, c: str, column: str, columns: str) -> tuple[str, str]:
        """Where columns of B are for a block, and how far apart its rows."""
        text, width = self.text, self.plan.width
        packed = self.panel(part, c)
        if not self.direct_b:
            return packed, str(width)
        here = text.put(f"and i1 {self.direct_b}, {text.compare('eq', columns, width)}")
        there = text.at("%b", text.add(text.mul(part.first, "%ldb"), column))
        return text.choose(here, "ptr", there, packed), text.choose(here, "i64", "%ldb", str(width))


@dataclass(slots=True)
class _Part:
    """A part of k: its first element, elements, words; whether C already holds sums; words from panel to panel of
    packed B."""

    first: str
    extent: str
    words: str
    more: str
    step: str = ""


__all__ = ["GEMM", "Step", "gemm_name", "module"]
