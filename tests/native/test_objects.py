"""Object files: compiled by several threads, the same code and the same errors as by one."""

import threading

import pytest

from openpto.runtime.native import gemm, jit, objects

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
    import ctypes

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

    def interrupted(goal, job, hand):
        if threading.get_ident() == own:
            stopped.set()
            raise KeyboardInterrupt
        assert stopped.wait(60)
        return plain(goal, job, hand)

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


def compiled_ahead(monkeypatch, goal, routines):
    """What the process keeps after the routines were compiled by a thread of their own; it had none before."""
    shared = jit._shared()
    monkeypatch.setattr(shared, "routines", {})
    jit.begin(goal, routines)
    for thread in threading.enumerate():
        if thread.name == "pypto-compiler":
            thread.join(60)
    assert {name for _, name in shared.routines} == set(routines)
    return shared


def test_routines_are_compiled_ahead(monkeypatch):
    goal = jit.target("generic")
    routines = gemm.modules(("gemm_bf16_tn",), goal)
    shared = compiled_ahead(monkeypatch, goal, routines)
    compiled = []
    monkeypatch.setattr(objects, "_compile", lambda goal, jobs, hands: compiled.extend(jobs))
    jit._made(shared, goal, routines, 1)
    assert not compiled


def test_routines_of_several_kinds_are_one_library(monkeypatch):
    goal = jit.target("generic")
    routines = gemm.modules(("gemm_f32_nn", "gemm_bf16_nt", "gemm_i8_tn"), goal)
    shared = compiled_ahead(monkeypatch, goal, routines)
    assert len({id(library) for library, _ in shared.routines.values()}) == 1
