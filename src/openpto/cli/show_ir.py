"""`pypto ir`: the kernels of a file at one stage of their way to machine code, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from openpto import runtime
from openpto.cli.kernels import choose, given, load, stand_ins
from openpto.diagnostics import fail
from openpto.ir import printer
from openpto.ir.nodes import Kernel

Stage = Literal["tile", "loop", "llvm", "asm"]


def split_target(target: str) -> tuple[str, str]:
    """FILE and KERNEL of `FILE[:KERNEL]`; KERNEL is empty if it is not given."""
    file, colon, kernel = target.rpartition(":")
    return (file, kernel) if colon and kernel.isidentifier() else (target, "")


def texts(target: str, arguments: Sequence[str], stage: Stage = "tile") -> Iterator[str]:
    """The IR of each kernel that is asked for; `arguments` are texts NAME=VALUE for what annotations leave open."""
    file, name = split_target(target)
    values = given(arguments)
    for kernel in choose(load(file), name, file).values():
        tensors, constants = stand_ins(kernel.signature, values)
        yield _text(kernel.lower(*tensors, **constants), stage)


def _text(kernel: Kernel, stage: Stage) -> str:
    """A kernel at a stage. LLVM is loaded for the last two only.

    Raises:
        RuntimeError: PTO444, llvmlite cannot be loaded; PTO445, the native engine does not compile the kernel.
    """
    if stage == "tile":
        return printer.text(kernel, sites=False)
    if stage != "loop":
        runtime.chosen("native")
    from openpto.runtime import native

    try:
        return native.stage_text(kernel, stage)
    except native.Unsupported as missing:
        fail("PTO445", site=missing.site, stage=stage, what=missing.what)
