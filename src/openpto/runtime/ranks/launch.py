"""Ranks on threads of one process."""

from __future__ import annotations

import contextvars
import operator
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from openpto._records import dataclass
from openpto.diagnostics import PyptoError, T, fail
from openpto.diagnostics.boundary import user_boundary
from openpto.diagnostics.source import printable

from .world import Member, World, place_text

MOST_RANKS = 256
"""Every rank is a thread."""

Groups = Mapping[str, Sequence[Sequence[int]] | Sequence[int]]


@dataclass(frozen=True, slots=True)
class Here:
    """Which rank of which launch a thread is."""

    world: World
    member: Member


_here: contextvars.ContextVar[Here | None] = contextvars.ContextVar("openpto_rank", default=None)


def here() -> Here | None:
    """The rank that the present thread is, None outside of a launch."""
    return _here.get()


@user_boundary()
def rank() -> int:
    """The number of the present rank.

    Raises:
        RuntimeError: PTO470, outside of a launch.
    """
    return _required("rank").member.number


@user_boundary()
def world_size() -> int:
    """The number of ranks of the present launch.

    Raises:
        RuntimeError: PTO470, outside of a launch.
    """
    return _required("world_size").world.size


def _required(what: str) -> Here:
    found = here()
    if found is None:
        fail("PTO470", op=what)
    return found


@user_boundary()
def launch(fn: Callable[..., Any], ranks: int, args: Sequence[Any] = (), *, groups: Groups | None = None) -> list[Any]:
    """Run ``fn(rank, *args)`` as ``ranks`` ranks at once, on threads of this process; returns their results in order.

    A kernel that such a function calls may use ``pypto.distributed``: the ranks see each other's shared memory. They
    use this process's memory like all threads do, so give each its own output tensors.

    Args:
        fn: called once for every rank; its first argument is the rank's number.
        ranks: how many, from 1 to 256.
        args: further arguments, the same objects for every rank.
        groups: which ranks stand behind a group name: ``{"tp": [[0, 1], [2, 3]]}`` is two groups of two PEs each, and
            ``{"ep": [0, 2]}`` one. A name that is not listed stands for all ranks. The PE number of a rank is its place
            in the list.

    Raises:
        ValueError: PTO540, ``ranks`` or ``groups`` make no sense; or ``launch`` inside of a rank.
        Exception: what the rank that failed first has raised, once all have ended. Ranks that wait for one that failed
            are stopped with PTO473; ranks that wait for each other with PTO472, which lists who waits where.

    Example::

        import numpy as np
        import pypto
        from openpto import distributed

        @pypto.frontend.jit
        def total(x: pypto.Tensor([8, 16], pypto.DT_FP32), out: pypto.Tensor([8, 16], pypto.DT_FP32)):
            pypto.set_vec_tile_shapes(8, 16)
            shared = pypto.distributed.create_shmem_tensor("tp", 4, pypto.DT_FP32, [8, 16])
            pypto.distributed.shmem_clear_data(shared)
            pypto.distributed.shmem_barrier_all(shared)
            for pe in range(4):
                pypto.distributed.shmem_put(x, [0, 0], shared, pe, put_op=pypto.AtomicType.ADD)
            pypto.distributed.shmem_barrier_all(shared)
            out[:] = pypto.distributed.shmem_get(shared, pypto.distributed.my_symbolic_pe("tp"))

        def main(rank):
            x, out = np.full((8, 16), rank, np.float32), np.empty((8, 16), np.float32)
            total(x, out)
            return out

        assert all((out == 0 + 1 + 2 + 3).all() for out in distributed.launch(main, ranks=4))
    """
    count, parts = _checked(ranks, groups or {})
    world = World(count, parts)
    outcomes: list[Any] = [None] * count
    errors: list[tuple[int, BaseException]] = []

    def run(member: Member) -> None:
        _here.set(Here(world, member))
        failed = ""
        try:
            outcomes[member.number] = fn(member.number, *args)
        except BaseException as error:  # handed to the caller of launch
            errors.append((member.number, error))
            failed = described(error)
        with world.lock:
            world.end(member, failed)

    threads = []
    for member in world.members:
        context = contextvars.copy_context()
        name = f"rank-{member.number}"
        threads.append(threading.Thread(target=context.run, args=(run, member), name=name, daemon=True))
    _run(world, threads)
    if errors:
        number, error = _cause(errors)
        if hasattr(error, "add_note"):
            error.add_note(f"on rank {number} of {count}")
        raise error
    return outcomes


def _cause(errors: Sequence[tuple[int, BaseException]]) -> tuple[int, BaseException]:
    """The rank that failed first, not one that waited for it; the lowest of those that wait for each other."""
    causes = [e for e in errors if getattr(e[1], "code", "") != "PTO473"] or errors
    if getattr(causes[0][1], "code", "") == "PTO472":
        return min((e for e in causes if getattr(e[1], "code", "") == "PTO472"), key=lambda e: e[0])
    return causes[0]


def _run(world: World, threads: Sequence[threading.Thread]) -> None:
    """Start all and wait for them; Ctrl-C stops those that wait for others."""
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    except BaseException as error:
        with world.lock:
            world.interrupt(error)
        for thread in threads:
            if thread.ident is not None:
                thread.join()
        raise


def described(error: BaseException) -> str:
    """An error in a few words, for the messages of other ranks."""
    if isinstance(error, PyptoError):
        return f"{error.code} at {place_text(error.site)}"
    text = str(error).split("\n", maxsplit=1)[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _checked(ranks: object, groups: Groups) -> tuple[int, dict[str, list[list[int]]]]:
    if here() is not None:
        fail("PTO540", why=T("launch inside of a rank", "在 rank 内部调用 launch"))
    try:
        count = operator.index(ranks)  # type: ignore[arg-type]
    except TypeError:
        kind = type(ranks).__name__
        fail("PTO540", why=T(f"ranks must be an int, got {kind}", f"ranks 必须是 int，但得到 {kind}"))
    if not 1 <= count <= MOST_RANKS:
        why = T(
            f"ranks must be in [1, {MOST_RANKS}], got {count}", f"ranks 必须在 [1, {MOST_RANKS}] 内，但得到 {count}"
        )
        fail("PTO540", why=why)
    return count, {name: _parts(name, parts, count) for name, parts in groups.items()}


def _parts(name: str, given: object, count: int) -> list[list[int]]:
    """The lists of ranks that have a group name, none twice."""
    listed = list(given) if isinstance(given, (list, tuple, range)) else []
    parts = [list(part) if isinstance(part, (list, tuple, range)) else part for part in listed]
    nested = [part if isinstance(part, list) else [part] for part in parts]
    members = [r for part in nested for r in part]
    whole = nested if all(isinstance(part, list) for part in parts) else [members]
    if not members or any(not isinstance(r, int) or not 0 <= r < count for r in members):
        got = printable(repr(given))
        why = T(
            f"group {name!r} must list ranks from 0 to {count - 1}, got {got}",
            f"通信组 {name!r} 必须列出 0 到 {count - 1} 的 rank，但得到 {got}",
        )
        fail("PTO540", why=why)
    if len(set(members)) < len(members):
        got = printable(repr(given))
        fail(
            "PTO540", why=T(f"group {name!r} lists a rank twice: {got}", f"通信组 {name!r} 重复列出同一个 rank：{got}")
        )
    return whole
