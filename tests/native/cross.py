"""Kernels compiled for aarch64 on another machine, and run under qemu where that is installed."""

from __future__ import annotations

import shutil
import struct
import subprocess

import numpy as np

from openpto.runtime.native import engine, gemm, jit
from openpto.runtime.native.loopir import RECORD

TRIPLE = "aarch64-unknown-linux-gnu"
FEATURES = "+neon,+fp-armv8"
GOAL = jit.Target(TRIPLE, "neoverse-n1", FEATURES, frozenset(f[1:] for f in FEATURES.split(",")))
TOOLS = ("aarch64-linux-gnu-gcc", "qemu-aarch64")
"""Debian's packages gcc-aarch64-linux-gnu and qemu-user."""

HOST = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void chunk(void *, int64_t, void *, int64_t *);
extern int64_t kernel(void **, int64_t *, void *, int64_t *);
int PyGILState_Ensure(void) { return 0; }
void PyGILState_Release(int state) {}
int PyErr_CheckSignals(void) { return 0; }
void PyErr_Fetch(void *type, void *value, void *trace) {}
int64_t openpto_note(int64_t *record) { return 0; }
static int64_t parallel(void *pool, chunk *run, void *context, int64_t chunks, int64_t threads, int64_t scratch,
                        void *arena, int64_t *deadline, int64_t *record) {
    for (int64_t c = 0; c < chunks; c++) run(context, c, arena, deadline);
    return 0;
}
static int64_t note(void) { return 0; }
static int64_t host[6];
static int64_t take(FILE *f) { int64_t n; if (fread(&n, 8, 1, f) != 1) exit(3); return n; }

int main(int count, char **name) {
    FILE *in = fopen(name[1], "rb"), *out = fopen(name[2], "wb");
    int64_t params = take(in), sizes = take(in), scratch = take(in), length = take(in);
    int64_t *size = calloc(sizes + 1, 8), *record = calloc(length, 8), *bytes = calloc(params + 1, 8);
    void **at = calloc(params + 1, sizeof(void *)), *arena = aligned_alloc(64, (scratch + 191) / 64 * 64);
    for (int64_t k = 0; k < sizes; k++) size[k] = take(in);
    for (int64_t k = 0; k < params; k++) {
        bytes[k] = take(in);
        at[k] = aligned_alloc(64, (bytes[k] + 127) / 64 * 64);
        if (fread(at[k], 1, bytes[k], in) != (size_t)bytes[k]) return 3;
    }
    host[1] = 1; host[3] = (int64_t)parallel; host[4] = (int64_t)note; host[5] = (int64_t)note;
    record[length - 1] = (int64_t)host;
    uint64_t flushing = 1u << 24 | 1u << 22, after;  /* flush denormals, round up */
    __asm__ volatile("msr fpcr, %0" ::"r"(flushing));
    int64_t failed = kernel(at, size, arena, record);
    __asm__ volatile("mrs %0, fpcr" : "=r"(after));
    __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)0));
    int64_t same = after == flushing;
    fwrite(&failed, 8, 1, out); fwrite(&same, 8, 1, out); fwrite(record, 8, length, out);
    for (int64_t k = 0; k < params; k++) fwrite(at[k], 1, bytes[k], out);
    return 0;
}
"""


def target_exists():
    """Whether this LLVM can make code for aarch64."""
    llvm = jit.binding()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        llvm.Target.from_triple(TRIPLE)
    except RuntimeError:
        return False
    return True


def runs():
    """Whether programs for aarch64 can be linked and run."""
    return all(shutil.which(tool) for tool in TOOLS)


def machine():
    llvm = jit.binding()
    target = llvm.Target.from_triple(TRIPLE)
    return target.create_target_machine(cpu=GOAL.cpu, features=GOAL.attributes, opt=2, reloc="pic", codemodel="small")


def parsed(text, made):
    module = jit.binding().parse_assembly(text)
    module.triple, module.data_layout = TRIPLE, str(made.target_data)
    module.verify()
    return module


def modules(lowered):
    """The kernel's module and those of the routines that it calls."""
    return [engine.llvm_text(lowered, GOAL), *gemm.modules(lowered.program.routines, GOAL).values()]


def assembly(lowered):
    """All of them as assembly."""
    made = machine()
    return "\n".join(made.emit_assembly(parsed(text, made)) for text in modules(lowered))


def call(lowered, sizes, arrays, folder):
    """(what the program returned, whether it restored the control word, its record, the arrays afterwards)."""
    made = machine()
    objects = []
    for number, text in enumerate(modules(lowered)):
        path = folder / f"part{number}.o"
        path.write_bytes(made.emit_object(parsed(text, made)))
        objects.append(str(path))
    source, program = folder / "host.c", folder / "program"
    source.write_text(HOST)
    subprocess.run([TOOLS[0], "-static", "-O1", "-o", str(program), str(source), *objects], check=True)
    length = RECORD + len(arrays) + 2
    scratch = lowered.program.scratch + lowered.program.local + 64
    parts = [struct.pack("<4q", len(arrays), len(sizes), scratch, length), struct.pack(f"<{len(sizes)}q", *sizes)]
    for array in arrays:
        parts += [struct.pack("<q", array.nbytes), array.tobytes()]
    (folder / "in").write_bytes(b"".join(parts))
    command = [TOOLS[1], str(program), str(folder / "in"), str(folder / "out")]
    subprocess.run(command, check=True, timeout=300)
    left = (folder / "out").read_bytes()
    failed, same = struct.unpack_from("<2q", left)
    record = struct.unpack_from(f"<{length}q", left, 16)
    at, results = 16 + 8 * length, []
    for array in arrays:
        results.append(np.frombuffer(left, array.dtype, array.size, at).reshape(array.shape))
        at += array.nbytes
    return failed, bool(same), record, results
