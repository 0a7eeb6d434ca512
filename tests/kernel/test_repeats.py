"""A call like an earlier one runs at once; whatever could make it differ is noticed."""

import threading
import types
import warnings

import numpy as np
import pytest

import openpto
import pypto
from openpto.kernel.jit import JitCallableWrapper

F, D = pypto.DT_FP32, pypto.DYNAMIC
GAIN = 2.0
BOX = [2.0]
NOTHING = None


@pytest.fixture(autouse=True)
def native(monkeypatch):
    monkeypatch.setenv("PYPTO_ENGINE", "native")


@pytest.fixture
def checked(monkeypatch):
    """A list that grows with every call that is checked as a first one."""
    calls = []
    prepare = JitCallableWrapper._prepare

    def noted(self, args, kwargs):
        calls.append(args)
        return prepare(self, args, kwargs)

    monkeypatch.setattr(JitCallableWrapper, "_prepare", noted)
    return calls


@pytest.fixture
def double():
    @pypto.frontend.jit
    def double(x: pypto.Tensor([D, 4], F), out: pypto.Tensor([D, 4], F), gain: float = 2.0):
        pypto.set_vec_tile_shapes(8, 4)
        for i in pypto.loop(0, x.shape[0], 8):
            rows = pypto.view(x, [8, 4], [i, 0], valid_shape=[(x.shape[0] - i).min(8), 4])
            pypto.assemble(rows * gain, [i, 0], out)

    return double


def arrays(rows=8, dtype=np.float32):
    return np.arange(rows * 4, dtype=dtype).reshape(rows, 4), np.zeros((rows, 4), dtype)


def test_the_second_call_is_not_checked_again(double, checked):
    for start in range(3):
        x, out = arrays()
        x += start
        double(x, out)
        np.testing.assert_array_equal(out, 2 * x)
    assert len(checked) == 1


def test_other_sizes(double, checked):
    for _ in range(2):
        for rows in (8, 3, 20):
            x, out = arrays(rows)
            double(x, out)
            np.testing.assert_array_equal(out, 2 * x)
    assert len(checked) == 3
    assert double.compilations == 1


def test_arguments_that_are_refused(double):
    x, out = arrays()
    double(x, out)
    locked = out.copy()
    locked.flags.writeable = False
    memory = np.zeros((16, 4), np.float32)
    for bad, code in [
        ((x, locked), "PTO526"),
        ((x.astype(np.float64), out), "PTO523"),
        ((x, np.zeros((8, 5), np.float32)), "PTO522"),
        ((x, np.zeros((8, 8), np.float32)[:, ::2]), "PTO517"),
        ((memory[:8], memory[4:12]), "PTO527"),
        ((x.tolist(), out), "PTO516"),
        ((x,), "PTO511"),
        ((x, out, 1.0, 2.0), "PTO512"),
    ]:
        with pytest.raises(pypto.PyptoError) as caught:
            double(*bad)
        assert caught.value.code == code
    with pytest.raises(pypto.PyptoError) as caught:
        double(x, out, weight=1.0)
    assert caught.value.code == "PTO513"


def test_one_tensor_twice(double, checked):
    for _ in range(2):
        x, out = arrays()
        double(x, out)
        double(x, x)
        np.testing.assert_array_equal(x, out)
    assert len(checked) == 2
    assert double.compilations == 2


def test_values_by_type_and_content(double, checked):
    x, out = arrays()
    for gain in (0.0, -0.0, 1, True, 1.0, 0.0, -0.0, 1, True, 1.0):
        double(x, out, gain)
        np.testing.assert_array_equal(np.signbit(out[1]), [np.signbit(np.float32(gain))] * 4)
        double(x, out, gain=gain)
    assert len(checked) == 10
    double(x, out, float("nan"))
    double(x, out, float("nan"))
    assert np.isnan(out).all()


def test_names_that_the_kernel_loads(checked, monkeypatch):
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([8, 4], F), out: pypto.Tensor([8, 4], F)):
        pypto.set_vec_tile_shapes(8, 4)
        out[:] = x * GAIN + BOX[0]

    x, out = arrays()
    for gain, box in [(2.0, 2.0), (3.0, 2.0), (3.0, 5.0), (3.0, 5.0)]:
        monkeypatch.setitem(globals(), "GAIN", gain)
        BOX[0] = box
        kernel(x, out)
        np.testing.assert_array_equal(out, x * gain + box)
    BOX[0] = 2.0
    assert len(checked) == 3


def test_names_of_each_kind(checked, monkeypatch):
    """Constants, functions and modules, in the module and in closures; nothing is missed, nothing is checked twice."""
    step, nothing = 1.0, None
    chosen = types.ModuleType("chosen")
    chosen.factor = 1.0

    def shifted(x, by=2.0):
        return x + by + step

    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([8, 4], F), out: pypto.Tensor([8, 4], F)):
        pypto.set_vec_tile_shapes(8, 4)
        gain = GAIN if nothing is None else nothing
        out[:] = shifted(x) * gain * chosen.factor

    x, out = arrays()

    def run(expected, count):
        for _ in range(2):
            kernel(x, out)
            np.testing.assert_array_equal(out, expected)
        assert len(checked) == count

    run((x + 3) * 2, 1)
    step = 5.0
    run((x + 7) * 2, 2)
    nothing = 3.0
    run((x + 7) * 3, 3)
    shifted.__defaults__ = (1.0,)
    run((x + 6) * 3, 4)
    shifted.__code__ = (lambda x, by=2.0: x - by * step).__code__
    run((x - 5) * 3, 5)
    shifted.note = 1  # a function with attributes is another one
    run((x - 5) * 3, 6)
    nothing = None
    monkeypatch.setitem(globals(), "GAIN", float("2"))  # an equal value, another object
    run((x - 5) * 2, 7)
    monkeypatch.setitem(globals(), "GAIN", float("2"))
    run((x - 5) * 2, 7)
    chosen.factor = 3.0
    run((x - 5) * 6, 8)


def test_a_name_that_was_none_is_gone(monkeypatch):
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([8, 4], F), out: pypto.Tensor([8, 4], F)):
        pypto.set_vec_tile_shapes(8, 4)
        out[:] = x + (1.0 if NOTHING is None else 2.0)

    x, out = arrays()
    kernel(x, out)
    kernel(x, out)
    np.testing.assert_array_equal(out, x + 1)
    monkeypatch.delitem(globals(), "NOTHING")
    with pytest.raises(NameError):
        kernel(x, out)


def test_three_tensors_and_what_they_share(checked):
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([D, 4], F), y: pypto.Tensor([D, 4], F), out: pypto.Tensor([D, 4], F)):
        pypto.set_vec_tile_shapes(8, 4)
        out[:] = pypto.view(x, [8, 4], [0, 0]) - pypto.view(y, [8, 4], [0, 0]) * 2.0

    memory = np.arange(96, dtype=np.float32).reshape(24, 4)
    a, b, c = memory[:8], memory[8:16], memory[16:]
    for _ in range(2):
        for x, y, out in ((a, b, c), (c, b, a), (a, a, c), (a, b, b), (a, b, a), (c, c, c)):
            expected = x - y * 2
            kernel(x, y, out)
            np.testing.assert_array_equal(out, expected)
    assert len(checked) == 5
    for x, y, out in ((a, memory[7:15], c), (memory[12:20], b, a), (a, b, memory[9:17])):
        with pytest.raises(pypto.PyptoError) as caught:
            kernel(x, y, out)
        assert caught.value.code == "PTO527"


def test_settings_variables_and_scopes(double, checked, monkeypatch):
    x, out = arrays()

    def again(count):
        double(x, out)
        double(x, out)
        assert len(checked) == count

    again(1)
    with openpto.configure(numerics="strict"):
        again(2)
        assert double.last_run.numerics == "strict"
    assert double.last_run.numerics == "strict"
    double(x, out)
    assert double.last_run.numerics == "npu"
    openpto.configure(numerics="strict")
    try:
        double(x, out)
        assert double.last_run.numerics == "strict"
    finally:
        from openpto.language.configuration import reset_configuration

        reset_configuration()
    double(x, out)
    assert double.last_run.numerics == "npu"
    monkeypatch.setenv("PYPTO_NUMERICS", "strict")
    double(x, out)
    assert double.last_run.numerics == "strict"
    monkeypatch.setenv("PYPTO_ENGINE", "reference")
    double(x, out)
    assert double.last_run.engine == "reference"
    monkeypatch.setenv("PYPTO_RUN_MODE", "npu")
    with pytest.raises(pypto.PyptoError) as caught:
        double(x, out)
    assert caught.value.code == "PTO298"


def test_another_environment_mapping(double, monkeypatch):
    x, out = arrays()
    double(x, out)
    monkeypatch.setattr("os.environ", {"PYPTO_ENGINE": "reference"})
    double(x, out)
    assert double.last_run.engine == "reference"


def test_runtime_options_are_read_again(checked):
    chosen = {"run_mode": pypto.RunMode.SIM}

    @pypto.frontend.jit(runtime_options=chosen)
    def kernel(x: pypto.Tensor([8, 4], F), out: pypto.Tensor([8, 4], F)):
        pypto.set_vec_tile_shapes(8, 4)
        out[:] = x + 1.0

    x, out = arrays()
    kernel(x, out)
    kernel(x, out)
    assert len(checked) == 1
    chosen["run_mode"] = pypto.RunMode.NPU
    with pytest.raises(pypto.PyptoError) as caught:
        kernel(x, out)
    assert caught.value.code == "PTO298"


def test_warnings_belong_to_every_call(checked):
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([8, 4], F), out: pypto.Tensor([8, 4], F)):
        pypto.set_vec_tile_shapes(8, 4)
        out[0:4, :] = 0.0
        out[4:8, :] = x[4:8, :]

    x, out = arrays()
    codes = []
    for _ in range(3):
        with warnings.catch_warnings(record=True) as shown:
            warnings.simplefilter("always")
            kernel(x, out)
        codes.append([w.message.code for w in shown])
        assert [w.code for w in kernel.last_run.warnings] == codes[-1]
    assert codes[0]
    assert codes[0] == codes[1] == codes[2]
    assert len(checked) == 1


def test_receipts(double):
    x, out = arrays()
    double(x, out)
    first = double.last_run
    x, out = arrays()
    double(x, out)
    second = double.last_run
    assert second is double.last_run is openpto.last_run()
    assert second is not first
    assert (first.compiled, second.compiled) == (True, False)
    assert second.compile_seconds == 0.0
    for name in ("kernel", "kernel_hash", "engine", "ops_executed", "elements_written", "run_mode", "options"):
        assert getattr(first, name) == getattr(second, name)
    assert second.outputs[0].holds(out.ctypes.data, out.nbytes)
    assert not first.outputs[0].holds(out.ctypes.data, out.nbytes)
    openpto.testing.assert_close(out, 2.0 * x)
    del out
    assert second.outputs[0].owner() is None


def test_a_fault_and_a_good_call_after_it():
    @pypto.frontend.jit
    def pick(n: pypto.Tensor([1], pypto.DT_INT32), x: pypto.Tensor([8, 4], F), out: pypto.Tensor([1, 4], F)):
        pypto.set_vec_tile_shapes(8, 4)
        pypto.assemble(pypto.view(x, [1, 4], [n[0], 0], valid_shape=[1, 4]) * 1.0, [0, 0], out)

    x, out = np.arange(32, dtype=np.float32).reshape(8, 4), np.zeros((1, 4), np.float32)
    texts = []
    for row in (3, 3, 9, 9, 4):
        try:
            pick(np.array([row], np.int32), x, out)
            np.testing.assert_array_equal(out, x[row : row + 1])
        except pypto.PyptoError as fault:
            texts.append(str(fault))
    assert len(texts) == 2
    assert texts[0] == texts[1]


def test_many_threads(double):
    def work(number):
        for rows in range(1, 30):
            x, out = arrays(rows)
            double(x + number, out)
            if not np.array_equal(out, 2 * (x + number)):
                wrong.append((number, rows))

    wrong = []
    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_empty_and_narrow_arrays(double):
    import ml_dtypes

    @pypto.frontend.jit
    def narrow(x: pypto.Tensor([8, 4], pypto.DT_BF16), out: pypto.Tensor([8, 4], pypto.DT_BF16)):
        pypto.set_vec_tile_shapes(8, 16)
        out[:] = x + 1.0

    x, out = (a.astype(ml_dtypes.bfloat16) for a in arrays())
    for _ in range(2):
        x, out = arrays(0)
        double(x, out)
        x, out = (a.astype(ml_dtypes.bfloat16) for a in arrays())
        x.flags.writeable = False
        narrow(x, out)
        np.testing.assert_array_equal(out.astype(np.float32), x.astype(np.float32) + 1)


def test_torch_tensors(double, checked):
    torch = pytest.importorskip("torch")
    for _ in range(3):
        x, out = torch.rand(8, 4), torch.zeros(8, 4)
        version = out._version
        double(x, out)
        assert torch.equal(out, 2 * x)
        assert out._version > version
    assert len(checked) == 1
    double(torch.rand(8, 4, requires_grad=True), out)
    for bad, code in [
        ((x, out.clone().requires_grad_()), "PTO530"),
        ((x.t().contiguous().t(), out), "PTO517"),
        ((x.to("meta"), out), "PTO519"),
        ((torch.imag(torch.zeros(8, 4, dtype=torch.complex64).conj()), out), None),
        ((torch._neg_view(x), out), "PTO519"),
        ((x.to_sparse(), out), "PTO519"),
    ]:
        with pytest.raises(pypto.PyptoError) as caught:
            double(*bad)
        assert code in (None, caught.value.code)
    with pytest.raises(pypto.PyptoError) as caught:
        torch.func.vmap(lambda each: double(each, out))(torch.rand(2, 8, 4))
    assert caught.value.code == "PTO519"
    with torch.inference_mode():
        x, out = torch.rand(8, 4), torch.zeros(8, 4)
        double(x, out)
        double(x, out)
        assert torch.equal(out, 2 * x)


def test_a_run_mode_that_was_bound_too_early(checked, tmp_path, monkeypatch):
    """PTO622 is judged at every call, also at one that is like an earlier one."""
    import importlib.util
    import sys

    file = tmp_path / "late_mode.py"
    file.write_text(
        "import pypto\nMODE = pypto.RunMode.SIM\nTILE = pypto.Tensor([8, 4], pypto.DT_FP32)\n\n\n"
        '@pypto.frontend.jit(runtime_options={"run_mode": MODE})\n'
        "def kernel(x: TILE, out: TILE):\n    pypto.set_vec_tile_shapes(8, 4)\n    out[:] = x + 1.0\n",
        encoding="utf-8",
    )
    spec = importlib.util.spec_from_file_location("late_mode", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(sys, "argv", ["program.py"])
    x, out = arrays()

    def told():
        with warnings.catch_warnings(record=True) as shown:
            warnings.simplefilter("always")
            module.kernel(x, out)
        np.testing.assert_array_equal(out, x + 1)
        return [w.message.code for w in shown]

    assert [told(), told()] == [[], []]
    assert len(checked) == 1
    module.MODE = pypto.RunMode.NPU
    assert [told(), told()] == [["PTO622"], ["PTO622"]]
    module.MODE = pypto.RunMode.SIM
    assert [told(), told()] == [[], []]
    sys.argv += ["--run_mode", "npu"]
    assert [told(), told()] == [["PTO622"], ["PTO622"]]
    assert len(checked) == 4
