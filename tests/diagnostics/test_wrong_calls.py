"""Every public callable that is called with arguments it cannot take says so with a code, at the author's line."""

import enum
import inspect
import sys

import numpy as np
import pytest

import pypto
from openpto.diagnostics import PyptoError

NAMESPACES = {"": pypto, "frontend.": pypto.frontend, "experimental.": pypto.experimental}
COUNT = 40
"""More positional arguments than any function takes."""

LEFT_OUT = {
    "DataType": "enumerations are Python's own",
    "ConfigScope": "made by get_current_scope, not by authors",
    "PassConfigs": "a plain record",
    "pass_verify_print": "takes as many values as it is given",
}


def callables():
    for prefix, module in NAMESPACES.items():
        for name in dir(module):
            thing = getattr(module, name)
            if name.startswith("_") or not callable(thing) or name in LEFT_OUT:
                continue
            if isinstance(thing, type) and issubclass(thing, (enum.Enum, BaseException)):
                continue
            yield prefix + name, thing


CALLABLES = list(callables())


@pytest.mark.parametrize(("name", "function"), CALLABLES)
def test_too_many_arguments(name, function):
    with pytest.raises(PyptoError) as caught:
        function(*[object()] * COUNT)
    assert caught.value.site.span.file == __file__
    assert caught.value.__traceback__.tb_next is None or sys.version_info < (3, 11)  # one frame of ours there


@pytest.mark.parametrize(("name", "function"), CALLABLES)
def test_no_arguments(name, function):
    try:
        function()
    except PyptoError as error:
        assert error.site.span.file == __file__
        if error.code == "PTO222":
            assert error.fields["op"].rpartition(".")[2] == {
                "symbolic_scalar": "SymbolicScalar",
                "element": "Element",
            }.get(name, name.rpartition(".")[2])


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: pypto.min(1), "min() missing 1 required positional argument: 'b'"),
        (lambda: pypto.max(1, 2, 3), "max() takes 2 positional arguments but 3 were given"),
        (lambda: pypto.ceildiv(3), "ceildiv() missing 1 required positional argument: 'b'"),
        (lambda: pypto.cond(), "cond() missing 1 required positional argument: 'expr'"),
        (lambda: pypto.cond(1, 2, 3, 4), "cond() takes from 1 to 3 positional arguments but 4 were given"),
        (lambda: pypto.is_loop_begin(), "is_loop_begin() missing 1 required positional argument: 'index'"),
        (lambda: pypto.SymbolicScalar(), "SymbolicScalar() missing 1 required positional argument: 'value'"),
        (lambda: pypto.Element(pypto.DT_FP32), "Element() missing 1 required positional argument: 'value'"),
    ],
)
def test_names_and_counts(call, text):
    with pytest.raises(TypeError) as caught:
        call()
    assert caught.value.code == "PTO222"
    assert text in str(caught.value)
    assert caught.value.site.span.line == inspect.getsourcelines(call)[1]


X = pypto.Tensor([4, 4], pypto.DT_FP32)


@pytest.mark.parametrize(
    ("call", "name", "instead"),
    [
        (lambda: np.sum(X), "numpy.sum", "pypto.sum"),
        (lambda: np.max(X, axis=0), "numpy.max", "pypto.amax"),
        (lambda: np.mean(X), "numpy.mean", "pypto.sum(t, dim, True) * (1.0 / n)"),
        (lambda: np.concatenate([X, X]), "numpy.concatenate", "pypto.concat"),
        (lambda: np.where(X, 1, 2), "numpy.where", "pypto.where"),
        (lambda: np.dot(X, X), "numpy.dot", "pypto.matmul"),
        (lambda: np.asarray(X), "numpy.array", "compute on the host"),
        (lambda: np.linalg.inv(X), "numpy.inv", "compute on the host"),
    ],
)
def test_numpy_on_a_tensor_is_named(call, name, instead):
    with pytest.raises(TypeError) as caught:
        call()
    assert caught.value.code == "PTO165"
    assert f"{name} computes on values, and a Tensor [4, 4]" in str(caught.value)
    assert instead in str(caught.value)


def test_ufuncs_are_named_in_a_kernel(run_example):
    outcome = run_example(
        "import numpy as np\nimport pypto\n\n\n@pypto.frontend.jit\n"
        "def kernel(x: pypto.Tensor([8, 8], pypto.DT_FP32)):\n    pypto.set_vec_tile_shapes(8, 8)\n"
        "    x[:] = np.exp(x)\n\n\ndef run():\n    kernel(np.zeros((8, 8), np.float32))\n"
    )
    assert outcome.error.code == "PTO165"
    assert "numpy.exp computes on values" in str(outcome.error)
    assert "help: write pypto.exp" in str(outcome.error)
    assert outcome.error.site.span.line == 8
