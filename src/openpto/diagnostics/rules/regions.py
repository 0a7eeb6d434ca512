"""PTO140 to PTO182: loops, carried names, helpers, limits of a trace."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register
from openpto.diagnostics.rules.control_examples import COPY, program

register(
    Rule(
        code="PTO140",
        name="carried-tensor-changes",
        exc=TypeError,
        title=T("tensor changes shape or dtype from iteration to iteration", "张量在迭代之间改变形状或 dtype"),
        message=T(
            "{name} is {head} at the start of an iteration and {end} at its end (stored at {stored})",
            "{name} 在一次迭代开始时是 {head}，结束时是 {end}（在 {stored} 处赋值）",
        ),
        help=T("keep one shape and dtype, or use another name", "保持同一形状和 dtype，或使用另一个名称"),
        explanation=T(
            "A name that one iteration hands to the next has one shape and dtype on the device. A change in the first "
            "iteration only is accepted: that iteration is compiled apart.",
            "由一次迭代交给下一次的名称在设备上只有一种形状和 dtype。仅在第一次迭代中改变是允许的，该次迭代会单独编译。",
        ),
        bad=program(
            "t = pypto.view(x, [8, 8], [0, 0])\nfor i in pypto.loop(count):\n    t = pypto.concat([t, t], 0)\n"
            "out[:] = pypto.view(t, [8, 8], [0, 0])"
        ),
        good=program("t = pypto.concat([x, x], 0)\nout[:] = pypto.view(t, [8, 8], [0, 0])"),
    )
)

register(
    Rule(
        code="PTO141",
        name="carried-float",
        exc=TypeError,
        title=T("Python float changes in a run-time loop", "Python 浮点数在运行期循环中改变"),
        message=T(
            "{name} is a float that changes from iteration to iteration (stored at {stored})",
            "{name} 是在迭代之间改变的浮点数（在 {stored} 处赋值）",
        ),
        help=T(
            "keep it in a tensor of one element: s = pypto.full([1, 1], 0.0, pypto.DT_FP32); s[:] = s + 1.0",
            "用单元素张量保存：s = pypto.full([1, 1], 0.0, pypto.DT_FP32); s[:] = s + 1.0",
        ),
        explanation=T(
            "Scalars that change at run time are int64 on the control core; there are no run-time floats outside of "
            "tensors.",
            "运行期变化的标量在控制核上是 int64，张量之外没有运行期浮点数。",
        ),
        bad=program("s = 1.0\nfor i in pypto.loop(count):\n    s = s * 2.0\nout[:] = x * s"),
        good=program("s = pypto.full([8, 8], 1.0, F)\nfor i in pypto.loop(count):\n    s[:] = s * 2.0\nout[:] = x * s"),
    )
)

register(
    Rule(
        code="PTO142",
        name="carried-name-changes-kind",
        exc=TypeError,
        title=T("name changes its kind from iteration to iteration", "名称在迭代之间改变类型"),
        message=T(
            "{name} is {head} at the start of an iteration and {end} at its end (stored at {stored})",
            "{name} 在一次迭代开始时是 {head}，结束时是 {end}（在 {stored} 处赋值）",
        ),
        help=T("use different names for different things", "不同的东西使用不同的名称"),
        explanation=T(
            "What one iteration hands to the next must be of one kind: a tensor, an integer, or a Python object that "
            "stays the same. The first iteration may differ from the others.",
            "由一次迭代交给下一次的东西必须是同一类：张量、整数或保持不变的 Python 对象。第一次迭代可以不同。",
        ),
        bad=program(
            'mode = "a"\nfor i in pypto.loop(count):\n    out[:] = x + float(len(mode))\n    mode = mode + "a"'
        ),
        good=program("for i in pypto.loop(count):\n    out[:] = x + 1.0"),
    )
)

register(
    Rule(
        code="PTO143",
        name="container-changes-structure",
        exc=ValueError,
        title=T("container grows or shrinks under run-time control flow", "容器在运行期控制流中增减元素"),
        message=T(
            "{name} has {before} entries at the start of the {region} and {after} after it",
            "{name} 在 {region} 开始时有 {before} 个元素，之后有 {after} 个",
        ),
        help=T(
            "create all entries before, and change them in place; or use a Python loop over known values",
            "事先创建所有元素并原地修改，或使用对已知值的 Python 循环",
        ),
        explanation=T(
            "The body is traced once, so appending would happen once, not once per iteration. Entries of a fixed "
            "structure are carried one by one.",
            "循环体只追踪一次，因此 append 也只发生一次，而不是每次迭代一次。结构固定的元素会被逐个传递。",
        ),
        bad=program("parts = []\nfor i in pypto.loop(count):\n    parts.append(x + 1.0)\nout[:] = parts[0]"),
        good=program("parts = []\nfor i in range(3):\n    parts.append(x + 1.0)\nout[:] = parts[0]"),
    )
)

register(
    Rule(
        code="PTO145",
        name="written-through-another-name",
        exc=RuntimeError,
        title=T("tensor is written under one of two names", "张量通过两个名称之一被写入"),
        message=T(
            "{name} and {other} may be one tensor since {since}; {written} was written at {line} and {name} is read here",
            "自 {since} 起 {name} 与 {other} 可能是同一张量；{written} 在 {line} 处被写入，而此处读取 {name}",
        ),
        help=T(
            "bind the name to a new tensor (pypto.clone), or write in place in every iteration and branch",
            "把名称绑定到新张量（pypto.clone），或在每次迭代和每个分支中都原地写入",
        ),
        explanation=T(
            "A name that is rebound in a loop or branch stands for one of several tensors, chosen at run time. Writing "
            "in place through one name and reading through another would need to know which.",
            "在循环或分支中重新绑定的名称代表若干张量之一，在运行时选择。通过一个名称原地写入并通过另一个读取，需要知道是哪一个。",
        ),
        bad=program(
            "a, b = x * 1.0, x * 2.0\nif count > 1:\n    t = a\nelse:\n    t = b\nt[:] = x * 5.0\nout[:] = a + b"
        ),
        good=program(
            "a, b = x * 1.0, x * 2.0\nif count > 1:\n    a[:] = x * 5.0\nelse:\n    b[:] = x * 5.0\nout[:] = a + b"
        ),
    )
)

register(
    Rule(
        code="PTO146",
        name="container-of-two",
        exc=RuntimeError,
        title=T("container is changed under one of two names", "容器通过两个名称之一被修改"),
        message=T(
            "{name} is one of two containers after this, depending on the run, and is within reach as {names}; one of "
            "them is changed in place later",
            "此后 {name} 取决于运行情况是两个容器之一，可通过 {names} 访问，其中之一后来被原地修改",
        ),
        help=T(
            "change the entries of {name} in both branches instead of binding it anew, or do not change it in place",
            "在两个分支中修改 {name} 的元素而不是重新绑定，或不要原地修改它",
        ),
        explanation=T(
            "A name that is rebound under run-time control flow stands for one of two Python containers. A change in "
            "place would have to reach the other names of the one that was chosen, which is not known while tracing.",
            "在运行期控制流中重新绑定的名称代表两个 Python 容器之一。原地修改应当影响被选中容器的其他名称，而追踪时并不知道选中了哪一个。",
        ),
        bad=program(
            "a, b = [x * 1.0], [x * 2.0]\ns = a\nif count > 1:\n    s = b\ns[0] = x * 5.0\nout[:] = a[0] + b[0]"
        ),
        good=program(
            "a, b = [x * 1.0], [x * 2.0]\nif count > 1:\n    b[0] = x * 5.0\nelse:\n    a[0] = x * 5.0\n"
            "out[:] = a[0] + b[0]"
        ),
    )
)

register(
    Rule(
        code="PTO151",
        name="nested-parallel-loops",
        exc=RuntimeError,
        title=T("parallel loop inside a parallel loop", "并行循环中嵌套并行循环"),
        message=T(
            "The parallel attribute value does not allow nesting: {name} stands in {outer}, which is parallel too",
            "The parallel attribute value does not allow nesting：{name} 位于同样并行的 {outer} 中",
        ),
        help=T("drop parallel=True on one of the loops", "去掉其中一个循环的 parallel=True"),
        explanation=T(
            "A device distributes the iterations of one loop over its cores; a second level cannot be distributed.",
            "设备把一个循环的迭代分配到各个核上，第二层无法再分配。",
        ),
        phrases=("The parallel attribute value does not allow nesting",),
        aliases=("F21001",),
        bad=program(
            "for i in pypto.loop(2, parallel=True):\n    for j in pypto.loop(2, parallel=True):\n"
            "        out[i * 4:i * 4 + 4, j * 4:j * 4 + 4] = pypto.view(x, [4, 4], [i * 4, j * 4])"
        ),
        good=program(
            "for i in pypto.loop(2, parallel=True):\n    for j in pypto.loop(2):\n"
            "        out[i * 4:i * 4 + 4, j * 4:j * 4 + 4] = pypto.view(x, [4, 4], [i * 4, j * 4])"
        ),
    )
)

register(
    Rule(
        code="PTO152",
        name="loop-iterator-type",
        exc=TypeError,
        title=T("for over something that is no sequence", "for 遍历的不是序列"),
        message=T(
            "{also} Loop iterator must be range  Iterator, or list/tuple, but got {got}",
            "不能遍历：{also} Loop iterator must be range  Iterator, or list/tuple, but got {got}",
        ),
        help=T("write for i in pypto.loop(n) and index with i", "写 for i in pypto.loop(n) 并用 i 作下标"),
        explanation=T(
            "A tensor is not iterable, and an integer known only at run time is the bound of a loop, not a sequence.",
            "张量不可迭代；运行时才知道的整数是循环的上界，不是序列。",
        ),
        phrases=("Loop iterator must be range  Iterator, or list/tuple, but got {got}", "{also}"),
        aliases=("F00001",),
        bad=program("for row in x:\n    out[:] = x + 1.0"),
        good=program("for i in pypto.loop(8):\n    out[i:i + 1, 0:8] = pypto.view(x, [1, 8], [i, 0])"),
    )
)

register(
    Rule(
        code="PTO153",
        name="loop-target-unpacks",
        exc=TypeError,
        title=T("loop index cannot be unpacked", "循环下标不能解包"),
        message=T(
            "Expected tuple/list for unpacking, got SymbolicScalar: pypto.loop gives one index, and the target is {target}",
            "Expected tuple/list for unpacking, got SymbolicScalar：pypto.loop 只给出一个下标，而循环目标是 {target}",
        ),
        help=T(
            "write for {first} in pypto.loop(...), or nest two loops",
            "写 for {first} in pypto.loop(...)，或嵌套两个循环",
        ),
        explanation=T(
            "pypto.loop yields its index; only pypto.loop_unroll yields a pair.",
            "pypto.loop 产生一个下标；只有 pypto.loop_unroll 产生一对。",
        ),
        phrases=("Expected tuple/list for unpacking, got SymbolicScalar",),
        aliases=("F00001",),
        bad=program("for i, j in pypto.loop(2):\n    out[:] = x + 1.0"),
        good=program("for i in pypto.loop(2):\n    out[:] = x + 1.0"),
    )
)

register(
    Rule(
        code="PTO154",
        name="unroll-target",
        exc=ValueError,
        title=T("loop_unroll needs two names", "loop_unroll 需要两个名称"),
        message=T(
            "pypto.loop_unroll gives (index, k), and the target is {target}: it must be two names",
            "pypto.loop_unroll 给出 (index, k)，而循环目标是 {target}：必须是两个名称",
        ),
        help=T("write for i, k in pypto.loop_unroll(...)", "写 for i, k in pypto.loop_unroll(...)"),
        explanation=T(
            "k says how many consecutive steps the body handles in this version of the loop; ignoring it would skip "
            "iterations.",
            "k 表示循环体在该版本中处理多少个连续步；忽略它会跳过迭代。",
        ),
        bad=program("for i in pypto.loop_unroll(4, unroll_list=[2, 1]):\n    out[:] = x + 1.0"),
        good=program("for i, k in pypto.loop_unroll(4, unroll_list=[2, 1]):\n    out[:] = x + 1.0"),
    )
)

register(
    Rule(
        code="PTO156",
        name="unroll-with-symbolic-step",
        exc=NotImplementedError,
        title=T("loop_unroll with a run-time step", "loop_unroll 的步长在运行时才知道"),
        message=T(
            "pypto.loop_unroll needs its step now, and {step} is known only at run time",
            "pypto.loop_unroll 现在就需要步长，而 {step} 到运行时才知道",
        ),
        help=T("use pypto.loop, or an int as step", "使用 pypto.loop，或用整数作步长"),
        explanation=T(
            "The ranges of the unroll factors depend on the direction of the loop, which must be known.",
            "各展开因子的范围取决于循环方向，方向必须已知。",
        ),
        bad=program("for i, k in pypto.loop_unroll(0, 8, count, unroll_list=[2, 1]):\n    out[:] = x + 1.0"),
        good=program("for i, k in pypto.loop_unroll(0, 8, 2, unroll_list=[2, 1]):\n    out[:] = x + 1.0"),
    )
)

register(
    Rule(
        code="PTO157",
        name="parallel-loop-carries",
        exc=RuntimeError,
        title=T("parallel loop hands values from iteration to iteration", "并行循环在迭代之间传递值"),
        message=T(
            "an iteration of {loop} needs what another iteration left in {names}, and parallel=True runs them at once",
            "{loop} 的一次迭代需要另一次迭代留在 {names} 中的值，而 parallel=True 会同时执行它们",
        ),
        help=T(
            "leave parallel=True out, or compute {names} from the loop index",
            "去掉 parallel=True，或由循环下标计算 {names}",
        ),
        explanation=T(
            "parallel=True states that iterations are independent. A name that is read before it is stored in the body "
            "gets its value from the iteration before, which on a device may not have run yet.",
            "parallel=True 声明各次迭代相互独立。在循环体中先读取后赋值的名称取自上一次迭代，而在设备上它可能尚未执行。",
        ),
        bad=program("acc = x * 1.0\nfor i in pypto.loop(count, parallel=True):\n    acc = acc + 1.0\nout[:] = acc"),
        good=program(
            "for i in pypto.loop(8, parallel=True):\n    out[i:i + 1, 0:8] = pypto.view(x, [1, 8], [i, 0]) + 1.0"
        ),
    )
)

register(
    Rule(
        code="PTO160",
        name="endless-python-loop",
        exc=RuntimeError,
        title=T("Python loop does not end", "Python 循环没有结束"),
        message=T(
            "more than {count} iterations of Python loops were run while tracing",
            "追踪期间执行了超过 {count} 次 Python 循环迭代",
        ),
        help=T(
            "use pypto.loop for repetition at run time, or check the condition of the loop",
            "运行期的重复请用 pypto.loop，或检查循环条件",
        ),
        explanation=T(
            "Loops over known values run in Python while the kernel is traced. So many iterations are almost certainly "
            "a loop without end, and no device program could hold the unrolled body.",
            "对已知值的循环在追踪时由 Python 执行。如此多的迭代几乎可以肯定是死循环，设备程序也容纳不下展开的循环体。",
        ),
        bad=program("k = 0\nwhile k >= 0:\n    k += 1\nout[:] = x + 1.0"),
        good=program(
            "out[:] = x + float(three())", "def three():\n    k = 0\n    while k < 3:\n        k += 1\n    return k"
        ),
    )
)

register(
    Rule(
        code="PTO161",
        name="endless-recursion",
        exc=RecursionError,
        title=T("helper calls itself without end", "辅助函数无限递归"),
        message=T("maximum recursion depth exceeded while tracing {name}", "追踪 {name} 时超过最大递归深度"),
        help=T(
            "end the recursion on a value that is known while tracing, or use pypto.loop",
            "用追踪时已知的值结束递归，或使用 pypto.loop",
        ),
        explanation=T(
            "Helpers are inlined, so recursion must end while the kernel is traced. A condition on a run-time value "
            "never ends it, since both branches are traced.",
            "辅助函数会被内联，因此递归必须在追踪时结束。运行期条件无法结束递归，因为两个分支都会被追踪。",
        ),
        bad=program("out[:] = down(x, 0)", "def down(x, k):\n    return down(x, k + 1)"),
        good=program("out[:] = down(x, 2)", "def down(x, k):\n    return x + 1.0 if k == 0 else down(x, k - 1)"),
    )
)

register(
    Rule(
        code="PTO162",
        name="marked-function-outside",
        exc=TypeError,
        title=T("frontend.function helper is called outside of a kernel", "在 kernel 之外调用 frontend.function 函数"),
        message=T(
            "'NestedFunctionMarker' object is not callable: {name} is part of the kernels that call it",
            "'NestedFunctionMarker' object is not callable：{name} 是调用它的 kernel 的一部分",
        ),
        help=T("call {name} in a kernel, or drop the decorator", "在 kernel 中调用 {name}，或去掉装饰器"),
        explanation=T(
            "A marked helper has no meaning of its own; its statements are compiled into the kernels that call it.",
            "被标记的辅助函数本身没有意义，它的语句会被编译进调用它的 kernel。",
        ),
        phrases=("'NestedFunctionMarker' object is not callable",),
        bad="import pypto\n\n\n@pypto.frontend.function\ndef helper(x):\n    x[:] = x + 1.0\n\n\ndef run():\n    helper(3)\n",
        good=program("step(x, out)", "@pypto.frontend.function\ndef step(x, out):\n    out[:] = x + 1.0"),
    )
)

register(
    Rule(
        code="PTO163",
        name="marked-function-arguments",
        exc=ValueError,
        title=T("wrong number of arguments for a frontend.function helper", "frontend.function 函数的参数个数不对"),
        message=T(
            "Function {name} expects {want} arguments, but got {got}",
            "Function {name} expects {want} arguments, but got {got}（参数个数不符）",
        ),
        help=T("pass one positional argument per parameter", "为每个参数传入一个位置参数"),
        explanation=T(
            "Marked helpers take positional arguments, one per parameter.",
            "被标记的辅助函数接收位置参数，每个参数一个。",
        ),
        phrases=("Function {name} expects {want} arguments, but got {got}",),
        aliases=("F00002",),
        bad=program("step(x)\nout[:] = x", "@pypto.frontend.function\ndef step(x, out):\n    out[:] = x + 1.0"),
        good=program("step(x, out)", "@pypto.frontend.function\ndef step(x, out):\n    out[:] = x + 1.0"),
    )
)

register(
    Rule(
        code="PTO164",
        name="marked-function-annotation",
        exc=ValueError,
        title=T("argument does not fit the annotation of a helper", "参数与辅助函数的注解不符"),
        message=T(
            "In nested function '{name}': The {what} of parameter {argument} is {got}, and the annotation says {want}",
            "In nested function '{name}'：参数 {argument} 的 {what} 是 {got}，而注解为 {want}",
        ),
        help=T("pass a fitting tensor, or change the annotation", "传入匹配的张量，或修改注解"),
        explanation=T(
            "Tensor annotations of a marked helper are checked for rank, fixed extents and dtype at every call.",
            "被标记的辅助函数的 tensor 注解在每次调用时检查维数、固定尺寸和 dtype。",
        ),
        phrases=("In nested function '{name}'",),
        aliases=("F00002",),
        bad=program(
            "step(x, out)",
            "@pypto.frontend.function\ndef step(x: pypto.Tensor([8, 4], F), out):\n    out[:] = x + 1.0",
        ),
        good=program(
            "step(x, out)",
            "@pypto.frontend.function\ndef step(x: pypto.Tensor([8, 8], F), out):\n    out[:] = x + 1.0",
        ),
    )
)

register(
    Rule(
        code="PTO171",
        name="value-left-its-region",
        exc=RuntimeError,
        title=T("value is used outside of the loop or branch that made it", "值在产生它的循环或分支之外被使用"),
        message=T(
            "{name} was made at {created} inside of a loop or branch and does not exist here",
            "{name} 在 {created} 的循环或分支内产生，此处不存在",
        ),
        help=T(
            "hand it out through a name assigned in the body, or write it into a tensor that exists before",
            "通过在循环体中赋值的名称传出，或写入事先存在的张量",
        ),
        explanation=T(
            "Names and container entries are carried out of loops and merged after branches. A value that leaves by "
            "another way, such as an attribute of a class, a cache or a default argument, would hold one iteration's "
            "value only.",
            "名称和容器元素会被带出循环并在分支后合并。以其他方式（类属性、缓存、默认参数等）离开的值只对应某一次迭代。",
        ),
        aliases=("F00007",),
        bad=program(
            "for i in pypto.loop(count):\n    Kept.value = x + 1.0\nout[:] = Kept.value",
            "class Kept:\n    value = None",
        ),
        good=program("for i in pypto.loop(count):\n    t = x + 1.0\n    out[:] = t"),
    )
)

register(
    Rule(
        code="PTO172",
        name="value-of-another-trace",
        exc=RuntimeError,
        title=T("tensor belongs to another kernel call", "张量属于另一次 kernel 调用"),
        message=T(
            "{name} was made at {created} while another kernel was traced",
            "{name} 在 {created} 处、追踪另一个 kernel 时产生",
        ),
        help=T("pass data between kernels through their tensor parameters", "通过 tensor 参数在 kernel 之间传递数据"),
        explanation=T(
            "A tensor inside a kernel stands for a value of that program only. Keeping it in a global or a cache and "
            "using it in the next trace has no meaning.",
            "kernel 中的张量只代表该程序的一个值。把它存入全局变量或缓存并在下一次追踪中使用没有意义。",
        ),
        aliases=("F00007",),
        bad=program("t = x + 1.0\nout[:] = LAST[0] if LAST else t\nLAST.append(t)", "LAST = []")
        + "    kernel(np.ones((8, 8), np.float32), np.full(1, 3, np.int32), out)\n",
        good=COPY,
    )
)

register(
    Rule(
        code="PTO173",
        name="tensor-of-two-types",
        exc=RuntimeError,
        title=T("tensor has another shape or dtype on each path", "张量在不同路径上形状或 dtype 不同"),
        message=T(
            "Conflicted var {name}: the branches of the if at {changed} leave different shapes or dtypes in it",
            "Conflicted var {name}：{changed} 处 if 的两个分支使其具有不同的形状或 dtype",
        ),
        help=T(
            "move tensors of one shape and dtype into {name} in both branches",
            "在两个分支中向 {name} 移入形状和 dtype 相同的张量",
        ),
        explanation=T(
            "A whole-tensor store into a local takes over shape and dtype. After an if on a run-time condition they "
            "must be the same on both paths.",
            "对局部张量的整体赋值会取代其形状和 dtype。在运行期条件的 if 之后，两条路径上必须一致。",
        ),
        phrases=("Conflicted var {name}",),
        bad=program(
            't = pypto.tensor([8, 8], F, "t")\nif count > 1:\n    t[:] = x\nelse:\n'
            "    t[:] = pypto.view(x, [4, 8], [0, 0])\nout[:] = t + 1.0"
        ),
        good=program(
            't = pypto.tensor([8, 8], F, "t")\nif count > 1:\n    t[:] = x + 1.0\nelse:\n    t[:] = x * 2.0\nout[:] = t + 1.0'
        ),
    )
)

register(
    Rule(
        code="PTO181",
        name="many-recorded-operations",
        exc=RuntimeError,
        severity="warning",
        title=T("kernel records very many operations", "kernel 记录了非常多的操作"),
        message=T(
            "more than {count} operations were recorded; compiling takes long and a device program may not fit",
            "已记录超过 {count} 个操作；编译会很慢，设备程序可能放不下",
        ),
        help=T("turn a Python loop over many values into pypto.loop", "把对大量值的 Python 循环改为 pypto.loop"),
        explanation=T(
            "Python loops are unrolled while the kernel is traced. A run-time loop records its body once.",
            "Python 循环在追踪时展开，运行期循环只记录一次循环体。",
        ),
        untestable="needs 20,000 operations; tests lower the limit (tests/frontend/test_limits.py)",
    )
)

register(
    Rule(
        code="PTO182",
        name="too-many-recorded-operations",
        exc=RuntimeError,
        title=T("kernel records too many operations", "kernel 记录的操作过多"),
        message=T("more than {count} operations were recorded", "已记录超过 {count} 个操作"),
        help=T("turn a Python loop over many values into pypto.loop", "把对大量值的 Python 循环改为 pypto.loop"),
        explanation=T(
            "Python loops are unrolled while the kernel is traced. A run-time loop records its body once.",
            "Python 循环在追踪时展开，运行期循环只记录一次循环体。",
        ),
        aliases=("F7600A",),
        untestable="needs 200,000 operations; tests lower the limit (tests/frontend/test_limits.py)",
    )
)
