"""PTO200-219: symbolic integers, elements and loop ranges."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register

_HEAD = """import numpy as np
import pypto

F = pypto.DT_FP32


@pypto.frontend.jit
def kernel(x: pypto.Tensor([pypto.DYNAMIC, 32], F), out: pypto.Tensor([pypto.DYNAMIC, 32], F)):
    pypto.set_vec_tile_shapes(8, 32)
    n = x.shape[0]
"""
_TAIL = """

def run():
    kernel(np.ones((16, 32), np.float32), np.zeros((16, 32), np.float32))
"""
_COPY = """    for i in pypto.loop({bound}):
        out[i * 8:i * 8 + 8, :] = pypto.view(x, [8, 32], [i * 8, 0]) * 1.0
"""


def _kernel(body: str) -> str:
    return _HEAD + body + _TAIL


def _copy(bound: str, before: str = "") -> str:
    return _kernel(before + _COPY.format(bound=bound))


register(
    Rule(
        code="PTO200",
        name="not-concrete",
        exc=ValueError,
        title=T("Not concrete value", "值在 trace 时未知"),
        message=T(
            "Not concrete value: {expr} is known only at run time, and {why}",
            "Not concrete value：{expr} 只有在运行时才知道，而此处 {why}",
        ),
        help=T(
            "keep it symbolic: pypto.loop for range, pypto.min/max for min/max, if/else for a choice; or pass the "
            "number as an int parameter",
            "请保持符号形式：用 pypto.loop 代替 range，用 pypto.min/max 代替 min/max，用 if/else 作选择；或把该数作为 int 参数传入",
        ),
        explanation=T(
            "A kernel is traced once and then serves every size. A value that depends on a run-time size, a loop index "
            "or a tensor element has no number while the kernel is traced, so Python cannot branch on it or use it as "
            "a static extent.",
            "kernel 只被 trace 一次，之后服务于所有尺寸。依赖运行时尺寸、循环下标或张量元素的值在 trace 时没有具体数值，"
            "因此 Python 不能据此分支，也不能把它用作静态长度。",
        ),
        phrases=("Not concrete value",),
        aliases=("F00002",),
        bad=_copy("int(n) // 8"),
        good=_copy("n // 8"),
    )
)

register(
    Rule(
        code="PTO201",
        name="invalid-value-type",
        exc=ValueError,
        title=T("Invalid value type", "值的类型不对"),
        message=T(
            "Invalid value type: an int or a SymbolicScalar is needed here, got {got} {value}",
            "Invalid value type：此处需要 int 或 SymbolicScalar，得到的是 {got} {value}",
        ),
        help=T("{instead}", "改写：{instead}"),
        explanation=T(
            "Loop bounds, offsets and extents are integers. A range object, a float, a list or the mark DYNAMIC is "
            "none; the device's front end stops at the same place, often with a second message about a missing tile.",
            "循环边界、偏移和长度都是整数。range 对象、浮点数、列表或 DYNAMIC 标记都不是整数；设备前端也会在此处停止，"
            "并常常附带一条关于 tile shape 的后续报错。",
        ),
        phrases=("Invalid value type",),
        aliases=("F00002", "F21004"),
        bad=_copy("range(2)"),
        good=_copy("2"),
    )
)

register(
    Rule(
        code="PTO202",
        name="scalar-division-by-zero",
        exc=ValueError,
        exc_in={"0.2": ZeroDivisionError},
        title=T("Division or Mod by zero.", "整数除以零"),
        message=T("{values}: Division or Mod by zero.", "{values} 除以零：Division or Mod by zero."),
        help=T(
            "guard the division: if d > 0: ..., or use pypto.max(d, 1)",
            "请保护该除法：if d > 0: ……，或使用 pypto.max(d, 1)",
        ),
        explanation=T(
            "An integer quotient by zero has no value; on a device the control core would hang or deliver garbage.",
            "整数除以零没有值；在设备上控制核会挂起或给出无意义的数。",
        ),
        phrases=("Division or Mod by zero.",),
        aliases=("F00002",),
        bad=_copy("n // 8", "    d = pypto.SymbolicScalar(0)\n    n = n + pypto.SymbolicScalar(4) // d\n"),
        good=_copy("n // 8", "    d = pypto.SymbolicScalar(1)\n    n = n + pypto.SymbolicScalar(0) // d\n"),
    )
)

register(
    Rule(
        code="PTO203",
        name="negative-scalar-division",
        exc=ValueError,
        title=T("quotient differs between floor and truncation", "取整方式不一致的除法"),
        message=T(
            "{values}: Python rounds down, the device truncates toward zero, and here the two differ",
            "{values}：Python 向下取整，而设备向零截断，此处两者结果不同",
        ),
        help=T(
            "keep both operands non-negative; for rounding up write pypto.ceildiv(a, b)",
            "请保证两个操作数非负；向上取整请写 pypto.ceildiv(a, b)",
        ),
        explanation=T(
            "Run-time scalars divide as in C on a device, while folded ones have been floored in some versions. A "
            "quotient with a remainder and operands of opposite sign therefore has no single meaning.",
            "设备上的运行时标量按 C 的规则相除，而某些版本在常量折叠时向下取整。有余数且符号相反的除法因此没有唯一含义。",
        ),
        bad=_copy("n // 8", "    n = n + (pypto.SymbolicScalar(-7) // 2) * 0\n"),
        good=_copy("n // 8", "    n = n + pypto.ceildiv(pypto.SymbolicScalar(7), 2) * 0\n"),
    )
)

register(
    Rule(
        code="PTO204",
        name="scalar-overflow",
        exc=OverflowError,
        title=T("integer overflow", "整数溢出"),
        message=T("{values} does not fit into 64 bits", "{values} 超出 64 位整数的范围"),
        help=T("use smaller factors, or divide before multiplying", "请使用更小的因子，或先除后乘"),
        explanation=T(
            "Scalars are 64-bit integers at run time. A wrapped value would silently address the wrong data.",
            "标量在运行时是 64 位整数。回绕后的值会悄悄指向错误的数据。",
        ),
        bad=_copy("n // 8", "    n = n + pypto.SymbolicScalar(2**62) * 4 * 0\n"),
        good=_copy("n // 8", "    n = n + pypto.SymbolicScalar(2**61) * 3 * 0\n"),
    )
)

register(
    Rule(
        code="PTO205",
        name="invalid-scalar-operand",
        exc=TypeError,
        exc_in={"0.2": AttributeError},
        title=T("Invalid type.", "标量运算的操作数类型不对"),
        message=T(
            "Invalid type. '{op}' between a SymbolicScalar and {got} {value} is not integer arithmetic",
            "Invalid type. SymbolicScalar 与 {got} {value} 之间的 '{op}' 不是整数运算",
        ),
        help=T(
            "use ints with symbols; to scale a tensor by a symbol fill a tile: pypto.full([...], symbol, dtype)",
            "符号只与整数运算；要用符号缩放张量，请先填充：pypto.full([...], symbol, dtype)",
        ),
        explanation=T(
            "Symbols stand for sizes and indices, which are integers on the control core. There are no symbolic floats.",
            "符号表示尺寸和下标，在控制核上是整数。不存在符号浮点数。",
        ),
        phrases=("Invalid type.",),
        aliases=("F00001",),
        bad=_copy("n * 0.125"),
        good=_copy("n // 8"),
    )
)

register(
    Rule(
        code="PTO206",
        name="invalid-symbol-arguments",
        exc=ValueError,
        title=T("Invalid arguments", "SymbolicScalar 的参数不对"),
        message=T(
            "Invalid arguments: SymbolicScalar takes an int, a name, or a name and an int; got {got}",
            "Invalid arguments：SymbolicScalar 接受 int、名字，或名字加 int；得到的是 {got}",
        ),
        help=T(
            "write SymbolicScalar(3), SymbolicScalar('n') or SymbolicScalar('n', 3)",
            "请写 SymbolicScalar(3)、SymbolicScalar('n') 或 SymbolicScalar('n', 3)",
        ),
        explanation=T(
            "A symbol is an integer or a name for one. Floats and None have no integer meaning.",
            "符号是整数或整数的名字。浮点数和 None 没有整数含义。",
        ),
        phrases=("Invalid arguments",),
        aliases=("F00002",),
        bad="import pypto\n\n\ndef run():\n    pypto.SymbolicScalar(1.5)\n",
        good="import pypto\n\n\ndef run():\n    pypto.SymbolicScalar(1)\n",
    )
)

register(
    Rule(
        code="PTO207",
        name="invalid-element-value",
        exc=ValueError,
        title=T("invalid Element value", "Element 的值类型不对"),
        message=T(
            "Invalid data type {got} for Element",
            "Invalid data type {got} for Element（Element 的值必须是 int 或 float）",
        ),
        help=T(
            "give an int or a float: pypto.Element(pypto.DT_FP32, 1.0)",
            "请给出 int 或 float：pypto.Element(pypto.DT_FP32, 1.0)",
        ),
        explanation=T(
            "An Element is one number with a dtype of its own, used as the scalar of an op.",
            "Element 是带有自己 dtype 的一个数，用作算子的标量。",
        ),
        phrases=("Invalid data type {got} for Element",),
        aliases=("F00002",),
        bad='import pypto\n\n\ndef run():\n    pypto.Element(pypto.DT_FP32, "1.0")\n',
        good="import pypto\n\n\ndef run():\n    pypto.Element(pypto.DT_FP32, 1.0)\n",
    )
)

register(
    Rule(
        code="PTO208",
        name="loop-argument-count",
        exc=TypeError,
        title=T("wrong number of loop bounds", "循环边界个数不对"),
        message=T(
            "{call}() takes 1 to 3 positional arguments but {count} were given{extra}",
            "{call}() takes 1 to 3 positional arguments but {count} were given{extra}（边界须为 1 到 3 个位置参数）",
        ),
        help=T(
            "write pypto.loop(stop), pypto.loop(start, stop) or pypto.loop(start, stop, step)",
            "请写 pypto.loop(stop)、pypto.loop(start, stop) 或 pypto.loop(start, stop, step)",
        ),
        explanation=T(
            "Bounds are positional only, as in Python's range; start=, stop= and step= are not keywords.",
            "边界只能按位置传递，与 Python 的 range 相同；start=、stop=、step= 不是关键字。",
        ),
        phrases=("takes 1 to 3 positional arguments but {count} were given",),
        aliases=("F00001",),
        bad=_copy("start=0, stop=2"),
        good=_copy("0, 2"),
    )
)

register(
    Rule(
        code="PTO209",
        name="not-loop-index",
        exc=ValueError,
        title=T("not loop index", "参数不是循环变量"),
        message=T(
            "not loop index: {got} is not the variable of a pypto.loop",
            "not loop index：{got} 不是 pypto.loop 的循环变量",
        ),
        help=T(
            "pass the loop variable itself: pypto.is_loop_begin(i), not pypto.is_loop_begin(i + 0)",
            "请直接传入循环变量：pypto.is_loop_begin(i)，而不是 pypto.is_loop_begin(i + 0)",
        ),
        explanation=T(
            "is_loop_begin and is_loop_end ask about the loop that their argument belongs to, so the argument has to "
            "be the variable that the for statement binds.",
            "is_loop_begin 和 is_loop_end 询问参数所属的循环，因此参数必须是 for 语句绑定的变量。",
        ),
        phrases=("not loop index",),
        aliases=("F00002",),
        bad=_kernel(
            "    for i in pypto.loop(n // 8):\n        if pypto.is_loop_begin(i + 0):\n"
            "            out[i * 8:i * 8 + 8, :] = pypto.view(x, [8, 32], [i * 8, 0]) * 1.0\n"
        ),
        good=_kernel(
            "    for i in pypto.loop(n // 8):\n        if pypto.is_loop_begin(i):\n"
            "            out[i * 8:i * 8 + 8, :] = pypto.view(x, [8, 32], [i * 8, 0]) * 1.0\n"
        ),
    )
)

register(
    Rule(
        code="PTO210",
        name="loop-outside-for",
        exc=TypeError,
        title=T("a kernel loop outside a kernel's for statement", "pypto.loop 不在 kernel 的 for 语句中"),
        message=T(
            "{name}(...) can only be the iterator of a for statement in a kernel",
            "{name}(...) 只能作为 kernel 中 for 语句的迭代对象",
        ),
        help=T(
            "write: for i in {name}(n): ... inside the kernel or a helper it calls",
            "请在 kernel 或其调用的辅助函数中写：for i in {name}(n): ……",
        ),
        explanation=T(
            "The loop is a region of the program that the device repeats; Python never sees its iterations, so it "
            "cannot feed a comprehension, list() or code that is not traced.",
            "该循环是设备重复执行的程序区域；Python 看不到各次迭代，因此不能用于推导式、list() 或未被 trace 的代码。",
        ),
        bad=_kernel(
            "    rows = [i for i in pypto.loop(2)]\n    out[0:8, :] = pypto.view(x, [8, 32], [0, 0]) * len(rows)\n"
        ),
        good=_copy("2"),
    )
)

register(
    Rule(
        code="PTO211",
        name="loop-step-zero",
        exc=ValueError,
        title=T("loop step is zero", "循环步长为零"),
        message=T("{call}() got step 0, which never ends", "{call}() 的步长为 0，循环不会结束"),
        help=T("give a positive step, or a negative one to run downwards", "请给出正步长，或用负步长向下循环"),
        explanation=T(
            "With step 0 the index never reaches the stop value; a device compiler hangs on it.",
            "步长为 0 时下标永远到不了终值；设备编译器会因此挂起。",
        ),
        aliases=("F00002",),
        bad=_copy("0, 2, 0"),
        good=_copy("0, 2, 1"),
    )
)

register(
    Rule(
        code="PTO212",
        name="unroll-factor",
        exc=ValueError,
        title=T("unroll factor is not a positive integer", "展开因子不是正整数"),
        message=T(
            "unroll factor {factor} must be a positive integer",
            "unroll factor {factor} must be a positive integer（展开因子必须为正整数）",
        ),
        help=T(
            "list factors from large to small and end with 1: unroll_list=[4, 1]",
            "请从大到小列出因子并以 1 结尾：unroll_list=[4, 1]",
        ),
        explanation=T(
            "A factor says how many iterations one unrolled body does; it steers scheduling and never a result.",
            "因子表示一个展开后的循环体执行多少次迭代；它只影响调度，不影响结果。",
        ),
        phrases=("unroll factor {factor} must be a positive integer",),
        aliases=("F00002",),
        bad=_copy("0, 2, 1, unroll_list=[2, 0]"),
        good=_copy("0, 2, 1, unroll_list=[2, 1]"),
    )
)

register(
    Rule(
        code="PTO213",
        name="cond-place",
        exc=ValueError,
        title=T("file and lineno go together", "file 与 lineno 须同时给出"),
        message=T(
            "file and lineno must be provided together or omitted: here is {given} only",
            "file and lineno must be provided together or omitted：此处只有 {given}",
        ),
        help=T("write pypto.cond(expr)", "请写 pypto.cond(expr)"),
        explanation=T(
            "The two arguments name the source line of a condition for generated code; one without the other names nothing.",
            "这两个参数为生成的代码标明条件所在的源代码行；只有其中一个没有意义。",
        ),
        phrases=("file and lineno must be provided together or omitted",),
        aliases=("F00002",),
        bad=_kernel(
            "    for i in pypto.loop(2):\n        if pypto.cond(i < 2, file='k.py'):\n"
            "            out[i * 8:i * 8 + 8, :] = pypto.view(x, [8, 32], [i * 8, 0]) * 1.0\n"
        ),
        good=_kernel(
            "    for i in pypto.loop(2):\n        if i < 2:\n"
            "            out[i * 8:i * 8 + 8, :] = pypto.view(x, [8, 32], [i * 8, 0]) * 1.0\n"
        ),
    )
)

register(
    Rule(
        code="PTO214",
        name="unknown-loop-keyword",
        severity="warning",
        exc=UserWarning,
        title=T("unknown loop keyword", "未知的循环关键字"),
        message=T(
            "{call}() does not know the keyword {key}; it has no effect", "{call}() 不认识关键字 {key}；它不起作用"
        ),
        help=T(
            "known keywords: name, idx_name, unroll_list, submit_before_loop, parallel",
            "已知关键字：name、idx_name、unroll_list、submit_before_loop、parallel",
        ),
        explanation=T(
            "Loop keywords that a version does not know are ignored without a word by the toolchains, so a typing slip "
            "goes unnoticed.",
            "工具链会静默忽略其版本不认识的循环关键字，因此拼写错误不会被发现。",
        ),
        bad=_copy("2, idxname='i'"),
        good=_copy("2, idx_name='i'"),
    )
)

register(
    Rule(
        code="PTO215",
        name="not-a-sequence",
        exc=TypeError,
        title=T("a list or tuple is needed", "需要列表或元组"),
        message=T(
            "args must be list or tuple, but got {got}.", "args must be list or tuple, but got {got}.（需要列表或元组）"
        ),
        help=T("write the values in a list, e.g. unroll_list=[4, 1]", "请把值写成列表，例如 unroll_list=[4, 1]"),
        explanation=T(
            "Several factors or symbols are given as one list, so that their number is known.",
            "多个因子或符号要放在一个列表中，这样才能知道个数。",
        ),
        phrases=("args must be list or tuple, but got {got}.",),
        aliases=("F00001",),
        bad=_copy("0, 2, 1, unroll_list=2"),
        good=_copy("0, 2, 1, unroll_list=[2, 1]"),
    )
)
