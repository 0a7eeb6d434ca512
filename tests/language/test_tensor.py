"""The Tensor object: declarations, attributes, what Python may not ask of it."""

import numpy as np
import pytest

import pypto
from pypto import DT_FP32, DT_INT32, DYNAMIC, STATIC, PyptoError, Tensor, TileOpFormat


@pytest.mark.parametrize(
    ("declared", "shape", "dtype"),
    [
        (Tensor(), [], None),
        (Tensor([]), [], None),
        (Tensor((), DT_FP32), [], DT_FP32),
        (Tensor([32, 64], DT_FP32), [32, 64], DT_FP32),
        (Tensor((32, 32), DT_INT32), [32, 32], DT_INT32),
        (Tensor([DYNAMIC, 64]), [DYNAMIC, 64], None),
        (Tensor([STATIC, 64], DT_FP32), [STATIC, 64], DT_FP32),
        (Tensor([DYNAMIC, ...], DT_FP32), [DYNAMIC, ...], DT_FP32),
        (Tensor([...], DT_FP32), [...], DT_FP32),
        (Tensor([-1, 32], DT_FP32), [-1, 32], DT_FP32),
        (Tensor[[DYNAMIC, 32], DT_FP32], [DYNAMIC, 32], DT_FP32),
        (Tensor[DT_FP32, [4]], [4], DT_FP32),
        (Tensor[[4], DT_FP32, TileOpFormat.TILEOP_NZ, "w", {"device": None}], [4], DT_FP32),
    ],
)
def test_declarations(declared, shape, dtype):
    assert declared.is_declaration
    assert list(declared.declared_shape) == shape
    assert declared.shape == shape
    assert declared.declared_dtype is dtype
    assert declared.dtype is (dtype or DT_FP32)


def test_named_symbols_in_a_declaration():
    n = pypto.frontend.dynamic("N")
    declared = Tensor([n, n * 2], DT_FP32)
    assert [str(d) for d in declared.shape] == ["N", "(N*2)"]
    assert [str(d) for d in Tensor([4, n], DT_FP32).valid_shape] == ["4", "N"]


def test_format_and_name():
    declared = Tensor([4], DT_FP32, "w", format=TileOpFormat.TILEOP_NZ)
    assert (declared.format, declared.name, declared.dim) == (TileOpFormat.TILEOP_NZ, "w", 1)
    declared.name = "v"
    assert declared.name == "v"
    assert Tensor[[4], DT_FP32, TileOpFormat.TILEOP_NZ].format is TileOpFormat.TILEOP_NZ


@pytest.mark.parametrize(
    ("make", "code", "phrase"),
    [
        (lambda: Tensor(32, DT_FP32), "PTO269", "shape must be a list of int or SymbolicScalar"),
        (lambda: Tensor("ab", DT_FP32), "PTO269", "shape must be a list of int or SymbolicScalar"),
        (lambda: Tensor([1.5, 2], DT_FP32), "PTO201", "Invalid value type"),
        (lambda: Tensor([-4, 2], DT_FP32), "PTO235", "Invalid shape -4"),
        (lambda: Tensor((DYNAMIC, 2), DT_FP32), "PTO269", "Invalid value type"),
        (lambda: Tensor([..., 32], DT_FP32), "PTO269", "last"),
        (lambda: Tensor([4], np.float32), "PTO269", "DataType"),
        (lambda: Tensor[[4], 3.5], "PTO269", "shape list"),
        (lambda: pypto.exp(Tensor([4], DT_FP32)), "PTO221", "only describes"),
        (lambda: pypto.full([4], 0.0, DT_FP32), "PTO220", "inside a kernel"),
    ],
)
def test_wrong_declarations(make, code, phrase):
    with pytest.raises(PyptoError) as caught:
        make()
    assert caught.value.code == code
    assert phrase in str(caught.value)


@pytest.mark.parametrize(
    ("ask", "phrase"),
    [
        (iter, "Tensor is not iterable."),
        (len, "object of type 'Tensor' has no len()"),
        (bool, "Test condition must be a symbolic scalar or boolean, but got Tensor."),
        (int, "int()"),
        (float, "float()"),
        (hash, "unhashable type"),
        (lambda t: 1 in t, "'in'"),
        (lambda t: t & t, "&"),
        (lambda t: ~t, "logical_not"),
        (abs, "pypto.abs"),
        (round, "pypto.round"),
        (lambda t: t << 1, "bitwise_left_shift"),
    ],
)
def test_what_python_may_not_ask(ask, phrase):
    with pytest.raises(TypeError) as caught:
        ask(Tensor([4], DT_FP32))
    assert phrase in str(caught.value)
    assert (ask is bool) == (getattr(caught.value, "code", "") == "PTO259")


def test_cache_policy_is_recorded():
    declared = Tensor([4], DT_FP32)
    policy = pypto.CachePolicy.NONE_CACHEABLE
    assert declared.get_cache_policy(policy) is False
    declared.set_cache_policy(policy, True)
    assert declared.get_cache_policy(policy) is True


def test_attributes_inside_a_kernel(run, x):
    seen = {}

    def body(a, out):
        t = a + 1.0
        local = pypto.tensor([8, 16], DT_FP32, "scratch")
        seen.update(
            shape=t.shape,
            valid=[int(v) for v in t.valid_shape],
            dim=t.dim,
            dtype=t.dtype,
            format=t.format,
            ids=len({a.id, t.id, local.id, out.id}),
            name=local.name,
            empty=(pypto.tensor().is_empty(), local.is_empty()),
            copied=(t.copy("c").shape, t.copy("c").name),
        )
        local[:] = t
        out[:] = local

    assert np.array_equal(run(body, x), x + 1)
    assert seen == {
        "shape": [8, 16],
        "valid": [8, 16],
        "dim": 2,
        "dtype": DT_FP32,
        "format": TileOpFormat.TILEOP_ND,
        "ids": 4,
        "name": "scratch",
        "empty": (True, False),
        "copied": ([8, 16], "c"),
    }


def test_symbolic_local(run):
    """A local whose extent comes from an argument; it is written and read in windows."""

    @pypto.jit
    def kernel(a: Tensor([DYNAMIC, 16], DT_FP32), out: Tensor([DYNAMIC, 16], DT_FP32)):
        pypto.set_vec_tile_shapes(8, 16)
        rows = a.shape[0]
        local = pypto.tensor([rows, 16], DT_FP32, "local")
        for n in pypto.loop((rows + 7) // 8):
            pypto.assemble(pypto.view(a, [8, 16], [n * 8, 0]) * 2.0, [n * 8, 0], local)
        for n in pypto.loop((rows + 7) // 8):
            pypto.assemble(pypto.view(local, [8, 16], [n * 8, 0]) + 1.0, [n * 8, 0], out)

    for rows in (1, 8, 19):
        a = np.arange(rows * 16, dtype=np.float32).reshape(rows, 16)
        out = np.zeros_like(a)
        kernel(a, out)
        assert np.array_equal(out, a * 2 + 1)
