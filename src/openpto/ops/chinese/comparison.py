"""Comparison, logic and bits."""

from __future__ import annotations

from .text import BOTH, BROADCAST, ONE_RANK, SAME_SHAPE, Chinese

_BOOL_SHAPE = "任意 1-4 维；结果为 BOOL，shape 与有效 shape 同操作数。"
_COMPARED = f"{BOTH}标量取张量的类型。与 NaN 比较时只有 `ne` 成立。BF16 与 INT32 须先转换为 FP32。"
_BITS = f"{BOTH}int 标量保留低位；标量必须为 int。"
_SHIFTED = f"{BOTH}任一操作数可为 int。移位量为负或不小于位数时，所有位都被移出："


def _compare(summary: str) -> Chinese:
    return Chinese(summary, f"{ONE_RANK}结果为 BOOL。", _COMPARED)


COMPARISON: dict[str, Chinese] = {
    "bitwise_and": Chinese("逐元素计算 `x & y`。", BROADCAST, _BITS),
    "bitwise_left_shift": Chinese("逐元素计算 `x << y`。", BROADCAST, f"{_SHIFTED}结果为 0。"),
    "bitwise_not": Chinese("逐元素计算 `~x`；对 BOOL 为逻辑非。", SAME_SHAPE, "结果类型同操作数。"),
    "bitwise_or": Chinese("逐元素计算 `x | y`。", BROADCAST, _BITS),
    "bitwise_right_shift": Chinese(
        "逐元素计算 `x >> y`；有符号类型为算术右移。", BROADCAST, f"{_SHIFTED}结果为 0，x 为负时为 -1。"
    ),
    "bitwise_xor": Chinese("逐元素计算 `x ^ y`。", BROADCAST, _BITS),
    "eq": _compare("逐元素判断 `input == other`。"),
    "ge": _compare("逐元素判断 `input >= other`。"),
    "greater": _compare("逐元素判断 `input > other`；是 `gt` 的另一个名称。"),
    "gt": _compare("逐元素判断 `input > other`。"),
    "isfinite": Chinese(
        "逐元素判断值既非无穷也非 NaN。", f"{_BOOL_SHAPE}最后一轴及其向量 tile 须为 32 的倍数。", "整数总是有限的。"
    ),
    "isnan": Chinese(
        "逐元素判断值是否为 NaN。", f"{_BOOL_SHAPE}最后一轴及其向量 tile 须为 32 的倍数。", "结果为 BOOL。"
    ),
    "le": _compare("逐元素判断 `input <= other`。"),
    "logical_and": Chinese(
        "逐元素判断 `input != 0 and other != 0`；NaN 视为真。",
        "两个操作数维数相同（1-4 维），可广播；结果为 BOOL。",
        "两个操作数的类型可以不同；不接受标量。",
    ),
    "logical_not": Chinese("逐元素判断 `input == 0`。", _BOOL_SHAPE, "结果为 BOOL。"),
    "lt": _compare("逐元素判断 `input < other`。"),
    "ne": _compare("逐元素判断 `input != other`。"),
    "signbit": Chinese("逐元素判断符号是否为负。", _BOOL_SHAPE, "-0 为真，任何 NaN 均为假。"),
}
