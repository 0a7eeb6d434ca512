"""What to write where an integer is needed and something else came (PTO201)."""

from __future__ import annotations

from openpto.diagnostics import T

_INSTEAD = {
    "range": T(
        "pass the bound itself: pypto.loop(n), not pypto.loop(range(n))",
        "请直接传入边界：pypto.loop(n)，而不是 pypto.loop(range(n))",
    ),
    "float": T(
        "write int(...) around a float that is whole, // instead of /",
        "整数值的浮点数请写 int(...)，除法请用 // 而不是 /",
    ),
    "Tensor": T(
        "read one element, t[i, j]; pypto.min and pypto.max of tensors are pypto.minimum and pypto.maximum",
        "请读取一个元素 t[i, j]；张量的 pypto.min 与 pypto.max 是 pypto.minimum 与 pypto.maximum",
    ),
    "StatusType": T(
        "use the extent, x.shape[0]: marks stand in annotations only",
        "请使用长度 x.shape[0]：标记只用于注解",
    ),
    "list": T("pass the numbers one by one, without a list", "请逐个传入数字，不要用列表"),
    "tuple": T("pass the numbers one by one, without a tuple", "请逐个传入数字，不要用元组"),
}
_OTHER = T(
    "pass an int, or a SymbolicScalar such as x.shape[0]",
    "请传入 int，或 x.shape[0] 这样的 SymbolicScalar",
)


def integer_instead(got: str) -> T:
    """What to write instead of a value whose type has this name."""
    return _INSTEAD.get(got, _OTHER)
