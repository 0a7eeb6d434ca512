"""`openpto.configure` and PYPTO_* variables: what wins, what is refused, and in which threads it holds."""

import threading

import pytest

from openpto.diagnostics import PyptoError, PyptoWarning, current_target
from openpto.ir.enums import RunMode
from openpto.kernel.run_mode import resolve_run_mode
from openpto.language.configuration import Settings, configure, settings
from openpto.language.options import set_semantic_label


def test_defaults():
    assert settings() == Settings("npu", "auto", None, None, None)


def test_plain_call_holds_for_the_process():
    configure(target="0.2", threads=3)
    seen = []
    thread = threading.Thread(target=lambda: seen.append(settings()))
    thread.start()
    thread.join()
    assert (seen[0].target, seen[0].threads, current_target()) == ("0.2", 3, "0.2")
    configure(target=None)
    assert settings().target is None


def test_block_holds_for_its_thread_and_ends():
    configure(numerics="strict")
    with configure(target="0.3", numerics="npu"):
        seen = []
        thread = threading.Thread(target=lambda: seen.append(settings()))
        thread.start()
        thread.join()
        assert (settings().target, settings().numerics) == ("0.3", "npu")
        assert (seen[0].target, seen[0].numerics) == (None, "strict")
        with configure(platform="910B"):
            assert (settings().target, settings().platform) == ("0.3", "910B")
    assert settings() == Settings(numerics="strict")


def test_blocks_of_many_threads_leave_nothing_behind():
    def work():
        for _ in range(50):
            with configure(target="0.2"):
                assert settings().target == "0.2"

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert settings() == Settings()


def test_variables(monkeypatch):
    monkeypatch.setenv("PYPTO_NUMERICS", "strict")
    monkeypatch.setenv("PYPTO_ENGINE", "reference")
    monkeypatch.setenv("PYPTO_TARGET", "0.2")
    monkeypatch.setenv("PYPTO_PLATFORM", "910b")
    monkeypatch.setenv("PYPTO_NUM_THREADS", "4")
    assert settings() == Settings("strict", "reference", "0.2", "910B", 4)
    with configure(target="0.3", threads=None):
        assert (settings().target, settings().threads) == ("0.3", None)


@pytest.mark.parametrize(
    "variable", ["PYPTO_NUMERICS", "PYPTO_ENGINE", "PYPTO_TARGET", "PYPTO_PLATFORM", "PYPTO_NUM_THREADS"]
)
def test_variable_with_an_unknown_value(monkeypatch, variable):
    monkeypatch.setenv(variable, "banana")
    with pytest.raises(PyptoError, match="PTO295") as caught:
        settings()
    assert variable in str(caught.value)


@pytest.mark.parametrize(
    "changes",
    [{"target": "1.0"}, {"numerics": 3}, {"engine": "gpu"}, {"platform": "A100"}, {"threads": 0}, {"threads": True}],
)
def test_unknown_values(changes):
    with pytest.raises(PyptoError, match="PTO294"):
        configure(**changes)
    assert settings() == Settings()


def test_unknown_name_says_what_is_near():
    with pytest.raises(TypeError, match="target"):
        configure(targt="0.2")


def test_target_decides_what_a_portability_rule_does():
    with pytest.warns(PyptoWarning, match="PTO291"):
        set_semantic_label("func1_2")
    with configure(target="0.2"):
        set_semantic_label("func1_3")
    with configure(target="0.3"), pytest.raises(ValueError, match="PTO291"):
        set_semantic_label("func1_4")


def test_run_mode(monkeypatch):
    assert resolve_run_mode(None) == (RunMode.SIM, "default")
    assert resolve_run_mode(RunMode.NPU) == (RunMode.NPU, "decorator")
    monkeypatch.setenv("PYPTO_RUN_MODE", "sim")
    assert resolve_run_mode(RunMode.NPU) == (RunMode.SIM, "PYPTO_RUN_MODE")
    monkeypatch.setenv("PYPTO_RUN_MODE", "NPU")
    assert resolve_run_mode(None) == (RunMode.NPU, "PYPTO_RUN_MODE")
    monkeypatch.setenv("PYPTO_RUN_MODE", "fast")
    with pytest.raises(PyptoError, match="PTO295"):
        resolve_run_mode(None)
