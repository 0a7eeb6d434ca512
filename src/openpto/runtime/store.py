"""Bytes on disk by key: what keeps machine code between processes.

Machine code that is loaded runs with the user's rights, so the folder and every entry must belong to the user and be
writable by nobody else, and the bytes that were verified are the bytes that are returned: an entry is read once, from
one open file, and carries a digest of its key and content. Entries appear whole or not at all (written beside and
renamed), so processes do not disturb one another. Whatever is wrong with the folder, the kernel still runs: the store
says why it is not used, and the caller compiles.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
import threading
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from openpto._forks import opened_in_child
from openpto._records import dataclass

FOLDER_VARIABLE = "PYPTO_CACHE_DIR"
"""Where the store is; the value ``off`` switches it off."""

MAX_BYTES = 256 * 2**20
KEPT_SHARE = 0.8
"""What is left of ``MAX_BYTES`` after old entries were removed."""

_MAGIC = b"OPTO-1\n"
_DIGEST = hashlib.sha256().digest_size
_SUFFIX = ".bin"
_POSIX = os.name == "posix"


@dataclass(frozen=True, slots=True)
class Usage:
    """What a store holds: number of entries and their bytes."""

    entries: int
    bytes: int


class Store:
    """One folder of entries. Keys are hexadecimal digests.

    Attributes:
        folder: where it is, None if it is switched off.
        problem: why it is not used, or not written to; empty if nothing is wrong.
    """

    def __init__(self, folder: Path | None, limit: int = MAX_BYTES) -> None:
        self.folder = folder
        self.limit = limit
        self.problem = "" if folder is not None else f"{FOLDER_VARIABLE} is off"
        self._usable: bool | None = None if folder is not None else False
        self._held: int | None = None
        self._lock = opened_in_child(threading.Lock())

    def get(self, key: str) -> bytes | None:
        """The content of an entry; None if there is none, or if it is not as it was written (it is removed then)."""
        if not self._ready() or self.folder is None:
            return None
        path = self.folder / (key + _SUFFIX)
        try:
            content = _verified(_read(path), key)
        except FileNotFoundError:
            return None
        except (OSError, ValueError):
            with suppress(OSError):
                path.unlink()
            return None
        with suppress(OSError):
            os.utime(path)  # the entry unused for longest goes first
        return content

    def put(self, key: str, content: bytes) -> bool:
        """Keep an entry; returns whether it was kept."""
        if not self._ready() or self.folder is None:
            return False
        data = b"".join((_MAGIC, _digest(key, content), content))
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # somebody may have removed it meanwhile
            handle, name = tempfile.mkstemp(prefix="new-", suffix=_SUFFIX, dir=self.folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                os.replace(name, self.folder / (key + _SUFFIX))
            except BaseException:
                with suppress(OSError):
                    os.unlink(name)
                raise
        except FileNotFoundError:  # cleared by another process at this moment
            return False
        except OSError as error:
            self.problem = f"{self.folder} cannot be written: {error.strerror or error}"
            return False
        self._bound(len(data))
        return True

    def usage(self) -> Usage:
        """Number and size of the entries."""
        sizes = [size for _, size, _ in self._entries()]
        return Usage(len(sizes), sum(sizes))

    def clear(self) -> Usage:
        """Remove all entries; returns what was removed."""
        count = size = 0
        for _, length, path in self._entries():
            with suppress(OSError):
                os.unlink(path)
                count, size = count + 1, size + length
        self._held = None
        return Usage(count, size)

    def check(self) -> str:
        """Why the store is not used or not written to, now; empty if nothing is wrong."""
        self._ready()
        return self.problem

    def _ready(self) -> bool:
        """Whether the folder may be used; the first question makes it."""
        with self._lock:
            if self._usable is None:
                assert self.folder is not None
                self.problem = _refusal(self.folder)
                self._usable = not self.problem
        return self._usable

    def _entries(self) -> list[tuple[float, int, str]]:
        """(last use, size, path) of every entry."""
        found: list[tuple[float, int, str]] = []
        if not self._ready() or self.folder is None:
            return found
        with suppress(OSError), os.scandir(self.folder) as entries:
            for entry in entries:
                if entry.name.endswith(_SUFFIX) and entry.is_file(follow_symlinks=False):
                    with suppress(OSError):
                        about = entry.stat(follow_symlinks=False)
                        found.append((about.st_mtime, about.st_size, entry.path))
        return found

    def _bound(self, added: int) -> None:
        """Remove what was unused for longest once the limit is passed."""
        with self._lock:
            known = self._held
        if known is not None and known + added <= self.limit:
            self._held = known + added
            return
        entries = sorted(self._entries())
        total = sum(size for _, size, _ in entries)
        if total > self.limit:
            for _, size, path in entries:
                if total <= KEPT_SHARE * self.limit:
                    break
                with suppress(OSError):
                    os.unlink(path)
                total -= size
        self._held = total


def store() -> Store:
    """The store of this process, as ``PYPTO_CACHE_DIR`` says now."""
    return _store(os.environ.get(FOLDER_VARIABLE, ""), os.getpid())


@lru_cache(maxsize=8)
def _store(chosen: str, process: int) -> Store:
    if chosen.strip().lower() == "off":
        return Store(None)
    if chosen.strip():
        return Store(Path(chosen).expanduser())
    import platformdirs

    return Store(Path(platformdirs.user_cache_dir("openpto", appauthor=False)))


def key_of(*parts: object) -> str:
    """A key made of the text of several parts, each delimited."""
    digest = hashlib.sha256()
    for part in parts:
        text = part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(text).to_bytes(8, "little"))
        digest.update(text)
    return digest.hexdigest()


def _digest(key: str, content: bytes) -> bytes:
    return hashlib.sha256(key.encode() + b"\n" + content).digest()


def _verified(data: bytes, key: str) -> bytes:
    """The content of an entry (ValueError if it is not what was written under this key)."""
    start = len(_MAGIC) + _DIGEST
    content = data[start:]
    if not data.startswith(_MAGIC) or data[len(_MAGIC) : start] != _digest(key, content):
        raise ValueError("not an entry of this key")
    return content


def _read(path: Path) -> bytes:
    """All bytes of a file of the user (ValueError if it is somebody else's, or no plain file)."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode) or _foreign(about):
            raise ValueError("not a file of this user")
        return file.read()


def _refusal(folder: Path) -> str:
    """Why a folder cannot be used, empty if it can; makes the folder if it is not there."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        about = folder.stat()
    except OSError as error:
        return f"{folder} cannot be made: {error.strerror or error}"
    if not stat.S_ISDIR(about.st_mode):
        return f"{folder} is not a folder"
    if _foreign(about):
        return f"{folder} belongs to somebody else, or others may write to it"
    return ""


def _foreign(about: os.stat_result) -> bool:
    """Whether somebody else could have written it."""
    return _POSIX and (about.st_uid != os.geteuid() or bool(about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)))


__all__ = ["FOLDER_VARIABLE", "Store", "Usage", "key_of", "store"]
