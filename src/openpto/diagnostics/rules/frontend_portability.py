"""PTO660 to PTO671, PTO678 and PTO681: control flow that runs here and that one of the toolchains refuses."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register
from openpto.diagnostics.rules.control_examples import COPY, program

_IF = "if {test}:\n    out[:] = x + 1.0\nelse:\n    out[:] = x * 2.0"

register(
    Rule(
        code="PTO660",
        name="cond-in-a-kernel",
        exc=TypeError,
        severity="warning",
        profiles=("0.2",),
        title=T("pypto.cond in a kernel", "kernel 中的 pypto.cond"),
        message=T(
            "{profiles} says: Test condition must be a symbolic scalar or boolean, but got RecordIfBranch",
            "{profiles} 会报：Test condition must be a symbolic scalar or boolean, but got RecordIfBranch",
        ),
        help=T("write the condition itself: if expr:", "直接写条件：if expr:"),
        explanation=T(
            "The older front end wants the bare condition in kernels and pypto.cond in plain helpers only.",
            "旧前端在 kernel 中要求直接写条件，仅在普通辅助函数中使用 pypto.cond。",
        ),
        phrases=("Test condition must be a symbolic scalar or boolean, but got RecordIfBranch",),
        bad=program(_IF.format(test="pypto.cond(count > 1)")),
        good=program(_IF.format(test="count > 1")),
    )
)

register(
    Rule(
        code="PTO661",
        name="symbolic-condition-in-helper",
        exc=ValueError,
        severity="warning",
        profiles=("0.2",),
        title=T("run-time condition in an undecorated helper", "未装饰的辅助函数中的运行期条件"),
        message=T(
            "{profiles} says: Not concrete value, since {name} runs there as plain Python",
            "{profiles} 会报：Not concrete value，因为 {name} 在那里作为普通 Python 运行",
        ),
        help=T(
            "decorate {name} with @pypto.frontend.function, or write if pypto.cond(...)",
            "用 @pypto.frontend.function 装饰 {name}，或写 if pypto.cond(...)",
        ),
        explanation=T(
            "The older front end compiles kernels and marked helpers only; in a plain helper a symbol has no truth "
            "value. This is also what happens to is_loop_begin and is_loop_end there.",
            "旧前端只编译 kernel 和被标记的辅助函数；在普通辅助函数中符号没有真假。is_loop_begin 和 is_loop_end 在那里也是如此。",
        ),
        phrases=("Not concrete value",),
        aliases=("F00002",),
        bad=program(
            "pick(x, count, out)",
            f"def pick(x, count, out):\n    {_IF.format(test='count > 1')}".replace("\n", "\n    ")
            .replace("    def", "def")
            .replace("\n        if", "\n    if"),
        ),
        good=program(_IF.format(test="count > 1")),
    )
)

register(
    Rule(
        code="PTO662",
        name="duplicate-loop-index-name",
        exc=RuntimeError,
        severity="warning",
        profiles=("0.2", "0.3"),
        title=T("nested loops share an index name", "嵌套循环使用同一下标名称"),
        message=T(
            "{profiles} says: Forbid duplicate name of loop idx ({name})",
            "{profiles} 会报：Forbid duplicate name of loop idx（{name}）",
        ),
        help=T("give each nested loop its own idx_name", "为每层嵌套循环使用不同的 idx_name"),
        explanation=T(
            "Index names identify run-time variables in the toolchains. Here they are for messages only. Loops one "
            "after the other may share a name.",
            "工具链用下标名称标识运行期变量，此处仅用于消息。先后的循环可以使用同一名称。",
        ),
        phrases=("Forbid duplicate name of loop idx",),
        aliases=("F21006", "F21007"),
        bad=program(
            'for i in pypto.loop(2, idx_name="i"):\n    for j in pypto.loop(2, idx_name="i"):\n'
            "        out[i * 4:i * 4 + 4, j * 4:j * 4 + 4] = pypto.view(x, [4, 4], [i * 4, j * 4])"
        ),
        good=program(
            'for i in pypto.loop(2, idx_name="i"):\n    for j in pypto.loop(2, idx_name="j"):\n'
            "        out[i * 4:i * 4 + 4, j * 4:j * 4 + 4] = pypto.view(x, [4, 4], [i * 4, j * 4])"
        ),
    )
)

register(
    Rule(
        code="PTO663",
        name="builtin-extreme-of-symbols",
        exc=ValueError,
        severity="warning",
        profiles=("0.2",),
        title=T("builtin min or max of symbols", "对符号使用内建 min 或 max"),
        message=T(
            "{profiles} says: Not concrete value for {which}()", "{profiles} 会报：Not concrete value（{which}()）"
        ),
        help=T("write a.{which}(b) or pypto.{which}(a, b)", "写 a.{which}(b) 或 pypto.{which}(a, b)"),
        explanation=T(
            "Python's min and max compare their arguments while the kernel is traced; the older front end does not map "
            "them to run-time expressions.",
            "Python 的 min 和 max 在追踪时比较参数，旧前端不会把它们映射为运行期表达式。",
        ),
        phrases=("Not concrete value",),
        aliases=("F00002", "OL06"),
        bad=program("for i in pypto.loop(min(count, 2)):\n    out[:] = x + 1.0"),
        good=program("for i in pypto.loop(count.min(2)):\n    out[:] = x + 1.0"),
    )
)

register(
    Rule(
        code="PTO664",
        name="with-in-a-kernel",
        exc=NotImplementedError,
        severity="warning",
        profiles=("0.2", "0.3"),
        title=T("with statement in a kernel", "kernel 中的 with 语句"),
        message=T(
            "{profiles} says: With is not supported by the PTO parser yet",
            "{profiles} 会报：With is not supported by the PTO parser yet",
        ),
        help=T(
            "call the setter instead, such as pypto.set_pass_options(...)",
            "改为调用设置函数，例如 pypto.set_pass_options(...)",
        ),
        explanation=T(
            "Options set in a kernel or loop body are gone at its end anyway, so the setters need no with.",
            "在 kernel 或循环体中设置的选项在其结束时失效，因此设置函数不需要 with。",
        ),
        phrases=("With is not supported by the PTO parser yet",),
        aliases=("F00005",),
        bad=program("with pypto.options(vec_tile_shapes=[8, 8]):\n    out[:] = x + 1.0"),
        good=COPY,
    )
)

register(
    Rule(
        code="PTO665",
        name="keyword-packing-in-helper",
        exc=NotImplementedError,
        severity="warning",
        profiles=("0.2", "0.3"),
        title=T("**kwargs in a helper", "辅助函数中的 **kwargs"),
        message=T(
            "{profiles} says: Keyword argument packing (**kwargs) is not supported ({name} takes **{argument})",
            "{profiles} 会报：Keyword argument packing (**kwargs) is not supported（{name} 使用了 **{argument}）",
        ),
        help=T("name the parameters, or pass a dict", "写出参数名，或传入字典"),
        explanation=T(
            "Helpers with a variable set of keywords work here; neither toolchain compiles them.",
            "带可变关键字的辅助函数在此可用，但两种工具链都不编译。",
        ),
        phrases=("Keyword argument packing (**kwargs) is not supported",),
        aliases=("F00005",),
        bad=program("out[:] = scaled(x, gain=2.0)", "def scaled(x, **named):\n    return x * named['gain']"),
        good=program("out[:] = scaled(x, gain=2.0)", "def scaled(x, gain):\n    return x * gain"),
    )
)

register(
    Rule(
        code="PTO666",
        name="condition-is-no-bool",
        exc=TypeError,
        severity="warning",
        profiles=("0.2",),
        title=T("condition is neither bool nor symbol", "条件既不是 bool 也不是符号"),
        message=T(
            "{profiles} says: Test condition must be a symbolic scalar or boolean, but got {got}",
            "{profiles} 会报：Test condition must be a symbolic scalar or boolean, but got {got}",
        ),
        help=T("write the comparison: if flag != 0:", "写出比较：if flag != 0:"),
        explanation=T(
            "The older front end takes only bool and SymbolicScalar as the test of an if in a kernel.",
            "旧前端在 kernel 的 if 中只接受 bool 和 SymbolicScalar。",
        ),
        phrases=("Test condition must be a symbolic scalar or boolean, but got {got}",),
        aliases=("F00001",),
        bad=program("flag = 1\n" + _IF.format(test="flag")),
        good=program("flag = 1\n" + _IF.format(test="flag != 0")),
    )
)

register(
    Rule(
        code="PTO667",
        name="marked-function-keywords",
        exc=NotImplementedError,
        severity="warning",
        profiles=("0.2",),
        title=T("keywords or defaults for a frontend.function helper", "对 frontend.function 函数使用关键字或默认值"),
        message=T(
            "{profiles} says: Keyword arguments in nested function calls are not supported yet. ({name})",
            "{profiles} 会报：Keyword arguments in nested function calls are not supported yet. （{name}）",
        ),
        help=T("pass every argument by position", "所有参数都按位置传入"),
        explanation=T(
            "The older front end binds the arguments of marked helpers by position and does not fill in defaults.",
            "旧前端按位置绑定被标记辅助函数的参数，不会补上默认值。",
        ),
        phrases=("Keyword arguments in nested function calls are not supported yet.",),
        aliases=("F00005",),
        bad=program("step(x, out=out)", "@pypto.frontend.function\ndef step(x, out):\n    out[:] = x + 1.0"),
        good=program("step(x, out)", "@pypto.frontend.function\ndef step(x, out):\n    out[:] = x + 1.0"),
    )
)

register(
    Rule(
        code="PTO668",
        name="carried-by-rebinding",
        exc=RuntimeError,
        severity="warning",
        profiles=("0.2",),
        title=T("loop hands a rebound name to its next iteration", "循环把重新绑定的名称交给下一次迭代"),
        message=T(
            "{names} travels from iteration to iteration by rebinding; {profiles} keeps the value from before the loop",
            "{names} 通过重新绑定在迭代之间传递；{profiles} 保留循环之前的值",
        ),
        help=T(
            "write tensors in place (acc[:] = acc + t), and compute counters from the loop index",
            "对张量原地写入（acc[:] = acc + t），计数器由循环下标计算",
        ),
        explanation=T(
            "The older front end traces the body once per path, so a Python-level assignment happens once and does not "
            "advance at run time.",
            "旧前端对每条路径只追踪一次循环体，因此 Python 层面的赋值只发生一次，运行时不会推进。",
        ),
        bad=program("acc = x * 1.0\nfor i in pypto.loop(count):\n    acc = acc + 1.0\nout[:] = acc"),
        good=program("acc = x * 1.0\nfor i in pypto.loop(count):\n    acc[:] = acc + 1.0\nout[:] = acc"),
    )
)

register(
    Rule(
        code="PTO669",
        name="logic-on-symbols",
        exc=ValueError,
        severity="warning",
        profiles=("0.2",),
        title=T("Python logic on run-time values", "对运行期的值使用 Python 逻辑运算"),
        message=T(
            "{profiles} has no `{op}` for run-time values (0.2: Not concrete value; 0.3: a conditional expression gives None)",
            "{profiles} 不支持对运行期的值使用 `{op}`（0.2：Not concrete value；0.3：条件表达式得到 None）",
        ),
        help=T(
            "combine conditions with * (and), + (or) and == 0 (not); use if/else instead of a conditional expression",
            "用 *（与）、+（或）和 == 0（非）组合条件；用 if/else 代替条件表达式",
        ),
        explanation=T(
            "Python asks for the truth of the first operand while the kernel is traced. Here such expressions "
            "short-circuit at run time.",
            "Python 在追踪时询问第一个操作数的真假。此处这类表达式在运行时短路求值。",
        ),
        phrases=("Not concrete value",),
        aliases=("F00002",),
        bad=program(_IF.format(test="count > 1 and count < 5")),
        good=program(_IF.format(test="(count > 1) * (count < 5)")),
    )
)

register(
    Rule(
        code="PTO670",
        name="outer-index-in-loop-test",
        exc=ValueError,
        severity="warning",
        profiles=("0.3",),
        title=T("is_loop_begin or is_loop_end of an outer loop", "对外层循环使用 is_loop_begin 或 is_loop_end"),
        message=T(
            "{profiles} tests the innermost loop ({inner}), whatever index is passed",
            "{profiles} 总是测试最内层循环（{inner}），与传入的下标无关",
        ),
        help=T(
            "test the outer loop before the inner one, and keep the result in a name",
            "在内层循环之前测试外层循环，并把结果存入名称",
        ),
        explanation=T(
            "Here the test belongs to the loop of the index. The newer front end compares the index with the bounds "
            "of the innermost enclosing loop and gives a wrong answer.",
            "此处的测试属于该下标所在的循环。新前端把下标与最内层循环的边界比较，会得到错误结果。",
        ),
        bad=program(
            "for i in pypto.loop(count):\n    for j in pypto.loop(2):\n        if pypto.is_loop_begin(i):\n"
            "            out[:] = x + 1.0"
        ),
        good=program("for i in pypto.loop(count):\n    if pypto.is_loop_begin(i):\n        out[:] = x + 1.0"),
    )
)

register(
    Rule(
        code="PTO671",
        name="statement-of-the-newer-front-end",
        exc=NotImplementedError,
        severity="warning",
        profiles=("0.2",),
        title=T("statement that only the newer front end compiles", "只有新前端才能编译的语句"),
        message=T(
            "{profiles} says: {node} is not supported by the PTO parser yet",
            "{profiles} 会报：{node} is not supported by the PTO parser yet",
        ),
        help=T(
            "move the statement into a plain helper, which runs as Python there, or write a for over known values",
            "把该语句移到普通辅助函数中（在那里作为 Python 运行），或对已知值使用 for",
        ),
        explanation=T(
            "The older front end executes a kernel statement by statement and knows assignment to names and "
            "subscripts, for, if and plain calls only.",
            "旧前端逐条执行 kernel 语句，只认识对名称和下标的赋值、for、if 和普通调用。",
        ),
        phrases=("{node} is not supported by the PTO parser yet",),
        aliases=("F00005",),
        bad=program("k = 0\nwhile k < 3:\n    k = k + 1\nout[:] = x + float(k)"),
        good=program("k = 0\nfor _ in range(3):\n    k = k + 1\nout[:] = x + float(k)"),
    )
)

register(
    Rule(
        code="PTO678",
        name="marked-function-return-annotation",
        exc=ValueError,
        severity="warning",
        profiles=("0.2",),
        title=T("return annotation of a frontend.function helper", "frontend.function 函数的返回值注解"),
        message=T(
            "{profiles} says: Return annotation is not allowed in nested functions ({name})",
            "{profiles} 会报：Return annotation is not allowed in nested functions（{name}）",
        ),
        help=T("remove '-> ...' from the def line of {name}", "请删除 {name} 的 def 行上的 '-> ...'"),
        explanation=T(
            "The older front end inlines marked helpers and parses their headers as it parses those of kernels. Here the "
            "annotation has no effect.",
            "旧前端会内联被标记的辅助函数，并像解析 kernel 那样解析其函数头。在这里该注解没有作用。",
        ),
        phrases=("Return annotation is not allowed in nested functions",),
        bad=program("step(x, out)", "@pypto.frontend.function\ndef step(x, out) -> None:\n    out[:] = x + 1.0"),
        good=program("step(x, out)", "@pypto.frontend.function\ndef step(x, out):\n    out[:] = x + 1.0"),
    )
)

register(
    Rule(
        code="PTO681",
        name="loop-stored-in-a-name",
        exc=NotImplementedError,
        severity="warning",
        profiles=("0.3",),
        title=T("pypto.loop is not written in the for statement", "pypto.loop 没有写在 for 语句中"),
        message=T(
            "{profiles} says: Function should not be called directly (loop {name} was made elsewhere)",
            "{profiles} 会报：Function should not be called directly（循环 {name} 在别处创建）",
        ),
        help=T("write it where it is used: for i in pypto.loop(...):", "写在使用处：for i in pypto.loop(...):"),
        explanation=T(
            "The newer front end compiles the for statement and looks for the call in its text. A loop object that comes "
            "out of a name or container is not found there.",
            "新前端编译 for 语句时在其文本中查找该调用，不会识别来自名称或容器的循环对象。",
        ),
        phrases=("Function should not be called directly",),
        aliases=("F00005",),
        bad=program("steps = pypto.loop(2)\nfor i in steps:\n    out[:] = x + 1.0"),
        good=program("for i in pypto.loop(2):\n    out[:] = x + 1.0"),
    )
)
