"""What `pypto gym mutants` shows."""

import json
from dataclasses import replace

from typer.testing import CliRunner

from openpto.cli import app as application
from openpto_gym.mutation import report
from openpto_gym.mutation.campaign import mutants_of
from openpto_gym.mutation.tally import CHECKS
from openpto_gym.mutation.trial import Outcome


def outcomes():
    """Of four mutants: two that a run finds, one of them after the linter, an escape, and one that means the same."""
    store, bound, same, axis = (
        next(mutant for mutant in mutants_of("softmax") if mutant.name == f"softmax/{name}")
        for name in ("store_missing/1", "loop_bound_off/1", "valid_shape_lost/1", "axis_wrong/1")
    )
    yield Outcome(store, "fault", "PTO411", "wide_rows", lint=("PTO411",))
    yield Outcome(axis, "numbers", "", "one_row", "out: 5 of 9 elements are outside")
    yield Outcome(bound)
    yield Outcome(same)


def test_every_line_is_shown_with_its_mutants_and_what_found_them():
    store, axis, bound, same = (outcome.mutant for outcome in outcomes())
    assert list(report.lines_of_kernel(list(outcomes()))) == [
        f"softmax/kernel.py:{bound.line}  {bound.source_line}",
        "    ESCAPED    loop_bound_off/1  rows => rows - 1",
        f"softmax/kernel.py:{same.line}  {same.source_line}",
        "    same meaning    valid_shape_lost/1  , valid_shape=[live, cols] => nothing",
        f"softmax/kernel.py:{axis.line}  {axis.source_line}",
        "    numbers  one_row  axis_wrong/1  -1 => -2",
        f"softmax/kernel.py:{store.line}  {store.source_line}",
        f"    fault PTO411, lint PTO411  wide_rows  store_missing/1  {store.before} => pass",
        f"same meaning: {same.reason}",
        "    softmax/valid_shape_lost/1",
    ]


def test_checks_are_told_with_their_codes():
    assert [line.split(maxsplit=2) for line in report.by_check(list(outcomes()))] == [
        ["found", "by", "faults"],
        ["fault", "1", "a fault of the run, or a kernel that writes nothing"],
        ["1", "PTO411", "kernel writes no parameter"],
        ["numbers", "1", "the comparison with the golden"],
        ["nothing", "1", "no check: the cases are too weak, or the change means the same"],
    ]


def test_kinds_of_faults_are_told_with_what_finds_them():
    assert [line.rsplit(maxsplit=3) for line in report.by_kind(list(outcomes()))][1:] == [
        ["output not written", "1", "fault", "1"],
        ["wrong axis", "1", "numbers", "1"],
        ["loop bound", "1", "nothing", "1"],
    ]


def test_the_end_names_escapes_and_wrong_reasons():
    *others, same = outcomes()
    first, escape, wrong = report.end([*others, replace(same, check="warning", code="PTO432")])
    assert first.startswith("2 of 3 faults are found (66.7%), 1 of them by the linter as well; changes with the same ")
    assert escape.startswith("ESCAPED  softmax/loop_bound_off/1  row_softmax:")
    assert wrong.startswith("WRONG REASON  softmax/valid_shape_lost/1 is found")


def test_every_check_has_a_meaning():
    assert tuple(report.MEANINGS) == CHECKS


def test_the_command_shows_every_mutant():
    done = CliRunner().invoke(application.app, ["gym", "mutants", "precision"])
    assert done.exit_code == 0, done.output
    for mutant in mutants_of("precision"):
        assert f"  {mutant.name.partition('/')[2]}  " in done.stdout
        assert report.change(mutant) in done.stdout
    for part in ("precision.py:", "found by  faults", "kind of fault", "5 of 5 faults are found (100.0%)"):
        assert part in done.stdout


def test_the_command_writes_json():
    done = CliRunner().invoke(application.app, ["gym", "mutants", "softmax", "--json", "--sample", "2"])
    first, second = json.loads(done.stdout)
    assert first["mutant"] != second["mutant"]
    assert set(first) >= {"kind", "before", "after", "caught", "check", "code", "case", "lint", "same_meaning"}


def test_the_command_refuses_unknown_names():
    assert CliRunner().invoke(application.app, ["gym", "mutants"]).exit_code == 2
    done = CliRunner().invoke(application.app, ["gym", "mutants", "nonsense"])
    assert done.exit_code == 1
    assert "PTO599" in str(done.exception)
