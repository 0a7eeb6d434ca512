"""Torch tensors as arguments: taken by address, without copying, and only in plain memory."""

import numpy as np
import pytest

from openpto.diagnostics import PyptoError
from openpto.ir.dtypes import DataType
from openpto.kernel.host import host_tensor, is_torch_tensor

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def code(value):
    with pytest.raises(PyptoError) as caught:
        host_tensor("x", 0, value)
    return caught.value.code


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("float16", "FP16"), ("bfloat16", "BF16"), ("float32", "FP32"), ("float64", "DOUBLE"), ("bool", "BOOL"),
        ("int8", "INT8"), ("int16", "INT16"), ("int32", "INT32"), ("int64", "INT64"), ("uint8", "UINT8"),
        ("uint16", "UINT16"), ("uint32", "UINT32"), ("uint64", "UINT64"), ("float8_e4m3fn", "FP8E4M3"),
        ("float8_e5m2", "FP8E5M2"),
    ],
)  # fmt: skip
def test_element_types(dtype, expected):
    value = torch.zeros((2, 3), dtype=getattr(torch, dtype))
    tensor = host_tensor("x", 0, value)
    assert tensor.dtype is DataType[f"DT_{expected}"]
    assert tensor.pointer == value.data_ptr()
    assert tensor.nbytes == value.numel() * value.element_size()


def test_bfloat16_values_not_bits():
    tensor = host_tensor("x", 0, torch.tensor([1.5, -2.25], dtype=torch.bfloat16))
    assert tensor.array.astype(np.float64).tolist() == [1.5, -2.25]


def test_writes_reach_the_caller_and_are_counted():
    value = torch.zeros(2, 3)
    before = value._version
    tensor = host_tensor("x", 0, value)
    tensor.array[1, 2] = 5.0
    tensor.note_write()
    assert value[1, 2].item() == 5.0
    assert value._version == before + 1


def test_the_memory_stays_alive_with_the_argument():
    tensor = host_tensor("x", 0, torch.full((1000,), 7.0))
    assert tensor.array.sum() == 7000.0


def test_zero_dimensions_and_empty_tensors():
    assert host_tensor("x", 0, torch.tensor(3.0)).shape == (1,)
    assert host_tensor("x", 0, torch.zeros(0, 4)).shape == (0, 4)


def test_parts_of_a_tensor():
    value = torch.arange(12.0).reshape(4, 3)
    assert host_tensor("x", 0, value[1:3]).array.tolist() == [[3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]


def test_requires_grad_is_locked():
    assert host_tensor("x", 0, torch.nn.Parameter(torch.zeros(2))).locked
    assert not host_tensor("x", 0, torch.zeros(2)).locked
    with torch.inference_mode():
        host_tensor("x", 0, torch.zeros(2)).note_write()


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: torch.zeros(4, 4).t(), "PTO517"),
        (lambda: torch.zeros(4, 4)[:, :2], "PTO517"),
        (lambda: torch.zeros(1, 4).expand(3, 4), "PTO528"),
        (lambda: torch.zeros(2, device="meta"), "PTO519"),
        (lambda: torch.zeros(2, 2).to_sparse(), "PTO519"),
        (lambda: torch.zeros(2, dtype=torch.complex64).conj(), "PTO519"),
        (lambda: torch.zeros(2, dtype=torch.complex64).conj().imag, "PTO519"),
        (lambda: torch.quantize_per_tensor(torch.zeros(2), 0.1, 0, torch.qint8), "PTO519"),
        (lambda: torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)]), "PTO519"),
        (lambda: torch.zeros(2, dtype=torch.complex64), "PTO520"),
    ],
)
def test_refused(make, expected):
    assert code(make()) == expected


def test_fake_tensors_and_other_subclasses():
    from torch._subclasses.fake_tensor import FakeTensorMode

    class Mine(torch.Tensor):
        pass

    with FakeTensorMode():
        assert code(torch.zeros(2)) == "PTO519"
    assert code(torch.zeros(2).as_subclass(Mine)) == "PTO519"


def test_tensors_of_function_transforms():
    seen = []

    def look(x):
        seen.append(code(x))
        return x

    torch.func.vmap(look)(torch.zeros(3, 2))
    assert seen == ["PTO519"]


def test_is_torch_tensor():
    assert is_torch_tensor(torch.zeros(1))
    assert not is_torch_tensor(np.zeros(1))
