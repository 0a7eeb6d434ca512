"""Signatures: which parameters are tensors, what they declare, and what is refused."""

import linecache
import sys

import pytest

from openpto.diagnostics import PyptoError, PyptoWarning
from openpto.ir.dtypes import DataType
from openpto.ir.enums import StatusType, TileOpFormat
from openpto.kernel.declaration import spec_of
from openpto.kernel.signature import signature_of
from openpto.language.configuration import configure
from openpto.language.symbolic import SymbolicScalar
from openpto.language.tensor import Tensor

D, S, F32 = StatusType.DYNAMIC, StatusType.STATIC, DataType.DT_FP32


def code(call, *args):
    with pytest.raises(PyptoError) as caught:
        call(*args)
    return caught.value


@pytest.mark.parametrize(
    ("annotation", "text", "dtype"),
    [
        (Tensor(), "[...]", None),
        (Tensor([]), "[...]", None),
        (Tensor([], F32), "[...]", F32),
        (Tensor((), F32), "[...]", F32),
        (Tensor, "[...]", None),
        (Tensor([32, 64], F32), "[32, 64]", F32),
        (Tensor((32, 64), F32), "[32, 64]", F32),
        (Tensor([D, 64], F32), "[DYNAMIC, 64]", F32),
        (Tensor([StatusType.DYN, 64]), "[DYNAMIC, 64]", None),
        (Tensor([S, 64], F32), "[STATIC, 64]", F32),
        (Tensor([-1, 32], F32), "[DYNAMIC, 32]", F32),
        (Tensor([D, ...], F32), "[DYNAMIC, ...]", F32),
        (Tensor([...], F32), "[...]", F32),
        (Tensor([SymbolicScalar("N"), 32], F32), "[N, 32]", F32),
        (Tensor([SymbolicScalar("N") * 2, 32], F32), "[(N*2), 32]", F32),
        (Tensor([SymbolicScalar("N", 8), 32], F32), "[8, 32]", F32),
        (Tensor[[D, 32], F32], "[DYNAMIC, 32]", F32),
        (Tensor[[8, 32], DataType.DT_INT32, TileOpFormat.TILEOP_NZ, "weights"], "[8, 32]", DataType.DT_INT32),
    ],
)
def test_annotation_forms(annotation, text, dtype):
    spec = spec_of(annotation)
    assert (str(spec), spec.dtype) == (text, dtype)


def test_layout_mark():
    assert spec_of(Tensor([16, 16], F32, format=TileOpFormat.TILEOP_NZ)).fmt is TileOpFormat.TILEOP_NZ


def test_parameters_in_order():
    def kernel(x: Tensor([D, 8], F32), out: Tensor([D, 8], F32), n: int, gain: float = 2.0, mode="a"):
        pass

    signature = signature_of(kernel, {})
    assert [p.name for p in signature.tensors] == ["x", "out"]
    assert [(p.name, p.default) for p in signature.values[1:]] == [("gain", 2.0), ("mode", "a")]
    signature.check()


def test_tensors_come_first():
    def kernel(x: Tensor([8], F32), n, out: Tensor([8], F32)):
        pass

    error = code(signature_of, kernel, {})
    assert (error.code, isinstance(error, ValueError)) == ("PTO506", True)
    assert "Non-tensor parameters must come after all tensor parameters." in str(error)
    assert "Found tensor parameter 'out' after non-tensor parameter(s)" in str(error)


def test_tensors_have_no_default():
    def kernel(x: Tensor([8], F32) = None):
        pass

    error = code(signature_of, kernel, {})
    assert "Default values are only allowed for non-tensor parameters." in str(error)


def varargs(x: Tensor([8], F32), *rest): ...
def packing(x: Tensor([8], F32), **rest): ...
def keyword_only(x: Tensor([8], F32), *, n=1): ...
def positional_only(x: Tensor([8], F32), /): ...
def returns(x: Tensor([8], F32)) -> None: ...


@pytest.mark.parametrize(
    ("function", "phrase", "exc"),
    [
        (varargs, "Variable-length arguments (*args) are not supported", NotImplementedError),
        (packing, "Keyword argument packing (**kwargs) is not supported", NotImplementedError),
        (keyword_only, "Keyword-only arguments are not supported", NotImplementedError),
        (positional_only, "Position-only arguments are not supported", NotImplementedError),
        (returns, "Return annotation is not allowed", ValueError),
    ],
)
def test_refused_by_the_first_call(function, phrase, exc):
    signature = signature_of(function, {})
    error = code(signature.check)
    assert isinstance(error, exc)
    assert phrase in str(error)
    assert error.site.span.line == function.__code__.co_firstlineno


POSTPONED = """from __future__ import annotations
import typing
import pypto_tensor_module as m

Alias = m.Tensor

def plain(x: m.Tensor([8, 32], m.F32), n: int = 1, other: missing.Name = None): pass

def factory(rows):
    T = m.Tensor
    def closed(x: T([rows, 32], m.F32)):
        return rows
    return closed, dict(locals())

def quoted(x: "Alias([8], m.F32)", m2: "'int'" = 0): pass
"""


@pytest.fixture
def postponed(monkeypatch):
    module = type(sys)("pypto_tensor_module")
    module.Tensor, module.F32 = Tensor, F32
    monkeypatch.setitem(sys.modules, "pypto_tensor_module", module)
    linecache.cache["<postponed>"] = (len(POSTPONED), None, POSTPONED.splitlines(True), "<postponed>")
    space = {"__name__": "postponed"}
    exec(compile(POSTPONED, "<postponed>", "exec", dont_inherit=True), space)
    return space


def test_annotations_written_as_text_mean_what_they_say(postponed):
    signature = signature_of(postponed["plain"], {})
    assert [(p.name, str(p.spec), p.written_as_text) for p in signature.tensors] == [("x", "[8, 32]", True)]
    assert "missing" in signature.values[1].problem
    with pytest.warns(PyptoWarning, match="Non-tensor parameter 'x' must not be a torch.Tensor"):
        signature.check()


def test_text_sees_names_of_the_factory(postponed):
    closed, names = postponed["factory"](16)
    assert str(signature_of(closed, names).tensors[0].spec) == "[16, 32]"
    signature = signature_of(closed, {})  # T is gone where the factory's names are not given
    assert (signature.tensors, "T" in signature.values[0].problem) == ((), True)


def test_text_in_text(postponed):
    signature = signature_of(postponed["quoted"], {})
    assert [p.name for p in signature.tensors] == ["x"]


@pytest.mark.parametrize("target", ["0.2", "0.3"])
def test_text_under_a_target(postponed, target):
    signature = signature_of(postponed["plain"], {})
    with configure(target=target):
        assert code(signature.check).code == "PTO508"


def test_site_is_the_def_line():
    def decorate(function):
        return function

    @decorate
    @decorate
    def kernel(x: Tensor([8], F32)):
        pass

    line = signature_of(kernel, {}).site.span.line
    assert linecache.getline(__file__, line).strip().startswith("def kernel")
