"""What Python's builtins, math and protocols say of tensors and symbols: a code, and what to write instead."""

import math

import numpy as np
import pytest

import pypto

F = pypto.DT_FP32
TILE = pypto.Tensor([8, 16], F)


def refused(function):
    """The error of a kernel with this body."""

    @pypto.frontend.jit
    def kernel(x: TILE, out: TILE):
        pypto.set_vec_tile_shapes(8, 16)
        for i in pypto.loop(2):
            out[:] = function(x, i)

    with pytest.raises(pypto.PyptoError) as caught:
        kernel(np.ones((8, 16), np.float32), np.zeros((8, 16), np.float32))
    return caught.value


TENSORS = [
    (lambda x, i: math.exp(x), "PTO165", "write pypto.exp"),
    (lambda x, i: x * math.fabs(x), "PTO165", "write pypto.abs"),
    (lambda x, i: math.pow(x, 2), "PTO165", "write pypto.pow"),
    (lambda x, i: np.sum(x), "PTO165", "write pypto.sum"),
    (lambda x, i: float(x), "PTO258", "windows of one element"),
    (lambda x, i: abs(x), "PTO260", "use pypto.abs"),
    (lambda x, i: max(x, x), "PTO260", "use pypto.maximum(a, b)"),
    (lambda x, i: min(x, 1.0), "PTO260", "use pypto.minimum(a, b)"),
    (lambda x, i: max(x), "PTO260", "pypto.amax(t, dim)"),
    (lambda x, i: sum(x), "PTO260", "use pypto.sum(t, dim)"),
    (lambda x, i: f"{x:.2f}", "PTO258", "pypto.pass_verify_print"),
    (lambda x, i: {x: 1}, "PTO258", "as a key, its name or its number"),
    (lambda x, i: x(1), "PTO258", "it has no contents"),
    (lambda x, i: x.numpy(), "PTO219", "outside of the kernel"),
    (lambda x, i: x.tolist(), "PTO219", "outside of the kernel"),
    (lambda x, i: x.detach(), "PTO219", "the tensor itself"),
]
SYMBOLS = [
    (lambda x, i: x * i[0], "PTO258", "'SymbolicScalar' object is not subscriptable"),
    (lambda x, i: i.__setitem__(0, 1), "PTO219", "'SymbolicScalar' object has no attribute '__setitem__'"),
    (lambda x, i: i(), "PTO258", "'SymbolicScalar' object is not callable"),
    (lambda x, i: len(i), "PTO258", "has no len()"),
    (lambda x, i: 3 in i, "PTO258", "compare: i == 3"),
    (lambda x, i: {i: 1}, "PTO258", "unhashable type: 'SymbolicScalar'"),
    (lambda x, i: f"{i:3d}", "PTO258", "str(i) is its text"),
    (lambda x, i: np.sqrt(i), "PTO258", "it is one integer"),
    (lambda x, i: abs(i), "PTO258", "bad operand type for abs()"),
    (lambda x, i: i ^ 1, "PTO205", "'^' between a SymbolicScalar and int"),
    (lambda x, i: 2 << i, "PTO205", "'<<' between a SymbolicScalar and int"),
]


@pytest.mark.parametrize("case", TENSORS + SYMBOLS)
def test_a_code_and_what_to_write(case):
    function, code, words = case
    error = refused(function)
    assert error.code == code
    assert words in " ".join(str(error).split())
    assert error.site.span.line == function.__code__.co_firstlineno


def test_items_of_symbols_cannot_be_set_or_deleted():
    @pypto.frontend.jit
    def sets(x: TILE, out: TILE):
        pypto.set_vec_tile_shapes(8, 16)
        for i in pypto.loop(2):
            i[0] = 3
            out[:] = x

    @pypto.frontend.jit
    def deletes(x: TILE, out: TILE):
        pypto.set_vec_tile_shapes(8, 16)
        for i in pypto.loop(2):
            del i[0]
            out[:] = x

    for kernel, words in ((sets, "does not support item assignment"), (deletes, "doesn't support item deletion")):
        with pytest.raises(TypeError, match=words) as caught:
            kernel(np.ones((8, 16), np.float32), np.zeros((8, 16), np.float32))
        assert caught.value.code == "PTO258"


def test_what_has_a_meaning_runs(capsys):
    """print, text without a format, sums of a list of tensors, and tensors chosen by a key."""

    @pypto.frontend.jit
    def kernel(x: TILE, y: TILE, out: TILE):
        pypto.set_vec_tile_shapes(8, 16)
        print(x)
        assert f"{x}" == str(x)
        widest = max([x, y], key=lambda t: t.shape[1])
        out[:] = sum([x, y]) + widest * max(2, 3)

    x, out = np.arange(128, dtype=np.float32).reshape(8, 16), np.zeros((8, 16), np.float32)
    kernel(x, x * 2, out)
    np.testing.assert_array_equal(out, x * 6)
    assert capsys.readouterr().out.startswith("Tensor([8, 16]")


def test_a_type_error_of_the_author_stays():
    @pypto.frontend.jit
    def kernel(x: TILE, out: TILE):
        raise TypeError("unhashable tensors are 'Tensor' objects")

    with pytest.raises(TypeError, match="unhashable tensors") as caught:
        kernel(np.ones((8, 16), np.float32), np.zeros((8, 16), np.float32))
    assert not isinstance(caught.value, pypto.PyptoError)
