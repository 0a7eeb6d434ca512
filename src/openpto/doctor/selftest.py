"""Small kernels on both engines, each in a process of its own, with results that are checked against numpy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from openpto.diagnostics.language import T
from openpto.doctor.report import Section

SECONDS = 120.0

PROGRAM = '''\
"""Run by `pypto doctor`: kernels on one engine, their results compared with numpy."""

import json
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")
import openpto
import pypto

F32, BF16, DYNAMIC = pypto.DT_FP32, pypto.DT_BF16, pypto.DYNAMIC


@pypto.frontend.jit
def row_softmax(x: pypto.Tensor([DYNAMIC, 64], F32), out: pypto.Tensor([DYNAMIC, 64], F32)):
    pypto.set_vec_tile_shapes(8, 64)
    for i in pypto.loop((x.shape[0] + 7) // 8, name="rows", idx_name="i"):
        size = pypto.min(x.shape[0] - i * 8, 8)
        tile = pypto.view(x, [8, 64], [i * 8, 0], valid_shape=[size, 64])
        shifted = pypto.exp(tile - pypto.amax(tile, -1, True))
        pypto.assemble(shifted / pypto.sum(shifted, -1, True), [i * 8, 0], out)


@pypto.frontend.jit
def product(a: pypto.Tensor([32, 48], F32), b: pypto.Tensor([48, 16], F32), out: pypto.Tensor([32, 16], F32)):
    pypto.set_cube_tile_shapes([32, 32], [48, 48], [16, 16])
    pypto.set_vec_tile_shapes(32, 16)
    out[:] = pypto.matmul(a, b, F32)


def close(found, golden, limit):
    error = float(np.abs(found.astype(np.float64) - golden).max())
    return {"error": error, "ok": bool(error <= limit)}


def main(engine):
    openpto.configure(engine=engine)
    random = np.random.default_rng(7)
    x = random.standard_normal((37, 64)).astype(np.float32)
    out = np.full_like(x, np.nan)
    row_softmax(x, out)
    used = openpto.last_run().engine
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    checks = {"softmax": close(out, e / e.sum(1, keepdims=True), 1e-6)}
    a = random.integers(-8, 9, (32, 48)).astype(np.float32)
    b = random.integers(-8, 9, (48, 16)).astype(np.float32)
    c = np.full((32, 16), np.nan, np.float32)
    product(a, b, c)
    checks["matmul"] = close(c, a.astype(np.float64) @ b.astype(np.float64), 0.0)
    bits = {"softmax": out.tobytes().hex(), "matmul": c.tobytes().hex()}
    print(json.dumps({"engine": used, "checks": checks, "bits": bits}))


main(sys.argv[1])
'''


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one engine gave: the bits of the results if they are right, else why not."""

    bits: Mapping[str, str] | None
    why: str = ""


def section(engines: Sequence[str], default: str, path: Sequence[str]) -> Section:
    """Run the program on engines; `default` is the one that kernels get, `path` where modules are found."""
    made = Section("self-test", T("self-test", "自检"))
    outcomes = run(engines, path)
    for engine, outcome in outcomes.items():
        right = T("right", "正确")
        made.fact(engine, engine, right if outcome.bits is not None else T("failed", "失败"))
        if outcome.bits is None:
            made.found(
                "problem" if engine == default else "warning",
                "self-test-failed",
                T(f"the {engine} engine: {outcome.why}", f"{engine} 引擎：{outcome.why}"),
                _cure(engine, engines),
            )
    found = [outcome.bits for outcome in outcomes.values() if outcome.bits is not None]
    if len(found) > 1 and any(bits != found[0] for bits in found):
        made.found(
            "warning",
            "engines-differ",
            T("the engines give different bits for one kernel", "两个引擎对同一 kernel 给出不同的二进制结果"),
            T("report it, with the CPU named above", "请报告此问题，并附上上面的 CPU"),
        )
    return made


def _cure(engine: str, engines: Sequence[str]) -> T:
    if engine == "native" and "reference" in engines:
        return T(
            "PYPTO_ENGINE=reference runs kernels without it; report it with the text above",
            "设置 PYPTO_ENGINE=reference 可不使用它运行 kernel；请附上以上文本报告此问题",
        )
    return T("look at the findings above first", "请先处理上面的问题")


def run(engines: Sequence[str], path: Sequence[str]) -> dict[str, Outcome]:
    """What each engine gives; they run side by side."""
    places = [os.path.abspath(entry) for entry in path if entry]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(places), "PYTHONIOENCODING": "utf-8"}
    with tempfile.TemporaryDirectory(prefix="pypto-doctor-") as folder:
        file = Path(folder) / "self_test.py"
        file.write_text(PROGRAM, encoding="utf-8")
        children = {
            engine: subprocess.Popen(
                [sys.executable, str(file), engine],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=environment, cwd=folder,
            )
            for engine in engines
        }  # fmt: skip
        return {engine: _outcome(child, engine) for engine, child in children.items()}


def _outcome(child: subprocess.Popen[bytes], engine: str) -> Outcome:
    try:
        out, errors = (text.decode("utf-8", "replace") for text in child.communicate(timeout=SECONDS))
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        return Outcome(None, f"> {SECONDS:.0f} s")
    if child.returncode < 0:
        return Outcome(None, f"signal {-child.returncode}")
    if child.returncode:
        return Outcome(None, _telling(errors) or f"exit code {child.returncode}")
    found = json.loads(out.splitlines()[-1])
    wrong = [f"{name} ({check['error']:.3g})" for name, check in found["checks"].items() if not check["ok"]]
    if wrong:
        return Outcome(None, f"wrong results: {', '.join(wrong)}")
    if found["engine"] != engine:
        return Outcome(None, f"ran on {found['engine']}")
    return Outcome(found["bits"])


def _telling(errors: str) -> str:
    """The line of an error that says what it is: a diagnostic's headline, else the last line."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    headline = next((line for line in lines if "error[PTO" in line), lines[-1] if lines else "")
    return " ".join(headline.split())[:300]
