"""Elementwise operations."""

from __future__ import annotations

from .text import BOTH, BROADCAST, ONE_RANK, SAME_SHAPE, SAME_TYPE, Chinese


def _unary(summary: str, results: str, exception: str = SAME_TYPE) -> Chinese:
    return Chinese(summary, SAME_SHAPE, exception + results)


_INTEGERS_TO_FP32 = "浮点结果类型同操作数，整数得到 FP32。"
_KEEPS = "零的符号、无穷与 NaN 保持不变；整数原样返回。"

UNARY: dict[str, Chinese] = {
    "abs": _unary("逐元素取绝对值。", "整数按补码回绕：`abs(INT_MIN) == INT_MIN`。"),
    "acos": _unary("逐元素反余弦，值域为 [0, pi]。", "[-1, 1] 之外得到 NaN。"),
    "acosh": _unary("逐元素反双曲余弦。", "小于 1 得到 NaN。"),
    "asin": _unary("逐元素反正弦，值域为 [-pi/2, pi/2]。", "[-1, 1] 之外得到 NaN。"),
    "asinh": _unary("逐元素反双曲正弦。", "零保留符号；`asinh(±inf) == ±inf`。"),
    "atan": _unary("逐元素反正切，值域为 [-pi/2, pi/2]。", "`atan(±inf) == ±pi/2`；零保留符号。"),
    "atanh": _unary("逐元素反双曲正切。", "`atanh(±1) == ±inf`，[-1, 1] 之外得到 NaN。"),
    "cbrt": _unary("逐元素实数立方根。", "负数的立方根为负；零保留符号。"),
    "ceil": _unary("逐元素向上取整：不小于 x 的最小整数值。", _KEEPS),
    "cos": _unary("逐元素余弦，x 以弧度计。", "无穷以及绝对值超过 2^27 的操作数得到 NaN。"),
    "cosh": _unary("逐元素双曲余弦。", "溢出得到 inf。"),
    "erf": _unary("逐元素误差函数。", "`erf(±inf) == ±1`，NaN 仍为 NaN。"),
    "erfc": _unary(
        "逐元素计算 `1 - erf(x)`，结果很小时仍然准确。", "`erfc(inf) == 0`，`erfc(-inf) == 2`，NaN 仍为 NaN。"
    ),
    "exp": _unary("逐元素计算 e 的 x 次幂。", "溢出得到 inf，`exp(-inf) == 0`，NaN 仍为 NaN。"),
    "exp2": _unary(
        "逐元素计算 2 的 x 次幂。",
        "x 为整数值时精确；溢出得到 inf，`exp2(-inf) == 0`，NaN 仍为 NaN。",
        _INTEGERS_TO_FP32,
    ),
    "expm1": _unary(
        "逐元素计算 `exp(x) - 1`，在零附近仍然准确。",
        "零保留符号；溢出得到 inf，`expm1(-inf) == -1`，NaN 仍为 NaN。",
        _INTEGERS_TO_FP32,
    ),
    "floor": _unary("逐元素向下取整：不大于 x 的最大整数值。", _KEEPS),
    "log": _unary("逐元素自然对数。", "`log(0) == -inf`，小于零得到 NaN。"),
    "log10": _unary("逐元素以 10 为底的对数。", "`log10(0) == -inf`，小于零得到 NaN。"),
    "log1p": _unary(
        "逐元素计算 `log(1 + x)`，在零附近仍然准确。", "`log1p(-1) == -inf`，小于 -1 得到 NaN；零保留符号。"
    ),
    "log2": _unary("逐元素以 2 为底的对数。", "`log2(0) == -inf`，小于零得到 NaN；2 的整数次幂精确。"),
    "lrelu": _unary(
        "逐元素计算 `x if x >= 0 else negative_slope * x`。",
        "斜率为 float 或 Element，舍入为 FP32；不能为负数、NaN 或无穷。",
    ),
    "neg": _unary("逐元素取负。", "整数按补码回绕：`neg(INT_MIN) == INT_MIN`。"),
    "reciprocal": _unary("逐元素计算 `1 / x`，正确舍入。", "`reciprocal(0) == inf`。"),
    "relu": _unary("逐元素计算 `max(x, 0)`。", "NaN 仍为 NaN，`relu(-0) == +0`。"),
    "round": _unary(
        "逐元素舍入到小数点后 `decimals` 位（负数表示小数点前），恰好居中时取偶数。",
        "以 FP32 计算 `rint(x * 10**decimals) / 10**decimals`，每一步都舍入；没有这些位的值保持不变。整数只在 `decimals` 为负时改变，并按补码回绕。",
    ),
    "rsqrt": _unary(
        "逐元素计算 `1 / sqrt(x)`：一次开方、一次除法，各自正确舍入。", "小于零得到 NaN，`rsqrt(0) == inf`。"
    ),
    "sign": _unary("逐元素取符号：-1、0 或 1。", "NaN 仍为 NaN，零保留符号。"),
    "sin": _unary("逐元素正弦，x 以弧度计。", "无穷以及绝对值超过 2^27 的操作数得到 NaN。"),
    "sinh": _unary("逐元素双曲正弦。", "溢出得到无穷；零保留符号。"),
    "sqrt": _unary("逐元素平方根，正确舍入。", "小于零得到 NaN，`sqrt(-0) == -0`。"),
    "tan": _unary("逐元素正切，x 以弧度计。", "无穷以及绝对值超过 2^27 的操作数得到 NaN。"),
    "tanh": _unary("逐元素双曲正切。", "`tanh(±inf) == ±1`，NaN 仍为 NaN。"),
    "trunc": _unary("逐元素向零取整：靠近零一侧的相邻整数值。", _KEEPS),
}

_SCALAR = "标量操作数取张量的类型；整数张量不能与 float 标量一起使用。"
_EXTREME = "任一操作数可为标量，取张量的类型；与标量一起时仅限 FP16、BF16、FP32、INT16、INT32。"

BINARY: dict[str, Chinese] = {
    "add": Chinese("逐元素求和。", BROADCAST, f"{BOTH}整数按补码回绕。{_SCALAR}"),
    "atan2": Chinese(
        "逐元素求点 (x, y) 的角度，值域为 [-pi, pi]。",
        BROADCAST,
        f"{BOTH}零与无穷的结果同 IEEE 754：`atan2(0, -0) == pi`。不接受标量。",
    ),
    "axpy_": Chinese(
        "就地计算 `y += alpha * x`，结果就是 y。",
        "两者维数相同（1-4 维）；x 可广播到 y，y 不广播。",
        "y 与 x 同为 FP32 或同为 FP16，或 y 为 FP32 而 x 为 FP16。以 FP32 计算，乘积与和各舍入一次，再舍入为 y 的类型。",
    ),
    "ceil_div": Chinese(
        "逐元素求商并向上取整。", BROADCAST, "均为 INT32，结果精确。除数为 0 时得到该类型的最大值（x < 0 时为最小值）。"
    ),
    "clip": Chinese(
        "逐元素计算 `min(max(x, low), high)`；界为 None 表示不限制。",
        "作为界的张量至多沿一个轴广播到输入；结果的 shape 同输入。",
        "界与输入类型相同，普通数值则取输入的类型；两个界不能一个为张量、一个为标量。x 或界中有 NaN 则得到 NaN；low > high 时结果为 high。",
    ),
    "copysign": Chinese(
        "逐元素取 `input` 的绝对值和 `other` 的符号；整数得到 FP32。",
        BROADCAST,
        f"{BOTH}NaN 的符号为正，-0 的符号为负。不接受标量。",
    ),
    "div": Chinese(
        "逐元素求商，正确舍入；整数先转换为 FP32，结果为 FP32。",
        BROADCAST,
        f"{BOTH}`x / 0` 为 ±inf，`0 / 0` 为 NaN。{_SCALAR}",
    ),
    "expand_exp_dif": Chinese("逐元素计算 `exp(x - y)`；差先舍入为 FP32。", BROADCAST, f"{BOTH}不接受标量。"),
    "floor_div": Chinese(
        "逐元素求商并向下取整；运算符 `//` 则是 `floor(div(x, y))`。",
        BROADCAST,
        f"{BOTH}结果类型相同。浮点：FP32 的商再向下取整。整数精确；除数为 0 时得到该类型的最大值（x < 0 时为最小值）。",
    ),
    "fmod": Chinese(
        "逐元素求向零取整除法的余数，结果精确，符号同 `input`。",
        BROADCAST,
        f"{BOTH}除数为 0 或 x 为无穷时得到 NaN；除数为无穷时得到 x。",
    ),
    "gcd": Chinese(
        "逐元素求最大公约数；结果非负，仅当两者均为零时为 0。",
        BROADCAST,
        f"{BOTH}放不下的值按补码回绕：`gcd(INT_MIN, 0) == INT_MIN`。",
    ),
    "hypot": Chinese(
        "逐元素计算 `sqrt(x**2 + y**2)`，中间结果不会溢出。",
        ONE_RANK,
        f"{BOTH}任一操作数为无穷时结果为无穷，另一个为 NaN 时也是。不接受标量。",
    ),
    "maximum": Chinese("逐元素取较大者；任一为 NaN 则得到 NaN，+0 大于 -0。", BROADCAST, f"{BOTH}{_EXTREME}"),
    "minimum": Chinese("逐元素取较小者；任一为 NaN 则得到 NaN，-0 小于 +0。", BROADCAST, f"{BOTH}{_EXTREME}"),
    "mul": Chinese("逐元素求积。", BROADCAST, f"{BOTH}整数按补码回绕。{_SCALAR}"),
    "pow": Chinese(
        "逐元素计算 `input` 的 `other` 次幂；也可写作 `x ** y`。",
        ONE_RANK,
        "int 指数保持底数的类型，float 指数使 INT32 变为 FP32。两个张量时，INT8、INT16、UINT8 只能与同类型相配；其余取 FP32、FP16、BF16、INT32 中靠前者，FP16 与 BF16 得到 FP32。"
        "以 FP32 计算并只舍入一次；已知的指数 2、3、-1、-2、0.5、-0.5 用乘、除与开方计算，每一步都舍入。任何数的 0 次幂为 1。整数按补码回绕，其负次幂向零舍入。",
    ),
    "prelu": Chinese(
        "逐元素计算 `x if x >= 0 else weight * x`，每个通道（轴 1）一个权重。",
        "输入 1-4 维；weight 为 1 维，长度等于输入的轴 1（输入为 1 维时为 1）。",
        BOTH,
    ),
    "remainder": Chinese(
        "逐元素求向下取整除法的余数，符号同 `other`；也可写作 `x % y`。",
        BROADCAST,
        f"{BOTH}整数精确，除数为 0 得到 0；浮点同 `fmod`，符号不同时再做一次舍入的加法。任一操作数可为标量，取张量的类型。",
    ),
    "sub": Chinese("逐元素求差。", BROADCAST, f"{BOTH}整数按补码回绕。{_SCALAR}"),
    "where": Chinese(
        "逐元素选择：条件成立取 `input`，否则取 `other`。",
        "所有张量维数相同（1-4 维），各自至多沿一个轴广播；两个标量时结果取条件的 shape。",
        "条件为 BOOL；两个值类型相同。float 视为 FP32，`Element` 有自己的类型，int 取另一个值的类型。",
    ),
}
