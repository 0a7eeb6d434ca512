"""Loop IR to LLVM text.

The generated function is ``i64 kernel(ptr params, ptr sizes, ptr arena, ptr record)``: arrays of the tensors' addresses
and of the run-time extents, the scratch arena, and the fault record (site, then further integers). It returns 0, or
1 after a fault. Vector statements are written out for sixteen lanes, so no optimisation pass is needed and none can
change a bit. The floating-point environment is set to the contract's on entry and restored on exit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from openpto.ops.arith import BOOL

from . import gemm
from .caches import streams
from .dominance import registers
from .grouping import Body, groups, redirected
from .instructions import Code, memory
from .jit import RUNTIME
from .loopir import (
    RECORD,
    Bin,
    Call,
    Check,
    Comment,
    For,
    If,
    Index,
    Note,
    Out,
    Peek,
    Pick,
    Point,
    Poke,
    Program,
    Ptr,
    Region,
    Reserve,
    Set,
    Slot,
    Stmt,
    Vector,
)
from .outline import Nest, is_nest, nest_of
from .vectors import VectorCode

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
POLL_CYCLES = 20_000_000
"""Of x86: some milliseconds."""
POLL_TICKS = 1_000_000
"""Of the generic timer of aarch64, which counts at 24 MHz to 1 GHz: 42 ms to 1 ms."""


class Emitter(VectorCode):
    """Writes one program."""

    def __init__(self, program: Program, features: frozenset[str], is_x86: bool = True) -> None:
        self.program = program
        self.features = features
        self.is_x86 = is_x86
        self.code = Code()
        self.slots: dict[str, None] = {}
        self.pointers: dict[str, None] = {}
        self.block = 0
        self.current = "entry"
        self.loop_values: dict[str, str] = {}
        self.fixed, self.fixed_pointers = registers(program)
        self.held: dict[str, str] = {}
        self.addresses_of: dict[str, str] = {}
        self.nests: dict[Stmt, Body] = {}
        self.prefix = ""
        self.texts: list[str] = []
        self.inside = False
        self.thin = True
        self.reserves = False
        self.streams = streams(program.body)
        self.regions = 0

    def module(self) -> str:
        """The whole module; the routines that the program calls are linked to it (see ``jit.compile_text``)."""
        self.prologue()
        self.statements(self.program.body)
        self.leave("0")
        self.start("stopped")
        self.leave("1")
        routines, externs = _runtime()
        declares = [d for d in self.code.declared if d.split("@")[1].split("(")[0] not in routines]
        head = "define i64 @kernel(ptr noalias %params, ptr noalias %sizes, ptr noalias %arena.in, ptr noalias %record)"
        found = groups(self.nests.values())
        lines = [*self.texts, f"{head} {self.attributes()}{{", "entry:", *self.code.lines, "}", ""]
        functions = "\n".join([*(line for group in found for line in group.text()), *redirected(lines, found)])
        used = [text for name, text in routines.items() if f"{name}(" in functions]
        return "\n".join([*declares, *externs, *used, functions])

    def attributes(self) -> str:
        """Of the function: what runs once per tile at most is compiled fast, which counts for more than its speed."""
        return "noinline optnone " if self.thin else ""

    # -- frame ---------------------------------------------------------------------------------------------------

    def collect(self, body: tuple[Stmt, ...]) -> None:
        """Find every slot, so that it can be allocated in the entry block."""
        for stmt in body:
            if isinstance(stmt, Set):
                self.slots.setdefault(stmt.slot)
            elif isinstance(stmt, Note) and stmt.answer:
                self.slots.setdefault(stmt.answer)
            elif isinstance(stmt, (Point, Reserve)):
                self.pointers.setdefault(stmt.slot)
                self.reserves |= isinstance(stmt, Reserve)
            elif isinstance(stmt, For):
                self.collect(stmt.body)
            elif isinstance(stmt, If):
                self.collect(stmt.then)
                self.collect(stmt.other)

    def prologue(self) -> None:
        """Everything before the first statement. Where there are regions, the host's address ends the record."""
        self.frame((*self.program.params, "arena", "flag"))
        contexts = list(_contexts(self.program.body))
        if contexts:
            self.code.do(f"%context = alloca [{max(contexts)} x i64], align 64")
            self.code.do(f"%asked = alloca [{RECORD} x i64]")
            self.code.do(f"%host.at = getelementptr i64, ptr %record, i64 {RECORD + 1 + len(self.program.params)}")
            self.code.do("%host = load ptr, ptr %host.at")
        self.arguments()
        self.environment()
        code = self.code
        code.do("%deadline = alloca i64")
        code.do(f"%deadline.first = add i64 {self.clock()}, {POLL_CYCLES if self.is_x86 else POLL_TICKS}")
        code.do("store i64 %deadline.first, ptr %deadline")

    def frame(self, pointers: tuple[str, ...]) -> None:
        """Memory for all slots."""
        code = self.code
        self.collect(self.program.body)
        for name in pointers:
            self.pointers.setdefault(name)
        for name in self.program.sizes:
            self.slots.setdefault(name)
        for name in self.slots:
            if name not in self.fixed:
                code.do(f"%s.{name} = alloca i64")
                code.do(f"store i64 0, ptr %s.{name}")
        for name in self.pointers:
            if name not in self.fixed_pointers:
                code.do(f"%p.{name} = alloca ptr")
        code.do("%reserved = alloca ptr")
        code.do("store ptr null, ptr %reserved")
        code.do("%flag = alloca i64")

    def arguments(self) -> None:
        """Addresses and sizes from the caller."""
        code = self.code
        self.keep_pointer("arena", "%arena.in")
        self.keep_pointer("flag", "%flag")
        for source, names, kind, keep in (
            ("%params", self.program.params, "ptr", self.keep_pointer),
            ("%sizes", self.program.sizes, "i64", self.keep),
        ):
            for k, name in enumerate(names):
                address = code.put(f"getelementptr {kind}, ptr {source}, i64 {k}")
                keep(name, code.put(f"load {kind}, ptr {address}"))

    def environment(self) -> None:
        """Round to nearest, no flushing, all exceptions masked."""
        code = self.code
        if self.is_x86:
            code.do("%mxcsr.old = alloca i32")
            code.do("%mxcsr.new = alloca i32")
            code.declare("llvm.x86.sse.stmxcsr", "void", ["ptr"])
            code.declare("llvm.x86.sse.ldmxcsr", "void", ["ptr"])
            code.do("call void @llvm.x86.sse.stmxcsr(ptr %mxcsr.old)")
            code.do("store i32 8064, ptr %mxcsr.new")
            code.do("call void @llvm.x86.sse.ldmxcsr(ptr %mxcsr.new)")
        else:
            code.declare("llvm.aarch64.get.fpcr", "i64", [])
            code.declare("llvm.aarch64.set.fpcr", "void", ["i64"])
            code.do("%fpcr.old = call i64 @llvm.aarch64.get.fpcr()")
            code.do("call void @llvm.aarch64.set.fpcr(i64 0)")

    def keep(self, name: str, value: str) -> None:
        """Give an integer slot its value."""
        if name in self.fixed:
            self.held[name] = value
        else:
            self.code.do(f"store i64 {value}, ptr %s.{name}")

    def keep_pointer(self, name: str, address: str) -> None:
        """Give a pointer slot its address."""
        if name in self.fixed_pointers:
            self.addresses_of[name] = address
        else:
            self.code.do(f"store ptr {address}, ptr %p.{name}")

    def leave(self, result: str) -> None:
        """Release scratch, restore the environment, return ``result`` (empty: nothing)."""
        code = self.code
        if self.reserves:
            code.call_void("openpto_release", ("ptr", "%reserved"), ("ptr", "null"))
        if self.streams and self.is_x86:  # before other threads are told that this one is done
            code.call_void("llvm.x86.sse.sfence")
        if self.is_x86:
            code.do("call void @llvm.x86.sse.ldmxcsr(ptr %mxcsr.old)")
        else:
            code.do("call void @llvm.aarch64.set.fpcr(i64 %fpcr.old)")
        code.do(f"ret i64 {result}" if result else "ret void")

    def label(self, hint: str) -> str:
        """A fresh block name."""
        self.block += 1
        return f"{self.prefix}{hint}{self.block}"

    def start(self, label: str) -> None:
        """Begin a block."""
        self.code.begin(label)
        self.current = label

    # -- integers and addresses ----------------------------------------------------------------------------------

    def index(self, node: Index) -> str:
        """Emit an integer expression."""
        if isinstance(node, int):
            return str(node)
        if isinstance(node, Slot):
            held = self.loop_values.get(node.name) or self.held.get(node.name)
            return held if held is not None else self.code.put(f"load i64, ptr %s.{node.name}")
        if isinstance(node, Peek):
            return self.peek(node.at)
        if isinstance(node, Pick):
            cond = self.truth(node.cond)
            then, other = self.index(node.then), self.index(node.other)
            return self.code.once(f"select i1 {cond}, i64 {then}, i64 {other}")
        if node.op in _COMPARE or node.op in _OVER:
            return self.code.once(f"zext i1 {self.truth(node)} to i64")
        a, b = self.index(node.left), self.index(node.right)
        if node.op in ("min", "max"):
            return self.code.call(f"llvm.s{node.op}.i64", "i64", ("i64", a), ("i64", b))
        return self.code.once(f"{_PLAIN[node.op]} i64 {a}, {b}")

    def truth(self, node: Index) -> str:
        """Emit a 64-bit truth value as a bit."""
        if isinstance(node, int):
            return "true" if node else "false"
        if isinstance(node, Bin) and node.op in _COMPARE:
            a, b = self.index(node.left), self.index(node.right)
            return self.code.once(f"icmp {_COMPARE[node.op]} i64 {a}, {b}")
        if isinstance(node, Bin) and node.op in _OVER:
            a, b = self.index(node.left), self.index(node.right)
            pair = self.code.call(f"llvm.{_OVER[node.op]}.with.overflow.i64", "{i64, i1}", ("i64", a), ("i64", b))
            return self.code.put(f"extractvalue {{i64, i1}} {pair}, 1")
        return self.code.once(f"icmp ne i64 {self.index(node)}, 0")

    def peek(self, at: Ptr) -> str:
        kind = memory(at.dtype)
        value = self.code.put(f"load {kind}, ptr {self.address(at)}")
        if kind == "i64":
            return value
        widen = "zext" if at.dtype is BOOL or at.dtype.short.startswith("UINT") else "sext"
        return self.code.put(f"{widen} {kind} {value} to i64")

    def address(self, at: Ptr) -> str:
        """Emit an address."""
        base = self.pointer(at.base)
        if at.offset == 0:
            return base
        return self.code.once(f"getelementptr {memory(at.dtype)}, ptr {base}, i64 {self.index(at.offset)}")

    def pointer(self, name: str) -> str:
        """Emit the address in a pointer slot."""
        return self.addresses_of.get(name) or self.code.put(f"load ptr, ptr %p.{name}")

    # -- statements ----------------------------------------------------------------------------------------------

    def statements(self, body: tuple[Stmt, ...]) -> None:
        """Emit statements in order."""
        for stmt in body:
            nest = nest_of(stmt) if not self.inside and is_nest(stmt) else None
            if nest is None:
                _EMIT[type(stmt)](self, stmt)
            else:
                self.nest(nest)

    def vector(self, stmt: Vector) -> None:
        """Element loops outside of a nest are to be fast where they are."""
        self.thin &= self.inside
        super().vector(stmt)

    def nest(self, nest: Nest) -> None:
        """Call the function of a nest of element loops, which ``grouping.py`` makes."""
        pointers = [f"ptr {self.address(at)}" for at in nest.pointers]
        integers = [f"i64 {self.index(n)}" for n in nest.integers]
        body = self.nests.get(nest.body)
        if body is None:
            body = self.nests[nest.body] = self.written(len(self.nests), nest)
        self.code.do(f"call void @{body.name}({', '.join(pointers + integers)})")

    def written(self, number: int, nest: Nest) -> Body:
        """The body of that function."""
        name = f"nest{number}"
        kept = self.code, self.loop_values, self.held, self.addresses_of, self.current
        self.code, self.loop_values = Code(declared=self.code.declared, prefix=f"x{number}."), {}
        self.current, self.prefix = name, f"{name}."
        self.held = {f"n{k}": f"%n{k}" for k in range(len(nest.integers))}
        self.addresses_of = {f"a{k}": f"%a{k}" for k in range(len(nest.pointers))}
        self.inside = True
        self.statements((nest.body,))
        self.inside = False
        lines = [f"{name}:", *self.code.lines, "  ret void"]
        self.code, self.loop_values, self.held, self.addresses_of, self.current = kept
        self.prefix = ""
        return Body(name, len(nest.pointers), len(nest.integers), lines)

    def set_(self, stmt: Set) -> None:
        self.keep(stmt.slot, self.index(stmt.value))

    def point(self, stmt: Point) -> None:
        self.keep_pointer(stmt.slot, self.address(stmt.to))

    def poke(self, stmt: Poke) -> None:
        kind, value = memory(stmt.at.dtype), self.index(stmt.value)
        if kind != "i64":
            value = self.code.put(f"trunc i64 {value} to {kind}")
        self.code.do(f"store {kind} {value}, ptr {self.address(stmt.at)}")

    def for_(self, stmt: For) -> None:
        self.thin &= self.inside or stmt.interruptible or all(isinstance(inner, (For, Call)) for inner in stmt.body)
        start, stop, step = self.index(stmt.start), self.index(stmt.stop), self.index(stmt.step)
        certain = (
            isinstance(stmt.start, int) and isinstance(stmt.stop, int) and stmt.start < stmt.stop and stmt.step == 1
        )
        first = None if certain else self.inside_range(start, stop, step, stmt.step)
        with self.repeated(first) as loop:
            var = loop.carry("i64", start)
            outer = self.loop_values.get(stmt.var)
            self.loop_values[stmt.var] = var
            if stmt.interruptible:
                self.poll()
            mark = self.code.put("load ptr, ptr %reserved") if stmt.releasing and _reserves(stmt.body) else None
            self.statements(stmt.body)
            if mark is not None:
                self.code.call_void("openpto_release", ("ptr", "%reserved"), ("ptr", mark))
            if outer is None:
                del self.loop_values[stmt.var]
            else:
                self.loop_values[stmt.var] = outer
            following = self.further(var, step)
            again = self.inside_range(following, stop, step, stmt.step)
            if _may_wrap(stmt):
                again = self.code.put(f"and i1 {again}, {self.inside_range(var, following, step, stmt.step)}")
            loop.ends([following], again)

    def inside_range(self, index: str, stop: str, step: str, written: Index) -> str:
        """Whether a loop runs for ``index``."""
        if isinstance(written, int):
            return self.code.put(f"icmp {'slt' if written > 0 else 'sgt'} i64 {index}, {stop}")
        up = self.code.put(f"icmp sgt i64 {step}, 0")
        less, more = self.code.put(f"icmp slt i64 {index}, {stop}"), self.code.put(f"icmp sgt i64 {index}, {stop}")
        return self.code.put(f"select i1 {up}, i1 {less}, i1 {more}")

    def clock(self) -> str:
        """The present count of a counter that user code may read: of aarch64 not the cycles, which may trap."""
        if self.is_x86:
            self.code.declare("llvm.readcyclecounter", "i64", [])
            return self.code.put("call i64 @llvm.readcyclecounter()")
        self.code.declare("llvm.read_volatile_register.i64", "i64", ["metadata"])
        return self.code.put('call i64 @llvm.read_volatile_register.i64(metadata !{!"CNTVCT_EL0"})')

    def poll(self) -> None:
        """Every few milliseconds ask the host whether the user wants to stop."""
        code = self.code
        now, limit = self.clock(), code.put("load i64, ptr %deadline")
        late = code.put(f"icmp ugt i64 {now}, {limit}")
        ask, stop, on = self.label("ask"), self.label("stop"), self.label("on")
        code.do(f"br i1 {late}, label %{ask}, label %{on}")
        self.start(ask)
        later = code.put(f"add i64 {now}, {POLL_CYCLES if self.is_x86 else POLL_TICKS}")
        code.do(f"store i64 {later}, ptr %deadline")
        answer = code.call("openpto_poll", "i64", ("ptr", "%record"))
        wanted = code.put(f"icmp ne i64 {answer}, 0")
        code.do(f"br i1 {wanted}, label %{stop}, label %{on}")
        self.start(stop)
        code.do("store i64 -1, ptr %record")
        code.do("br label %stopped")
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
        self.fill_record(site, values)
        self.code.do("br label %stopped")

    def fill_record(self, site: int, values: tuple[Index, ...]) -> None:
        """What a fault or a note tells."""
        for k, value in enumerate((site, *values)):
            text = self.index(value)
            address = self.code.put(f"getelementptr i64, ptr %record, i64 {k}")
            self.code.do(f"store i64 {text}, ptr {address}")

    def reserve(self, stmt: Reserve) -> None:
        code = self.code
        got = code.call("openpto_reserve", "ptr", ("ptr", "%reserved"), ("i64", self.index(stmt.size)))
        ok, bad, good = code.put(f"icmp ne ptr {got}, null"), self.label("bad"), self.label("good")
        code.do(f"br i1 {ok}, label %{good}, label %{bad}")
        self.start(bad)
        self.fault(stmt.site, ())
        self.start(good)
        self.keep_pointer(stmt.slot, got)

    def call(self, stmt: Call) -> None:
        args = [("ptr", self.address(a)) if isinstance(a, Ptr) else ("i64", self.index(a)) for a in stmt.args]
        callee = gemm.callee(stmt.routine, self.features, self.is_x86)
        args += callee.form
        typed = ", ".join(f"{t} {v}" for t, v in args)
        for pack in callee.packs:
            self.code.declare(pack, "void", [])
        self.code.declare(callee.name, "void", [t for t, _ in args])
        self.code.do(f"call void @{callee.name}({typed})")

    def note(self, stmt: Note) -> None:
        self.fill_record(stmt.site, stmt.values)
        for k, at in enumerate(stmt.memory, 1 + len(stmt.values)):
            address = self.code.put(f"getelementptr i64, ptr %record, i64 {k}")
            self.code.do(f"store ptr {self.address(at)}, ptr {address}")
        self.hand_over(stmt)
        if stmt.answer:
            address = self.code.put("getelementptr i64, ptr %record, i64 1")
            self.keep(stmt.answer, self.code.put(f"load i64, ptr {address}"))

    def hand_over(self, stmt: Note) -> None:
        """Give the note in the record to the host, which may stop the program."""
        code = self.code
        answer = code.call("openpto_note", "i64", ("ptr", "%record"))
        stop, stopped, on = code.put(f"icmp ne i64 {answer}, 0"), self.label("stop"), self.label("on")
        code.do(f"br i1 {stop}, label %{stopped}, label %{on}")
        self.start(stopped)
        code.do("store i64 -2, ptr %record")
        code.do("br label %stopped")
        self.start(on)

    def out(self, stmt: Out) -> None:
        address = self.code.put(f"getelementptr i64, ptr %record, i64 {RECORD + stmt.number}")
        self.code.do(f"store i64 {self.index(stmt.value)}, ptr {address}")

    def region(self, stmt: Region) -> None:
        from . import emit_region  # it extends this module

        if not self.regions:
            self.texts.insert(0, emit_region.RUNTIME)
        emit_region.emit_region(self, stmt)

    def share(self, parent: Emitter) -> None:
        """Let this emitter write another function of the parent's module."""
        self.texts, self.nests, self.code.declared = parent.texts, parent.nests, parent.code.declared

    def comment(self, stmt: Comment) -> None:
        self.code.lines.append(f"  ; {stmt.text}")


@cache
def _runtime() -> tuple[dict[str, str], tuple[str, ...]]:
    """The functions of the run-time text by name, and its other lines."""
    first, *functions = RUNTIME.split("define ")
    return {f.split("@")[1].split("(")[0]: f"define {f}" for f in functions}, tuple(first.splitlines())


def _may_wrap(loop: For) -> bool:
    """Whether the index after the last one may leave 64 bits: not if it is the bound, and not with small numbers."""
    if loop.step in (1, -1):
        return False
    return not (isinstance(loop.step, int) and isinstance(loop.stop, int) and abs(loop.stop) + abs(loop.step) < 2**63)


def _reserves(body: tuple[Stmt, ...]) -> bool:
    """Whether statements reserve memory, at any depth."""
    return any(
        isinstance(stmt, Reserve)
        or (isinstance(stmt, For) and _reserves(stmt.body))
        or (isinstance(stmt, If) and (_reserves(stmt.then) or _reserves(stmt.other)))
        for stmt in body
    )


_EMIT: dict[type, Callable[..., None]] = {
    Set: Emitter.set_,
    Point: Emitter.point,
    Poke: Emitter.poke,
    For: Emitter.for_,
    Region: Emitter.region,
    If: Emitter.if_,
    Check: Emitter.check,
    Vector: Emitter.vector,
    Call: Emitter.call,
    Reserve: Emitter.reserve,
    Note: Emitter.note,
    Out: Emitter.out,
    Comment: Emitter.comment,
}


def _contexts(body: tuple[Stmt, ...]) -> Iterator[int]:
    """Sizes of the contexts of all regions."""
    from .emit_region import context_size  # it extends this module

    for stmt in body:
        if isinstance(stmt, Region):
            yield context_size(stmt)
        elif isinstance(stmt, For):
            yield from _contexts(stmt.body)
        elif isinstance(stmt, If):
            yield from _contexts(stmt.then)
            yield from _contexts(stmt.other)
