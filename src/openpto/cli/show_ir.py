"""`pypto ir`: the tile IR of the kernels of a file, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from openpto.cli.kernels import choose, given, load, stand_ins
from openpto.ir import printer


def split_target(target: str) -> tuple[str, str]:
    """FILE and KERNEL of `FILE[:KERNEL]`; KERNEL is empty if it is not given."""
    file, colon, kernel = target.rpartition(":")
    return (file, kernel) if colon and kernel.isidentifier() else (target, "")


def texts(target: str, arguments: Sequence[str]) -> Iterator[str]:
    """The IR of each kernel that is asked for; `arguments` are texts NAME=VALUE for what annotations leave open."""
    file, name = split_target(target)
    values = given(arguments)
    for kernel in choose(load(file), name, file).values():
        tensors, constants = stand_ins(kernel.signature, values)
        yield printer.text(kernel.lower(*tensors, **constants), sites=False)
