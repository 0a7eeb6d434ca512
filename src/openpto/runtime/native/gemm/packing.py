"""Packing: operands copied into the order in which the micro-kernels read them, converted on the way.

``pack(to, ldt, from, ldf, rows, columns)`` copies a part of a matrix whose elements lie next to each other along
columns. It reads *lines of words*: a word is one FP32 element, or ``factors`` INT8 elements that follow each other
along k. In the form ``rows`` line i becomes row i of the target, in the form ``turn`` column i. Words beyond the end
of a line are zeros; ``turn`` repeats the last line up to a whole number of vectors.

For INT8 the role matters: k runs along the lines of A in ``rows`` and of B in ``turn`` (a word is consecutive
elements), and across them in the other two (a word is elements of consecutive rows).
"""

from __future__ import annotations

from openpto._records import dataclass, field
from openpto.ir.dtypes import bytes_of
from openpto.runtime.native import lanes
from openpto.runtime.native.instructions import memory
from openpto.runtime.native.loopir import LANES

from .kinds import Kind, Step
from .plan import Plan
from .text import Text
from .turning import exchanged

PACK = (("ptr", "to"), ("i64", "ldt"), ("ptr", "from"), ("i64", "ldf"), ("i64", "rows"), ("i64", "columns"))


def pack_name(kind: Kind, role: str, form: str) -> str:
    """The routine that packs A or B (``role``) in a form; floating-point kinds need only one for both."""
    parts = ("gemm_pack", kind.name) if kind.step is Step.FMA else ("gemm_pack", kind.name, role)
    return "_".join((*parts, form))


def module(plan: Plan, kind: Kind, role: str, form: str, features: frozenset[str]) -> str:
    """One routine."""
    text = Text()
    with text.function(pack_name(kind, role, form), PACK, internal=False):
        packing = _Packing(text, plan, kind, role, form, features)
        if form == "rows":
            packing.rows()
        else:
            packing.turn()
        if kind.step.corrected and role == "b":
            packing.corrections()
    return text.module()


@dataclass(slots=True)
class _Packing:
    text: Text
    plan: Plan
    kind: Kind
    role: str
    form: str
    features: frozenset[str]
    to: str = "%to"
    lines: str = ""
    words: str = ""
    buffer: str = ""
    square: str = ""
    word: str = field(init=False)

    def __post_init__(self) -> None:
        text, factors = self.text, self.kind.step.factors
        self.word = self.kind.step.word
        self.lines, self.words = "%rows", "%columns"
        if factors > 1:
            rounded = text.add("%columns" if self.along else "%rows", factors - 1)
            count = text.put(f"lshr i64 {rounded}, {factors.bit_length() - 1}")
            self.lines, self.words = ("%rows", count) if self.along else (count, "%columns")
        if self.kind.step.corrected and self.role == "b":
            self.to = text.at("%to", "%ldt")
        if self.plan.lanes < LANES:
            self.buffer = text.put(f"alloca [{self.taken} x {self.element}], align 64")
        if self.form == "turn":
            self.square = text.put(f"alloca [{self.plan.lanes * LANES} x i32], align 64")

    @property
    def along(self) -> bool:
        """Whether the elements of a word follow each other in a line."""
        return self.kind.step.factors == 1 or (self.role == "a") == (self.form == "rows")

    @property
    def element(self) -> str:
        """LLVM type of an element in memory."""
        return memory(self.kind.source)

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return bytes_of(self.kind.source) if self.along else 4

    @property
    def taken(self) -> int:
        """Elements that one line gives to sixteen words."""
        return LANES * (self.kind.step.factors if self.along else 1)

    # -- forms -------------------------------------------------------------------------------------------------------

    def rows(self) -> None:
        """Every line becomes a row. Lines of exactly a panel have a loop of their own: they are short and many."""
        text, panel, factors = self.text, self.plan.width, self.kind.step.factors
        exact, other, done = (text.label(hint) for hint in ("exact", "other", "done"))
        text.branch(text.compare("eq", "%columns", panel * (factors if self.along else 1)), exact, other)
        text.start(exact)
        words = panel * bytes_of(self.kind.source) // 4
        with text.loop(self.lines) as i:
            following = text.at(self.sources(i, clamp=False)[0][0], words)
            text.prefetch(following, words, near=False)
            self.row(i, [(str(w), "") for w in range(0, panel, LANES)])
        text.jump(done)
        text.start(other)
        whole, ragged = self.groups()
        with text.loop(self.lines) as i:
            with text.loop(whole, LANES) as w:
                self.row(i, [(w, "")])
            with text.when(ragged):
                self.row(i, [(whole, self.left(whole))])
        text.jump(done)
        text.start(done)

    def groups(self) -> tuple[str, str]:
        """Words in groups of sixteen whose elements all are there, and whether more follow."""
        text, factors = self.text, self.kind.step.factors
        complete = self.words
        if self.along and factors > 1:
            complete = text.put(f"lshr i64 %columns, {factors.bit_length() - 1}")
        whole = text.put(f"and i64 {complete}, {-LANES}")
        return whole, text.compare("ne", self.words, whole)

    def row(self, i: str, parts: list[tuple[str, str]]) -> None:
        """Words of line ``i``: sixteen from each of some places on; how many elements are left there, if not enough."""
        sources = self.sources(i, clamp=False)
        target = self.text.at(self.to, self.text.mul(i, "%ldt"))
        loaded = [self.load(sources, w, self.limited(left)) for w, left in parts]
        for (w, _), x in zip(parts, loaded, strict=True):
            self.put(x, self.text.at(target, w))

    def turn(self) -> None:
        """Every line becomes a column: blocks of ``plan.lanes`` lines by a round of words are turned in registers."""
        text, plan = self.text, self.plan
        with text.loop(self.lines, plan.lanes) as i:
            target = text.at(self.to, i)
            if self.along:
                self.turn_lines(i, target)
            else:
                self.turn_words(i, target)

    @property
    def step(self) -> Step:
        """The step of the micro-kernel."""
        return self.kind.step

    @property
    def round(self) -> int:
        """Words of a line that are turned at a time, with those of ``plan.lanes`` lines: four vectors of sixteen."""
        return 4 * LANES // self.plan.lanes

    def turn_lines(self, i: str, target: str) -> None:
        """Turn ``plan.lanes`` lines from line ``i`` on, sixteen words at a time. Words that are not all there come from
        a copy with zeros behind them."""
        text = self.text
        base = text.at("%from", text.mul(i, "%ldf"), self.element)
        last = text.sub(text.sub(self.lines, i), 1)
        plain = text.compare("sge", last, self.plan.lanes - 1)
        with text.loop(self.words, LANES) as w:
            first = text.mul(w, self.step.factors)
            here = text.at(base, first, self.element)
            left = text.sub("%columns", first)
            near = text.put(f"and i1 {plain}, {text.compare('sge', left, self.taken)}")
            with text.when(text.put(f"xor i1 {near}, true")):
                self.copy(here, last, left)
            source = text.choose(near, "ptr", here, self.square)
            pitch = text.choose(near, "i64", "%ldf", str(self.taken))
            with text.loop(text.least(LANES, text.sub(self.words, w)), self.round) as part:
                row = text.at(target, text.mul(text.add(w, part), "%ldt"))
                self.block(text.at(source, text.mul(part, self.step.factors), self.element), pitch, row)

    def copy(self, source: str, last: str, left: str) -> None:
        """Sixteen words of each line into the square; lines after the ``last`` one are as that one."""
        text = self.text
        limited = self.limited(left)
        with text.loop(str(self.plan.lanes)) as k:
            line = text.at(source, text.mul(text.least(k, last), "%ldf"), self.element)
            words = self.elements(line, limited)
            to = text.at(self.square, text.mul(k, self.taken), self.element)
            text.do(f"store <{self.taken} x {self.element}> {words}, ptr {to}, align 4")

    def block(self, source: str, pitch: str, target: str) -> None:
        """Turn :attr:`round` words of ``plan.lanes`` lines, ``pitch`` elements apart. Vector e holds four words of
        lines e, e + 4 ..., so one exchange inside of 128 bits is enough."""
        text, count = self.text, self.plan.lanes
        factors, element = (self.step.factors, self.element) if self.along else (1, self.word)
        piece = f"<{4 * factors} x {element}>"
        near = [text.mul(pitch, e) if e else "0" for e in range(4)]
        far = [text.at(source, text.mul(pitch, q), element) if q else source for q in range(0, count, 4)]
        vectors = []
        for e in range(4):
            pieces = [
                text.put(f"load {piece}, ptr {text.at(line, 4 * factors * part, element)}, align {self.size}")
                for part in range(LANES // count)
                for line in (text.at(group, near[e], element) for group in far)
            ]
            joined = text.joined(element, 4 * factors, pieces)
            vectors.append(self.entering(joined) if self.along else joined)
        columns = exchanged(text, f"<{LANES} x {self.word}>", vectors)
        for part in range(LANES // count):
            for c, column in enumerate(columns):
                order = range(part * count, (part + 1) * count)
                if count < LANES:
                    column = text.shuffle(f"<{LANES} x {self.word}>", column, "poison", order)
                row = text.at(target, text.mul("%ldt", 4 * part + c))
                text.do(f"store <{count} x {self.word}> {column}, ptr {row}, align 4")

    def turn_words(self, i: str, target: str) -> None:
        """Turn ``plan.lanes`` lines from line ``i`` on, sixteen words at a time."""
        text = self.text
        whole, ragged = self.groups()
        if self.buffer:
            with text.loop(whole, LANES) as w:
                self.turn_group(i, w, "", target)
            with text.when(ragged):
                self.turn_group(i, whole, self.left(whole), target)
        else:  # masked loads cost nothing there: one piece of code does for all
            with text.loop(self.words, LANES) as w:
                self.turn_group(i, w, self.left(w), target)

    def turn_group(self, i: str, w: str, left: str, target: str) -> None:
        """Sixteen words of lines through memory: forming words of several rows is too much code to be repeated."""
        text = self.text
        left = self.limited(left)
        with text.loop(str(self.plan.lanes)) as k:
            words = self.load(self.sources(text.add(i, k), clamp=True), w, left)
            self.put(words, text.at(self.square, text.mul(k, LANES)))
        row = text.at(target, text.mul(w, "%ldt"))
        with text.loop(str(LANES), self.round) as part:
            self.block(text.at(self.square, part), str(LANES), text.at(row, text.mul(part, "%ldt")))

    def limited(self, left: str) -> str:
        """What tells how many elements are left: their number, or a mask where loads can be masked."""
        return self.text.first_lanes(self.taken, left) if left and not self.buffer else left

    def left(self, whole: str) -> str:
        """Elements from word ``whole`` to the end of a line."""
        factors = self.kind.step.factors if self.along else 1
        return self.text.sub("%columns", self.text.mul(whole, factors))

    def put(self, words: str, address: str) -> None:
        """Store sixteen words."""
        self.text.do(f"store <{LANES} x {self.word}> {words}, ptr {address}, align 4")

    def corrections(self) -> None:
        """The row before a panel of B: minus 128 times the sum of every column, since A is 128 too large."""
        text, count = self.text, self.plan.lanes
        kind = f"<{count} x i32>"
        offset = text.splat(count, "i32", str(0x80808080 - (1 << 32)))
        sums = f"%sums.{text.label('s')}"
        text.do(f"{sums} = alloca [{self.plan.width} x i32], align 64")
        for v in range(self.plan.vectors):
            place = text.at(sums, v * count)
            text.do(f"store {kind} zeroinitializer, ptr {place}, align 4")
            with text.loop(self.lines if not self.along else self.words) as q:
                row = text.at(self.to, text.add(text.mul(q, "%ldt"), v * count))
                words = text.put(f"load {kind}, ptr {row}, align 4")
                so_far = text.put(f"load {kind}, ptr {place}, align 4")
                more = self.kind.step.emit(text, count, so_far, offset, words, None)
                text.do(f"store {kind} {more}, ptr {place}, align 4")
            total = text.put(f"load {kind}, ptr {place}, align 4")
            minus = text.put(f"sub {kind} zeroinitializer, {total}")
            text.do(f"store {kind} {minus}, ptr {text.at('%to', v * count)}, align 4")

    # -- sixteen words -------------------------------------------------------------------------------------------------

    def sources(self, line: str, clamp: bool) -> list[tuple[str, str]]:
        """(address, mask) of the rows of the source that line ``line`` consists of: one, or ``factors`` of them. A row
        past the end is replaced by the last one (``clamp``) or by zeros, which its mask of bits then tells."""
        text = self.text
        if self.along:
            if clamp:
                line = text.least(line, text.sub(self.lines, 1))
            return [(text.at("%from", text.mul(line, "%ldf"), self.element), "")]
        found = []
        for k in range(self.kind.step.factors):
            row = text.add(text.mul(line, self.kind.step.factors), k)
            inside = text.compare("slt", row, "%rows")
            row = text.least(row, text.sub("%rows", 1))
            mask = ""
            if not clamp:
                bits = text.put(f"sext i1 {inside} to i8")
                mask = text.splat(LANES, "i8", bits)
            found.append((text.at("%from", text.mul(row, "%ldf"), self.element), mask))
        return found

    def load(self, sources: list[tuple[str, str]], w: str, left: str) -> str:
        """Sixteen words from word ``w`` of a line on; ``left`` (see :meth:`limited`) if they may reach past its end."""
        text, factors = self.text, self.kind.step.factors
        if self.along:
            offset = text.mul(w, factors)
            return self.entering(self.elements(text.at(sources[0][0], offset, self.element), left))
        rows = []
        for address, mask in sources:
            x = (
                self.elements(text.at(address, w), left)
                if self.element == "i32"
                else self.elements(text.at(address, w, self.element), left)
            )
            rows.append(text.put(f"and <{LANES} x i8> {x}, {mask}") if mask else x)
        return self.entering(self.joined(rows))

    def elements(self, address: str, left: str) -> str:
        """``taken`` elements, or those that are ``left`` and zeros."""
        text, count, kind = self.text, self.taken, self.element
        if not left:
            return text.put(f"load <{count} x {kind}>, ptr {address}, align {bytes_of(self.kind.source)}")
        if not self.buffer:
            return text.load_masked(count, kind, address, left)
        text.do(f"store <{count} x {kind}> zeroinitializer, ptr {self.buffer}, align 64")
        with text.loop(text.least(count, left)) as t:
            x = text.put(f"load {kind}, ptr {text.at(address, t, kind)}, align {bytes_of(self.kind.source)}")
            text.do(f"store {kind} {x}, ptr {text.at(self.buffer, t, kind)}")
        return text.put(f"load <{count} x {kind}>, ptr {self.buffer}, align 64")

    def joined(self, rows: list[str]) -> str:
        """Elements of two or four rows as words: element k of a word is from row k."""
        text = self.text
        bytes_ = f"<{LANES} x i8>"
        pairs = [
            text.shuffle(bytes_, rows[k], rows[k + 1], [x for j in range(LANES) for x in (j, LANES + j)])
            for k in range(0, len(rows), 2)
        ]
        if len(pairs) == 1:
            return pairs[0]
        order = [x for j in range(LANES) for x in (2 * j, 2 * j + 1, 2 * LANES + 2 * j, 2 * LANES + 2 * j + 1)]
        return text.shuffle(f"<{2 * LANES} x i8>", pairs[0], pairs[1], order)

    def entering(self, x: str) -> str:
        """Elements as words."""
        text, step = self.text, self.kind.step
        words = f"<{LANES} x i32>"
        if step is Step.FMA:
            if self.kind.entering is None:
                return x
            return lanes.compute(text, self.kind.entering, [x], self.features)
        if step is Step.WHOLE:
            return text.put(f"sext <{LANES} x i8> {x} to {words}")
        count = LANES * step.factors
        if step is Step.PAIRS:
            wide = text.put(f"sext <{count} x i8> {x} to <{count} x i16>")
            return text.put(f"bitcast <{count} x i16> {wide} to {words}")
        if self.role == "a":
            x = text.put(f"xor <{count} x i8> {x}, splat (i8 -128)")
        return text.put(f"bitcast <{count} x i8> {x} to {words}")
