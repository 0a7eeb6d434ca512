"""Backward kernels: gradients against those of torch in float64."""

import pytest

import openpto
import pypto
from openpto.diagnostics import PyptoError
from openpto_gym.rms_norm.kernel import rms_norm
from openpto_gym.rms_norm_backward.kernel import rms_norm_backward
from openpto_gym.sigmoid.kernel import sigmoid, sigmoid_backward

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

NEAR = {"rtol": 1e-5, "atol": 1e-6}


@pytest.fixture(scope="module")
def norm():
    return openpto.register_torch_op(rms_norm, "openpto_tests::rms_norm", backward=rms_norm_backward)


@pytest.fixture(scope="module")
def squash():
    names = {"y": "out", "out": "grad_x"}
    return openpto.register_torch_op(sigmoid, "openpto_tests::sigmoid", backward=sigmoid_backward, backward_names=names)


def golden_norm(x, gamma, above, epsilon=1e-6):
    """Gradients of x and gamma by torch, in float64."""
    wide = x.detach().double().requires_grad_(), gamma.detach().double().requires_grad_()
    result = torch.nn.functional.rms_norm(wide[0], (x.shape[1],), wide[1], epsilon)
    return [g.float() for g in torch.autograd.grad(result, wide, above.double())]


def test_gradients_of_inputs_and_weights(norm):
    x, gamma = torch.randn(70, 96, requires_grad=True), torch.rand(96, requires_grad=True)
    above = torch.randn(70, 96)
    found = torch.autograd.grad(norm(x, gamma), (x, gamma), above)
    for mine, golden in zip(found, golden_norm(x, gamma, above), strict=True):
        torch.testing.assert_close(mine, golden, rtol=1e-4, atol=1e-5)


def test_scalars_reach_the_backward_kernel(norm):
    x, gamma, above = torch.randn(3, 96, requires_grad=True), torch.rand(96), torch.ones(3, 96)
    (found,) = torch.autograd.grad(norm(x, gamma, 0.5), x, above)
    torch.testing.assert_close(found, golden_norm(x, gamma, above, 0.5)[0], **NEAR)


def test_gradients_that_arrive_expanded(squash):
    """`sum` sends one element, expanded to the shape."""
    x = torch.randn(2, 5, 3, 8, requires_grad=True)
    squash(x).sum().backward()
    wide = torch.sigmoid(x.detach().double())
    torch.testing.assert_close(x.grad, (wide * (1 - wide)).float(), **NEAR)


def test_gradients_have_the_type_of_their_inputs(norm):
    """The kernel computes the gradient of the weight in FP32."""
    x, gamma = torch.randn(6, 64).bfloat16().requires_grad_(), torch.rand(64).bfloat16().requires_grad_()
    norm(x, gamma).sum().backward()
    assert (x.grad.dtype, gamma.grad.dtype) == (torch.bfloat16, torch.bfloat16)
    golden = golden_norm(x, gamma, torch.ones(6, 64))
    torch.testing.assert_close(gamma.grad.float(), golden[1], rtol=2**-7, atol=1e-2)


def test_finite_differences(squash):
    """Not torch's formula: the forward kernel itself, at two points."""
    x = torch.randn(1, 2, 1, 8, requires_grad=True)
    step = torch.randn(1, 2, 1, 8) * 1e-2
    (gradient,) = torch.autograd.grad(squash(x), x, torch.ones_like(x))
    with torch.no_grad():
        difference = (squash(x + step).double() - squash(x - step).double()).sum() / 2
    assert abs(difference.item() - (gradient * step).sum().item()) < 1e-6


def test_only_what_is_needed_gets_a_gradient(norm):
    x, gamma = torch.randn(3, 96, requires_grad=True), torch.rand(96)
    norm(x, gamma).sum().backward()
    assert x.grad is not None
    assert gamma.grad is None
    with torch.no_grad():
        assert not norm(x, gamma).requires_grad


def test_training_compiled(norm):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.gamma = torch.nn.Parameter(torch.rand(96))
            self.out = torch.nn.Linear(96, 4)

        def forward(self, x):
            return self.out(norm(x, self.gamma)).square().mean()

    torch.manual_seed(0)
    model = Model()
    compiled = torch.compile(model, fullgraph=True, dynamic=True, backend="aot_eager")
    for rows in (5, 66):
        x = torch.randn(rows, 96, requires_grad=True)
        plain = torch.nn.functional.rms_norm(x, (96,), model.gamma, 1e-6)
        golden = torch.autograd.grad(model.out(plain).square().mean(), (x, model.gamma, model.out.weight))
        found = torch.autograd.grad(compiled(x), (x, model.gamma, model.out.weight))
        for mine, theirs in zip(found, golden, strict=True):
            torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-5)


def test_torch_finds_nothing_to_complain_about(norm):
    example = (torch.randn(5, 96, requires_grad=True), torch.rand(96, requires_grad=True))
    torch.library.opcheck(norm, example)


# -- what is refused --------------------------------------------------------------------------------------------------


def code(call, *args, **kwargs):
    with pytest.raises(PyptoError) as caught:
        call(*args, **kwargs)
    return caught.value.code


def test_no_backward_kernel():
    op = openpto.register_torch_op(rms_norm, "openpto_tests::plain_norm")
    x, gamma = torch.randn(3, 96, requires_grad=True), torch.rand(96)
    result = op(x, gamma)
    assert result.requires_grad
    assert code(result.sum().backward) == "PTO553"
    assert code(op(x.detach(), gamma.requires_grad_()).sum().backward) == "PTO553"


def test_a_gradient_that_the_kernel_does_not_compute():
    @pypto.frontend.jit
    def scale(
        x: pypto.Tensor([pypto.DYNAMIC, 32], pypto.DT_FP32),
        w: pypto.Tensor([1, 32], pypto.DT_FP32),
        out: pypto.Tensor([pypto.DYNAMIC, 32], pypto.DT_FP32),
    ):
        pypto.set_vec_tile_shapes(8, 32)
        for i in pypto.loop((x.shape[0] + 7) // 8, name="tiles", idx_name="i"):
            live = pypto.min(x.shape[0] - i * 8, 8)
            pypto.assemble(pypto.view(x, [8, 32], [i * 8, 0], valid_shape=[live, 32]) * w, [i * 8, 0], out)

    op = openpto.register_torch_op(
        scale, "openpto_tests::scale", backward=scale, backward_names={"x": "grad", "out": "dx"}
    )
    x, w = torch.randn(9, 32, requires_grad=True), torch.rand(1, 32)
    op(x, w).sum().backward()
    assert torch.equal(x.grad, w.expand(9, 32))
    assert code(op(x, w.requires_grad_()).sum().backward) == "PTO553"


def test_gradients_of_gradients_are_refused(squash):
    x = torch.randn(1, 2, 1, 8, requires_grad=True)
    (gradient,) = torch.autograd.grad(squash(x).sum(), x, create_graph=True)
    assert code(gradient.sum().backward) == "PTO553"


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ({}, "y is none of grad_out, grad_x, out, x"),
        ({"y": "x", "out": "out"}, "it computes none of grad_x"),
        ({"y": "outt", "out": "grad_x"}, "y is none of grad_out, grad_x, out, x"),
        ({"y": "out", "z": "x"}, "backward_names has 'z'"),
    ],
)
def test_backward_kernels_that_do_not_fit(names, words):
    with pytest.raises(ValueError) as caught:
        openpto.register_torch_op(sigmoid, "openpto_tests::refused", backward=sigmoid_backward, backward_names=names)
    assert caught.value.code == "PTO556"
    assert words in caught.value.fields["problem"]


def test_scalars_that_the_forward_kernel_does_not_have():
    call = openpto.register_torch_op
    names = {"x": "out", "gamma": "x", "dx": "grad_x", "dgamma": "grad_x"}
    assert code(call, sigmoid, "openpto_tests::refused", backward=rms_norm_backward, backward_names=names) == "PTO556"
    assert code(call, rms_norm, "openpto_tests::refused", backward=print) == "PTO550"
    assert code(call, rms_norm, "openpto_tests::refused", outputs=(), mutates="out", backward=rms_norm) == "PTO556"
