"""Codes for what Python, numpy and torch refuse in the author's code: unknown names, functions of other libraries."""

from __future__ import annotations

import difflib
import linecache
import re
from types import ModuleType

from openpto.diagnostics import Site, T, at, fail
from openpto.diagnostics.words import SEE_THE_TABLE, did_you_mean
from openpto.language.libraries import refuse_library
from openpto.language.symbolic import SymbolicScalar
from openpto.language.tensor import Tensor

NUMPY_REFUSES = "__array_ufunc__=None"
CALL = re.compile(r"\b\w+\.(\w+)\(")
COUNTS = re.compile(
    r"^(?:not enough|too many) values to unpack \(expected (?:at least )?(?P<want>\d+)(?:, got (?P<have>\d+))?\)$"
)
NO_SCOPE = re.compile(r"^'(SymbolicScalar|Tensor|bool)' object does not support the context manager protocol")
STORED = re.compile(r"^'(?:Tensor|SymbolicScalar)' object has no attribute '\w+'")
NO_ENTRIES = re.compile(r"^cannot unpack non-iterable (\w+) object$")
TORCH_REFUSES = re.compile(r"^(\w+)\(\): .* must be .*Tensor.*, not Tensor$")
INSTEAD: dict[str, str | T] = {
    "T": "pypto.transpose(t, 0, 1)",
    "abs": "pypto.abs(t)",
    "astype": "pypto.cast(t, dtype)",
    "contiguous": T("the tensor itself: tiles are contiguous", "张量本身：tile 是连续的"),
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
    "to": "pypto.cast(t, dtype)",
    "type_as": "pypto.cast(t, dtype)",
}
"""Attributes of arrays of other libraries, and what a kernel writes."""


def refuse(error: AttributeError | TypeError | ValueError, site: Site) -> None:
    """Stop with a code if the error is one of unpacking, or concerns tensors, symbols or modules of ours (PTO155,
    PTO158, PTO165, PTO219)."""
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
    of_ours = isinstance(owner, ModuleType) and owner.__name__.split(".")[0] == "pypto"
    if of_ours or isinstance(owner, (Tensor, SymbolicScalar)):
        fail("PTO219", site=site, text=str(error), hint=_hint(owner, name))


def _hint(owner: object, name: str) -> T:
    known = [n for n in dir(owner) if not n.startswith("_")]
    if isinstance(owner, Tensor) and name in INSTEAD:
        written = INSTEAD[name]
        both = written if isinstance(written, T) else T(written, written)
        return T(f"use {both.en}", f"请使用 {both.zh}")
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
    with at(site):
        if torch_function is not None:
            refuse_library("torch", torch_function[1])
        if NUMPY_REFUSES in text:
            refuse_library("numpy", _called(site) or "ufunc")


def _called(site: Site) -> str:
    """The name of the function of a module that the text at the place calls, such as ``exp`` in ``np.exp(x)``."""
    span = site.span
    line = "" if span is None else linecache.getline(span.file, span.line)[span.col :]
    match = CALL.search(line)
    return match[1] if match is not None else ""
