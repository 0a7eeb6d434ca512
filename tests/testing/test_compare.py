"""Comparison with goldens: tolerance, special values, and that only memory of a run is compared."""

from types import MappingProxyType

import numpy as np
import pytest

from openpto.diagnostics import PyptoError
from openpto.ir.enums import RunMode
from openpto.kernel.host import host_tensor
from openpto.kernel.receipt import Receipt, output_memory, remember
from openpto.testing import Tolerance, assert_close, compare


def receipt_of(*outputs, written=MappingProxyType({})):
    memories = tuple(output_memory(f"o{i}", host_tensor(f"o{i}", i, o)) for i, o in enumerate(outputs))
    return Receipt(
        kernel="k", kernel_hash="0", engine="reference", numerics="npu", target=None, platform=None,
        run_mode=RunMode.SIM, run_mode_source="default", compiled=True, compile_seconds=0.0, run_seconds=0.0,
        ops_executed=1, elements_written=written, outputs=memories, warnings=(),
        options=MappingProxyType({}),
    )  # fmt: skip


def code(*args, **kwargs):
    with pytest.raises(PyptoError) as caught:
        assert_close(*args, **kwargs)
    assert isinstance(caught.value, AssertionError)
    return caught.value


@pytest.fixture
def out():
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    remember(receipt_of(array))
    return array


def test_equal(out):
    found = assert_close(out, out.astype(np.float64))
    assert (found.elements, found.outside, found.max_abs) == (12, 0, 0.0)


def test_views_of_the_output(out):
    assert_close(out[1:], out[1:].astype(np.float64))
    assert_close(out[:, ::2], out[:, ::2].astype(np.float64))
    assert_close(out[::-1], out[::-1].astype(np.float64))


def test_a_golden_is_no_output(out):
    golden = out.astype(np.float64)
    assert code(out.copy(), golden).code == "PTO537"
    assert code(out, out).code == "PTO537"
    assert code(out, out[:]).code == "PTO537"


def test_memory_that_is_gone_is_no_output():
    array = np.zeros(1000, np.float32)
    remember(receipt_of(array))
    address = array.ctypes.data
    del array
    others = [np.zeros(1000, np.float32) for _ in range(20)]
    for other in others:
        if other.ctypes.data == address:  # the allocator gave the same memory again
            assert code(other, np.zeros(1000)).code == "PTO537"


def test_a_copy_with_its_receipt(out):
    run = receipt_of(out)
    remember(receipt_of(np.zeros(2, np.float32)))
    assert_close(out.copy(), out.astype(np.float64), run=run)
    assert code(np.zeros((2, 2), np.float32), np.zeros((2, 2)), run=run).code == "PTO537"


@pytest.mark.parametrize(
    ("got", "want", "ok"),
    [
        (1.0, 1.0 + 1e-6, True),
        (1.0, 1.0 + 1e-4, False),
        (np.nan, np.nan, True),
        (np.nan, 0.0, False),
        (0.0, np.nan, False),
        (np.inf, np.inf, True),
        (np.inf, -np.inf, False),
        (np.inf, 1.0, False),
        (1.0, np.inf, False),
        (-0.0, 0.0, True),
    ],
)
def test_tolerance_and_special_values(got, want, ok):
    array = np.array([got], np.float32)
    remember(receipt_of(array))
    if ok:
        assert_close(array, np.array([want]))
    else:
        error = code(array, np.array([want]))
        assert error.code == "PTO538"
        assert "1 of 1 elements" in str(error)


def test_integers_are_exact():
    array = np.array([2**62, 5], np.int64)
    remember(receipt_of(array))
    assert_close(array, np.array([2**62, 5]))
    assert code(array, np.array([2**62 + 1, 5])).code == "PTO538"
    assert_close(array, np.array([2**62, 6]), atol=1)


def test_bools():
    array = np.array([True, False])
    remember(receipt_of(array))
    assert_close(array, np.array([True, False]))
    assert code(array, np.array([True, True])).code == "PTO538"


def test_shapes_have_to_be_equal(out):
    assert code(out, np.zeros(12)).code == "PTO538"
    assert code(out, np.zeros((3, 1))).code == "PTO538"


def test_the_report_names_the_worst_element(out):
    golden = out.astype(np.float64)
    golden[1, 2] += 5
    golden[0, 0] += 1
    text = str(code(out, golden))
    assert "2 of 12 elements" in text
    assert "(1, 2)" in text


def test_nothing_to_compare_is_equal():
    array = np.zeros((0, 4), np.float32)
    remember(receipt_of(array))
    assert assert_close(array, np.zeros((0, 4))).elements == 0


def test_an_output_that_the_run_did_not_write_is_no_result(out):
    remember(receipt_of(out, written={"o0": 0}))
    assert code(out, out.astype(np.float64)).code == "PTO537"
    remember(receipt_of(out, written={"o0": 1}))
    assert_close(out, out.astype(np.float64))


def test_the_report_shows_the_spread_and_the_worst_elements(out):
    golden = out.astype(np.float64)
    golden[1, 2] += 5
    golden[2, 3] = np.nextafter(np.float32(11), np.float32(12))
    text = str(code(out, golden))
    spread = text[text.index("errors in ULP") :].splitlines()
    assert spread[1].split() == ["0", "10", "#" * 30]
    assert spread[2].split()[:3] == ["<=", "1", "1"]
    assert spread[3].split()[:3] == [">", "256", "1"]
    assert spread[-1].split()[:2] == ["[1,", "2]"]


def test_compare_counts():
    found = compare(np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.5, 8.0]), Tolerance(rtol=0.0, atol=0.5))
    assert (found.outside, found.max_abs, found.max_rel, found.first) == (1, 4.0, 0.5, (2,))


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    tensor = torch.ones(2, 3)
    remember(receipt_of(tensor))
    assert_close(tensor, torch.ones(2, 3, dtype=torch.float64))
    assert_close(tensor.numpy(), np.ones((2, 3)))
    assert_close(tensor[1], np.ones(3))
    assert code(torch.ones(2, 3), torch.ones(2, 3)).code == "PTO537"
