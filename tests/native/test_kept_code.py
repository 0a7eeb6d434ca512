"""Machine code that is kept on disk: the same bits as fresh code, in another process, whatever happened to the file."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs llvmlite")

MODULES = 7
"""The kernel, and the product, packing and blocks in registers that a matrix product calls; the kernel and the blocks
have two halves. And the pool of threads, which a kernel that multiplies is expected to use."""

PROGRAM = """
import sys
import numpy as np
import pypto
from openpto.runtime.native import objects

emitted = []
plain = objects._object
objects._object = lambda *arguments: emitted.append(1) or plain(*arguments)
F = pypto.DT_FP32


@pypto.frontend.jit
def kernel(
    a: pypto.Tensor([pypto.DYNAMIC, 32], F), b: pypto.Tensor([32, 32], F), out: pypto.Tensor([pypto.DYNAMIC, 32], F)
):
    pypto.set_vec_tile_shapes(8, 32)
    pypto.set_cube_tile_shapes([32, 32], [32, 32], [32, 32])
    for i in pypto.loop((a.shape[0] + 7) // 8):
        tile = pypto.view(a, [8, 32], [i * 8, 0])
        pypto.assemble(pypto.exp(pypto.matmul(tile, b, F)), [i * 8, 0], out)


a = np.load(sys.argv[1])
out = np.zeros_like(a)
kernel(a, np.eye(32, dtype=np.float32), out)
assert kernel.last_run.engine == "native"
np.save(sys.argv[2], out)
print(len(emitted))
"""


def call(tmp_path: Path, folder: str | Path) -> subprocess.Popen[str]:
    """A process that runs the kernel; prints how many modules it compiled."""
    (tmp_path / "program.py").write_text(textwrap.dedent(PROGRAM))
    (tmp_path / "results").mkdir(exist_ok=True)
    name = tmp_path / "results" / f"{len(list((tmp_path / 'results').iterdir()))}-{os.urandom(4).hex()}.npy"
    if not (tmp_path / "a.npy").exists():
        np.save(tmp_path / "a.npy", np.random.default_rng(0).standard_normal((19, 32)).astype(np.float32))
    environment = {**os.environ, "PYPTO_CACHE_DIR": str(folder), "PYPTO_ENGINE": "native", "PYPTO_NUM_THREADS": "2"}
    command = [sys.executable, str(tmp_path / "program.py"), str(tmp_path / "a.npy"), str(name)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def compiled(process: subprocess.Popen[str]) -> int:
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return int(output)


def equal_results(tmp_path: Path) -> np.ndarray:
    """The result, which is the same in all files."""
    results = [np.load(path) for path in sorted((tmp_path / "results").iterdir())]
    for other in results[1:]:
        np.testing.assert_array_equal(results[0].view(np.uint32), other.view(np.uint32))
    return results[0]


def test_another_process_compiles_nothing_and_computes_the_same(tmp_path):
    store = tmp_path / "store"
    assert compiled(call(tmp_path, store)) == MODULES
    assert compiled(call(tmp_path, store)) == 0
    assert compiled(call(tmp_path, "off")) == MODULES
    exact = np.exp(np.load(tmp_path / "a.npy").astype(np.float64))
    np.testing.assert_allclose(equal_results(tmp_path), exact, rtol=3e-7)


def test_a_damaged_entry_is_compiled_again(tmp_path):
    store = tmp_path / "store"
    compiled(call(tmp_path, store))
    for path in store.iterdir():
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 0x10
        path.write_bytes(data)
    assert compiled(call(tmp_path, store)) == MODULES
    assert compiled(call(tmp_path, store)) == 0
    equal_results(tmp_path)


def test_two_processes_at_once(tmp_path):
    first, second = call(tmp_path, tmp_path / "store"), call(tmp_path, tmp_path / "store")
    assert compiled(first) <= MODULES
    assert compiled(second) <= MODULES
    assert compiled(call(tmp_path, tmp_path / "store")) == 0
    equal_results(tmp_path)


def test_a_folder_that_cannot_be_used_does_not_matter(tmp_path):
    (tmp_path / "file").write_text("")
    assert compiled(call(tmp_path, tmp_path / "file")) == MODULES
    assert compiled(call(tmp_path, tmp_path / "file")) == MODULES
    equal_results(tmp_path)


def test_code_paths_do_not_share_code(tmp_path, monkeypatch):
    store = tmp_path / "store"
    monkeypatch.setenv("PYPTO_CPU", "avx2")
    assert compiled(call(tmp_path, store)) == MODULES
    monkeypatch.setenv("PYPTO_CPU", "generic")
    assert compiled(call(tmp_path, store)) == MODULES
    equal_results(tmp_path)
