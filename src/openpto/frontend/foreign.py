"""Codes for what Python, numpy and torch refuse in the author's code: unknown names, functions of other libraries."""

from __future__ import annotations

import difflib
import re
from types import ModuleType

from openpto.diagnostics import Site, fail
from openpto.language.symbolic import SymbolicScalar
from openpto.language.tensor import Tensor

NUMPY_REFUSES = "__array_ufunc__=None"
TORCH_REFUSES = re.compile(r"^(\w+)\(\): .* must be .*Tensor.*, not Tensor$")
INSTEAD = {
    "T": "pypto.transpose(t, 0, 1)",
    "abs": "pypto.abs(t)",
    "astype": "pypto.cast(t, dtype)",
    "contiguous": "the tensor itself: tiles are contiguous",
    "expand": "pypto.expand_clone(t, shape)",
    "flatten": "pypto.reshape(t, [n])",
    "float": "pypto.cast(t, pypto.DT_FP32)",
    "half": "pypto.cast(t, pypto.DT_FP16)",
    "item": "t[i, j], an element of an integer tensor",
    "max": "t.amax(dim)",
    "mean": "t.sum(dim) * (1.0 / n)",
    "min": "t.amin(dim)",
    "ndim": "t.dim",
    "numpy": "the array outside of the kernel",
    "size": "t.shape",
    "squeeze": "pypto.reshape(t, shape)",
    "t": "pypto.transpose(t, 0, 1)",
    "to": "pypto.cast(t, dtype)",
    "type_as": "pypto.cast(t, dtype)",
}
"""Attributes of arrays of other libraries, and what a kernel writes."""


def refuse(error: AttributeError | TypeError, site: Site) -> None:
    """Stop with a code if the error is one that concerns tensors, symbols or modules of ours (PTO219, PTO258)."""
    if isinstance(error, AttributeError):
        _refuse_attribute(error, site)
    else:
        _refuse_library(str(error), site)


def _refuse_attribute(error: AttributeError, site: Site) -> None:
    owner, name = getattr(error, "obj", None), getattr(error, "name", None)
    if not isinstance(name, str):
        return
    of_ours = isinstance(owner, ModuleType) and owner.__name__.split(".")[0] == "pypto"
    if of_ours or isinstance(owner, (Tensor, SymbolicScalar)):
        fail("PTO219", site=site, text=str(error), hint=_hint(owner, name))


def _hint(owner: object, name: str) -> str:
    known = [n for n in dir(owner) if not n.startswith("_")]
    if isinstance(owner, Tensor) and name in INSTEAD:
        return f"use {INSTEAD[name]}"
    if isinstance(owner, SymbolicScalar) and name in ("item", "value"):
        return "use it as it is: it is the number already, known when the kernel runs"
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
    if near:
        return f"did you mean: {', '.join(near)}"
    return "the table of public names in the documentation lists what there is"


def _refuse_library(text: str, site: Site) -> None:
    torch_function = TORCH_REFUSES.match(text)
    if torch_function is not None:
        name = torch_function[1]
        fail("PTO258", site=site, why=f"torch.{name} computes on tensors of torch; use pypto.{name} or its like")
    if NUMPY_REFUSES in text:
        fail("PTO258", site=site, why="numpy computes on arrays; use the operation of pypto of that name")
