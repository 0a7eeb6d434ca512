"""Sums of memory that the linter makes, against those of the checks that a run makes."""

from __future__ import annotations

import random

import pytest

import openpto
from openpto.ir.dtypes import DataType
from openpto.lint import api
from openpto.lint.engine import lint_text
from openpto.lint.selection import Selection
from openpto.ops.convert import pair_kind
from openpto.ops.registry import OPS

KERNEL = """import pypto

D = pypto.DT_{dtype}


@pypto.frontend.jit
def kernel(x: pypto.Tensor({a}, D), z: pypto.Tensor({b}, D), y: pypto.Tensor({a}, D)):
    pypto.set_vec_tile_shapes(16, 64)
    {tile}
    t = {call}
"""
UNARY = ("exp", "sqrt", "abs", "neg", "sin", "tanh", "rsqrt", "log1p", "round", "sign", "erf", "isnan", "atanh")
BINARY = ("add", "mul", "maximum", "gt", "eq", "atan2", "hypot", "floor_div", "remainder", "bitwise_xor")
FOLDS = ("sum", "amax")


def said(text: str, chip: str) -> set[str]:
    return {finding.code for finding in lint_text(text, selection=Selection(chip=chip))}


def run(op: str, shapes: list[tuple[int, ...]], dtype: str, tile: object, chip: str, **more: object) -> set[str]:
    return {found.code for found in openpto.check_tiles(op, shapes, dtype, tile=tile, chip=chip, **more)}


def test_vector_tiles_agree_with_the_checks_of_a_run() -> None:
    """What the linter refuses a run refuses; and of what a run refuses the linter finds most."""
    chance = random.Random(7)
    found = missed = 0
    for _ in range(160):
        op = chance.choice(UNARY + BINARY + FOLDS)
        dtype = chance.choice(["FP32", "FP32", "FP16", "BF16", "INT32"])
        if OPS[op].dtypes is not None and dtype not in {d.short for d in OPS[op].dtypes.everywhere}:
            continue
        shape = (chance.choice([64, 300, 1024]), chance.choice([32, 512, 2048]))
        other = shape if chance.random() < 0.7 else (1, shape[1])
        tile, chip = (chance.choice([1, 32, 100, 256]), chance.choice([64, 256, 1024])), chance.choice(["910B", "950"])
        second = {1: "", 2: ", z"}[2 if op in BINARY else 1]
        call = f"pypto.{op}(x{second}{', 1, True' if op in FOLDS else ''})"
        setter = f"pypto.set_vec_tile_shapes({tile[0]}, {tile[1]})"
        text = KERNEL.format(a=list(shape), b=list(other), dtype=dtype, tile=setter, call=call)
        more = {"dim": 1, "keepdim": True} if op in FOLDS else {}
        ours = "PTO304" in said(text, chip)
        theirs = "PTO304" in run(op, [shape, other] if op in BINARY else [shape], dtype, tile, chip, **more)
        assert theirs or not ours, (op, shape, other, dtype, tile, chip)
        found, missed = found + ours, missed + (theirs and not ours)
    assert found > 20
    assert missed < found / 4


def test_cube_tiles_agree_with_the_checks_of_a_run() -> None:
    chance = random.Random(11)
    codes = {"PTO321", "PTO322", "PTO323", "PTO324", "PTO325", "PTO326"}
    seen: set[str] = set()
    for _ in range(150):
        m, n = (
            [inner, inner * chance.choice([1, 2, 4]) + chance.choice([0] * 9 + [8])]
            for inner in chance.choices([16, 32, 64, 128, 256], k=2)
        )
        inner = chance.choice([8, 16, 32, 64, 128])
        k = [inner, inner * chance.choice([1, 2, 3, 8]), inner * chance.choice([1, 2, 3, 8])]
        dtype, chip = chance.choice(["FP32", "FP16", "INT8"]), chance.choice(["910B", "950"])
        a, b = (chance.choice([64, 256]), 1024), (1024, chance.choice([64, 512]))
        out = {"INT8": "INT32", "FP16": "FP32", "FP32": "FP32"}[dtype]
        setter = f"pypto.set_cube_tile_shapes({m}, {k}, {n})"
        call = f"pypto.matmul(x, z, pypto.DT_{out})"
        ours = said(KERNEL.format(a=list(a), b=list(b), dtype=dtype, tile=setter, call=call), chip) & codes
        theirs = run("matmul", [a, b], dtype, (m, k, n), chip, out_dtype=DataType[f"DT_{out}"]) & codes
        assert ours <= theirs, (m, k, n, dtype, chip, a, b)
        assert bool(ours) == bool(theirs), (m, k, n, dtype, chip, theirs)
        seen |= ours
    assert seen == codes


@pytest.mark.parametrize("chip", ["910B", "950"])
def test_the_tile_that_is_suggested_fits(chip: str) -> None:
    setter = "pypto.set_vec_tile_shapes(512, 512)"
    text = KERNEL.format(a=[512, 512], b=[512, 512], dtype="FP32", tile=setter, call="pypto.add(x, z)")
    (finding,) = [f for f in lint_text(text, selection=Selection(chip=chip)) if f.code == "PTO304"]
    tile = tuple(int(number) for number in str(finding.fields["suggest"]).split(","))
    assert run("add", [(512, 512), (512, 512)], "FP32", tile, chip) == set()
    assert "512 x 512 x 4 B" in finding.message("en")


def test_the_table_of_casts_is_that_of_the_operation() -> None:

    for source in DataType:
        assert api.casts(source.name) == {d.name for d in DataType if pair_kind(source, d) is not None}
    text = KERNEL.format(a=[8, 64], b=[8, 64], dtype="FP32", tile="pass", call="pypto.cast(x > z, pypto.DT_FP32)")
    assert "PTO265" in said(text, "910B")
    assert "PTO265" not in said(text.replace("x > z", "x"), "910B")
