"""PTO550-557: kernels as operators of PyTorch."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register

_REGISTERED = """import pypto
import torch
import openpto

ROWS = pypto.symbolic_scalar("ROWS")


@pypto.frontend.jit
def halve(
    x: pypto.Tensor([ROWS, 32], pypto.DT_FP32),
    out: pypto.Tensor([{extent}, 32], pypto.DT_FP32),
):
    pypto.set_vec_tile_shapes(8, 32)
    for i in pypto.loop(1):
        tile = pypto.view(x, [8, 32], [0, 0])
        {body}


@pypto.frontend.jit
def halve_backward({gradient}):
    pypto.set_vec_tile_shapes(8, 32)
    for i in pypto.loop(1):
        tile = pypto.view(grad_out, [8, 32], [0, 0])
        pypto.assemble(tile * 0.5, [0, 0], grad_x)


def run():
    x = torch.ones(8, 32, requires_grad={grad})
    op = openpto.register_torch_op({arguments})
    {use}
"""

_GRADIENT = """
    grad_out: pypto.Tensor([ROWS, 32], pypto.DT_FP32),
    grad_x: pypto.Tensor([ROWS, 32], pypto.DT_FP32),
"""


def _registered(
    arguments: str = 'halve, "examples::halve"',
    use: str = "op(x)",
    *,
    extent: str = "ROWS",
    body: str = "pypto.assemble(tile * 0.5, [0, 0], out)",
    gradient: str = _GRADIENT,
    grad: bool = False,
) -> str:
    return _REGISTERED.format(arguments=arguments, use=use, extent=extent, body=body, gradient=gradient, grad=grad)


_WITH_GRADIENT = 'halve, "examples::halve", backward=halve_backward'

register(
    Rule(
        code="PTO550",
        name="not-a-kernel",
        exc=TypeError,
        title=T("not a kernel", "不是 kernel"),
        message=T("register_torch_op takes a kernel and got {got}", "register_torch_op 需要 kernel，但得到 {got}"),
        help=T("pass what @pypto.frontend.jit made of the function", "请传入由 @pypto.frontend.jit 装饰得到的对象"),
        explanation=T(
            "An operator of torch runs a kernel on the memory of its arguments. A wrapper in Python, which allocates and "
            "reshapes, is not needed: the operator allocates its results itself.",
            "torch 算子在其参数的内存上运行 kernel。不需要负责分配与变形的 Python 包装函数：算子会自行分配结果。",
        ),
        bad=_registered('lambda x: x, "examples::halve"'),
        good=_registered(),
    )
)

register(
    Rule(
        code="PTO551",
        name="operator-does-not-fit-its-kernel",
        exc=ValueError,
        title=T("the operator does not fit its kernel", "算子与 kernel 不符"),
        message=T("{name} cannot be made of {kernel}: {problem}", "无法由 {kernel} 生成 {name}：{problem}"),
        help=T("{instead}", "提示：{instead}"),
        explanation=T(
            "The arguments of the operator are the parameters of the kernel without its outputs. Numbers and texts have a "
            "type by their default or annotation; any other object is fixed at the registration by constants=. The name "
            "stands in a namespace of one's own: torch takes further overloads of its operators without a word.",
            "算子的参数为 kernel 的参数除去输出。数值与文本的类型由默认值或标注确定；其他对象须在注册时用 constants= 固定。"
            "名称应位于自己的命名空间：torch 会不加提示地接受其算子的新重载。",
        ),
        bad=_registered('halve, "examples::halve", outputs="y"'),
        good=_registered('halve, "examples::halve", outputs="out"'),
    )
)

register(
    Rule(
        code="PTO552",
        name="shape-of-output-unknown",
        exc=ValueError,
        title=T("shape of an output unknown", "输出的形状未知"),
        message=T(
            "the annotations do not tell the shape of {output} {declared} of {name}: {reason}",
            "标注无法确定 {name} 的输出 {output} {declared} 的形状：{reason}",
        ),
        help=T(
            'give shapes={{"{output}": "<input of that shape>"}}, or a function of the arguments that returns the shape',
            '请给出 shapes={{"{output}": "<同形状的输入>"}}，或由参数计算形状的函数',
        ),
        explanation=T(
            "The operator allocates its results before the kernel runs, and torch asks for their shapes without any data. "
            "An extent is known if it is a number or a named symbol that an input has too, or if the output is declared as "
            "an input is. DYNAMIC and STATIC name nothing.",
            "算子在 kernel 运行之前分配结果，torch 也会在没有数据时询问其形状。维度为数字、为某个输入也使用的命名符号，"
            "或输出的声明与某个输入相同时，形状才是已知的。DYNAMIC 与 STATIC 不含任何名称。",
        ),
        bad=_registered(extent="pypto.DYNAMIC"),
        good=_registered('halve, "examples::halve", shapes="x"', extent="pypto.DYNAMIC"),
    )
)

register(
    Rule(
        code="PTO553",
        name="no-gradient",
        exc=RuntimeError,
        title=T("no gradient", "没有梯度"),
        message=T(
            "a gradient of {name} with respect to {tensor} is asked for, and no backward kernel computes it",
            "需要 {name} 对 {tensor} 的梯度，但没有反向 kernel 计算它",
        ),
        help=T(
            "register the operator with backward=, or call it under torch.no_grad() or with {tensor}.detach()",
            "注册算子时给出 backward=，或在 torch.no_grad() 下调用，或传入 {tensor}.detach()",
        ),
        explanation=T(
            "A kernel writes memory; torch can not see what it computes and so can not differentiate it. The gradient is "
            "another kernel. A gradient that is left out would be a zero that nobody asked for.",
            "kernel 直接写内存，torch 看不到其计算过程，因而无法求导。梯度由另一个 kernel 给出。遗漏的梯度等同于一个无人要求的零。",
        ),
        bad=_registered(use="op(x).sum().backward()", grad=True),
        good=_registered(_WITH_GRADIENT, use="op(x).sum().backward()", grad=True),
    )
)

register(
    Rule(
        code="PTO554",
        name="argument-written-unannounced",
        exc=RuntimeError,
        title=T("an argument was written that is not declared", "写入了未声明的参数"),
        message=T(
            "the kernel of {name} wrote {tensors}, which is neither in outputs nor in mutates",
            "{name} 的 kernel 写入了 {tensors}，但它既不在 outputs 也不在 mutates 中",
        ),
        help=T('declare it: mutates=("{tensors}",)', '请声明：mutates=("{tensors}",)'),
        explanation=T(
            "torch reorders and removes operators by what they say they write. A write that it does not know of gives "
            "results that depend on the compiler. The argument has been changed by the time this is told.",
            "torch 根据算子声明的写入来重排与消除算子。未声明的写入会使结果依赖于编译器。报告时该参数已被修改。",
        ),
        bad=_registered(
            body="pypto.assemble(tile * 0.5, [0, 0], out); pypto.assemble(pypto.full([8, 32], 0.0, pypto.DT_FP32), [0, 0], x)"
        ),
        good=_registered(
            'halve, "examples::halve", mutates="x"',
            body="pypto.assemble(tile * 0.5, [0, 0], out); pypto.assemble(pypto.full([8, 32], 0.0, pypto.DT_FP32), [0, 0], x)",
        ),
    )
)

register(
    Rule(
        code="PTO555",
        name="output-not-wholly-written",
        exc=RuntimeError,
        title=T("an output was not wholly written", "输出没有写满"),
        message=T(
            "the kernel wrote {written} of the {elements} elements of {output}, which {name} returns",
            "{name} 返回的 {output} 共有 {elements} 个元素，kernel 只写入了 {written} 个",
        ),
        help=T(
            "check the shape that the operator gives {output}, and the tails of the kernel; a tensor whose former contents "
            "are kept belongs into mutates=",
            "请检查算子为 {output} 给出的形状以及 kernel 的尾块；需要保留原有内容的张量应放入 mutates=",
        ),
        explanation=T(
            "The operator allocates its results without contents. What the kernel does not write would be whatever was in "
            "that memory.",
            "算子分配的结果没有初值。kernel 未写入的部分将是那块内存中原有的任意内容。",
        ),
        bad=_registered(use="op(torch.ones(16, 32))"),
        good=_registered(),
    )
)

register(
    Rule(
        code="PTO556",
        name="backward-does-not-fit",
        exc=ValueError,
        title=T("the backward kernel does not fit", "反向 kernel 不符"),
        message=T(
            "{kernel} can not be the gradient of {name}: {problem}", "{kernel} 不能作为 {name} 的梯度：{problem}"
        ),
        help=T(
            "call its parameters as those of the forward kernel, grad_<output> and grad_<input>, or give backward_names=",
            "参数名应与前向 kernel 一致，并使用 grad_<输出> 与 grad_<输入>，或给出 backward_names=",
        ),
        explanation=T(
            "The operator saves the tensors that the backward kernel names, passes them with the gradients of its outputs, "
            "and returns the gradients of its inputs. All of that goes by names.",
            "算子保存反向 kernel 所命名的张量，连同输出的梯度一并传入，并返回输入的梯度。这些都按名称对应。",
        ),
        bad=_registered(_WITH_GRADIENT, gradient=_GRADIENT.replace("grad_x", "result")).replace(
            "0], grad_x)", "0], result)"
        ),
        good=_registered(_WITH_GRADIENT),
    )
)

register(
    Rule(
        code="PTO557",
        name="torch-missing",
        exc=ImportError,
        title=T("torch is needed", "需要 torch"),
        message=T(
            "kernels become operators of torch by torch.library.custom_op, and {found}",
            "kernel 通过 torch.library.custom_op 成为 torch 算子，但{found}",
        ),
        help=T(
            "pip install 'openpto[torch]', or torch 2.4 or newer", "pip install 'openpto[torch]'，或 2.4 以上的 torch"
        ),
        explanation=T(
            "Nothing else here needs torch: kernels take numpy arrays as well.",
            "其余功能都不需要 torch：kernel 同样接受 numpy 数组。",
        ),
        untestable="the examples run where torch is; tests/torch_ops/test_without_torch.py takes it away",
    )
)
