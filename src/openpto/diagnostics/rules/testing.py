"""PTO537-539, PTO541-543: comparisons of outputs with goldens, files of cases, marks of tests."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register

_COMPARED = """import numpy as np
import pypto
from openpto.testing import assert_close


@pypto.frontend.jit
def kernel(x: pypto.Tensor([8, 32], pypto.DT_FP32), out: pypto.Tensor([8, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    out[:] = x + 1.0


def run():
    x, out = np.ones((8, 32), np.float32), np.zeros((8, 32), np.float32)
    kernel(x, out)
    assert_close({arguments})
"""


def _compared(arguments: str) -> str:
    return _COMPARED.format(arguments=arguments)


register(
    Rule(
        code="PTO537",
        name="wrong-memory",
        exc=AssertionError,
        title=T("not an output of the run", "不是本次运行的输出"),
        message=T(
            "the compared data are not memory that {kernel} wrote: {reason}",
            "被比较的数据不是 {kernel} 写入的内存：{reason}",
        ),
        help=T(
            "pass the output tensor itself as actual, or the receipt of the run: run=kernel.last_run",
            "请把输出 tensor 本身作为 actual 传入，或给出该次运行的回执：run=kernel.last_run",
        ),
        explanation=T(
            "A comparison of a golden with a golden always passes. So what is compared has to be memory that a kernel "
            "wrote in this thread's last run, or the run is named; and the run must have written elements of it.",
            "用标准结果与标准结果比较总会通过。因此被比较的数据必须是本线程最近一次运行中 kernel 写入的内存，或明确给出该次运行，且该次运行确实写入了其中的元素。",
        ),
        bad=_compared("out.copy(), x.astype(np.float64) + 1.0"),
        good=_compared("out, x.astype(np.float64) + 1.0"),
    )
)

register(
    Rule(
        code="PTO538",
        name="results-differ",
        exc=AssertionError,
        title=T("results differ from the golden", "结果与标准结果不符"),
        message=T("{summary} (tolerance {tolerance})", "{summary}（容差 {tolerance}）"),
        help=T(
            "look at the first wrong place: a tail block, an axis, a dtype; the table below shows the worst elements",
            "请查看第一个出错的位置：尾块、某个轴或某种类型；下表列出偏差最大的元素",
        ),
        explanation=T(
            "The comparison is |actual - golden| <= atol + rtol * |golden| for every element. NaN has to meet NaN and "
            "an infinity one of the same sign. A profile may let a small share of the elements be outside; T6 compares "
            "the errors with those of a plain implementation instead.",
            "逐元素比较 |actual - golden| <= atol + rtol * |golden|。NaN 必须对应 NaN，无穷大必须符号相同。某些档位允许少量元素超出；T6 则与朴素实现的误差作比较。",
        ),
        bad=_compared("out, x.astype(np.float64) + 2.0"),
        good=_compared("out, x.astype(np.float64) + 1.0"),
    )
)

register(
    Rule(
        code="PTO539",
        name="no-such-tolerance",
        exc=ValueError,
        title=T("not a tolerance", "不是有效的容差"),
        message=T("the tolerance can not be used: {problem}", "无法使用该容差：{problem}"),
        help=T(
            "name a profile T1 to T6, pass openpto.testing.Tolerance(rtol=..., atol=...), or give rtol= and atol=",
            "请使用档位 T1 至 T6、openpto.testing.Tolerance(rtol=..., atol=...)，或给出 rtol= 与 atol=",
        ),
        explanation=T(
            "T1 is for FP16 and BF16 outputs, T2 for FP32, T3 for gates, T4 for INT8, T5 for scales. T6 compares the "
            "errors of a kernel with those of a plain implementation and therefore needs the result of one.",
            "T1 用于 FP16 与 BF16 输出，T2 用于 FP32，T3 用于门控权重，T4 用于 INT8，T5 用于量化 scale。"
            "T6 将 kernel 的误差与朴素实现的误差作比较，因此还需要后者的结果。",
        ),
        bad=_compared('out, x.astype(np.float64) + 1.0, tolerance="T9"'),
        good=_compared('out, x.astype(np.float64) + 1.0, tolerance="T2"'),
    )
)

_CASES = """from openpto.testing import parse_cases


def run():
    parse_cases('[{{"id": "tail", "shape": {shape}, "dtype": "fp32", "rtol": 1e-5}}]')
"""

register(
    Rule(
        code="PTO541",
        name="cases-not-understood",
        exc=ValueError,
        title=T("file of cases not understood", "无法理解的用例文件"),
        message=T("{source} can not be read: {problem}", "无法读取 {source}：{problem}"),
        help=T(
            'write a list of objects such as {{"id": "tail", "level": 0, "shape": [65, 256], "dtype": "fp32"}}',
            '请写成对象的列表，例如 {{"id": "tail", "level": 0, "shape": [65, 256], "dtype": "fp32"}}',
        ),
        explanation=T(
            "A file of cases is JSON: a row per case with id, shape and dtype, and if wanted level, seed, rtol and atol "
            "or a tolerance by name. Shapes and types may be given per tensor. Every other key belongs to the operator.",
            "用例文件为 JSON：每个用例一项，含 id、shape、dtype，可选 level、seed、rtol 与 atol 或以名称给出的容差。"
            "形状与类型可按张量分别给出。其余的键由算子自行使用。",
        ),
        bad=_CASES.format(shape='"65x256"'),
        good=_CASES.format(shape="[65, 256]"),
    )
)

_MARKED = """from openpto.pytest_plugin.chips import chips_of


def run():
    assert chips_of(["{chip}"]) == ("910B",)
"""

register(
    Rule(
        code="PTO542",
        name="no-such-chip",
        exc=ValueError,
        title=T("no such chip", "没有这种芯片"),
        message=T("a test is marked for {chip}, which is no chip", "测试标记的 {chip} 不是已知芯片"),
        help=T(
            "name 910B, 910C or 950 in pytest.mark.pypto_chip(...)",
            "请在 pytest.mark.pypto_chip(...) 中写 910B、910C 或 950",
        ),
        explanation=T(
            "A mark says for which chips a test is meant. A run for another chip leaves the test out, so that a name "
            "with a slip would leave it out of every run.",
            "该标记说明测试适用于哪些芯片。面向其他芯片的运行会跳过该测试，因此写错名称会使它在所有运行中都被跳过。",
        ),
        bad=_MARKED.format(chip="910X"),
        good=_MARKED.format(chip="910B"),
    )
)

_KEPT = """import numpy as np
import pypto
from openpto.testing import require_kept


@pypto.frontend.jit
def kernel(x: pypto.Tensor([pypto.DYNAMIC, 32], pypto.DT_FP32), out: pypto.Tensor([8, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    for row in pypto.loop(x.shape[0]):
        pypto.assemble(pypto.view(x, [1, 32], [row, 0]) + 1.0, [row, 0], out)


def run():
    x, out = np.ones(({rows}, 32), np.float32), np.zeros((8, 32), np.float32)
    before = out.copy()
    kernel(x, out)
    require_kept(out, before)
"""

register(
    Rule(
        code="PTO543",
        name="output-not-kept",
        exc=AssertionError,
        title=T("an output was to stay as it was", "输出本应保持不变"),
        message=T(
            "{kernel} was to leave the output as it was before the run: {reason}",
            "{kernel} 本应使输出保持运行前的内容：{reason}",
        ),
        help=T(
            "if the run has something to write, compare the output with a golden: assert_close(out, golden)",
            "如果本次运行确有内容要写入，请将输出与标准结果比较：assert_close(out, golden)",
        ),
        explanation=T(
            "A run without tokens or updates has nothing to write, and what its outputs held has to stay, bit by bit. "
            "The check asks for the memory that the run was given, so that a kernel that did not run does not pass, and "
            "for a run that wrote no element of it.",
            "没有 token 或更新的运行无可写入，其输出原有的内容必须逐位保持不变。该检查要求给出本次运行所用的内存，因此未运行的 kernel "
            "不会通过；同时要求本次运行未写入其中任何元素。",
        ),
        bad=_KEPT.format(rows=3),
        good=_KEPT.format(rows=0),
    )
)
