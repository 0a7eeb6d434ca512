"""Run modes: PYPTO_RUN_MODE over decorator over default (semantics 6, core 1.3)."""

import numpy as np
import pytest
from semantics_support import F32, T, blank, fails, jit, whole

import pypto


def build(**options):
    @jit(**options)
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + 1.0

    return kernel


def call(kernel):
    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o)
    assert np.array_equal(o, x + 1)
    return kernel.last_run


def test_default_is_sim(monkeypatch):
    """Without anything the mode is SIM, and the receipt says that it is the default."""
    monkeypatch.delenv("PYPTO_RUN_MODE", raising=False)
    receipt = call(build())
    assert str(receipt.run_mode).lower().endswith("sim")
    assert "default" in str(receipt.run_mode_source).lower()


@pytest.mark.parametrize("mode", [pypto.RunMode.SIM, 1], ids=str)
def test_decorator_sim(monkeypatch, mode):
    """SIM by the decorator, as enum or number."""
    monkeypatch.delenv("PYPTO_RUN_MODE", raising=False)
    receipt = call(build(runtime_options={"run_mode": mode}))
    assert str(receipt.run_mode).lower().endswith("sim")
    assert "decorator" in str(receipt.run_mode_source).lower()


@pytest.mark.parametrize("mode", [pypto.RunMode.NPU, 0], ids=str)
def test_npu_without_a_device(monkeypatch, mode):
    """NPU without a device: what a device needs, and how to run in SIM."""
    monkeypatch.delenv("PYPTO_RUN_MODE", raising=False)
    with fails("PYPTO_RUN_MODE", exc=RuntimeError):
        call(build(runtime_options={"run_mode": mode}))


def test_environment_wins(monkeypatch):
    """A file with a hard-coded NPU mode runs with PYPTO_RUN_MODE=sim."""
    kernel = build(runtime_options={"run_mode": pypto.RunMode.NPU})
    monkeypatch.setenv("PYPTO_RUN_MODE", "sim")
    receipt = call(kernel)
    assert str(receipt.run_mode).lower().endswith("sim")
    assert "PYPTO_RUN_MODE" in str(receipt.run_mode_source)
    monkeypatch.setenv("PYPTO_RUN_MODE", "npu")
    with fails("NPU"):
        call(build(runtime_options={"run_mode": pypto.RunMode.SIM}))


def test_resolved_at_the_call(monkeypatch):
    """The mode is resolved at the call, not at decoration."""
    monkeypatch.setenv("PYPTO_RUN_MODE", "npu")
    kernel = build()
    monkeypatch.setenv("PYPTO_RUN_MODE", "SIM")
    call(kernel)


def test_wrong_values(monkeypatch):
    """Other values are refused with the documented phrase."""
    monkeypatch.delenv("PYPTO_RUN_MODE", raising=False)
    for mode in (2, "sim_mode", 1.5):
        with fails("Invalid run mode, run mode must be RunMode.NPU or RunMode.SIM"):
            call(build(runtime_options={"run_mode": mode}))
    monkeypatch.setenv("PYPTO_RUN_MODE", "simulator")
    with fails("PYPTO_RUN_MODE"):
        call(build())


def test_numbers_of_the_enum():
    """NPU is 0, SIM is 1."""
    assert int(pypto.RunMode.NPU) == 0
    assert int(pypto.RunMode.SIM) == 1
