"""`pypto shrink`: what is kept, what goes, and the whole way from a planted fault to a kernel of a few lines."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import openpto
import openpto_gym
import pypto
from openpto.capsule.replay_file import read, text_of
from openpto.cli import app as application
from openpto.diagnostics import PyptoError
from openpto.testing import assert_close
from openpto.verify.replay import replayed
from openpto.verify.shrinking import shrink as search
from openpto.verify.shrinking.functions import inlined
from openpto.verify.shrinking.program import program_of
from openpto.verify.shrinking.worker import Worker

F32 = pypto.DT_FP32
AMPLE = {"seconds": 3600.0, "per_run": 120.0}
"""So that no result depends on how busy the machine is."""
TILE = 16


def doubled(x):
    """x + x, in a helper."""
    total = x + x
    return total


@pypto.frontend.jit
def kernel(
    x: pypto.Tensor([pypto.DYNAMIC, 64], F32),
    gain: pypto.Tensor([1, 64], F32),
    out: pypto.Tensor([pypto.DYNAMIC, 64], F32),
    other: pypto.Tensor([pypto.DYNAMIC, 64], F32),
    mode: str = "right",
):
    """Two outputs, several helpers, and ways to be wrong."""
    rows = x.shape[0]
    pypto.set_vec_tile_shapes(TILE, 64)
    end = rows if mode != "tail" else rows // TILE * TILE
    for row in pypto.loop(0, end, TILE, name="LOOP_ROWS", idx_name="row"):
        live = (rows - row).min(TILE)
        wanted = TILE if mode == "fault" else live
        block = pypto.view(x, [TILE, 64], [row, 0], valid_shape=[wanted, 64])
        scaled = doubled(block) * gain if mode == "value" else doubled(block)
        pypto.assemble(scaled, [row, 0], out)
        pypto.assemble(pypto.exp(block), [row, 0], other)


def recorded(folder, mode, rows=20):
    """The replay of a call in one of its modes."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((rows, 64)).astype(np.float32)
    gain = np.where(np.arange(64) == 50, 1.5, 1.0).astype(np.float32).reshape(1, 64)
    out, other = np.full_like(x, np.nan), np.full_like(x, np.nan)
    with openpto.configure(replay_dir=folder):
        try:
            kernel(x, gain, out, other, mode)
            assert_close(out, 2.0 * x.astype(np.float64))
        except (PyptoError, AssertionError):
            pass
    [path] = Path(folder).glob("*.replay.json")
    return read(path)


def shrink(replay, **limits):
    return search.shrink(replay, **{**AMPLE, **limits})


def test_a_missing_tail_stays_missing(tmp_path) -> None:
    done = shrink(recorded(tmp_path, "tail"))
    assert done.kept.en == "out[16, 0] is wrong: it was never written; out[15, 0] was written"
    assert done.kept.zh == "out[16, 0] 错误：从未写入；out[15, 0] 已写入"
    assert done.replay.about["kept"] == done.kept.en
    assert done.lines <= 7
    out = done.replay.outcome.tensors[list(done.replay.call.names).index("out")]
    assert 0 < np.isnan(out).sum() < out.size
    assert done.replay.expected is None


def test_a_wrong_value_keeps_its_bits_beside_one_that_is_right(tmp_path) -> None:
    replay = recorded(tmp_path, "value")
    done = shrink(replay)
    assert done.replay.kind == "comparison"
    names = list(done.replay.call.names)
    assert set(names) == {"x", "gain", "out"}
    out = done.replay.outcome.tensors[names.index("out")]
    wrong = replay.outcome.tensors[replay.call.names.index("out")][0, 50]
    assert wrong in out
    right = np.isclose(out, done.replay.expected.golden)
    assert 0 < right.sum() < out.size
    assert done.lines <= 8
    assert "gain" in done.replay.call.flat.text


def test_what_does_not_repeat_cannot_be_made_small(tmp_path) -> None:
    replay = recorded(tmp_path, "fault")
    content = json.loads(text_of(replay))
    content["values"]["mode"] = "'right'"
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(PyptoError) as caught:
        shrink(read(changed))
    assert caught.value.code == "PTO582"


def test_when_the_time_is_over_the_best_so_far_counts(tmp_path) -> None:
    done = shrink(recorded(tmp_path, "fault"), seconds=0.01)
    assert not done.finished
    assert replayed(done.replay).reproduced


def test_a_helper_is_written_out(tmp_path) -> None:
    program = program_of(recorded(tmp_path, "fault"))
    [changed] = inlined(program)
    assert "doubled" not in changed.text
    assert changed.capsule().flat.text.count("block + block") == 2


def test_a_candidate_that_hangs_is_no_harm(tmp_path) -> None:
    call = program_of(recorded(tmp_path, "fault")).capsule()
    settings = {"engine": "reference"}
    hanging = replace(call, flat=replace(call.flat, text="import time\ntime.sleep(60)\n" + call.flat.text))
    with Worker(30.0) as worker:
        assert worker.run(call, settings).stop.code == "PTO451"
        worker._seconds = 0.5
        assert worker.run(hanging, settings) is None
        worker._seconds = 30.0
        assert worker.run(call, settings).stop.code == "PTO451"


def test_from_a_planted_fault_in_an_operator_to_a_few_lines(tmp_path, monkeypatch) -> None:
    """verify finds it, replay repeats it, shrink makes it small, and the small one ends as recorded."""
    place = tmp_path / "rms_norm_planted"
    shutil.copytree(Path(openpto_gym.__file__).parent / "rms_norm", place, ignore=shutil.ignore_patterns("__pycache__"))
    for file in place.glob("*.py"):
        text = file.read_text(encoding="utf-8").replace("openpto_gym.rms_norm", "rms_norm_planted")
        file.write_text(text, encoding="utf-8")
    source = (place / "kernel.py").read_text(encoding="utf-8")
    assert "valid_shape=[live, hidden]" in source
    planted = source.replace("valid_shape=[live, hidden]", "valid_shape=[ROWS, hidden]")
    (place / "kernel.py").write_text(planted, encoding="utf-8")

    runner, folder = CliRunner(), place / "replays"
    monkeypatch.chdir(place)  # by default, this folder and its replays/
    found = runner.invoke(application.app, ["verify", "--replay", "--case", "one_past_a_block"])
    assert found.exit_code == 1
    assert "PTO451" in found.stdout
    [path] = folder.glob("*.replay.json")
    assert runner.invoke(application.app, ["replay", str(path)]).exit_code == 0
    done = runner.invoke(
        application.app, ["shrink", str(path), "-o", str(tmp_path / "small"), "--seconds", "3600", "--per-run", "120"]
    )
    assert done.exit_code == 0, done.output
    assert "as recorded, it stops with PTO451" in done.stdout
    small = read(tmp_path / "small.replay.json")
    lines = [line for line in small.call.flat.text.splitlines() if line.strip()]
    assert len(lines) < 15
    assert sum(array.size for array in small.call.tensors) <= 8
    assert runner.invoke(application.app, ["replay", str(tmp_path / "small.replay.json")]).exit_code == 0
    assert "def run():" in (tmp_path / "small.py").read_text(encoding="utf-8")
