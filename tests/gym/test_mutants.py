"""Mutants of the gym: their list, their trials, and the page about them."""

import ast
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import mutants_page
from openpto.cli import app as application
from openpto_gym.mutation import mutant as listing
from openpto_gym.mutation.campaign import campaign, mutants_of, sample
from openpto_gym.mutation.mutant import Equivalent, Planted, Subject, mutants, subject, subjects
from openpto_gym.mutation.mutators import MUTATORS
from openpto_gym.mutation.source import Source, sites
from openpto_gym.mutation.tally import WANTED, change, tally, verdict
from openpto_gym.mutation.trial import trial

COUNTS = mutants_page.read()


def made(mutator, statements):
    """What a mutator makes of the statements of a function."""
    text = "def kernel(x):\n" + "".join(f"    {line}\n" for line in statements.splitlines())
    source = Source(text)
    changes = [c for site in sites(source) for c in MUTATORS[mutator].find(source, site)]
    return ["".join((text[: c.begin], c.text, text[c.end :])).split("\n", 1)[1].strip() for c in changes]


@pytest.mark.parametrize(
    ("mutator", "statement", "expected"),
    [
        ("mask_dropped", "y = pypto.where(m, a, 0.0)", ["y = a"]),
        ("mask_dropped", "y = pypto.where(m, a + 1, b)", ["y = (a + 1)", "y = b"]),
        ("mask_shifted", "y = pypto.le(a, b)", ["y = pypto.lt(a, b)"]),
        ("condition_shifted", "y = a if n >= 0 else b", ["y = a if n > 0 else b"]),
        ("condition_negated", "if pypto.is_loop_begin(i): pass", ["if pypto.is_loop_end(i): pass"]),
        ("condition_negated", "if flag: pass", ["if not flag: pass"]),
        ("tail_not_cut", "n = (a - b).min(C)", ["n = C", "n = (a - b)"]),
        ("tail_off_by_one", "n = (a - b).min(C)", ["n = ((a - b).min(C) - 1)", "n = ((a - b).min(C) + 1)"]),
        ("valid_shape_lost", "v = pypto.view(x, s, o, valid_shape=[n, 4])", ["v = pypto.view(x, s, o)"]),
        ("fillpad_missing", "y = pypto.fillpad(x, 'constant', 0.0)", ["y = x"]),
        ("fillpad_value", "y = pypto.fillpad(x, 'constant', LOW)", ["y = pypto.fillpad(x, 'constant', 0.0)"]),
        ("offsets_swapped", "pypto.assemble(x, [a, a, b], y)", ["pypto.assemble(x, [a, b, a], y)"]),
        ("offset_zero", "n = table[b, 2]", ["n = table[0, 2]"]),
        ("slice_moved", "y = x[a : a + 4]", ["y = x[a + 1 : (a + 4) + 1]"]),
        ("loop_first_lost", "for i in pypto.loop(n): pass", ["for i in pypto.loop(1, n): pass"]),
        ("loop_first_lost", "for i in pypto.loop(a, n, C): pass", ["for i in pypto.loop(a + C, n, C): pass"]),
        (
            "loop_bound_off",
            "for i in pypto.loop(0, n, C): pass",
            ["for i in pypto.loop(0, n - 1, C): pass", "for i in pypto.loop(0, n + C, C): pass"],
        ),
        ("loop_step_doubled", "for i in pypto.loop(0, n, C): pass", ["for i in pypto.loop(0, n, 2 * C): pass"]),
        ("division_rounds_down", "n = pypto.ceildiv(a, b + 1)", ["n = (a // (b + 1))"]),
        ("init_missing", "t = pypto.full([2, n], 0.0, d)", ["t = pypto.tensor([2, n], d)"]),
        ("init_wrong", "t = pypto.full([2, n], LOWEST, d)", ["t = pypto.full([2, n], 0.0, d)"]),
        ("carry_stale", "t[:] = t + y", ["pass"]),
        ("accumulation_dropped", "t[:] = t * s + y", ["t[:] = y"]),
        ("store_missing", "pypto.assemble(x, [0], y)", ["pass"]),
        (
            "operand_dropped",
            "y = x / pypto.sqrt(v + eps)",
            ["y = x", "y = x / pypto.sqrt(v)", "y = x / pypto.sqrt(eps)"],
        ),
        ("operation_reversed", "y = x[a + 1] - b", ["y = x[a + 1] + b"]),
        ("head_wrong", "h = head // group", ["h = (head % group)", "h = head"]),
        ("sign_dropped", "y = -x", ["y = x"]),
        ("function_dropped", "y = pypto.exp(x - m)", ["y = (x - m)"]),
        ("extreme_reversed", "y = pypto.amax(x, -1)", ["y = pypto.amin(x, -1)"]),
        ("guard_dropped", "y = pypto.maximum(x, SMALL)", ["y = x"]),
        ("constant_wrong", "y = x * 2.0 + 1e-9", ["y = x * 2.02 + 1e-9", "y = x * 2.0 + 0.0"]),
        ("dtype_wrong", "y = pypto.cast(x, pypto.DT_FP32)", ["y = pypto.cast(x, pypto.DT_FP16)"]),
        ("widening_dropped", "y = rounded(x, d)", ["y = x"]),
        ("cast_mode_dropped", "y = pypto.cast(x, d, satmode=ON)", ["y = pypto.cast(x, d)"]),
        ("axis_wrong", "y = pypto.sum(x, -1, True)", ["y = pypto.sum(x, -2, True)"]),
        ("transposition_wrong", "y = f(a, b, b_trans=True)", ["y = f(a, b, b_trans=False)"]),
        ("transpose_dropped", "y = pypto.transpose(x, 0, 1)", ["y = x"]),
        ("arguments_swapped", "y = pypto.matmul(a, b, d)", ["y = pypto.matmul(b, a, d)"]),
        ("targets_swapped", "k, v = parts", ["v, k = parts"]),
    ],
)
def test_mutators(mutator, statement, expected):
    assert made(mutator, statement) == expected


def test_every_mutator_is_tested_and_has_a_meaning():
    tested = {values[0] for values in test_mutators.pytestmark[0].args[1]}
    assert tested == set(MUTATORS)
    assert all(mutator.meaning.endswith(".") and mutator.kind for mutator in MUTATORS.values())


@pytest.mark.parametrize("statement", ["pypto.set_vec_tile_shapes(2 * a, b)", "if n % m: raise ValueError(n + 1)"])
def test_tiles_and_checks_of_arguments_are_left_alone(statement):
    assert [made(name, statement) for name in MUTATORS] == [[]] * len(MUTATORS)


def test_mutants_are_different():
    """Names and texts are unique, and written faults and reasons still fit their kernels."""
    for file in subjects():
        found = mutants_of(file.name)
        assert len({mutant.name for mutant in found}) == len({mutant.text for mutant in found}) == len(found) > 0
        assert file.path.read_text(encoding="utf-8") not in {mutant.text for mutant in found}
        assert all(len(mutant.reason) > 30 for mutant in found if mutant.reason)


@pytest.mark.slow
@pytest.mark.parametrize("name", [s.name for s in subjects()])
def test_mutants_are_python(name):
    """Every one can be parsed, and none is the kernel itself in other letters."""
    tree = ast.dump(ast.parse(subject(name).path.read_text(encoding="utf-8")))
    assert tree not in [ast.dump(ast.parse(mutant.text)) for mutant in mutants_of(name)]


def softmax_with(monkeypatch, planted=(), equivalents=()):
    monkeypatch.setattr(listing, "declared", lambda of: (planted, equivalents))
    monkeypatch.setattr(listing, "MUTATORS", {})
    return mutants(subject("softmax"))


@pytest.mark.parametrize(
    ("old", "new", "check", "code"),
    [
        ("[row, 0], out)", "[row, 1], out)", "fault", "PTO452"),
        ("block - pypto.amax(block, -1, True)", "block", "numbers", ""),
        ("= tile_shape(cols)", "= tile_shape(None)", "python", "TypeError"),
        ("x, [tile_rows, cols], [row, 0]", "x, [tile_rows, rows], [row, 0]", "stop", "PTO234"),
        ("widened(pypto.view(x", "pypto.tensor([tile_rows, cols], pypto.DT_FP32)\n        y = widened(pypto.view(x",
         "undefined", "PTO410"),
    ],
)  # fmt: skip
def test_what_finds_a_fault(monkeypatch, old, new, check, code):
    (mutant,) = softmax_with(monkeypatch, [Planted("fault", "kind", old, new)])
    outcome = trial(mutant, subject("softmax"), lint=False)
    assert (outcome.check, outcome.code) == (check, code), outcome.detail
    assert outcome.caught
    assert not outcome.escaped
    assert outcome.check in verdict(outcome)


def test_a_fault_that_never_ends_is_found_by_the_clock(monkeypatch):
    from openpto_gym.mutation import trial as trials

    monkeypatch.setattr(trials, "LIMIT", 0.2)
    faults = [Planted("fault", "kind", "rows, cols = x.shape", "rows, cols = x.shape\n    while cols > 0: pass")]
    (mutant,) = softmax_with(monkeypatch, faults)
    assert trial(mutant, subject("softmax"), lint=False).check == "time"


def test_an_escape_and_a_wrong_reason_are_told(monkeypatch):
    """What nothing finds is an escape; what is said to mean the same has to give the bits of the kernel."""
    same = Planted(
        "same", "kind", "weights / pypto.sum(weights, -1, True)", "(weights + 0.0) / pypto.sum(weights, -1, True)"
    )
    near = Planted("near", "kind", "pypto.exp(block - ", "pypto.exp(0.0000001 + block - ")
    reasons = [Equivalent(fault.name, " ".join(fault.old.split()), "a reason") for fault in (same, near)]
    escaped, _ = softmax_with(monkeypatch, [same, near])
    assert trial(escaped, subject("softmax")).escaped
    good, wrong = (trial(m, subject("softmax")) for m in softmax_with(monkeypatch, [same, near], reasons))
    assert (good.caught, good.escaped, verdict(good)) == (False, False, "same meaning")
    assert (wrong.check, wrong.escaped) == ("numbers", False)
    total = tally([good, wrong])
    assert (total.mutants, total.same, total.counted, len(total.wrong), total.good) == (2, 2, 0, 1, False)


def test_texts_and_reasons_have_to_fit(monkeypatch):
    with pytest.raises(ValueError, match="occurs 0 times"):
        softmax_with(monkeypatch, [Planted("fault", "kind", "no such text", "x")])
    (mutant,) = softmax_with(monkeypatch, [Planted("fault", "kind", "rows, cols = x.shape", "rows, = = x")])
    with pytest.raises(SyntaxError):
        trial(mutant, subject("softmax"), lint=False)
    with pytest.raises(ValueError, match="fits 0 mutants, not 1"):
        softmax_with(monkeypatch, [], [Equivalent("mask_dropped", "x", "a reason")])


def test_a_shared_module_is_tried_in_the_kernels_that_use_it():
    """The mask of the running softmax, judged by the first operator with a mask; the real modules stay as they were."""
    import openpto_gym
    from openpto_gym import flash

    shared = subject("flash")
    (mutant, *_) = [m for m in mutants(shared) if m.mutator == "mask_dropped"]
    outcome = trial(mutant, Subject(shared.name, shared.module, shared.judges[:1]))
    assert outcome.check == "numbers"
    assert openpto_gym.flash is flash


def test_a_seeded_sample_is_caught_as_the_page_says():
    """A few mutants of all that were counted, tried anew."""
    for outcome in sample(list(COUNTS), 40, seed=20):
        name = outcome.mutant.subject
        assert outcome.escaped == (outcome.mutant.name in COUNTS[name]["escapes"]), outcome.mutant.name
        assert not (outcome.mutant.reason and outcome.caught), outcome.mutant.name


def test_processes_change_nothing():
    alone, together = (list(campaign(["quantising"], jobs)) for jobs in (1, 2))
    assert alone == together


def test_the_page_and_its_counts_are_current():
    """Otherwise: tools/mutants_page.py --run NAME, with the names that are stale."""
    assert [name for name in mutants_page.stale(COUNTS) if name in COUNTS] == []
    assert mutants_page.PAGE.read_text(encoding="utf-8") == mutants_page.page(COUNTS)


def test_enough_is_caught():
    every = [check for kept in COUNTS.values() for kind in kept["found"].values() for check in kind.items()]
    numbers = {name: sum(count for check, count in every if check == name) for name, _ in every}
    assert numbers.get("wrong reason", 0) == 0
    found = sum(count for check, count in numbers.items() if check not in ("escaped", "same", "lint"))
    assert found / (found + numbers.get("escaped", 0)) >= WANTED
    assert sum(len(kept["escapes"]) for kept in COUNTS.values()) == numbers.get("escaped", 0)


def test_the_command_shows_every_mutant():
    done = CliRunner().invoke(application.app, ["gym", "mutants", "precision"])
    assert done.exit_code == 0, done.output
    for mutant in mutants_of("precision"):
        assert mutant.name in done.stdout
        assert change(mutant) in done.stdout
    assert "faults are found" in done.stdout


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


@pytest.mark.slow
@pytest.mark.parametrize("name", list(COUNTS))
def test_all_mutants(name):
    """Every count of the page, anew."""
    assert mutants_page.record(list(campaign([name]))) == COUNTS[name]


def test_files_are_where_the_page_is_written():
    assert Path(mutants_page.PAGE).name == "gym-mutants.md"
