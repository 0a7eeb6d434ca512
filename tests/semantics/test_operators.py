"""Operators, methods and attributes of Tensor (core 7.1)."""

import numpy as np
import pytest
from semantics_support import BOOL, F32, I32, D, T, blank, fails, jit, whole

import pypto
from openpto.ops import OPS, PUBLIC


def pointwise(rule, dtype=F32, out=F32, np_type=np.float32, np_out=np.float32):
    """`o[:] = rule(x, y)` on two [4, 8] tiles."""

    @jit
    def kernel(x: T([4, 8], dtype), y: T([4, 8], dtype), o: T([4, 8], out)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = rule(x, y)

    x, y = whole(4, 8).astype(np_type), whole(4, 8, seed=1).astype(np_type)
    y[y == 0] = 3
    o = np.zeros((4, 8), np_out)
    kernel(x, y, o)
    return x, y, o


@pytest.mark.parametrize(
    "rule",
    [
        lambda x, y: x + y,
        lambda x, y: x - y,
        lambda x, y: x * y,
        lambda x, y: x / y,
        lambda x, y: x + 2.5,
        lambda x, y: 2.5 + x,
        lambda x, y: x - 2.5,
        lambda x, y: 2.5 - x,
        lambda x, y: x * 3,
        lambda x, y: 3 * x,
        lambda x, y: x / 4.0,
        lambda x, y: -x,
        lambda x, y: +x,
    ],
    ids=["add", "sub", "mul", "div", "add-s", "s-add", "sub-s", "s-sub", "mul-s", "s-mul", "div-s", "neg", "pos"],
)
def test_arithmetic(rule):
    """`+ - * /` between tensors and with numbers on either side, unary `+ -`: FP32, rounded once per op."""
    x, y, o = pointwise(rule)
    assert np.array_equal(o, rule(x, y).astype(np.float32))


def test_number_divided_by_a_tensor():
    """`s / x` is mul(reciprocal(x), s)."""
    x, y, o = pointwise(lambda x, y: 3.0 / y)
    np.testing.assert_allclose(o, 3.0 / y.astype(np.float64), rtol=3e-7)


@pytest.mark.parametrize("op", ["<", "<=", ">", ">=", "==", "!="])
def test_comparisons(op):
    """Comparisons give BOOL tensors, with tensors and with floats."""
    for rule in (f"x {op} y", f"x {op} 3.0"):
        x, y, o = pointwise(lambda x, y: eval(rule, {"x": x, "y": y}), out=BOOL, np_out=np.bool_)
        assert np.array_equal(o, eval(rule, {"x": x, "y": y}))


def test_integer_arithmetic():
    """INT32 tensors keep their type and wrap."""
    for rule in (lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x + 7, lambda x, y: -x):
        x, y, o = pointwise(rule, I32, I32, np.int32, np.int32)
        assert np.array_equal(o, rule(x, y))


def test_float_beside_an_integer_tensor():
    """A float scalar with an integer tensor is refused."""
    with fails("float scalar incompatible with integer tensor dtype|float.*integer|integer.*float"):
        pointwise(lambda x, y: x + 0.5, I32, I32, np.int32, np.int32)


@pytest.mark.parametrize(
    "operand",
    [None, "a", [1.0], object()],
    ids=["None", "str", "list", "object"],
)
def test_operands_of_no_use(operand):
    """What is no tensor and no number cannot be an operand."""
    with pytest.raises(TypeError):
        pointwise(lambda x, y: x + operand)


def test_broadcast():
    """Size-1 axes expand on both sides; a lower rank is padded on the left."""

    @jit
    def kernel(x: T([4, 1], F32), y: T([1, 8], F32), z: T([8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x * y + z

    x, y, z, o = whole(4, 1), whole(1, 8, seed=1), whole(8, seed=2), blank(4, 8)
    kernel(x, y, z, o)
    assert np.array_equal(o, x * y + z)


def test_shapes_that_do_not_broadcast():
    """Other shapes: shape not support binary operation."""

    @jit
    def kernel(x: T([4, 8], F32), y: T([4, 4], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + y

    with fails("shape not support binary operation", line="o[:] = x + y"):
        kernel(whole(4, 8), whole(4, 4), blank(4, 8))


def test_dtypes_that_differ():
    """Both tensors have the same dtype: no promotion."""

    @jit
    def kernel(x: T([4, 8], F32), y: T([4, 8], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + y

    with fails("dtype", line="o[:] = x + y"):
        kernel(whole(4, 8), whole(4, 8).astype(np.int32), blank(4, 8))


def test_matmul_operator():
    """`@` is matmul with the operands' dtype."""

    @jit
    def kernel(a: T([4, 8], F32), b: T([8, 6], F32), o: T([4, 6], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        pypto.set_cube_tile_shapes([16, 16], [16, 16], [16, 16])
        o[:] = a @ b

    a, b, o = whole(4, 8), whole(8, 6, seed=1), blank(4, 6)
    kernel(a, b, o)
    assert np.array_equal(o, a @ b)


def test_matmul_k_mismatch():
    """The inner extents agree."""

    @jit
    def kernel(a: T([4, 8], F32), b: T([6, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        pypto.set_cube_tile_shapes([16, 16], [16, 16], [16, 16])
        o[:] = pypto.matmul(a, b, F32)

    with fails("K", line="o[:] = pypto.matmul(a, b, F32)"):
        kernel(whole(4, 8), whole(6, 8), blank(4, 8))


def test_methods_and_functions_agree():
    """Methods are the functions with the tensor first."""
    rules = (
        (lambda x, y: x.add(y), lambda x, y: pypto.add(x, y)),
        (lambda x, y: x.sub(y), lambda x, y: pypto.sub(x, y)),
        (lambda x, y: x.mul(y), lambda x, y: pypto.mul(x, y)),
        (lambda x, y: x.div(y), lambda x, y: pypto.div(x, y)),
        (lambda x, y: (x * 0.01).exp(), lambda x, y: pypto.exp(x * 0.01)),
        (lambda x, y: x.maximum(y), lambda x, y: pypto.maximum(x, y)),
        (lambda x, y: x.sum(-1, True) + y, lambda x, y: pypto.sum(x, -1, True) + y),
        (lambda x, y: x.amax(-1, keepdim=True) + y, lambda x, y: pypto.amax(x, dim=-1, keepdim=True) + y),
        (lambda x, y: x.reshape([8, 4]).reshape([4, 8]), lambda x, y: pypto.reshape(x, [4, 8])),
        (lambda x, y: x.transpose(0, 1).transpose(0, 1), lambda x, y: pypto.clone(x)),
        (lambda x, y: x.softmax(-1), lambda x, y: pypto.softmax(x, -1)),
    )
    for method, function in rules:
        x, y, one = pointwise(method)
        _, _, other = pointwise(function)
        assert np.array_equal(one, other)


def test_attributes():
    """shape, dim, dtype, format, valid_shape, id, name (settable)."""

    @jit
    def kernel(x: T([D, 8], F32), i: T([4, 8], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        assert isinstance(x.shape, list)
        assert x.dim == i.dim == 2
        assert (x.dtype, i.dtype) == (F32, I32)
        assert x.format == pypto.TileOpFormat.TILEOP_ND
        t = pypto.tensor([4, 8], F32, "scratch")
        assert t.name == "scratch"
        t.name = "other"
        assert t.name == "other"
        assert t.id != x.id
        assert all(isinstance(v, pypto.SymbolicScalar) for v in t.valid_shape)
        b, n = x.shape
        assert n == 8
        o[:] = pypto.view(x, [4, 8], [0, 0]) + 1.0

    o = blank(4, 8)
    kernel(whole(4, 8), np.zeros((4, 8), np.int32), o)
    assert np.array_equal(o, whole(4, 8) + 1)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: pypto.tensor([1.5, 2], F32), "Invalid value type"),
        (lambda: pypto.tensor([-4, 2], F32), "Invalid shape -4"),
        (lambda: pypto.tensor("ab", F32), "shape must be a list of int or SymbolicScalar"),
        (lambda: pypto.tensor([4, 8], "fp32"), "dtype|DataType"),
    ],
    ids=["float", "negative", "text", "dtype"],
)
def test_constructor_refuses(make, match):
    """Shapes are lists of ints or symbols, dtypes are DataTypes."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        make()
        o[:] = x + 1.0

    with fails(match):
        kernel(whole(4, 8), blank(4, 8))


def test_constructor_defaults():
    """The dtype defaults to FP32; `Tensor` and `tensor` are one."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = pypto.Tensor([4, 8])
        assert t.dtype == F32
        assert isinstance(t, pypto.tensor)
        t[:] = x + 1.0
        o[:] = t

    o = blank(4, 8)
    kernel(whole(4, 8), o)
    assert np.array_equal(o, whole(4, 8) + 1)


def test_no_op_is_missing():
    """Every name of the API does something; one that came without an implementation would stop with PTO902."""
    assert [name for name in PUBLIC if OPS[name].status == "missing"] == []
