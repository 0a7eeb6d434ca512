"""PTO595-599: what the `pypto` command is asked for."""

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
