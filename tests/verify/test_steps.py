"""The four steps of `pypto verify`: what each finds, and that nothing passes that was not run."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from openpto.cli import app as application
from openpto.cli.subjects import subject_of
from openpto.verify.run import Options, verify

RUNNER = CliRunner()


def verified(place, cases=(), arguments=(), **options):
    subject = subject_of(str(place), slow=False, cases=list(cases), arguments=list(arguments))
    return verify(subject, Options(**options))


def failures(found):
    return {(step.key, check.name) for step, check in found.failures()}


def states(found):
    return {step.key: step.state for step in found.steps}


def command(*arguments):
    return RUNNER.invoke(application.app, ["verify", *map(str, arguments)])


def test_a_right_folder_passes_all_steps_that_run(folder) -> None:
    found = verified(folder())
    assert states(found) == {"source": "pass", "golden": "pass", "sim": "pass", "device": "not run"}
    assert found.state == "pass"
    names = {check.name for check in found.step("sim").checks}
    assert names == {
        "runs on native", "runs on reference", "tiles", "profiles", "numbers", "engines agree bit for bit"
    }  # fmt: skip
    assert {check.trial for check in found.step("golden").checks if check.trial} == {"tail", "one"}


def test_receipts_say_what_ran(folder) -> None:
    report = verified(folder()).as_json()
    receipts = report["receipts"]
    assert [(r["trial"], r["engine"]) for r in receipts] == [
        ("tail", "native"), ("tail", "reference"), ("one", "native"), ("one", "reference")
    ]  # fmt: skip
    assert [r["elements_written"] for r in receipts[:2]] == [{"out": 11 * 32}] * 2
    assert len({r["kernel_hash"] for r in receipts}) == 1
    assert all(r["ops_executed"] > 0 for r in receipts)
    assert (report["format"], report["version"], report["state"]) == ("pypto-verify", 1, "pass")
    assert json.loads(json.dumps(report)) == report


def test_an_operator_of_the_gym_by_name() -> None:
    found = verified("softmax", ["one_past_a_tile"], chip="910B", target="0.3")
    assert states(found) == {"source": "pass", "golden": "pass", "sim": "pass", "device": "not run"}
    tiles = next(check for check in found.step("sim").checks if check.name == "tiles")
    assert tiles.data == {"910B": "ok"}


def test_outputs_that_stay_were_given_to_the_kernel_and_not_written() -> None:
    found = verified("kv_cache_write", ["no_tokens", "all_dropped"])
    assert states(found)["sim"] == "pass"
    subject = subject_of("kv_cache_write", slow=False, cases=["scattered"], arguments=[])
    (trial,) = subject.trials
    said = replace(trial, kept={"key_cache": "key_cache", "value_cache": "value_cache"})
    wrong = verify(replace(subject, trials=(said,)), Options())
    assert ("sim", "runs on native") in failures(wrong)
    assert "key_cache was to stay as it was, and the run wrote elements of it" in next(wrong.failures())[1].detail


def test_a_wrong_number_fails_with_its_place(folder) -> None:
    found = verified(folder(impl=[("tile * 2.0", "tile * 2.5")]))
    assert failures(found) == {("sim", "numbers")}
    detail = next(check.detail for _, check in found.failures())
    assert "352 of 352 elements are outside" in detail
    assert "first at (0, 0)" in detail


def test_memory_that_no_kernel_wrote_is_no_disagreement_of_the_engines(folder) -> None:
    """Each call finds other values there, as fresh memory may hold."""
    fresh = "calls = []\n\n\ndef scaled_wrapper(x):\n    calls.append(1)\n    out = np.full_like(x, len(calls))"
    wrapper = "def scaled_wrapper(x):\n    out = np.full_like(x, np.nan)"
    found = verified(folder(impl=[("loop(0, rows, 8", "loop(0, rows - 8, 8"), (wrapper, fresh)]), ["tail"])
    assert failures(found) == {("sim", "numbers")}
    agree = next(check for check in found.step("sim").checks if check.name == "engines agree bit for bit")
    assert agree.state == "not run"
    assert "out differs only in what was in its memory before" in agree.detail


def test_a_fault_fails_with_its_code(folder) -> None:
    found = verified(folder(impl=[("valid_shape=[live, 32]", "valid_shape=[8, 32]")]), ["tail"])
    assert failures(found) == {("sim", "runs on native")}
    [(_, check)] = found.failures()
    assert check.data == {"code": "PTO451"}
    assert "scaled_impl.py:15" in check.detail


def test_a_kernel_without_tiles_fails_in_lint_and_in_sim(folder) -> None:
    found = verified(folder(impl=[("pypto.set_vec_tile_shapes(8, 32)", "pass")]), ["tail"])
    assert failures(found) == {("source", "lint"), ("sim", "runs on native")}
    assert all("PTO301" in check.detail for _, check in found.failures())


def test_a_program_that_only_one_chip_takes_names_it(folder) -> None:
    found = verified(folder(impl=[("tile * 2.0", "pypto.interleave(tile, tile)[0]")]), ["one"])
    tiles = next(check for check in found.step("sim").checks if check.name == "tiles")
    assert tiles.state == "pass"
    assert set(tiles.data.values()) == {"ok", "PTO309"}


def test_a_file_that_cannot_be_parsed_stops_the_rest(folder) -> None:
    place = folder()
    (place / "notes.py").write_text("def (:\n", encoding="utf-8")
    found = verified(place)
    assert failures(found) == {("source", "syntax")}
    assert states(found) == {"source": "fail", "golden": "not run", "sim": "not run", "device": "not run"}


def test_lint_errors_fail(folder) -> None:
    found = verified(folder(impl=[("live, 32])", "live, 32]).foo()")]), ["one"])
    assert found.step("source").state == "fail"


GOLDENS = {
    "golden repeats": ("return x + x", "return x + x + np.random.rand()"),
    "golden keeps its inputs": ("return x + x", "return np.add(x, x, out=x)"),
    "golden runs no kernel": (
        "return x + x",
        "import scaled_impl\n    return scaled_impl.scaled_wrapper(x)",
    ),
    "golden agrees in float64": ("return x + x", "return x + x + (x.dtype == np.float64)"),
    "independent of the kernel": ("import numpy as np", "import numpy as np\nfrom scaled_impl import scaled_wrapper"),
}


@pytest.mark.parametrize("name", GOLDENS)
def test_what_is_wrong_with_a_golden(folder, name) -> None:
    found = verified(folder(golden=[GOLDENS[name]]), ["tail"])
    assert ("golden", name) in failures(found)


def test_inputs_that_do_not_repeat_fail(folder) -> None:
    found = verified(folder(golden=[("default_rng(seed)", "default_rng()")]), ["tail"])
    assert ("golden", "inputs repeat") in failures(found)


def test_a_wrapper_that_calls_no_kernel_fails(folder) -> None:
    found = verified(folder(impl=[("scaled_kernel_npu(x, out)", "out[:] = x * 2")]), ["tail"])
    assert failures(found) == {("sim", "runs on native"), ("sim", "runs on reference")}
    assert "no kernel was called" in next(check.detail for _, check in found.failures())


FILE = """
import pypto


@pypto.frontend.jit
def double(x: pypto.Tensor([pypto.DYNAMIC, 32], pypto.DT_FP32), out: pypto.Tensor([pypto.DYNAMIC, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    for row in pypto.loop(0, x.shape[0], 8, name="LOOP", idx_name="row"):
        tile = pypto.view(x, [8, 32], [row, 0])
        pypto.assemble(tile + tile, [row, 0], out)
"""


def test_a_kernel_file_without_golden_is_not_said_to_be_right(tmp_path) -> None:
    file = tmp_path / "doubling_alone.py"
    file.write_text(FILE, encoding="utf-8")
    found = verified(file)
    assert states(found) == {"source": "pass", "golden": "not run", "sim": "pass", "device": "not run"}
    numbers = [check for check in found.step("sim").checks if check.name == "numbers"]
    assert [(check.state, check.detail) for check in numbers] == [("not run", "there is no double_golden")] * 3


def test_a_kernel_file_with_a_golden(tmp_path) -> None:
    file = tmp_path / "doubling_checked.py"
    file.write_text(FILE + "\n\ndef double_golden(x):\n    return 2 * x\n", encoding="utf-8")
    found = verified(file)
    assert states(found) == {"source": "pass", "golden": "pass", "sim": "pass", "device": "not run"}


def test_the_command_says_loudly_what_was_not_run(folder) -> None:
    place = folder()
    done = command(place, "--json", place / "report.json")
    assert done.exit_code == 0, done.output
    assert "4. device  NOT RUN" in done.stdout
    assert "PYPTO_NPU_PYTHON" in done.stdout
    assert "That is no pass." in done.stdout
    assert json.loads((place / "report.json").read_text(encoding="utf-8"))["steps"][3]["state"] == "not run"


def test_require_device_fails_without_one(folder) -> None:
    assert command(folder(), "--case", "one", "--require-device").exit_code == 1


def test_the_command_fails_where_a_step_fails(folder) -> None:
    done = command(folder(impl=[("tile * 2.0", "tile * 2.5")]), "--case", "one")
    assert done.exit_code == 1
    assert "FAIL: numbers [one]" in done.stdout
