"""The demonstration runs through and reports what it promises."""

import dataclasses
import subprocess
import sys

from openpto_gym import demo


def test_demo_exits_clean():
    done = subprocess.run([sys.executable, "-m", "openpto_gym.demo"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 numbers of rows, 1 compilation(s)" in done.stdout
    assert "error[PTO" in done.stdout
    assert "mistake.py" in done.stdout


def test_demo_fails_when_a_result_is_off(monkeypatch, capsys):
    """A miss is reported and the exit code says so."""
    good = next(demo.results())
    bad = dataclasses.replace(good, case="planted", verdict="miss")
    monkeypatch.setattr(demo, "results", lambda: iter([bad]))
    assert demo.main() == 1
    assert "FAILED: softmax planted" in capsys.readouterr().err
