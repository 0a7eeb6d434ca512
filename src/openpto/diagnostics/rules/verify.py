"""PTO560-562: what `pypto verify` and its kin are asked about."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register

_NAMED = """from openpto.cli.subjects import subject_of


def run():
    subject_of("{target}", slow=False, cases={cases}, arguments=[])
"""

register(
    Rule(
        code="PTO560",
        name="nothing-to-verify",
        exc=LookupError,
        title=T("nothing to verify", "没有可验证的对象"),
        message=T(
            "{target} is no folder, no Python file and no operator of the gym",
            "{target} 不是文件夹、Python 文件，也不是 gym 中的算子",
        ),
        help=T(
            "name an operator such as {near}, a folder, or a kernel file as FILE.py or FILE.py:KERNEL",
            "请给出算子名（例如 {near}）、算子文件夹，或写作 FILE.py、FILE.py:KERNEL 的 kernel 文件",
        ),
        explanation=T(
            "A target that ends in .py is a kernel file, a folder is that of one operator, and any other text is the "
            "name of an operator of the gym.",
            "以 .py 结尾的目标是 kernel 文件，文件夹是一个算子的目录，其他文本则是 gym 中的算子名。",
        ),
        bad=_NAMED.format(target="softmaxx", cases=[]),
        good=_NAMED.format(target="softmax", cases=[]),
    )
)

register(
    Rule(
        code="PTO561",
        name="no-such-case",
        exc=LookupError,
        title=T("no such case", "没有这个用例"),
        message=T(
            "{subject} has {count} cases, and none is called {case}",
            "{subject} 有 {count} 个用例，其中没有 {case}",
        ),
        help=T("name one of its cases, such as {near}", "请给出其中一个用例，例如 {near}"),
        explanation=T(
            "Cases are found by their names. Those that take long are there with --slow only.",
            "用例按名称查找；耗时较长的用例只在给出 --slow 时存在。",
        ),
        bad=_NAMED.format(target="softmax", cases=["one_raw"]),
        good=_NAMED.format(target="softmax", cases=["one_row"]),
    )
)

_FOLDER = """import tempfile
from pathlib import Path

from openpto.cli.subject_files import folder_subject

IMPL = '''import numpy as np
import pypto


@pypto.frontend.jit
def twice_kernel_npu(x: pypto.Tensor([8, 32], pypto.DT_FP32), out: pypto.Tensor([8, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    out[:] = x * 2.0


def twice_wrapper(x):
    out = np.empty_like(x)
    twice_kernel_npu(x, out)
    return out
'''
GOLDEN = '''import numpy as np


def _make_inputs(seed=42):
    return (np.random.default_rng(seed).standard_normal((8, 32), dtype=np.float32),)


def twice_golden(x):
    return x + x
'''


def run():
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "twice"
        folder.mkdir()
        (folder / "twice_impl.py").write_text(IMPL)
        (folder / "{golden}").write_text(GOLDEN)
        assert [trial.name for trial in folder_subject(folder).trials] == ["inputs"]
"""

register(
    Rule(
        code="PTO562",
        name="incomplete-operator-folder",
        exc=FileNotFoundError,
        title=T("incomplete operator folder", "算子文件夹不完整"),
        message=T("{folder} does not have {missing}", "{folder} 中没有 {missing}"),
        help=T(
            "a folder holds <op>_impl.py with <op>_wrapper, and <op>_golden.py with <op>_golden and _make_inputs",
            "文件夹应包含带有 <op>_wrapper 的 <op>_impl.py，以及带有 <op>_golden 与 _make_inputs 的 <op>_golden.py",
        ),
        explanation=T(
            "The wrapper allocates outputs and calls the kernel; the golden takes the same arguments and computes the "
            "same outputs without it; _make_inputs makes the arguments, from the fields of a case that its parameters "
            "name. A file of cases, test_cases.json, is optional.",
            "wrapper 分配输出并调用 kernel；golden 接受相同的参数，不用 kernel 计算相同的输出；_make_inputs 根据其参数所指名的"
            "用例字段生成这些参数。用例文件 test_cases.json 可有可无。",
        ),
        bad=_FOLDER.replace("{golden}", "twice_gold.py"),
        good=_FOLDER.replace("{golden}", "twice_golden.py"),
    )
)
