"""Kernels that an earlier process compiled: not traced again, same bits, same receipts, warnings and faults."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("llvmlite", reason="needs llvmlite")

KERNELS = """
import pypto
import tiles

F, I = pypto.DT_FP32, pypto.DT_INT32


def doubled(x):
    return x * tiles.FACTOR


@pypto.frontend.jit
def plain(x: pypto.Tensor([pypto.DYNAMIC, 16], F), out: pypto.Tensor([pypto.DYNAMIC, 16], F), scale: float = 1.0):
    pypto.set_vec_tile_shapes(tiles.ROWS, 16)
    for i in pypto.loop((x.shape[0] + tiles.ROWS - 1) // tiles.ROWS, name="rows", idx_name="i"):
        tile = pypto.view(x, [tiles.ROWS, 16], [i * tiles.ROWS, 0])
        pypto.assemble(pypto.exp(doubled(tile) * scale), [i * tiles.ROWS, 0], out)


LOG = []


@pypto.frontend.jit
def noted(x: pypto.Tensor([8, 16], F), out: pypto.Tensor([8, 16], F)):
    pypto.set_vec_tile_shapes(4, 16)
    LOG.append(tuple(x.shape))
    out[:] = x + 1.0


@pypto.frontend.jit
def faulty(x: pypto.Tensor([pypto.DYNAMIC, 16], F), n: pypto.Tensor([1], I), out: pypto.Tensor([pypto.DYNAMIC, 16], F)):
    pypto.set_vec_tile_shapes(4, 16)
    for i in pypto.loop(x.shape[0] // 4, name="rows", idx_name="i"):
        tile = pypto.view(x, [4, 16], [i * 4 + n[0], 0], valid_shape=[4, 16])
        pypto.assemble(pypto.neg(tile), [i * 4, 0], out)


@pypto.frontend.jit
def warned(x: pypto.Tensor([8, 16], F), out: pypto.Tensor([8, 16], F)):
    pypto.set_vec_tile_shapes(4, 16)
    moved = x + 1.0
    out[:] = moved
    out[0:8, :] = pypto.view(moved * 2.0, [8, 16], [0, 0])  # some toolchains have emptied it by now


@pypto.frontend.jit(runtime_options={"stitch_function_max_num": 16})
def stitched(x: pypto.Tensor([8, 16], F), out: pypto.Tensor([8, 16], F)):
    pypto.set_vec_tile_shapes(4, 16)
    out[:] = x + 1.0
"""
TILES = "ROWS = 4\nFACTOR = 2.0\n"
PROGRAM = """
import json
import sys
import warnings

import numpy as np

import kernels
import openpto

traced = []
from openpto.kernel import jit
trace = jit.trace_kernel
jit.trace_kernel = lambda *a, **k: traced.append(1) or trace(*a, **k)
x = np.arange(19 * 16, dtype=np.float32).reshape(19, 16) / 100
results = []


def call(kernel, *arguments, engine="native", **more):
    traced.clear()
    out = np.zeros_like(arguments[0])
    with warnings.catch_warnings(record=True) as caught, openpto.configure(engine=engine):
        warnings.simplefilter("always")
        error = ""
        try:
            kernel(*arguments, out, **more)
        except Exception as found:
            error = str(found)
    run = kernel.last_run
    results.append({
        "traced": len(traced),
        "origin": run.origin if run and not error else "",
        "same": [] if error else [out.tobytes().hex(), run.kernel_hash, run.ops_executed, dict(run.elements_written)],
        "error": error,
        "warnings": [str(w.message) for w in caught],
        "compilations": kernel.compilations,
    })


for step in json.loads(sys.argv[1]):
    eval(step)
print(json.dumps(results))
"""


class Session:
    """A folder with a kernel file, and processes that call its kernels."""

    def __init__(self, folder) -> None:
        self.folder = folder
        (folder / "kernels.py").write_text(KERNELS)
        (folder / "tiles.py").write_text(TILES)

    def run(self, *steps: str, **variables: str) -> list[dict]:
        environment = {**os.environ, "PYPTO_CACHE_DIR": str(self.folder / "store"), "PYTHONDONTWRITEBYTECODE": "1"}
        environment |= variables
        environment["PYTHONPATH"] = os.pathsep.join([str(self.folder), environment.get("PYTHONPATH", "")])
        command = [sys.executable, "-c", PROGRAM, json.dumps(steps)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture
def session(tmp_path) -> Session:
    return Session(tmp_path)


PLAIN = "call(kernels.plain, x)"


def test_the_second_process_does_not_trace(session):
    first, second = session.run(PLAIN), session.run(PLAIN, PLAIN, "call(kernels.plain, x[:5])")
    assert (first[0]["origin"], first[0]["traced"]) == ("trace", 1)
    assert [(r["origin"], r["traced"], r["compilations"]) for r in second] == [("disk", 0, 1)] * 3
    assert first[0]["same"] == second[0]["same"] == second[1]["same"]


def test_the_reference_traces_what_came_from_disk(session):
    first = session.run(PLAIN)
    again = session.run(PLAIN, "call(kernels.plain, x, engine='reference')")
    assert [r["traced"] for r in again] == [0, 1]
    assert first[0]["same"] == again[0]["same"] == again[1]["same"]


def test_what_the_kernel_reads_is_part_of_its_name(session):
    session.run(PLAIN)
    (session.folder / "tiles.py").write_text(TILES.replace("2.0", "3.0"))
    changed = session.run(PLAIN)
    assert changed[0]["traced"] == 1
    (session.folder / "tiles.py").write_text(TILES)
    back = session.run(PLAIN, "setattr(kernels.tiles, 'FACTOR', 3.0)", PLAIN)
    assert [r["traced"] for r in back] == [0, 0]
    assert back[0]["same"] != back[1]["same"] == changed[0]["same"]


def test_arguments_and_settings_are_part_of_its_name(session):
    session.run(PLAIN)
    steps = ("call(kernels.plain, x, scale=2.0)", "call(kernels.plain, x.astype(np.float16))")
    assert session.run(steps[0])[0]["traced"] == 1
    assert session.run("openpto.configure(numerics='strict')", PLAIN)[-1]["traced"] == 1
    assert session.run("openpto.configure(target='0.3')", PLAIN)[-1]["traced"] == 1


def test_a_target_judges_what_was_kept_without_one(session):
    """What is kept for one target is not found under another, which refuses the kernel; back again, it is."""
    warned = "call(kernels.warned, x[:8])"
    assert "PTO610" in session.run(warned)[0]["warnings"][0]
    for target in ("0.2", "0.3"):
        refused = session.run(warned, PYPTO_TARGET=target)[0]
        assert "PTO610" in refused["error"]
    assert session.run(warned)[0]["traced"] == 0
    mixed = session.run(warned, "openpto.configure(target='0.2')", warned, "openpto.configure(target=None)", warned)
    assert [bool(r["error"]) for r in mixed] == [False, True, False]


def test_options_of_a_call_are_judged_with_what_was_kept(session):
    """Whether stitching suits a kernel is known without tracing it again."""
    first, second = session.run("call(kernels.stitched, x[:8])"), session.run("call(kernels.stitched, x[:8])")
    assert [r[0]["traced"] for r in (first, second)] == [1, 0]
    assert first[0]["warnings"] == second[0]["warnings"]
    assert "PTO620" in second[0]["warnings"][0]


def test_faults_and_their_text_are_the_same(session):
    steps = ("call(kernels.faulty, x, np.array([0], np.int32))", "call(kernels.faulty, x, np.array([2], np.int32))")
    steps += ("call(kernels.faulty, x, np.array([900], np.int32))",)
    first, second = session.run(*steps), session.run(*steps)
    assert second[0]["traced"] == 0
    assert second[0]["same"] == first[0]["same"]
    errors = [[r["error"] for r in results] for results in (first, second)]
    assert errors[0] == errors[1]
    assert errors[0][0] == ""
    assert "kernels.py" in errors[0][2]
    assert "rows" in errors[0][2]


def test_warnings_are_the_same(session):
    first, second = session.run("call(kernels.warned, x[:8])"), session.run("call(kernels.warned, x[:8])")
    assert first[0]["warnings"] == second[0]["warnings"]
    assert second[0]["traced"] == 0
    assert first[0]["warnings"] != []


def test_a_kernel_that_reads_the_environment_is_traced_in_each_process(session):
    text = KERNELS.replace("import tiles\n", "import os\n\nimport tiles\n", 1)
    text = text.replace("tiles.FACTOR", "float(os.environ['FACTOR'])")
    (session.folder / "kernels.py").write_text(text)
    first, second = session.run(PLAIN, FACTOR="2"), session.run(PLAIN, FACTOR="3")
    assert second[0]["traced"] == 1
    assert first[0]["same"] != second[0]["same"]


def test_what_a_kernel_does_while_it_is_traced_is_done_in_each_process(session):
    for _ in range(2):
        (first,) = session.run("call(kernels.noted, x[:8])")
        assert (first["origin"], first["traced"]) == ("trace", 1)


def test_machine_code_that_is_gone_is_made_again(session):
    session.run(PLAIN)
    for path in (session.folder / "store").iterdir():
        if b'"fingerprint"' not in path.read_bytes():
            path.unlink()
    again = session.run(PLAIN)
    assert again[0]["traced"] == 1
    assert session.run(PLAIN)[0]["traced"] == 0
