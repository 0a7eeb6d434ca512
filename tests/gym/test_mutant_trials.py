"""Trials of mutants: which check finds what, and that a mutant and its kernel are two texts."""

import subprocess
import sys

import pytest

from openpto_gym.mutation import mutant as listing
from openpto_gym.mutation.mutant import Equivalent, Planted, Subject, mutants, subject
from openpto_gym.mutation.report import verdict
from openpto_gym.mutation.tally import tally
from openpto_gym.mutation.trial import trial


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


IN_A_PROCESS_OF_ITS_OWN = """
import sys
from openpto.frontend import source
from openpto_gym.mutation import mutant as listing
from openpto_gym.mutation.mutant import Equivalent, Planted, Subject, mutants, subject
from openpto_gym.mutation.trial import trial

name, old, new = sys.argv[1:]
faults = [Planted("far", "kind", old, new.replace("00000", "")), Planted("near", "kind", old, new)]
listing.declared = lambda of: (faults, [Equivalent("near", old.strip(), "a reason")])
listing.MUTATORS = {}
file = subject(name)
_, outcome = (trial(mutant, Subject(file.name, file.module, file.judges[:1])) for mutant in mutants(file))
traced = [(s.file, "".join(s.lines)) for s, _ in source._sources.values() if s is not None]
kernel = {(old in text, new in text) for path, text in traced if path == str(file.path)}
changed = {(old in text, new in text) for path, text in traced if "openpto-mutant-" in path}
print(outcome.check, outcome.detail, (True, False) in kernel, (False, True) in kernel)
print((True, False) in changed, (False, True) in changed)
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("softmax", "pypto.exp(block - ", "pypto.exp(0.0000001 + block - "),
        ("moe_gating", "return weights / pypto.sum", "return 1.0000002 * weights / pypto.sum"),
        ("rotary", "- right * sines[0],", "- (1.0000001 * right) * sines[0],"),
    ],
    ids=["kernel", "helper", "shared_module"],
)
def test_bits_are_compared_between_two_texts(name, old, new):
    """What changes bits within the tolerance is refused as a change that means the same.

    In a process where the kernel was never traced before the linter read it and two mutants, the mutant last: the bits
    of the kernel come from the text on disk all the same, and those of the mutant from its own.
    """
    done = subprocess.run(
        [sys.executable, "-c", IN_A_PROCESS_OF_ITS_OWN, name, old, new], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first.startswith("numbers ")
    assert first.endswith("not the bits of the kernel True False")
    assert second == "False True"


def test_what_only_a_warning_finds(monkeypatch):
    """A block that is not cut meets one that is: here the smaller extent counts, a device takes the first operand's."""
    uncut = "pypto.full([tile_rows, cols], 0.0, pypto.DT_FP32)"
    fault = Planted("fault", "kind", "pypto.exp(block - ", f"pypto.exp({uncut} + block - ")
    (mutant,) = softmax_with(monkeypatch, [fault])
    outcome = trial(mutant, subject("softmax"), lint=False)
    assert (outcome.check, outcome.code, outcome.escaped) == ("warning", "PTO432", False)
    assert outcome.case
    (same,) = softmax_with(monkeypatch, [fault], [Equivalent("fault", fault.old.strip(), "a reason")])
    wrong = trial(same, subject("softmax"), lint=False)
    assert verdict(wrong) == "WRONG REASON: warning PTO432"
    assert tally([wrong]).wrong == [same]


def test_contents_that_nothing_gave_are_told_from_zeros(monkeypatch):
    """A tensor without contents reads as zeros here, so that no number changes; the warning finds that it is read."""
    rest = "pypto.view(blank, [tile_rows, cols], [0, 0], valid_shape=[live, cols])"
    lines = (
        "        blank = pypto.tensor([tile_rows, cols], pypto.DT_FP32)",
        "        blank[0:1, 0:1] = block[0:1, 0:1] * 0.0",
        f"        unused = block + {rest}",
        "        weights = ",
    )
    (mutant,) = softmax_with(monkeypatch, [Planted("fault", "kind", lines[-1], "\n".join(lines))])
    outcome = trial(mutant, subject("softmax"), lint=False)
    assert (outcome.check, outcome.code) == ("warning", "PTO431"), outcome.detail
