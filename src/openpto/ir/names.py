"""How the author calls the tensors of a kernel, for messages."""

from __future__ import annotations

from openpto.diagnostics import assigned_name

from .nodes import Block, If, Kernel, Loop, Op, Value

UNNAMED = "a tensor"


def tensor_names(kernel: Kernel) -> dict[int, str]:
    """Names by ``Value.var``: of parameters, of tensors that were given one, of results that a statement names."""
    names = {param.value.var: param.name for param in kernel.params}
    _collect(kernel.body, names)
    return names


def _collect(block: Block, names: dict[int, str]) -> None:
    for stmt in block.body:
        if isinstance(stmt, Op):
            for result in stmt.results:
                if isinstance(result, Value) and result.var not in names:
                    name = result.name or assigned_name(stmt.site.span)
                    if name:
                        names[result.var] = name
        elif isinstance(stmt, Loop):
            _collect(stmt.body, names)
        elif isinstance(stmt, If):
            _collect(stmt.then, names)
            _collect(stmt.other, names)
