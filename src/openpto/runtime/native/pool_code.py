"""The thread pool as LLVM text: workers, and callers that hand out the chunks of a region.

``openpto_parallel(pool, function, context, chunks, threads, scratch, arena, deadline, record)`` runs
``function(context, chunk, arena, deadline)`` for every chunk and returns when all are done, 1 if the user wants to
stop. The caller takes chunks as well, so it can do all of them if no worker gets a processor; what is counted is
finished chunks, never workers.

Layout of the pool, in bytes (zeroed by the host; mutexes and conditions are initialised by it)::

    0 mutex   128 condition   256 sleeping workers   264 whether workers shall end
    272 function of the host that starts workers for a number of threads   280 the largest number it was asked for
    512 + 512 s: job slot s
        0 ticket    generation << 32 | next chunk << 16 | chunks
       64 whether a caller holds the slot
      128 function   136 context   144 threads   152 bytes of scratch
      192 finished chunks   200 whether the caller sleeps
      256 mutex   384 condition

A worker reads a ticket, then the fields, then claims the chunk by comparing and exchanging the ticket. A slot is
filled anew only after all of its chunks were claimed, and then has another generation, so a claim that succeeds
vouches for the fields that were read before it; and no memory of a caller is touched outside of a claimed chunk.
"""

from __future__ import annotations

import time

SLOTS = 8
MOST_CHUNKS = 4096
SLOT_BYTES = 512
FIRST_SLOT = 512
POOL_BYTES = FIRST_SLOT + SLOTS * SLOT_BYTES

SPIN_NANOSECONDS = 40_000
"""How long an idle worker, or a caller whose last chunks run elsewhere, looks for news before it sleeps."""
LOOK_NANOSECONDS = 20_000_000
"""How often a sleeping caller asks whether the user wants to stop."""


def module(poll: str, is_x86: bool) -> str:
    """The module; ``poll`` defines ``i64 openpto_poll(ptr record)``."""
    pause = "call void @llvm.x86.sse2.pause()" if is_x86 else 'fence syncscope("singlethread") seq_cst'
    declared = "declare void @llvm.x86.sse2.pause()" if is_x86 else ""
    text = _TEXT.replace("<pause>", pause).replace("<monotonic>", str(time.CLOCK_MONOTONIC))
    text = text.replace("<spin>", str(SPIN_NANOSECONDS)).replace("<look>", str(LOOK_NANOSECONDS))
    text = text.replace("<slots>", str(SLOTS)).replace("<never>", str(2**64 - 1))
    return "\n".join((poll, declared, text))


EXPORTS = ("openpto_parallel", "openpto_worker", "openpto_end_workers")
_TEXT = """
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_timedwait(ptr, ptr, ptr)
declare i32 @pthread_cond_broadcast(ptr)
declare i32 @clock_gettime(i32, ptr)

@never = internal constant i64 <never>

define internal i64 @now(i32 %clock) noinline optnone {
entry:
  %time = alloca { i64, i64 }
  %status = call i32 @clock_gettime(i32 %clock, ptr %time)
  %seconds = load i64, ptr %time
  %rest = getelementptr i8, ptr %time, i64 8
  %nano = load i64, ptr %rest
  %whole = mul i64 %seconds, 1000000000
  %total = add i64 %whole, %nano
  ret i64 %total
}

define internal ptr @slot(ptr %pool, i64 %number) noinline optnone {
entry:
  %skip = mul i64 %number, 512
  %offset = add i64 %skip, 512
  %at = getelementptr i8, ptr %pool, i64 %offset
  ret ptr %at
}

; whether a slot has a chunk left for thread number %who
define internal i1 @open(ptr %slot, i64 %who) noinline optnone {
entry:
  %ticket = load atomic i64, ptr %slot seq_cst, align 8
  %shifted = lshr i64 %ticket, 16
  %next = and i64 %shifted, 65535
  %count = and i64 %ticket, 65535
  %left = icmp ult i64 %next, %count
  %limit.at = getelementptr i8, ptr %slot, i64 144
  %limit = load atomic i64, ptr %limit.at monotonic, align 8
  %welcome = icmp slt i64 %who, %limit
  %yes = and i1 %left, %welcome
  ret i1 %yes
}

; count a finished chunk; who finishes the last one wakes the caller
define internal void @finished(ptr %slot, i64 %count) noinline optnone {
entry:
  %done.at = getelementptr i8, ptr %slot, i64 192
  %before = atomicrmw add ptr %done.at, i64 1 seq_cst
  %done = add i64 %before, 1
  %last = icmp eq i64 %done, %count
  br i1 %last, label %look, label %out
look:
  %waits.at = getelementptr i8, ptr %slot, i64 200
  %waits = load atomic i64, ptr %waits.at seq_cst, align 8
  %sleeps = icmp ne i64 %waits, 0
  br i1 %sleeps, label %wake, label %out
wake:
  %mutex = getelementptr i8, ptr %slot, i64 256
  %condition = getelementptr i8, ptr %slot, i64 384
  %a = call i32 @pthread_mutex_lock(ptr %mutex)
  %b = call i32 @pthread_cond_broadcast(ptr %condition)
  %c = call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %out
out:
  ret void
}

; 1: a chunk was run, 0: there was none, 2: no memory for this worker
define internal i64 @help(ptr %slot, i64 %who, ptr %own) noinline optnone {
entry:
  %is.open = call i1 @open(ptr %slot, i64 %who)
  br i1 %is.open, label %read, label %none
read:
  %ticket = load atomic i64, ptr %slot seq_cst, align 8
  %shifted = lshr i64 %ticket, 16
  %next = and i64 %shifted, 65535
  %count = and i64 %ticket, 65535
  %left = icmp ult i64 %next, %count
  br i1 %left, label %fields, label %none
fields:
  %function.at = getelementptr i8, ptr %slot, i64 128
  %function = load atomic ptr, ptr %function.at monotonic, align 8
  %context.at = getelementptr i8, ptr %slot, i64 136
  %context = load atomic ptr, ptr %context.at monotonic, align 8
  %limit.at = getelementptr i8, ptr %slot, i64 144
  %limit = load atomic i64, ptr %limit.at monotonic, align 8
  %scratch.at = getelementptr i8, ptr %slot, i64 152
  %scratch = load atomic i64, ptr %scratch.at monotonic, align 8
  %welcome = icmp slt i64 %who, %limit
  br i1 %welcome, label %measure, label %none
measure:
  %size.at = getelementptr i8, ptr %own, i64 8
  %size = load i64, ptr %size.at
  %enough = icmp ule i64 %scratch, %size
  br i1 %enough, label %claim, label %grow
grow:
  %old = load ptr, ptr %own
  call void @free(ptr %old)
  store i64 0, ptr %size.at
  %wanted = add i64 %scratch, 64
  %new = call ptr @malloc(i64 %wanted)
  store ptr %new, ptr %own
  %failed = icmp eq ptr %new, null
  br i1 %failed, label %poor, label %grown
grown:
  store i64 %scratch, ptr %size.at
  br label %claim
claim:
  %following = add i64 %ticket, 65536
  %pair = cmpxchg ptr %slot, i64 %ticket, i64 %following seq_cst seq_cst
  %won = extractvalue { i64, i1 } %pair, 1
  br i1 %won, label %run, label %read
run:
  %raw = load ptr, ptr %own
  %address = ptrtoint ptr %raw to i64
  %past = add i64 %address, 63
  %aligned = and i64 %past, -64
  %arena = inttoptr i64 %aligned to ptr
  call void %function(ptr %context, i64 %next, ptr %arena, ptr @never)
  call void @finished(ptr %slot, i64 %count)
  ret i64 1
none:
  ret i64 0
poor:
  ret i64 2
}

define void @openpto_worker(ptr %pool, i64 %who) noinline optnone {
entry:
  %own = alloca { ptr, i64 }
  store { ptr, i64 } zeroinitializer, ptr %own
  %ending.at = getelementptr i8, ptr %pool, i64 264
  %sleepers.at = getelementptr i8, ptr %pool, i64 256
  %condition = getelementptr i8, ptr %pool, i64 128
  br label %fresh
fresh:
  %begin = call i64 @now(i32 <monotonic>)
  %deadline = add i64 %begin, <spin>
  br label %look
look:
  %ending = load atomic i64, ptr %ending.at seq_cst, align 8
  %end = icmp ne i64 %ending, 0
  br i1 %end, label %leave, label %scan
scan:
  %number = phi i64 [ 0, %look ], [ %number.next, %scan.next ]
  %found = phi i64 [ 0, %look ], [ %found.next, %scan.next ]
  %at = call ptr @slot(ptr %pool, i64 %number)
  %ran = call i64 @help(ptr %at, i64 %who, ptr %own)
  %poor = icmp eq i64 %ran, 2
  br i1 %poor, label %leave, label %scan.next
scan.next:
  %found.next = or i64 %found, %ran
  %number.next = add i64 %number, 1
  %more = icmp ult i64 %number.next, <slots>
  br i1 %more, label %scan, label %scanned
scanned:
  %worked = icmp ne i64 %found.next, 0
  br i1 %worked, label %fresh, label %idle
idle:
  <pause>
  %time = call i64 @now(i32 <monotonic>)
  %tired = icmp sgt i64 %time, %deadline
  br i1 %tired, label %sleep, label %look
sleep:
  %a = call i32 @pthread_mutex_lock(ptr %pool)
  %b = atomicrmw add ptr %sleepers.at, i64 1 seq_cst
  fence seq_cst
  br label %recheck
recheck:
  %other = phi i64 [ 0, %sleep ], [ %other.next, %recheck.next ]
  %other.at = call ptr @slot(ptr %pool, i64 %other)
  %is.open = call i1 @open(ptr %other.at, i64 %who)
  br i1 %is.open, label %awake, label %recheck.next
recheck.next:
  %other.next = add i64 %other, 1
  %others = icmp ult i64 %other.next, <slots>
  br i1 %others, label %recheck, label %last.look
last.look:
  %ending.late = load atomic i64, ptr %ending.at seq_cst, align 8
  %end.late = icmp ne i64 %ending.late, 0
  br i1 %end.late, label %awake, label %wait
wait:
  %c = call i32 @pthread_cond_wait(ptr %condition, ptr %pool)
  br label %awake
awake:
  %d = atomicrmw sub ptr %sleepers.at, i64 1 seq_cst
  %e = call i32 @pthread_mutex_unlock(ptr %pool)
  br label %fresh
leave:
  %held = load ptr, ptr %own
  call void @free(ptr %held)
  ret void
}

define internal void @wake(ptr %pool) noinline optnone {
entry:
  %condition = getelementptr i8, ptr %pool, i64 128
  %a = call i32 @pthread_mutex_lock(ptr %pool)
  %b = call i32 @pthread_cond_broadcast(ptr %condition)
  %c = call i32 @pthread_mutex_unlock(ptr %pool)
  ret void
}

define void @openpto_end_workers(ptr %pool, i64 %ignored) noinline optnone {
entry:
  %ending.at = getelementptr i8, ptr %pool, i64 264
  store atomic i64 1, ptr %ending.at seq_cst, align 8
  call void @wake(ptr %pool)
  ret void
}

define i64 @openpto_parallel(ptr %pool, ptr %function, ptr %context, i64 %chunks, i64 %threads, i64 %scratch,
                             ptr %arena, ptr %deadline, ptr %record) noinline optnone {
entry:
  %several = icmp sgt i64 %threads, 1
  %worth = icmp sgt i64 %chunks, 1
  %shared = and i1 %several, %worth
  br i1 %shared, label %acquire, label %alone
acquire:
  %asked.at = getelementptr i8, ptr %pool, i64 280
  %known = load atomic i64, ptr %asked.at seq_cst, align 8
  %staffed = icmp sge i64 %known, %threads
  br i1 %staffed, label %choose, label %hire
hire:
  %hire.at = getelementptr i8, ptr %pool, i64 272
  %hire.function = load ptr, ptr %hire.at
  call void %hire.function(i64 %threads)
  br label %choose
choose:
  %number = phi i64 [ 0, %acquire ], [ 0, %hire ], [ %number.next, %taken ]
  %slot = call ptr @slot(ptr %pool, i64 %number)
  %busy.at = getelementptr i8, ptr %slot, i64 64
  %pair = cmpxchg ptr %busy.at, i64 0, i64 1 seq_cst seq_cst
  %got = extractvalue { i64, i1 } %pair, 1
  br i1 %got, label %publish, label %taken
taken:
  %number.next = add i64 %number, 1
  %more = icmp ult i64 %number.next, <slots>
  br i1 %more, label %choose, label %alone
alone:
  %any = icmp sgt i64 %chunks, 0
  br i1 %any, label %serial, label %out
serial:
  %chunk = phi i64 [ 0, %alone ], [ %chunk.next, %serial ]
  call void %function(ptr %context, i64 %chunk, ptr %arena, ptr %deadline)
  %chunk.next = add i64 %chunk, 1
  %on = icmp slt i64 %chunk.next, %chunks
  br i1 %on, label %serial, label %out
publish:
  %function.at = getelementptr i8, ptr %slot, i64 128
  store atomic ptr %function, ptr %function.at monotonic, align 8
  %context.at = getelementptr i8, ptr %slot, i64 136
  store atomic ptr %context, ptr %context.at monotonic, align 8
  %limit.at = getelementptr i8, ptr %slot, i64 144
  store atomic i64 %threads, ptr %limit.at monotonic, align 8
  %scratch.at = getelementptr i8, ptr %slot, i64 152
  store atomic i64 %scratch, ptr %scratch.at monotonic, align 8
  %done.at = getelementptr i8, ptr %slot, i64 192
  store atomic i64 0, ptr %done.at monotonic, align 8
  %waits.at = getelementptr i8, ptr %slot, i64 200
  store atomic i64 0, ptr %waits.at monotonic, align 8
  %former = load atomic i64, ptr %slot monotonic, align 8
  %generation = lshr i64 %former, 32
  %generation.next = add i64 %generation, 1
  %high = shl i64 %generation.next, 32
  %ticket = or i64 %high, %chunks
  store atomic i64 %ticket, ptr %slot seq_cst, align 8
  fence seq_cst
  %sleepers.at = getelementptr i8, ptr %pool, i64 256
  %sleepers = load atomic i64, ptr %sleepers.at seq_cst, align 8
  %asleep = icmp ne i64 %sleepers, 0
  br i1 %asleep, label %rouse, label %take
rouse:
  call void @wake(ptr %pool)
  br label %take
take:
  %old = load atomic i64, ptr %slot seq_cst, align 8
  %shifted = lshr i64 %old, 16
  %next = and i64 %shifted, 65535
  %left = icmp ult i64 %next, %chunks
  br i1 %left, label %claim, label %begin.wait
claim:
  %following = add i64 %old, 65536
  %claimed = cmpxchg ptr %slot, i64 %old, i64 %following seq_cst seq_cst
  %won = extractvalue { i64, i1 } %claimed, 1
  br i1 %won, label %run, label %take
run:
  call void %function(ptr %context, i64 %next, ptr %arena, ptr %deadline)
  call void @finished(ptr %slot, i64 %chunks)
  br label %take
begin.wait:
  %begin = call i64 @now(i32 <monotonic>)
  %patience = add i64 %begin, <spin>
  br label %spin
spin:
  %done = load atomic i64, ptr %done.at seq_cst, align 8
  %complete = icmp eq i64 %done, %chunks
  br i1 %complete, label %release, label %spin.on
spin.on:
  <pause>
  %time = call i64 @now(i32 <monotonic>)
  %tired = icmp sgt i64 %time, %patience
  br i1 %tired, label %sleep, label %spin
sleep:
  %mutex = getelementptr i8, ptr %slot, i64 256
  %condition = getelementptr i8, ptr %slot, i64 384
  %until = alloca { i64, i64 }
  %until.rest = getelementptr i8, ptr %until, i64 8
  br label %doze
doze:
  %asked = phi i64 [ 0, %sleep ], [ %asked.next, %looked ]
  %a = call i32 @pthread_mutex_lock(ptr %mutex)
  store atomic i64 1, ptr %waits.at seq_cst, align 8
  fence seq_cst
  %done.late = load atomic i64, ptr %done.at seq_cst, align 8
  %complete.late = icmp eq i64 %done.late, %chunks
  br i1 %complete.late, label %awake, label %wait
wait:
  %clock = call i64 @now(i32 0)
  %alarm = add i64 %clock, <look>
  %seconds = udiv i64 %alarm, 1000000000
  %nano = urem i64 %alarm, 1000000000
  store i64 %seconds, ptr %until
  store i64 %nano, ptr %until.rest
  %b = call i32 @pthread_cond_timedwait(ptr %condition, ptr %mutex, ptr %until)
  br label %awake
awake:
  %c = call i32 @pthread_mutex_unlock(ptr %mutex)
  %done.now = load atomic i64, ptr %done.at seq_cst, align 8
  %complete.now = icmp eq i64 %done.now, %chunks
  br i1 %complete.now, label %release, label %ask
ask:
  %already = icmp ne i64 %asked, 0
  br i1 %already, label %looked, label %poll
poll:
  %wish = call i64 @openpto_poll(ptr %record)
  %wants = icmp ne i64 %wish, 0
  br i1 %wants, label %stop, label %looked
stop:
  store atomic i64 -1, ptr %context seq_cst, align 8
  br label %looked
looked:
  %asked.next = phi i64 [ 1, %ask ], [ 0, %poll ], [ 1, %stop ]
  br label %doze
release:
  %answer = phi i64 [ 0, %spin ], [ %asked, %awake ]
  store atomic i64 0, ptr %busy.at seq_cst, align 8
  ret i64 %answer
out:
  ret i64 0
}
"""
