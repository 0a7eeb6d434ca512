"""Conventions of an operator collection for goldens and tests: PTO715 to PTO722, PTO742, PTO760, off by default."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from openpto.diagnostics.language import T
from openpto.lint.functions import called_name
from openpto.lint.hooks import on_module
from openpto.lint.judge import Look
from openpto.lint.rules.gym import is_impl, role

COMPARISONS = ("assert_allclose", "assert_close", "detailed_tensor_compare")
SEEDS = ("manual_seed", "seed", "default_rng")


@on_module
def goldens(look: Look) -> None:
    """PTO715: pypto in a golden, and `.T`."""
    if role(look.module.source.path) != "golden":
        return
    for node, module in imported(look):
        if module.partition(".")[0] == "pypto":
            look.report("PTO715", node, what="import pypto")
    for inner in look.module.nodes:
        if isinstance(inner, ast.Attribute) and inner.attr == "T":
            look.report("PTO715", inner, what=".T")
        elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr == "t":
            look.report("PTO715", inner, what=".t()")


def imported(look: Look) -> Iterator[tuple[ast.stmt, str]]:
    """The modules that a file imports, with the statement."""
    for node in look.module.nodes:
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node, node.module or ""
            yield from ((node, f"{node.module}.{alias.name}") for alias in node.names if node.module)


@on_module
def kernel_files(look: Look) -> None:
    """PTO716: a kernel file that imports a golden."""
    if not is_impl(look):
        return
    told: set[int] = set()
    for node, module in imported(look):
        if module.rpartition(".")[2].endswith("golden") and id(node) not in told:
            told.add(id(node))
            look.report("PTO716", node, module=module)


@on_module
def tests(look: Look) -> None:
    """PTO717 to PTO722, PTO742 and PTO760 of a test of an operator: a test that imports a golden or a kernel file."""
    if role(look.module.source.path) != "test":
        return
    modules = [module for _, module in imported(look)]
    golden = [module for module in modules if "golden" in module.rpartition(".")[2]]
    impl = [module for module in modules if module.rpartition(".")[2].endswith(("_impl", "_wrapper", "kernel_npu"))]
    for kernel in look.module.kernels:
        look.report("PTO717", kernel.node, name=kernel.name)
    if not golden and not impl:
        return
    first = look.module.source.tree.body[0]
    if not (golden and impl):
        look.report("PTO718", first, missing="golden" if impl else T("kernel file", "kernel 文件"))
    _contents(look, first)
    if impl and not _reaches(look):
        look.report("PTO760", first)


def _contents(look: Look, first: ast.stmt) -> None:
    names = {called_name(node.func) for node in look.module.nodes if isinstance(node, ast.Call)}
    if not names & set(COMPARISONS):
        look.report("PTO719", first)
    for word in ("TILE_FWK_DEVICE_ID", "set_device"):
        if word not in look.module.source.text:
            look.report("PTO720", first, what=word)
            break
    tested = " ".join(function.name for function in look.module.functions)
    for level, words in (
        (T("level 0", "level 0 测试"), ("level0", "_l0", "p0")),
        (T("level 1", "level 1 测试"), ("level1", "_l1", "p1")),
    ):
        if not any(word in tested for word in words):
            look.report("PTO721", first, missing=level)
            break
    if not names & set(SEEDS):
        look.report("PTO722", first)
    for node in look.module.nodes:
        if isinstance(node, ast.keyword) and node.arg in ("default", "run_mode"):
            if isinstance(node.value, ast.Constant) and node.value.value == "sim":
                look.report("PTO742", node, what=f'{node.arg}="sim"')


def _reaches(look: Look) -> bool:
    """Whether anything that comes from a kernel file is called."""
    for node in look.module.nodes:
        if isinstance(node, ast.Call):
            path = look.path_of(node.func)
            owner = path.rpartition(".")[0].rpartition(".")[2]
            if owner.endswith("_impl") or path.endswith(("_wrapper", "kernel_npu")):
                return True
    return False
