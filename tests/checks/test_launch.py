"""Launch failures that can be told when a kernel is compiled: where they are warned of, and where not."""

import sys
import types
import warnings

import numpy as np
import pytest

import openpto
import pypto
from openpto.diagnostics import PyptoError
from openpto.kernel.receipt import last_run
from openpto_gym.registry import NAMES, load
from pypto import PyptoWarning

F32, I32 = pypto.DT_FP32, pypto.DT_INT32
D, T = pypto.DYNAMIC, pypto.Tensor
LAUNCH = {f"PTO62{n}" for n in range(7)}


def told(kernel, *arguments, target=None):
    """The launch warnings of one call, as (code, line of the kernel's source, text)."""
    with warnings.catch_warnings(), openpto.configure(target=target):
        warnings.simplefilter("ignore", PyptoWarning)
        kernel(*arguments)
    found = [w for w in kernel.last_run.warnings if w.code in LAUNCH]
    first = kernel.function.__code__.co_firstlineno
    return [(w.code, w.site.span.line - first, str(w)) for w in found]


def arrays(*shapes, dtype=np.float32):
    return [np.ones(shape, dtype) for shape in shapes]


# -- stitching --------------------------------------------------------------------------------------------------------


def vector(x: T([16, 32], F32), y: T([16, 32], F32)):
    pypto.set_vec_tile_shapes(8, 16)
    for _ in pypto.loop(1):
        y[:] = pypto.exp(x) + 1.0


def looped(x: T([16, 32], F32), y: T([16, 32], F32)):
    pypto.set_vec_tile_shapes(8, 16)
    for i in pypto.loop(2):
        y[i * 8 : i * 8 + 8, :] = pypto.view(x, [8, 32], [i * 8, 0]) + 1.0


def cube(x: T([16, 16], F32), y: T([16, 16], F32)):
    pypto.set_cube_tile_shapes([16, 16], [16, 16], [16, 16])
    y[:] = pypto.matmul(x, x, F32)


@pytest.mark.parametrize(
    ("function", "options", "warned"),
    [
        (vector, {"stitch_function_max_num": 128}, "stitch_function_max_num"),
        (vector, {"stitch_function_inner_memory": 10, "stitch_function_num_step": 1}, "inner_memory"),
        (vector, {"device_sched_mode": 1, "stitch_cfgcache_size": 0}, ""),
        (vector, {"run_mode": pypto.RunMode.SIM}, ""),
        (looped, {"stitch_function_max_num": 128}, ""),
        (cube, {"stitch_function_max_num": 128}, ""),
    ],
)
def test_stitch_options(function, options, warned):
    """They are warned of on vector operations in one straight line, with the options named."""
    shape = (16, 16) if function is cube else (16, 32)
    found = told(pypto.frontend.jit(runtime_options=options)(function), *arrays(shape, shape))
    assert [code for code, _, _ in found] == ["PTO620"] * bool(warned)
    assert all(warned in text and "launch aicpu failed: 107003" in text for _, _, text in found)


def test_stitch_options_at_repeated_calls():
    """A kernel that is called again at once still says so, and again without the option it does not."""
    options = {"stitch_function_max_num": 128}
    kernel, data = pypto.frontend.jit(runtime_options=options)(vector), arrays((16, 32), (16, 32))
    assert [len(told(kernel, *data)) for _ in range(4)] == [1] * 4
    options.clear()
    assert [len(told(kernel, *data)) for _ in range(4)] == [0] * 4


# -- tiles ------------------------------------------------------------------------------------------------------------


def tiled(shape, tile, dtype=F32):
    """A kernel y = x + 1 with one tile."""

    @pypto.frontend.jit
    def kernel(x: T(list(shape), dtype), y: T(list(shape), dtype)):
        pypto.set_vec_tile_shapes(*tile)
        y[:] = x + 1.0

    return kernel


@pytest.mark.parametrize(
    ("shape", "tile", "suggest"),
    [
        ((1, 16, 8, 16), (8, 8, 8, 8), "1, 8, 8, 8"),
        ((8, 16, 4, 16), (8, 8, 8, 8), "8, 8, 4, 8"),
        ((1, 16, 4, 16), (8, 8, 8, 8), "1, 8, 4, 8"),
        ((1, 16, 4, 16), (1, 16, 4, 16), ""),
        ((1, 20, 4, 18), (1, 16, 4, 16), ""),  # min(extent, 16) need not divide
        ((1, 16, 4, 3), (1, 16, 4, 8), ""),  # the last axis in whole blocks of 32 bytes
        ((1, 16, 4, 40), (1, 16, 4, 128), "1, 16, 4, 40"),
        ((2, 4, 32), (8, 8, 8), ""),
        ((5, 7), (8, 32), ""),
    ],
)
def test_tiles_longer_than_an_axis(shape, tile, suggest):
    """Four axes: a tile that exceeds an axis is warned of, with one that fits."""
    found = told(tiled(shape, tile), *arrays(shape, shape))
    assert [(code, line) for code, line, _ in found] == [("PTO621", 3)] * bool(suggest)
    assert all(f"set_vec_tile_shapes({suggest})" in " ".join(text.split()) for _, _, text in found)


def test_a_tile_that_suits_another_operation():
    """A sum leaves an axis of 1; the tile is judged by the operations that have the whole axis."""

    @pypto.frontend.jit
    def kernel(x: T([2, 4, 8, 16], F32), y: T([2, 4, 8, 16], F32)):
        pypto.set_vec_tile_shapes(2, 4, 8, 16)
        s = pypto.sum(x, 2, True) * 2.0
        y[:] = x + s

    assert told(kernel, *arrays((2, 4, 8, 16), (2, 4, 8, 16))) == []


def test_one_warning_per_tile():
    """However many operations a tile is in force for, it is told once, where it is first used."""

    @pypto.frontend.jit
    def kernel(x: T([1, 4, 8, 16], F32), y: T([1, 4, 8, 16], F32)):
        pypto.set_vec_tile_shapes(8, 8, 8, 16)
        t = pypto.exp(x)
        y[:] = t * 2.0 + x

    assert [(code, line) for code, line, _ in told(kernel, *arrays(*[(1, 4, 8, 16)] * 2))] == [("PTO621", 3)]


# -- the run mode -----------------------------------------------------------------------------------------------------

LATE = """
import pypto

MODE = pypto.RunMode.SIM
NAME = "sim"
OPTIONS = {{"run_mode": pypto.RunMode.SIM}}


@pypto.frontend.jit(runtime_options={options})
def kernel(x: pypto.Tensor([16, 32], pypto.DT_FP32), y: pypto.Tensor([16, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 16)
    y[:] = x + 1.0
"""


@pytest.fixture
def late(tmp_path, monkeypatch):
    """A module with one kernel whose run mode is the given expression."""
    monkeypatch.setattr(sys, "argv", ["kernel.py"])

    def make(options):
        module = types.ModuleType("late")
        file = tmp_path / f"late{len(list(tmp_path.iterdir()))}.py"
        file.write_text(LATE.format(options=options))
        exec(compile(file.read_text(), str(file), "exec"), module.__dict__)
        return module

    return make


@pytest.mark.parametrize(
    ("options", "change"),
    [
        ('{"run_mode": MODE}', {"MODE": pypto.RunMode.NPU}),
        ('{"run_mode": pypto.RunMode.SIM if NAME == "sim" else pypto.RunMode.NPU}', {"NAME": "npu"}),
        ("OPTIONS", {"OPTIONS": {"run_mode": pypto.RunMode.NPU}}),
    ],
)
def test_a_mode_that_changes_after_the_decorator(late, options, change):
    """The variable that the decorator read has another value at the call."""
    module = late(options)
    assert told(module.kernel, *arrays((16, 32), (16, 32))) == []
    vars(module).update(change)
    [(code, line, text)] = told(module.kernel, *arrays((16, 32), (16, 32)))
    assert (code, line) == ("PTO622", 1)
    assert "RunMode.SIM" in text
    assert "RunMode.NPU" in text


@pytest.mark.parametrize("arguments", [["--run_mode", "npu"], ["--run-mode=npu"], ["-v", "--run_mode=0"]])
def test_a_mode_that_the_command_line_asks_for(late, monkeypatch, arguments):
    """The command line asks for another mode than the decorator bound."""
    monkeypatch.setattr(sys, "argv", ["kernel.py", *arguments])
    [(code, _, text)] = told(late('{"run_mode": MODE}').kernel, *arrays((16, 32), (16, 32)))
    assert code == "PTO622"
    assert "--run_mode says RunMode.NPU" in " ".join(text.replace("|", " ").split())


@pytest.mark.parametrize("arguments", [[], ["--run_mode", "sim"], ["--run_mode"], ["--run_mode", "both"], ["npu"]])
def test_modes_that_agree(late, monkeypatch, arguments):
    """Nothing is said where nothing else was asked for."""
    monkeypatch.setattr(sys, "argv", ["kernel.py", *arguments])
    assert told(late('{"run_mode": MODE}').kernel, *arrays((16, 32), (16, 32))) == []
    assert told(late("{}").kernel, *arrays((16, 32), (16, 32))) == []


def test_a_mode_for_npu_is_told_before_the_stop(late, monkeypatch):
    """The known case: --run_mode sim, and a decorator that bound NPU before it was read."""
    monkeypatch.setattr(sys, "argv", ["kernel.py", "--run_mode", "sim"])
    module = late('{"run_mode": pypto.RunMode.NPU}')
    with pytest.warns(PyptoWarning, match="PTO622"), pytest.raises(PyptoError, match="NPU is not available"):
        module.kernel(*arrays((16, 32), (16, 32)))
    monkeypatch.setenv("PYPTO_RUN_MODE", "sim")
    assert told(module.kernel, *arrays((16, 32), (16, 32))) == []


# -- loops ------------------------------------------------------------------------------------------------------------


def test_an_in_place_reshape_beside_operations():
    """It is told on its own line, with the operation that stands beside it."""

    @pypto.frontend.jit
    def kernel(x: T([16, 32], F32), y: T([16, 32], F32)):
        pypto.set_vec_tile_shapes(8, 16)
        a = pypto.reshape(x, [32, 16], inplace=True)
        y[:] = pypto.reshape(a * 2.0, [16, 32])

    [(code, line, text)] = told(kernel, *arrays((16, 32), (16, 32)))
    assert (code, line) == ("PTO623", 3)
    assert "mul in line" in " ".join(text.replace("|", " ").split())


def test_in_place_reshapes_alone():
    """Before a loop, or in a loop of its own, it is what the toolchains want."""

    @pypto.frontend.jit
    def before(x: T([16, 32], F32), y: T([16, 32], F32)):
        pypto.set_vec_tile_shapes(8, 16)
        a = pypto.reshape(x, [32, 16], inplace=True)
        b = pypto.reshape(y, [32, 16], inplace=True)
        for i in pypto.loop(2):
            b[i * 16 : i * 16 + 16, :] = pypto.view(a, [16, 16], [i * 16, 0]) + 1.0

    @pypto.frontend.jit
    def apart(x: T([16, 32], F32), y: T([16, 32], F32)):
        pypto.set_vec_tile_shapes(8, 16)
        for _ in pypto.loop(1):
            a = pypto.reshape(x, [32, 16], inplace=True)
        for _ in pypto.loop(1):
            y[:] = pypto.reshape(a + 1.0, [16, 32])

    for kernel in (before, apart):
        x, y = arrays((16, 32), (16, 32))
        assert told(kernel, x, y) == []
        assert (y == 2).all()


@pytest.mark.parametrize("target", [None, "0.2", "0.3"])
@pytest.mark.parametrize("looped", [False, True])
def test_a_dynamic_kernel_without_a_loop(target, looped):
    """The checks of a target want a loop; without a target nothing is said."""

    def body(x, y):
        pypto.assemble(pypto.view(x, [16, 32], [0, 0]) + 1.0, [0, 0], y)

    @pypto.frontend.jit
    def kernel(x: T([D, 32], F32), y: T([D, 32], F32)):
        pypto.set_vec_tile_shapes(8, 16)
        if looped:
            for _ in pypto.loop(1):
                body(x, y)
        else:
            body(x, y)

    found = told(kernel, *arrays((16, 32), (16, 32)), target=target)
    assert [code for code, _, _ in found] == ["PTO624"] * (target is not None and not looped)


def test_cumsum_in_the_last_iteration():
    """In the branch on is_loop_end it is told, also under `not`; beside it and in another branch it is not."""

    @pypto.frontend.jit
    def kernel(x: T([16, 32], F32), y: T([16, 32], F32)):
        pypto.set_vec_tile_shapes(8, 32)
        for i in pypto.loop(2):
            t = pypto.view(x, [8, 32], [i * 8, 0])
            s = pypto.cumsum(t, 1)
            if pypto.is_loop_begin(i):
                s = pypto.cumsum(s, 1)
            if not pypto.is_loop_end(i):
                s = pypto.cumsum(s, 1)
            else:
                s = pypto.cumsum(s, 1)  # here
            pypto.assemble(s, [i * 8, 0], y)

    assert [(code, line) for code, line, _ in told(kernel, *arrays((16, 32), (16, 32)))] == [("PTO625", 11)]


# -- scalars ----------------------------------------------------------------------------------------------------------


def counted(submit, how):
    """A kernel that computes a count and loops over it."""

    @pypto.frontend.jit
    def kernel(c: T([1, 8], I32), y: T([8, 16], F32)):
        pypto.set_vec_tile_shapes(8, 16)
        n = pypto.tensor([1, 8], I32)
        if how == "computed":
            n[:] = c + 1
        elif how == "copied":
            n = pypto.view(c, [1, 8], [0, 0])
        else:
            n[0, 0] = c[0, 0] + 1
        for _ in pypto.loop(1, submit_before_loop=submit):
            for i in pypto.loop(n[0, 0]):
                y[i : i + 1, :] = pypto.full([1, 16], 2.0, F32)

    return kernel


@pytest.mark.parametrize("how", ["computed", "copied", "written by the control core"])
@pytest.mark.parametrize("submit", [False, True])
def test_scalars_of_computed_tensors(submit, how):
    """A computed element needs submit_before_loop; one of an argument, or one that the control core wrote, does not."""
    found = told(counted(submit, how), np.ones((1, 8), np.int32), np.zeros((8, 16), np.float32))
    assert [(code, line) for code, line, _ in found] == [("PTO626", 11)] * (how == "computed" and not submit)


@pytest.mark.parametrize("submit", [False, True])
def test_scalars_that_an_earlier_iteration_computes(submit):
    """What the body computes for its own next iteration is not finished by a submission before the loop."""

    @pypto.frontend.jit
    def kernel(c: T([1, 8], I32), y: T([8, 16], F32)):
        pypto.set_vec_tile_shapes(8, 16)
        n = pypto.full([1, 8], 0, I32)
        for i in pypto.loop(4, submit_before_loop=submit):
            at = n[0, 0]
            y[at : at + 1, :] = pypto.full([1, 16], 2.0, F32)
            n[:] = n + c

    found = told(kernel, np.ones((1, 8), np.int32), np.zeros((8, 16), np.float32))
    assert [(code, line) for code, line, _ in found] == [("PTO626", 5)]


def test_a_submission_counts_for_all_that_follows():
    """What was computed before a loop that submits is finished for the loops behind it too."""

    @pypto.frontend.jit
    def kernel(c: T([1, 8], I32), y: T([8, 16], F32)):
        pypto.set_vec_tile_shapes(8, 16)
        n = c + 1
        for i in pypto.loop(2, submit_before_loop=True):
            y[i : i + 1, :] = pypto.full([1, 16], 2.0, F32)
        for i in pypto.loop(n[0, 0]):
            y[i : i + 1, :] = pypto.full([1, 16], 3.0, F32)

    assert told(kernel, np.ones((1, 8), np.int32), np.zeros((8, 16), np.float32)) == []


# -- what is right ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_operators_are_silent(name):
    """The operators of this package are not warned of, whatever the target; their smallest cases show it."""
    operator = load(name)
    case = min(
        (c for c in operator.cases if not c.slow), key=lambda c: sum(a.size for a in operator.inputs(c).values())
    )
    for target in (None, "0.3"):
        with openpto.configure(target=target):
            operator.run(case, operator.inputs(case))
        receipt = last_run()
        assert receipt is not None
        assert [w.code for w in receipt.warnings if w.code in LAUNCH] == []
