"""Mutants of the gym: their list, and the page about them."""

import ast
from pathlib import Path

import pytest

import mutants_page
from openpto_gym.mutation.campaign import campaign, mutants_of, sample
from openpto_gym.mutation.mutant import subject, subjects
from openpto_gym.mutation.mutators import MUTATORS
from openpto_gym.mutation.source import Source, sites
from openpto_gym.mutation.tally import WANTED

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


@pytest.mark.slow
@pytest.mark.parametrize("name", list(COUNTS))
def test_all_mutants(name):
    """Every count of the page, anew."""
    assert mutants_page.record(list(campaign([name]))) == COUNTS[name]


def test_files_are_where_the_page_is_written():
    assert Path(mutants_page.PAGE).name == "gym-mutants.md"
