"""PTO585-586, PTO595-599: what the `pypto` command is asked for."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register

_TRACED = """import pypto
from openpto.cli.kernels import {imported}


@pypto.frontend.jit
def kernel(x: pypto.Tensor([{shape}], pypto.DT_FP32), out: pypto.Tensor([8, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    out[:] = x + 1.0


def run():
    {body}
"""


def _example(imported: str, body: str, shape: str = "8, 32") -> str:
    return _TRACED.format(imported=imported, body=body, shape=shape)


register(
    Rule(
        code="PTO595",
        name="no-such-file",
        exc=FileNotFoundError,
        title=T("no such file", "没有这个文件"),
        message=T("{file} is not a file", "{file} 不是文件"),
        help=T("name a Python file, as FILE or FILE:KERNEL", "请给出 Python 文件，写作 FILE 或 FILE:KERNEL"),
        explanation=T(
            "The command imports the file and looks for kernels among the names of the module.",
            "该命令导入文件，并在模块的名称中查找 kernel。",
        ),
        bad=_example("load", 'load("no_such_folder/kernels.py")'),
        good=_example("kernels_of", "assert list(kernels_of(globals())) == ['kernel']"),
    )
)

register(
    Rule(
        code="PTO596",
        name="no-such-kernel",
        exc=LookupError,
        title=T("no such kernel", "没有这个 kernel"),
        message=T(
            "{file} does not have {wanted}; its kernels: {known}", "{file} 中没有 {wanted}；其中的 kernel：{known}"
        ),
        help=T(
            "name a kernel that stands at the top level of the module; a kernel made by a factory needs a name there",
            "请给出位于模块顶层的 kernel；由工厂函数生成的 kernel 需要在顶层赋予名称",
        ),
        explanation=T(
            "Kernels are found by the names of the module after it was imported. A kernel that is only made when a "
            "function is called does not exist then.",
            "kernel 按模块导入之后的名称查找。只在函数被调用时才生成的 kernel 此时并不存在。",
        ),
        bad=_example("choose, kernels_of", 'choose(kernels_of(globals()), "softmax", "kernels.py")'),
        good=_example("choose, kernels_of", 'choose(kernels_of(globals()), "kernel", "kernels.py")'),
    )
)

register(
    Rule(
        code="PTO597",
        name="argument-left-open",
        exc=ValueError,
        title=T("an argument is needed", "需要一个参数"),
        message=T(
            "the annotations of {kernel} leave {name} open, and the trace depends on it",
            "{kernel} 的标注没有确定 {name}，而 trace 依赖于它",
        ),
        help=T("add --arg {name}={example}", "请加上 --arg {name}={example}"),
        explanation=T(
            "Fixed and DYNAMIC extents are known from the annotation. STATIC extents, ranks that an annotation leaves "
            "open and parameters that are not tensors are constants of a compilation and have to be given.",
            "固定与 DYNAMIC 的维度由标注确定。STATIC 维度、标注未定的秩以及非张量参数是编译时的常量，必须给出。",
        ),
        bad=_example("stand_ins", "stand_ins(kernel.signature, {})", shape="pypto.STATIC, 32"),
        good=_example("stand_ins", 'stand_ins(kernel.signature, {"x": "8x32"})', shape="pypto.STATIC, 32"),
    )
)

register(
    Rule(
        code="PTO598",
        name="argument-not-understood",
        exc=ValueError,
        title=T("argument not understood", "无法理解的参数"),
        message=T("{text} is not of the form NAME=VALUE", "{text} 不是 NAME=VALUE 的形式"),
        help=T(
            "write a shape such as x=8x64, a shape with an element type such as x=8x64:INT32, or a literal such as n=3",
            "请写成形状 x=8x64、带元素类型的形状 x=8x64:INT32，或字面量 n=3",
        ),
        explanation=T(
            "The command makes stand-ins for the arguments of a kernel from these texts; they carry no data.",
            "该命令根据这些文本为 kernel 的参数生成替身；它们不带数据。",
        ),
        bad=_example("given", 'given(["x"])'),
        good=_example("given", 'given(["x=8x64:INT32", "n=3"])'),
    )
)

_LOADED = """from openpto_gym.registry import load


def run():
    assert load("{name}").cases
"""

register(
    Rule(
        code="PTO599",
        name="no-such-operator",
        exc=LookupError,
        title=T("no such operator", "没有这个算子"),
        message=T("the gym has no operator {name}; it has {known}", "gym 中没有算子 {name}；现有：{known}"),
        help=T("pypto gym list shows the operators", "pypto gym list 会列出所有算子"),
        explanation=T(
            "Operators are found by the names of their folders in the package openpto_gym.",
            "算子按其在 openpto_gym 包中的文件夹名称查找。",
        ),
        bad=_LOADED.format(name="softmaxx"),
        good=_LOADED.format(name="softmax"),
    )
)

_CREATED = """from pathlib import Path
from tempfile import TemporaryDirectory
from openpto.cli.new_op import create


def run():
    with TemporaryDirectory() as folder:
        {before}create("{name}", "vector", Path(folder))
"""

register(
    Rule(
        code="PTO585",
        name="not-an-operator-name",
        exc=ValueError,
        title=T("not the name of an operator", "不是有效的算子名"),
        message=T("{name} can not name an operator", "{name} 不能作为算子名"),
        help=T("write it in snake_case, such as {near}", "请使用 snake_case，例如 {near}"),
        explanation=T(
            "The name becomes part of the names of files and functions: lower-case letters, digits and single "
            "underscores, a letter first, at most 60 characters, and no keyword of Python.",
            "算子名会成为文件名与函数名的一部分：小写字母、数字与单个下划线，以字母开头，不超过 60 个字符，且不是 Python 关键字。",
        ),
        bad=_CREATED.format(before="", name="FusedGate"),
        good=_CREATED.format(before="", name="fused_gate"),
    )
)

register(
    Rule(
        code="PTO586",
        name="folder-exists",
        exc=FileExistsError,
        title=T("the folder exists", "文件夹已存在"),
        message=T("{place} exists, and nothing is overwritten", "{place} 已存在，不会覆盖"),
        help=T("choose another name, or another place with --dir", "请换一个名称，或用 --dir 指定其他位置"),
        explanation=T(
            "A new operator is a new folder. What is in a folder that exists may be work of somebody.",
            "新算子对应新的文件夹。已存在的文件夹中可能有他人的工作成果。",
        ),
        bad=_CREATED.format(before='(Path(folder) / "gate").mkdir(); ', name="gate"),
        good=_CREATED.format(before="", name="gate"),
    )
)
