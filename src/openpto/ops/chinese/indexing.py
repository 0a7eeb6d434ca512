"""Indexing, gather and scatter."""

from __future__ import annotations

from .text import Chinese

_ADDED = "input 与 source 维数相同（1-5 维），静态，除 `dim` 外长度相等；index 为列表，长度同 source 在该轴的长度。"
_SUMS = "相同的下标按 index 的顺序累加。FP16 与 BF16 以 FP32 累加，只舍入一次；整数按补码回绕。index 为 INT32 或 INT64；运行时越界会停止。"

INDEXING: dict[str, Chinese] = {
    "gather": Chinese(
        "沿 `dim` 取元素：dim 为 0 时 (i, j) 处为 `input[index[i, j], j]`；也可写作 `x[dim:index]`。",
        "input 与 index 维数相同（1-5 维），静态；结果的 shape 与有效 shape 同 index；其余轴上 index 不长于 input。",
        "结果类型同 input；index 为 INT32 或 INT64。运行时下标超出有效长度会停止。",
    ),
    "gathermask": Chinese(
        "按模式取最后一轴的元素：1 为偶数位，2 为奇数位；3、4、5、6 为每四个取一个；7 为全部。",
        "1-4 维；最后一轴及其向量 tile 为 2（模式 1、2）或 4（模式 3-6）的倍数，结果为其相应部分；有效长度为取出元素的个数。",
        "结果类型同操作数。",
    ),
    "index_add": Chinese(
        "`input` 的拷贝加上若干切片：dim 为 0 时为 `input[index[i], :] + alpha * source[i, :]`。",
        f"{_ADDED}input 的内容不变。",
        _SUMS,
    ),
    "index_add_": Chinese("就地累加切片：dim 为 0 时为 `input[index[i], :] += alpha * source[i, :]`。", _ADDED, _SUMS),
    "index_add__ub": Chinese("同 `index_add_`，在片上存储中进行。", _ADDED, f"不支持 INT8。{_SUMS}"),
    "index_add_ub": Chinese("同 `index_add`，在片上存储中进行。", _ADDED, f"不支持 INT8。{_SUMS}"),
    "index_put_": Chinese(
        "就地写入：`input[i0[k], i1[k], ...] = values[k]`；`accumulate` 时为累加。",
        "1-4 个下标列表，长度均为 L；rank(input) + 1 = 列表个数 + rank(values)；values 为 [L, ...]，其后各轴同 input 末尾的轴，被下标的轴可为动态。",
        "下标相同时以最后一个为准；`accumulate` 时按顺序全部累加（FP16 与 BF16 以 FP32 累加，只舍入一次）。下标可为任意整数类型；运行时越界会停止。",
    ),
    "index_select": Chinese(
        "沿 `dim` 取切片：dim 为 0 时为 `input[index[i], :]`。",
        "input 为 1-4 维，静态；index（1 或 2 维）的各轴及其有效长度取代轴 `dim`。",
        "结果类型同 input；index 为 INT32 或 INT64。运行时下标超出有效长度会停止。",
    ),
    "scatter": Chinese(
        "`input` 的拷贝，并在下标处写入 `src`：dim 为 0 时写在 (index[i, j], j)。",
        "input、index 与张量 src 维数相同（1-4 维），静态；其余轴上 index 不长于 input，且处处不长于 src。",
        '下标相同时以行优先顺序的最后一个为准。index 为 INT32 或 INT64；`reduce` 为 None、"add" 或 "multiply"。运行时越界会停止。',
    ),
    "scatter_": Chinese(
        "沿 `dim` 在下标处把 `src` 写入 `input` 本身；参见 `scatter`。",
        "同 `scatter`。",
        "同 `scatter`。",
    ),
    "scatter_update": Chinese(
        "就地写入分页存储的若干行：写作 `x = scatter_update(x, -2, index, src)`。",
        "input [rows, d]、index [b, s]、src [b * s, d]：`input[index[i, j]] = src[i * s + j]`；或 input [blocks, size, 1, d]、src [b, s, 1, d]：行号 index[i, j] 跨块计数。行数可为动态；第一个向量 tile 须整除 s。",
        "两者类型相同；index 为 INT16、INT32 或 INT64。下标相同时以最后一个为准；运行时越界会停止。",
    ),
}
