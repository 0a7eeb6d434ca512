"""The object that jit makes: attributes, copies, where it may live, and when it compiles."""

import copy
import pickle
import threading

import numpy as np
import pytest

import pypto
from openpto.diagnostics import PyptoError
from openpto.kernel.jit import JitCallableWrapper

F32 = pypto.DT_FP32
T = pypto.Tensor([4, 8], F32)


@pypto.frontend.jit
def plus_one(x: T, out: T):
    """Adds one."""
    pypto.set_vec_tile_shapes(4, 8)
    out[:] = x + 1.0


def ones():
    return np.ones((4, 8), np.float32), np.zeros((4, 8), np.float32)


def test_attributes():
    assert isinstance(plus_one, JitCallableWrapper)
    assert (plus_one.__name__, plus_one.__doc__, plus_one.__module__) == ("plus_one", "Adds one.", __name__)
    assert plus_one.function is plus_one._original_func
    assert (plus_one.handler, plus_one.kmodule) == (None, None)
    assert repr(plus_one) == "<pypto kernel plus_one>"


def test_copies_are_the_kernel_itself():
    assert copy.copy(plus_one) is plus_one
    assert copy.deepcopy({"k": plus_one})["k"] is plus_one


def test_pickled_by_name(monkeypatch):
    import sys
    import types

    module = types.ModuleType(__name__)
    module.plus_one = plus_one
    monkeypatch.setitem(sys.modules, __name__, module)
    assert pickle.loads(pickle.dumps(plus_one)) is plus_one


def test_a_kernel_kept_in_a_class_gets_no_self():
    class Model:
        forward = plus_one

        def run(self, x, out):
            self.forward(x, out)

    x, out = ones()
    Model().run(x, out)
    assert (out == 2).all()


def test_keywords_of_other_versions():
    @pypto.frontend.jit(new_ir=True, create_new_logical_tensor=False, infer_controlflow_shape=None, use_cache=None)
    def kernel(x: T, out: T):
        pypto.set_vec_tile_shapes(4, 8)
        out[:] = x + 1.0

    with pytest.warns(pypto.PyptoWarning, match="PTO536"):
        pypto.frontend.jit(use_cache=True)
    x, out = ones()
    kernel(x, out)
    assert (out == 2).all()


def test_runtime_options_are_read_at_the_call_and_others_at_decoration(monkeypatch):
    monkeypatch.delenv("PYPTO_RUN_MODE", raising=False)
    runtime, debug = {"run_mode": pypto.RunMode.SIM}, {"compile_debug_mode": 0}

    @pypto.frontend.jit(runtime_options=runtime, debug_options=debug)
    def kernel(x: T, out: T):
        pypto.set_vec_tile_shapes(4, 8)
        out[:] = x + 1.0

    x, out = ones()
    debug["compile_debug_mode"] = 1
    runtime["device_sched_mode"] = 2
    kernel(x, out)
    assert kernel.last_run.options == {
        "run_mode": pypto.RunMode.SIM,
        "device_sched_mode": 2,
        "compile_debug_mode": 0,
    }
    runtime["run_mode"] = pypto.RunMode.NPU
    with pytest.raises(PyptoError, match="PTO298"):
        kernel(x, out)


def test_the_block_of_options_around_a_call():
    @pypto.frontend.jit
    def kernel(x: T, out: T):
        out[:] = x + 1.0

    x, out = ones()
    with pypto.options(vec_tile_shapes=[4, 8]):
        kernel(x, out)
    assert (out == 2).all()
    with pytest.raises(PyptoError, match="tile shape not set"):
        kernel(x, out)


def test_a_fault_marks_the_call_as_no_run():
    @pypto.frontend.jit
    def kernel(at: pypto.Tensor([1], pypto.DT_INT32), x: T, out: pypto.Tensor([1, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        out[:] = pypto.view(x, [1, 8], [at[0], 0]) + 0.0

    x, out = ones()[0], np.zeros((1, 8), np.float32)
    with pytest.raises(PyptoError) as caught:
        kernel(np.array([-1], np.int32), x, out)
    assert caught.value.fault
    assert kernel.last_run is None


def test_threads_share_one_trace_and_have_their_own_receipts():
    @pypto.frontend.jit
    def kernel(x: T, out: T, gain):
        pypto.set_vec_tile_shapes(4, 8)
        out[:] = x * gain

    receipts = {}

    def work(n):
        x, out = ones()
        for _ in range(5):
            kernel(x, out, float(n % 2))
        receipts[n] = (kernel.last_run, out.ctypes.data, out)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kernel.compilations == 2
    assert kernel.last_run is None
    for n, (receipt, address, out) in receipts.items():
        assert receipt.outputs[0].pointer == address
        assert (out == n % 2).all()


def test_every_call_carries_the_warnings_of_its_compilation():
    @pypto.frontend.jit
    def kernel(x: T, unused: T, out: T):
        pypto.set_vec_tile_shapes(4, 8)
        out[:] = x + 1.0

    x, out = ones()
    for _ in range(2):
        with pytest.warns(pypto.PyptoWarning, match="not used"):
            kernel(x, np.zeros((4, 8), np.float32), out)
        assert [w.code for w in kernel.last_run.warnings] == ["PTO413"]


def test_lowering_keeps_nothing():
    @pypto.frontend.jit
    def kernel(x: T, out: T):
        pypto.set_vec_tile_shapes(4, 8)
        out[:] = x + 1.0

    x, out = ones()
    lowered = kernel.lower(x, out)
    assert [p.name for p in lowered.params] == ["x", "out"]
    assert (kernel.compilations, kernel.last_run, out.sum()) == (0, None, 0.0)


def test_names_that_wait():
    for call in (pypto.function, pypto.get_last_function):
        with pytest.raises(NotImplementedError, match="not yet available"):
            call()


def test_from_torch_declares():
    declared = pypto.from_torch(np.zeros((3, 4), np.float32), dynamic_axis=[0])
    assert declared.declared_shape == (pypto.DYNAMIC, 4)
    assert declared.dtype is F32
    assert declared.name.startswith("TENSOR_")
    assert pypto.from_torch(np.zeros(3, np.float32), "w", dtype=pypto.DT_INT32).dtype is pypto.DT_INT32
