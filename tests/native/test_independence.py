"""Which loops are found to have independent iterations."""

import ml_dtypes
import numpy as np
import pytest

import openpto
import pypto
from openpto import runtime
from openpto.ir.nodes import If, Loop
from openpto.runtime.native import independence, parallel, privatise
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
        with openpto.configure(engine="reference"), pytest.raises(Seen):
            kernel(*arrays)
        kernel = privatise.privatised(seen[-1], lifetimes_of(seen[-1]))
        found = independence.plans(kernel, lifetimes_of(kernel))
        assert all(isinstance(plan, Plan) for plan in found.values())
        return [
            loop.attrs["name"] + " if ascending" * bool(found[loop].ranges)
            for loop in loops_of(kernel.body)
            if loop in found
        ]

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


@pypto.jit
def flattened(x: pypto.Tensor(MATRIX, F), o: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC], F)):
    pypto.set_vec_tile_shapes(8, 16)
    length = x.shape[0]
    for b in pypto.loop(o.shape[0] // length, name="outer", idx_name="b"):
        for i in pypto.loop(0, length, 8, name="inner", idx_name="i"):
            live = (length - i).min(8)
            tile = pypto.view(x, [8, 16], [i, 0], valid_shape=[live, 16])
            pypto.assemble(tile * 2.0, [b * length + i, 0], o)


@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_what_is_not_affine_is_seen_when_the_program_runs(independent):
    assert independent(from_a_table, *arrays(), np.arange(4, dtype=np.int32)) == ["rows if ascending"]
    assert independent(flattened, *arrays()) == ["outer if ascending", "inner"]


@pypto.jit
def halves(x: pypto.Tensor([64, 16], F), o: pypto.Tensor(MATRIX, F)):
    pypto.set_vec_tile_shapes(8, 16)
    local = pypto.tensor([8, 16], F, "local")
    for i in pypto.loop(8, name="rows", idx_name="i"):
        local[0:4, :] = x[8 * i : 8 * i + 4, :] * 2.0
        local[4:8, :] = x[8 * i + 4 : 8 * i + 8, :] * 3.0
        o[8 * i : 8 * i + 8, :] = local + 1.0


@pypto.jit
def one_half(x: pypto.Tensor([64, 16], F), o: pypto.Tensor(MATRIX, F)):
    pypto.set_vec_tile_shapes(8, 16)
    local = pypto.tensor([8, 16], F, "local")
    local[4:8, :] = x[0:4, :] * 1.0
    for i in pypto.loop(8, name="rows", idx_name="i"):
        local[0:4, :] = x[8 * i : 8 * i + 4, :] * 2.0
        o[8 * i : 8 * i + 8, :] = local + 1.0


@pypto.jit
def read_first(x: pypto.Tensor([64, 16], F), o: pypto.Tensor(MATRIX, F)):
    pypto.set_vec_tile_shapes(8, 16)
    local = pypto.tensor([8, 16], F, "local")
    local[0:8, :] = x[0:8, :] * 1.0
    for i in pypto.loop(8, name="rows", idx_name="i"):
        o[8 * i : 8 * i + 8, :] = local + 1.0
        local[0:8, :] = x[8 * i : 8 * i + 8, :] * 2.0


@pypto.jit
def read_afterwards(x: pypto.Tensor([64, 16], F), o: pypto.Tensor(MATRIX, F)):
    pypto.set_vec_tile_shapes(8, 16)
    local = pypto.tensor([8, 16], F, "local")
    for i in pypto.loop(7, name="rows", idx_name="i"):
        local[0:8, :] = x[8 * i : 8 * i + 8, :] * 2.0
        o[8 * i : 8 * i + 8, :] = local + 1.0
    o[56:64, :] = local + 3.0


@pypto.jit
def begun_inside(x: pypto.Tensor([64, 16], F), o: pypto.Tensor(MATRIX, F)):
    pypto.set_vec_tile_shapes(8, 16)
    total = pypto.tensor([8, 16], F, "total")
    for i in pypto.loop(8, name="rows", idx_name="i"):
        for j in pypto.loop(o.shape[0] // 8, name="sums", idx_name="j"):
            part = pypto.view(x, [8, 16], [8 * j, 0], valid_shape=[8, 16])
            if pypto.is_loop_begin(j):
                total[0:8, :] = part * 1.0
            else:
                total[0:8, :] = total + part
        o[8 * i : 8 * i + 8, :] = total * 2.0


@pypto.jit
def added_inside(x: pypto.Tensor([64, 16], F), o: pypto.Tensor(MATRIX, F)):
    pypto.set_vec_tile_shapes(8, 16)
    total = pypto.tensor([8, 16], F, "total")
    total[0:8, :] = x[0:8, :] * 1.0
    for i in pypto.loop(8, name="rows", idx_name="i"):
        for j in pypto.loop(o.shape[0] // 8, name="sums", idx_name="j"):
            total[0:8, :] = total + x[8 * j : 8 * j + 8, :]
        o[8 * i : 8 * i + 8, :] = total * 2.0


@pypto.jit
def as_often_as_the_index(x: pypto.Tensor([64, 16], F), o: pypto.Tensor(MATRIX, F)):
    pypto.set_vec_tile_shapes(8, 16)
    total = pypto.tensor([8, 16], F, "total")
    for i in pypto.loop(1, 9, name="rows", idx_name="i"):
        for j in pypto.loop(i % 4, name="sums", idx_name="j"):
            if pypto.is_loop_begin(j):
                total[0:8, :] = x[0:8, :] * 1.0
            else:
                total[0:8, :] = total + x[0:8, :]
        o[8 * i - 8 : 8 * i, :] = total * 2.0


@pypto.jit
def cut_by_the_end(x: pypto.Tensor(MATRIX, F), o: pypto.Tensor(MATRIX, F)):
    pypto.set_vec_tile_shapes(8, 16)
    local = pypto.tensor([8, 16], F, "local")
    local[0:8, :] = x[0:8, :] * 1.0
    for i in pypto.loop(8, name="rows", idx_name="i"):
        local[0:8, :] = x[8 * i : 8 * i + 8, :] * 2.0
        o[8 * i : 8 * i + 8, :] = local + 1.0


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (halves, ["rows"]),
        (one_half, []),
        (read_first, []),
        (read_afterwards, []),
        (begun_inside, ["rows"]),
        (added_inside, []),
        (as_often_as_the_index, []),
        (cut_by_the_end, []),
    ],
    ids=lambda k: getattr(k, "__name__", None),
)
@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_tensors_that_every_iteration_fills_are_its_own(independent, kernel, expected):
    assert independent(kernel, *arrays()) == expected


@pytest.mark.parametrize("kernel", [halves, one_half, read_first, read_afterwards, begun_inside, added_inside])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_private_tensors_change_nothing(kernel, threads, monkeypatch):
    monkeypatch.setattr(parallel, "LEAST_REGION", 0)
    monkeypatch.setenv("PYPTO_CACHE_DIR", "off")
    x = np.random.default_rng(5).standard_normal((64, 16)).astype(np.float32)
    expected, o = np.zeros_like(x), np.zeros_like(x)
    with openpto.configure(engine="reference"):
        kernel(x, expected)
    reports = [openpto.last_run().ops_executed]
    with openpto.configure(engine="native", threads=threads):
        kernel(x, o)
    reports.append(openpto.last_run().ops_executed)
    assert o.tobytes() == expected.tobytes()
    assert reports[0] == reports[1]


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_a_loop_that_never_runs_leaves_a_private_tensor_unwritten(engine):
    with openpto.configure(engine=engine, threads=3), pytest.raises(pypto.PyptoError, match="PTO403"):
        begun_inside(np.zeros((64, 16), np.float32), np.zeros((7, 16), np.float32))


@pytest.mark.parametrize("rows", [0, 5])
@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_addresses_in_the_memory_of_a_thread_are_left_out_where_a_nest_is_hollow(rows):
    """The inner loop has no iteration where the window is empty, and what is left of the nest is not a region."""

    @pypto.frontend.jit
    def kernel(
        n: pypto.Tensor([8], pypto.DT_INT32),
        x: pypto.Tensor([pypto.DYNAMIC, 24], pypto.DT_BF16),
        y: pypto.Tensor([pypto.DYNAMIC, 33], pypto.DT_FP32),
    ):
        pypto.set_vec_tile_shapes(8, 32)
        few = pypto.view(x, [5, 17], [2, y.shape[0]])
        first = n[1]
        for i in pypto.loop(first):
            part = few / few
            part[first, :]
            for _ in pypto.loop(i, i, -1):
                pass
        pypto.assemble(few, [0, 0], x)

    x = np.arange(rows * 24).reshape(rows, 24).astype(ml_dtypes.bfloat16)
    want = x.copy()
    want[: max(rows - 2, 0), :17] = x[2:7, :17]
    with openpto.configure(engine="native"):
        kernel(np.full(8, min(rows, 2), np.int32), x, np.zeros((0, 33), np.float32))
    np.testing.assert_array_equal(x, want)
