"""Kernels as operators of torch: values, shapes without data, compilation, writes in place, and what is refused."""

import numpy as np
import pytest

import openpto
import pypto
from openpto.diagnostics import PyptoError
from openpto_gym.matmul.kernel import matmul
from openpto_gym.rms_norm.kernel import rms_norm

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

D, F32 = pypto.DYNAMIC, pypto.DT_FP32
ROWS, COLS = pypto.symbolic_scalar("ROWS"), pypto.symbolic_scalar("COLS")


@pypto.frontend.jit
def softmax(x: pypto.Tensor([D, 64], F32), out: pypto.Tensor([D, 64], F32)):
    pypto.set_vec_tile_shapes(8, 64)
    for i in pypto.loop((x.shape[0] + 7) // 8, name="tiles", idx_name="i"):
        live = pypto.min(x.shape[0] - i * 8, 8)
        tile = pypto.view(x, [8, 64], [i * 8, 0], valid_shape=[live, 64])
        e = pypto.exp(tile - pypto.amax(tile, -1, True))
        pypto.assemble(e / pypto.sum(e, -1, True), [i * 8, 0], out)


@pypto.frontend.jit
def bounds(
    x: pypto.Tensor([ROWS, 32]),
    low: pypto.Tensor([ROWS, 1]),
    high: pypto.Tensor([ROWS, 1]),
    gain: float = 1.0,
    flip: bool = False,
):
    pypto.set_vec_tile_shapes(8, 32)
    for i in pypto.loop((x.shape[0] + 7) // 8, name="tiles", idx_name="i"):
        live = pypto.min(x.shape[0] - i * 8, 8)
        tile = pypto.view(x, [8, 32], [i * 8, 0], valid_shape=[live, 32]) * gain
        least, most = pypto.amin(tile, -1, True), pypto.amax(tile, -1, True)
        pypto.assemble(most if flip else least, [i * 8, 0], low)
        pypto.assemble(least if flip else most, [i * 8, 0], high)


@pypto.frontend.jit
def twice(x: pypto.Tensor([ROWS, 32], F32), out: pypto.Tensor([ROWS * 2, 32], F32)):
    pypto.set_vec_tile_shapes(8, 32)
    for i in pypto.loop((x.shape[0] + 7) // 8, name="tiles", idx_name="i"):
        live = pypto.min(x.shape[0] - i * 8, 8)
        tile = pypto.view(x, [8, 32], [i * 8, 0], valid_shape=[live, 32])
        pypto.assemble(tile, [i * 8, 0], out)
        pypto.assemble(-tile, [x.shape[0] + i * 8, 0], out)


@pypto.frontend.jit
def append(
    row: pypto.Tensor([1, 32], F32),
    at: pypto.Tensor([1], pypto.DT_INT32),
    cache: pypto.Tensor([D, 32], F32),
):
    pypto.set_vec_tile_shapes(1, 32)
    for _ in pypto.loop(1):
        pypto.assemble(row * 2.0, [at[0], 0], cache)


@pytest.fixture(scope="module")
def op():
    return openpto.register_torch_op(softmax, "openpto_tests::softmax")


def code(call, *args, **kwargs):
    with pytest.raises(PyptoError) as caught:
        call(*args, **kwargs)
    return caught.value.code


# -- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [0, 1, 8, 13])
def test_values(op, rows):
    x = torch.randn(rows, 64)
    result = op(x)
    assert result.is_contiguous()
    torch.testing.assert_close(result, torch.softmax(x.double(), -1).float(), rtol=1e-5, atol=1e-8)
    assert torch.equal(torch.ops.openpto_tests.softmax(x), result)


def test_the_receipt_is_that_of_the_result(op):
    x = torch.randn(5, 64)
    openpto.testing.assert_close(op(x), torch.softmax(x.double(), -1).numpy(), tolerance="T2")
    assert openpto.last_run().kernel == "softmax"


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.randn(64, 9).t(),
        lambda: torch.randn(1, 64).expand(9, 64),
        lambda: torch.randn(9, 128)[:, ::2],
        lambda: torch.imag(torch.randn(9, 64, dtype=torch.complex64).conj()),
    ],
    ids=["transposed", "expanded", "strided", "negated"],
)
def test_inputs_that_are_not_plain(op, make):
    x = make()
    torch.testing.assert_close(op(x), torch.softmax(x.double(), -1).float(), rtol=1e-5, atol=1e-8)


def test_several_outputs_and_scalars():
    op = openpto.register_torch_op(bounds, "openpto_tests::bounds", outputs=("low", "high"))
    x = torch.randn(11, 32).bfloat16()
    low, high = op(x, 2.0)
    assert low.dtype is torch.bfloat16
    assert low.shape == high.shape == (11, 1)
    assert torch.equal(low, (x * 2).amin(-1, True))
    assert torch.equal(high, (x * 2).amax(-1, True))
    assert torch.equal(op(x, flip=True)[0], x.amax(-1, True))
    text = "(Tensor x, float gain=1., bool flip=False) -> (Tensor, Tensor)"
    assert str(op._opoverload._schema) == f"openpto_tests::bounds{text}"


def test_extents_that_are_computed():
    op = openpto.register_torch_op(twice, "openpto_tests::twice")
    compiled = torch.compile(lambda x: op(x) + 1, fullgraph=True, dynamic=True, backend="aot_eager")
    for rows in (3, 8, 21):
        x = torch.randn(rows, 32)
        assert torch.equal(op(x), torch.cat([x, -x]))
        assert torch.equal(compiled(x), torch.cat([x, -x]) + 1)
    assert twice.compilations == 1


def test_shapes_by_a_function():
    shape = lambda a, b, depth, a_trans, b_trans: (a.shape[0], b.shape[0 if b_trans else 1])
    op = openpto.register_torch_op(matmul, "openpto_tests::matmul", shapes=shape)
    a, b = torch.randn(130, 48), torch.randn(48, 70)
    golden = (a.double() @ b.double()).float()
    torch.testing.assert_close(op(a, b, 48), golden, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(op(a, b.t(), depth=48, b_trans=True), golden, rtol=1e-5, atol=1e-5)
    compiled = torch.compile(lambda a, b: op(a, b, a.shape[1]), fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(a, b), golden, rtol=1e-5, atol=1e-5)


def test_constants():
    op = openpto.register_torch_op(rms_norm, "openpto_tests::rms_norm_5", constants={"epsilon": 5.0})
    x, gamma = torch.randn(4, 96), torch.rand(96)
    golden = torch.nn.functional.rms_norm(x.double(), (96,), gamma.double(), 5.0)
    torch.testing.assert_close(op(x, gamma), golden.float(), rtol=1e-5, atol=1e-6)
    assert code(openpto.register_torch_op, rms_norm, "openpto_tests::x", constants={"eps": 1.0}) == "PTO551"


# -- without data, and compiled ---------------------------------------------------------------------------------------


def test_torch_finds_nothing_to_complain_about(op):
    for x in (torch.randn(5, 64), torch.randn(64, 5).t(), torch.randn(3, 64, requires_grad=True)):
        tests = ("test_schema", "test_faketensor", "test_aot_dispatch_dynamic")
        torch.library.opcheck(op, (x.detach() if not x.is_leaf or x.requires_grad else x,), test_utils=tests)
    torch.library.opcheck(op, (torch.randn(3, 64),), test_utils="test_autograd_registration")


def test_shapes_without_data(op):
    result = op(torch.empty(7, 64, device="meta"))
    assert (result.shape, result.dtype, result.device.type) == ((7, 64), torch.float32, "meta")


class Attention(torch.nn.Module):
    """Weights of a projection, normalised by the kernel."""

    def __init__(self, op):
        super().__init__()
        self.op, self.weight = op, torch.nn.Parameter(torch.randn(64, 64) / 8, requires_grad=False)

    def forward(self, x):
        return self.op(x @ self.weight) @ self.weight


def test_a_module_compiled_for_every_size(op):
    module, before = Attention(op), softmax.compilations
    compiled = torch.compile(module, fullgraph=True, dynamic=True, backend="aot_eager")
    for rows in (2, 8, 37, 64):
        x = torch.randn(rows, 64)
        golden = torch.softmax(x @ module.weight, -1) @ module.weight
        torch.testing.assert_close(compiled(x), golden, rtol=1e-4, atol=1e-5)
    assert softmax.compilations - before <= 1


@pytest.mark.slow
def test_compiled_by_inductor(op):
    """Generates C++ around the kernel; needs a compiler."""
    compiled = torch.compile(Attention(op), fullgraph=True, dynamic=True)
    for rows in (5, 64):
        x = torch.randn(rows, 64)
        module = compiled._orig_mod
        golden = torch.softmax(x @ module.weight, -1) @ module.weight
        torch.testing.assert_close(compiled(x), golden, rtol=1e-4, atol=1e-5)


# -- writing in place -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def append_op():
    return openpto.register_torch_op(append, "openpto_tests::append", outputs=(), mutates="cache")


def test_writing_in_place(append_op):
    row, at, cache = torch.randn(1, 32), torch.tensor([2], dtype=torch.int32), torch.zeros(5, 32)
    version = cache._version
    assert append_op(row, at, cache) is None
    golden = torch.zeros(5, 32)
    golden[2] = row[0] * 2
    assert torch.equal(cache, golden)
    assert cache._version > version
    assert str(append_op._opoverload._schema).endswith("append(Tensor row, Tensor at, Tensor(a!) cache) -> ()")


def test_a_tensor_without_axes_has_one_element_with_and_without_data(append_op):
    row, at, cache = torch.ones(1, 32), torch.tensor(2, dtype=torch.int32), torch.zeros(5, 32)
    append_op(row, at, cache)
    assert cache[:, 0].tolist() == [0.0, 0.0, 2.0, 0.0, 0.0]
    assert append_op(row.to("meta"), at.to("meta"), cache.to("meta")) is None


def test_writing_in_place_where_it_is_not_contiguous(append_op):
    whole = torch.zeros(5, 64)
    append_op(torch.ones(1, 32), torch.tensor([4], dtype=torch.int32), whole[:, ::2])
    assert whole[4].tolist() == [2.0, 0.0] * 32
    assert not whole[:4].any()


def test_writing_in_place_compiled(append_op):
    def step(row, at, cache):
        append_op(row, at, cache)
        return cache.sum()

    compiled = torch.compile(step, fullgraph=True, backend="aot_eager")
    cache = torch.zeros(5, 32)
    for place in (1, 3):
        total = compiled(torch.ones(1, 32), torch.tensor([place], dtype=torch.int32), cache)
        assert total == cache.sum()
    assert cache[:, 0].tolist() == [0.0, 2.0, 0.0, 2.0, 0.0]
    example = (torch.ones(1, 32), torch.tensor([0], dtype=torch.int32), torch.zeros(2, 32))
    torch.library.opcheck(append_op, example, test_utils=("test_schema", "test_faketensor"))


# -- what is refused --------------------------------------------------------------------------------------------------


def test_arguments_that_do_not_fit(op):
    assert code(op, torch.randn(3, 63)) == "PTO522"
    assert code(op, torch.randn(3, 64).double()) == "PTO523"
    assert code(op, torch.randn(3, 64, device="meta").double()) == "PTO523"
    assert code(op, torch.randn(3, 63, device="meta")) == "PTO522"
    assert code(op, torch.randn(64)) == "PTO521"
    assert code(op, torch.randn(64, device="meta")) == "PTO521"
    with pytest.raises(Exception, match="PTO523"):
        torch.compile(op, fullgraph=True, backend="eager")(torch.randn(3, 64).double())


def test_inputs_declared_alike_with_several_shapes():
    op = openpto.register_torch_op(matmul, "openpto_tests::alike")
    assert op(torch.ones(4, 4), torch.ones(4, 4), 4)[0, 0] == 4
    assert code(op, torch.ones(4, 8), torch.ones(8, 2), 8) == "PTO552"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": "one::two::three"}, "not of the form namespace::name"),
        ({"name": "my-ops::x"}, "not of the form namespace::name"),
        ({"outputs": "y"}, "outputs names 'y'; the tensors are x, out"),
        ({"mutates": "y"}, "mutates names 'y'"),
        ({"mutates": "out"}, "'out' is named twice"),
        ({"outputs": ()}, "neither outputs nor mutates"),
        ({"name": 5}, "its name is of type int"),
        ({"name": "exp::"}, "not of the form namespace::name"),
        ({"name": "aten::exp"}, "the namespace aten belongs to torch"),
        ({"name": "aten::exp.of_a_kernel"}, "the namespace aten belongs to torch"),
        ({"shapes": 5}, "the shape of out is 5"),
        ({"shapes": {"y": "x"}}, "shapes names 'y'; the outputs are out"),
        ({"shapes": "z"}, "shaped like 'z'; the inputs are x"),
    ],
)
def test_names_that_do_not_fit(changes, words):
    with pytest.raises(ValueError) as caught:
        openpto.register_torch_op(softmax, **{"name": "openpto_tests::refused", **changes})
    assert caught.value.code == "PTO551"
    assert words in caught.value.fields["problem"].en


def test_a_name_that_another_library_has():
    library = torch.library.Library("openpto_tests_of_others", "DEF")
    library.define("halve(Tensor x) -> Tensor")
    with pytest.raises(ValueError) as caught:
        openpto.register_torch_op(softmax, "openpto_tests_of_others::halve")
    assert caught.value.code == "PTO551"
    assert "torch has an operator of this name" in caught.value.fields["problem"].en
    assert "my_ops::relu" in str(caught.value)


def test_parameters_without_a_type():
    @pypto.frontend.jit
    def scaled(x: pypto.Tensor([8, 32], F32), out: pypto.Tensor([8, 32], F32), config):
        pypto.set_vec_tile_shapes(8, 32)
        out[:] = x * config["gain"]

    with pytest.raises(ValueError, match="PTO551"):
        openpto.register_torch_op(scaled, "openpto_tests::scaled")
    op = openpto.register_torch_op(scaled, "openpto_tests::scaled", constants={"config": {"gain": 3.0}})
    assert torch.equal(op(torch.ones(8, 32)), torch.full((8, 32), 3.0))


def test_one_rule_for_two_outputs():
    call = openpto.register_torch_op
    assert code(call, bounds, "openpto_tests::refused", outputs=("low", "high"), shapes="x") == "PTO551"


def test_a_name_can_be_registered_again():
    for gain in (2.0, 3.0):
        constants = {"gain": gain, "flip": False}
        op = openpto.register_torch_op(bounds, "again", outputs=("low", "high"), constants=constants)
        assert torch.ops.openpto.again(torch.ones(1, 32))[0].item() == op(torch.ones(1, 32))[0].item() == gain


def test_numpy_is_no_argument(op):
    with pytest.raises(RuntimeError):
        op(np.ones((3, 64), np.float32))
