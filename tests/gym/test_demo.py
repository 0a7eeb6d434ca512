"""The demonstration runs through and reports what it promises."""

import subprocess
import sys

import numpy as np
import pytest

from openpto_gym import demo
from openpto_gym.comparison import Difference, Tolerance, compare


def test_demo_exits_clean():
    done = subprocess.run([sys.executable, "-m", "openpto_gym.demo"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 numbers of rows, 1 compilation(s)" in done.stdout
    assert "error[PTO" in done.stdout
    assert "mistake.py" in done.stdout


def test_demo_fails_when_a_result_is_off(monkeypatch, capsys):
    """A miss is reported and the exit code says so."""
    bad = demo.Row("planted", "1x1", Difference(1.0, 9.0, 1, 1), Tolerance(0.0, 0.0), 0.0)
    monkeypatch.setattr(demo, "softmax_rows", lambda: iter([bad]))
    monkeypatch.setattr(demo, "delta_rule_rows", lambda: iter([]))
    assert demo.main() == 1
    assert "FAILED: planted" in capsys.readouterr().err


def test_compare_counts_what_is_outside():
    golden = np.array([1.0, 2.0, 0.0, np.inf, np.nan])
    actual = np.array([1.0, 2.1, np.nan, np.inf, np.nan], np.float32)
    difference = compare(actual, golden, Tolerance(rtol=0.01, atol=0.0))
    assert difference.outside == 2
    assert difference.max_abs == np.inf
    assert not difference.ok


def test_compare_of_nothing_is_not_a_pass():
    assert not compare(np.zeros(0, np.float32), np.zeros(0), Tolerance(0.0, 0.0)).ok
    with pytest.raises(ValueError, match="shape"):
        compare(np.zeros(2, np.float32), np.zeros(3), Tolerance(0.0, 0.0))


def test_units_of_the_last_place():
    """An error of one float32 step is one unit; tiny elements are measured by the bound, not by themselves."""
    golden = np.array([1.0, 1e-9])
    actual = np.array([np.nextafter(np.float32(1), np.float32(2)), 2e-9], np.float32)
    difference = compare(actual, golden, Tolerance(rtol=0.0, atol=1.0))
    assert difference.max_ulp == 1.0
    tiny = compare(np.array([1.0, 2e-9], np.float32), golden, Tolerance(rtol=0.0, atol=1.0))
    assert tiny.max_ulp < 20
