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
    "concatenate": "concat",
    "divide": "a / b",
    "dot": "matmul",
    "fabs": "abs",
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
def array(tensor: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """``__array__``: numpy wants the elements."""
    refuse_library("numpy", "array", list(tensor.shape))
