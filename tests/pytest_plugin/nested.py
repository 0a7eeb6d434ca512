"""Runs of pytest inside of tests: with the plugin, whether the package is installed with its entry point or not."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

INSTALLED = any(point.value == "openpto.pytest_plugin" for point in entry_points(group="pytest11", name="openpto"))
PLUGIN = ("-p", "openpto" if INSTALLED else "openpto.pytest_plugin")
QUIET = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest")

SOFTMAX = '''"""In the manner of delivered operators: a script with --run_mode, and functions for pytest."""

import argparse
import sys

import numpy as np
import pypto

MODE = pypto.RunMode.SIM if "sim" in sys.argv else pypto.RunMode.NPU


@pypto.frontend.jit(runtime_options={"run_mode": MODE})
def softmax_kernel(
    x: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_FP32),
    out: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_FP32),
):
    pypto.set_vec_tile_shapes(8, 64)
    for i in pypto.loop((x.shape[0] + 7) // 8, name="tiles", idx_name="i"):
        live = pypto.min(x.shape[0] - i * 8, 8)
        tile = pypto.view(x, [8, 64], [i * 8, 0], valid_shape=[live, 64])
        e = pypto.exp(tile - pypto.amax(tile, -1, True))
        pypto.assemble(e / pypto.sum(e, -1, True), [i * 8, 0], out)


def check(rows):
    x = np.random.default_rng(42).standard_normal((rows, 64), dtype=np.float32)
    out = np.empty_like(x)
    softmax_kernel(x, out)
    weights = np.exp(x.astype(np.float64))
    np.testing.assert_allclose(out, weights / weights.sum(axis=1, keepdims=True), rtol=1e-5)


def test_level0(run_mode="npu"):
    check(3)


def test_level1():
    check(65)
    check(65)
    check(100)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--run_mode", choices=["npu", "sim"], default="npu")
    args = parser.parse_args()
    test_level0(args.run_mode)
    test_level1()
    print("passed in mode", args.run_mode)
'''


def python(folder: Path, *args: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A run of this interpreter in `folder`, without settings of ours in its environment."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYPTO_", "PYTEST_"))}
    store = {"PYPTO_CACHE_DIR": os.environ["PYPTO_CACHE_DIR"]} if "PYPTO_CACHE_DIR" in os.environ else {}
    environment = {**kept, **store, **variables}
    return subprocess.run(
        [sys.executable, *args], cwd=folder, capture_output=True, text=True, check=False, env=environment
    )


def pytest_in(folder: Path, *args: str, plugin: tuple[str, ...] = PLUGIN) -> subprocess.CompletedProcess[str]:
    """A run of pytest in `folder`."""
    return python(folder, "-m", "pytest", *QUIET, *plugin, *args)
