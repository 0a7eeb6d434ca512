"""LLVM text of vector statements: whole groups of sixteen lanes in a loop, then one masked group."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from openpto._records import dataclass, field
from openpto.ir.dtypes import bytes_of
from openpto.ops.arith import BOOL

from . import lanes
from .instructions import Code, element, literal, memory, splat, vector
from .loopir import LANES, Acc, Compute, Fetch, Fold, Index, Lane, Load, Ptr, Splat, Store, Vector

_IOTA = ", ".join(f"i64 {k}" for k in range(LANES))
LINE = 64
"""Bytes of a cache line."""
FIRST = f"<i1 true{', i1 false' * (LANES - 1)}>"
"""The mask of one lane. Memory is accessed by scalar code then: the code generator turns a masked store of truncated
lanes under this constant into a store of the lane before truncation."""


@dataclass(slots=True)
class Repeated:
    """A loop while it is written: the registers that it carries, and after it their values."""

    code: Code
    before: str
    carried: list[tuple[int, str, str]] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    again: str = ""
    after: list[str] = field(default_factory=list)

    def carry(self, kind: str, value: str) -> str:
        """A register that begins as ``value``; to be asked for before anything else is written."""
        register = self.code.put("")
        self.carried.append((len(self.code.lines) - 1, kind, value))
        return register

    def ends(self, new: list[str], again: str) -> None:
        """The values that the next round begins with, in the order of :meth:`carry`, and whether there is one."""
        self.new, self.again = new, again


class Place(NamedTuple):
    """Address (or splat register) and stride of an access, and whether it goes around the caches."""

    address: str
    stride: str
    around: str = ""


class VectorCode:
    """The part of the emitter that writes vector statements; integers, addresses and labels come from the rest."""

    code: Code
    features: frozenset[str]
    current: str
    """The block that is being written."""
    inside: bool
    """Whether a function of element loops is being written."""

    def index(self, node: Index) -> str:
        """Emit an integer expression."""
        raise NotImplementedError

    def address(self, at: Ptr) -> str:
        """Emit an address."""
        raise NotImplementedError

    def label(self, hint: str) -> str:
        """A fresh block name."""
        raise NotImplementedError

    def start(self, label: str) -> None:
        """Begin a block."""
        raise NotImplementedError

    def vector(self, stmt: Vector) -> None:
        """Whole groups of sixteen in a loop, then one masked group if the count leaves a rest."""
        count = self.index(stmt.count)
        places = self.places(stmt)
        accs = {a.name: splat(element(a.init.dtype), literal(a.init)) for a in stmt.accs}
        known = stmt.count if isinstance(stmt.count, int) else None
        if known is None or known >= LANES:
            accs = self.groups(stmt, count, places, accs, known)
        if known is None and stmt.unit < LANES:
            rest = self.code.put(f"and i64 {count}, {LANES - 1}")
            some = self.code.put(f"icmp ne i64 {rest}, 0")
            with self.optional(some, stmt.accs, accs) as update:
                base = self.code.put(f"sub i64 {count}, {rest}")
                update(self.body(stmt, base, places, accs, self.mask(rest)))
        elif known is not None and known % LANES:
            mask = FIRST if known % LANES == 1 else self.mask(str(known % LANES))
            accs = self.body(stmt, str(known - known % LANES), places, accs, mask)
        for acc in stmt.accs:
            self.join(acc, accs[acc.name])

    def places(self, stmt: Vector) -> dict[int, Place]:
        """Where every access goes, computed once before the loop."""
        found: dict[int, Place] = {}
        for k, part in enumerate(stmt.body):
            if isinstance(part, Load) and part.stride == 0:
                found[k] = Place(self.spread_element(part.at, stmt.count), "0")
            elif isinstance(part, (Load, Store)):
                found[k] = Place(self.address(part.at), self.index(part.stride))
                if isinstance(part, Store) and part.stream != 0:
                    found[k] = found[k]._replace(around=self.may_stream(part, found[k].address))
            elif isinstance(part, Fetch):
                found[k] = Place(self.address(part.at), "1")
            elif isinstance(part, Splat):
                value = self.index(part.value)
                kind = element(part.dtype)
                if kind != "i64":
                    value = self.code.put(f"trunc i64 {value} to {kind}")
                found[k] = Place(self.spread(kind, value), "0")
        return found

    def may_stream(self, part: Store, address: str) -> str:
        """Whether whole groups go around the caches."""
        low = self.code.put(f"ptrtoint ptr {address} to i64")
        low = self.code.put(f"and i64 {low}, {LINE - 1}")
        aligned = self.code.put(f"icmp eq i64 {low}, 0")
        wanted = self.code.put(f"icmp ne i64 {self.index(part.stream)}, 0")
        return self.code.put(f"and i1 {aligned}, {wanted}")

    def spread_element(self, at: Ptr, count: Index) -> str:
        """One element in every lane. An empty loop must not touch memory."""
        kind = memory(at.dtype)
        address = self.address(at)
        if not isinstance(count, int):
            empty = self.code.put(f"icmp sle i64 {self.index(count)}, 0")
            address = self.code.put(f"select i1 {empty}, ptr @openpto_nothing, ptr {address}")
        value = self.code.put(f"load {kind}, ptr {address}")
        if at.dtype is BOOL:
            value = self.code.put(f"icmp ne i8 {value}, 0")
        return self.spread(element(at.dtype), value)

    def spread(self, kind: str, value: str) -> str:
        one = self.code.put(f"insertelement <{LANES} x {kind}> poison, {kind} {value}, i64 0")
        return self.code.put(
            f"shufflevector <{LANES} x {kind}> {one}, <{LANES} x {kind}> poison, <{LANES} x i32> zeroinitializer"
        )

    def mask(self, rest: str) -> str:
        wide = f"<{LANES} x i64>"
        return self.code.put(f"icmp ult {wide} <{_IOTA}>, {self.spread('i64', rest)}")

    def groups(
        self, stmt: Vector, count: str, places: dict[int, Place], accs: dict[str, str], known: int | None
    ) -> dict[str, str]:
        """The loop over whole groups."""
        code = self.code
        if known is not None:
            whole, first = str(known - known % LANES), None
        else:
            whole = count if stmt.unit >= LANES else code.put(f"and i64 {count}, {-LANES}")
            first = code.put(f"icmp sgt i64 {whole}, 0")
        with self.repeated(first) as loop:
            base = loop.carry("i64", "0")
            now = {a.name: loop.carry(vector(a.init.dtype), accs[a.name]) for a in stmt.accs}
            groups = max(1, stmt.unit // LANES) if "avx512f" in self.features else 1
            new = self.body(stmt, base, places, now, None, groups)
            following = self.further(base, LANES * groups)
            loop.ends([following, *new.values()], code.put(f"icmp slt i64 {following}, {whole}"))
        return dict(zip(accs, loop.after[1:], strict=True))

    def further(self, position: str, step: str | int) -> str:
        """The next value of a loop variable. The code generator cannot see through a freeze: without it, it looks for
        better addresses in every loop of a function that it compiles well, for a sixth of the time, and those of the
        inner loops stay what they are."""
        following = self.code.put(f"add i64 {position}, {step}")
        return self.code.put(f"freeze i64 {following}") if self.inside else following

    @contextmanager
    def repeated(self, first: str | None) -> Iterator[Repeated]:
        """A loop that is tested at its end, and before it by ``first`` unless it certainly runs. Its values after the
        end are merged where they are asked for."""
        code, before = self.code, self.current
        body, done = self.label("body"), self.label("done")
        code.do(f"br label %{body}" if first is None else f"br i1 {first}, label %{body}, label %{done}")
        self.start(body)
        loop = Repeated(code, before)
        yield loop
        code.do(f"br i1 {loop.again}, label %{body}, label %{done}")
        for (line, kind, value), new in zip(loop.carried, loop.new, strict=True):
            code.lines[line] += f"phi {kind} [ {value}, %{before} ], [ {new}, %{self.current} ]"
        last = self.current
        self.start(done)
        for (_, kind, value), new in zip(loop.carried, loop.new, strict=True):
            merged = new
            if first is not None and kind != "i64":
                merged = code.put(f"phi {kind} [ {value}, %{before} ], [ {new}, %{last} ]")
            loop.after.append(merged)

    @contextmanager
    def optional(
        self, cond: str, accs: tuple[Acc, ...], values: dict[str, str]
    ) -> Iterator[Callable[[dict[str, str]], None]]:
        """Code that runs only if ``cond``; ``values`` become the merged accumulators."""
        code, origin = self.code, self.current
        some, done = self.label("some"), self.label("done")
        code.do(f"br i1 {cond}, label %{some}, label %{done}")
        self.start(some)
        new: dict[str, str] = {}
        yield new.update
        last = self.current
        code.do(f"br label %{done}")
        self.start(done)
        for acc in accs:
            kind = vector(acc.init.dtype)
            values[acc.name] = code.put(f"phi {kind} [ {values[acc.name]}, %{origin} ], [ {new[acc.name]}, %{last} ]")

    def body(
        self,
        stmt: Vector,
        base: str,
        places: dict[int, Place],
        accs: dict[str, str],
        mask: str | None,
        groups: int = 1,
    ) -> dict[str, str]:
        """``groups`` groups of sixteen lanes from position ``base`` on; the mask is that of a single one."""
        bases = [base, *(self.code.put(f"add i64 {base}, {LANES * k}") for k in range(1, groups))]
        found: list[dict[str, str]] = [{} for _ in bases]
        totals = dict(accs)
        for k, part in enumerate(stmt.body):
            if isinstance(part, Compute):
                args = [[env[a] for a in part.args] for env in found]
                made = lanes.side_by_side(self.code, part.expr, args, self.features)
                for env, value in zip(found, made, strict=True):
                    env[part.name] = value
                continue
            if isinstance(part, Store):
                values = [env[part.name] for env in found]
                self.stores(part, values, bases, places[k], mask)
                continue
            for env, position in zip(found, bases, strict=True):
                if isinstance(part, Fetch):
                    self.fetch(part, position, places[k], mask)
                elif isinstance(part, Fold):
                    totals[part.acc] = self.fold(part, totals[part.acc], env[part.name], mask)
                else:
                    env[part.name] = self.lanes_of(part, position, places.get(k), mask)
        return totals

    def lanes_of(self, part: Load | Splat | Lane, base: str, place: Place | None, mask: str | None) -> str:
        """Lanes that do not come from other lanes."""
        if isinstance(part, Lane):
            return self.code.put(f"add <{LANES} x i64> {self.spread('i64', base)}, <{_IOTA}>")
        assert place is not None
        return self.load(part, base, place, mask) if isinstance(part, Load) and part.stride != 0 else place.address

    def fold(self, part: Fold, total: str, value: str, mask: str | None) -> str:
        """The accumulator with one group taken in."""
        new = lanes.compute(self.code, part.step, [total, value], self.features)
        if mask is None:
            return new
        kind = vector(part.step.dtype)
        return self.code.put(f"select <{LANES} x i1> {mask}, {kind} {new}, {kind} {total}")

    def load(self, part: Load, base: str, place: Place, mask: str | None) -> str:
        dtype = part.at.dtype
        kind, many = memory(dtype), f"<{LANES} x {memory(dtype)}>"
        code = self.code
        if mask == FIRST:
            one = code.put(f"load {kind}, ptr {self.lane_address(kind, base, place)}")
            value = code.put(f"insertelement {many} zeroinitializer, {kind} {one}, i64 0")
        elif part.stride == 1:
            address = code.put(f"getelementptr {kind}, ptr {place.address}, i64 {base}")
            if mask is None:
                value = code.put(f"load {many}, ptr {address}, align {bytes_of(dtype)}")
            else:
                value = self.masked_load(many, kind, address, mask, bytes_of(dtype))
        else:
            value = self.gather(many, kind, base, place, mask, bytes_of(dtype))
        return code.put(f"icmp ne {many} {value}, zeroinitializer") if dtype is BOOL else value

    def masked_load(self, many: str, kind: str, address: str, mask: str, align: int) -> str:
        name = f"llvm.masked.load.v{LANES}{_short(kind)}.p0"
        typed = (("ptr", address), ("i32", str(align)), (f"<{LANES} x i1>", mask), (many, "zeroinitializer"))
        return self.code.call(name, many, *typed)

    def gather(self, many: str, kind: str, base: str, place: Place, mask: str | None, align: int) -> str:
        addresses = self.addresses(kind, base, place)
        full = mask if mask is not None else splat("i1", "true")
        name = f"llvm.masked.gather.v{LANES}{_short(kind)}.v{LANES}p0"
        typed = (
            (f"<{LANES} x ptr>", addresses),
            ("i32", str(align)),
            (f"<{LANES} x i1>", full),
            (many, "zeroinitializer"),
        )
        return self.code.call(name, many, *typed)

    def lane_address(self, kind: str, base: str, place: Place) -> str:
        """Where the first lane of a group lies."""
        offset = base if place.stride == "1" else self.code.put(f"mul i64 {base}, {place.stride}")
        return self.code.put(f"getelementptr {kind}, ptr {place.address}, i64 {offset}")

    def addresses(self, kind: str, base: str, place: Place) -> str:
        wide = f"<{LANES} x i64>"
        position = self.code.put(f"add {wide} {self.spread('i64', base)}, <{_IOTA}>")
        offset = self.code.put(f"mul {wide} {position}, {self.spread('i64', place.stride)}")
        return self.code.put(f"getelementptr {kind}, ptr {place.address}, {wide} {offset}")

    def fetch(self, part: Fetch, base: str, place: Place, mask: str | None) -> None:
        """The hint for one whole group."""
        if mask is None:
            address = ("ptr", self.lane_address(memory(part.at.dtype), base, place))
            self.code.call_void("llvm.prefetch.p0", address, ("i32", "0"), ("i32", "3"), ("i32", "1"))

    def stores(self, part: Store, values: list[str], bases: list[str], place: Place, mask: str | None) -> None:
        """The groups of a store; whole ones go around the caches if that is wanted and the memory is aligned."""
        if part.stream == 0 or part.stride != 1 or mask is not None:
            for value, base in zip(values, bases, strict=True):
                self.store(part, value, base, place, mask)
            return
        code = self.code
        around, plain, done = (self.label(hint) for hint in ("around", "plain", "stored"))
        code.do(f"br i1 {place.around}, label %{around}, label %{plain}")
        for label, hint in ((around, ", !nontemporal !{i32 1}"), (plain, "")):
            self.start(label)
            for value, base in zip(values, bases, strict=True):
                self.store(part, value, base, place, mask, hint)
            code.do(f"br label %{done}")
        self.start(done)

    def store(self, part: Store, value: str, base: str, place: Place, mask: str | None, hint: str = "") -> None:
        dtype = part.at.dtype
        kind, many = memory(dtype), f"<{LANES} x {memory(dtype)}>"
        code, truth = self.code, f"<{LANES} x i1>"
        if dtype is BOOL:
            value = code.put(f"zext {truth} {value} to {many}")
        align = bytes_of(dtype)
        if mask == FIRST:
            one = code.put(f"extractelement {many} {value}, i64 0")
            code.do(f"store {kind} {one}, ptr {self.lane_address(kind, base, place)}")
            return
        if part.stride == 1:
            address = code.put(f"getelementptr {kind}, ptr {place.address}, i64 {base}")
            if mask is None:
                code.do(
                    f"store {many} {value}, ptr {address}, align {min(LINE, LANES * align) if hint else align}{hint}"
                )
                return
            name = f"llvm.masked.store.v{LANES}{_short(kind)}.p0"
            code.declare(name, "void", [many, "ptr", "i32", truth])
            code.do(f"call void @{name}({many} {value}, ptr {address}, i32 {align}, {truth} {mask})")
            return
        name = f"llvm.masked.scatter.v{LANES}{_short(kind)}.v{LANES}p0"
        code.declare(name, "void", [many, f"<{LANES} x ptr>", "i32", truth])
        where = self.addresses(kind, base, place)
        full = mask if mask is not None else splat("i1", "true")
        code.do(f"call void @{name}({many} {value}, <{LANES} x ptr> {where}, i32 {align}, {truth} {full})")

    def join(self, acc: Acc, value: str) -> None:
        """The halving tree 8, 4, 2, 1 over the lanes, then the store."""
        kind = vector(acc.init.dtype)
        for half in (8, 4, 2, 1):
            moved = ", ".join(f"i32 {(k + half) % LANES}" for k in range(LANES))
            upper = self.code.put(f"shufflevector {kind} {value}, {kind} poison, <{LANES} x i32> <{moved}>")
            value = lanes.compute(self.code, acc.join, [value, upper], self.features)
        if acc.finish is not None:
            value = lanes.compute(self.code, acc.finish, [value], self.features)
        dtype = acc.out.dtype
        one = self.code.put(f"extractelement {vector(dtype)} {value}, i64 0")
        if dtype is BOOL:
            one = self.code.put(f"zext i1 {one} to i8")
        self.code.do(f"store {memory(dtype)} {one}, ptr {self.address(acc.out)}")


def _short(kind: str) -> str:
    return {"float": "f32", "double": "f64"}.get(kind, kind)
