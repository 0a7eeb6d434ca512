"""Words that more than one room fills into the texts of rules, in both languages."""

from __future__ import annotations

from openpto.diagnostics.language import T

SLICE = T("a slice", "切片")


def extent_of_slice(start: str, stop: str) -> T:
    """What PTO234 calls the extent of a slice between two bounds, which may hold symbols."""
    return T(f"the extent of [{start}:{stop}]", f"[{start}:{stop}] 的长度")


def line(number: object) -> T:
    """A line of the source."""
    return T(f"line {number}", f"第 {number} 行")


def both(*values: object) -> T:
    """Values, two most often, that do not fit each other."""
    return T(" and ".join(map(str, values)), " 和 ".join(map(str, values)))


def did_you_mean(names: str) -> T:
    """What PTO219 advises where names that exist are near the one that does not."""
    return T(f"did you mean: {names}", f"是否想写：{names}")


SEE_THE_TABLE = T(
    "the table of public names in the documentation lists what there is", "文档中的公开名称表列出了全部名称"
)
TRANSPOSE = T("use pypto.transpose", "请使用 pypto.transpose")
A_TEXT = T("a text is no number", "文本不是数值")

_ASYNCHRONOUS = T("kernels are not asynchronous", "kernel 不是异步函数")
_ERRORS = T(
    "errors cannot be handled while a kernel is traced; let them stop the trace",
    "追踪 kernel 时不能处理异常；请让异常中止追踪",
)
_IMPORT = T("import at the top of the module", "请在模块开头 import")
_LIST = T("return a list instead", "请改为返回列表")
_RETURN = T("return the value, or pass a container", "请返回该值，或传入容器")

STATEMENTS = {
    "Try": _ERRORS,
    "TryStar": _ERRORS,
    "Import": _IMPORT,
    "ImportFrom": _IMPORT,
    "ClassDef": T("define the class outside of the kernel", "请在 kernel 之外定义类"),
    "Global": _RETURN,
    "Nonlocal": _RETURN,
    "Yield": _LIST,
    "YieldFrom": _LIST,
    "Await": _ASYNCHRONOUS,
    "AsyncFor": _ASYNCHRONOUS,
    "AsyncWith": _ASYNCHRONOUS,
    "AsyncFunctionDef": _ASYNCHRONOUS,
}
"""Names of the nodes that no kernel holds (PTO110), and what to write instead."""

EMPTY_RAISE = T("Raise without an exception", "不带异常的 Raise")
RAISE_OBJECT = T("raise an exception object", "请抛出一个异常对象")
