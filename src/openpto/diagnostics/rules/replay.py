"""PTO580-583: replay files, and programs made small."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register

_RECORDED = """import tempfile

import numpy as np
import openpto
import pypto


class Box:
    def __init__(self):
        self.value = 5


BOX = Box()
ROWS = 5


@pypto.frontend.jit
def kernel(x: pypto.Tensor([8, 32], pypto.DT_FP32), out: pypto.Tensor([8, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    out[:] = x + 1.0 * {rows}


def run():
    with tempfile.TemporaryDirectory() as folder, openpto.configure(replay_dir=folder):
        x, out = np.ones((8, 32), np.float32), np.zeros((8, 32), np.float32)
        kernel(x, out)
        try:
            openpto.testing.assert_close(out, x)
        except AssertionError:
            pass
"""

register(
    Rule(
        code="PTO580",
        name="replay-not-written",
        exc=RuntimeWarning,
        severity="warning",
        title=T("replay not written", "未写出 replay 文件"),
        message=T("the call of {name} was not recorded: {why}", "未能记录 {name} 的调用：{why}"),
        help=T(
            "replay files hold kernels of functions, numbers, texts, enumerations and dataclasses, in a folder that exists "
            "or can be made",
            "replay 文件可保存由函数、数字、文本、枚举和 dataclass 构成的 kernel；文件夹应存在或可以创建",
        ),
        explanation=T(
            "A replay file holds the kernel with everything that it uses and the contents of its arguments. An object "
            "without a text, arguments beyond 256 MiB or a folder that cannot be written keep it from being made; the "
            "error or comparison itself is told as always.",
            "replay 文件保存 kernel 及其所用的一切和参数的内容。没有文本的对象、超过 256 MiB 的参数或不可写的文件夹会使其无法生成；"
            "错误或比较本身照常报告。",
        ),
        bad=_RECORDED.format(rows="BOX.value"),
        good=_RECORDED.format(rows="ROWS"),
    )
)

_READ = """import json
import tempfile
from pathlib import Path

import numpy as np
import openpto
import pypto
from openpto.capsule.replay_file import read


@pypto.frontend.jit
def kernel(x: pypto.Tensor([8, 32], pypto.DT_FP32), out: pypto.Tensor([8, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    out[:] = x + 1.0


def run():
    with tempfile.TemporaryDirectory() as folder, openpto.configure(replay_dir=folder):
        x, out = np.ones((8, 32), np.float32), np.zeros((8, 32), np.float32)
        kernel(x, out)
        try:
            openpto.testing.assert_close(out, x)
        except AssertionError:
            pass
        [file] = Path(folder).glob("*.replay.json")
        {change}
        read(file)
"""

register(
    Rule(
        code="PTO581",
        name="replay-not-understood",
        exc=ValueError,
        title=T("not a replay file", "不是有效的 replay 文件"),
        message=T("{file} cannot be read: {why}", "无法读取 {file}：{why}"),
        help=T(
            "give a file that openpto.configure(replay_dir=...), pypto verify --replay or pypto shrink has written",
            "请给出由 openpto.configure(replay_dir=...)、pypto verify --replay 或 pypto shrink 写出的文件",
        ),
        explanation=T(
            "A replay file is JSON of the format pypto-replay. It is read as a whole before anything of it runs.",
            "replay 文件是格式为 pypto-replay 的 JSON，在运行其中任何内容之前会先完整读取。",
        ),
        bad=_READ.format(change='file.write_text("{}")'),
        good=_READ.format(change="assert json.loads(file.read_text())"),
    )
)

register(
    Rule(
        code="PTO582",
        name="replay-does-not-repeat",
        exc=RuntimeError,
        title=T("cannot be made small", "无法缩小"),
        message=T(
            "the call of {kernel} does not end as recorded here ({kind}), so there is nothing to keep",
            "{kernel} 的调用在此处没有按记录结束（{kind}），因此没有可保留的内容",
        ),
        help=T("pypto replay shows what is different", "pypto replay 会显示差异"),
        explanation=T(
            "Making a call small means to keep what it was recorded for while everything else goes. Bits and stops do not "
            "depend on the machine, so that other versions of the package or a changed file are the usual reason.",
            "缩小一次调用，是在去掉其他一切的同时保留记录它的缘由。逐位结果与停止不依赖于机器，因此通常是软件包版本不同或文件被改动。",
        ),
        bad=_READ.format(change='file.write_text(file.read_text().replace("x + 1.0", "x * 1.0"))')
        .replace("        read(file)", "        shrink(read(file), seconds=5)")
        .replace("import read\n", "import read\nfrom openpto.verify.shrinking.shrink import shrink\n"),
        good=_READ.format(change="assert json.loads(file.read_text())"),
    )
)
