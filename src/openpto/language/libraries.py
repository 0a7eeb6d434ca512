"""Functions of numpy and torch that get a Tensor of a kernel: what numpy asks first, and what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from openpto.diagnostics import T, fail, user_boundary
from openpto.ops.registry import OPS

_INSTEAD = {
    "absolute": "abs",
    "add": "a + b",
    "array": "",
    "concatenate": "concat",
    "divide": "a / b",
    "dot": "matmul",
    "max": "amax",
    "mean": "pypto.sum(t, dim, True) * (1.0 / n)",
    "min": "amin",
    "multiply": "a * b",
    "negative": "neg",
    "power": "pow",
    "square": "t * t",
    "stack": "concat",
    "subtract": "a - b",
    "swapaxes": "transpose",
    "tril": "tril",
    "true_divide": "a / b",
}
"""Functions of numpy by name, and the operation of ours or the expression that a kernel writes."""


def refuse_library(library: str, name: str, shape: object = None) -> NoReturn:
    """Stop with PTO165: ``name`` of another library got a Tensor."""
    written = _INSTEAD.get(name, name)
    ours = OPS.get(written)
    if ours is not None and ours.public:
        written = f"pypto.{written}"
    elif written == name:
        written = ""
    instead = T(f"write {written}", f"请写 {written}")
    if not written:
        instead = T(
            "use operations of pypto, or compute on the host and pass the result as a parameter",
            "请使用 pypto 的操作，或在主机上计算并把结果作为参数传入",
        )
    tensor = T("a Tensor", "Tensor") if shape is None else T(f"a Tensor {shape}", f"Tensor {shape}")
    fail("PTO165", name=f"{library}.{name}", tensor=tensor, instead=instead)


@user_boundary()
def array_function(tensor: Any, function: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> NoReturn:
    """``__array_function__``: numpy asks it before any function of its own works on a Tensor."""
    refuse_library("numpy", getattr(function, "__name__", "function"), list(tensor.shape))


@user_boundary()
def array(tensor: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """``__array__``: numpy wants the elements."""
    refuse_library("numpy", "array", list(tensor.shape))
