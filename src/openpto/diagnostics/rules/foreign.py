"""PTO155, PTO158, PTO165, PTO166, PTO904: what Python and other libraries refuse in a kernel, and scopes outside of kernels."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register
from openpto.diagnostics.rules.control_examples import COPY, program

register(
    Rule(
        code="PTO155",
        name="unpacking-count",
        exc=ValueError,
        title=T("another number of values than of names", "值的个数与名称的个数不同"),
        message=T(
            "Cannot unpack {have} values into {want} targets.",
            "个数不符：Cannot unpack {have} values into {want} targets.",
        ),
        help=T(
            "write {want} values, or as many names as there are values; *rest takes what is left over",
            "请写 {want} 个值，或写与值同样多的名称；*rest 接收剩余的值",
        ),
        explanation=T(
            "The statement runs as Python while the kernel is traced, and Python wants one value for each name.",
            "该语句在追踪 kernel 时作为 Python 执行，而 Python 要求每个名称对应一个值。",
        ),
        phrases=("Cannot unpack {have} values into {want} targets.",),
        aliases=("F00002",),
        bad=program("rows, cols, depth = x.shape\nout[:] = x + 1.0"),
        good=program("rows, cols = x.shape\nout[:] = x + 1.0"),
    )
)

register(
    Rule(
        code="PTO158",
        name="unpacking-of-one-value",
        exc=TypeError,
        title=T("value that cannot be unpacked", "不能解包的值"),
        message=T("Cannot unpack non-sequence type {got}", "不是序列：Cannot unpack non-sequence type {got}"),
        help=T("write one name on the left of =", "请在 = 左边只写一个名称"),
        explanation=T(
            "Several names on the left take the entries of a list, a tuple or a shape; a number has no entries.",
            "左边的多个名称接收列表、元组或形状的各项；数字没有分项。",
        ),
        phrases=("Cannot unpack non-sequence type {got}",),
        aliases=("F00001",),
        bad=program("rows, cols = x.shape[0]\nout[:] = x + 1.0"),
        good=COPY,
    )
)

register(
    Rule(
        code="PTO165",
        name="library-function-on-a-tensor",
        exc=TypeError,
        title=T("function of another library on a tensor", "其他库的函数用于张量"),
        message=T(
            "{name} computes on values, and {tensor} of a kernel has none while the kernel is traced",
            "{name} 对数值进行计算，而 kernel 的 {tensor} 在追踪时没有数值",
        ),
        help=T("{instead}", "改写：{instead}"),
        explanation=T(
            "A kernel is traced once, with tensors that stand for the data of every later call. Functions of numpy and "
            "torch want the data now. The operations of pypto record what is to be done with it.",
            "kernel 只被追踪一次，其中的张量代表之后每次调用的数据。numpy 与 torch 的函数现在就需要数据；"
            "pypto 的操作则记录将对数据做什么。",
        ),
        aliases=("F00001",),
        bad=program("out[:] = x - np.mean(x)"),
        good=program("out[:] = x - pypto.sum(x, 1, True) * 0.125"),
    )
)

register(
    Rule(
        code="PTO166",
        name="condition-in-a-with",
        exc=TypeError,
        title=T("condition in a with statement", "with 语句中的条件"),
        message=T(
            "With is not supported by the PTO parser yet, and {got} opens no scope",
            "With is not supported by the PTO parser yet，而 {got} 不能打开作用域",
        ),
        help=T("write it as a condition: if n > 1:", "请写成条件：if n > 1:"),
        explanation=T(
            "pypto.cond marks the condition of an if. A with statement takes objects that open and close a scope, such as "
            "pypto.options(...).",
            "pypto.cond 用于标记 if 的条件。with 语句需要能打开和关闭作用域的对象，例如 pypto.options(...)。",
        ),
        phrases=("With is not supported by the PTO parser yet",),
        aliases=("F00005",),
        bad=program("with pypto.cond(count > 1):\n    out[:] = x + 1.0"),
        good=program("if count > 1:\n    out[:] = x + 1.0\nelse:\n    out[:] = x * 2.0"),
    )
)

register(
    Rule(
        code="PTO904",
        name="graph-outside-of-a-kernel",
        exc=NotImplementedError,
        title=T("graph scopes outside of kernels are not available", "不支持 kernel 之外的图作用域"),
        message=T(
            "{name} is not yet available in OpenPTO: it opens a graph in undecorated code (inside of a kernel: function "
            "nested is not allowed)",
            "OpenPTO 尚未提供 {name}（not yet available）：它在未加装饰器的代码中打开计算图（在 kernel 内则是 function nested is "
            "not allowed）",
        ),
        help=T(
            "put the statements into a function decorated with @pypto.frontend.jit and call it with the tensors",
            "请把这些语句放进用 @pypto.frontend.jit 装饰的函数，并用这些 tensor 调用它",
        ),
        explanation=T(
            "Kernels of OpenPTO are functions: a call knows its tensors, its shapes and its options. The older way of "
            "opening a graph by hand, and the objects that describe it, exist as names only.",
            "OpenPTO 的 kernel 是函数：每次调用都知道自己的 tensor、形状与选项。手动打开计算图的旧方式及描述它的对象只保留了名称。",
        ),
        phrases=("not yet available", "function nested is not allowed"),
        aliases=("F21001",),
        bad="import pypto\n\n\ndef run():\n    with pypto.function('graph'):\n        pass\n",
        good=COPY,
    )
)
