"""Folders of operators that tests verify: a row scaling with a dynamic tail, and ways to get it wrong."""

from __future__ import annotations

import textwrap

import pytest

IMPL = """
import numpy as np
import pypto


@pypto.frontend.jit
def scaled_kernel_npu(
    x: pypto.Tensor([pypto.DYNAMIC, 32], pypto.DT_FP32),
    out: pypto.Tensor([pypto.DYNAMIC, 32], pypto.DT_FP32),
):
    rows = x.shape[0]
    pypto.set_vec_tile_shapes(8, 32)
    for row in pypto.loop(0, rows, 8, name="LOOP_ROWS", idx_name="row"):
        live = (rows - row).min(8)
        tile = pypto.view(x, [8, 32], [row, 0], valid_shape=[live, 32])
        pypto.assemble(tile * 2.0, [row, 0], out)


def scaled_wrapper(x):
    out = np.full_like(x, np.nan)
    scaled_kernel_npu(x, out)
    return out
"""
GOLDEN = """
import numpy as np


def _make_inputs(shape, seed=42):
    return (np.random.default_rng(seed).standard_normal(shape, dtype=np.float32),)


def scaled_golden(x):
    return x + x
"""
CASES = """[{"id": "tail", "shape": [11, 32], "dtype": "fp32", "seed": 1},
 {"id": "one", "shape": [1, 32], "dtype": "fp32"}, {"id": "long", "level": 2, "shape": [99999, 32], "dtype": "fp32"}]"""


@pytest.fixture
def folder(tmp_path):
    """Makes the folder of the operator `scaled`, with texts of the kernel or golden replaced."""

    def make(impl=(), golden=(), cases=CASES):
        place = tmp_path / "scaled"
        place.mkdir()
        texts = {"scaled_impl.py": (IMPL, impl), "scaled_golden.py": (GOLDEN, golden)}
        for name, (text, changes) in texts.items():
            for old, new in changes:
                assert old in text
                text = text.replace(old, textwrap.dedent(new))
            (place / name).write_text(text, encoding="utf-8")
        (place / "test_cases.json").write_text(cases, encoding="utf-8")
        return place

    return make
