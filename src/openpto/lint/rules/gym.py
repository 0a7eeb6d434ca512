"""Conventions of an operator collection for kernel files: PTO701 to PTO762 (OL01 to OL62), off by default."""

from __future__ import annotations

import ast
from pathlib import PurePath

from openpto.diagnostics.language import T
from openpto.lint.frames import keyword
from openpto.lint.functions import Function, every_node, own_nodes
from openpto.lint.hooks import Binary, Call, Iteration, KernelEnd, on, on_call, on_function, on_module, on_operation
from openpto.lint.integers import Int
from openpto.lint.judge import Look
from openpto.lint.parameters import annotation_parts, as_written, kind_of
from openpto.lint.rules.jit import calls_of_kernels
from openpto.lint.rules.syntax import LOOPS
from openpto.lint.scopes import scope_of
from openpto.lint.values import Const, List, Loop, Tensor, Tuple, items_of, number
from openpto.lint.walk import Walk

NARROW = frozenset({"DT_FP16", "DT_BF16", "DT_FP8", "DT_FP8E4M3", "DT_FP8E5M2", "DT_HF8"})
MARKS = frozenset({"pypto.DYNAMIC", "pypto.DYN"})
TORCH_ARITHMETIC = frozenset({
    "abs", "add", "addmm", "amax", "bmm", "clamp", "cos", "cumsum", "div", "einsum", "exp", "log", "matmul", "max",
    "mean", "min", "mm", "mul", "neg", "pow", "relu", "rsqrt", "sigmoid", "sin", "softmax", "sort", "sqrt", "sub",
    "sum", "tanh", "topk", "where",
})  # fmt: skip


def role(path: str) -> str:
    """What a file is by its name: "test", "golden" or "impl"."""
    name = PurePath(path).name
    if name.startswith("test_") or name.endswith("_test.py"):
        return "test"
    return "golden" if name.removesuffix(".py").endswith("golden") else "impl"


def is_impl(look: Look) -> bool:
    return bool(look.module.kernels) and role(look.module.source.path) == "impl"


@on_module
def kernels(look: Look) -> None:
    """PTO701, PTO705, PTO708, PTO725, PTO729: the kernels of a file and their signatures."""
    if not (is_impl(look) and any(map(look.applies, ("PTO701", "PTO705", "PTO708", "PTO725", "PTO729")))):
        return
    found = look.module.kernels
    for kernel in found:
        if not any(_literal_jit(decorator) for decorator in kernel.node.decorator_list):
            why = T("its decorator is not written @pypto.frontend.jit", "它的装饰器没有写作 @pypto.frontend.jit")
            look.report("PTO701", kernel.node, name=kernel.name, why=why)
    for kernel in found[1:]:
        why = T(f"the file has {found[0].name} already", f"文件中已有 {found[0].name}")
        look.report("PTO701", kernel.node, name=kernel.name, why=why)
    names = [function.name for function in look.module.functions if function.outer is None]
    if not any(name.endswith("_wrapper") for name in names):
        look.report("PTO708", found[0].node, name=found[0].name.removesuffix("_kernel_npu"))
    dynamic = [_annotations(look, kernel) for kernel in found]
    if not any(dynamic):
        look.report("PTO729", found[0].node)


def _literal_jit(decorator: ast.expr) -> bool:
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(node) == "pypto.frontend.jit"


def _annotations(look: Look, kernel: Function) -> bool:
    """PTO705 and PTO725 of one kernel; whether an extent is DYNAMIC, or may be."""
    scope = scope_of(kernel)
    dynamic = False
    for parameter in kernel.parameters:
        if parameter.annotation is None:
            look.report("PTO705", parameter, name=parameter.arg)
            continue
        kind = kind_of(parameter.annotation, scope)
        if kind != "tensor":
            dynamic = dynamic or kind == "unknown"
            continue
        shape, dtype = annotation_parts(as_written(parameter.annotation, scope))
        if shape is None or (isinstance(shape, (ast.List, ast.Tuple)) and not shape.elts):
            look.report("PTO725", parameter, name=parameter.arg, what=T("no shape", "没有 shape"))
        elif dtype is None:
            look.report(
                "PTO725", parameter, name=parameter.arg, what=T("a shape and no dtype", "有 shape 而没有 dtype")
            )
        if shape is not None:
            parts = [shape.value] if isinstance(shape, ast.Starred) else every_node(shape)
            dynamic = dynamic or any(_maybe_dynamic(look, part) for part in parts)
    return dynamic


def _maybe_dynamic(look: Look, node: ast.AST) -> bool:
    if isinstance(node, ast.UnaryOp):
        return True
    if isinstance(node, (ast.Name, ast.Attribute)):
        path = look.path_of(node)
        return path in MARKS or (not path and isinstance(node, ast.Name) and node.id != "pypto")
    return False


@on_module
def imports(look: Look) -> None:
    """PTO707: other forms of import."""
    if not (is_impl(look) and look.applies("PTO707")):
        return
    for node in look.module.nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] == "pypto" and (alias.asname or "." in alias.name):
                    look.report("PTO707", node, form=ast.unparse(node))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "pypto":
            look.report("PTO707", node, form=ast.unparse(node))


@on_module
def wrappers(look: Look) -> None:
    """PTO745, PTO758, PTO762: what the functions around a kernel do."""
    if not (is_impl(look) and any(map(look.applies, ("PTO745", "PTO758", "PTO762")))):
        return
    for function in look.module.functions:
        if function.kind == "kernel" or function.outer is not None:
            continue
        hosts = _is_host(function)
        for node in function.own:
            path = look.path_of(node.func) if isinstance(node, ast.Call) else ""
            if hosts and path in ("pypto.zeros", "pypto.ones", "pypto.full", "pypto.empty"):
                look.report("PTO758", node, op=path.removeprefix("pypto."), name=function.name)
            if hosts and path.startswith("torch.") and path.rpartition(".")[2] in TORCH_ARITHMETIC:
                look.report("PTO762", node, op=path.removeprefix("torch."), name=function.name)
    _host_loops(look)


def _is_host(function: Function) -> bool:
    """Whether a function is, by its name, one that calls a kernel."""
    return function.name.endswith("_wrapper") or function.name.startswith(("launch_", "run_"))


def _host_loops(look: Look) -> None:
    hosts = [function for function in look.module.functions if _is_host(function)]
    if not hosts:
        return
    called = {id(call): kernel for call, kernel, _ in calls_of_kernels(look.module)}
    for function in hosts:
        for loop in (node for node in function.own if isinstance(node, (ast.For, ast.While))):
            for node in own_nodes(loop.body):
                if id(node) in called:
                    look.report("PTO745", node, name=function.name, kernel=called[id(node)].name)


@on(KernelEnd)
def loops_of_kernel(walk: Walk, end: KernelEnd) -> None:
    """PTO723: no loop on any way through the kernel."""
    if end.complete and not walk.looped and role(walk.kernel.module.source.path) == "impl":
        walk.report("PTO723", walk.kernel.node, name=walk.kernel.name)


@on_call("sigmoid", "softmax", "sin", "cos")
def narrow(walk: Walk, call: Call) -> None:
    """PTO728: functions that lose digits in 16 bits."""
    tensor = call.tensor("input")
    if tensor is not None and tensor.dtype in NARROW:
        walk.report("PTO728", call.node, op=call.name, dtype=tensor.dtype)


@on(Iteration)
def nested_loops(walk: Walk, seen: Iteration) -> None:
    """PTO746: a loop of one around loops; PTO749: unroll_list on an outer loop; PTO756: several factors."""
    if not isinstance(seen.iterable, Loop) or seen.iterable.kind == "range":
        return
    for outer in walk.loops:
        if outer.loop.bounds == (Int(1),):
            walk.report("PTO746", outer.loop.call)
        if keyword(outer.loop.call, "unroll_list") is not None and outer.loop.kind == "loop":
            walk.report("PTO749", outer.loop.call, line=seen.node.lineno)
    factors = keyword(seen.iterable.call, "unroll_list")
    if isinstance(factors, (ast.List, ast.Tuple)) and len(factors.elts) > 1:
        walk.report("PTO756", factors, count=len(factors.elts))


@on_function
def steps(look: Look, function: Function) -> None:
    """PTO747: a tile at the top of a function that calls several steps."""
    if not look.applies("PTO747") or role(look.module.source.path) != "impl":
        return
    called = [n.func.id for n in function.own if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    parts = [name for name in dict.fromkeys(called) if name.startswith("pypto_")]
    first = [s.value for s in function.node.body if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call)]
    sets = [call for call in first if look.path_of(call.func) == "pypto.set_vec_tile_shapes"]
    if len(parts) >= 2 and sets:
        look.report("PTO747", sets[0], name=function.name, count=len(parts), steps=", ".join(parts))


@on_call("set_vec_tile_shapes", "set_cube_tile_shapes")
def literals(walk: Walk, call: Call) -> None:
    """PTO748: tile values that are neither ints nor names for ints."""
    if not walk.applies("PTO748"):
        return
    for argument in call.arguments.values():
        entries = argument.node.elts if isinstance(argument.node, (ast.List, ast.Tuple)) else [argument.node]
        values = items_of(argument.value) if isinstance(argument.value, (List, Tuple)) else (argument.value,)
        for node, value in zip(entries, values or (None,) * len(entries), strict=False):
            known = value is not None and (number(value) is not None or isinstance(value, Const))
            if not known:
                walk.report("PTO748", node, text=walk.frame.function.module.source.segment(node)[:40])


@on_function
def other_loops(look: Look, function: Function) -> None:
    """PTO757: loops that are run by Python while the kernel is traced."""
    if not look.applies("PTO757") or role(look.module.source.path) != "impl":
        return
    for node in function.own:
        what: T | None = None
        if isinstance(node, ast.While):
            what = T("while", "while")
        elif isinstance(node, ast.For):
            path = look.path_of(node.iter.func) if isinstance(node.iter, ast.Call) else ""
            ranged = isinstance(node.iter, ast.Call) and getattr(node.iter.func, "id", "") == "range"
            if path not in LOOPS and not ranged:
                what = T("a for over other things", "遍历其他对象的 for")
        elif isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)):
            operations = (look.path_of(n.func) for n in every_node(node) if isinstance(n, ast.Call))
            if any(path.startswith("pypto.") for path in operations):
                what = T("a comprehension of operations", "由操作组成的推导式")
        if what is not None:
            look.report("PTO757", node, what=what, name=function.name)


@on_operation
def operand_forms(walk: Walk, call: Call) -> None:
    """PTO761: a scalar first, an Element beside a tensor, a dtype by position."""
    if call.name in ("add", "sub", "mul", "div"):
        first = call.value("input")
        if isinstance(first, (Int, Const)):
            walk.report(
                "PTO761",
                call.node,
                what=T(f"{call.name} of a number and a tensor", f"以数值为第一操作数的 {call.name}"),
            )
        other = call.arguments.get("other")
        if other is not None and isinstance(other.node, ast.Call):
            if walk.frame.function.module.path_of(other.node.func) in ("pypto.Element", "pypto.element"):
                walk.report("PTO761", other.node, what=T(f"an Element in {call.name}", f"{call.name} 中的 Element"))
    elif call.name in ("zeros", "ones"):
        for part in call.node.args:
            if walk.frame.function.module.path_of(part).startswith("pypto.DT_"):
                walk.report(
                    "PTO761",
                    part,
                    what=T(f"the dtype of {call.name} by position", f"以位置参数传入的 {call.name} 的 dtype"),
                )


@on(Binary)
def operator_forms(walk: Walk, seen: Binary) -> None:
    """PTO761 of `2.0 / x`."""
    if seen.name == "div" and isinstance(seen.left, (Int, Const)) and isinstance(seen.right, Tensor):
        walk.report("PTO761", seen.node, what=T("a number divided by a tensor", "数值除以张量"))
