"""LLVM text to object files, on several threads at once.

LLVM compiles modules of different contexts at the same time if each thread has target machines of its own. A lock of
ours lets one compilation at a time have the threads (``jit.py``).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from openpto._records import dataclass
from openpto.runtime.store import key_of, store

from .parts import parts
from .targets import Target, binding
from .translate import head, object_file

FAST, WELL = 0, 2
"""Levels of the code generator: for functions that are marked ``optnone``, and for the others."""
_CODE_VERSION = 6
"""Of the code that machine code and the engine expect of each other; part of the keys of kept code."""
_MOST_HANDS = 4
_free: dict[tuple[Target, int], list[Any]] = {}
"""Target machines that no thread uses. One takes a millisecond for its first function, so they are kept."""


def machine(goal: Target, level: int) -> Any:
    """A new target machine of LLVM's. Fast ones of other processors than x86 use another code generator altogether,
    which is not worth its risk."""
    return (
        binding()
        .Target.from_triple(goal.triple)
        .create_target_machine(
            cpu=goal.cpu,
            features=goal.attributes,
            opt=level if goal.is_x86 else WELL,
            reloc="pic",
            codemodel="small" if goal.is_near else "jitdefault",
            jit=True,
        )
    )


@contextmanager
def borrowed(goal: Target, level: int) -> Iterator[Any]:
    """A target machine that no other thread uses meanwhile."""
    free = _free.setdefault((goal, level), [])
    try:
        compiler = free.pop()
    except IndexError:
        compiler = machine(goal, level)
    try:
        yield compiler
    finally:
        free.append(compiler)


@dataclass(slots=True)
class _Job:
    """A part of a module and, once it is compiled, its object file."""

    key: str
    level: int
    text: str
    image: bytes = b""

    @property
    def cost(self) -> int:
        """About how long it takes; in lines."""
        return self.text.count("\n") * (5 if self.level == WELL else 1)


def object_codes(goal: Target, texts: Sequence[str], hands: int) -> list[tuple[str, bytes]]:
    """Keys and relocatable object files of modules (see :func:`images`): from disk, else compiled by ``hands`` threads
    and kept there. They have no absolute address."""
    kept = store()
    keys = [key(goal, text) for text in texts]
    codes = {one: kept.get(one) for one in keys}
    hands = min(hands, _MOST_HANDS)
    jobs = [
        _Job(one, WELL if well else FAST, part)
        for one, text in dict(zip(keys, texts, strict=True)).items()
        if codes[one] is None
        for part, well in parts(text, hands)
    ]
    _compile(goal, jobs, hands)
    made: dict[str, bytes] = {}
    for job in jobs:
        made[job.key] = made.get(job.key, b"") + len(job.image).to_bytes(8, "little") + job.image
    for one, code in made.items():
        kept.put(one, code)
    return [(one, made.get(one) or codes[one] or b"") for one in keys]


def images(code: bytes) -> Iterator[bytes]:
    """The object files of a module, each after its length."""
    at = 0
    while at < len(code):
        end = at + 8 + int.from_bytes(code[at : at + 8], "little")
        yield code[at + 8 : end]
        at = end


def assembly(goal: Target, text: str) -> str:
    """Assembly of a module, for people."""
    found = []
    for part, well in parts(text):
        with borrowed(goal, WELL if well else FAST) as compiler:
            module = binding().parse_assembly(head(compiler, goal.triple) + part)
            found.append(str(compiler.emit_assembly(module)))
    return "\n".join(found)


def key(goal: Target, text: str) -> str:
    """The key of a module's code in the store."""
    import llvmlite

    llvm = ".".join(map(str, binding().llvm_version_info))
    return key_of(
        "object", _CODE_VERSION, llvmlite.__version__, llvm, WELL, goal.triple, goal.cpu, goal.attributes, text
    )


def _compile(goal: Target, jobs: Sequence[_Job], hands: int) -> None:
    """Give every job its object file; the longest ones begin first. An error of any thread is raised here."""
    waiting = sorted(jobs, key=lambda job: job.cost)
    errors: list[BaseException] = []

    def work() -> None:
        while waiting and not errors:
            try:
                job = waiting.pop()
            except IndexError:  # another thread was sooner
                return
            try:
                job.image = _object(goal, job)
            except BaseException as error:
                errors.append(error)

    helpers = []
    for number in range(1, min(hands, len(jobs))):
        helper = threading.Thread(target=work, name=f"pypto-compiler-{number}")
        try:
            helper.start()
        except RuntimeError:  # no more threads
            break
        helpers.append(helper)
    try:
        work()
    finally:
        waiting.clear()  # nothing is left, or an interruption came
        _await(helpers)
    if errors:
        raise errors[0]


def _await(helpers: Sequence[threading.Thread]) -> None:
    """Wait for threads to the end, whatever comes meanwhile: what they make is of use to nobody else."""
    came: BaseException | None = None
    for helper in helpers:
        while helper.is_alive():
            try:
                helper.join()
            except BaseException as error:
                came = error
    if came is not None:
        raise came


def _object(goal: Target, job: _Job) -> bytes:
    """The object file of a job."""
    with borrowed(goal, job.level) as compiler:
        return object_file(compiler, goal.triple, job.text)
