"""Operators of Tensor, and the ones it does not have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from openpto.diagnostics import T, fail, user_boundary
from openpto.ir.dtypes import DataType
from openpto.ops.matmul import product_type

from .functions import FUNCTIONS as F
from .tensor import Tensor


def _plain(name: str) -> Callable[[Tensor, Any], Any]:
    function = F[name]

    def operator(self: Tensor, other: Any) -> Any:
        return function(self, other)

    return operator


def _reflected_sub(self: Tensor, other: Any) -> Any:
    return F["neg"](F["sub"](self, other))


def _reflected_div(self: Tensor, other: Any) -> Any:
    return F["mul"](F["reciprocal"](self), other)


def _floor_division(self: Tensor, other: Any) -> Any:
    return F["floor"](F["div"](self, other))


@user_boundary()
def _product(self: Tensor, other: Any) -> Any:
    if not isinstance(other, Tensor):
        fail("PTO223", op="matmul", name="mat2", got=type(other).__name__)
    return F["matmul"](self, other, product_type(other.dtype))


def _refused(sign: str, instead: str | T) -> Callable[..., Any]:
    @user_boundary()
    def operator(self: Tensor, *other: Any) -> Any:
        of_conditions = self.dtype is DataType.DT_BOOL
        fail("PTO260", sign=sign, instead=CONDITIONS.get(sign, instead) if of_conditions else instead)

    return operator


CONDITIONS = {
    "&": "pypto.logical_and",
    "|": "pypto.logical_not(pypto.logical_and(pypto.logical_not(a), pypto.logical_not(b)))",
    "^": T(
        "a nested choice: pypto.where(a, pypto.where(b, y, x), pypto.where(b, x, y))",
        "嵌套的选择：pypto.where(a, pypto.where(b, y, x), pypto.where(b, x, y))",
    ),
    "~": "pypto.logical_not",
}
"""What takes the place of operators between tensors of BOOL, which no bitwise operation has."""


def _itself(self: Tensor) -> Tensor:
    return self


def _negated(self: Tensor) -> Any:
    return F["neg"](self)


OPERATORS: dict[str, Callable[..., Any]] = {
    "__add__": _plain("add"),
    "__radd__": _plain("add"),
    "__sub__": _plain("sub"),
    "__rsub__": _reflected_sub,
    "__mul__": _plain("mul"),
    "__rmul__": _plain("mul"),
    "__truediv__": _plain("div"),
    "__rtruediv__": _reflected_div,
    "__floordiv__": _floor_division,
    "__mod__": _plain("remainder"),
    "__pow__": _plain("pow"),
    "__matmul__": _product,
    "__neg__": _negated,
    "__pos__": _itself,
    "__gt__": _plain("greater"),
    "__ge__": _plain("ge"),
    "__lt__": _plain("lt"),
    "__le__": _plain("le"),
    "__eq__": _plain("eq"),
    "__ne__": _plain("ne"),
}
REFUSED: dict[str, tuple[str, str | T]] = {
    "__and__": ("&", T("pypto.logical_and or pypto.bitwise_and", "pypto.logical_and 或 pypto.bitwise_and")),
    "__rand__": ("&", T("pypto.logical_and or pypto.bitwise_and", "pypto.logical_and 或 pypto.bitwise_and")),
    "__or__": ("|", "pypto.bitwise_or"),
    "__ror__": ("|", "pypto.bitwise_or"),
    "__xor__": ("^", "pypto.bitwise_xor"),
    "__rxor__": ("^", "pypto.bitwise_xor"),
    "__invert__": ("~", T("pypto.logical_not or pypto.bitwise_not", "pypto.logical_not 或 pypto.bitwise_not")),
    "__lshift__": ("<<", "pypto.bitwise_left_shift"),
    "__rlshift__": ("<<", "pypto.bitwise_left_shift"),
    "__rshift__": (">>", "pypto.bitwise_right_shift"),
    "__rrshift__": (">>", "pypto.bitwise_right_shift"),
    "__abs__": ("abs()", "pypto.abs"),
    "__round__": ("round()", "pypto.round"),
    "__divmod__": ("divmod()", T("pypto.div and pypto.remainder", "pypto.div 与 pypto.remainder")),
    "__rfloordiv__": (
        "scalar // tensor",
        T("pypto.floor_div of a pypto.full tensor", "对 pypto.full 得到的张量使用 pypto.floor_div"),
    ),
    "__rmod__": ("scalar % tensor", "pypto.remainder"),
    "__rpow__": ("scalar ** tensor", T("pypto.pow of a pypto.full tensor", "对 pypto.full 得到的张量使用 pypto.pow")),
    "__rmatmul__": ("value @ tensor", T("pypto.matmul of two tensors", "对两个张量使用 pypto.matmul")),
}


def install_operators() -> None:
    """Give Tensor its operators; the others stop with PTO260 and say what to write."""
    for name, operator in OPERATORS.items():
        setattr(Tensor, name, operator)
    for name, (sign, instead) in REFUSED.items():
        setattr(Tensor, name, _refused(sign, instead))
    Tensor.__hash__ = None  # type: ignore[assignment]  # setting __eq__ later does not take it away
