"""The process's pool of threads: Python threads that are parked in compiled code (``pool_code.py``).

One pool serves every caller. It grows to what a caller asks for; a process that forks makes a new one in the child;
when the interpreter ends the workers are sent home first.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
from functools import cache

from openpto._forks import opened_in_child
from openpto.language.configuration import in_force, settings

from . import cpus, jit, pool_code

THREADS = os.name == "posix"
"""Whether the system has the threads that the pool is made of; elsewhere a kernel's own thread does everything."""
_JOIN_SECONDS = 1.0
_HIRE, _ASKED = 272 // 8, 280 // 8
_code: list[jit.Linked] = []
_code_lock = opened_in_child(threading.Lock())
_lock = threading.Lock()
_pool: Pool | None = None
_latest: tuple[tuple[object, ...], int] | None = None
"""What settings follow from, and the threads that were found by them."""


def code() -> jit.Linked:
    """The pool's machine code, made once a process: when the first region is worth several threads, or along with a
    kernel."""
    with _code_lock:
        if not _code:
            _code.append(jit.link_module(_module().text, jit.target(), pool_code.EXPORTS))
    return _code[0]


def extra() -> jit.Extra | None:
    """The module of that code, to be linked along with a kernel; None if the process has it."""
    return None if _code or not THREADS else _module()


@cache
def _module() -> jit.Extra:
    text = pool_code.module(jit.RUNTIME, jit.target().is_x86)
    return jit.Extra("openpto_pool", text, pool_code.EXPORTS, _code.append)


@cache
def processors() -> int:
    """Processors of this process."""
    return cpus.available()


def wanted() -> int:
    """Threads that a kernel may use here: the setting, else the processors.

    Raises:
        ValueError: PTO295, ``PYPTO_NUM_THREADS`` is not a number from 1.
    """
    global _latest
    now, latest = in_force(), _latest
    if latest is None or latest[0] != now:
        latest = _latest = now, settings().threads or processors()
    return latest[1]


class Pool:
    """Workers and the memory that they share with callers. ``parallel`` is the address of ``openpto_parallel``."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.workers: list[threading.Thread] = []
        self.lock = threading.Lock()
        self.ended = False
        self.memory = ctypes.create_string_buffer(pool_code.POOL_BYTES + 64)
        self.address = -(-ctypes.addressof(self.memory) // 64) * 64
        for slot in range(pool_code.SLOTS + 1):
            base = self.address
            if slot:
                base += pool_code.FIRST_SLOT + (slot - 1) * pool_code.SLOT_BYTES + 256
            _initialise(base)
        self._hire = ctypes.CFUNCTYPE(None, ctypes.c_int64)(self.grow)
        self._words = (ctypes.c_int64 * (pool_code.POOL_BYTES // 8)).from_address(self.address)
        self._words[_HIRE] = ctypes.cast(self._hire, ctypes.c_void_p).value or 0
        prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)
        self._work = prototype(code().addresses["openpto_worker"])
        self._end = prototype(code().addresses["openpto_end_workers"])
        self.parallel = code().addresses["openpto_parallel"]

    def grow(self, threads: int) -> None:
        """Have workers for a caller that counts ``threads`` with itself; fewer if the system has no more. Compiled code
        calls it before it shares a region among more threads than ever before."""
        with self.lock:
            self._words[_ASKED] = max(self._words[_ASKED], threads)
            while len(self.workers) < threads - 1 and not self.ended:
                number = len(self.workers) + 1
                worker = threading.Thread(
                    target=self._work, args=(self.address, number), name=f"pypto-worker-{number}", daemon=True
                )
                try:
                    worker.start()
                except RuntimeError:  # no more threads: callers do what is left
                    return
                self.workers.append(worker)

    def end(self) -> None:
        """Let every worker return; callers do all chunks themselves from now on."""
        self.ended = True
        self._end(self.address, 0)
        for worker in self.workers:
            worker.join(_JOIN_SECONDS)


def _initialise(base: int) -> None:
    """A mutex at ``base`` and a condition 128 bytes after it."""
    library = ctypes.CDLL(None)
    library.pthread_mutex_init(ctypes.c_void_p(base), None)
    library.pthread_cond_init(ctypes.c_void_p(base + 128), None)


def is_used() -> bool:
    """Whether a region was shared in this process."""
    return _pool is not None


def shared() -> Pool:
    """The process's pool, which starts workers when a caller wants them."""
    global _pool
    pool = _pool
    if pool is None or pool.process != os.getpid():
        with _lock:
            if _pool is None or _pool.process != os.getpid():
                _pool = Pool()
            pool = _pool
    return pool


def _forget() -> None:
    """In the child of a fork there are no workers, and locks may be held by threads that do not exist."""
    global _lock, _pool
    _lock = threading.Lock()
    _pool = None


def _end_workers() -> None:
    pool = _pool
    if pool is not None and pool.process == os.getpid():
        pool.end()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
atexit.register(_end_workers)
