"""Torch tensors passed to kernels: results in place, autograd kept right, and what is refused."""

import pytest

import pypto
from openpto.diagnostics import PyptoError

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

F32 = pypto.DT_FP32


@pypto.frontend.jit
def double(x: pypto.Tensor([4, 8], F32), out: pypto.Tensor([4, 8], F32), gain=2.0):
    pypto.set_vec_tile_shapes(4, 8)
    out[:] = x * gain


@pypto.frontend.jit
def unannotated(x: pypto.Tensor([4, 8], F32), out):
    pypto.set_vec_tile_shapes(4, 8)
    x[:] = x * 2.0


def code(call, *args, **kwargs):
    with pytest.raises(PyptoError) as caught:
        call(*args, **kwargs)
    assert isinstance(caught.value, RuntimeError)
    return caught.value


def test_results_are_in_the_tensor():
    x, out = torch.arange(32.0).reshape(4, 8), torch.full((4, 8), float("nan"))
    assert double(x, out) is None
    assert torch.equal(out, x * 2)


def test_a_part_of_a_tensor_as_output():
    x, whole = torch.ones(4, 8), torch.zeros(3, 4, 8)
    double(x, whole[1])
    assert torch.equal(whole[1], x * 2)
    assert whole[0].abs().sum() + whole[2].abs().sum() == 0


def test_numpy_and_torch_in_one_call():
    x, out = torch.ones(4, 8), torch.zeros(4, 8)
    double(x.numpy(), out)
    assert torch.equal(out, x * 2)


def test_an_input_that_requires_grad_is_read():
    x, out = torch.ones(4, 8, requires_grad=True), torch.zeros(4, 8)
    double(x, out)
    assert torch.equal(out, torch.full((4, 8), 2.0))
    assert not out.requires_grad


def test_an_output_that_requires_grad_is_refused_before_anything_runs():
    out = torch.zeros(4, 8, requires_grad=True)
    assert code(double, torch.ones(4, 8), out).code == "PTO530"
    assert out.abs().sum() == 0


def test_autograd_notices_the_write():
    weight = torch.ones(4, 8, requires_grad=True)
    saved = torch.ones(4, 8)
    loss = (weight * saved).sum()
    double(torch.ones(4, 8), saved)  # backward of the product needs the old contents
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_an_input_is_not_counted_as_written():
    x, out = torch.ones(4, 8), torch.zeros(4, 8)
    before = x._version
    double(x, out)
    assert x._version == before
    assert out._version == 1


def test_tensor_for_a_value():
    x, out = torch.ones(4, 8), torch.zeros(4, 8)
    for call in (lambda: double(x, out, x), lambda: double(x, out, gain=x), lambda: unannotated(x, out)):
        error = code(call)
        assert error.code == "PTO515"
        assert "must not be a torch.Tensor. Use positional arguments for tensors." in str(error)


def test_unusable_tensors():
    x, out = torch.ones(4, 8), torch.zeros(4, 8)
    assert code(double, torch.ones(8, 4).t(), out).code == "PTO517"
    assert code(double, torch.ones(1, 8).expand(4, 8), out).code == "PTO528"
    assert code(double, torch.ones(4, 8, device="meta"), out).code == "PTO519"
    assert code(double, [x], out).code == "PTO516"
    assert out.abs().sum() == 0


class Elsewhere(torch.Tensor):
    """A tensor that says it is on a device."""

    @property
    def device(self):
        return torch.device("cuda", 0)


def test_a_tensor_on_a_device_is_refused():
    error = code(double, torch.ones(4, 8).as_subclass(Elsewhere), torch.zeros(4, 8))
    assert error.code == "PTO518"
    assert "Unsupported device type: cuda:0" in str(error)


def test_inference_mode():
    with torch.inference_mode():
        x, out = torch.ones(4, 8), torch.zeros(4, 8)
        double(x, out)
        assert torch.equal(out, x * 2)
