"""PTO672 to PTO680: loops, tests of loops and names that the older front end (0.2) refuses or takes otherwise."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register
from openpto.diagnostics.rules.control_examples import COPY, program

_OLDER = ("0.2",)
_ROWS = "out[i:i + 1, 0:8] = pypto.view(x, [1, 8], [i, 0]) + 1.0"
_TEST = """for i in pypto.loop(count):
    if {test}:
        out[:] = x + 1.0
    else:
        out[:] = x * 2.0"""

register(
    Rule(
        code="PTO672",
        name="unroll-list-without-one",
        exc=RuntimeError,
        severity="warning",
        profiles=_OLDER,
        title=T("unroll_list without 1", "unroll_list 中没有 1"),
        message=T(
            "{profiles} runs whole groups of {smallest} iterations of this loop, also beyond its end",
            "{profiles} 以 {smallest} 次为一组执行该循环，可能超出循环末尾",
        ),
        help=T("list 1 too: unroll_list={suggest}", "把 1 也列入：unroll_list={suggest}"),
        explanation=T(
            "The last factor of the list takes the iterations that are left. The newer front end adds 1 by itself; the "
            "older one rounds their number up, and the body runs with indices past the end.",
            "列表中最后一个因子负责剩余的迭代。新前端会自动加入 1；旧前端把次数向上取整，循环体会以超出末尾的下标执行。",
        ),
        bad=program(f"for i in pypto.loop(count, unroll_list=[4, 2]):\n    {_ROWS}"),
        good=program(f"for i in pypto.loop(count, unroll_list=[4, 2, 1]):\n    {_ROWS}"),
    )
)

register(
    Rule(
        code="PTO673",
        name="loop-test-in-an-expression",
        exc=RuntimeError,
        severity="warning",
        profiles=_OLDER,
        title=T("is_loop_begin or is_loop_end in an expression", "表达式中的 is_loop_begin 或 is_loop_end"),
        message=T(
            "{profiles} takes {test} alone as the test of an if, not as an operand of {op} (RawSymbolicExpression)",
            "{profiles} 只允许把 {test} 单独用作 if 的条件，不能作为 {op} 的操作数（RawSymbolicExpression）",
        ),
        help=T("nest two ifs, each with one test", "嵌套两个 if，各用一个条件"),
        explanation=T(
            "The older front end recognises the two tests by their form. Combined with anything else the cast of the "
            "expression fails in the compiler.",
            "旧前端按形式识别这两个判断。与其他内容组合时，编译器对表达式的转换会失败。",
        ),
        phrases=("RawSymbolicExpression",),
        aliases=("F3FFFF",),
        bad=program(_TEST.format(test="pypto.is_loop_begin(i) * (count > 2)")),
        good=program(_TEST.format(test="pypto.is_loop_begin(i)")),
    )
)

register(
    Rule(
        code="PTO674",
        name="ampersand-of-symbols",
        exc=TypeError,
        severity="warning",
        profiles=_OLDER,
        title=T("& or | of symbols", "对符号使用 & 或 |"),
        message=T(
            "{profiles} says: unsupported operand type(s) for {op}: 'SymbolicScalar'",
            "{profiles} 会报：unsupported operand type(s) for {op}: 'SymbolicScalar'",
        ),
        help=T("multiply conditions for 'and', add them for 'or': {suggest}", "“且”用乘，“或”用加：{suggest}"),
        explanation=T(
            "Comparisons of symbols give 0 or 1, and the older front end combines them by arithmetic only.",
            "符号的比较得到 0 或 1，旧前端只能用算术组合它们。",
        ),
        phrases=("unsupported operand type(s) for {op}: 'SymbolicScalar'",),
        bad=program(_TEST.format(test="(i > 0) & (count > 2)")),
        good=program(_TEST.format(test="(i > 0) * (count > 2)")),
    )
)

register(
    Rule(
        code="PTO675",
        name="python-loop-over-another-object",
        exc=TypeError,
        severity="warning",
        profiles=_OLDER,
        title=T("Python loop over something else than a range or list", "Python 循环遍历的不是 range 或列表"),
        message=T(
            "{profiles} says: Loop iterator must be range  Iterator, or list/tuple, but got {got}",
            "{profiles} 会报：Loop iterator must be range  Iterator, or list/tuple, but got {got}",
        ),
        help=T("make a list of it: for ... in list(...)", "转换为列表：for ... in list(...)"),
        explanation=T(
            "The older front end unrolls loops over range, lists, tuples, enumerate and zip. It does not know dicts, "
            "strings, sets, generators and views of dicts.",
            "旧前端可展开遍历 range、列表、元组、enumerate 和 zip 的循环，不支持字典、字符串、集合、生成器和字典视图。",
        ),
        phrases=("Loop iterator must be range  Iterator, or list/tuple, but got {got}",),
        aliases=("F00001",),
        bad=program('for name in {"a": 1}:\n    out[:] = x + 1.0'),
        good=program('for name in list({"a": 1}):\n    out[:] = x + 1.0'),
    )
)

register(
    Rule(
        code="PTO676",
        name="python-loop-over-nothing",
        exc=ValueError,
        severity="warning",
        profiles=_OLDER,
        title=T("Python loop over an empty list", "Python 循环遍历空列表"),
        message=T(
            "{profiles} says: Empty list/tuple cannot be used as loop iterator. It is {value}",
            "{profiles} 会报：Empty list/tuple cannot be used as loop iterator. 其值为 {value}",
        ),
        help=T("test the length before the loop", "在循环之前判断长度"),
        explanation=T(
            "A loop over nothing is skipped here, as in Python. The older front end refuses an empty list or tuple.",
            "此处与 Python 相同，空循环被跳过。旧前端拒绝空的列表或元组。",
        ),
        phrases=("Empty list/tuple cannot be used as loop iterator.",),
        aliases=("F00002",),
        bad=program("for name in []:\n    out[:] = x\nout[:] = x + 1.0"),
        good=COPY,
    )
)

register(
    Rule(
        code="PTO677",
        name="python-loop-unpacks-a-list",
        exc=ValueError,
        severity="warning",
        profiles=_OLDER,
        title=T("loop over a list of tuples", "遍历元组列表的循环"),
        message=T(
            "{profiles} says: Cannot unpack {count} values into {names} targets. (it counts the list)",
            "{profiles} 会报：Cannot unpack {count} values into {names} targets.（它数的是列表）",
        ),
        help=T(
            "loop over indices and unpack in the body, or use zip(...)", "遍历下标并在循环体中解包，或使用 zip(...)"
        ),
        explanation=T(
            "With several names before `in`, the older front end compares their number with the length of the list and "
            "not with the length of its entries. Only if the two happen to agree does it go on.",
            "`in` 之前有多个名称时，旧前端把其数量与列表长度比较，而不是与元素的长度比较；只有两者恰好相等时才会继续。",
        ),
        phrases=("Cannot unpack {count} values into {names} targets.",),
        aliases=("F00002",),
        bad=program("for at, by in [(0, 1.0), (1, 2.0), (2, 3.0)]:\n    out[:] = x + by"),
        good=program("for at, by in zip([0, 1, 2], [1.0, 2.0, 3.0]):\n    out[:] = x + by"),
    )
)

register(
    Rule(
        code="PTO679",
        name="return-in-nested-function",
        exc=ValueError,
        severity="warning",
        profiles=_OLDER,
        title=T("return in a function that is defined in a kernel", "kernel 内定义的函数中的 return"),
        message=T(
            "{profiles} says: Return statements are not allowed. ({name} stands in the kernel)",
            "{profiles} 会报：Return statements are not allowed. （{name} 定义在 kernel 内）",
        ),
        help=T("define {name} outside of the kernel", "把 {name} 定义在 kernel 之外"),
        explanation=T(
            "The older front end parses a function inside of a kernel as part of it, where nothing may return. A helper "
            "outside runs as plain Python and returns what it likes.",
            "旧前端把 kernel 内的函数作为 kernel 的一部分解析，其中不允许 return。外部的辅助函数作为普通 Python 运行，可以返回。",
        ),
        phrases=("Return statements are not allowed.",),
        aliases=("F00002",),
        bad=program("def more(t):\n    return t + 1.0\nout[:] = more(x)"),
        good=program("out[:] = more(x)", "def more(t):\n    return t + 1.0"),
    )
)

register(
    Rule(
        code="PTO680",
        name="name-of-a-loop-after-it",
        exc=NameError,
        severity="warning",
        profiles=_OLDER,
        title=T("name from a loop used after it", "在循环之后使用循环内的名称"),
        message=T(
            "{name} gets its first value in this loop and is used after it; {profiles} says: name '{name}' is not defined",
            "{name} 在该循环内首次赋值，并在循环之后使用；{profiles} 会报：name '{name}' is not defined",
        ),
        help=T(
            "make it before the loop, such as {name} = pypto.full(...), and write {name}[:] = ... in the body",
            "在循环之前创建，例如 {name} = pypto.full(...)，并在循环体中写 {name}[:] = ...",
        ),
        explanation=T(
            "Each loop is a function of its own on the device. The older front end ends the names of its body with it; "
            "tensors that live longer have to exist before.",
            "在设备上每个循环都是单独的函数。旧前端在循环结束时一并结束循环体中的名称；需要更长生命周期的张量应事先存在。",
        ),
        phrases=("name '{name}' is not defined",),
        aliases=("F00004",),
        bad=program("for i in pypto.loop(2):\n    t = x + 1.0\nout[:] = t"),
        good=program("t = pypto.full([8, 8], 0.0, F)\nfor i in pypto.loop(2):\n    t[:] = x + 1.0\nout[:] = t"),
    )
)
