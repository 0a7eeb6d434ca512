"""Names that a Tensor, a symbol or pypto does not have, and functions of other libraries, get a code and the line."""

import numpy as np
import pytest

import pypto

F, I = pypto.DT_FP32, pypto.DT_INT32
X = np.arange(64, dtype=np.float32).reshape(8, 8)
N = np.array([3, 1], np.int32)


def jit(function):
    """A kernel whose parameters are (x, n, out)."""
    function.__annotations__ = {"x": pypto.Tensor([8, 8], F), "n": pypto.Tensor([2], I), "out": pypto.Tensor([8, 8], F)}
    return pypto.frontend.jit(function)


@jit
def transposed(x, n, out):
    out[:] = x.T


@jit
def symbol(x, n, out):
    out[0:1, :] = x[n[0].item() : 1, :]


@jit
def module(x, n, out):
    out[:] = pypto.sofmax(x, -1)


@jit
def numpy_function(x, n, out):
    out[:] = np.exp(x)


@jit
def asked(x, n, out):
    pypto.set_vec_tile_shapes(8, 8)
    out[:] = x + (1.0 if hasattr(x, "T") else 2.0)


@jit
def own_mistake(x, n, out):
    out[:] = N.nothing


@pytest.mark.parametrize(
    ("kernel", "code", "kind", "hint"),
    [
        (transposed, "PTO219", AttributeError, "pypto.transpose"),
        (symbol, "PTO219", AttributeError, "use it as it is"),
        (module, "PTO219", AttributeError, "did you mean: softmax"),
        (numpy_function, "PTO165", TypeError, "help: write pypto.exp"),
    ],
)
def test_code_line_and_fix(kernel, code, kind, hint):
    with pytest.raises(kind) as raised:
        kernel(X, N, np.zeros_like(X))
    assert raised.value.code == code
    line = kernel.__wrapped__.__code__.co_firstlineno + 2
    assert f"{__file__.rsplit('/', 1)[-1]}:{line}" in str(raised.value)
    assert hint in " ".join(str(raised.value).split())


def test_torch_function():
    torch = pytest.importorskip("torch")

    @jit
    def kernel(x, n, out):
        out[:] = torch.exp(x)

    with pytest.raises(TypeError, match=r"torch\.exp computes on values(.|\n)*write pypto\.exp"):
        kernel(X, N, np.zeros_like(X))


def test_questions_are_answered():
    out = np.zeros_like(X)
    asked(X, N, out)
    np.testing.assert_array_equal(out, X + 2)


def test_mistakes_with_other_objects_pass_unchanged():
    with pytest.raises(AttributeError, match=r"'numpy\.ndarray' object has no attribute 'nothing'") as raised:
        own_mistake(X, N, np.zeros_like(X))
    assert not isinstance(raised.value, pypto.PyptoError)
