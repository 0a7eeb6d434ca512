"""Habits of torch and numpy: the error names what was written, and what it advises runs in its place."""

import itertools
import linecache

import numpy as np
import pytest

import pypto

X = np.random.default_rng(2).integers(-9, 10, (8, 16)).astype(np.float32)
_number = itertools.count()
pytestmark = pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")


def run(body, space=None, parameters="x: pypto.Tensor([8, 16], F)"):
    """What a kernel with ``out[:] = body`` leaves."""
    text = (
        "import pypto\n\nF = pypto.DT_FP32\n\n\n@pypto.frontend.jit\n"
        f"def kernel({parameters}, out: pypto.Tensor([8, 16], F)):\n"
        f"    pypto.set_vec_tile_shapes(8, 16)\n    out[:] = {body}\n"
    )
    file = f"<habit-{next(_number)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space = dict(space or {})
    exec(compile(text, file, "exec"), space)
    out = np.full(X.shape, 7, np.float32)
    space["kernel"](X, out)
    return out


def advice(body, code, space=None, **how):
    """The text of the error, on one line."""
    with pytest.raises(pypto.PyptoError) as caught:
        run(body, space, **how)
    assert caught.value.code == code, str(caught.value)
    return " ".join(str(caught.value).split())


OR = "pypto.logical_not(pypto.logical_and(pypto.logical_not(a), pypto.logical_not(b)))"


@pytest.mark.parametrize(
    ("body", "code", "advised", "repaired", "want"),
    [
        (
            "pypto.where((x > 3.0) | (x < 0.0), x, 0.0)",
            "PTO260",
            OR,
            f"pypto.where({OR.replace('(a)', '(x > 3.0)').replace('(b)', '(x < 0.0)')}, x, 0.0)",
            lambda x: np.where((x > 3) | (x < 0), x, 0),
        ),
        (
            "pypto.where((x > 3.0) ^ (x > 5.0), x, 0.0)",
            "PTO260",
            "pypto.where(a, pypto.where(b, y, x), pypto.where(b, x, y))",
            "pypto.where(x > 3.0, pypto.where(x > 5.0, x * 0.0, x), pypto.where(x > 5.0, x, x * 0.0))",
            lambda x: np.where((x > 3) ^ (x > 5), x, 0),
        ),
        (
            "pypto.where(~(x > 3.0), x, 0.0)",
            "PTO260",
            "use pypto.logical_not =",
            "pypto.where(pypto.logical_not(x > 3.0), x, 0.0)",
            lambda x: np.where(x > 3, 0, x),
        ),
        (
            "pypto.where((x > 3.0) and (x < 5.0), x, 0.0)",
            "PTO130",
            "pypto.logical_and(a, b)",
            "pypto.where(pypto.logical_and(x > 3.0, x < 5.0), x, 0.0)",
            lambda x: np.where((x > 3) & (x < 5), x, 0),
        ),
        ("x - pypto.sum(x, axis=-1, keepdims=True)", "PTO222", "did you mean dim?", "x - pypto.sum(x, -1, True)",
         lambda x: x - x.sum(-1, keepdims=True)),
        ("pypto.clip(x, min_value=0.0)", "PTO222", "unexpected keyword argument 'min_value'", "pypto.clip(x, min=0.0)",
         lambda x: np.maximum(x, 0)),
        ("x / pypto.sqrt(64)", "PTO223", "as math.sqrt(64)", "x / 8.0", lambda x: x / 8),
        ("x + pypto.topk(x, 1).values", "PTO219", "values, indices = pypto.topk(t, k)", "x + pypto.topk(x, 1)[0]",
         lambda x: x + x.max(-1, keepdims=True)),
        ("x.clamp(0.0, 1.0)", "PTO219", "use pypto.clip", "pypto.clip(x, 0.0, 1.0)", lambda x: x.clip(0, 1)),
        ("x.masked_fill(x > 0.0, 0.0)", "PTO219", "use pypto.where(mask, value, t)", "pypto.where(x > 0.0, 0.0, x)",
         lambda x: np.minimum(x, 0)),
        ("pypto.zeros_like(x)", "PTO219", "use pypto.full(t.shape, 0.0, t.dtype)", "pypto.full(x.shape, 0.0, x.dtype)",
         lambda x: x * 0),
        ("pypto.cast(x, pypto.float16)", "PTO219", "use pypto.DT_FP16",
         "pypto.cast(pypto.cast(x, pypto.DT_FP16), pypto.DT_FP32)", lambda x: x),
        ("x - pypto.mean(x, -1)", "PTO219", "pypto.sum(t, dim, True) * (1.0 / n)",
         "x - pypto.sum(x, -1, True) * (1.0 / 16)", lambda x: x - x.sum(-1, keepdims=True) * np.float32(1 / 16)),
    ],
)  # fmt: skip
def test_what_is_advised_runs(body, code, advised, repaired, want):
    assert advised in advice(body, code)
    np.testing.assert_array_equal(run(repaired), want(X))


@pytest.mark.torch
@pytest.mark.parametrize(
    ("body", "name", "written"),
    [
        ("torch.exp(x)", "torch.exp", "write pypto.exp"),
        ("torch.cat([x, x])", "torch.cat", "write pypto.concat"),
        ("torch.einsum('ij,kj->ik', x, x)", "torch.einsum", "write pypto.matmul"),
        ("torch.nn.functional.silu(x)", "torch.nn.functional.silu", "write t * pypto.sigmoid(t)"),
        ("torch.nn.functional.layer_norm(x, [16])", "torch.nn.functional.layer_norm", "use operations of pypto"),
        ("torch.where(x > 0.0, x, x)", "torch.where", "write pypto.where"),
    ],
)
def test_functions_of_torch_are_named(body, name, written):
    """Also those that are written in Python or take lists, which only said that a Tensor is no Tensor."""
    torch = pytest.importorskip("torch")
    text = advice(body, "PTO165", {"torch": torch})
    assert f"{name} computes on values" in text
    assert written in text


@pytest.mark.torch
@pytest.mark.parametrize("body", ["x * torch.ones(8, 16)", "torch.ones(8, 16) * x", "torch.add(torch.ones(8, 16), x)"])
def test_arrays_of_torch_are_parameters(body):
    torch = pytest.importorskip("torch")
    text = advice(body, "PTO225", {"torch": torch})
    assert "does not take a torch.Tensor" in text
    assert "as a parameter" in text


@pytest.mark.torch
def test_types_of_torch_have_their_names():
    torch = pytest.importorskip("torch")
    assert "got torch.float16" in advice("pypto.cast(x, torch.float16)", "PTO222", {"torch": torch})


def test_an_extent_of_a_dynamic_tensor_is_not_inferred():
    """There is only one -1: what hinders is the extent that the run knows."""
    text = advice("pypto.reshape(x, [-1])", "PTO254", parameters="x: pypto.Tensor([pypto.DYNAMIC, 16], F)")
    assert "[x.shape[0], 16] as [-1]" in text
    assert "inplace=True" in text
