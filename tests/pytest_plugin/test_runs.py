"""Runs of kernels under pytest: settings from the command line, run modes, and the summary."""

from __future__ import annotations

from nested import INSTALLED, SOFTMAX, pytest_in, python

SETTINGS = """
import os
import numpy as np
import pypto
import openpto


@pypto.frontend.jit
def add_one(x: pypto.Tensor([8, 32], pypto.DT_FP16), out: pypto.Tensor([8, 32], pypto.DT_FP16)):
    pypto.set_vec_tile_shapes(8, 32)
    out[:] = x + 1.0


def call():
    x, out = np.ones((8, 32), np.float16), np.zeros((8, 32), np.float16)
    add_one(x, out)
    assert (out == 2).all()


def test_settings_of_the_command_line(pypto_receipts):
    call()
    (receipt,) = pypto_receipts
    assert (receipt.engine, receipt.numerics, receipt.target) == ("reference", "strict", "0.3")
    assert receipt.platform == "910C"


def test_own_settings_win(pypto_receipts):
    with openpto.configure(engine="native", numerics="npu", target=None):
        call()
    assert [(r.engine, r.numerics, r.target) for r in pypto_receipts] == [("native", "npu", None)]


def test_threads_are_counted_too():
    import threading
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
"""


def test_a_script_of_an_operator_runs_with_run_mode_sim(tmp_path):
    (tmp_path / "test_softmax.py").write_text(SOFTMAX, encoding="utf-8")
    done = pytest_in(tmp_path, "--run_mode", "sim", "test_softmax.py", "-v")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "pypto: run mode sim" in done.stdout
    assert "1 kernel, 4 calls (native 4), 224 operations; 1 compilation" in done.stdout
    assert "run mode sim (PYPTO_RUN_MODE)" in done.stdout
    assert [line.split()[:5] for line in done.stdout.splitlines() if line.startswith("softmax_kernel")] == [
        ["softmax_kernel", "native", "4", "224", "1"]
    ]


def test_the_same_script_runs_by_itself(tmp_path):
    (tmp_path / "test_softmax.py").write_text(SOFTMAX, encoding="utf-8")
    done = python(tmp_path, "test_softmax.py", "--run_mode", "sim")
    assert (done.returncode, done.stdout) == (0, "passed in mode sim\n"), done.stderr


def test_without_a_device_run_mode_npu_stops_with_its_code(tmp_path):
    (tmp_path / "test_softmax.py").write_text(SOFTMAX, encoding="utf-8")
    done = pytest_in(tmp_path, "--run_mode=npu")
    assert done.returncode == 1
    assert "2 failed" in done.stdout
    assert "error[PTO298]: no NPU" in done.stdout
    assert "no call of a kernel completed\nstopped by a code: PTO298 x2\nrun mode npu needs a device" in done.stdout


def test_workers_bring_their_receipts(tmp_path):
    (tmp_path / "test_softmax.py").write_text(SOFTMAX, encoding="utf-8")
    done = pytest_in(tmp_path, "--run_mode", "sim", "-n", "2", "-q")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "pypto: 1 kernel, 4 calls (native 4), 224 operations;" in done.stdout


def test_settings(tmp_path):
    (tmp_path / "test_settings.py").write_text(SETTINGS, encoding="utf-8")
    options = ("--pypto-engine=reference", "--pypto-numerics=strict", "--pypto-target=0.3", "--pypto-platform=910C")
    done = pytest_in(tmp_path, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "pypto: engine reference, numerics strict, target 0.3, platform 910C" in done.stdout
    assert "1 kernel, 3 calls (native 1, reference 2)" in done.stdout
    assert "numerics npu, strict; target unset, 0.3; platform 910C" in done.stdout


def test_a_run_without_kernels_loads_nothing_and_says_nothing(tmp_path):
    text = (
        "import sys\n\n\ndef test_plain():\n"
        "    ours = {n for n in sys.modules if n.startswith('openpto.')}\n"
        "    expected = {'openpto._version', 'openpto._runs', 'openpto.pytest_plugin'}\n"
        "    assert ours == expected | {'openpto.pytest_plugin.options', 'openpto.pytest_plugin.tally'}\n"
        "    assert not {'numpy', 'pypto', 'torch', 'llvmlite'} & set(sys.modules)\n"
    )
    (tmp_path / "test_plain.py").write_text(text, encoding="utf-8")
    done = pytest_in(tmp_path)
    assert done.returncode == 0, done.stdout
    assert "pypto" not in done.stdout.replace("openpto", "")


def test_it_can_be_left_out(tmp_path):
    (tmp_path / "test_plain.py").write_text("def test_plain():\n    pass\n", encoding="utf-8")
    done = pytest_in(tmp_path, "-p", "no:openpto", "--pypto-engine=native", plugin=())
    assert done.returncode == 4
    assert "unrecognized arguments: --pypto-engine=native" in done.stderr
    if INSTALLED:
        assert pytest_in(tmp_path, "--pypto-engine=native", plugin=()).returncode == 0
