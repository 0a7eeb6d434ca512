"""What compiled code needs of the host for its regions; notes of chunks wait there for their turn.

Chunks run at once, so what they note is kept until the region is done, and then handed over in program order.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from . import pool
from .loopir import RECORD

_hosts: dict[int, Host] = {}
_free: dict[int, list[Host]] = {}
_tokens = count(1)


class Host:
    """Serves one run at a time. Compiled code finds 64-bit integers at ``address``: the pool or 0, threads, a token,
    then the addresses of ``openpto_parallel``, of the function that takes a note of a chunk, and of the one that hands
    the notes over."""

    __slots__ = ("address", "hand_over", "memory", "pool", "process", "seen", "threads", "token", "waiting")

    def __init__(self, threads: int) -> None:
        self.process = os.getpid()
        self.threads = threads
        self.token = next(_tokens)
        self.pool = pool.shared(threads)
        at = self.pool.address if self.pool is not None else 0
        parallel = pool.code().addresses["openpto_parallel"]
        self.memory: Any = (ctypes.c_int64 * 6)(at, threads, self.token, parallel, _address(_TAKE), _address(_REPLAY))
        self.address = ctypes.addressof(self.memory)
        self.hand_over: Callable[[Sequence[int]], int] = _nobody
        self.waiting: list[tuple[int, list[int]]] = []
        self.seen: set[tuple[int, int]] = set()

    def take(self, record: Any, chunk: int, once: bool) -> None:
        """A note of a chunk; called on the thread that runs it. With ``once`` the first of its site in a chunk counts;
        what it says is found out on the caller's thread, because that may need the settings there."""
        site = (chunk, int(record[0]))
        if once and site in self.seen:
            return
        self.seen.add(site)
        self.waiting.append((chunk, [int(record[k]) for k in range(RECORD)]))

    def replay(self, last: int) -> int:
        """Hand over what chunks up to ``last`` noted; 1 to stop the program."""
        waiting = sorted(self.waiting, key=lambda note: note[0])
        self.forget()
        return int(any(self.hand_over(record) for chunk, record in waiting if chunk <= last))

    def forget(self) -> None:
        """No note waits."""
        self.waiting.clear()
        self.seen.clear()


def borrow(threads: int, hand_over: Callable[[Sequence[int]], int]) -> Host:
    """A host for one run; ``hand_over`` takes a note and returns 1 to stop the program."""
    try:
        host = _free[threads].pop()
    except (KeyError, IndexError):
        host = Host(threads)
        _hosts[host.token] = host
    host.hand_over = hand_over
    return host


def give_back(host: Host) -> None:
    """The run is over."""
    host.hand_over = _nobody
    if host.waiting:  # of a region that was interrupted
        host.forget()
    if host.process == os.getpid():
        _free.setdefault(host.threads, []).append(host)


def _forget() -> None:
    """The pool of hosts that a forked child inherits is its parent's."""
    _free.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _nobody(record: Sequence[int]) -> int:
    raise AssertionError(f"a note of site {record[0]} and no run")


def _take(record: Any, token: int, chunk: int, once: int) -> int:
    _hosts[token].take(record, chunk, bool(once))
    return 0


def _replay(token: int, last: int) -> int:
    return _hosts[token].replay(last)


def _address(function: Any) -> int:
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address


_I64 = ctypes.c_int64
_TAKE = ctypes.CFUNCTYPE(_I64, ctypes.POINTER(_I64), _I64, _I64, _I64)(_take)
_REPLAY = ctypes.CFUNCTYPE(_I64, _I64, _I64)(_replay)
