"""Functions of numpy, torch and math that get a Tensor of a kernel: what they ask first, and what to write instead."""

from __future__ import annotations

import linecache
import math
import re
from collections.abc import Callable
from typing import Any, NoReturn

from openpto.diagnostics import Site, T, current_site, fail, user_boundary
from openpto.ops.registry import OPS

_INSTEAD = {
    "absolute": "abs",
    "add": "a + b",
    "array": "",
    "bmm": "matmul",
    "broadcast_to": "expand_clone",
    "cat": "concat",
    "chunk": "slices: t[:, a:b]",
    "clamp": "clip",
    "concatenate": "concat",
    "divide": "a / b",
    "dot": "matmul",
    "einsum": "matmul",
    "empty": "pypto.tensor(shape, dtype)",
    "empty_like": "pypto.tensor(t.shape, t.dtype)",
    "expand": "expand_clone",
    "fabs": "abs",
    "full_like": "pypto.full(t.shape, value, t.dtype)",
    "hstack": "concat",
    "log_softmax": "s - pypto.log(pypto.sum(pypto.exp(s), dim, True)), s = t - pypto.amax(t, dim, True)",
    "logical_or": "pypto.logical_not(pypto.logical_and(pypto.logical_not(a), pypto.logical_not(b)))",
    "masked_fill": "pypto.where(mask, value, t)",
    "max": "amax",
    "mean": "pypto.sum(t, dim, True) * (1.0 / n)",
    "min": "amin",
    "mm": "matmul",
    "multiply": "a * b",
    "negative": "neg",
    "ones_like": "pypto.full(t.shape, 1.0, t.dtype)",
    "power": "pow",
    "repeat": "expand_clone",
    "silu": "t * pypto.sigmoid(t)",
    "sort": "pypto.topk(t, n), or pypto.argsort(t, dim, descending)",
    "split": "slices: t[:, a:b]",
    "square": "t * t",
    "squeeze": "pypto.reshape(t, shape)",
    "stack": "pypto.concat of pypto.unsqueeze(t, dim)",
    "std": "pypto.sqrt(pypto.var(t, dim))",
    "subtract": "a - b",
    "swapaxes": "transpose",
    "tril": "tril",
    "true_divide": "a / b",
    "vstack": "concat",
    "zeros_like": "pypto.full(t.shape, 0.0, t.dtype)",
    **dict.fromkeys(("float32", "float", "fp32"), "pypto.DT_FP32"),
    **dict.fromkeys(("float16", "half", "fp16"), "pypto.DT_FP16"),
    **dict.fromkeys(("bfloat16", "bf16"), "pypto.DT_BF16"),
    **{name: f"pypto.DT_{name.upper()}" for name in ("bool", "int8", "uint8", "int16", "int32", "int64")},
}
"""Names of numpy and torch, and the operation of ours or the expression that a kernel writes."""


def instead_of(name: str) -> str:
    """What a kernel writes where another library has ``name``; empty if that is not one operation."""
    written = _INSTEAD.get(name, name)
    ours = OPS.get(written)
    if ours is not None and ours.public:
        return f"pypto.{written}"
    return "" if written == name else written


def refuse_library(library: str, name: str, shape: object = None) -> NoReturn:
    """Stop with PTO165: ``name`` of another library got a Tensor."""
    written = instead_of(name)
    instead = T(f"write {written}", f"请写 {written}")
    if not written:
        instead = T(
            "use operations of pypto, or compute on the host and pass the result as a parameter",
            "请使用 pypto 的操作，或在主机上计算并把结果作为参数传入",
        )
    tensor = T("a Tensor", "Tensor") if shape is None else T(f"a Tensor {shape}", f"Tensor {shape}")
    fail("PTO165", name=f"{library}.{name}", tensor=tensor, instead=instead)


_CALL = re.compile(r"\b\w+\.(\w+)\(")
_FIRST_CALL = re.compile(r"(?:\w+\.)*(\w+)\(")


def text_at(site: Site) -> str:
    """The rest of the line at a place."""
    span = site.span
    return "" if span is None else linecache.getline(span.file, span.line)[span.col :]


def called_at(site: Site) -> str:
    """The name of the function of a module that the text at the place calls, such as ``exp`` in ``np.exp(x)``."""
    match = _CALL.search(text_at(site))
    return match[1] if match is not None else ""


@user_boundary()
def refuse_float(shape: list[Any]) -> NoReturn:
    """``__float__``: a function of math (PTO165), or ``float`` and its like (PTO258), wants a number."""
    match = _FIRST_CALL.match(text_at(current_site()))
    name = match[1] if match is not None else called_at(current_site())
    if callable(getattr(math, name, None)):
        refuse_library("math", name, shape)
    why = T(
        "float() needs a number now, and a Tensor has none while the kernel is traced",
        "float() 此刻就需要数值，而追踪 kernel 时 Tensor 没有数值",
    )
    instead = T(
        "keep it a tensor: operations of pypto take windows of one element, t[a:a+1, b:b+1]",
        "请保持为张量：pypto 的操作可作用于单个元素的窗口 t[a:a+1, b:b+1]",
    )
    fail("PTO258", why=why, instead=instead)


@user_boundary()
def array_function(tensor: Any, function: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> NoReturn:
    """``__array_function__``: numpy asks it before any function of its own works on a Tensor."""
    refuse_library("numpy", getattr(function, "__name__", "function"), list(tensor.shape))


@user_boundary()
def torch_function(cls: type, function: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> NoReturn:
    """``__torch_function__``: torch asks it before any function or operator of its own works on a Tensor."""
    name = getattr(function, "__name__", "function")
    module = getattr(function, "__module__", None) or "torch"
    if any(type(value).__module__.partition(".")[0] == "torch" for value in args if hasattr(value, "shape")):
        hint = T("pass the array to the kernel as a parameter", "请把数组作为参数传给 kernel")
        fail("PTO225", op=name, got="torch.Tensor", hint=hint)
    refuse_library(module if module.startswith("torch.nn") else "torch", name)


@user_boundary()
def array(tensor: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """``__array__``: numpy wants the elements."""
    refuse_library("numpy", "array", list(tensor.shape))
