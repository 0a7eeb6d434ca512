"""PTO101 to PTO134: source text, syntax, names and conditions of kernels."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register
from openpto.diagnostics.rules.control_examples import COPY, program

register(
    Rule(
        code="PTO101",
        name="no-source-text",
        exc=RuntimeError,
        title=T("source text of a kernel is missing", "缺少 kernel 的源代码"),
        message=T("the source of {name} cannot be read: {why}", "无法读取 {name} 的源代码：{why}"),
        help=T(
            "define the kernel in a file or notebook cell; for text run by exec, put it into linecache.cache under the "
            "file name given to compile()",
            "在文件或 notebook 单元中定义 kernel；对于 exec 执行的文本，请以 compile() 所用的文件名放入 linecache.cache",
        ),
        explanation=T(
            "Control flow of a kernel is rewritten from its source text, which is captured when the kernel is "
            "decorated. Code made by exec or eval has no text that Python keeps.",
            "kernel 的控制流由装饰时捕获的源代码改写而来。由 exec 或 eval 产生的代码没有 Python 保留的文本。",
        ),
        bad=(
            "import numpy as np\nimport pypto\n\n"
            'TEXT = """\n@pypto.frontend.jit\ndef kernel(out: pypto.Tensor([8, 8], pypto.DT_FP32)):\n'
            '    pypto.set_vec_tile_shapes(8, 8)\n    out[:] = out + 1.0\n"""\n\n\n'
            'def run():\n    space = {"pypto": pypto}\n    exec(TEXT, space)\n'
            '    space["kernel"](np.zeros((8, 8), np.float32))\n'
        ),
        good=(
            "import linecache\n\nimport numpy as np\nimport pypto\n\n"
            'TEXT = """\n@pypto.frontend.jit\ndef kernel(out: pypto.Tensor([8, 8], pypto.DT_FP32)):\n'
            '    pypto.set_vec_tile_shapes(8, 8)\n    out[:] = out + 1.0\n"""\n\n\n'
            'def run():\n    space = {"pypto": pypto}\n'
            '    linecache.cache["<made>"] = (len(TEXT), None, TEXT.splitlines(True), "<made>")\n'
            '    exec(compile(TEXT, "<made>", "exec"), space)\n    space["kernel"](np.zeros((8, 8), np.float32))\n'
        ),
    )
)

register(
    Rule(
        code="PTO103",
        name="function-needs-a-function",
        exc=TypeError,
        title=T("frontend.function marks plain functions", "frontend.function 只能标记普通函数"),
        message=T("frontend.function got an object of type {got}", "frontend.function 收到类型为 {got} 的对象"),
        help=T("decorate a function defined with def", "请装饰用 def 定义的函数"),
        explanation=T(
            "The marked function's source text becomes part of the kernels that call it, so it must have one.",
            "被标记函数的源代码会成为调用它的 kernel 的一部分，因此必须是有源代码的函数。",
        ),
        bad="import pypto\n\n\ndef run():\n    pypto.frontend.function(print)\n",
        good="import pypto\n\n\ndef helper(x):\n    return x\n\n\ndef run():\n    pypto.frontend.function(helper)\n",
    )
)

register(
    Rule(
        code="PTO110",
        name="unsupported-statement",
        exc=NotImplementedError,
        title=T("statement cannot stand in a kernel", "kernel 中不能使用该语句"),
        message=T(
            "{node} is not supported by the PTO parser yet, nor does it have a meaning for a recorded program",
            "{node} is not supported by the PTO parser yet，对被记录的程序也没有意义",
        ),
        help=T("{instead}", "改写方法：{instead}"),
        explanation=T(
            "A kernel is traced once and run many times, so statements that act on Python itself have no run-time "
            "meaning. Both toolchains refuse try, import, class, global, nonlocal, yield, await and with.",
            "kernel 只追踪一次而运行多次，作用于 Python 本身的语句没有运行期含义。"
            "两种工具链都拒绝 try、import、class、global、nonlocal、yield、await 和 with。",
        ),
        phrases=("{node} is not supported by the PTO parser yet",),
        aliases=("F00005",),
        bad=program("try:\n    out[:] = x + 1.0\nexcept ValueError:\n    out[:] = x"),
        good=COPY,
    )
)

register(
    Rule(
        code="PTO111",
        name="variadic-definition",
        exc=NotImplementedError,
        title=T("*args in a kernel or helper", "kernel 或辅助函数中的 *args"),
        message=T(
            "Variable-length arguments (*args) are not supported: {name} takes *{argument}",
            "Variable-length arguments (*args) are not supported：{name} 使用了 *{argument}",
        ),
        help=T("pass a list or tuple as one argument", "把列表或元组作为一个参数传入"),
        explanation=T(
            "Neither toolchain compiles functions with a variable number of arguments. Star arguments in calls are fine.",
            "两种工具链都不编译可变参数的函数。调用时使用星号参数没有问题。",
        ),
        phrases=("Variable-length arguments (*args) are not supported",),
        aliases=("F00005",),
        bad=program("out[:] = total(x, x)", "def total(*parts):\n    return parts[0] + parts[1]"),
        good=program("out[:] = total([x, x])", "def total(parts):\n    return parts[0] + parts[1]"),
    )
)

register(
    Rule(
        code="PTO112",
        name="loop-else",
        exc=NotImplementedError,
        exc_in={"0.3": SyntaxError},
        title=T("else clause of a loop", "循环的 else 子句"),
        message=T(
            "{kind}-else clauses are not supported", "{kind}-else clauses are not supported（循环不支持 else 子句）"
        ),
        help=T("write the statements after the loop", "把这些语句写在循环之后"),
        explanation=T(
            "The else clause runs when no break happened, which a recorded loop cannot know. Both toolchains refuse it.",
            "else 子句在没有 break 时运行，被记录的循环无法得知。两种工具链都拒绝它。",
        ),
        phrases=("{kind}-else clauses are not supported",),
        aliases=("F00005",),
        bad=program("for i in range(2):\n    t = x + 1.0\nelse:\n    t = x\nout[:] = t"),
        good=program("for i in range(2):\n    t = x + 1.0\nout[:] = t"),
    )
)

register(
    Rule(
        code="PTO113",
        name="return-in-kernel",
        exc=ValueError,
        exc_in={"0.3": SyntaxError},
        title=T("return in a kernel", "kernel 中的 return"),
        message=T(
            "Return statements are not allowed in a kernel: {name} has `{text}`, and results go into its tensor parameters",
            "Return statements are not allowed：kernel {name} 中有 `{text}`，而结果应写入 tensor 参数",
        ),
        help=T("write out[:] = ..., or put the statements under an if", "写 out[:] = ...，或把语句放到 if 下"),
        explanation=T(
            "Calling a kernel always gives None, and both toolchains refuse any return in it. Helpers may return.",
            "调用 kernel 总是得到 None，两种工具链都拒绝其中的 return。辅助函数可以 return。",
        ),
        phrases=("Return statements are not allowed",),
        aliases=("F00002", "OL03"),
        bad=program("out[:] = x + 1.0\nreturn"),
        good=COPY,
    )
)

register(
    Rule(
        code="PTO114",
        name="jump-in-loop",
        exc=SyntaxError,
        exc_in={"0.2": NotImplementedError},
        title=T("break, continue or return in a run-time loop", "运行期循环中的 break、continue 或 return"),
        message=T(
            "{jump} is not supported in pypto.loop ({statement} is not supported by the PTO parser yet)",
            "运行期循环不支持 {jump}：{jump} is not supported in pypto.loop（{statement} is not supported by the PTO parser yet）",
        ),
        help=T(
            "put the rest of the body under an if, or compute the loop bound beforehand",
            "把循环体的其余部分放到 if 下，或事先计算循环上界",
        ),
        explanation=T(
            "A run-time loop executes its body once per index; the device has no way to leave it early. Ordinary Python "
            "loops over known values may use break and continue.",
            "运行期循环对每个下标执行一次循环体，设备无法提前离开。对已知值的普通 Python 循环可以使用 break 和 continue。",
        ),
        phrases=("{jump} is not supported in pypto.loop", "{statement} is not supported by the PTO parser yet"),
        aliases=("F00005",),
        bad=program("for i in pypto.loop(count):\n    out[:] = x + 1.0\n    break"),
        good=program("for i in pypto.loop(count):\n    out[:] = x + 1.0"),
    )
)

register(
    Rule(
        code="PTO115",
        name="jump-under-symbol",
        exc=ValueError,
        title=T("jump under a condition known only at run time", "在运行期才知道的条件下跳转"),
        message=T(
            "Not concrete value: the {jump} in line {where} would depend on a run-time condition",
            "Not concrete value：第 {where} 行的 {jump} 取决于运行期条件",
        ),
        help=T(
            "assign in both branches and go on after the if, instead of jumping",
            "在两个分支中赋值，然后在 if 之后继续，而不是跳转",
        ),
        explanation=T(
            "Both branches of a symbolic if are recorded, so the code after it belongs to both. A jump under a "
            "condition that is known while tracing works.",
            "符号 if 的两个分支都会被记录，其后的代码属于两者。条件在追踪时已知的跳转没有问题。",
        ),
        phrases=("Not concrete value",),
        aliases=("F00002",),
        bad=program(
            "out[:] = pick(x, count)",
            "@pypto.frontend.function\ndef pick(x, c):\n    if c > 1:\n        return x + 1.0\n    return x",
        ),
        good=program(
            "out[:] = pick(x, count)",
            "@pypto.frontend.function\ndef pick(x, c):\n    if c > 1:\n        t = x + 1.0\n    else:\n"
            "        t = x * 1.0\n    return t",
        ),
    )
)

register(
    Rule(
        code="PTO117",
        name="raise-under-symbol",
        exc=ValueError,
        title=T("raise under a condition known only at run time", "在运行期才知道的条件下 raise"),
        message=T(
            "raise runs while the kernel is traced, and here it would depend on the run-time condition in {condition}",
            "raise 在追踪 kernel 时执行，而这里它取决于 {condition} 处的运行期条件",
        ),
        help=T("check the condition on the host before calling the kernel", "在调用 kernel 之前在主机上检查该条件"),
        explanation=T(
            "Both branches of a symbolic if are traced, so the exception would be raised whatever the condition is.",
            "符号 if 的两个分支都会被追踪，因此无论条件如何异常都会抛出。",
        ),
        bad=program("if count > 5:\n    raise ValueError('too many')\nout[:] = x + 1.0"),
        good=COPY,
    )
)

register(
    Rule(
        code="PTO120",
        name="name-not-defined",
        exc=NameError,
        title=T("name has no value", "名称没有值"),
        message=T("name '{name}' is not defined", "name '{name}' is not defined（名称未定义）"),
        help=T("assign {name} before this line on every path", "在到达此行的每条路径上先给 {name} 赋值"),
        explanation=T(
            "Nothing has bound the name when this line is traced. Names bound in a loop body exist after the loop, "
            "except for the loop variable.",
            "追踪到此行时该名称尚未绑定。循环体中绑定的名称在循环之后存在，循环变量除外。",
        ),
        phrases=("name '{name}' is not defined",),
        aliases=("F00004",),
        bad=program("out[:] = x + offset"),
        good=program("offset = 1.0\nout[:] = x + offset"),
    )
)

register(
    Rule(
        code="PTO121",
        name="set-in-one-branch",
        exc=NameError,
        title=T("name is set in one branch only", "名称只在一个分支中赋值"),
        message=T(
            "name '{name}' is not defined on the other path: it is set at {set} only, under the condition at {test}",
            "name '{name}' is not defined：它只在 {set} 处、在 {test} 的条件下赋值，另一路径上没有值",
        ),
        help=T("assign {name} before the if, or in both branches", "在 if 之前或在两个分支中都给 {name} 赋值"),
        explanation=T(
            "The condition is known only at run time, so the name would have no value whenever the other branch runs.",
            "该条件在运行时才知道，因此当另一分支运行时该名称没有值。",
        ),
        phrases=("name '{name}' is not defined",),
        aliases=("F00004",),
        bad=program("if count > 1:\n    t = x + 1.0\nout[:] = t"),
        good=program("t = x * 1.0\nif count > 1:\n    t = x + 1.0\nout[:] = t"),
    )
)

register(
    Rule(
        code="PTO122",
        name="conflicting-branches",
        exc=RuntimeError,
        title=T("branches leave different things in a name", "两个分支在同一名称中留下不同的东西"),
        message=T(
            "Conflicted var {name}: {why}; set at {then_line} and {other_line}",
            "Conflicted var {name}：{why}；分别在 {then_line} 和 {other_line} 处赋值",
        ),
        help=T(
            "give both branches one shape and dtype, or one integer or equal objects; or use two names",
            "让两个分支的张量具有相同的形状和 dtype，或都是整数、相等的对象；或使用两个名称",
        ),
        explanation=T(
            "After an if on a run-time condition a name can stand for two tensors of one shape and dtype, for two "
            "integers, or for equal Python objects. Anything else has no single type.",
            "在运行期条件的 if 之后，一个名称可以代表形状和 dtype 相同的两个张量、两个整数或相等的 Python 对象，其他情况没有统一的类型。",
        ),
        phrases=("Conflicted var {name}",),
        bad=program(
            "if count > 1:\n    t = x + 1.0\nelse:\n    t = pypto.view(x, [4, 8], [0, 0])\n"
            "out[:] = pypto.sum(t, 0, True) + x"
        ),
        good=program("if count > 1:\n    t = x + 1.0\nelse:\n    t = x * 2.0\nout[:] = t"),
    )
)

register(
    Rule(
        code="PTO123",
        name="index-after-loop",
        exc=NameError,
        title=T("loop variable is read after its loop", "循环之后读取循环变量"),
        message=T(
            "{name} is the index of the loop at {loop_line} and has no value after it",
            "{name} 是 {loop_line} 处循环的下标，循环之后没有值",
        ),
        help=T("store what is needed in another name inside the loop", "在循环内把需要的值存入另一个名称"),
        explanation=T(
            "The index exists on the device only while the loop runs; no toolchain keeps its last value.",
            "下标只在循环运行时存在于设备上，任何工具链都不保留其最后的值。",
        ),
        bad=program(
            "for i in pypto.loop(8):\n    out[i:i + 1, 0:8] = pypto.view(x, [1, 8], [i, 0])\nif i > 3:\n    out[:] = x"
        ),
        good=program("for i in pypto.loop(8):\n    out[i:i + 1, 0:8] = pypto.view(x, [1, 8], [i, 0])"),
    )
)

register(
    Rule(
        code="PTO124",
        name="shape-of-the-loop-after-it",
        exc=ValueError,
        title=T("tensor whose shape belongs to a loop is used after it", "循环之后使用形状取决于循环内部的张量"),
        message=T(
            "{name} takes its shape from the index or from a scalar that is read inside the loop at {loop_line}; "
            "after the loop there is no such shape",
            "{name} 的形状取决于 {loop_line} 处循环的下标或循环内读取的标量；循环之后不存在这样的形状",
        ),
        help=T(
            "store {name} in a tensor that is declared before the loop, with a shape known there and valid_shape for "
            "the rest",
            "把 {name} 存入循环之前声明的张量，其形状在那里已知，其余部分用 valid_shape 表示",
        ),
        explanation=T(
            "A tensor outlives a loop only if its capacity is known outside: memory is reserved by shape. Extents that "
            "change from iteration to iteration are what valid_shape is for.",
            "只有容量在循环之外已知的张量才能在循环之后继续存在：内存按形状分配。随迭代变化的长度应使用 valid_shape 表示。",
        ),
        bad=program(
            "for i in pypto.loop(2):\n"
            "    t = pypto.tensor([i + 1, 8], pypto.DT_FP32)\n"
            "    pypto.assemble(pypto.view(x, [1, 8], [i, 0]), [0, 0], t)\n"
            "pypto.assemble(pypto.view(t, [1, 8], [0, 0]), [0, 0], out)"
        ),
        good=program(
            "t = pypto.tensor([2, 8], pypto.DT_FP32)\n"
            "for i in pypto.loop(2):\n"
            "    pypto.assemble(pypto.view(x, [1, 8], [i, 0]), [i, 0], t)\n"
            "pypto.assemble(pypto.view(t, [1, 8], [0, 0]), [0, 0], out)"
        ),
    )
)

register(
    Rule(
        code="PTO130",
        name="condition-type",
        exc=TypeError,
        title=T("value cannot be a condition", "该值不能作为条件"),
        message=T(
            "Test condition must be a symbolic scalar or boolean, but got {got}",
            "Test condition must be a symbolic scalar or boolean, but got {got}（条件必须是符号标量或布尔值）",
        ),
        help=T(
            "choose per element with pypto.where(a, x, y) and join conditions with pypto.logical_and(a, b); for one decision "
            "compare an element that is read as a scalar, such as t[0, 0] > 0 of an integer tensor",
            "逐元素选择请用 pypto.where(a, x, y)，条件用 pypto.logical_and(a, b) 组合；单个判断请比较读取为标量的元素，例如整数张量的 "
            "t[0, 0] > 0",
        ),
        explanation=T(
            "A tensor has many values and none of them is known while the kernel is traced. Choose element by element "
            "with pypto.where.",
            "张量有许多值，追踪时都未知。若要逐元素选择，请使用 pypto.where。",
        ),
        phrases=("Test condition must be a symbolic scalar or boolean, but got {got}",),
        aliases=("F00001",),
        bad=program("if x:\n    out[:] = x + 1.0"),
        good=program("if count > 0:\n    out[:] = x + 1.0"),
    )
)

register(
    Rule(
        code="PTO131",
        name="symbol-asked-now",
        exc=ValueError,
        title=T("run-time value is needed while tracing", "追踪时需要运行期的值"),
        message=T(
            "Not concrete value: {what} needs a value that is known now, got {expr}",
            "Not concrete value：{what} 需要现在已知的值，得到 {expr}",
        ),
        help=T(
            "use `for i in pypto.loop(...)` for repetition and `if` for choice; both take symbols",
            "重复请用 `for i in pypto.loop(...)`，选择请用 `if`，两者都接受符号",
        ),
        explanation=T(
            "while, assert, comprehensions and match run in Python while the kernel is traced, when sizes and "
            "values read from tensors are not known.",
            "while、assert、推导式和 match 在追踪 kernel 时由 Python 执行，那时尺寸和从张量读取的值尚未知。",
        ),
        phrases=("Not concrete value",),
        aliases=("F00002",),
        bad=program("while count > 0:\n    out[:] = x + 1.0"),
        good=program("for i in pypto.loop(count):\n    out[:] = x + 1.0"),
    )
)

register(
    Rule(
        code="PTO132",
        name="membership-of-symbol",
        exc=ValueError,
        title=T("`in` with a value known only at run time", "对运行期的值使用 `in`"),
        message=T(
            "Not concrete value: whether {expr} is among the members is known only at run time",
            "Not concrete value：{expr} 是否在其中要到运行时才知道",
        ),
        help=T("write the comparisons: (n == 2) + (n == 4) > 0", "写成比较：(n == 2) + (n == 4) > 0"),
        explanation=T(
            "Python searches a container while the kernel is traced and needs the truth of each comparison then.",
            "Python 在追踪 kernel 时搜索容器，届时就需要每个比较的真假。",
        ),
        phrases=("Not concrete value",),
        aliases=("F00002",),
        bad=program("if count in (2, 4):\n    out[:] = x + 1.0"),
        good=program("if (count == 2) + (count == 4) > 0:\n    out[:] = x + 1.0"),
    )
)

register(
    Rule(
        code="PTO133",
        name="expression-of-two-kinds",
        exc=ValueError,
        title=T("operands of a run-time choice differ in kind", "运行期选择的两个操作数类型不同"),
        message=T(
            "Not concrete value: `{op}` on a run-time condition yields {a} or {b}, which have no common type",
            "Not concrete value：运行期条件的 `{op}` 得到 {a} 或 {b}，两者没有共同类型",
        ),
        help=T(
            "let both sides be tensors of one shape and dtype, or integers",
            "让两侧是形状和 dtype 相同的张量，或都是整数",
        ),
        explanation=T(
            "The value of the expression is chosen at run time, so both operands need one type.",
            "表达式的值在运行时选择，因此两个操作数需要同一类型。",
        ),
        phrases=("Not concrete value",),
        aliases=("F00002",),
        bad=program("gain = 2.0 if count > 1 else 3.0\nout[:] = x * gain"),
        good=program("if count > 1:\n    out[:] = x * 2.0\nelse:\n    out[:] = x * 3.0"),
    )
)

register(
    Rule(
        code="PTO134",
        name="range-of-symbol",
        exc=TypeError,
        title=T("range() of a run-time value", "对运行期的值使用 range()"),
        message=T(
            "range() not support symbolic scalar yet, try use pypto.loop: {expr} is known only at run time",
            "range() not support symbolic scalar yet, try use pypto.loop：{expr} 在运行时才知道",
        ),
        help=T("write for i in pypto.loop({expr})", "写成 for i in pypto.loop({expr})"),
        explanation=T(
            "Python runs range() while the kernel is traced and unrolls the loop; the number of iterations must be known.",
            "Python 在追踪 kernel 时执行 range() 并展开循环，迭代次数必须已知。",
        ),
        phrases=("range() not support symbolic scalar yet, try use pypto.loop",),
        aliases=("F00001",),
        bad=program("for i in range(count):\n    out[:] = x + 1.0"),
        good=program("for i in pypto.loop(count):\n    out[:] = x + 1.0"),
    )
)
