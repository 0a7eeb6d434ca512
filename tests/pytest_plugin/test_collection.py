"""What the plugin does with options, marks and files of cases; no kernel runs."""

from __future__ import annotations

import json
import os

import pytest
from nested import PLUGIN, QUIET

import openpto.testing  # noqa: F401 - so that runs in this process load nothing twice
from openpto.pytest_plugin import chips

pytest_plugins = ["pytester"]

PRINTS_THE_MODE = """
import os
def test_mode(request):
    assert os.environ.get("PYPTO_RUN_MODE") == {variable!r}
    assert {expression} == {value!r}
"""


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    for name in [name for name in os.environ if name.startswith("PYPTO_")]:
        monkeypatch.delenv(name)


def run(pytester, *args):
    return pytester.runpytest_inprocess(*QUIET, *PLUGIN, *args)


# -- --run_mode -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("args", [("--run_mode", "sim"), ("--run_mode=sim",), ("--pypto-run-mode=sim",)])
def test_run_mode(pytester, args):
    pytester.makepyfile(
        "import os\ndef test_mode(run_mode):\n    assert (run_mode, os.environ['PYPTO_RUN_MODE']) == ('sim', 'sim')\n"
    )
    run(pytester, *args).assert_outcomes(passed=1)
    assert "PYPTO_RUN_MODE" not in os.environ


def test_run_mode_in_the_settings_of_a_project(pytester):
    pytester.makeini("[pytest]\naddopts = --run_mode npu\n")
    pytester.makepyfile("def test_mode(run_mode):\n    assert run_mode == 'npu'\n")
    run(pytester).assert_outcomes(passed=1)


def test_other_run_modes_are_refused(pytester):
    pytester.makepyfile("def test_mode():\n    pass\n")
    result = run(pytester, "--run_mode", "device")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--pypto-run-mode: invalid choice: 'device'*"])


@pytest.mark.parametrize("way", ["parser.addoption", "parser.getgroup('npu').addoption"])
def test_a_conftest_with_its_own_run_mode_keeps_it(pytester, way):
    pytester.makeconftest(
        f"def pytest_addoption(parser):\n    {way}('--run_mode', default='npu', choices=['npu', 'sim', 'both'])\n"
    )
    test = PRINTS_THE_MODE.format(variable=None, expression="request.config.getoption('--run_mode')", value="both")
    pytester.makepyfile(test)
    run(pytester, "--run_mode", "both").assert_outcomes(passed=1)


def test_a_conftest_deep_in_the_tree_may_add_it_too(pytester):
    """It is read while tests are collected, after the command line; its option has its default there."""
    folder = pytester.mkdir("tests") / "ops" / "softmax"
    folder.mkdir(parents=True)
    (folder / "conftest.py").write_text(
        "def pytest_addoption(parser):\n    parser.addoption('--run_mode', default='npu')\n"
    )
    test = PRINTS_THE_MODE.format(variable="sim", expression="request.config.getoption('run_mode')", value="npu")
    (folder / "test_softmax.py").write_text(test)
    run(pytester, "--run_mode", "sim", ".").assert_outcomes(passed=1)
    (folder / "test_softmax.py").write_text(test.replace("'sim'", "None"))
    run(pytester, ".").assert_outcomes(passed=1)


def test_a_fixture_of_that_name_in_a_conftest_wins(pytester):
    pytester.makeconftest("import pytest\n@pytest.fixture\ndef run_mode():\n    return 'theirs'\n")
    pytester.makepyfile("def test_mode(run_mode):\n    assert run_mode == 'theirs'\n")
    run(pytester).assert_outcomes(passed=1)


def test_arguments_behind_two_dashes_are_files(pytester):
    pytester.makepyfile("def test_mode(run_mode):\n    assert run_mode == 'sim'\n")
    result = run(pytester, "--", "--run_mode=npu")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*: --run_mode=npu"])


def test_settings_that_do_not_exist_are_refused(pytester):
    result = run(pytester, "--pypto-engine=fast")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--pypto-engine: invalid choice: 'fast'*"])


# -- marks by chip ----------------------------------------------------------------------------------------------------

MARKED = """
import os
import pytest

def chip():
    return os.environ.get("PYPTO_PLATFORM")

@pytest.mark.pypto_chip("910B")
def test_one():
    assert chip() == "910B"

@pytest.mark.pypto_chip("910B", "910C")
def test_two():
    assert chip() == {found!r}

@pytest.mark.soc("950", "910")
def test_all():
    assert chip() == {found!r}

@pytest.mark.soc("950")
def test_newest():
    assert chip() == "950"

@pytest.mark.soc("esp32")
def test_another_world():
    assert chip() == {found!r}

def test_unmarked():
    assert chip() == {found!r}
"""


def test_marks_hold_a_test_to_its_chip(pytester):
    pytester.makepyfile(MARKED.format(found=None))
    run(pytester, "--strict-markers").assert_outcomes(passed=6)
    assert "PYPTO_PLATFORM" not in os.environ


@pytest.mark.parametrize(("chip", "passed"), [("910B", 5), ("910C", 4), ("950", 4)])
def test_a_run_for_a_chip_skips_tests_for_others(pytester, chip, passed):
    pytester.makepyfile(MARKED.format(found=chip))
    result = run(pytester, "-rs", f"--pypto-platform={chip}")
    result.assert_outcomes(passed=passed, skipped=6 - passed)
    if chip == "950":
        result.stdout.fnmatch_lines(["*for 910B, 910C; this run is for 950*"])


def test_a_variable_chooses_the_chip_too(pytester, monkeypatch):
    monkeypatch.setenv("PYPTO_PLATFORM", "950")
    pytester.makepyfile(MARKED.format(found="950"))
    run(pytester).assert_outcomes(passed=4, skipped=2)


def test_a_chip_that_does_not_exist_is_refused(pytester):
    pytester.makepyfile("import pytest\n@pytest.mark.pypto_chip('910X')\ndef test_it():\n    pass\n")
    result = run(pytester)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*PTO542*", "*a test is marked for 910X*"])


def test_names_of_socs():
    assert chips.SOC_NAMES["910_93"] == ("910C",)
    assert chips._soc_chips(["Ascend910B", "Ascend950"]) == ("910B", "950")


# -- files of cases ---------------------------------------------------------------------------------------------------

ROWS = [
    {"id": "small", "level": 0, "seed": 7, "shape": [3, 64], "dtype": "fp32", "atol": 1e-6, "rtol": 1e-5},
    {"id": "real", "level": "L1", "shape": {"x": [4, 2560], "w": [2560]}, "dtype": "bf16", "heads": 4},
    {"id": "long", "level": 2, "shape": [100000, 64], "dtype": "float32"},
]  # fmt: skip

TESTS = """
import pytest
@pytest.mark.pypto_cases("test_cases.json")
def test_softmax(case):
    assert case.id in ("small", "real", "long")
    if case.id == "small":
        assert (case.shape, case.seed, str(case.numpy_dtype())) == ((3, 64), 7, "float32")
    if case.id == "real":
        assert case["heads"] == 4
        assert case.shape_of("w") == (2560,)
"""


def test_a_test_per_case(pytester):
    pytester.makefile(".json", test_cases=json.dumps(ROWS))
    pytester.makepyfile(TESTS)
    result = run(pytester, "-v")
    result.assert_outcomes(passed=2, deselected=1)
    result.stdout.fnmatch_lines(["*::test_softmax[[]small] PASSED*", "*::test_softmax[[]real] PASSED*"])


@pytest.mark.parametrize(("level", "passed"), [(0, 1), (2, 3)])
def test_levels(pytester, level, passed):
    pytester.makefile(".json", test_cases=json.dumps(ROWS))
    pytester.makepyfile(TESTS.replace('"test_cases.json"', ""))
    run(pytester, f"--pypto-level={level}").assert_outcomes(passed=passed, deselected=3 - passed)


def test_cases_of_an_operator(pytester):
    """Anything with names, and `slow` for the long ones: the operators of the gym."""
    pytester.makepyfile("""
import pytest
from openpto_gym.scale_add.cases import OPERATOR
SHORT = [c for c in OPERATOR.cases if not c.slow]
@pytest.mark.pypto_cases(OPERATOR, argname="row")
def test_it(row):
    assert row in SHORT
""")
    import openpto_gym.scale_add.cases as cases

    short = sum(not case.slow for case in cases.OPERATOR.cases)
    result = run(pytester)
    result.assert_outcomes(passed=short, deselected=len(cases.OPERATOR.cases) - short)


def test_a_broken_file_of_cases_stops_the_collection(pytester):
    pytester.makefile(".json", test_cases='[{"id": "small", "shape": "3x64"}]')
    pytester.makepyfile(TESTS)
    result = run(pytester)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*PTO541*"])


def test_a_test_that_takes_no_case(pytester):
    pytester.makepyfile("import pytest\n@pytest.mark.pypto_cases([])\ndef test_it():\n    pass\n")
    result = run(pytester)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*is marked pypto_cases and takes no 'case'*"])
