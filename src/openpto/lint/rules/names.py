"""Names and arguments of the API: PTO219 (see expressions.py) and PTO222."""

from __future__ import annotations

from openpto.diagnostics.language import T
from openpto.lint import api
from openpto.lint.calls import near
from openpto.lint.hooks import Call, on_operation
from openpto.lint.walk import Walk

# Operations that read their positional arguments in their own way.
_FREE = frozenset({"zeros", "ones", "arange", "assemble", "cast"})


@on_operation
def arguments(walk: Walk, call: Call) -> None:
    """PTO222: unknown keywords, too many or too few arguments, one argument twice."""
    operation = api.operation(call.name)
    assert operation is not None
    parameters = operation.parameters
    if any(parameter.kind == "packing" for parameter in parameters):
        return
    known = {parameter.name for parameter in parameters} | set(operation.keywords)
    for keyword in call.node.keywords:
        if keyword.arg is not None and keyword.arg not in known:
            close = near(keyword.arg, known)
            hint = T(f" (did you mean {close}?)", f"（是否想写 {close}？）") if close else T("", "")
            fix = walk.fix("rename-keyword", keyword, close) if close else None
            why = T(
                f"got an unexpected keyword argument '{keyword.arg}'{hint.en}",
                f"没有关键字参数 '{keyword.arg}'{hint.zh}",
            )
            walk.report("PTO222", keyword, fix=fix, op=call.name, why=why)
            return
    if not call.complete or call.name in _FREE or any(parameter.kind == "stars" for parameter in parameters):
        return
    positional = [parameter for parameter in parameters if parameter.kind == "positional"]
    given = len(call.node.args) + call.method
    if given > len(positional):
        extra = call.node.args[len(positional) - call.method]
        why = T(
            f"takes {len(positional)} positional arguments but {given} were given",
            f"接受 {len(positional)} 个位置参数，但传入了 {given} 个",
        )
        walk.report("PTO222", extra, op=call.name, why=why)
        return
    missing = [p.name for p in parameters if p.required and p.name not in call.arguments]
    if missing:
        shown = ", ".join(f"'{name}'" for name in missing)
        why = T(f"is missing a required argument: {shown}", f"缺少必需的参数：{shown}")
        walk.report("PTO222", call.node, op=call.name, why=why)
