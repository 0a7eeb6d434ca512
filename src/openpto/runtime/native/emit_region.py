"""Regions to LLVM text: a function that runs one chunk, and the place in the kernel that has the chunks run.

The chunk function is ``void regionN(ptr context, i64 chunk, ptr arena, ptr deadline)``. The kernel fills the context,
an array of 64-bit integers::

    0 the lowest chunk that failed (-1: the user wants to stop), 2^63 - 1 so far      1 lock of 0 and the record
    2 fault record   3 host (``later.Host``)   4 whether notes wait   5 count   6 grain   then what chunks count,
    the integers and the addresses that the body takes

A chunk above the lowest failed one does nothing, or gives up at the next iteration of a loop; the lower ones finish,
because one of them may fail earlier in the program's order.
"""

from __future__ import annotations

from .emit import Emitter
from .loopir import RECORD, Bin, For, Note, Program, Region, Slot

_STOP, _RECORD, _HOST, _NOTED, _COUNT, _GRAIN, _FREE = 0, 2, 3, 4, 5, 6, 7
_HOST_POOL, _HOST_THREADS, _HOST_TOKEN, _HOST_PARALLEL, _HOST_LATER, _HOST_REPLAY = range(6)
NONE = 2**63 - 1
_CHUNKS = "ptr %function, ptr %context, i64 %chunks"
_REST = "i64 %scratch, ptr %arena, ptr %deadline, ptr %record"

RUNTIME = f"""
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal void @openpto_region_fault(ptr %context, i64 %order, ptr %found) noinline optnone {{
entry:
  %lock = getelementptr i64, ptr %context, i64 1
  br label %acquire
acquire:
  %pair = cmpxchg ptr %lock, i64 0, i64 1 seq_cst seq_cst
  %mine = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %mine, label %compare, label %acquire
compare:
  %former = load atomic i64, ptr %context seq_cst, align 8
  %first = icmp slt i64 %order, %former
  br i1 %first, label %replace, label %release
replace:
  store atomic i64 %order, ptr %context seq_cst, align 8
  %record.at = getelementptr i64, ptr %context, i64 {_RECORD}
  %record = load ptr, ptr %record.at
  call void @llvm.memcpy.p0.p0.i64(ptr %record, ptr %found, i64 {8 * RECORD}, i1 false)
  br label %release
release:
  store atomic i64 0, ptr %lock seq_cst, align 8
  ret void
}}

; all chunks: by the pool if the region is worth it, so that most processes need no pool, else by this thread in order
define internal i64 @openpto_chunks(ptr %host, {_CHUNKS}, i1 %worth, {_REST}) noinline optnone {{
entry:
  %threads.at = getelementptr i64, ptr %host, i64 {_HOST_THREADS}
  %threads = load i64, ptr %threads.at
  %hands = icmp sgt i64 %threads, 1
  %several = icmp sgt i64 %chunks, 1
  %both = and i1 %hands, %several
  %shared = and i1 %both, %worth
  br i1 %shared, label %together, label %alone
together:
  %pool.at = getelementptr i64, ptr %host, i64 {_HOST_POOL}
  %pool = load ptr, ptr %pool.at
  %parallel.at = getelementptr i64, ptr %host, i64 {_HOST_PARALLEL}
  %parallel = load ptr, ptr %parallel.at
  %stopped = call i64 %parallel(ptr %pool, {_CHUNKS}, i64 %threads, {_REST})
  ret i64 %stopped
alone:
  %any = icmp sgt i64 %chunks, 0
  br i1 %any, label %serial, label %out
serial:
  %chunk = phi i64 [ 0, %alone ], [ %chunk.next, %serial ]
  call void %function(ptr %context, i64 %chunk, ptr %arena, ptr %deadline)
  %chunk.next = add i64 %chunk, 1
  %on = icmp slt i64 %chunk.next, %chunks
  br i1 %on, label %serial, label %out
out:
  ret i64 0
}}
"""


class RegionEmitter(Emitter):
    """Writes the chunk function of a region. Its frame is a program's: what the body takes are its sizes and
    parameters."""

    def __init__(self, region: Region, parent: Emitter) -> None:
        first = Bin("mul", Slot("region.chunk"), Slot("region.grain"))
        # count - first cannot overflow, first + grain can
        length = Bin("min", Slot("region.grain"), Bin("sub", Slot("region.count"), first))
        loop = For(region.var, first, Bin("add", first, length), 1, region.body, interruptible=True, releasing=True)
        frame = (*region.slots, "region.chunk", "region.count", "region.grain")
        super().__init__(Program("", region.pointers, frame, 0, (loop,)), parent.features, parent.is_x86)
        self.region_counters = region.counters
        self.share(parent)

    def chunk_function(self, name: str) -> None:
        """Add the function to the module's texts."""
        self.frame(("local", "flag"))
        self.early_leave()
        self.arguments()
        self.environment()
        self.statements(self.program.body)
        self.count()
        self.leave("")
        self.start("stopped")
        # an interruption counts before every fault; it left -1 as its site
        site = self.code.put("load i64, ptr %record")
        interrupted = self.code.put(f"icmp eq i64 {site}, -1")
        order = self.code.put(f"select i1 {interrupted}, i64 -1, i64 %chunk")
        self.code.do(f"call void @openpto_region_fault(ptr %context, i64 {order}, ptr %record)")
        self.code.do("br label %given.up")
        self.start("given.up")
        self.leave("")
        head = f"define internal void @{name}(ptr %context, i64 %chunk, ptr %arena.in, ptr %deadline)"
        self.texts += [f"{head} {self.attributes() or 'noinline '}{{", "entry:", *self.code.lines, "}"]

    def early_leave(self) -> None:
        """A chunk after one that failed has nothing to do."""
        self.code.do(f"%record = alloca [{RECORD} x i64]")
        stop = self.code.put("load atomic i64, ptr %context seq_cst, align 8")
        late = self.code.put(f"icmp sgt i64 %chunk, {stop}")
        self.code.do(f"br i1 {late}, label %late, label %begin")
        self.start("late")
        self.code.do("ret void")
        self.start("begin")

    def arguments(self) -> None:
        """What the kernel left in the context."""
        self.keep_pointer("local", "%arena.in")
        self.keep_pointer("flag", "%flag")
        *slots, chunk, count, grain = self.program.sizes
        self.keep(chunk, "%chunk")
        self.keep(count, self.taken(_COUNT, "i64"))
        self.keep(grain, self.taken(_GRAIN, "i64"))
        first = _FREE + len(self.region_counters)
        for k, slot in enumerate(slots):
            self.keep(slot, self.taken(first + k, "i64"))
        for k, pointer in enumerate(self.program.params):
            self.keep_pointer(pointer, self.taken(first + len(slots) + k, "ptr"))

    def taken(self, place: int, kind: str) -> str:
        """An entry of the context."""
        address = self.code.put(f"getelementptr i64, ptr %context, i64 {place}")
        return self.code.put(f"load {kind}, ptr {address}")

    def count(self) -> None:
        """Add what the chunk counted."""
        for k, name in enumerate(self.region_counters):
            address = self.code.put(f"getelementptr i64, ptr %context, i64 {_FREE + k}")
            self.code.put(f"atomicrmw add ptr {address}, i64 {self.index(Slot(name))} monotonic")

    def poll(self) -> None:
        """Give up after a failure before this chunk; the caller's thread also asks the host now and then."""
        stop = self.code.put("load atomic i64, ptr %context monotonic, align 8")
        late, on = self.code.put(f"icmp sgt i64 %chunk, {stop}"), self.label("on")
        self.code.do(f"br i1 {late}, label %given.up, label %{on}")
        self.start(on)
        super().poll()

    def hand_over(self, stmt: Note) -> None:
        """A note waits until all chunks are done; nothing it says stops this one."""
        noted = self.code.put(f"getelementptr i64, ptr %context, i64 {_NOTED}")
        self.code.do(f"store atomic i64 1, ptr {noted} monotonic, align 8")
        host = self.taken(_HOST, "ptr")
        later = _entry(self, host, _HOST_LATER, "ptr")
        token = _entry(self, host, _HOST_TOKEN, "i64")
        self.code.put(f"call i64 {later}(ptr %record, i64 {token}, i64 %chunk, i64 {int(stmt.once)})")


def _entry(emitter: Emitter, host: str, number: int, kind: str) -> str:
    address = emitter.code.put(f"getelementptr i64, ptr {host}, i64 {number}")
    return emitter.code.put(f"load {kind}, ptr {address}")


def context_size(region: Region) -> int:
    """Integers of a region's context."""
    return _FREE + len(region.counters) + len(region.slots) + len(region.pointers)


def emit_region(emitter: Emitter, stmt: Region) -> None:
    """Fill the context, have the chunks run, then notes, a fault, and what was counted."""
    code = emitter.code
    emitter.regions += 1
    name = f"region{emitter.regions}"
    RegionEmitter(stmt, emitter).chunk_function(name)
    count, grain = emitter.index(stmt.count), emitter.index(stmt.grain)
    values = [("i64", str(NONE)), ("i64", "0"), ("ptr", "%record"), ("ptr", "%host"), ("i64", "0")]
    values += [("i64", count), ("i64", grain), *(("i64", "0") for _ in stmt.counters)]
    values += [("i64", emitter.index(Slot(s))) for s in stmt.slots]
    values += [("ptr", emitter.pointer(p)) for p in stmt.pointers]
    for k, (kind, value) in enumerate(values):
        code.do(f"store {kind} {value}, ptr {_context(emitter, k)}")
    _run(emitter, stmt, name, count, grain)
    _notes(emitter)
    _faults(emitter)
    for k, counter in enumerate(stmt.counters):
        counted = code.put(f"load i64, ptr {_context(emitter, _FREE + k)}")
        total = code.put(f"add i64 {emitter.index(Slot(counter))}, {counted}")
        emitter.keep(counter, total)


def _context(emitter: Emitter, place: int) -> str:
    return emitter.code.put(f"getelementptr i64, ptr %context, i64 {place}")


def _run(emitter: Emitter, stmt: Region, name: str, count: str, grain: str) -> None:
    """Chunks are at most as many as a ticket of the pool holds, because the grain grows with the count."""
    code = emitter.code
    whole, rest = code.put(f"sdiv i64 {count}, {grain}"), code.put(f"srem i64 {count}, {grain}")
    partial = code.put(f"icmp ne i64 {rest}, 0")
    one = code.put(f"zext i1 {partial} to i64")
    chunks = code.put(f"add i64 {whole}, {one}")
    local = code.put(f"getelementptr i8, ptr %arena.in, i64 {emitter.program.scratch}")
    stopped = code.put(
        f"call i64 @openpto_chunks(ptr %host, ptr @{name}, ptr %context, i64 {chunks}, "
        f"i1 {emitter.truth(stmt.shared)}, i64 {stmt.scratch}, ptr {local}, ptr %deadline, ptr %asked)"
    )
    stop, on = emitter.label("interrupted"), emitter.label("on")
    code.do(f"br i1 {code.put(f'icmp ne i64 {stopped}, 0')}, label %{stop}, label %{on}")
    emitter.start(stop)  # the exception that the waiting caller found goes to the record of the program
    code.do(f"call void @llvm.memcpy.p0.p0.i64(ptr %record, ptr %asked, i64 {8 * 4}, i1 false)")
    code.do("store i64 -1, ptr %record")
    code.do("br label %stopped")
    emitter.start(on)


def _notes(emitter: Emitter) -> None:
    """Hand over the notes of all chunks up to a failed one; the host may refuse one."""
    code = emitter.code
    noted = code.put(f"load i64, ptr {_context(emitter, _NOTED)}")
    some, refused, on = emitter.label("noted"), emitter.label("refused"), emitter.label("on")
    code.do(f"br i1 {code.put(f'icmp ne i64 {noted}, 0')}, label %{some}, label %{on}")
    emitter.start(some)
    replay = _entry(emitter, "%host", _HOST_REPLAY, "ptr")
    token = _entry(emitter, "%host", _HOST_TOKEN, "i64")
    stop = code.put(f"load i64, ptr {_context(emitter, _STOP)}")
    answer = code.put(f"call i64 {replay}(i64 {token}, i64 {stop})")
    code.do(f"br i1 {code.put(f'icmp ne i64 {answer}, 0')}, label %{refused}, label %{on}")
    emitter.start(refused)
    code.do("store i64 -2, ptr %record")
    code.do("br label %stopped")
    emitter.start(on)


def _faults(emitter: Emitter) -> None:
    code = emitter.code
    stop = code.put(f"load i64, ptr {_context(emitter, _STOP)}")
    on = emitter.label("on")
    code.do(f"br i1 {code.put(f'icmp ne i64 {stop}, {NONE}')}, label %stopped, label %{on}")
    emitter.start(on)
