"""PTO700, PTO770-799: what only the linter finds, and what its command is asked for."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register

register(
    Rule(
        code="PTO700",
        name="file-not-parsed",
        found_by="lint",
        exc=SyntaxError,
        title=T("file cannot be read", "无法读取文件"),
        message=T("this is not Python that this interpreter reads: {why}", "当前解释器无法读取这段 Python：{why}"),
        help=T(
            "correct the file; `python -m py_compile FILE` shows the same",
            "请修正文件；`python -m py_compile FILE` 会给出同样的提示",
        ),
        explanation=T(
            "The linter reads the tree of a file. Without a tree none of its rules can look at it.",
            "检查工具读取文件的语法树；没有语法树，任何规则都无法检查它。",
        ),
        bad="import pypto\n\n\ndef kernel(x:\n    pass\n",
        good="import pypto\n\n\ndef kernel(x):\n    pass\n",
    )
)

register(
    Rule(
        code="PTO770",
        name="augmented-assignment-of-output",
        found_by="lint",
        exc=ValueError,
        title=T("+= on an output writes nothing", "对输出使用 += 不会写入"),
        message=T(
            "this makes a new tensor of the name {name}; the caller's tensor stays unchanged, and nothing uses the new one",
            "这只是让名称 {name} 指向一个新张量；调用者的张量不变，而新张量没有被使用",
        ),
        help=T("write {name}[:] = {name} + ...", "写成 {name}[:] = {name} + ..."),
        explanation=T(
            "In a kernel `a += b` gives the name a new tensor, as `a = a + b` does. Only `[:] =`, `move`, `assemble` and "
            "operations in place write into a parameter.",
            "在 kernel 中，`a += b` 与 `a = a + b` 一样，让名称指向新张量。只有 `[:] =`、`move`、`assemble` 和原地操作会写入参数。",
        ),
        bad="""import pypto


@pypto.frontend.jit
def kernel(x: pypto.Tensor([8, 32], pypto.DT_FP32), out: pypto.Tensor([8, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    out += x
""",
        good="""import pypto


@pypto.frontend.jit
def kernel(x: pypto.Tensor([8, 32], pypto.DT_FP32), out: pypto.Tensor([8, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    out[:] = out + x
""",
    )
)

_SETTINGS = """from openpto.lint import settings


def run():
    settings.{call}
"""

_LISTED = """from pathlib import Path

from openpto.lint import settings


def run():
    next(settings.python_files([Path("{path}")]), None)
"""

_KERNEL = """import pypto


@pypto.frontend.jit
def kernel(x: pypto.Tensor([8, 32], pypto.DT_FP32), out: pypto.Tensor([8, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    {body}
"""


def _module(body: str = "out[:] = x + 1.0", after: str = "", before: str = "") -> str:
    text = before + _KERNEL.format(body=body)
    return f"{text}\n\n{after}" if after else text


_FALLBACK = """def run(x, out):
    try:
        kernel(x, out)
    except Exception:
        {handler}
"""

register(
    Rule(
        code="PTO771",
        name="golden-fallback",
        found_by="lint",
        title=T("the golden takes the place of a kernel that fails", "kernel 失败时由 golden 代替"),
        message=T(
            "when {kernel} fails, the result of {golden} is compared with the golden: the difference is 0 and the test passes",
            "{kernel} 失败时，与 golden 比较的是 {golden} 的结果：差值为 0，测试通过",
        ),
        help=T(
            "let the error end the test; a real difference is small, but not 0",
            "让错误结束测试；真实的差值很小，但不为 0",
        ),
        explanation=T(
            "A try around the call of a kernel whose handler computes the golden hides every failure: what is then "
            "compared is the golden with itself. A difference of exactly 0.0 is the usual sign of it.",
            "在 kernel 调用外使用 try，并在处理分支中计算 golden，会掩盖所有失败：比较的其实是 golden 与自身。差值恰为 0.0 是常见征兆。",
        ),
        bad=_module(after=_FALLBACK.format(handler="out[:] = golden(x)")),
        good=_module(after=_FALLBACK.format(handler="raise")),
    )
)

register(
    Rule(
        code="PTO773",
        name="kernel-result-used",
        found_by="lint",
        exc=TypeError,
        title=T("a kernel returns nothing", "kernel 没有返回值"),
        message=T(
            "a call of {kernel} gives None; results are in its tensor parameters",
            "调用 {kernel} 得到 None；结果在其张量参数中",
        ),
        help=T("allocate the output, pass it, and read it after the call", "先分配输出并传入，调用之后再读取它"),
        explanation=T(
            "Kernels write into the tensors that they are given. The value of a call is always None.",
            "kernel 将结果写入传入的张量，调用的值始终为 None。",
        ),
        bad=_module(after="def run(x, out):\n    result = kernel(x, out)\n    return result\n"),
        good=_module(after="def run(x, out):\n    kernel(x, out)\n    return out\n"),
    )
)

register(
    Rule(
        code="PTO774",
        name="own-settings-in-kernel-file",
        found_by="lint",
        title=T("settings of this machine in a kernel file", "kernel 文件中出现了本机设置"),
        message=T(
            "openpto.configure belongs to the program that runs kernels; the toolchains do not know it",
            "openpto.configure 属于运行 kernel 的程序；工具链不认识它",
        ),
        help=T(
            "move it to the script or test, or set the PYPTO_* variable", "移到脚本或测试中，或设置 PYPTO_* 环境变量"
        ),
        explanation=T(
            "A kernel file runs unchanged on any machine with any implementation of the API. Engines, targets and "
            "threads are chosen where kernels are run: in scripts, in tests, by environment variables.",
            "kernel 文件可以在任何机器、任何实现上原样运行。引擎、目标与线程数在运行 kernel 的地方选择：脚本、测试或环境变量。",
        ),
        bad=_module(before="import openpto\n\nopenpto.configure(threads=1)\n"),
        good=_module(),
    )
)

register(
    Rule(
        code="PTO775",
        name="result-dropped",
        found_by="lint",
        severity="warning",
        title=T("result of an operation is not used", "操作的结果没有被使用"),
        message=T("{op} gives a new tensor, and this line drops it", "{op} 给出一个新张量，而这一行丢弃了它"),
        help=T("give it a name, or store it: out[:] = ...", "为其命名，或存储它：out[:] = ..."),
        explanation=T(
            "Operations do not change their operands, those whose names end with an underscore aside. A result that has "
            "no name has no effect.",
            "除名称以下划线结尾的操作外，操作不会改变其操作数。没有名称的结果不起作用。",
        ),
        bad=_module("pypto.exp(x)\n    out[:] = x + 1.0"),
        good=_module("out[:] = pypto.exp(x)"),
    )
)

_STAR = _module(after="def largest(values):\n    return max(values)\n")

register(
    Rule(
        code="PTO776",
        name="star-import-hides-builtins",
        found_by="lint",
        title=T("from pypto import * takes the place of builtins", "from pypto import * 取代了内建函数"),
        message=T(
            "{names} of Python are hidden by those of pypto in this file",
            "此文件中 Python 的 {names} 被 pypto 的同名函数遮住",
        ),
        help=T("write import pypto", "写成 import pypto"),
        explanation=T(
            "The names of pypto include abs, max, min, pow, round and sum, which work on tensors and symbols. After a star "
            "import every use of these words in the file means them.",
            "pypto 的名称包括 abs、max、min、pow、round 与 sum，它们作用于张量和符号。星号导入之后，文件中的这些名称都指它们。",
        ),
        bad=_STAR.replace("import pypto\n", "import pypto\nfrom pypto import *\n"),
        good=_STAR,
    )
)

register(
    Rule(
        code="PTO777",
        name="compared-with-itself",
        found_by="lint",
        title=T("a result is compared with itself", "结果与自身比较"),
        message=T("both sides are {what}: this comparison cannot fail", "两边都是 {what}：这个比较不会失败"),
        help=T("compare what the kernel wrote with the golden", "请比较 kernel 写入的结果与 golden"),
        explanation=T(
            "A comparison of two equal expressions holds whatever the kernel did.",
            "两个相同表达式的比较总是成立，与 kernel 的结果无关。",
        ),
        bad=_module(
            after="import numpy\n\n\ndef test(x, out):\n    kernel(x, out)\n    numpy.testing.assert_allclose(x + 1.0, x + 1.0)\n"
        ),
        good=_module(
            after="import numpy\n\n\ndef test(x, out):\n    kernel(x, out)\n    numpy.testing.assert_allclose(out, x + 1.0)\n"
        ),
    )
)

_WITHOUT_LIBCST = """import sys

from openpto.lint import fixes


def run():
    known = sys.modules.get("libcst")
    {hide}
    try:
        fixes.repaired("x = 1\\n", [])
    finally:
        sys.modules.pop("libcst", None)
        if known is not None:
            sys.modules["libcst"] = known
"""

register(
    Rule(
        code="PTO790",
        name="no-libcst",
        exc=ImportError,
        title=T("libcst is needed to repair files", "修复文件需要 libcst"),
        message=T("libcst cannot be loaded: {why}", "无法加载 libcst：{why}"),
        help=T(
            "pip install 'openpto[lint]', or repair the findings by hand",
            "运行 pip install 'openpto[lint]'，或手工修复",
        ),
        explanation=T(
            "Findings need nothing but Python. To repair a file without touching its layout and comments, its tree is "
            "rewritten with libcst, which is an optional package.",
            "查找问题只需要 Python 本身。为了修复文件而不改动排版和注释，需要可选的 libcst 包来改写语法树。",
        ),
        bad=_WITHOUT_LIBCST.format(hide='sys.modules["libcst"] = None'),
        good=_WITHOUT_LIBCST.format(hide="import libcst"),
    )
)

register(
    Rule(
        code="PTO791",
        name="lint-settings",
        exc=ValueError,
        title=T("settings of the linter cannot be used", "检查工具的设置无法使用"),
        message=T("{file}: {why}", "{file} 有误：{why}"),
        help=T(
            "correct the table [tool.pypto.lint]; `pypto lint --isolated` reads none",
            "请修正 [tool.pypto.lint] 表；`pypto lint --isolated` 不读取任何设置",
        ),
        explanation=T(
            "Settings stand in pyproject.toml under [tool.pypto.lint]: select, extend-select, ignore, exclude, target, "
            "chip and per-file-ignores. A setting that is not understood would silently do nothing, so it stops the run.",
            "设置写在 pyproject.toml 的 [tool.pypto.lint] 中：select、extend-select、ignore、exclude、target、chip 与 per-file-ignores。"
            "看不懂的设置会悄悄失效，因此会停止运行。",
        ),
        bad=_SETTINGS.format(call='read({"selct": ["PTO2"]}, "pyproject.toml")'),
        good=_SETTINGS.format(call='read({"select": ["PTO2"]}, "pyproject.toml")'),
    )
)

register(
    Rule(
        code="PTO792",
        name="no-such-rule",
        exc=LookupError,
        title=T("no such rule", "没有这条规则"),
        message=T("no rule has the code {code}", "没有规则使用编号 {code}"),
        help=T(
            "give codes (PTO412), beginnings of codes (PTO4), vendor codes (OL48) or {groups}",
            "请给出编号（PTO412）、编号前缀（PTO4）、厂商编号（OL48）或 {groups}",
        ),
        explanation=T(
            "Rules are selected and ignored by their codes. `pypto explain CODE` shows what a code means.",
            "规则按编号选择或忽略。`pypto explain CODE` 会说明编号的含义。",
        ),
        bad=_SETTINGS.format(call='known("PTO98")'),
        good=_SETTINGS.format(call='known("OL02")'),
    )
)

register(
    Rule(
        code="PTO793",
        name="no-such-path",
        exc=FileNotFoundError,
        title=T("no such file or folder", "没有这个文件或文件夹"),
        message=T("{path} does not exist", "{path} 不存在"),
        help=T("name files or folders that exist", "请给出存在的文件或文件夹"),
        explanation=T(
            "The linter looks at the files that are named and at every .py file below the folders that are named.",
            "检查工具会查看给出的文件，以及给出的文件夹之下的每个 .py 文件。",
        ),
        bad=_LISTED.format(path="no_such_folder"),
        good=_LISTED.format(path="."),
    )
)

register(
    Rule(
        code="PTO794",
        name="fix-needs-a-file",
        exc=ValueError,
        title=T("what is read from stdin cannot be repaired", "无法修复从标准输入读取的内容"),
        message=T("--fix rewrites files, and - is none", "--fix 会改写文件，而 - 不是文件"),
        help=T("name the file", "请给出文件"),
        explanation=T(
            "With - the text comes from stdin, as editors send it; there is no file that could be rewritten.",
            "使用 - 时，文本来自标准输入（例如由编辑器发送），没有可以改写的文件。",
        ),
        untestable="it belongs to the arguments of a process; tests/lint/test_fixes.py shows it",
    )
)

_WITHOUT_PYGLS = """import sys

from openpto.lsp.start import require


def run():
    known = {{name: module for name, module in sys.modules.items() if name.split(".")[0] == "pygls"}}
    for name in known:
        del sys.modules[name]
    {hide}
    try:
        require()
    finally:
        sys.modules.pop("pygls", None)
        sys.modules.update(known)
"""

register(
    Rule(
        code="PTO795",
        name="no-pygls",
        exc=ImportError,
        title=T("pygls is needed to serve an editor", "为编辑器提供服务需要 pygls"),
        message=T("pygls cannot be loaded: {why}", "无法加载 pygls：{why}"),
        help=T("pip install 'openpto[lsp]'", "运行 pip install 'openpto[lsp]'"),
        explanation=T(
            "`pypto lsp` speaks the language server protocol with pygls 2, an optional package. `pypto lint` finds the "
            "same without it.",
            "`pypto lsp` 通过可选的 pygls 2 包实现语言服务器协议。`pypto lint` 不需要它也能发现同样的问题。",
        ),
        bad=_WITHOUT_PYGLS.format(hide='sys.modules["pygls"] = None'),
        good=_WITHOUT_PYGLS.format(hide="import pygls"),
    )
)
