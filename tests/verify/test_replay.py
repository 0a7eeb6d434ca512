"""Replay files: when they are written, that another process ends as recorded, and what is told where it does not."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from typer.testing import CliRunner

import openpto
import pypto
from openpto.capsule.replay_file import read, text_of
from openpto.cli import app as application
from openpto.cli.subjects import subject_of
from openpto.diagnostics import PyptoError
from openpto.testing import assert_close
from openpto.verify.kernel_file import kernel_file
from openpto.verify.replay import replayed
from openpto.verify.run import Options, verify

SRC = Path(__file__).resolve().parents[2] / "src"
ROWS = 8


@pypto.frontend.jit
def halves(
    x: pypto.Tensor([pypto.DYNAMIC, 32], pypto.DT_BF16), out: pypto.Tensor([pypto.DYNAMIC, 32], pypto.DT_BF16), last=0
):
    pypto.set_vec_tile_shapes(ROWS, 32)
    for row in pypto.loop(0, x.shape[0] - last, ROWS, name="LOOP_ROWS", idx_name="row"):
        live = (x.shape[0] - row).min(ROWS)
        tile = pypto.view(x, [ROWS, 32], [row, 0], valid_shape=[ROWS if last < 0 else live, 32])
        pypto.assemble(tile * 0.5, [row, 0], out)


def tensors(rows=11):
    x = np.random.default_rng(5).standard_normal((rows, 32)).astype(ml_dtypes.bfloat16)
    return x, np.full_like(x, np.nan)


@pytest.fixture
def replays(tmp_path):
    """A folder that receives replay files."""
    with openpto.configure(replay_dir=tmp_path / "replays"):
        yield tmp_path / "replays"


def only(folder):
    [path] = folder.glob("*.replay.json")
    return path


def fault(folder):
    x, out = tensors()
    with pytest.raises(PyptoError) as caught:
        halves(x, out, -8)
    return caught.value, only(folder)


def miss(folder, last=3):
    x, out = tensors()
    halves(x, out, last)
    with pytest.raises(AssertionError) as caught:
        assert_close(out, x.astype(np.float64) / 2)
    return caught.value, only(folder)


def elsewhere(*arguments):
    """The command in another process, on another code path of the processor, under another locale."""
    code = "from openpto.cli import main; main()"
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(SRC), "PYPTO_CPU": "generic", "PYPTO_CACHE_DIR": "off"}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def test_a_fault_is_written_and_found_again_in_another_process(replays) -> None:
    error, path = fault(replays)
    assert error.code == "PTO451"
    if sys.version_info >= (3, 11):
        assert error.__notes__ == [f"replay: {path}"]
    done = elsewhere("replay", path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "reproduced: it stops with PTO451" in done.stdout
    assert "in loop LOOP_ROWS (row = 8)" in done.stdout


def test_a_miss_is_written_with_its_golden_and_has_the_same_bits_elsewhere(replays) -> None:
    error, path = miss(replays)
    assert f"replay: {path}" in str(error)
    found = read(path)
    assert (found.kind, found.expected.golden.shape) == ("comparison", (11, 32))
    done = elsewhere("replay", path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "96 of 352 elements are outside" in done.stdout
    assert "miss the golden" in done.stdout


def test_calls_that_are_right_leave_no_file(replays) -> None:
    x, out = tensors()
    for _ in range(3):
        halves(x, out)
        assert_close(out, x.astype(np.float64) / 2)
    assert not replays.exists()


def test_without_a_folder_nothing_is_kept(tmp_path) -> None:
    x, out = tensors()
    with pytest.raises(PyptoError) as caught:
        halves(x, out, -8)
    assert not getattr(caught.value, "__notes__", [])
    assert list(tmp_path.iterdir()) == []


def test_a_refusal_of_the_compiler_is_written_too(replays) -> None:
    @pypto.frontend.jit
    def without_tiles(x: pypto.Tensor([8, 32], pypto.DT_FP32), out: pypto.Tensor([8, 32], pypto.DT_FP32)):
        out[:] = x + 1.0

    with pytest.raises(PyptoError):
        without_tiles(np.ones((8, 32), np.float32), np.ones((8, 32), np.float32))
    done = replayed(read(only(replays)))
    assert done.reproduced
    assert done.outcome.stop.code == "PTO301"


def test_equal_failures_are_one_file(replays) -> None:
    for _ in range(2):
        fault(replays)


def test_the_file_is_a_text_that_can_be_read(replays) -> None:
    _, path = fault(replays)
    content = json.loads(path.read_text(encoding="utf-8"))
    assert (content["format"], content["version"], content["kernel"]) == ("pypto-replay", 1, "halves")
    assert "ROWS = 8" in content["source"]
    assert content["values"] == {"last": "-8"}
    assert content["outcome"]["code"] == "PTO451"
    assert content["tensors"][0]["dtype"] == "BF16"
    again = read(path)
    assert text_of(again) == path.read_text(encoding="utf-8")


def test_other_data_are_not_reproduced_and_the_difference_is_told(replays, tmp_path) -> None:
    _, path = miss(replays)
    content = json.loads(path.read_text(encoding="utf-8"))
    content["source"] = [line.replace("* 0.5", "* 0.25") for line in content["source"]]
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(content), encoding="utf-8")
    done = CliRunner().invoke(application.app, ["replay", str(changed)])
    assert done.exit_code == 1
    assert "NOT reproduced" in done.stdout
    assert "out: 256 of 352 elements differ, the first at [0, 0]" in done.stdout
    assert "times 0.5" in done.stdout


def test_another_code_is_not_reproduced(replays) -> None:
    _, path = fault(replays)
    found = read(path)
    other = replace(found, outcome=replace(found.outcome, stop=replace(found.outcome.stop, code="PTO452")))
    [text] = replayed(other).differences
    assert text.startswith("recorded: PTO452; now: PTO451")


def test_the_kernel_file_ends_as_recorded(replays, tmp_path) -> None:
    _, path = fault(replays)
    file = tmp_path / "kernel.py"
    file.write_text(kernel_file(read(path)), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(file)], capture_output=True, text=True, env={"PYTHONPATH": str(SRC)}, check=False
    )
    assert "error[PTO451]" in done.stderr


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"format": "pypto-replay", "version": 9}', '{"format": "pypto-replay", "version": 1}']
)
def test_what_is_no_replay_has_a_code(tmp_path, text) -> None:
    path = tmp_path / "some.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PyptoError) as caught:
        read(path)
    assert caught.value.code == "PTO581"


def test_an_object_without_text_is_a_warning_and_the_error_stays(replays) -> None:
    class Box:
        rows = 0

    box = Box()

    @pypto.frontend.jit
    def boxed(x: pypto.Tensor([8, 32], pypto.DT_FP32), out: pypto.Tensor([8, 32], pypto.DT_FP32)):
        out[:] = x + float(box.rows)

    x = np.ones((8, 32), np.float32)
    with pytest.warns(pypto.PyptoWarning, match="PTO580"), pytest.raises(PyptoError) as caught:
        boxed(x, x.copy())
    assert caught.value.code == "PTO301"


def test_verify_writes_what_fails(folder, tmp_path) -> None:
    place = folder(impl=[("[row, 0], valid_shape=[live, 32])", "[row, 0], valid_shape=[live, 32]) + 1.0")])
    subject = subject_of(str(place), slow=False, cases=["tail"], arguments=[])
    found = verify(subject, Options(replay_dir=str(tmp_path / "failed")))
    [path] = found.replays
    kept = read(Path(path))
    assert kept.about == {"operator": "scaled", "case": "tail", "output": "out"}
    assert replayed(kept).reproduced


def test_the_gym_writes_what_fails(tmp_path, monkeypatch) -> None:
    from openpto_gym import registry
    from openpto_gym.operator import Operator

    real = registry.load("relu")

    def off(case, arrays):
        return {name: array + 1 for name, array in real.numpy(case, arrays).items()}

    wrong = Operator(real.name, real.summary, real.cases[:1], real.inputs, real.run, real.torch, off)
    monkeypatch.setattr(registry, "load", lambda name: wrong)
    done = CliRunner().invoke(application.app, ["gym", "run", "relu", "--golden", "numpy", "--replay", str(tmp_path)])
    assert done.exit_code == 1
    assert read(only(tmp_path)).about["operator"] == "relu"
