"""PTO219, PTO257-260, PTO269: what a Tensor is not for Python, its operators, its constructor."""

from __future__ import annotations

from openpto.diagnostics.rules.tensor_examples import program, tensor_rule
from openpto.diagnostics.rules.tensors import GOOD

tensor_rule(
    "PTO219",
    "unknown-attribute",
    AttributeError,
    title=("name that does not exist", "名称不存在"),
    message=("{text}", "名称不存在：{text}"),
    help=("{hint}", "提示：{hint}"),
    why=(
        (
            "A Tensor of a kernel has the documented methods only; methods of arrays of other libraries are operations of "
            "pypto, most of them functions."
        ),
        "kernel 中的 Tensor 只有文档所列的方法；其他库数组的方法在这里是 pypto 的操作，多数为函数。",
    ),
    aliases=("OL55",),
    phrases=("{text}",),
    words=("'Tensor' object has no attribute 'T'",),
    bad=program("out[:] = x.exponential()"),
    good=program("out[:] = pypto.exp(x)"),
)
tensor_rule(
    "PTO257",
    "tensor-not-iterable",
    TypeError,
    title=("a tensor cannot be iterated or unpacked", "张量不能迭代或解包"),
    message=(
        "Tensor is not iterable. Cannot unpack non-sequence type Tensor. Its shape is {shape}",
        "不能迭代：Tensor is not iterable. Cannot unpack non-sequence type Tensor. 其形状为 {shape}",
    ),
    help=(
        "unpack its shape (rows, cols = t.shape) or loop over windows: for i in pypto.loop(n): t[i:i+1, :]",
        "请解包其形状（rows, cols = t.shape），或循环读取窗口：for i in pypto.loop(n): t[i:i+1, :]",
    ),
    why=(
        "A tensor has no elements while the kernel is traced; iterating it would unroll every element.",
        "追踪 kernel 时张量没有元素；迭代会展开每个元素。",
    ),
    phrases=("Tensor is not iterable.", "Cannot unpack non-sequence type Tensor"),
    aliases=("F00001",),
    bad=program("a, b = x", "out[:] = a + b"),
    good=program("rows, cols = x.shape", "out[:] = x[0:rows, 0:cols] + 1.0"),
)
tensor_rule(
    "PTO258",
    "tensor-protocol",
    TypeError,
    title=("Python asks a tensor or a symbol for what it does not have", "Python 向张量或符号请求它没有的内容"),
    message=("{why}", "不支持：{why}"),
    help=("{instead}", "提示：{instead}"),
    why=(
        (
            "A tensor of a kernel has a shape and a dtype while it is traced; length, membership and numbers would need "
            "its contents. A symbol, such as a loop index, is one integer that is known when the kernel runs: it has "
            "arithmetic and comparisons, but no elements, no length and no hash."
        ),
        (
            "追踪时 kernel 中的张量只有形状和 dtype；长度、成员关系和数值都需要其内容。"
            "符号（如循环下标）是一个在 kernel 运行时才知道的整数：它有算术和比较，但没有元素、长度和哈希值。"
        ),
    ),
    phrases=("{why}",),
    aliases=("F00001",),
    words=("Delete target must be a name",),
    bad=program("out[:] = x * float(len(x))"),
    good=program("out[:] = x * float(x.shape[0])"),
)
tensor_rule(
    "PTO259",
    "tensor-truth",
    TypeError,
    title=("truth value of a tensor", "张量的真值"),
    message=(
        "Test condition must be a symbolic scalar or boolean, but got Tensor. Its shape is {shape}",
        "条件有误：Test condition must be a symbolic scalar or boolean, but got Tensor. 其形状为 {shape}",
    ),
    help=(
        "choose per element with pypto.where(condition, a, b); for one decision read an INT32 element: t[i]",
        "按元素选择请用 pypto.where(condition, a, b)；单个判断请读取 INT32 元素：t[i]",
    ),
    why=(
        "A comparison of tensors gives a tensor of BOOL; there is no single answer that a branch could take.",
        "张量比较得到 BOOL 张量；没有可供分支采用的单一答案。",
    ),
    phrases=("Test condition must be a symbolic scalar or boolean, but got Tensor.",),
    aliases=("F00001",),
    bad=program("out[:] = x if any([x]) else x * 2.0"),
    good=program("out[:] = pypto.where(x > 0.0, x, x * 2.0)"),
)
tensor_rule(
    "PTO260",
    "operator-not-available",
    TypeError,
    title=("a tensor does not have this operator", "张量没有该运算符"),
    message=(
        "unsupported operand type(s) for {sign}: a Tensor has no such operator",
        "张量不支持运算符 {sign}（unsupported operand type(s) for {sign}）",
    ),
    help=("use {instead}", "请使用 {instead}"),
    why=(
        "The API gives tensors + - * / // % ** @ and comparisons; the rest are functions.",
        "API 为张量提供 + - * / // % ** @ 和比较；其余为函数。",
    ),
    phrases=("unsupported operand type(s) for {sign}",),
    aliases=("F00001",),
    bad=program("out[:] = pypto.where((x > 0.0) & (x < 2.0), x, 0.0)"),
    good=program("out[:] = pypto.where(pypto.logical_and(x > 0.0, x < 2.0), x, 0.0)"),
)
tensor_rule(
    "PTO269",
    "tensor-declaration",
    TypeError,
    title=("tensor declaration is not possible", "张量声明无效"),
    message=("{why}", "声明有误：{why}"),
    help=(
        "write pypto.Tensor([rows, cols], pypto.DT_FP32); marks such as pypto.DYNAMIC go into a list",
        "请写成 pypto.Tensor([rows, cols], pypto.DT_FP32)；pypto.DYNAMIC 等标记放在列表中",
    ),
    why=(
        "The shape is a list of ints, symbols and marks, ... only at its end; the dtype is a pypto DataType.",
        "形状是由整数、符号和标记组成的列表，... 只能在末尾；dtype 为 pypto 的 DataType。",
    ),
    phrases=("{why}",),
    aliases=("F00001", "F00002"),
    words=("shape must be a list of int or SymbolicScalar",),
    bad="import pypto\n\n\ndef run():\n    pypto.Tensor(32, pypto.DT_FP32)\n",
    good=GOOD,
)
