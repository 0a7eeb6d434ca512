"""Which loops are found to have independent iterations."""

import numpy as np
import pytest

import pypto
from openpto import runtime
from openpto.ir.nodes import If, Loop
from openpto.runtime.native import independence
from openpto.runtime.native.independence import Plan
from openpto.runtime.reference.engine import lifetimes_of

F = pypto.DT_FP32
MATRIX = [pypto.DYNAMIC, 16]


class Seen(Exception):
    """Carries the kernel out of the engine."""


def loops_of(block):
    """Every loop of a block."""
    for stmt in block.body:
        if isinstance(stmt, Loop):
            yield stmt
            yield from loops_of(stmt.body)
        elif isinstance(stmt, If):
            yield from loops_of(stmt.then)
            yield from loops_of(stmt.other)


@pytest.fixture
def independent(monkeypatch):
    """Names of the independent loops of a kernel."""
    seen = []

    def engine(kernel, buffers, env):
        seen.append(kernel)
        raise Seen

    monkeypatch.setitem(runtime.ENGINES, "reference", engine)

    def find(kernel, *arrays):
        with pytest.raises(Seen):
            kernel(*arrays)
        found = independence.plans(seen[-1], lifetimes_of(seen[-1]))
        assert all(isinstance(plan, Plan) for plan in found.values())
        return [loop.attrs["name"] for loop in loops_of(seen[-1].body) if loop in found]

    return find


def arrays():
    return np.zeros((64, 16), np.float32), np.zeros((64, 16), np.float32)


@pypto.jit
def rows(x: pypto.Tensor(MATRIX, F), o: pypto.Tensor(MATRIX, F)):
    pypto.set_vec_tile_shapes(8, 16)
    for i in pypto.loop(0, x.shape[0], 8, name="rows", idx_name="i"):
        o[i : i + 8, :] = x[i : i + 8, :] * 2.0


@pypto.jit
def rows_backwards(x: pypto.Tensor(MATRIX, F), o: pypto.Tensor(MATRIX, F)):
    pypto.set_vec_tile_shapes(8, 16)
    for i in pypto.loop(7, -1, -1, name="rows", idx_name="i"):
        o[8 * i : 8 * i + 8, :] = x[8 * i : 8 * i + 8, :] * 2.0


@pypto.jit
def overlapping(x: pypto.Tensor(MATRIX, F), o: pypto.Tensor(MATRIX, F)):
    pypto.set_vec_tile_shapes(8, 16)
    for i in pypto.loop(0, 56, 4, name="rows", idx_name="i"):
        o[i : i + 8, :] = x[i : i + 8, :] * 2.0


@pypto.jit
def in_place(x: pypto.Tensor(MATRIX, F), o: pypto.Tensor(MATRIX, F)):
    pypto.set_vec_tile_shapes(8, 16)
    for i in pypto.loop(8, name="rows", idx_name="i"):
        a = o[8 * i : 8 * i + 8, :]
        o[8 * i : 8 * i + 4, :] = a[0:4, :] + x[0:4, :]
        o[8 * i + 4 : 8 * i + 8, :] = a[4:8, :] + x[4:8, :]


@pypto.jit
def neighbour(x: pypto.Tensor(MATRIX, F), o: pypto.Tensor(MATRIX, F)):
    pypto.set_vec_tile_shapes(8, 16)
    for i in pypto.loop(7, name="rows", idx_name="i"):
        o[8 * i + 8 : 8 * i + 16, :] = o[8 * i : 8 * i + 8, :] + 1.0


@pypto.jit
def same_place(x: pypto.Tensor(MATRIX, F), o: pypto.Tensor(MATRIX, F)):
    pypto.set_vec_tile_shapes(8, 16)
    for i in pypto.loop(8, name="rows", idx_name="i"):
        o[0:8, :] = x[8 * i : 8 * i + 8, :]


@pypto.jit
def folded(x: pypto.Tensor(MATRIX, F), o: pypto.Tensor(MATRIX, F)):
    pypto.set_vec_tile_shapes(8, 16)
    total = pypto.full([8, 16], 0.0, F)
    for i in pypto.loop(8, name="rows", idx_name="i"):
        total[:] = total + x[8 * i : 8 * i + 8, :]
    o[0:8, :] = total


@pypto.jit
def nested(x: pypto.Tensor(MATRIX, F), o: pypto.Tensor(MATRIX, F)):
    pypto.set_vec_tile_shapes(8, 16)
    for i in pypto.loop(4, name="outer", idx_name="i"):
        for j in pypto.loop(2, name="inner", idx_name="j"):
            o[16 * i + 8 * j : 16 * i + 8 * j + 8, :] = x[0:8, :] * 2.0


@pypto.jit
def nested_too_wide(x: pypto.Tensor(MATRIX, F), o: pypto.Tensor(MATRIX, F)):
    pypto.set_vec_tile_shapes(8, 16)
    for i in pypto.loop(4, name="outer", idx_name="i"):
        for j in pypto.loop(3, name="inner", idx_name="j"):
            o[16 * i + 8 * j : 16 * i + 8 * j + 8, :] = x[0:8, :] * 2.0


@pypto.jit
def under_a_condition(x: pypto.Tensor(MATRIX, F), o: pypto.Tensor(MATRIX, F)):
    pypto.set_vec_tile_shapes(8, 16)
    for i in pypto.loop(0, x.shape[0], 8, name="rows", idx_name="i"):
        if i % 16 == 0:
            o[i : i + 8, :] = x[i : i + 8, :] * 2.0
        else:
            o[i : i + 4, :] = x[i : i + 4, :] * 3.0


@pypto.jit
def counted(x: pypto.Tensor(MATRIX, F), o: pypto.Tensor(MATRIX, F)):
    pypto.set_vec_tile_shapes(8, 16)
    row = 0
    for i in pypto.loop(8, name="rows", idx_name="i"):
        o[row : row + 8, :] = x[8 * i : 8 * i + 8, :]
        row = row + 8


@pypto.jit
def whole(x: pypto.Tensor(MATRIX, F), o: pypto.Tensor(MATRIX, F)):
    pypto.set_vec_tile_shapes(8, 16)
    for i in pypto.loop(4, name="rows", idx_name="i"):
        o[:] = x[0:64, :] * 2.0


@pypto.jit
def from_a_table(
    x: pypto.Tensor(MATRIX, F), o: pypto.Tensor(MATRIX, F), t: pypto.Tensor([pypto.DYNAMIC], pypto.DT_INT32)
):
    pypto.set_vec_tile_shapes(8, 16)
    for i in pypto.loop(4, name="rows", idx_name="i"):
        row = t[i]
        o[row : row + 8, :] = x[8 * i : 8 * i + 8, :]


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (rows, ["rows"]),
        (rows_backwards, ["rows"]),
        (overlapping, []),
        (in_place, ["rows"]),
        (neighbour, []),
        (same_place, []),
        (folded, []),
        (nested, ["outer", "inner"]),
        (nested_too_wide, ["inner"]),
        (under_a_condition, ["rows"]),
        (counted, []),
        (whole, []),
    ],
    ids=lambda k: getattr(k, "__name__", None),
)
@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_loops(independent, kernel, expected):
    assert independent(kernel, *arrays()) == expected


@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_offsets_from_a_table_are_not_proven(independent):
    assert independent(from_a_table, *arrays(), np.arange(4, dtype=np.int32)) == []
