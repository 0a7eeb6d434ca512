"""Binding a call: counts, shapes, symbols, element types, shared memory."""

import numpy as np
import pytest

import openpto
import pypto
from openpto.diagnostics import PyptoError, PyptoWarning
from openpto.ir import expr as E
from openpto.ir.dtypes import DataType
from openpto.ir.enums import StatusType
from openpto.kernel.binding import bind
from openpto.kernel.signature import signature_of
from openpto.language.symbolic import SymbolicScalar
from openpto.language.tensor import Tensor

D, S, F32 = StatusType.DYNAMIC, StatusType.STATIC, DataType.DT_FP32
N = SymbolicScalar("N")


def kernel_with(*annotations):
    """A kernel with tensor parameters a, b, c ... declared as given, and values n (required) and gain=2.0."""
    names = "abcdef"[: len(annotations)]

    def kernel(n, gain=2.0):
        pass

    parameters = ", ".join(f"{name}: None" for name in names)
    space: dict = {}
    exec(f"def kernel({parameters}, n=0, gain=2.0): pass", space)
    space["kernel"].__annotations__ = dict(zip(names, annotations, strict=True))
    return signature_of(space["kernel"], {})


def zeros(*shape, dtype=np.float32):
    return np.zeros(shape, dtype)


def code(signature, *args, **kwargs):
    with pytest.raises(PyptoError) as caught:
        bind(signature, args, kwargs)
    return caught.value


TWO = kernel_with(Tensor([8, 32], F32), Tensor([8, 32], F32))


def test_values_by_position_and_keyword():
    a, b = zeros(8, 32), zeros(8, 32)
    assert bind(TWO, (a, b), {}).values == {"n": 0, "gain": 2.0}
    assert bind(TWO, (a, b, 5), {"gain": 3}).values == {"n": 5, "gain": 3}
    assert bind(TWO, (a, b, 5), {"n": 6}).values["n"] == 6
    marker = object()
    assert bind(TWO, (a, b), {"n": marker}).values["n"] is marker


@pytest.mark.parametrize(
    ("args", "kwargs", "phrase", "expected"),
    [
        ((zeros(8, 32),), {}, "Expected at least 2 tensor argument(s), got 1.", "PTO511"),
        ((), {}, "Expected at least 2 tensor argument(s), got 0.", "PTO511"),
        ((zeros(8, 32), zeros(8, 32), 1, 2, 3), {}, "Too many positional arguments: expected", "PTO512"),
        ((zeros(8, 32), zeros(8, 32)), {"gian": 1}, "Unknown keyword argument(s): gian.", "PTO513"),
        ((zeros(8, 32),), {"b": zeros(8, 32)}, "Expected at least 2", "PTO511"),
        ((zeros(8, 32), [1.0]), {}, "Input b (index 1) must be a torch.Tensor, got list", "PTO516"),
        ((zeros(8, 31), zeros(8, 32)), {}, "The shape of a does not match", "PTO522"),
        ((zeros(256), zeros(8, 32)), {}, "The number of dimensions of input tensor a does not match", "PTO521"),
        ((zeros(8, 32, 1), zeros(8, 32)), {}, "The number of dimensions", "PTO521"),
        ((zeros(8, 32, dtype=np.float16), zeros(8, 32)), {}, "The dtype of a does not match", "PTO523"),
        ((zeros(8, 32), zeros(8, 32, dtype=np.int32)), {}, "The dtype of b does not match", "PTO523"),
    ],
)
def test_refused(args, kwargs, phrase, expected):
    error = code(TWO, *args, **kwargs)
    assert error.code == expected
    assert phrase in str(error)


def test_missing_value():
    def kernel(x: Tensor([8], F32), n):
        pass

    error = code(signature_of(kernel, {}), zeros(8))
    assert "Missing required non-tensor argument 'n'" in str(error)


def test_dynamic_extents_are_symbols():
    bound = bind(kernel_with(Tensor([D, 32], F32), Tensor([-1, S])), (zeros(7, 32), zeros(0, 5)), {})
    assert bound.types[0].shape == (E.dim("a", 0), 32)
    assert bound.types[1].shape == (E.dim("b", 0), 5)
    assert bound.env == {E.dim("a", 0): 7, E.dim("b", 0): 0}
    assert bound.types[1].dtype is F32


def test_named_symbols_agree():
    signature = kernel_with(Tensor([N, 32], F32), Tensor([N, 32], F32))
    assert bind(signature, (zeros(5, 32), zeros(5, 32)), {}).env == {E.named("N"): 5}
    error = code(signature, zeros(5, 32), zeros(6, 32))
    assert error.code == "PTO525"
    assert "Symbolic scalar N has multiple concrete values: 5 and 6" in str(error)


def test_expressions_of_symbols():
    signature = kernel_with(Tensor([N * 2, 32], F32), Tensor([N, 32], F32))
    assert bind(signature, (zeros(10, 32), zeros(5, 32)), {}).env == {E.named("N"): 5}
    assert code(signature, zeros(9, 32), zeros(5, 32)).code == "PTO522"


@pytest.mark.parametrize(
    ("annotation", "shape"),
    [
        (Tensor(), (3, 4)),
        (Tensor([], F32), ()),
        (Tensor([D, ...], F32), (3,)),
        (Tensor([D, ...], F32), (3, 4, 5)),
        (Tensor([...], F32), (3, 4)),
        (Tensor([3, ...], F32), (3, 4)),
    ],
)
def test_open_ranks(annotation, shape, recwarn):
    bound = bind(kernel_with(annotation), (zeros(*shape),), {})
    assert len(bound.types[0].shape) == max(len(shape), 1)
    assert len(recwarn) == 0


@pytest.mark.parametrize(
    ("annotation", "shape"),
    [
        (Tensor([S, S], F32), (3, 4, 5)),
        (Tensor([S, S], F32), (3,)),
        (Tensor([D, 4], F32), (3, 4, 5)),
        (Tensor([3, S], F32), (3,)),
    ],
)
def test_marks_do_not_fix_the_rank(annotation, shape):
    with pytest.warns(PyptoWarning, match="PTO531"):
        bound = bind(kernel_with(annotation), (zeros(*shape),), {})
    assert len(bound.types[0].shape) == len(shape)


@pytest.mark.parametrize(
    ("annotation", "shape", "expected"),
    [
        (Tensor([D, 4], F32), (3,), "PTO521"),
        (Tensor([D, 4, ...], F32), (3,), "PTO521"),
        (Tensor([N, 4], F32), (3, 4, 5), "PTO521"),
        (Tensor([D, 4], F32), (3, 5), "PTO522"),
        (Tensor([3, ...], F32), (4, 4), "PTO522"),
        (Tensor([SymbolicScalar("M", 8)], F32), (7,), "PTO522"),
    ],
)
def test_ints_are_always_checked(annotation, shape, expected):
    assert code(kernel_with(annotation), zeros(*shape)).code == expected


def test_bytes_may_hold_small_floats():
    signature = kernel_with(Tensor([4], DataType.DT_HF8), Tensor([4], DataType.DT_FP4_E2M1X2))
    bound = bind(signature, (zeros(4, dtype=np.uint8), zeros(4, dtype=np.uint8)), {})
    assert [t.dtype for t in bound.types] == [DataType.DT_HF8, DataType.DT_FP4_E2M1X2]
    assert code(kernel_with(Tensor([4], DataType.DT_INT8)), zeros(4, dtype=np.uint8)).code == "PTO523"


def test_the_same_memory_is_one_tensor():
    a = zeros(8, 32)
    assert bind(TWO, (a, a), {}).alias == {"b": "a"}
    assert bind(TWO, (a, a[:]), {}).alias == {"b": "a"}
    three = kernel_with(*[Tensor([8, 32], F32)] * 3)
    assert bind(three, (a, a, a), {}).alias == {"b": "a", "c": "a"}
    assert bind(three, (a, zeros(8, 32), a), {}).alias == {"c": "a"}


def test_memory_shared_in_part_is_refused():
    rows = zeros(9, 32)
    assert code(TWO, rows[:8], rows[1:]).code == "PTO527"
    any_two = kernel_with(Tensor([], F32), Tensor())
    a = zeros(8, 32)
    assert code(any_two, a, a.reshape(256)).code == "PTO527"
    assert code(any_two, a, a.view(np.int32)).code == "PTO527"
    assert bind(any_two, (a[:4], a[4:]), {}).alias == {}
    assert bind(any_two, (a[:0], a), {}).alias == {}


@pypto.frontend.jit
def mirrored(x: Tensor([N, 32], F32), out: Tensor([N * 2, 32], F32)):
    pypto.set_vec_tile_shapes(8, 32)
    for i in pypto.loop((x.shape[0] + 7) // 8):
        live = pypto.min(x.shape[0] - i * 8, 8)
        tile = pypto.view(x, [8, 32], [i * 8, 0], valid_shape=[live, 32])
        pypto.assemble(tile, [i * 8, 0], out)
        pypto.assemble(-tile, [x.shape[0] + i * 8, 0], out)


@pytest.mark.parametrize("engine", ["reference", "auto"])
def test_an_extent_that_is_computed_from_another(engine):
    with openpto.configure(engine=engine):
        for rows in (3, 9):
            x = np.arange(rows * 32, dtype=np.float32).reshape(rows, 32)
            out = np.empty((rows * 2, 32), np.float32)
            mirrored(x, out)
            assert (out == np.concatenate([x, -x])).all()
        with pytest.raises(PyptoError, match="PTO522"):
            mirrored(x, np.empty((rows, 32), np.float32))
