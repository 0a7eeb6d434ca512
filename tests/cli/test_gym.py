"""`pypto gym`: list, show and run, in this process."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from openpto.cli import app as application
from openpto_gym import check as checking
from openpto_gym import registry
from openpto_gym.check import Result
from openpto_gym.operator import Operator

RUNNER = CliRunner()


def gym(*arguments: str):
    return RUNNER.invoke(application.app, ["gym", *arguments])


def test_list_names_every_operator() -> None:
    done = gym("list")
    assert done.exit_code == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(registry.NAMES)


def test_show_prints_the_page_and_the_cases() -> None:
    done = gym("show", "softmax")
    assert done.exit_code == 0
    assert "# Row softmax" in done.stdout
    for case in registry.load("softmax").cases:
        assert case.name in done.stdout
    lines = {line.split()[0]: line for line in done.stdout.split("Cases:")[1].splitlines() if line.strip()}
    assert lines["one_past_a_tile"].endswith("  tail")
    assert lines["scores_of_a_model"].endswith("slow  long     Gemma4: 4096 keys")


def test_run_prints_a_line_per_output() -> None:
    done = gym("run", "relu", "scale_add", "--golden", "numpy")
    assert done.exit_code == 0, done.output
    cases = [case for name in ("relu", "scale_add") for case in registry.load(name).cases if not case.slow]
    assert f"{len(cases)} ok" in done.stdout
    assert "special_values" in done.stdout


def test_run_of_one_dtype() -> None:
    assert gym("run", "relu", "--dtype", "int8", "--golden", "numpy").exit_code == 2
    assert gym("run", "relu", "--dtype", "FP32", "--golden", "numpy").exit_code == 0


@pytest.mark.parametrize("arguments", [["run"], ["run", "relu", "--all"], ["run", "relu", "--golden", "mpmath"]])
def test_wrong_usage(arguments: list[str]) -> None:
    assert gym(*arguments).exit_code == 2


@pytest.mark.parametrize("arguments", [["run", "nonsense"], ["show", "nonsense"]])
def test_unknown_operator_is_a_coded_stop(arguments: list[str]) -> None:
    done = gym(*arguments)
    assert done.exit_code == 1
    assert "PTO599" in str(done.exception)


def test_a_miss_ends_with_code_1_and_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    real = registry.load("relu")

    def off(case, arrays):
        return {"out": real.numpy(case, arrays)["out"] + 1}

    wrong = Operator(real.name, real.summary, real.cases[:2], real.inputs, real.run, real.torch, off)
    monkeypatch.setattr(registry, "load", lambda name: wrong)
    done = gym("run", "relu", "--golden", "numpy")
    assert done.exit_code == 1
    assert "2 miss" in done.stdout
    assert "MISS: 1 of 1 out" in done.stdout
    assert "errors in ULP" in done.stderr


def test_a_skip_is_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "torch_is_here", lambda: False)
    done = gym("run", "relu")
    assert done.exit_code == 1
    assert "skipped: needs torch" in done.stdout
    assert "no pass" in done.stderr


def test_an_error_shows_its_first_line_in_the_table() -> None:
    from openpto_gym import table

    result = Result("relu", "case", "FP32", "1", "", registry.load("relu").cases[0].tolerance, "error", note="a\nb")
    assert table.outcome(result) == "error: a"
    assert result.details == "a\nb"
