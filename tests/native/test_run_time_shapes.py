"""Shapes that are known only while the kernel runs: what may or may not be equal, and names without a value."""

import itertools

import compare_engines
import numpy as np
import pytest

import openpto
import pypto
from openpto.diagnostics import Site, Span, at
from openpto.ir import expr as ex
from openpto.ir import ssa
from openpto.ir.dtypes import from_numpy
from openpto.ir.nodes import TileType
from openpto.ir.trace import Trace, recording
from openpto.ir.verifier import require_valid

pytestmark = pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
F32, I32, D = pypto.DT_FP32, pypto.DT_INT32, pypto.DYNAMIC


def kernel_of(record, *arrays):
    """A kernel whose parameters have run-time shapes; ``record(emit, *params)`` emits ops."""
    trace = Trace("kernel", Site(Span("kernel.py", 1)))
    lines = itertools.count(2)

    def emit(name, operands, shape, into=None, **attrs):
        site = Site(Span("kernel.py", next(lines)), (), (), "kernel")
        with recording(trace), at(site):
            types = [(TileType(tuple(shape), F32), attrs.get("valid") or tuple(shape))]
            return trace.emit(name, operands, types, attrs, site=site, into=into)[0]

    params = []
    for number, array in enumerate(arrays):
        shape = tuple(ex.dim(f"p{number}", axis) for axis in range(array.ndim))
        params.append(trace.param(f"p{number}", TileType(shape, from_numpy(array.dtype)), Site(Span("kernel.py", 1))))
    record(emit, *params)
    return require_valid(ssa.build(trace))


def moved(emit, value, out):
    """``out[:] = value``."""
    emit("move", [value, out], out.type.shape, into=out)


def run(kernel, *arrays, **named):
    """Both engines, compared; the error if there was one, and the codes of warnings."""
    before = compare_engines.compared
    error = report = None
    try:
        report = compare_engines.both(kernel, arrays, {ex.named(k): v for k, v in named.items()})
    except pypto.PyptoError as found:
        error = found
    assert compare_engines.compared == before + 1
    return error, [w.code for w in report.warnings] if report else []


def filled(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape) + 1


@pytest.mark.parametrize(("n", "m"), [(4, 4), (4, 1), (1, 1), (0, 0), (0, 1), (5, 3), (1, 0)])
def test_operands_that_may_repeat(n, m):
    """An extent of 1 repeats, equal extents pair, others are a fault."""
    x, y, o = filled(n, 6), filled(m, 6) * 10, np.zeros((n, 6), np.float32)
    kernel = kernel_of(lambda emit, a, b, c: moved(emit, emit("add", [a, b], a.type.shape), c), x, y, o)
    error, _ = run(kernel, x, y, o)
    if m in (1, n):
        assert error is None
        assert np.array_equal(o, x + y)
    else:
        assert error.code == "PTO462"
        assert f"[{n}, 6], [{m}, 6]" in str(error)


@pytest.mark.parametrize(("n", "m"), [(4, 4), (4, 1), (1, 1), (0, 1), (5, 3)])
def test_expand_clone_that_may_repeat(n, m):
    """The same rule for expand_clone."""
    x, o = filled(m, 5), np.zeros((n, 5), np.float32)
    kernel = kernel_of(lambda emit, a, b: moved(emit, emit("expand_clone", [a], b.type.shape, valid=None), b), x, o)
    error, _ = run(kernel, x, o)
    if m in (1, n):
        assert error is None
        assert np.array_equal(o, np.broadcast_to(x, (n, 5)))
    else:
        assert error.code == "PTO462"


@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("n", [0, 1, 2, 5, 8, 33])
def test_interleave(n, half):
    """One half of the merged rows, whose length is a run-time number."""
    x, y, o = filled(3, n), -filled(3, n), np.zeros((3, n), np.float32)
    kernel = kernel_of(
        lambda emit, a, b, c: moved(emit, emit("interleave", [a, b], a.type.shape, half=half), c), x, y, o
    )
    assert run(kernel, x, y, o) == (None, [])
    assert np.array_equal(o, np.stack([x, y], -1).reshape(3, 2 * n)[:, half * n : (half + 1) * n])


def reshaping(to, given):
    """A kernel that reshapes a window of which [v0, v1] is valid, as ``to`` has it, and stores what is valid of it."""
    named = [ex.named(f"v{k}") for k in range(4)]

    def record(emit, a, o):
        n, m = a.type.shape
        window = emit("view", [a], (n, m), offsets=(0, 0), valid=tuple(named[:2]))
        valid = tuple(to(*named[2:])) if given else None
        made = emit("reshape", [window], to(n, m), valid=valid)
        emit("assemble", [made, o], o.type.shape, into=o, offsets=(0,) * len(to(n, m)), parallel=False)

    return record


def times(a, b):
    return a * b if isinstance(a, int) else ex.binary("mul", a, b)


TARGETS = {
    "flat": lambda a, b: (times(a, b),),
    "turned": lambda a, b: (b, a),
    "wider": lambda a, b: (1, a, b),
    "split": lambda a, b: (a, 1, b),
    "same": lambda a, b: (a, b),
}


def expected(x, to, valid, extents):
    """(valid extents, elements, whether they are defined) by the contract; ``extents`` is the author's or None."""
    defined = np.zeros(x.shape, bool)
    defined[: valid[0], : valid[1]] = True
    shape = to(*x.shape)
    lead = [axis for axis, n in enumerate(x.shape) if n != 1]
    carried = shape if defined.all() else None
    goal = next((axis for axis, n in enumerate(shape) if n != 1), None)
    if carried is None and lead and goal is not None:
        others = all(valid[a] == x.shape[a] for a in range(2) if a != lead[0])
        inner, rest = x[0].size if lead[0] == 0 else 1, int(np.prod(shape[goal + 1 :]))
        if others and rest and inner % rest == 0:
            carried = tuple(valid[lead[0]] * inner // rest if a == goal else n for a, n in enumerate(shape))
    if extents is None:
        extents = shape if carried is None else carried
    elif extents != carried and not defined.all() and np.prod(extents) == valid[0] * valid[1]:
        return extents, x[: valid[0], : valid[1]].reshape(extents), np.ones(extents, bool)
    box = tuple(slice(n) for n in extents)
    return extents, x.reshape(shape)[box], defined.reshape(shape)[box]


@pytest.mark.parametrize("given", [False, True], ids=["carried", "given"])
@pytest.mark.parametrize("target", TARGETS)
def test_reshape_of_a_cut_tile(target, given):
    """Carried, packed or in capacity order, as the sizes have it; one compilation decides for all of them."""
    to = TARGETS[target]
    rank = len(to(1, 1))
    sizes = [(4, 6), (1, 6), (6, 1), (1, 1)]
    kernel = kernel_of(reshaping(to, given), np.zeros((1, 1), np.float32), np.zeros((1,) * rank, np.float32))
    seen = set()
    for n, m in sizes:
        x = filled(n, m)
        for v0, v1 in itertools.product({0, n // 2, n}, {1, m // 2, m}):
            for v2, v3 in itertools.product({n // 2, n}, {m // 2, m}) if given else [(0, 0)]:
                extents, body, defined = expected(x, to, (v0, v1), to(v2, v3) if given else None)
                o = np.full([max(1, k) for k in to(n, m)], -1, np.float32)
                error, codes = run(kernel, x, o, v0=v0, v1=v1, v2=v2, v3=v3)
                seen.add((error is None, *codes))
                assert (error.code if error else None) == (None if defined.all() else "PTO401")
                if error is None:
                    want = np.full_like(o, -1)
                    want[tuple(slice(k) for k in extents)] = body
                    assert np.array_equal(o, want)
    assert (True,) in seen


@pypto.frontend.jit
def branches(x: pypto.Tensor([D, 16], F32), s: pypto.Tensor([4], I32), o: pypto.Tensor([D, 16], F32)):
    pypto.set_vec_tile_shapes(4, 16)
    if s[0] > 0:
        t = pypto.tensor([x.shape[0] + 3, 16], F32)
        t[0:4, 0:16] = pypto.full([4, 16], 2.0, F32)
    else:
        t = pypto.tensor([x.shape[0] + 3, 16], F32)
        t[0:4, 0:16] = pypto.full([4, 16], 3.0, F32)
    pypto.assemble(pypto.view(t, [4, 16], [0, 0]) + 1.0, [0, 0], o)


@pypto.frontend.jit
def bound_inside(x: pypto.Tensor([D, 16], F32), s: pypto.Tensor([4], I32), o: pypto.Tensor([D, 16], F32)):
    pypto.set_vec_tile_shapes(4, 16)
    for i in pypto.loop(s[0], name="I", idx_name="i"):
        for _ in pypto.loop(s[1], name="J", idx_name="j"):
            t = pypto.tensor([x.shape[0] * 2, 16], F32)
            t[0:4, 0:16] = pypto.full([4, 16], 2.0, F32)
            t[4:8, 0:16] = pypto.full([4, 16], i, F32)
        pypto.assemble(pypto.view(t, [4, 16], [4, 0]) + 1.0, [i * 4, 0], o)


def outcome(kernel, engine, count, numbers):
    """(output, code of the fault) of one engine."""
    x, o = np.ones((count, 16), np.float32), np.zeros((count, 16), np.float32)
    with openpto.configure(engine=engine):
        try:
            kernel(x, np.array(numbers, np.int32), o)
        except pypto.PyptoError as error:
            return o, error.code
    assert kernel.last_run.engine == engine
    return o, None


@pytest.mark.parametrize("first", [0, 1])
def test_branches_that_make_a_tensor_of_run_time_shape(first):
    """Each branch reserves the memory that it needs."""
    for engine in ("reference", "native"):
        o, code = outcome(branches, engine, 5, [first, 0, 0, 0])
        assert code is None
        assert (o[:4] == (3 if first else 4)).all()
        assert (o[4] == 0).all()


@pytest.mark.parametrize("inner", [0, 1, 3])
def test_a_name_that_a_loop_binds_first(inner):
    """After a loop that did not run the name has no value."""
    for engine in ("reference", "native"):
        o, code = outcome(bound_inside, engine, 12, [3, inner, 0, 0])
        assert code == (None if inner else "PTO404")
        if inner:
            assert np.array_equal(o[:, 0], np.repeat([1, 2, 3], 4))


@pypto.frontend.jit
def rotated(x: pypto.Tensor([D, 16], F32), s: pypto.Tensor([4], I32), o: pypto.Tensor([D, 16], F32)):
    pypto.set_vec_tile_shapes(4, 16)
    a = pypto.view(x, [8, 16], [0, 0], valid_shape=[s[1], 16]) + 0.0
    b = pypto.view(x, [8, 16], [0, 0], valid_shape=[s[2], 16]) + 1.0
    c = pypto.view(x, [8, 16], [0, 0], valid_shape=[s[3], 16]) + 2.0
    for _ in pypto.loop(s[0], name="I", idx_name="i"):
        a, b, c = b, c, a
    pypto.assemble(a, [0, 0], o)


@pytest.mark.parametrize("times", range(5))
def test_names_that_a_loop_exchanges(times):
    """Elements and valid extents of all are those of the iteration before."""
    extents = (7, 2, 5)
    for engine in ("reference", "native"):
        o, _ = outcome(rotated, engine, 9, [times, *extents])
        count = extents[times % 3]
        assert (o[:count] == 1 + times % 3).all()
        assert (o[count:] == 0).all()


@pypto.frontend.jit
def many_locals(x: pypto.Tensor([D, 16], F32), s: pypto.Tensor([4], I32), o: pypto.Tensor([8, 16], F32)):
    pypto.set_vec_tile_shapes(8, 16)
    for i in pypto.loop(s[0], name="I", idx_name="i"):
        t = pypto.tensor([x.shape[0] * 16384, 16], F32)
        t[0:8, 0:16] = o + 1.0
        if i % 2 == 0:
            u = pypto.tensor([x.shape[0] * 16384, 16], F32)
            u[0:8, 0:16] = pypto.view(t, [8, 16], [0, 0]) + 1.0
        else:
            u = pypto.tensor([x.shape[0] * 16384, 16], F32)
            u[0:8, 0:16] = pypto.view(t, [8, 16], [0, 0])
        o[:] = pypto.view(u, [8, 16], [0, 0]) + 0.0


def test_memory_of_an_iteration_is_released():
    """Sixteen iterations with two locals of 64 MiB each hold no more at any time than a few of them."""
    resource = pytest.importorskip("resource")
    x, o = np.ones((64, 16), np.float32), np.zeros((8, 16), np.float32)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with openpto.configure(engine="native"):
        many_locals(x, np.array([16, 0, 0, 0], np.int32), o)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert (o == 24).all()
    assert after - before < 600 * 1024  # KiB
