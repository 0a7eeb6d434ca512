"""Calls of operations: spellings of keywords, scalars, and what each refuses."""

import numpy as np
import pytest

import pypto
from openpto.ops import OPS
from pypto import DT_BOOL, DT_FP16, DT_FP32, DT_INT32, DT_INT64, Element, PyptoError

SPELLINGS = {
    "add": lambda a: pypto.add(input_tensor=a, other=1.0),
    "sub": lambda a: pypto.sub(input_tensor=a, other=-1.0),
    "mul": lambda a: pypto.mul(input_tensor=a, other=1.0) + 1.0,
    "neg": lambda a: pypto.neg(a=pypto.neg(input=a)) + 1.0,
    "permute": lambda a: pypto.permute(input_tensor=pypto.permute(a, perm=[1, 0]), dims=[1, 0]) + 1.0,
    "fillpad": lambda a: pypto.fillpad(x=a, mode="constant", value=0.0) + 1.0,
    "cast": lambda a: pypto.cast(input=a, dtype=DT_FP32, mode=pypto.CastMode.CAST_NONE) + 1.0,
    "method": lambda a: a.add(other=1.0),
    "reshape": lambda a: a.reshape([16, 8]).reshape(shape=[8, 16]) + 1.0,
    "Element": lambda a: a + Element(DT_FP32, 1),
    "bool": lambda a: a + True,
    "int": lambda a: a + 1,
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_spelling(name, run, x):
    def body(a, out):
        out[:] = SPELLINGS[name](a)

    assert np.array_equal(run(body, x), x + 1)


OPERATORS = {
    "x + x": (lambda x: x + x, lambda x: x + x),
    "2 + x": (lambda x: 2 + x, lambda x: 2 + x),
    "3.0 - x": (lambda x: 3.0 - x, lambda x: 3 - x),
    "x - 3": (lambda x: x - 3, lambda x: x - 3),
    "0.5 * x": (lambda x: 0.5 * x, lambda x: x / 2),
    "x / 2": (lambda x: x / 2, lambda x: x / 2),
    "1.0 / (x * x + 1)": (lambda x: 1.0 / (x * x + 1), lambda x: 1 / (x * x + 1)),
    "-x": (lambda x: -x, lambda x: -x),
    "+x": (lambda x: +x, lambda x: x),
    "x.relu()": (lambda x: x.relu(), lambda x: np.maximum(x, 0)),
    "maximum(0.5, x)": (lambda x: pypto.maximum(0.5, x), lambda x: np.maximum(x, 0.5)),
    "sum drops": (lambda x: pypto.sum(x, 1).unsqueeze(1) + x, lambda x: x + x.sum(1, keepdims=True)),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operator(name, run, x):
    build, golden = OPERATORS[name]

    def body(a, out):
        out[:] = build(a)

    assert np.array_equal(run(body, x), golden(x.astype(np.float64)).astype(np.float32))


@pytest.mark.parametrize(
    ("build", "golden"),
    [
        (lambda i: i + 3, lambda i: i + 3),
        (lambda i: i * 2**31, lambda i: i * np.int32(-(2**31))),
        (lambda i: 5 - i, lambda i: 5 - i),
        (lambda i: pypto.maximum(i, 2.9), lambda i: np.maximum(i, 2)),
        (lambda i: pypto.where(pypto.cast(i, DT_FP32) > 0.0, i, 0), lambda i: i * (i > 0)),
    ],
)
def test_integer_scalars(build, golden, run, i):
    def body(a, out):
        out[:] = build(a)

    with np.errstate(over="ignore"):
        want = golden(i)
    assert np.array_equal(run(body, i, out=np.zeros((8, 16), np.int32)), want)


REFUSED = {
    "float with ints": (lambda x, i: i + 1.5, "PTO227", "float scalar incompatible with integer tensor dtype"),
    "div float": (lambda x, i: i / 2.0, "PTO227", "div(): float scalar"),
    "reflected div": (lambda x, i: 1 / i, "PTO231", "reciprocal"),
    "dtypes": (lambda x, i: x + i, "PTO228", "The dtype of input tensors are not same."),
    "Element dtype": (lambda x, i: x + Element(DT_FP16, 1.0), "PTO228", "DT_FP16"),
    "shapes": (lambda x, i: x + x[:, 0:3], "PTO229", "shape not support binary operation"),
    "None": (lambda x, i: x + None, "PTO225", "incompatible constructor arguments"),
    "text": (lambda x, i: x * "a", "PTO225", "incompatible constructor arguments"),
    "list": (lambda x, i: x - [1.0], "PTO225", "incompatible constructor arguments"),
    "numpy scalar": (lambda x, i: x + np.float32(1), "PTO225", "float(...)"),
    "array": (lambda x, i: x + np.ones((8, 16), np.float32), "PTO225", "as a parameter"),
    "array first": (lambda x, i: np.ones((8, 16), np.float32) * x, "PTO225", "as a parameter"),
    "foo": (lambda x, i: pypto.add(x, x, foo=1), "PTO222", "unexpected keyword argument 'foo'"),
    "too many": (lambda x, i: pypto.view(x, [4, 16], [0, 0], [4, 16]), "PTO222", "positional"),
    "missing": (lambda x, i: pypto.add(x), "PTO222", "other"),
    "two names": (lambda x, i: pypto.add(input=x, input_tensor=x, other=1), "PTO222", "two of its names"),
    "no offsets": (lambda x, i: pypto.view(x, [4, 16]), "PTO222", "offsets"),
    "axis": (lambda x, i: pypto.sum(x, 5), "PTO233", "Axis is not in the reasonable range!"),
    "axis type": (lambda x, i: pypto.sum(x, [0, 1]), "PTO222", "must be an int"),
    "dtype of exp": (lambda x, i: pypto.exp(i), "PTO231", "INT32"),
    "compare ints": (lambda x, i: i > 0.0, "PTO231", "INT32"),
    "compare ranks": (lambda x, i: x > pypto.sum(x, 0), "PTO230", "ranks"),
    "cast bool": (lambda x, i: pypto.cast(x, DT_BOOL), "PTO265", "DT_BOOL"),
    "cast from bool": (lambda x, i: pypto.cast(x > 0.0, DT_FP32), "PTO265", "DT_BOOL"),
    "cast mode": (lambda x, i: pypto.cast(x, DT_INT32, 4), "PTO222", "CastMode"),
    "precision": (lambda x, i: pypto.exp(x, 1), "PTO222", "PrecisionType"),
    "eight bits": (lambda x, i: pypto.zeros(8, 16, dtype=pypto.DT_HF4), "PTO903", "DT_HF4"),
    "where mask": (lambda x, i: pypto.where(i, x, 0.0), "PTO267", "condition"),
    "where dtypes": (lambda x, i: pypto.where(x > 0.0, i, 0.5), "PTO266", "value type mismatch"),
    "two scalars": (lambda x, i: pypto.maximum(1.0, 2.0), "PTO222", "one of `input` and `other` should be `Tensor`"),
    "arange 0": (lambda x, i: pypto.arange(), "PTO268", "The length of args should in [1, 2, 3]"),
    "arange empty": (lambda x, i: pypto.arange(4, 0), "PTO268", "empty"),
    "arange wide": (lambda x, i: pypto.arange(0, 2**40, 2**39), "PTO268", "INT32"),
    "full negative": (lambda x, i: pypto.full([4], -1, pypto.DT_UINT8), "PTO268", "negative fill_value"),
    "full empty": (lambda x, i: pypto.full([0, 4], 1, DT_FP32), "PTO235", "Invalid shape 0"),
    "full rank": (lambda x, i: pypto.full([1] * 5, 1, DT_FP32), "PTO232", "5 axes"),
    "zeros dtype": (lambda x, i: pypto.zeros(4, DT_FP32), "PTO222", "keyword dtype"),
    "concat": (lambda x, i: pypto.concat([x, x[0:4, :]], 1), "PTO229", "along axis 1"),
    "concat one arg": (lambda x, i: pypto.concat(x, 1), "PTO222", "list"),
    "permute": (lambda x, i: pypto.permute(x, [0, 0]), "PTO263", "permute"),
    "transpose": (lambda x, i: pypto.transpose(x.reshape([2, 4, 4, 4]), 0, 3), "PTO263", "permute"),
    "transpose int64": (lambda x, i: pypto.transpose(pypto.cast(i, DT_INT64), 0, 1), "PTO231", "INT64"),
    "fillpad mode": (lambda x, i: pypto.fillpad(x, "edge"), "PTO268", "constant"),
    "fillpad float": (lambda x, i: pypto.fillpad(i, "constant", 0.0), "PTO227", "float scalar"),
    "fillpad rank": (lambda x, i: pypto.fillpad(x.reshape([2, 4, 16])), "PTO232", "3 axes"),
    "expand": (lambda x, i: pypto.expand_clone(x, [16, 16]), "PTO229", "[8, 16] to [16, 16]"),
    "gather index": (lambda x, i: pypto.gather(x, 0, x), "PTO262", "index tensor must be of int32 or int64"),
    "gather rank": (lambda x, i: pypto.gather(x, 0, i.reshape([128])), "PTO230", "2 and 1"),
    "gather extent": (lambda x, i: pypto.gather(x[0:4, 0:8], 0, i), "PTO263", "axis 1"),
    "scatter reduce": (
        lambda x, i: pypto.scatter(x, 0, i, 1.0, reduce="max"),
        "PTO268",
        "only support 'add', 'multiply'",
    ),
    "scatter src": (
        lambda x, i: pypto.scatter(x, 0, i, "a"),
        "PTO222",
        "Expected src to be int, float, Element, or Tensor",
    ),
    "scatter extent": (lambda x, i: pypto.scatter(x, 0, i, x[0:4, :]), "PTO263", "beyond src"),
    "unsqueeze": (lambda x, i: pypto.unsqueeze(x, 4), "PTO233", "axis 4"),
    "bitcast": (lambda x, i: pypto.view(x[:, 0:3], dtype=DT_INT64), "PTO253", "bytes"),
    "view symbol": (lambda x, i: pypto.view(x, [i[0, 0], 16], [0, 0]), "PTO234", "Not concrete value"),
    "offset too large": (lambda x, i: pypto.view(x, [8, 16], [-(2**63), 0]), "PTO204", "-9223372036854775808"),
    "slice too large": (lambda x, i: x[-8 : 2**63, :], "PTO204", ""),
    "matmul operator": (lambda x, i: i @ i, "PTO277", "unsupported dtype"),
    "matmul array": (lambda x, i: x @ np.ones((16, 16), np.float32), "PTO223", "mat2"),
    "matmul out": (lambda x, i: pypto.matmul(x, x, DT_INT32, b_trans=True), "PTO273", "FP32"),
    "matmul K": (
        lambda x, i: pypto.matmul(x, x, DT_FP32),
        "PTO274",
        "K-dimension valid shape mismatch. Got input valid",
    ),
    "matmul types": (lambda x, i: pypto.matmul(x, i, DT_FP32), "PTO231", "INT32"),
    "matmul key": (
        lambda x, i: pypto.matmul(x, x, DT_FP32, b_trans=True, extend_params={"b": x}),
        "PTO275",
        "no key 'b'",
    ),
    "matmul scale": (
        lambda x, i: pypto.matmul(x, x, DT_FP32, b_trans=True, extend_params={"scale": 2.0}),
        "PTO275",
        "scale",
    ),
    "matmul bias": (
        lambda x, i: pypto.matmul(x, x, DT_FP32, b_trans=True, extend_params={"bias_tensor": x}),
        "PTO275",
        "[1, 8]",
    ),
    "matmul nz": (lambda x, i: pypto.matmul(x, x, DT_FP32, b_trans=True, c_matrix_nz=True), "PTO276", "NZ"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, run, x, i):
    build, code, phrase = REFUSED[name]

    def body(a, b, out):
        out[:] = build(a, b)

    with pytest.raises(PyptoError) as caught:
        run(body, x, i)
    assert caught.value.code == code, str(caught.value)
    assert phrase in " ".join(str(caught.value).replace("|", " ").split())


@pytest.mark.parametrize(
    "dtype", ["float16", "bfloat16", "int8", "uint8", "int16", "uint16", "uint32", "int64", "uint64", "bool", "float64"]
)
def test_every_host_type_can_be_moved(dtype, run):
    import ml_dtypes

    host = np.dtype(getattr(ml_dtypes, dtype, dtype))
    a = (np.arange(128).reshape(8, 16) % 100).astype(host)

    def body(a, out):
        t = pypto.clone(a)
        u = pypto.reshape(pypto.view(t, [4, 16], [2, 0]), [64])
        out[0:4, :] = pypto.reshape(u, [4, 16])
        out[4:8, :] = a[4:8, :]

    out = run(body, a, out=np.zeros((8, 16), host))
    assert np.array_equal(out.view(np.uint8), np.concatenate([a[2:6], a[4:8]]).view(np.uint8))


def test_help_shows_the_call():
    text = pypto.add.__doc__
    assert "Example::" in text
    assert "out[:] = pypto.add(x, y)" in text
    assert str(pypto.matmul.__signature__).startswith("(input, mat2, out_dtype, *, a_trans=False")
    assert pypto.exp.__name__ == "exp"


def test_methods_are_the_functions():
    for name, decl in OPS.items():
        if decl.method:
            assert getattr(pypto.Tensor, name) is getattr(pypto, name)
