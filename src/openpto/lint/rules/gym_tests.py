"""Conventions of an operator collection for goldens and tests: PTO711 to PTO722, PTO742, PTO760, off by default."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from openpto.diagnostics.language import T
from openpto.lint.functions import called_name, own_nodes
from openpto.lint.hooks import on_module
from openpto.lint.judge import Look
from openpto.lint.rules.gym import is_impl, role

COMPARISONS = ("assert_allclose", "assert_close", "detailed_tensor_compare")
_FILES = frozenset({"open", "torch.load", "numpy.load", "numpy.fromfile", "numpy.loadtxt"})
_ENDS = frozenset({"input", "exit", "quit", "breakpoint", "sys.exit", "os.system", "os._exit", "time.sleep"})
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


@on_module
def importable(look: Look) -> None:
    """PTO711: what a golden does beside defining its function when it is imported."""
    if role(look.module.source.path) != "golden" or not look.applies("PTO711"):
        return
    own = {function.name for function in look.module.functions if function.outer is None}
    for statement in look.module.source.tree.body:
        if isinstance(statement, ast.If) and "__name__" in ast.dump(statement.test):
            continue
        for node in own_nodes([statement]):
            what = _work(look, node, own)
            if what is not None:
                look.report("PTO711", node, what=what)


def _work(look: Look, node: ast.AST, own: set[str]) -> T | None:
    """What a node of the module's own code does, if a golden should not do it at import."""
    if isinstance(node, ast.While):
        return T("runs a loop without a bound", "运行没有上限的循环")
    if (
        isinstance(node, ast.ImportFrom)
        and node.level
        and not Path(look.module.source.path).with_name("__init__.py").exists()
    ):
        return T("needs a package, which its folder is not", "需要包，而其所在目录不是包")
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name):
        if node.value.func.id in own:
            name = node.value.func.id
            return T(f"calls {name}", f"调用 {name}")
    if not isinstance(node, ast.Call):
        return None
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    path = look.path_of(node.func) or ("" if name in look.module.bound_names else name)
    if path in _FILES:
        return T("reads a file", "读取文件")
    if path in _ENDS or path.startswith(("subprocess.", "requests.", "urllib.")):
        return T(f"calls {path}", f"调用 {path}")
    if isinstance(node.func, ast.Attribute) and node.func.attr == "parse_args":
        return T("reads the arguments of the command", "读取命令行参数")
    return None


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
