"""Object files: compiled by several threads, the same code and the same errors as by one."""

import ctypes
import os
import threading

import pytest

from openpto.runtime.native import ahead, gemm, jit, objects

FUNCTIONS = 6


def module(wrong=-1):
    """A kernel that adds 0, 1 ... to the integer at its first argument, each in a long function of its own."""
    texts = []
    for k in range(FUNCTIONS):
        steps = "\n".join(f"  %x{n + 1} = xor i64 %x{n}, {n // 2}" for n in range(200))
        last = "%nothing" if k == wrong else "%x200"
        texts.append(
            f"define internal i64 @f{k}(i64 %a) noinline {{\nentry:\n  %x0 = add i64 %a, {k}\n{steps}\n"
            f"  ret i64 {last}\n}}"
        )
    calls = "\n".join(f"  %y{k + 1} = call i64 @f{k}(i64 %y{k})" for k in range(FUNCTIONS))
    return "\n".join(
        [
            *texts,
            "define i64 @kernel(ptr %p, ptr %s, ptr %a, ptr %r) noinline optnone {",
            f"entry:\n  %y0 = load i64, ptr %p\n{calls}\n  ret i64 %y{FUNCTIONS}\n}}\n",
        ]
    )


@pytest.fixture(autouse=True)
def nothing_on_disk(monkeypatch):
    monkeypatch.setenv("PYPTO_CACHE_DIR", "off")


def result(hands):
    """What the kernel gives for 100."""
    code = jit.compile_text(module(), jit.target(), hands=hands)
    return code.entry(ctypes.byref(ctypes.c_int64(100)), None, None, None)


@pytest.mark.parametrize("hands", [1, 2, 3, 9])
def test_any_number_of_threads_makes_the_same_function(hands):
    before = threading.active_count()
    assert result(hands) == 100 + sum(range(FUNCTIONS))
    assert threading.active_count() == before
    [(_, code)] = objects.object_codes(jit.target(), [module()], hands)
    assert len(list(objects.images(code))) == 1 + min(hands, 4)


def test_several_modules_are_compiled_at_once():
    single = objects.object_codes(jit.target(), [module()], 3)
    assert objects.object_codes(jit.target(), [module(), module()], 3) == single * 2


@pytest.mark.parametrize("wrong", range(FUNCTIONS))
def test_an_error_of_any_thread_is_raised(wrong):
    with pytest.raises(RuntimeError, match="nothing"):
        objects.object_codes(jit.target(), [module(wrong)], 3)
    assert result(3) == 100 + sum(range(FUNCTIONS))


def test_an_interruption_waits_for_the_helpers(monkeypatch):
    plain, own, stopped = objects._object, threading.get_ident(), threading.Event()

    def interrupted(goal, job):
        if threading.get_ident() == own:
            stopped.set()
            raise KeyboardInterrupt
        assert stopped.wait(60)
        return plain(goal, job)

    before = threading.active_count()
    with monkeypatch.context() as failing:
        failing.setattr(objects, "_object", interrupted)
        with pytest.raises(KeyboardInterrupt):
            objects.object_codes(jit.target(), [module()], 3)
    assert threading.active_count() == before
    assert result(3) == 100 + sum(range(FUNCTIONS))


def test_a_second_interruption_waits_too(monkeypatch):
    done, joined, plain = threading.Event(), [], threading.Thread.join

    def interrupted(self, timeout=None):
        joined.append(self)
        if len(joined) == 1:
            done.set()
            raise KeyboardInterrupt
        plain(self, timeout)

    helper = threading.Thread(target=done.wait)
    helper.start()
    monkeypatch.setattr(threading.Thread, "join", interrupted)
    with pytest.raises(KeyboardInterrupt):
        objects._await([helper])
    assert not helper.is_alive()


def test_without_more_threads_one_does_everything(monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert result(3) == 100 + sum(range(FUNCTIONS))
    jit.begin(jit.target("generic"), gemm.modules(("gemm_f16_nt",), jit.target("generic")))


@pytest.fixture
def fresh(monkeypatch):
    """The compiler of a process that has no routines; what was begun before is not asked for."""
    shared = jit._shared()
    monkeypatch.setattr(shared, "routines", {})
    monkeypatch.setattr(ahead, "_begun", {})
    return shared


CALLER = """
declare void @gemm_pack_f32_rows()
define i64 @kernel(ptr %p, ptr %s, ptr %a, ptr %r) {
  %address = ptrtoint ptr @gemm_pack_f32_rows to i64
  %there = icmp ne i64 %address, 0
  %result = zext i1 %there to i64
  ret i64 %result
}
"""


def test_routines_are_compiled_ahead(monkeypatch, fresh):
    goal, compiled, plain = jit.target("generic"), [], objects._compile
    routines = gemm.modules(("gemm_f32_nn", "gemm_bf16_nt"), goal)

    def compiling(goal, jobs, hands):
        compiled.append((threading.current_thread().name, hands, len(jobs)))
        plain(goal, jobs, hands)

    monkeypatch.setattr(objects, "_compile", compiling)
    jit.begin(goal, routines)
    jit.begin(goal, dict.fromkeys(routines, "not compiled"))
    code = jit.compile_text(CALLER, goal, routines, 2)
    assert code.entry(None, None, None, None) == 1
    [(_, before)] = [(hands, jobs) for thread, hands, jobs in compiled if thread == "pypto-compiler"]
    assert before >= len(routines)
    assert [(hands, jobs) for thread, hands, jobs in compiled if thread != "pypto-compiler"] == [(2, 1)]  # the kernel
    assert {name for _, name in fresh.routines} == set(routines)
    assert len({id(library) for library, _ in fresh.routines.values()}) == 1


def test_what_fails_ahead_is_found_out_by_who_needs_it(fresh):
    goal = jit.target("generic")
    routines = gemm.modules(("gemm_f32_nn",), goal)
    jit.begin(goal, dict.fromkeys(routines, "nonsense"))
    assert ahead.taken(goal, next(iter(routines))) is None
    assert jit.compile_text(CALLER, goal, routines).entry(None, None, None, None) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a fork")
def test_a_child_does_not_wait_for_a_thread_of_its_parent(fresh):
    goal = jit.target("generic")
    routines = gemm.modules(("gemm_f32_nn",), goal)
    with ahead._lock:
        jit.begin(goal, routines)  # its thread waits for the lock
        work = ahead._begun[goal, next(iter(routines))]
        assert not work.done.is_set()
        work.process -= 1  # as a forked child finds it
        assert ahead.taken(goal, next(iter(routines))) is None
    work.done.wait(60)


def test_an_extra_is_linked_along_if_it_was_begun(fresh):
    taken = []
    text = "define i64 @more() {\n  ret i64 7\n}\n"
    extra = jit.Extra("an_extra", text, ("more",), taken.append)
    jit.compile_text(module(), jit.target(), None, 1, extra)
    assert not taken
    jit.begin(jit.target(), {extra.name: extra.text})
    code = jit.compile_text(module(), jit.target(), None, 1, extra)
    assert code.address != taken[0].addresses["more"]
    assert ctypes.CFUNCTYPE(ctypes.c_int64)(taken[0].addresses["more"])() == 7
