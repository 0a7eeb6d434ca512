"""Shared memory of several ranks; debugging and helpers of scalars."""

from __future__ import annotations

from .text import Chinese

_WINDOW = "`shape` 为普通 int，`offsets` 与 `valid_shape` 为 int 或符号，数据的每个轴一个。"
_SIGNAL = "信号为 INT32。"

DISTRIBUTED: dict[str, Chinese] = {
    "distributed.create_shmem_signal": Chinese(
        "组内各 PE 共享的信号，每个 PE 一个，不含数据。", "无。", f"{_SIGNAL}其余同 `create_shmem_tensor`。"
    ),
    "distributed.create_shmem_tensor": Chinese(
        "组内各 PE 共享的内存：每个 PE 有一块大小为 `shape` 的区域，以及关于每个 PE 的信号。",
        "普通 int，2-4 维。",
        "各 rank 在组内的第一次调用共同得到一块内存，第二次调用得到下一块，依此类推。元素在放入或清零之前没有值，信号为 0；kernel 结束时全部消失。类型须为主机可表示的类型；组名为 1 至 127 个字符。",
    ),
    "distributed.my_symbolic_pe": Chinese(
        "本 PE 在组内的编号，从 0 起，kernel 运行时才知道。",
        "无。",
        "结果为符号标量。运行时没有 rank（见 `openpto.distributed.launch`）或不在组内会停止。",
    ),
    "distributed.shmem_barrier_all": Chinese(
        "等待所有 PE 都到达此处，返回谓词；之后每个 PE 都能看到此前的全部写入。",
        "任意。",
        "使用自己的计数，`src` 的信号不变。运行时有 PE 不可能再到达会停止。",
    ),
    "distributed.shmem_clear_data": Chinese(
        "把自己的块或其中的窗口清零，返回 INT32 [1, 1] 的谓词。",
        _WINDOW,
        "任意类型。运行时与其他 rank 发生数据竞争会停止。",
    ),
    "distributed.shmem_clear_signal": Chinese("把自己的全部信号清零，返回谓词。", "任意。", _SIGNAL),
    "distributed.shmem_get": Chinese(
        "取 PE `src_pe` 的块或其中的窗口，内容为程序执行到此处时的内容。",
        f"{_WINDOW}结果的 shape 为 `shape`；向量 tile 对数据的每个轴有一个值。",
        "类型同 src。无人放入过的元素未定义，与从未写入的张量相同。运行时窗口超出 src、PE 不在组内、数据竞争会停止。",
    ),
    "distributed.shmem_put": Chinese(
        "把 `src` 的有效区域放入 PE `dst_pe` 的块的 `offsets` 处，返回谓词。",
        "src 为静态，2-4 维，与 dst 和 offsets 的维数相同。",
        "类型同 dst；`AtomicType.ADD` 时为累加，还允许 FP16 与 BF16 加到 FP32。设备在后台发送，对方须经由之后的信号或屏障才能读取；此处立即可见，没有先后关系的读取会被当作错误。多个 PE 无先后关系的累加按 rank 顺序进行，因此每次运行的位都相同。",
    ),
    "distributed.shmem_signal": Chinese(
        "把 PE `target_pe` 上关于 PE `src_pe` 的信号设为 `signal` 或加上它，返回谓词。",
        f"{_WINDOW}给出 `shape` 与 `offsets` 时只涉及该窗口的元素，可逐 tile 发信号。",
        f"{_SIGNAL}和按补码回绕。`target_pe` 为普通 int -1 时通知所有 PE，包括自己。等到信号的 PE 能看到本 PE 此前所做的一切。",
    ),
    "distributed.shmem_view": Chinese(
        "共享内存的窗口，在每个 PE 的块中位置相同。",
        _WINDOW,
        "任意类型。不能用于没有数据的内存；运行时偏移为负、valid_shape 超出内存会停止。",
    ),
    "distributed.shmem_wait_until": Chinese(
        "等待自己关于 PE `src_pe` 的信号等于 `cmp_value`，需要时再置 0，返回谓词。",
        f"{_WINDOW}给出时须该窗口的所有元素都满足。",
        f"{_SIGNAL}等待期间短暂出现过的值也算。互相等待或等待已结束的 rank 会以 PTO472 停止，并列出各自等待的位置与信号。`cmp` 只能为 EQ。",
    ),
}

HELPERS: dict[str, Chinese] = {
    "max": Chinese("取 SymbolicScalar 的较大者。", "无张量。", "操作数为 int 或符号标量。"),
    "min": Chinese("取 SymbolicScalar 的较小者。", "无张量。", "操作数为 int 或符号标量。"),
    "pass_verify_print": Chinese(
        "在 verify 模式下打印调试信息。", "任意。", "不改变任何值；不在 verify 模式时什么也不做。"
    ),
    "pass_verify_save": Chinese(
        "在 verify 模式下保存张量以供调试。", "任意。", "不改变任何值；不在 verify 模式时什么也不做。"
    ),
}
