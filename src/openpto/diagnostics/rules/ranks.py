"""PTO470-474: several ranks in one process."""

from __future__ import annotations

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register
from openpto.diagnostics.rules.runtime import example, fault_rule

_SHARED = """    shared = pypto.distributed.create_shmem_tensor("tp", 1, F, [8, 16])
    pypto.distributed.shmem_clear_data(shared)
"""
_READ = "    out[0:8, :] = pypto.distributed.shmem_get({}) + pypto.view(x, [8, 16], [0, 0])\n"

fault_rule(
    "PTO470",
    "ranks-wait-for-ever",
    RuntimeError,
    T("no rank can go on", "所有 rank 都无法继续"),
    T(
        "rank {rank} waits for what cannot come any more: {blocked}",
        "rank {rank} 等待的条件不可能再满足：{blocked}",
    ),
    T(
        "every wait needs a signal from a rank that comes to send it; compare the lines named above",
        "每个等待都需要某个 rank 发出对应的信号；请对照上面列出的各行",
    ),
    T(
        "Every rank that has not ended waits for a signal or at a barrier, and none of the conditions holds. A device "
        "hangs in this state until a watchdog ends it.",
        "所有未结束的 rank 都在等待信号或屏障，且没有任何条件成立。设备在此状态下会一直挂起，直到被看门狗终止。",
    ),
    example(_SHARED + "    pypto.distributed.shmem_wait_until(shared, 0, 1)\n" + _READ.format("shared, 0")),
    example(
        _SHARED
        + "    pypto.distributed.shmem_signal(shared, 0, 1, target_pe=0)\n"
        + "    pypto.distributed.shmem_wait_until(shared, 0, 1)\n"
        + _READ.format("shared, 0")
    ),
    aliases=("FA3000",),
)

fault_rule(
    "PTO471",
    "ranks-do-not-fit",
    ValueError,
    T("ranks of a group do not fit together", "组内各 rank 不一致"),
    T("{why}", "各 rank 不一致：{why}"),
    T(
        "all ranks make the same symmetric tensors in the same order; PEs count from 0",
        "所有 rank 须以相同顺序创建相同的对称张量；PE 从 0 开始编号",
    ),
    T(
        "Symmetric memory lies at the same place in every rank, and a PE is addressed by its number. A device would read "
        "or write memory that belongs to something else.",
        "对称内存在各 rank 中位于相同位置，并按编号访问 PE。否则设备会读写属于其他数据的内存。",
    ),
    example(_SHARED + _READ.format("shared, n[0]")),
    example(_SHARED + _READ.format("shared, n[0] - 4")),
)

fault_rule(
    "PTO472",
    "block-beyond-symmetric-tensor",
    IndexError,
    T("block reaches beyond the symmetric tensor", "块超出对称张量"),
    T(
        "on axis {axis} the block {low}:{high} of the extents {extents} lies outside of the {capacity} elements there",
        "第 {axis} 轴上，长度为 {extents} 的块 {low}:{high} 超出了该轴的 {capacity} 个元素",
    ),
    T("check the offsets and the shape of the window", "请检查偏移和窗口形状"),
    T(
        "A transfer or a signal addresses a block of the window that a rank owns. Outside of it lies the memory of other "
        "symmetric tensors.",
        "传输或信号访问某个 rank 所拥有窗口中的一个块。窗口之外是其他对称张量的内存。",
    ),
    example(_SHARED + "    out[0:4, :] = pypto.distributed.shmem_get(shared, 0, [4, 16], [n[0] + 1, 0]) + x[0:4, :]\n"),
    example(_SHARED + "    out[0:4, :] = pypto.distributed.shmem_get(shared, 0, [4, 16], [n[0], 0]) + x[0:4, :]\n"),
)

_TWO = """import numpy as np
import openpto
import pypto

F = pypto.DT_FP32


@pypto.frontend.jit
def kernel(x: pypto.Tensor([8, 16], F), out: pypto.Tensor([8, 16], F)):
    pypto.set_vec_tile_shapes(8, 16)
    shared = pypto.distributed.create_shmem_tensor("tp", 2, F, [8, 16])
    me = pypto.distributed.my_symbolic_pe("tp")
    pypto.distributed.shmem_put(x, [0, 0], shared, 1 - me)
    pypto.distributed.shmem_barrier_all(shared)
    out[:] = pypto.distributed.shmem_get(shared, me)


def run():
    def work(rank):
        kernel(np.ones((8, 16), np.float32), np.zeros((8, 16), np.float32))

    {call}
"""

fault_rule(
    "PTO473",
    "group-is-not-the-run",
    ValueError,
    T("group does not have the ranks of this run", "组的 rank 数与本次运行不符"),
    T(
        "group {group} has {want} PEs, and this run has {have} rank(s)",
        "组 {group} 有 {want} 个 PE，而本次运行有 {have} 个 rank",
    ),
    T(
        "call the kernel from openpto.run_ranks({want}, function), which runs function(rank) in a thread per rank",
        "请通过 openpto.run_ranks({want}, function) 调用 kernel，它会为每个 rank 在线程中运行 function(rank)",
    ),
    T(
        "On devices every rank is a process of its own. Here ranks are threads of one process, so that their number has "
        "to be said. A kernel that is called without is the only rank.",
        "在设备上每个 rank 是一个独立进程。此处 rank 是同一进程中的线程，因此需要指明数量。直接调用的 kernel 是唯一的 rank。",
    ),
    _TWO.format(call="work(0)"),
    _TWO.format(call="openpto.run_ranks(2, work)"),
    aliases=("FA0001",),
)

register(
    Rule(
        code="PTO474",
        name="number-of-ranks",
        exc=ValueError,
        title=T("not a possible number of ranks", "rank 数无效"),
        message=T(
            "run_ranks takes an int in [1, {most}], got {count}", "run_ranks 需要 [1, {most}] 内的整数，得到 {count}"
        ),
        help=T("say how many ranks: openpto.run_ranks(4, function)", "请指明 rank 数：openpto.run_ranks(4, function)"),
        explanation=T("Every rank is a thread.", "每个 rank 是一个线程。"),
        bad="import openpto\n\n\ndef run():\n    openpto.run_ranks(0, print)\n",
        good="import openpto\n\n\ndef run():\n    openpto.run_ranks(1, abs)\n",
    )
)
