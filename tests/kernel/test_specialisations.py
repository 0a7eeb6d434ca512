"""The store of compiled forms: one build per key, guards, failures, many threads."""

import threading
import time

import pytest

from openpto.ir.nodes import Block, Kernel
from openpto.kernel.specialise import MAX_SPECIALISATIONS, Compiled, Specialisations


class Guard:
    def __init__(self):
        self.ok = True

    def holds(self):
        return self.ok


def compiled(*guards):
    return Compiled(Kernel("k", (), Block(())), "0", (), guards, (), 0.0)


def test_a_key_is_built_once():
    store = Specialisations()
    first, fresh = store.get("a", compiled)
    again, later = store.get("a", compiled)
    assert (fresh, later, first is again, store.compilations) == (True, False, True, 1)


def test_a_guard_that_fails_builds_again_and_the_older_form_comes_back():
    store, guards = Specialisations(), (Guard(), Guard())
    first, _ = store.get("a", lambda: compiled(guards[0]))
    guards[0].ok = False
    second, fresh = store.get("a", lambda: compiled(guards[1]))
    assert fresh
    guards[0].ok, guards[1].ok = True, False
    assert store.get("a", compiled) == (first, False)
    assert (second is not first, store.compilations) == (True, 2)


def test_a_failed_build_leaves_nothing():
    store = Specialisations()

    def fail():
        raise ValueError("no")

    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            store.get("a", fail)
    assert store.compilations == 0
    assert store.get("a", compiled)[1]


def test_threads_wait_for_one_build():
    store, built, results = Specialisations(), [], []

    def build():
        time.sleep(0.02)
        built.append(1)
        return compiled()

    def work():
        results.append(store.get("a", build)[0])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(built) == 1
    assert len({id(r) for r in results}) == 1


def test_the_store_does_not_grow_without_end():
    store = Specialisations()
    for key in range(MAX_SPECIALISATIONS + 10):
        store.get(key, compiled)
    assert store.get(MAX_SPECIALISATIONS + 9, compiled)[1] is False
    assert store.get(0, compiled)[1] is True
