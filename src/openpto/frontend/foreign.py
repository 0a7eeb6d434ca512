"""Codes for what Python, numpy and torch refuse in the author's code: unknown names, functions of other libraries."""

from __future__ import annotations

import difflib
import re
from types import ModuleType

from openpto.diagnostics import Site, T, at, fail
from openpto.diagnostics.words import SEE_THE_TABLE, did_you_mean
from openpto.language.libraries import called_at, instead_of, refuse_library
from openpto.language.symbolic import SymbolicScalar
from openpto.language.tensor import Tensor

NUMPY_REFUSES = "__array_ufunc__=None"
COUNTS = re.compile(
    r"^(?:not enough|too many) values to unpack \(expected (?:at least )?(?P<want>\d+)(?:, got (?P<have>\d+))?\)$"
)
NO_SCOPE = re.compile(r"^'(SymbolicScalar|Tensor|bool)' object does not support the context manager protocol")
STORED = re.compile(r"^'(?:Tensor|SymbolicScalar)' object has no attribute '\w+'")
NO_ENTRIES = re.compile(r"^cannot unpack non-iterable (\w+) object$")
TORCH_REFUSES = re.compile(r"^(\w+)\(\): .* must be .*Tensor.*, not Tensor$")
PROTOCOLS = re.compile(
    r"(?:^'(?P<a>\w+)' object (?:is not|does not support|doesn't support)"
    r"|^object of type '(?P<b>\w+)' has no len|^argument of type '(?P<c>\w+)' is not|unhashable type: '(?P<d>\w+)'"
    r"|^unsupported format string passed to (?P<e>\w+)\.__format__|^bad operand type for .*: '(?P<f>\w+)'$"
    r"|^type (?P<g>\w+) doesn't define __\w+__ method|^loop of ufunc does not support argument \d+ of type (?P<h>\w+))"
)
"""What Python and numpy say of a value that lacks a protocol."""
OPERATION = re.compile(r"^unsupported operand type\(s\) for (?P<op>.+): '(?P<a>\w+)' and '(?P<b>\w+)'$")
ASKED = {
    "Tensor": T(
        "it has no contents while the kernel is traced: use t.shape, windows and operations; to see values, "
        "pypto.pass_verify_print(t); as a key, its name or its number",
        "追踪 kernel 时它没有内容：请使用 t.shape、窗口和操作；查看数值用 pypto.pass_verify_print(t)；作键用名称或编号",
    ),
    "SymbolicScalar": T(
        "it is one integer: it has + - * // %, comparisons, min and max; t[i, :] and pypto.view read a tensor where it "
        "says, and str(i) is its text",
        "它是一个整数：支持 + - * // %、比较、min 和 max；t[i, :] 与 pypto.view 按它读取张量；str(i) 是其文本",
    ),
}
"""What to do instead, by the type of the value."""
INSTEAD: dict[str, str | T] = {
    "T": "pypto.transpose(t, 0, 1)",
    "abs": "pypto.abs(t)",
    "astype": "pypto.cast(t, dtype)",
    "cpu": T("the array outside of the kernel", "kernel 之外的数组"),
    "contiguous": T("the tensor itself: tiles are contiguous", "张量本身：tile 是连续的"),
    "detach": T("the tensor itself: a kernel records no gradients", "张量本身：kernel 不记录梯度"),
    "expand": "pypto.expand_clone(t, shape)",
    "flatten": "pypto.reshape(t, [n])",
    "float": "pypto.cast(t, pypto.DT_FP32)",
    "half": "pypto.cast(t, pypto.DT_FP16)",
    "item": T("t[i, j], an element of an integer tensor", "整数张量的元素 t[i, j]"),
    "max": "t.amax(dim)",
    "mean": "t.sum(dim) * (1.0 / n)",
    "min": "t.amin(dim)",
    "ndim": "t.dim",
    "numpy": T("the array outside of the kernel", "kernel 之外的数组"),
    "size": "t.shape",
    "squeeze": "pypto.reshape(t, shape)",
    "t": "pypto.transpose(t, 0, 1)",
    "tolist": T("the array outside of the kernel", "kernel 之外的数组"),
    "to": "pypto.cast(t, dtype)",
    "type_as": "pypto.cast(t, dtype)",
}
"""Attributes of arrays of other libraries, and what a kernel writes."""


_PARTS = frozenset({"values", "indices"})
_A_LIST = T(
    "several results are a list: values, indices = pypto.topk(t, k)",
    "多个结果是列表：values, indices = pypto.topk(t, k)",
)


def refuse(error: AttributeError | TypeError | ValueError, site: Site) -> None:
    """Stop with a code if the error is one of unpacking, or concerns tensors, symbols or modules of ours (PTO155,
    PTO158, PTO165, PTO166, PTO205, PTO219, PTO258)."""
    if isinstance(error, AttributeError):
        _refuse_attribute(error, site)
    elif isinstance(error, ValueError):
        _refuse_count(str(error), site)
    else:
        _refuse_library(str(error), site)


def _refuse_attribute(error: AttributeError, site: Site) -> None:
    owner, name = getattr(error, "obj", None), getattr(error, "name", None)
    if name == "__enter__" or str(error) == "__enter__":  # before Python 3.11
        fail("PTO166", site=site, got=type(owner).__name__ if owner is not None else "the value")
    if not isinstance(name, str):
        stored = STORED.match(str(error))
        if stored is not None:
            fail("PTO219", site=site, text=str(error), hint=T("keep it in a name of your own", "请用自己的变量保存"))
        return
    if type(owner) is list and name in _PARTS and owner and all(isinstance(part, Tensor) for part in owner):
        fail("PTO219", site=site, text=str(error), hint=_A_LIST)
    of_ours = isinstance(owner, ModuleType) and owner.__name__.split(".")[0] == "pypto"
    if of_ours or isinstance(owner, (Tensor, SymbolicScalar)):
        fail("PTO219", site=site, text=str(error), hint=_hint(owner, name))


def _hint(owner: object, name: str) -> T:
    known = [n for n in dir(owner) if not n.startswith("_")]
    if isinstance(owner, Tensor) and name in INSTEAD:
        written = INSTEAD[name]
        both = written if isinstance(written, T) else T(written, written)
        return T(f"use {both.en}", f"请使用 {both.zh}")
    written = "" if isinstance(owner, SymbolicScalar) else instead_of(name)
    if written:
        return T(f"use {written}", f"请使用 {written}")
    if isinstance(owner, SymbolicScalar) and name in ("item", "value"):
        return T(
            "use it as it is: it is the number already, known when the kernel runs",
            "请直接使用：它就是该数值，在 kernel 运行时得知",
        )
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
    if near:
        return did_you_mean(", ".join(near))
    return SEE_THE_TABLE


def _refuse_count(text: str, site: Site) -> None:
    match = COUNTS.match(text)
    if match is None:
        return
    want = match["want"]
    fail("PTO155", site=site, want=want, have=match["have"] or f"more than {want}")


def _refuse_library(text: str, site: Site) -> None:
    unpacked = NO_ENTRIES.match(text)
    if unpacked is not None:
        fail("PTO158", site=site, got=unpacked[1])
    managed = NO_SCOPE.match(text)
    if managed is not None:
        fail("PTO166", site=site, got=managed[1])
    torch_function = TORCH_REFUSES.match(text)
    asked = PROTOCOLS.search(text)
    kind = next((g for g in asked.groups() if g), "") if asked is not None else ""
    if kind in ASKED:
        fail("PTO258", site=site, why=text, instead=ASKED[kind])
    operation = OPERATION.match(text)
    if operation is not None and "SymbolicScalar" in operation.groups():
        got = operation["b"] if operation["a"] == "SymbolicScalar" else operation["a"]
        fail("PTO205", site=site, op=operation["op"], got=got, value="")
    with at(site):
        if torch_function is not None:
            refuse_library("torch", torch_function[1])
        if NUMPY_REFUSES in text:
            refuse_library("numpy", called_at(site) or "ufunc")
