"""PTO216-218, PTO470-477, PTO540: memory that ranks share, and ranks that wait for each other."""

from __future__ import annotations

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register
from openpto.diagnostics.rules.runtime import fault_rule

_HEAD = """import numpy as np
import pypto
from openpto import distributed

D = pypto.distributed
F = pypto.DT_FP32


@pypto.frontend.jit
def kernel(x: pypto.Tensor([8, 16], F), out: pypto.Tensor([8, 16], F)):
    pypto.set_vec_tile_shapes(8, 16)
"""


def _example(body: str, launch: str = "distributed.launch(main, ranks=2)") -> str:
    return f"""{_HEAD}{body}

def main(rank):
    kernel(np.ones((8, 16), np.float32), np.zeros((8, 16), np.float32))


def run():
    {launch}
"""


_SHARED = '    m = D.create_shmem_tensor("tp", 2, F, [8, 16])\n    me = D.my_symbolic_pe("tp")\n'
_EXCHANGE = f"""{_SHARED}    D.shmem_put(x, [0, 0], m, 1 - me)
    D.shmem_barrier_all(m)
    out[:] = D.shmem_get(m, me)
"""
_GOOD = _example(_EXCHANGE)

# Handles and groups

register(
    Rule(
        code="PTO216",
        name="no-shared-memory",
        exc=TypeError,
        title=T("an argument is not shared memory", "参数不是共享内存"),
        message=T("{op}: {name} must be a ShmemTensor, got {got}", "{op}：{name} 必须是 ShmemTensor，实际为 {got}"),
        help=T(
            "make it with pypto.distributed.create_shmem_tensor or create_shmem_signal",
            "请用 pypto.distributed.create_shmem_tensor 或 create_shmem_signal 创建",
        ),
        explanation=T(
            "Other ranks can only reach memory that all ranks of a group have created together. A tensor of the kernel "
            "belongs to its own rank; shmem_put copies it into shared memory.",
            "其他 rank 只能访问由通信组内所有 rank 共同创建的内存。kernel 的普通张量只属于本 rank，shmem_put 可将其复制到共享内存。",
        ),
        aliases=("FA0007",),
        bad=_example(f"{_SHARED}    D.shmem_put(x, [0, 0], x, 1 - me)\n    out[:] = x + 1.0\n"),
        good=_GOOD,
    )
)

register(
    Rule(
        code="PTO217",
        name="communication-group",
        exc=ValueError,
        title=T("a communication group that cannot be", "通信组无效"),
        message=T("{op}: {why}", "{op} 的通信组有误：{why}"),
        help=T("give the group's name and its number of PEs", "请给出通信组的名称及其 PE 数量"),
        explanation=T(
            "A group has a name of 1 to 127 characters and a fixed number of PEs, which is the same wherever the kernel "
            "names the group.",
            "通信组的名称为 1 到 127 个字符，PE 数量固定，且在 kernel 中每次出现时必须相同。",
        ),
        aliases=("FA0000", "FA0001"),
        bad=_example('    D.create_shmem_tensor("tp", 0, F, [8, 16])\n    out[:] = x + 1.0\n'),
        good=_GOOD,
    )
)

register(
    Rule(
        code="PTO218",
        name="signals-without-data",
        exc=ValueError,
        title=T("shared signals have no data", "仅信号的共享内存没有数据"),
        message=T(
            "{op}: {name} was made by create_shmem_signal and has no data",
            "{op}：{name} 由 create_shmem_signal 创建，没有数据部分",
        ),
        help=T("use create_shmem_tensor", "请使用 create_shmem_tensor"),
        explanation=T(
            "create_shmem_signal makes signals only. There is no block of elements that could be viewed, put, fetched or "
            "cleared.",
            "create_shmem_signal 只创建信号，没有可供查看、写入、读取或清零的数据块。",
        ),
        aliases=("FA0008",),
        bad=_example('    s = D.create_shmem_signal("tp", 2)\n    D.shmem_view(s, [1], [0])\n    out[:] = x + 1.0\n'),
        good=_GOOD,
    )
)

# Ranks

fault_rule(
    "PTO470",
    "no-rank",
    RuntimeError,
    T("there are no ranks here", "当前不在任何 rank 中"),
    T(
        "{op} needs other ranks, and this thread is none of a launch",
        "{op} 需要与其他 rank 协作，而当前线程不属于任何 launch",
    ),
    T(
        "call the kernel from a function that openpto.distributed.launch(fn, ranks=n) runs",
        "请在 openpto.distributed.launch(fn, ranks=n) 运行的函数中调用该 kernel",
    ),
    T(
        "Ranks run as threads of one process: launch calls a function once for every rank, and kernels that these "
        "functions call share memory. Processes of their own cannot reach each other here.",
        "各 rank 以同一进程中的线程运行：launch 为每个 rank 调用一次函数，这些函数调用的 kernel 共享内存。"
        "此处不同进程之间无法互相访问。",
    ),
    _example(_EXCHANGE, "main(0)"),
    _GOOD,
)

fault_rule(
    "PTO471",
    "no-such-pe",
    IndexError,
    T("no PE of this number", "没有该编号的 PE"),
    T("{what} is {pe}, and group {name} has {size} PEs", "{what} 为 {pe}，而通信组 {name} 有 {size} 个 PE"),
    T("compute the number modulo the size of the group", "请对通信组大小取模"),
    T(
        "PEs are numbered from 0. A number outside of the group would reach foreign memory on a device. Only the plain "
        "int -1 as target_pe of shmem_signal means all PEs.",
        "PE 从 0 开始编号。在设备上，超出范围的编号会访问到无关的内存。只有 shmem_signal 的 target_pe 取整数字面值 -1 时表示所有 PE。",
    ),
    _example(f"{_SHARED}    D.shmem_put(x, [0, 0], m, me + 1)\n    out[:] = x + 1.0\n"),
    _GOOD,
)

fault_rule(
    "PTO472",
    "deadlock",
    RuntimeError,
    T("ranks wait for each other", "各 rank 互相等待"),
    T(
        "rank {rank} waits here in vain: {count} rank(s) wait for what no rank can bring any more",
        "rank {rank} 在此处的等待不会结束：{count} 个 rank 等待的条件已无任何 rank 能够满足",
    ),
    T(
        "compare the signals that are sent with those that are waited for: PE, value, SET or ADD, order",
        "请核对发送的信号与等待的信号：PE、数值、SET 或 ADD、先后顺序",
    ),
    T(
        "A device would hang until a watchdog ends it. Here every rank that can not go on stops as soon as that is "
        "certain: all others of its group have ended or wait as well. The notes tell for every rank of the group where "
        "it is, what it waits for, and what the signal is.",
        "在设备上程序会挂起直到看门狗终止它。此处一旦确定某个 rank 无法继续（通信组内其他 rank 均已结束或同样在等待），"
        "该 rank 便立即停止。附注列出组内每个 rank 的位置、等待的条件以及信号的当前值。",
    ),
    _example(f"{_SHARED}    D.shmem_wait_until(m, 1 - me, 1)\n    out[:] = x + 1.0\n"),
    _example(
        f"{_SHARED}    D.shmem_signal(m, me, 1, target_pe=1 - me)\n"
        "    D.shmem_wait_until(m, 1 - me, 1)\n    out[:] = x + 1.0\n"
    ),
    aliases=("FA3000",),
)

fault_rule(
    "PTO473",
    "other-rank-failed",
    RuntimeError,
    T("another rank has failed", "另一个 rank 已失败"),
    T("rank {rank} works with group {name}, and {why}", "rank {rank} 正在使用通信组 {name}，而 {why}"),
    T("look at the error of that rank", "请查看该 rank 的错误"),
    T(
        "When a rank ends with an error, nothing that the others wait for from it will come. They are stopped, so that "
        "the program ends and shows the error that matters, which launch raises.",
        "某个 rank 因错误结束后，其他 rank 等待它的内容不会再到来。因此它们会被停止，程序随之结束并由 launch 抛出真正的错误。",
    ),
    untestable="launch raises the error of the rank that failed, not of those that waited for it; tests/distributed/test_faults.py catches it there",
)

fault_rule(
    "PTO474",
    "ranks-disagree",
    ValueError,
    T("ranks ask for different shared memory", "各 rank 请求的共享内存不一致"),
    T(
        "rank {rank} asks for {have} as memory {number} of group {name}, another rank asked for {want} at {place}",
        "rank {rank} 请求 {have} 作为通信组 {name} 的第 {number} 块内存，而另一个 rank 在 {place} 请求的是 {want}",
    ),
    T(
        "let every rank create the same shared memory in the same order",
        "请让每个 rank 以相同的顺序创建相同的共享内存",
    ),
    T(
        "Shared memory is symmetric: the first request of every rank in a group makes one memory, the second the next. "
        "All of them must name the same element type, shape and number of PEs.",
        "共享内存是对称的：通信组内各 rank 的第一次请求共同构成一块内存，第二次请求构成下一块。它们的元素类型、形状和 PE 数量必须相同。",
    ),
    f"""{_HEAD}    me = D.my_symbolic_pe("tp")
    if me == 0:
        D.create_shmem_tensor("tp", 2, F, [8, 16])
    else:
        D.create_shmem_tensor("tp", 2, F, [4, 16])
    out[:] = x + 1.0


def main(rank):
    kernel(np.ones((8, 16), np.float32), np.zeros((8, 16), np.float32))


def run():
    distributed.launch(main, ranks=2)
""",
    _GOOD,
    aliases=("FA0003",),
)

fault_rule(
    "PTO475",
    "group-of-other-size",
    ValueError,
    T("a communication group does not fit the launch", "通信组与 launch 不符"),
    T("group {name} of rank {rank}: {why}", "rank {rank} 的通信组 {name}：{why}"),
    T(
        "n_pes must be the number of ranks, or that of the list in launch(..., groups=)",
        "n_pes 必须等于 rank 数量，或等于 launch(..., groups=) 中列表的长度",
    ),
    T(
        "A group that launch is told nothing of stands for all ranks. launch(fn, ranks=4, groups=dict(tp=[[0, 1], [2, 3]])) "
        "makes two groups of that name, with two PEs each.",
        "launch 未提及的通信组代表所有 rank。launch(fn, ranks=4, groups=dict(tp=[[0, 1], [2, 3]])) 会创建两个同名的通信组，"
        "各有两个 PE。",
    ),
    _example(_EXCHANGE, "distributed.launch(main, ranks=3)"),
    _GOOD,
    aliases=("FA0001",),
)

fault_rule(
    "PTO476",
    "race-between-ranks",
    RuntimeError,
    T("data race between ranks", "rank 之间存在数据竞争"),
    T(
        "rank {rank} {action} {box} of PE {pe} in {window}, rank {other} {other_action} {other_box} at {place}, and "
        "nothing orders the two",
        "rank {rank} 对 {window} 中 PE {pe} 的 {box} 执行 {action}，rank {other} 在 {place} 对 {other_box} 执行 {other_action}，"
        "两者之间没有任何先后约束",
    ),
    T(
        "let the first rank signal after its access and the second wait for that signal before its own, or put a "
        "barrier between",
        "请让先访问的 rank 在访问后发送信号、后访问的 rank 在访问前等待该信号，或在两者之间放置屏障",
    ),
    T(
        "Ranks run at the same time. Two that touch the same elements, at least one of them writing, must be ordered by a "
        "signal or a barrier; otherwise the result depends on which of them is faster. Additions may meet.",
        "各 rank 同时运行。两个 rank 访问相同的元素且至少一个是写入时，必须由信号或屏障约束先后，否则结果取决于谁更快。"
        "累加操作之间可以同时进行。",
    ),
    _example(
        f"{_SHARED}    D.shmem_put(x, [0, 0], m, 1 - me)\n    out[:] = D.shmem_get(m, me)\n    D.shmem_barrier_all(m)\n"
    ),
    _GOOD,
)

fault_rule(
    "PTO477",
    "outside-shared-memory",
    IndexError,
    T("elements outside of shared memory", "元素超出共享内存"),
    T(
        "elements {low}:{high} on axis {axis} of {window}, which has {extent} there (extents {extents})",
        "{window} 在第 {axis} 维的长度为 {extent}，而访问了元素 {low}:{high}（范围 {extents}）",
    ),
    T("check the offsets, or make the memory larger", "请检查偏移量，或增大共享内存"),
    T(
        "What lies behind the block of a PE belongs to something else. A transfer must stay inside of the block, and "
        "inside of the window that it names.",
        "PE 数据块之外的内存属于其他用途。传输必须位于数据块以及所指定的窗口之内。",
    ),
    _example(f"{_SHARED}    D.shmem_put(x, [4, 0], m, 1 - me)\n    out[:] = x + 1.0\n"),
    _GOOD,
    aliases=("FA0008",),
)

register(
    Rule(
        code="PTO540",
        name="launch-arguments",
        exc=ValueError,
        title=T("ranks that cannot be launched", "无法启动这些 rank"),
        message=T("launch: {why}", "launch 的参数有误：{why}"),
        help=T(
            "help(openpto.distributed.launch) shows its parameters", "可用 help(openpto.distributed.launch) 查看参数"
        ),
        explanation=T(
            "A launch has at least one rank. A group lists ranks of the launch, each at most once, and a rank does not "
            "launch others.",
            "launch 至少有一个 rank。通信组列出 launch 中的 rank，每个最多出现一次；rank 内部不能再次 launch。",
        ),
        bad=_example(_EXCHANGE, "distributed.launch(main, ranks=0)"),
        good=_GOOD,
    )
)
