"""The store of machine code: entries survive, and nothing that somebody else could have written is returned."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from openpto.runtime import store as module
from openpto.runtime.store import Store, Usage, key_of

KEY = key_of("a")
posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes are those of POSIX")
not_root = pytest.mark.skipif(
    os.name == "posix" and os.geteuid() == 0, reason="the superuser may write to every folder"
)


def entry(folder: Path) -> Path:
    (path,) = folder.glob("*.bin")
    return path


def test_content_comes_back_and_belongs_to_its_key(tmp_path):
    store = Store(tmp_path / "made" / "here")
    assert store.get(KEY) is None
    assert store.put(KEY, b"code \x00\xff" * 1000)
    assert Store(store.folder).get(KEY) == b"code \x00\xff" * 1000
    assert store.get(key_of("b")) is None
    assert store.usage().entries == 1


def test_key_parts_are_delimited():
    assert key_of("ab", "c") != key_of("a", "bc")
    assert key_of("ab") != key_of("a", "b")
    assert key_of(b"a", 1) == key_of("a", "1")


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: b"",
        lambda data: data + b"x",
        lambda data: data[:60] + bytes([data[60] ^ 1]) + data[61:],
        lambda data: b"X" + data[1:],
        lambda data: data[:20],
    ],
    ids=["truncated", "empty", "longer", "one bit", "magic", "short"],
)
def test_a_damaged_entry_is_removed_and_may_be_written_again(tmp_path, damage):
    store = Store(tmp_path)
    store.put(KEY, b"content " * 50)
    path = entry(tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    assert store.get(KEY) is None
    assert not path.exists()
    assert store.put(KEY, b"content")
    assert store.get(KEY) == b"content"


def test_an_entry_under_the_name_of_another_is_not_returned(tmp_path):
    store = Store(tmp_path)
    store.put(KEY, b"content")
    entry(tmp_path).rename(tmp_path / f"{key_of('b')}.bin")
    assert store.get(key_of("b")) is None


@posix
def test_files_and_folder_are_private(tmp_path):
    store = Store(tmp_path / "new")
    store.put(KEY, b"content")
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    assert entry(tmp_path / "new").stat().st_mode & 0o777 == 0o600


@posix
def test_what_others_may_write_is_not_used(tmp_path):
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    store = Store(tmp_path / "open")
    assert not store.put(KEY, b"content")
    assert "others may write" in store.problem
    store = Store(tmp_path / "own")
    store.put(KEY, b"content")
    entry(tmp_path / "own").chmod(0o666)
    assert store.get(KEY) is None


@posix
def test_a_folder_of_somebody_else_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(module.os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    store = Store(tmp_path)
    assert store.get(KEY) is None
    assert not store.put(KEY, b"content")
    assert "belongs to somebody else" in store.check()
    assert list(tmp_path.iterdir()) == []


@posix
def test_a_link_is_not_followed(tmp_path):
    store = Store(tmp_path)
    store.put(KEY, b"content")
    path = entry(tmp_path)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert store.get(KEY) is None


@posix
@not_root
def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    tmp_path.chmod(0o500)
    store = Store(tmp_path)
    assert not store.put(KEY, b"content")
    assert "cannot be written" in store.check()


def test_a_file_in_place_of_the_folder_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        store = Store(folder)
        assert store.get(KEY) is None
        assert not store.put(KEY, b"content")
        assert str(folder) in store.problem


def test_off(monkeypatch):
    monkeypatch.setenv(module.FOLDER_VARIABLE, "off")
    store = module.store()
    assert store.get(KEY) is None
    assert not store.put(KEY, b"content")
    assert store.check() == "PYPTO_CACHE_DIR is off"
    assert store.usage() == Usage(0, 0)


def test_the_variable_counts_at_each_use(monkeypatch, tmp_path):
    monkeypatch.setenv(module.FOLDER_VARIABLE, str(tmp_path / "a"))
    module.store().put(KEY, b"content")
    monkeypatch.setenv(module.FOLDER_VARIABLE, str(tmp_path / "b"))
    assert module.store().get(KEY) is None
    monkeypatch.setenv(module.FOLDER_VARIABLE, str(tmp_path / "a"))
    assert module.store().get(KEY) == b"content"


def test_size_is_bounded_and_the_least_used_goes_first(tmp_path):
    store = Store(tmp_path, limit=10_000)
    for number in range(8):
        store.put(key_of(number), bytes(1000))
        os.utime(tmp_path / f"{key_of(number)}.bin", (1000 + number, 1000 + number))
    store.get(key_of(0))  # used now
    for number in range(8, 11):
        store.put(key_of(number), bytes(1000))
    assert store.usage().bytes <= 10_000
    assert store.get(key_of(0)) is not None
    assert store.get(key_of(1)) is None
    assert store.get(key_of(10)) is not None


def test_clear(tmp_path):
    store = Store(tmp_path)
    for number in range(3):
        store.put(key_of(number), bytes(100))
    assert store.clear().entries == 3
    assert store.usage() == Usage(0, 0)
    assert store.get(key_of(0)) is None
    assert store.put(key_of(0), b"again")


def test_a_removed_folder_is_made_again(tmp_path):
    store = Store(tmp_path / "cache")
    store.put(KEY, b"content")
    entry(tmp_path / "cache").unlink()
    (tmp_path / "cache").rmdir()
    assert store.get(KEY) is None
    assert store.put(KEY, b"content")
    assert store.get(KEY) == b"content"


def test_processes_at_once_do_no_harm(tmp_path):
    """Four processes write, read and clear the same keys; every read gives whole content or nothing."""
    program = textwrap.dedent("""
        import sys, random
        from pathlib import Path
        from openpto.runtime.store import Store, key_of
        store = Store(Path(sys.argv[1]), limit=60_000)
        chance = random.Random(int(sys.argv[2]))
        for turn in range(300):
            number = chance.randrange(20)
            wanted = bytes([number]) * (1000 + 100 * number)
            found = store.get(key_of(number))
            assert found is None or found == wanted
            store.put(key_of(number), wanted)
            if chance.random() < 0.02:
                store.clear()
        assert not store.problem, store.problem
    """)
    command = [sys.executable, "-c", program, str(tmp_path)]
    running = [subprocess.Popen([*command, str(n)], stderr=subprocess.PIPE, text=True) for n in range(4)]
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    assert Store(tmp_path).usage().bytes <= 80_000
