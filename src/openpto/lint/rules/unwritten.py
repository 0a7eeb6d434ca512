"""Outputs that are never written: PTO411, PTO412, PTO413, and `+=` on an output (PTO770)."""

from __future__ import annotations

import ast

from openpto.lint.functions import every_node
from openpto.lint.hooks import KernelEnd, Rebinding, on
from openpto.lint.values import Tensor
from openpto.lint.walk import Walk


@on(KernelEnd)
def outputs(walk: Walk, end: KernelEnd) -> None:
    """What is left of the parameters when the kernel ends."""
    if not end.parameters:
        return
    told = [
        _rebound(walk, parameter, end.rebound[parameter])
        for parameter in end.parameters
        if parameter in end.rebound and not parameter.written
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


def _rebound(walk: Walk, parameter: Tensor, seen: Rebinding) -> bool:
    """PTO412 for `y = x + 1`; PTO770 for `y += x` whose result nothing uses. Whether one of them was told."""
    statement = seen.statement
    before, walk.frame = walk.frame, seen.frame
    told = False
    if isinstance(statement, ast.Assign) and not parameter.read:
        plain = len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name)
        fix = walk.fix("write-into", statement) if plain else None
        walk.report("PTO412", statement, fix=fix, name=seen.name)
        told = True
    elif isinstance(statement, ast.AugAssign) and not _loaded_again(seen):
        walk.report("PTO770", statement, fix=walk.fix("write-into", statement), name=seen.name)
        told = True
    walk.frame = before
    return told


def _loaded_again(seen: Rebinding) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == seen.name and isinstance(node.ctx, ast.Load)
        for node in seen.frame.function.own
    )


def _communicates(walk: Walk) -> bool:
    """Whether the kernel may write memory of other ranks."""
    return "distributed" in walk.kernel.module.source.text or "shmem" in walk.kernel.module.source.text
