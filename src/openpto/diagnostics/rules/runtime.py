"""PTO401-409 and PTO440-442: values that have no meaning while a kernel runs, and engines that cannot run it."""

from __future__ import annotations

import re

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register

_UNSPECIFIED = T(
    "; the outputs of this call are unspecified now",
    "；本次调用的输出内容现已不确定",
)


def example(body: str, lengths: str = "4, 12", columns: int = 16) -> str:
    """A kernel over x and out [DYNAMIC, columns], and int32 lengths n if the body, which is given, names them."""
    named = re.search(r"\bn\b", body) is not None
    parameter = "\n    n: pypto.Tensor([pypto.DYNAMIC], pypto.DT_INT32)," if named else ""
    argument = f"np.array([{lengths}], np.int32), " if named else ""
    return f"""import numpy as np
import pypto

F = pypto.DT_FP32


@pypto.frontend.jit
def kernel(
    x: pypto.Tensor([pypto.DYNAMIC, {columns}], F),{parameter}
    out: pypto.Tensor([pypto.DYNAMIC, {columns}], F),
):
    pypto.set_vec_tile_shapes(8, {columns})
{body}

def run():
    x = np.ones((32, {columns}), np.float32)
    kernel(x, {argument}np.zeros((32, {columns}), np.float32))
"""


def fault_rule(
    code: str,
    name: str,
    exc: type[Exception],
    title: T,
    message: T,
    help: T,
    explanation: T,
    bad: str = "",
    good: str = "",
    *,
    phrases: tuple[str, ...] = (),
    aliases: tuple[str, ...] = (),
    untestable: str = "",
) -> None:
    """Register an error that is found while a kernel runs; its help says what became of the outputs."""
    register(
        Rule(
            code=code,
            name=name,
            exc=exc,
            title=title,
            message=message,
            help=T(help.en + _UNSPECIFIED.en, help.zh + _UNSPECIFIED.zh),
            explanation=explanation,
            phrases=phrases,
            aliases=aliases,
            bad=bad,
            good=good,
            untestable=untestable,
        )
    )


# Undefined and missing values

fault_rule(
    "PTO401",
    "undefined-element-in-output",
    RuntimeError,
    T("undefined element in an output", "输出中存在未定义的元素"),
    T(
        "element {index} of {name} was stored here without ever having been given a value",
        "{name} 的元素 {index} 在此处被写入，但它从未被赋值",
    ),
    T(
        "write every element of the tile before it is stored, or store only the part that was written "
        "(a smaller valid_shape)",
        "请在写出之前写满 tile 的每个元素，或只写出已写入的部分（较小的 valid_shape）",
    ),
    T(
        "A declared tensor holds arbitrary data until it is written, and so does the part of a tile outside of its "
        "valid region. Such elements may be computed with and dropped later, but when the kernel ends no parameter may "
        "hold a value that depends on them: on a device it would be different from run to run.",
        "声明的张量在写入之前内容是任意的，tile 有效区域之外的部分也是如此。允许先参与计算、之后丢弃，"
        "但 kernel 结束时任何参数都不得含有依赖于它们的值：在设备上这样的值每次运行都可能不同。",
    ),
    example(
        """    t = pypto.tensor([8, 16], F, "t")
    t[0:4, :] = pypto.view(x, [4, 16], [0, 0])
    out[0:8, :] = t
"""
    ),
    example(
        """    t = pypto.tensor([8, 16], F, "t")
    t[0:4, :] = pypto.view(x, [4, 16], [0, 0])
    t[4:8, :] = pypto.view(x, [4, 16], [4, 0])
    out[0:8, :] = t
"""
    ),
)

fault_rule(
    "PTO402",
    "undefined-scalar",
    RuntimeError,
    T("undefined element read as a scalar or index", "未定义的元素被当作标量或下标读取"),
    T(
        "element {index} of {name} is used as a number here and was never given a value",
        "此处把 {name} 的元素 {index} 当作数值使用，而它从未被赋值",
    ),
    T("write the element before it is read", "请先写入该元素再读取"),
    T(
        "A scalar that is read from a tensor decides about sizes, offsets, branches and loop bounds. An element that "
        "nothing was written to has no value, so there is no meaningful way to go on.",
        "从张量读取的标量决定尺寸、偏移、分支和循环边界。从未写入的元素没有值，因此无法有意义地继续执行。",
    ),
    example(
        """    t = pypto.tensor([4], pypto.DT_INT32, "t")
    t[0] = 8
    for i in pypto.loop(t[1]):
        out[i * 8:i * 8 + 8, :] = pypto.view(x, [8, 16], [i * 8, 0]) * 2.0
"""
    ),
    example(
        """    t = pypto.tensor([4], pypto.DT_INT32, "t")
    t[0] = 2
    for i in pypto.loop(t[0]):
        out[i * 8:i * 8 + 8, :] = pypto.view(x, [8, 16], [i * 8, 0]) * 2.0
"""
    ),
)

fault_rule(
    "PTO403",
    "unwritten-tensor-read",
    RuntimeError,
    T("tensor read before any write reached it", "张量在任何写入到达之前被读取"),
    T(
        "{name} {shape} is read here, and on this run no write has reached it",
        "此处读取 {name} {shape}，而在本次运行中没有任何写入到达它",
    ),
    T(
        "fill it first, for example with pypto.full, or make sure the loop or branch that writes it runs",
        "请先填充它（例如用 pypto.full），或确保写入它的循环或分支会执行",
    ),
    T(
        "pypto.tensor only declares memory. Whether the loop or branch that writes it is executed may depend on "
        "run-time sizes; on this run it was not, so the tensor holds arbitrary data.",
        "pypto.tensor 只声明内存。写入它的循环或分支是否执行可能取决于运行时的尺寸；本次运行中没有执行，"
        "因此该张量的内容是任意的。",
    ),
    example(
        """    t = pypto.tensor([8, 16], F, "t")
    for i in pypto.loop(n[0] - 4):
        t[:] = pypto.view(x, [8, 16], [i * 8, 0])
    out[0:8, :] = t * 2.0
"""
    ),
    example(
        """    t = pypto.full([8, 16], 0.0, F)
    for i in pypto.loop(n[0] - 4):
        t[:] = pypto.view(x, [8, 16], [i * 8, 0])
    out[0:8, :] = t * 2.0
"""
    ),
)

fault_rule(
    "PTO404",
    "name-without-value",
    UnboundLocalError,
    T("name used without a value", "使用了没有值的名字"),
    T(
        "name '{name}' is not defined here: the loop or branch that sets it was not executed on this run",
        "此处 name '{name}' is not defined：给它赋值的循环或分支在本次运行中没有执行",
    ),
    T("give {name} a value before the loop or branch", "请在循环或分支之前给 {name} 一个值"),
    T(
        "After a loop without iterations, or a branch that was not taken, a name has the value it had before. This one "
        "had none, as in Python.",
        "循环没有迭代、或分支没有执行时，名字保持之前的值。而这个名字之前没有值，与 Python 的行为一致。",
    ),
    example(
        """    for i in pypto.loop(n[0] - 4):
        t = pypto.view(x, [8, 16], [i * 8, 0])
    out[0:8, :] = t * 2.0
"""
    ),
    example(
        """    t = pypto.view(x, [8, 16], [0, 0])
    for i in pypto.loop(n[0] - 4):
        t = pypto.view(x, [8, 16], [i * 8, 0])
    out[0:8, :] = t * 2.0
"""
    ),
    phrases=("is not defined",),
    aliases=("F00004",),
)

# Scalars

fault_rule(
    "PTO405",
    "run-time-overflow",
    OverflowError,
    T("scalar overflow", "标量溢出"),
    T(
        "{expr} does not fit into a 64-bit integer (operands {values})",
        "{expr} 超出 64 位整数的范围（操作数 {values}）",
    ),
    T("keep intermediate products smaller", "请避免过大的中间乘积"),
    T(
        "Scalars are 64-bit integers while a kernel runs. A device would go on with the low bits and address other "
        "memory.",
        "kernel 运行时标量是 64 位整数。设备会以低位继续执行，从而访问到别的内存。",
    ),
    example(
        """    k = n[0] * 4611686018427387904
    for i in pypto.loop(k // 4611686018427387904):
        out[i * 8:i * 8 + 8, :] = pypto.view(x, [8, 16], [i * 8, 0]) * 2.0
"""
    ),
    example(
        """    k = n[0] * 1073741824
    for i in pypto.loop(k // 1073741824):
        out[i * 8:i * 8 + 8, :] = pypto.view(x, [8, 16], [i * 8, 0]) * 2.0
"""
    ),
)

fault_rule(
    "PTO406",
    "run-time-division-by-zero",
    ZeroDivisionError,
    T("scalar division by zero", "标量除以零"),
    T("{expr} divides by zero (operands {values})", "{expr} 除数为零（操作数 {values}）"),
    T(
        "test the divisor first: the second operand of `and` and `or` is evaluated only if reached",
        "请先检查除数：`and` 和 `or` 的第二个操作数只在需要时求值",
    ),
    T(
        "The divisor is a run-time value that is zero on this run. A device gives an arbitrary number or stops.",
        "除数是运行时的值，在本次运行中为零。设备会给出任意结果或停止。",
    ),
    example(
        """    for i in pypto.loop(16 // (n[0] - 4)):
        out[i * 8:i * 8 + 8, :] = pypto.view(x, [8, 16], [i * 8, 0]) * 2.0
"""
    ),
    example(
        """    for i in pypto.loop(16 // n[0]):
        out[i * 8:i * 8 + 8, :] = pypto.view(x, [8, 16], [i * 8, 0]) * 2.0
"""
    ),
    aliases=("FA2002",),
)

fault_rule(
    "PTO407",
    "run-time-negative-division",
    ArithmeticError,
    T("division of operands with different signs", "符号不同的操作数相除"),
    T(
        "{expr} has operands {values}: the quotient rounded down (Python) is not the one rounded towards zero (device)",
        "{expr} 的操作数为 {values}：向下取整（Python）与向零取整（设备）的结果不同",
    ),
    T(
        "divide non-negative numbers; pypto.ceildiv(a, b) rounds up without a negative intermediate value",
        "请使用非负数相除；pypto.ceildiv(a, b) 可向上取整而不产生负的中间值",
    ),
    T(
        "Python rounds the quotient down, a device cuts it towards zero. Where both agree the division runs; where they "
        "differ there is no answer that is right in both places. The usual cause is -(-a // b) for rounding up.",
        "Python 将商向下取整，设备则向零截断。两者一致时照常执行；不一致时，没有在两处都正确的答案。"
        "常见的原因是用 -(-a // b) 来向上取整。",
    ),
    example(
        """    for i in pypto.loop(-(-(n[0] + 5) // 8)):
        out[i * 8:i * 8 + 8, :] = pypto.view(x, [8, 16], [i * 8, 0]) * 2.0
"""
    ),
    example(
        """    for i in pypto.loop(pypto.ceildiv(n[0] + 5, 8)):
        out[i * 8:i * 8 + 8, :] = pypto.view(x, [8, 16], [i * 8, 0]) * 2.0
"""
    ),
)

fault_rule(
    "PTO408",
    "scalar-index-out-of-range",
    IndexError,
    T("element index out of range", "元素下标越界"),
    T(
        "element {index} of {name}: axis {axis} has {extent} elements",
        "{name} 的元素 {index}：第 {axis} 轴只有 {extent} 个元素",
    ),
    T(
        "check the index, or put the read behind a test: `i < n and t[i] > 0`",
        "请检查下标，或先判断再读取：`i < n and t[i] > 0`",
    ),
    T(
        "A scalar is read from, or written to, an element that does not exist. Run-time indices do not count from the "
        "end. On a device this reads or overwrites other memory.",
        "读取或写入了不存在的元素。运行时的下标不支持从末尾倒数。在设备上这会读到或覆盖别的内存。",
    ),
    example(
        """    for i in pypto.loop(n[n[0]]):
        out[i * 8:i * 8 + 8, :] = pypto.view(x, [8, 16], [i * 8, 0]) * 2.0
"""
    ),
    example(
        """    for i in pypto.loop(n[n[0] - 4]):
        out[i * 8:i * 8 + 8, :] = pypto.view(x, [8, 16], [i * 8, 0]) * 2.0
"""
    ),
)

fault_rule(
    "PTO409",
    "integer-out-of-range",
    OverflowError,
    T("integer out of range of the element type", "整数超出元素类型的范围"),
    T("{value} does not fit into {dtype} ({low} to {high})", "{value} 超出 {dtype} 的范围（{low} 到 {high}）"),
    T("use a wider element type", "请使用更宽的元素类型"),
    T(
        "A run-time scalar is a 64-bit integer. It is stored into a tensor whose element type cannot hold this value.",
        "运行时标量是 64 位整数，而目标张量的元素类型无法容纳该值。",
    ),
    example(
        """    t = pypto.tensor([2], pypto.DT_INT32, "t")
    t[0] = n[0] * 1073741824
    for i in pypto.loop(t[0] // 1073741824):
        out[i * 8:i * 8 + 8, :] = pypto.view(x, [8, 16], [i * 8, 0]) * 2.0
"""
    ),
    example(
        """    t = pypto.tensor([2], pypto.DT_INT32, "t")
    t[0] = n[0]
    for i in pypto.loop(t[0]):
        out[i * 8:i * 8 + 8, :] = pypto.view(x, [8, 16], [i * 8, 0]) * 2.0
"""
    ),
)

# Engines

register(
    Rule(
        code="PTO440",
        name="unknown-engine",
        exc=ValueError,
        title=T("unknown engine", "未知的执行引擎"),
        message=T("engine {engine!r} is not one of: {known}", "引擎 {engine!r} 不在可用列表中：{known}"),
        help=T("choose one of: {known}", "请从以下引擎中选择：{known}"),
        explanation=T(
            "An engine executes the tile IR of a kernel. Engines give the same bits; which ones exist depends on what is "
            "installed.",
            "引擎负责执行 kernel 的 tile IR。各引擎的结果逐位相同；可用的引擎取决于安装内容。",
        ),
        untestable="the settings refuse unknown names before a kernel runs; tests/runtime/test_faults.py calls the engine table itself",
    )
)

register(
    Rule(
        code="PTO441",
        name="denormals-flushed",
        exc=RuntimeError,
        title=T("the process flushes denormal numbers to zero", "进程将非规格化数刷新为零"),
        message=T(
            "this thread treats denormal floating point numbers as zero, so results would not be those of the contract",
            "当前线程把非规格化浮点数当作零，结果将不符合约定",
        ),
        help=T(
            "find the library that was built with -ffast-math, or turn it off: torch.set_flush_denormal(False)",
            "请找出以 -ffast-math 编译的库，或关闭该模式：torch.set_flush_denormal(False)",
        ),
        explanation=T(
            "Arithmetic is defined bit by bit, with denormal numbers kept. A control word of the processor can switch "
            "them off for a thread; some libraries do so when they are loaded. The reference engine refuses to run then.",
            "运算逐位定义，并保留非规格化数。处理器的控制字可以按线程关闭它们；某些库在加载时会这样做。"
            "此时参考引擎拒绝运行。",
        ),
        untestable="needs a control word that other tests must not see; tests/runtime/test_faults.py plants the answer of the probe",
    )
)

fault_rule(
    "PTO442",
    "out-of-memory",
    MemoryError,
    T("not enough memory for a tensor of the kernel", "没有足够的内存存放 kernel 的张量"),
    T("memory for the result of this operation could not be allocated: {why}", "无法为该操作的结果分配内存：{why}"),
    T("process smaller windows: pypto.view inside pypto.loop", "请处理更小的窗口：在 pypto.loop 中使用 pypto.view"),
    T(
        "Every result of an operation needs memory of the host while the kernel runs. Windows of the parameters do not "
        "copy them.",
        "kernel 运行时，每个操作的结果都需要主机内存。参数的窗口不会复制参数本身。",
    ),
    aliases=("F7400C",),
    untestable="an example would have to use up the memory of the machine; tests/runtime/test_faults.py plants the failure",
)

register(
    Rule(
        code="PTO443",
        name="not-compiled",
        severity="warning",
        exc=UserWarning,
        title=T("the kernel runs on the reference engine", "该 kernel 在参考引擎上运行"),
        message=T("the native engine has no code for {what}", "本地引擎尚无对应代码：{what}"),
        help=T(
            "the result is the same, only slower; PYPTO_ENGINE=reference silences this",
            "结果相同，只是较慢；设置 PYPTO_ENGINE=reference 可关闭此提示",
        ),
        explanation=T(
            "A kernel is compiled as a whole or not at all. What the native engine lacks makes the whole kernel run on "
            "the reference engine, which gives the same bits.",
            "kernel 要么整体编译，要么完全不编译。本地引擎缺少的部分会使整个 kernel 改由参考引擎运行，其结果逐位相同。",
        ),
        untestable="what the native engine lacks changes; tests/native/test_engine.py plants an operation it does not know",
    )
)

register(
    Rule(
        code="PTO444",
        name="no-compiler",
        exc=RuntimeError,
        title=T("the native engine is not available here", "此环境中没有本地引擎"),
        message=T(
            "the native engine was asked for, and llvmlite cannot be loaded", "要求使用本地引擎，但无法加载 llvmlite"
        ),
        help=T(
            "install llvmlite, or leave the choice to us: openpto.configure(engine='auto') or PYPTO_ENGINE=auto",
            "请安装 llvmlite，或由系统选择：openpto.configure(engine='auto') 或 PYPTO_ENGINE=auto",
        ),
        explanation=T(
            "The native engine compiles kernels with LLVM, which llvmlite brings. There is no llvmlite for every "
            "interpreter and machine. With the setting auto kernels run natively where they can and on the reference "
            "engine elsewhere, with the same bits.",
            "本地引擎通过 llvmlite 提供的 LLVM 编译 kernel。并非每个解释器和平台都有 llvmlite。"
            "设置为 auto 时，能本地运行则本地运行，否则使用参考引擎，结果逐位相同。",
        ),
        untestable="an example would have to take llvmlite away; tests/kernel/test_engine_choice.py runs a process without it",
    )
)

register(
    Rule(
        code="PTO445",
        name="no-such-stage",
        exc=RuntimeError,
        title=T("the kernel has no code at this stage", "该 kernel 在此阶段没有代码"),
        message=T(
            "stage {stage} was asked for, and the native engine has no code for {what}",
            "要求显示阶段 {stage}，但本地引擎没有对应代码：{what}",
        ),
        help=T("look at the tile IR: --stage tile", "请查看 tile IR：--stage tile"),
        explanation=T(
            "pypto ir shows what the native engine makes of a kernel. A kernel that it does not compile runs on the "
            "reference engine, which works on the tile IR itself.",
            "pypto ir 显示本地引擎对 kernel 的处理结果。未被编译的 kernel 由参考引擎直接按 tile IR 运行。",
        ),
        untestable="what the native engine lacks changes; tests/cli/test_command.py plants an operation it does not know",
    )
)
