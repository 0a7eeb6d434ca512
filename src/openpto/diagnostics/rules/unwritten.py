"""PTO410-419: data that is missing when it is read, and writes that reach nobody."""

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
        code="PTO410",
        name="tensor-read-before-write",
        exc=RuntimeError,
        title=T("tensor is read before anything is written to it", "张量在写入之前被读取"),
        message=T(
            "{op} reads {name}, declared in {declared}, and no statement has written it yet",
            "{op} 读取了 {name}（声明于 {declared}），但还没有任何语句写入它",
        ),
        help=T(
            "write {name} first, for example {name}[:] = pypto.full(...), or start from pypto.zeros",
            "请先写入 {name}，例如 {name}[:] = pypto.full(...)，或使用 pypto.zeros",
        ),
        explanation=T(
            "A tensor declared with a shape only has no contents. On a device it is a tensor without a producer: the "
            "compiler stops, or the kernel reads an empty address. Elements that are merely partly written are "
            "tracked at run time; this rule speaks of tensors that no write has reached.",
            "仅以形状声明的张量没有内容。在设备上它是没有生产者的张量：编译会停止，或 kernel 读取空地址。"
            "部分写入的元素在运行时跟踪；本规则只针对任何写入都未到达的张量。",
        ),
        phrases=("Run pass failed",),
        aliases=("F42003", "F74008", "F41003"),
        bad=_program("t = pypto.Tensor([32, 32], pypto.DT_FP32)", "y[:] = x + t"),
        good=_program("t = pypto.full([32, 32], 0.0, pypto.DT_FP32)", "y[:] = x + t"),
    )
)

register(
    Rule(
        code="PTO411",
        name="kernel-writes-nothing",
        exc=RuntimeError,
        title=T("kernel writes no parameter", "kernel 没有写入任何参数"),
        message=T(
            "{kernel} ends without having written any of its tensors: the call could have no effect",
            "{kernel} 结束时没有写入任何张量参数：这次调用不会有任何效果",
        ),
        help=T(
            "store the result into an output parameter: out[:] = ..., out.move(...), out[a:b] = ... or "
            "pypto.assemble(..., out)",
            "将结果写入输出参数：out[:] = ...、out.move(...)、out[a:b] = ... 或 pypto.assemble(..., out)",
        ),
        explanation=T(
            "A kernel returns nothing; results reach the caller only through tensors it was given. A kernel that "
            "writes none of them leaves the output as it was, which looks like a wrong result.",
            "kernel 没有返回值，结果只能通过传入的张量返回给调用者。"
            "不写入任何参数的 kernel 会让输出保持原样，看起来像是结果错误。",
        ),
        aliases=("F42001",),
        bad=_program("z = x + y"),
        good=_program("y[:] = x + 1.0"),
    )
)

register(
    Rule(
        code="PTO412",
        name="parameter-rebound",
        exc=RuntimeError,
        title=T("output parameter is rebound, not written", "输出参数被重新绑定而未被写入"),
        message=T(
            "`{name} = ...` only gives the name {name} to a new tensor; the caller's tensor stays unchanged",
            "`{name} = ...` 只是让名字 {name} 指向新的张量；调用者的张量没有变化",
        ),
        help=T("write {name}[:] = ... instead", "请改写为 {name}[:] = ..."),
        explanation=T(
            "Assigning to a name is Python's rebinding and never touches the tensor behind the old name. The "
            "parameter is neither read nor written anywhere else, so it was meant as an output.",
            "给名字赋值是 Python 的重新绑定，不会影响原名字背后的张量。"
            "该参数在别处既没有被读取也没有被写入，因此它应当是输出。",
        ),
        aliases=("OL02",),
        bad=_program("y = x + 1.0"),
        good=_program("y[:] = x + 1.0"),
    )
)

register(
    Rule(
        code="PTO413",
        name="parameter-unused",
        severity="warning",
        title=T("parameter is not used", "参数未被使用"),
        message=T("nothing reads or writes {name}", "没有语句读取或写入 {name}"),
        help=T("use {name} or take it out of the signature", "使用 {name}，或将其从签名中删除"),
        explanation=T(
            "The kernel neither reads nor writes this tensor and does not ask for its sizes. An input without a "
            "consumer is refused by some compiler passes, and it often is a slip of the pen.",
            "kernel 既不读写该张量，也不使用它的大小。没有消费者的输入会被某些编译阶段拒绝，通常也是笔误。",
        ),
        aliases=("F42001",),
        bad=_program("x[:] = x + 1.0"),
        good=_program("y[:] = x + 1.0"),
    )
)

register(
    Rule(
        code="PTO414",
        name="write-to-a-copy",
        exc=RuntimeError,
        title=T("write into a copy that nobody reads", "写入了无人读取的副本"),
        message=T(
            "writes the copy: {name} was taken from {source} in {made}, and nothing reads {name} after this write",
            "写入的是副本：{name} 于 {made} 取自 {source}，此次写入之后没有语句读取 {name}",
        ),
        help=T(
            "write {source}[a:b] = ... (the part in question), or pypto.assemble(..., [a, 0], {source})",
            "请直接写入 {source}[a:b] = ...（相应的部分），或使用 pypto.assemble(..., [a, 0], {source})",
        ),
        explanation=T(
            "A view and the result of an operation are tensors of their own. Writing into one changes that tensor "
            "only, never the tensor it was read from, so a write that nobody reads afterwards is lost.",
            "view 和操作结果都是独立的张量。写入它们只改变其自身，不会改变它所来自的张量，"
            "因此之后无人读取的写入会丢失。",
        ),
        bad=_program("y[:] = x + 1.0", "row = pypto.view(y, [8, 32], [0, 0])", "row[:] = x[8:16, :]"),
        good=_program("y[:] = x + 1.0", "y[0:8, :] = x[8:16, :]"),
    )
)
