"""What compiled code needs of the host for its regions; notes of chunks wait there for their turn.

Chunks run at once, so what they note is kept until the region is done, and then handed over in program order.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from . import jit, pool
from .loopir import RECORD

_hosts: dict[int, Host] = {}
_free: dict[int, list[Host]] = {}
_tokens = count(1)


class Host:
    """Serves one run at a time. Compiled code finds 64-bit integers at ``address``: the pool, threads, a token, then
    the addresses of ``openpto_parallel``, of the function that takes a note of a chunk, and of the one that hands the
    notes over. The pool is not made before a region is shared: until then the first integer is the token, and the
    fourth the address of :func:`_share`."""

    __slots__ = ("address", "hand_over", "memory", "pool", "process", "seen", "threads", "token", "waiting")

    _POOL, _PARALLEL = 0, 3

    def __init__(self, threads: int) -> None:
        self.process = os.getpid()
        self.threads = threads
        self.token = next(_tokens)
        self.pool: pool.Pool | None = None
        hands = threads if pool.THREADS else 1
        functions = (_address(function) for function in (_SHARE, _TAKE, _REPLAY))
        self.memory: Any = (ctypes.c_int64 * 6)(self.token, hands, self.token, *functions)
        self.address = ctypes.addressof(self.memory)
        self.hand_over: Callable[[Sequence[int]], int] = _nobody
        self.waiting: list[tuple[int, list[int]]] = []
        self.seen: set[tuple[int, int]] = set()

    def start(self) -> None:
        """Compiled code finds the pool from now on."""
        self.pool = pool.shared()
        self.memory[self._POOL], self.memory[self._PARALLEL] = self.pool.address, self.pool.parallel

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


def _share(token: int, *rest: Any) -> int:
    """Takes the place of ``openpto_parallel`` in the first region that is shared."""
    host = _hosts[token]
    try:
        host.start()
    except BaseException as found:  # Ctrl-C, or no memory: nothing may unwind through compiled code
        jit.leave(found, rest[-1])
        return 1
    assert host.pool is not None
    stopped: int = _PARALLEL(host.pool.parallel)(host.pool.address, *rest)
    return stopped


def _take(record: Any, token: int, chunk: int, once: int) -> int:
    _hosts[token].take(record, chunk, bool(once))
    return 0


def _replay(token: int, last: int) -> int:
    return _hosts[token].replay(last)


def _address(function: Any) -> int:
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address


_I64, _PTR = ctypes.c_int64, ctypes.c_void_p
_PARALLEL = ctypes.CFUNCTYPE(_I64, _PTR, _PTR, _PTR, _I64, _I64, _I64, _PTR, _PTR, _PTR)
_SHARE = ctypes.CFUNCTYPE(_I64, _I64, *_PARALLEL._argtypes_[1:])(_share)
_TAKE = ctypes.CFUNCTYPE(_I64, ctypes.POINTER(_I64), _I64, _I64, _I64)(_take)
_REPLAY = ctypes.CFUNCTYPE(_I64, _I64, _I64)(_replay)
