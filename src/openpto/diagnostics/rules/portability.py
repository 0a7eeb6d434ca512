"""PTO6xx: what runs here and is refused, or means something else, in one of the toolchains."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register

_HEAD = """import numpy as np
import pypto


@pypto.frontend.jit
def kernel(x: pypto.Tensor([32, 32], pypto.DT_FP32), y: pypto.Tensor([32, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(16, 16)
"""

_RUN = """

def run():
    x = np.ones((32, 32), np.float32)
    kernel(x, np.zeros((32, 32), np.float32))
"""


def _program(*lines: str) -> str:
    return _HEAD + "".join(f"    {line}\n" for line in lines) + _RUN


register(
    Rule(
        code="PTO610",
        name="read-after-move",
        severity="warning",
        exc=RuntimeError,
        title=T("tensor is read after it was moved away", "张量被移走之后又被读取"),
        message=T(
            "{name} was moved into another tensor in {line}; it stays readable here, toolchains {profiles} empty it",
            "{name} 已在 {line} 被移动到另一个张量；此处仍可读取，而工具链 {profiles} 会清空它",
        ),
        help=T(
            "read the tensor it was moved into, or move a copy: o[:] = pypto.clone({name})",
            "读取移动到的目标张量，或移动一个副本：o[:] = pypto.clone({name})",
        ),
        explanation=T(
            "`o[:] = x` hands the storage of x over to o on the device, and x is empty afterwards; using it again "
            "fails or crashes there. Here the data is copied and x keeps it.",
            "在设备上 `o[:] = x` 会把 x 的存储交给 o，之后 x 为空，再次使用会失败或崩溃。此处数据被复制，x 保持不变。",
        ),
        profiles=("0.2", "0.3"),
        bad=_program("t = x + 1.0", "y[:] = t", "y[0:16, :] = pypto.view(t * 2.0, [16, 32], [0, 0])"),
        good=_program("t = x + 1.0", "y[:] = t * 2.0"),
    )
)

register(
    Rule(
        code="PTO611",
        name="part-read-and-written",
        severity="warning",
        exc=RuntimeError,
        title=T("part of a tensor is read and part of it is written back", "读取张量的一部分后又写回同一张量的一部分"),
        message=T(
            "what is stored into part of {name} was read from a part of {name} in the same straight line; toolchains "
            "{profiles} refuse it",
            "写入 {name} 一部分的数据是在同一段直线代码中从 {name} 的一部分读取的；工具链 {profiles} 会拒绝",
        ),
        help=T(
            "write to another tensor, or read in one loop and write in another",
            "写入另一个张量，或在一个循环中读取、在另一个循环中写入",
        ),
        explanation=T(
            "The statements have one clear meaning and run in program order here. The toolchains put both operations "
            "into one graph, where the tensor would depend on itself, and report a cycle.",
            "这些语句含义明确，此处按程序顺序执行。工具链会把两个操作放进同一张图，张量将依赖自身，因而报告环。",
        ),
        phrases=("Operation already in a group", "cycle detected"),
        aliases=("F21007", "F21009", "F43000"),
        profiles=("0.2", "0.3"),
        bad=_program("y[:] = x + 1.0", "y[0:16, :] = y[0:16, :] + 1.0"),
        good=_program("y[0:16, :] = x[0:16, :] + 1.0", "y[16:32, :] = x[16:32, :] * 2.0"),
    )
)
