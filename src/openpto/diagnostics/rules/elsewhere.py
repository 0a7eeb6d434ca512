"""PTO570-576: calls that another interpreter runs."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register

_CALLED = """import os
import shlex
import sys

import numpy as np
import pypto

VARIABLES = {variables}
{global_line}

@pypto.frontend.jit
def kernel(x: pypto.Tensor([8, 32], pypto.DT_FP32), out: pypto.Tensor([8, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    out[:] = x + {term}


def run():
    before = dict(os.environ)
    os.environ.update(VARIABLES)
    try:
        kernel(np.ones((8, 32), np.float32), np.zeros((8, 32), np.float32))
    finally:
        os.environ.clear()
        os.environ.update(before)
"""
_NPU = '"PYPTO_RUN_MODE": "npu", "PYPTO_NPU_PYTHON": '


def _example(variables: str, term: str = "1.0", global_line: str = "") -> str:
    return _CALLED.format(variables="{" + variables + "}", term=term, global_line=global_line)


def _running(code: str) -> str:
    """An example whose other interpreter runs a line of Python in the place of the runner."""
    return _example(f'{_NPU}shlex.join([sys.executable, "-c", {code!r}])')


_WROTE = "import json, sys; json.dump({content}, open(sys.argv[2] + '/result.json', 'w'))"
_GOOD = _example('"PYPTO_RUN_MODE": "sim"')

register(
    Rule(
        code="PTO570",
        name="no-such-interpreter",
        exc=RuntimeError,
        title=T("interpreter cannot be started", "无法启动解释器"),
        message=T("PYPTO_NPU_PYTHON names {python}: {why}", "PYPTO_NPU_PYTHON 指向 {python}：{why}"),
        help=T(
            "name the Python of the environment in which the vendor's stack is installed, as /path/to/bin/python",
            "请指定安装了厂商软件栈的环境中的 Python，例如 /path/to/bin/python",
        ),
        explanation=T(
            "Calls for a device run in another interpreter, since two packages called pypto cannot share one process.",
            "设备上的调用在另一个解释器中运行，因为两个名为 pypto 的包不能共用一个进程。",
        ),
        bad=_example(f'{_NPU}"no-such-python-anywhere"'),
        good=_GOOD,
    )
)

register(
    Rule(
        code="PTO571",
        name="interpreter-died",
        exc=RuntimeError,
        title=T("the other interpreter gave no result", "另一个解释器没有给出结果"),
        message=T("{python} {how} {at}; it wrote: {tail}", "{python} {at} {how}；其输出：{tail}"),
        help=T(
            "read its messages; PYPTO_NPU_FOLDER keeps the request, which `python runner.py .` runs again in its folder",
            "请查看其输出；PYPTO_NPU_FOLDER 会保留请求，在该文件夹中执行 `python runner.py .` 可再次运行",
        ),
        explanation=T(
            "The interpreter ended before it wrote result.json: it crashed, it was ended, or it could not run at all.",
            "解释器在写出 result.json 之前就结束了：崩溃、被终止，或根本无法运行。",
        ),
        bad=_running("import sys; sys.exit(3)"),
        good=_GOOD,
    )
)

register(
    Rule(
        code="PTO572",
        name="interpreter-too-slow",
        exc=TimeoutError,
        title=T("the other interpreter took too long", "另一个解释器超时"),
        message=T(
            "{python} was ended after {seconds} s {at}; it wrote: {tail}",
            "{python} {at}，{seconds} 秒后被终止；其输出：{tail}",
        ),
        help=T(
            "give it more time with PYPTO_NPU_TIMEOUT=<seconds>, or look why the call hangs",
            "用 PYPTO_NPU_TIMEOUT=<秒数> 延长时间，或查明调用为何挂起",
        ),
        explanation=T(
            "A device that hangs would hang this process too. So a request has a limit, 600 seconds unless the "
            "variable says otherwise, and then the interpreter and what it started are ended.",
            "挂起的设备会使本进程一同挂起。因此请求有时限（默认 600 秒，可由该变量更改），到时将终止该解释器及其启动的进程。",
        ),
        bad=_running("import time; time.sleep(60)").replace(_NPU, '"PYPTO_NPU_TIMEOUT": "0.2", ' + _NPU),
        good=_GOOD,
    )
)

register(
    Rule(
        code="PTO573",
        name="result-not-understood",
        exc=RuntimeError,
        title=T("result of the other interpreter not understood", "无法理解另一个解释器的结果"),
        message=T("what it wrote cannot be used: {why}", "其写出的内容无法使用：{why}"),
        help=T(
            "use the runner.py of this version; PYPTO_NPU_FOLDER keeps the folder for a look",
            "请使用本版本的 runner.py；PYPTO_NPU_FOLDER 会保留该文件夹以供查看",
        ),
        explanation=T(
            "A result is result.json of the format pypto-result and the same version, and outputs.npz with the contents "
            "of every tensor in its shape and type. Pickled objects are never loaded.",
            "结果由格式为 pypto-result、版本相同的 result.json，以及含有各 tensor 内容（形状与类型一致）的 outputs.npz 组成。"
            "绝不加载 pickle 对象。",
        ),
        bad=_running(_WROTE.format(content="[1, 2]")),
        good=_GOOD,
    )
)

register(
    Rule(
        code="PTO574",
        name="interpreter-without-device",
        exc=RuntimeError,
        title=T("the other interpreter cannot run kernels", "另一个解释器无法运行 kernel"),
        message=T("{python} says: {why}", "{python} 报告：{why}"),
        help=T(
            "PYPTO_NPU_PYTHON has to name an interpreter with the vendor's pypto, torch and torch_npu, and an NPU",
            "PYPTO_NPU_PYTHON 应指向装有厂商 pypto、torch、torch_npu 且具备 NPU 的解释器",
        ),
        explanation=T(
            "The runner looks for a pypto, for torch_npu and for a device before it runs anything. Without a device the "
            "vendor's stack simulates structure, and its numbers mean nothing; so they are not taken for results.",
            "runner 在运行之前会查找 pypto、torch_npu 与设备。没有设备时厂商软件栈只模拟结构，其数值没有意义，因此不会当作结果。",
        ),
        bad=_running(
            _WROTE.format(
                content="dict(format='pypto-result', version=1, status='refused', text='this interpreter has no pypto')"
            )
        ),
        good=_GOOD,
    )
)

register(
    Rule(
        code="PTO575",
        name="stopped-elsewhere",
        exc=RuntimeError,
        title=T("the call stopped in the other interpreter", "调用在另一个解释器中停止"),
        message=T("{name} stopped there ({stack}): {text}", "{name} 在那里停止（{stack}）：{text}"),
        help=T(
            "pypto explain finds the page for the message; PYPTO_RUN_MODE=sim runs the call here",
            "pypto explain 可查到该消息的说明；PYPTO_RUN_MODE=sim 在本机运行该调用",
        ),
        explanation=T(
            "The kernel was accepted here and refused, or it failed, there. The text is that stack's own.",
            "kernel 在此处被接受，而在那里被拒绝或运行失败。文本来自那个软件栈。",
        ),
        bad=_running(
            "import sys; import numpy; numpy.savez(sys.argv[2] + '/outputs.npz'); "
            + _WROTE.format(
                content="dict(format='pypto-result', version=1, status='done', mode='npu', about={}, "
                "calls=[dict(status='error', type='RuntimeError', text='launch aicpu failed')])"
            )
        ),
        good=_GOOD,
    )
)

register(
    Rule(
        code="PTO576",
        name="not-self-contained",
        exc=ValueError,
        title=T("kernel cannot be handed over", "无法移交 kernel"),
        message=T(
            "{name} uses {what}, which has no text outside of this program",
            "{name} 使用了 {what}，它在本程序之外没有文本表示",
        ),
        help=T(
            "give the kernel numbers, texts, enumerations, dataclasses or functions in the place of such an object",
            "请改用数字、文本、枚举、dataclass 或函数代替该对象",
        ),
        explanation=T(
            "A kernel that runs elsewhere, or later from a file, is written out with everything that it uses: helpers, "
            "constants, closure variables and classes. An object that only this program has cannot be written out.",
            "要在别处运行、或日后从文件运行的 kernel，会连同其所用的一切（helper、常量、闭包变量、类）写成文本。"
            "只存在于本程序中的对象无法写出。",
        ),
        bad=_example(
            f"{_NPU}sys.executable",
            term="BOX.value",
            global_line="\n\nclass Box:\n    def __init__(self):\n        self.value = 1.0\n\n\nBOX = Box()\n",
        ),
        good=_GOOD,
    )
)
