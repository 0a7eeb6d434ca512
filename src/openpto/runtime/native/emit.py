"""Loop IR to LLVM text.

The generated function is ``i64 kernel(ptr params, ptr sizes, ptr arena, ptr record)``: arrays of the tensors' addresses
and of the run-time extents, the scratch arena, and the fault record (site, then further integers). It returns 0, or
1 after a fault. Vector statements are written out for sixteen lanes, so no optimisation pass is needed and none can
change a bit. The floating-point environment is set to the contract's on entry and restored on exit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from openpto.ir.dtypes import bytes_of
from openpto.ops.arith import BOOL

from . import lanes
from .jit import RUNTIME
from .lanes import Code, element, memory, splat, vector
from .loopir import (
    LANES,
    RECORD,
    Acc,
    Bin,
    Call,
    Check,
    Comment,
    Compute,
    Fold,
    For,
    If,
    Index,
    Lane,
    Load,
    Note,
    Out,
    Peek,
    Pick,
    Point,
    Poke,
    Program,
    Ptr,
    Reserve,
    Set,
    Slot,
    Splat,
    Stmt,
    Store,
    Vector,
)

_PLAIN = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "div": "sdiv",
    "mod": "srem",
    "and": "and",
    "or": "or",
    "xor": "xor",
}
_COMPARE = {"eq": "eq", "ne": "ne", "lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"}
_OVER = {"addover": "sadd", "subover": "ssub", "mulover": "smul"}
_IOTA = ", ".join(f"i64 {k}" for k in range(LANES))
POLL_CYCLES = 20_000_000


class Emitter:
    """Writes one program."""

    def __init__(self, program: Program, features: frozenset[str], is_x86: bool = True) -> None:
        self.program = program
        self.features = features
        self.is_x86 = is_x86
        self.code = Code()
        self.slots: dict[str, None] = {}
        self.pointers: dict[str, None] = {}
        self.block = 0
        self.loop_values: dict[str, str] = {}

    def module(self, routines: Mapping[str, str]) -> str:
        """The whole module; ``routines`` are definitions by name, of which the needed ones are included."""
        self.collect(self.program.body)
        for name in (*self.program.params, "arena", "flag"):
            self.pointers.setdefault(name)
        for name in self.program.sizes:
            self.slots.setdefault(name)
        self.prologue()
        self.statements(self.program.body)
        self.leave("0")
        body = "\n".join(self.code.lines)
        needed = "\n".join([RUNTIME, *(routines[name] for name in self.program.routines if name in routines)])
        defined = {line.split("@")[1].split("(")[0] for line in needed.splitlines() if line.startswith("define")}
        declares = [d for d in self.code.declared if d.split("@")[1].split("(")[0] not in defined]
        head = "define i64 @kernel(ptr noalias %params, ptr noalias %sizes, ptr noalias %arena.in, ptr noalias %record)"
        return "\n".join([*declares, needed, f"{head} {{", "entry:", body, "}", ""])

    # -- frame ---------------------------------------------------------------------------------------------------

    def collect(self, body: tuple[Stmt, ...]) -> None:
        """Find every slot, so that it can be allocated in the entry block."""
        for stmt in body:
            if isinstance(stmt, Set):
                self.slots.setdefault(stmt.slot)
            elif isinstance(stmt, (Point, Reserve)):
                self.pointers.setdefault(stmt.slot)
            elif isinstance(stmt, For):
                self.collect(stmt.body)
            elif isinstance(stmt, If):
                self.collect(stmt.then)
                self.collect(stmt.other)

    def prologue(self) -> None:
        code = self.code
        for name in self.slots:
            code.do(f"%s.{name} = alloca i64")
            code.do(f"store i64 0, ptr %s.{name}")
        for name in self.pointers:
            code.do(f"%p.{name} = alloca ptr")
        code.do("%reserved = alloca ptr")
        code.do("store ptr null, ptr %reserved")
        code.do("store ptr %arena.in, ptr %p.arena")
        code.do("%flag = alloca i64")
        code.do("store ptr %flag, ptr %p.flag")
        for source, names, kind, prefix in (
            ("%params", self.program.params, "ptr", "%p."),
            ("%sizes", self.program.sizes, "i64", "%s."),
        ):
            for k, name in enumerate(names):
                address = code.put(f"getelementptr {kind}, ptr {source}, i64 {k}")
                value = code.put(f"load {kind}, ptr {address}")
                code.do(f"store {kind} {value}, ptr {prefix}{name}")
        if self.is_x86:
            code.do("%mxcsr.old = alloca i32")
            code.do("%mxcsr.new = alloca i32")
            code.declare("llvm.x86.sse.stmxcsr", "void", ["ptr"])
            code.declare("llvm.x86.sse.ldmxcsr", "void", ["ptr"])
            code.do("call void @llvm.x86.sse.stmxcsr(ptr %mxcsr.old)")
            code.do("store i32 8064, ptr %mxcsr.new")  # round to nearest, no flushing, all exceptions masked
            code.do("call void @llvm.x86.sse.ldmxcsr(ptr %mxcsr.new)")
        else:
            code.declare("llvm.aarch64.get.fpcr", "i64", [])
            code.declare("llvm.aarch64.set.fpcr", "void", ["i64"])
            code.do("%fpcr.old = call i64 @llvm.aarch64.get.fpcr()")
            code.do("call void @llvm.aarch64.set.fpcr(i64 0)")
        code.do("%deadline = alloca i64")
        code.declare("llvm.readcyclecounter", "i64", [])
        now = code.put("call i64 @llvm.readcyclecounter()")
        code.do(f"%deadline.first = add i64 {now}, {POLL_CYCLES}")
        code.do("store i64 %deadline.first, ptr %deadline")

    def leave(self, result: str) -> None:
        """Release scratch, restore the environment, return."""
        code = self.code
        first = code.put("load ptr, ptr %reserved")
        code.declare("openpto_release", "void", ["ptr"])
        code.do(f"call void @openpto_release(ptr {first})")
        if self.is_x86:
            code.do("call void @llvm.x86.sse.ldmxcsr(ptr %mxcsr.old)")
        else:
            code.do("call void @llvm.aarch64.set.fpcr(i64 %fpcr.old)")
        code.do(f"ret i64 {result}")

    def label(self, hint: str) -> str:
        """A fresh block name."""
        self.block += 1
        return f"{hint}{self.block}"

    def start(self, label: str) -> None:
        """Begin a block."""
        self.code.lines.append(f"{label}:")

    # -- integers and addresses ----------------------------------------------------------------------------------

    def index(self, node: Index) -> str:
        """Emit an integer expression."""
        if isinstance(node, int):
            return str(node)
        if isinstance(node, Slot):
            held = self.loop_values.get(node.name)
            return held if held is not None else self.code.put(f"load i64, ptr %s.{node.name}")
        if isinstance(node, Peek):
            return self.peek(node.at)
        if isinstance(node, Pick):
            cond = self.truth(node.cond)
            then, other = self.index(node.then), self.index(node.other)
            return self.code.put(f"select i1 {cond}, i64 {then}, i64 {other}")
        if node.op in _COMPARE or node.op in _OVER:
            return self.code.put(f"zext i1 {self.truth(node)} to i64")
        a, b = self.index(node.left), self.index(node.right)
        if node.op in ("min", "max"):
            return self.code.call(f"llvm.s{node.op}.i64", "i64", ("i64", a), ("i64", b))
        return self.code.put(f"{_PLAIN[node.op]} i64 {a}, {b}")

    def truth(self, node: Index) -> str:
        """Emit a 64-bit truth value as a bit."""
        if isinstance(node, int):
            return "true" if node else "false"
        if isinstance(node, Bin) and node.op in _COMPARE:
            a, b = self.index(node.left), self.index(node.right)
            return self.code.put(f"icmp {_COMPARE[node.op]} i64 {a}, {b}")
        if isinstance(node, Bin) and node.op in _OVER:
            a, b = self.index(node.left), self.index(node.right)
            pair = self.code.call(f"llvm.{_OVER[node.op]}.with.overflow.i64", "{i64, i1}", ("i64", a), ("i64", b))
            return self.code.put(f"extractvalue {{i64, i1}} {pair}, 1")
        return self.code.put(f"icmp ne i64 {self.index(node)}, 0")

    def peek(self, at: Ptr) -> str:
        kind = memory(at.dtype)
        value = self.code.put(f"load {kind}, ptr {self.address(at)}")
        if kind == "i64":
            return value
        widen = "zext" if at.dtype is BOOL or at.dtype.short.startswith("UINT") else "sext"
        return self.code.put(f"{widen} {kind} {value} to i64")

    def address(self, at: Ptr) -> str:
        """Emit an address."""
        base = self.code.put(f"load ptr, ptr %p.{at.base}")
        if at.offset == 0:
            return base
        return self.code.put(f"getelementptr {memory(at.dtype)}, ptr {base}, i64 {self.index(at.offset)}")

    # -- statements ----------------------------------------------------------------------------------------------

    def statements(self, body: tuple[Stmt, ...]) -> None:
        """Emit statements in order."""
        for stmt in body:
            _EMIT[type(stmt)](self, stmt)

    def set_(self, stmt: Set) -> None:
        self.code.do(f"store i64 {self.index(stmt.value)}, ptr %s.{stmt.slot}")

    def point(self, stmt: Point) -> None:
        self.code.do(f"store ptr {self.address(stmt.to)}, ptr %p.{stmt.slot}")

    def poke(self, stmt: Poke) -> None:
        kind, value = memory(stmt.at.dtype), self.index(stmt.value)
        if kind != "i64":
            value = self.code.put(f"trunc i64 {value} to {kind}")
        self.code.do(f"store {kind} {value}, ptr {self.address(stmt.at)}")

    def for_(self, stmt: For) -> None:
        start, stop, step = self.index(stmt.start), self.index(stmt.stop), self.index(stmt.step)
        head, body, done = self.label("head"), self.label("body"), self.label("done")
        before = self.label("before")
        self.code.do(f"br label %{before}")
        self.start(before)
        self.code.do(f"br label %{head}")
        self.start(head)
        latch, following = self.label("latch"), self.code.name()
        var = self.code.put(f"phi i64 [ {start}, %{before} ], [ {following}, %{latch} ]")
        if isinstance(stmt.step, int):
            inside = self.code.put(f"icmp {'slt' if stmt.step > 0 else 'sgt'} i64 {var}, {stop}")
        else:
            up = self.code.put(f"icmp sgt i64 {step}, 0")
            less, more = self.code.put(f"icmp slt i64 {var}, {stop}"), self.code.put(f"icmp sgt i64 {var}, {stop}")
            inside = self.code.put(f"select i1 {up}, i1 {less}, i1 {more}")
        self.code.do(f"br i1 {inside}, label %{body}, label %{done}")
        self.start(body)
        outer = self.loop_values.get(stmt.var)
        self.loop_values[stmt.var] = var
        if stmt.interruptible:
            self.poll()
        self.statements(stmt.body)
        if outer is None:
            del self.loop_values[stmt.var]
        else:
            self.loop_values[stmt.var] = outer
        self.code.do(f"br label %{latch}")
        self.start(latch)
        self.code.do(f"{following} = add i64 {var}, {step}")
        self.code.do(f"br label %{head}")
        self.start(done)

    def poll(self) -> None:
        """Every few milliseconds ask the host whether the user wants to stop."""
        code = self.code
        now, limit = code.put("call i64 @llvm.readcyclecounter()"), code.put("load i64, ptr %deadline")
        late = code.put(f"icmp ugt i64 {now}, {limit}")
        ask, stop, on = self.label("ask"), self.label("stop"), self.label("on")
        code.do(f"br i1 {late}, label %{ask}, label %{on}")
        self.start(ask)
        later = code.put(f"add i64 {now}, {POLL_CYCLES}")
        code.do(f"store i64 {later}, ptr %deadline")
        answer = code.call("openpto_poll", "i64")
        wanted = code.put(f"icmp ne i64 {answer}, 0")
        code.do(f"br i1 {wanted}, label %{stop}, label %{on}")
        self.start(stop)
        code.do("store i64 -1, ptr %record")
        self.leave("1")
        self.start(on)

    def if_(self, stmt: If) -> None:
        cond = self.truth(stmt.cond)
        then, other, done = self.label("then"), self.label("else"), self.label("done")
        self.code.do(f"br i1 {cond}, label %{then}, label %{other if stmt.other else done}")
        self.start(then)
        self.statements(stmt.then)
        self.code.do(f"br label %{done}")
        if stmt.other:
            self.start(other)
            self.statements(stmt.other)
            self.code.do(f"br label %{done}")
        self.start(done)

    def check(self, stmt: Check) -> None:
        ok, bad, good = self.truth(stmt.ok), self.label("bad"), self.label("good")
        self.code.do(f'br i1 {ok}, label %{good}, label %{bad}, !prof !{{!"branch_weights", i32 1000000, i32 1}}')
        self.start(bad)
        self.fault(stmt.site, stmt.values)
        self.start(good)

    def fault(self, site: int, values: tuple[Index, ...]) -> None:
        """Fill the record and return."""
        for k, value in enumerate((site, *values)):
            text = self.index(value)
            address = self.code.put(f"getelementptr i64, ptr %record, i64 {k}")
            self.code.do(f"store i64 {text}, ptr {address}")
        self.leave("1")

    def reserve(self, stmt: Reserve) -> None:
        code = self.code
        got = code.call("openpto_reserve", "ptr", ("ptr", "%reserved"), ("i64", self.index(stmt.size)))
        ok, bad, good = code.put(f"icmp ne ptr {got}, null"), self.label("bad"), self.label("good")
        code.do(f"br i1 {ok}, label %{good}, label %{bad}")
        self.start(bad)
        self.fault(stmt.site, ())
        self.start(good)
        code.do(f"store ptr {got}, ptr %p.{stmt.slot}")

    def call(self, stmt: Call) -> None:
        args = [("ptr", self.address(a)) if isinstance(a, Ptr) else ("i64", self.index(a)) for a in stmt.args]
        typed = ", ".join(f"{t} {v}" for t, v in args)
        self.code.declare(stmt.routine, "void", [t for t, _ in args])
        self.code.do(f"call void @{stmt.routine}({typed})")

    def note(self, stmt: Note) -> None:
        code = self.code
        for k, value in enumerate((stmt.site, *stmt.values)):
            text = self.index(value)
            address = code.put(f"getelementptr i64, ptr %record, i64 {k}")
            code.do(f"store i64 {text}, ptr {address}")
        answer = code.call("openpto_note", "i64", ("ptr", "%record"))
        stop, stopped, on = code.put(f"icmp ne i64 {answer}, 0"), self.label("stop"), self.label("on")
        code.do(f"br i1 {stop}, label %{stopped}, label %{on}")
        self.start(stopped)
        code.do("store i64 -2, ptr %record")
        self.leave("1")
        self.start(on)

    def out(self, stmt: Out) -> None:
        address = self.code.put(f"getelementptr i64, ptr %record, i64 {RECORD + stmt.number}")
        self.code.do(f"store i64 {self.index(stmt.value)}, ptr {address}")

    def comment(self, stmt: Comment) -> None:
        self.code.lines.append(f"  ; {stmt.text}")

    # -- vector loops --------------------------------------------------------------------------------------------

    def vector(self, stmt: Vector) -> None:
        """Whole groups of sixteen in a loop, then one masked group if the count leaves a rest."""
        count = self.index(stmt.count)
        places = self.places(stmt)
        accs = {a.name: splat(element(a.init.dtype), lanes.literal(a.init)) for a in stmt.accs}
        known = stmt.count if isinstance(stmt.count, int) else None
        if known is None or known >= LANES:
            accs = self.groups(stmt, count, places, accs, known)
        if known is None:
            rest = self.code.put(f"and i64 {count}, {LANES - 1}")
            some = self.code.put(f"icmp ne i64 {rest}, 0")
            with self.optional(some, stmt.accs, accs) as update:
                base = self.code.put(f"sub i64 {count}, {rest}")
                update(self.body(stmt, base, places, accs, self.mask(rest)))
        elif known % LANES:
            accs = self.body(stmt, str(known - known % LANES), places, accs, self.mask(str(known % LANES)))
        for acc in stmt.accs:
            self.join(acc, accs[acc.name])

    def places(self, stmt: Vector) -> dict[int, tuple[str, str]]:
        """Address (or splat register) and stride of every access, computed once before the loop."""
        found: dict[int, tuple[str, str]] = {}
        for k, part in enumerate(stmt.body):
            if isinstance(part, Load) and part.stride == 0:
                found[k] = (self.spread_element(part.at, stmt.count), "0")
            elif isinstance(part, (Load, Store)):
                found[k] = (self.address(part.at), self.index(part.stride))
            elif isinstance(part, Splat):
                value = self.index(part.value)
                kind = element(part.dtype)
                if kind != "i64":
                    value = self.code.put(f"trunc i64 {value} to {kind}")
                found[k] = (self.spread(kind, value), "0")
        return found

    def spread_element(self, at: Ptr, count: Index) -> str:
        """One element in every lane. An empty loop must not touch memory."""
        kind = memory(at.dtype)
        address = self.address(at)
        if not isinstance(count, int):
            empty = self.code.put(f"icmp sle i64 {self.index(count)}, 0")
            address = self.code.put(f"select i1 {empty}, ptr %reserved, ptr {address}")
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
        self, stmt: Vector, count: str, places: dict[int, tuple[str, str]], accs: dict[str, str], known: int | None
    ) -> dict[str, str]:
        """The loop over whole groups."""
        code = self.code
        whole = str(known - known % LANES) if known is not None else code.put(f"and i64 {count}, {-LANES}")
        before, head, body, done = (self.label(h) for h in ("before", "head", "body", "done"))
        code.do(f"br label %{before}")
        self.start(before)
        code.do(f"br label %{head}")
        self.start(head)
        latch, following = self.label("latch"), code.name()
        base = code.put(f"phi i64 [ 0, %{before} ], [ {following}, %{latch} ]")
        phis, slots = {}, {}
        for acc in stmt.accs:
            slots[acc.name] = code.name()
            kind = vector(acc.init.dtype)
            phis[acc.name] = code.put(f"phi {kind} [ {accs[acc.name]}, %{before} ], [ {slots[acc.name]}, %{latch} ]")
        inside = code.put(f"icmp slt i64 {base}, {whole}")
        code.do(f"br i1 {inside}, label %{body}, label %{done}")
        self.start(body)
        new = self.body(stmt, base, places, phis, None)
        code.do(f"br label %{latch}")
        self.start(latch)
        for acc in stmt.accs:
            code.do(f"{slots[acc.name]} = {_copy(vector(acc.init.dtype), new[acc.name])}")
        code.do(f"{following} = add i64 {base}, {LANES}")
        code.do(f"br label %{head}")
        self.start(done)
        return phis

    @contextmanager
    def optional(
        self, cond: str, accs: tuple[Acc, ...], values: dict[str, str]
    ) -> Iterator[Callable[[dict[str, str]], None]]:
        """Code that runs only if ``cond``; ``values`` become the merged accumulators."""
        code = self.code
        origin, some, done = self.label("origin"), self.label("some"), self.label("done")
        code.do(f"br label %{origin}")
        self.start(origin)
        code.do(f"br i1 {cond}, label %{some}, label %{done}")
        self.start(some)
        new: dict[str, str] = {}
        yield new.update
        last = self.label("last")
        code.do(f"br label %{last}")
        self.start(last)
        code.do(f"br label %{done}")
        self.start(done)
        for acc in accs:
            kind = vector(acc.init.dtype)
            values[acc.name] = code.put(f"phi {kind} [ {values[acc.name]}, %{origin} ], [ {new[acc.name]}, %{last} ]")

    def body(
        self, stmt: Vector, base: str, places: dict[int, tuple[str, str]], accs: dict[str, str], mask: str | None
    ) -> dict[str, str]:
        """One group of sixteen lanes at position ``base``."""
        env: dict[str, str] = dict(accs)
        for k, part in enumerate(stmt.body):
            if isinstance(part, Load):
                env[part.name] = places[k][0] if part.stride == 0 else self.load(part, base, places[k], mask)
            elif isinstance(part, Splat):
                env[part.name] = places[k][0]
            elif isinstance(part, Lane):
                env[part.name] = self.code.put(f"add <{LANES} x i64> {self.spread('i64', base)}, <{_IOTA}>")
            elif isinstance(part, Compute):
                env[part.name] = lanes.compute(self.code, part.expr, [env[a] for a in part.args], self.features)
            elif isinstance(part, Store):
                self.store(part, env[part.name], base, places[k], mask)
            else:
                env[part.acc] = self.fold(part, env, mask)
        return {name: env[name] for name in accs}

    def fold(self, part: Fold, env: dict[str, str], mask: str | None) -> str:
        new = lanes.compute(self.code, part.step, [env[part.acc], env[part.name]], self.features)
        if mask is None:
            return new
        kind = vector(part.step.dtype)
        return self.code.put(f"select <{LANES} x i1> {mask}, {kind} {new}, {kind} {env[part.acc]}")

    def load(self, part: Load, base: str, place: tuple[str, str], mask: str | None) -> str:
        dtype = part.at.dtype
        kind, many = memory(dtype), f"<{LANES} x {memory(dtype)}>"
        code = self.code
        if part.stride == 1:
            address = code.put(f"getelementptr {kind}, ptr {place[0]}, i64 {base}")
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

    def gather(self, many: str, kind: str, base: str, place: tuple[str, str], mask: str | None, align: int) -> str:
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

    def addresses(self, kind: str, base: str, place: tuple[str, str]) -> str:
        wide = f"<{LANES} x i64>"
        position = self.code.put(f"add {wide} {self.spread('i64', base)}, <{_IOTA}>")
        offset = self.code.put(f"mul {wide} {position}, {self.spread('i64', place[1])}")
        return self.code.put(f"getelementptr {kind}, ptr {place[0]}, {wide} {offset}")

    def store(self, part: Store, value: str, base: str, place: tuple[str, str], mask: str | None) -> None:
        dtype = part.at.dtype
        kind, many = memory(dtype), f"<{LANES} x {memory(dtype)}>"
        code, truth = self.code, f"<{LANES} x i1>"
        if dtype is BOOL:
            value = code.put(f"zext {truth} {value} to {many}")
        align = bytes_of(dtype)
        if part.stride == 1:
            address = code.put(f"getelementptr {kind}, ptr {place[0]}, i64 {base}")
            if mask is None:
                code.do(f"store {many} {value}, ptr {address}, align {align}")
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


def _copy(kind: str, value: str) -> str:
    return f"select i1 true, {kind} {value}, {kind} poison"


def _short(kind: str) -> str:
    return {"float": "f32", "double": "f64"}.get(kind, kind)


_EMIT: dict[type, Callable[..., None]] = {
    Set: Emitter.set_,
    Point: Emitter.point,
    Poke: Emitter.poke,
    For: Emitter.for_,
    If: Emitter.if_,
    Check: Emitter.check,
    Vector: Emitter.vector,
    Call: Emitter.call,
    Reserve: Emitter.reserve,
    Note: Emitter.note,
    Out: Emitter.out,
    Comment: Emitter.comment,
}
