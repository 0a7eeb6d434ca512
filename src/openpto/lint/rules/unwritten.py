"""Outputs that are never written: PTO411, PTO412, PTO413, and `+=` on an output (PTO770)."""

from __future__ import annotations

import ast

from openpto.lint.functions import every_node
from openpto.lint.hooks import KernelEnd, on
from openpto.lint.values import Tensor
from openpto.lint.walk import Walk


@on(KernelEnd)
def outputs(walk: Walk, end: KernelEnd) -> None:
    """What is left of the parameters when the kernel ends."""
    if not end.parameters:
        return
    told = [
        _rebound(walk, parameter, end.rebound[parameter.name]) for parameter in end.parameters if _lost(end, parameter)
    ]
    if any(told) or not end.complete:
        return
    if not any(parameter.written for parameter in end.parameters) and not _communicates(walk):
        walk.report("PTO411", walk.kernel.node, kernel=walk.kernel.name)
        return
    loaded = {node.id for node in every_node(walk.kernel.node) if isinstance(node, ast.Name)}
    for parameter in end.parameters:
        if parameter.name not in loaded and isinstance(parameter.node, ast.arg):
            walk.report("PTO413", parameter.node, name=parameter.name)


def _lost(end: KernelEnd, parameter: Tensor) -> bool:
    return parameter.name in end.rebound and not parameter.written


def _rebound(walk: Walk, parameter: Tensor, statement: ast.stmt) -> bool:
    """PTO412 for `y = x + 1`; PTO770 for `y += x` whose result nothing uses."""
    if isinstance(statement, ast.Assign) and not parameter.read:
        plain = len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name)
        fix = walk.fix("write-into", statement) if plain else None
        walk.report("PTO412", statement, fix=fix, name=parameter.name)
        return True
    if isinstance(statement, ast.AugAssign) and not _loaded_again(walk, parameter.name):
        walk.report("PTO770", statement, fix=walk.fix("write-into", statement), name=parameter.name)
        return True
    return False


def _loaded_again(walk: Walk, name: str) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) for node in walk.kernel.own
    )


def _communicates(walk: Walk) -> bool:
    """Whether the kernel may write memory of other ranks."""
    return "distributed" in walk.kernel.module.source.text or "shmem" in walk.kernel.module.source.text
