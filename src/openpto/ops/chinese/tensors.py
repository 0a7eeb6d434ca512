"""Reductions, creation, shapes and sorting."""

from __future__ import annotations

from .text import SAME_SHAPE, Chinese

_FOLDED = "1-4 维；`keepdim` 保留长度 1，否则去掉该轴（1 维操作数的结果 shape 为 [1]）。"
_LANES = "整数按补码回绕。计算顺序固定：最后一轴分 16 路并按二分树合并，其余轴按升序。"
_PLAIN = "普通 int，1-4 维。"
_TRIANGLE = "2-5 维，最后两轴为矩阵；结果的 shape 与有效 shape 同操作数。`diagonal` 可为符号。"

REDUCTIONS: dict[str, Chinese] = {
    "amax": Chinese(
        "沿 `dim` 在有效长度上取最大值；空集得到 -inf 或最小整数，有 NaN 则为 NaN。", _FOLDED, "结果类型同操作数。"
    ),
    "amin": Chinese(
        "沿 `dim` 在有效长度上取最小值；空集得到 inf 或最大整数，有 NaN 则为 NaN。", _FOLDED, "结果类型同操作数。"
    ),
    "argmax": Chinese(
        "沿 `dim` 在有效长度上求最大值的 INT32 下标；相等时取第一个。",
        _FOLDED,
        "结果为 INT32。NaN 视为最大；-0 与 +0 相等。运行时该轴没有有效元素会停止。",
    ),
    "argmin": Chinese(
        "沿 `dim` 在有效长度上求最小值的 INT32 下标；相等时取第一个。",
        _FOLDED,
        "结果为 INT32。NaN 视为最小；-0 与 +0 相等。运行时该轴没有有效元素会停止。",
    ),
    "cumprod": Chinese(
        "沿 `dim` 在有效长度上求累积乘积：第 k 个元素为元素 0 至 k 之积。",
        SAME_SHAPE,
        "结果类型同操作数。FP16 与 BF16 以 FP32 相乘，结果的每个元素只舍入一次；按升序相乘。",
    ),
    "cumsum": Chinese(
        "沿 `dim` 在有效长度上求累积和：第 k 个元素为元素 0 至 k 之和。",
        SAME_SHAPE,
        "浮点类型不变；INT16 与 INT32 得到 INT64。FP16 与 BF16 以 FP32 累加，结果的每个元素只舍入一次；按升序相加。",
    ),
    "prod": Chinese("沿 `dim` 在有效长度上求积；空集之积为 1。", _FOLDED, f"结果类型同操作数，{_LANES}"),
    "sum": Chinese("沿 `dim` 在有效长度上求和；空集之和为 +0。", _FOLDED, f"结果类型同操作数，{_LANES}"),
    "var": Chinese(
        "沿一个、多个或全部轴（`dim` 为 None 或空）求方差：sum((x - mean)^2) / max(0, n - correction)。",
        "1-4 维；n 为被归约各轴长度之积；`keepdim` 保留长度 1，否则去掉这些轴（一个不剩时结果 shape 为 [1]）。被归约的轴不能被 valid_shape 截短。",
        "以 FP32 计算（均值、差、平方、和、除法各舍入一次），再舍入为操作数的类型。n <= correction 时除以 0，得到 inf 或 NaN。",
    ),
}

CREATION: dict[str, Chinese] = {
    "arange": Chinese(
        "等差序列：`arange(end)`、`arange(start, end)` 或 `arange(start, end, step)`；第 k 个元素为 start + k·step。",
        "一个轴，共 ceil((end - start) / step) 个元素。",
        "任一参数为 float 则为 FP32，否则为 INT32；参数中有 Element 时取其共同类型。FP16 与 BF16 以 FP32 计算，只舍入一次。",
    ),
    "full": Chinese(
        "所有元素均为 `fill_value` 的张量。",
        "`size` 为普通 int，1-4 维；`valid_shape`（int 或符号）标出有意义的部分。",
        "值（int、float、bool、Element 或符号）舍入为该类型；过大的 float 得到 inf。无符号类型不接受负数，整数类型不接受无穷与 NaN。",
    ),
    "one_hot": Chinese(
        "INT64 独热编码：`input[i]` 等于 c 时 (i, c) 处为 1，否则为 0。",
        "1-3 维；结果多出最后一轴，长度为 `num_classes`，最后的向量 tile 也须为 num_classes。",
        "结果为 INT64。运行时元素超出 [0, num_classes) 会停止。",
    ),
    "ones": Chinese(
        "全一张量：`ones(8, 16)` 或 `ones([8, 16])`。",
        _PLAIN,
        "任意有主机类型的类型；不写关键字 `dtype` 时为 FP32（按位置给出的类型会被当作长度）。",
    ),
    "zeros": Chinese(
        "全零张量：`zeros(8, 16)` 或 `zeros([8, 16])`。",
        _PLAIN,
        "任意有主机类型的类型；不写关键字 `dtype` 时为 FP32（按位置给出的类型会被当作长度）。",
    ),
}

SHAPES: dict[str, Chinese] = {
    "assemble": Chinese(
        "把 `input` 写入 `out` 的 `offsets` 处；也可写 `assemble([(tensor, offsets), ...], out)` 依次写入多个。",
        "input、out 与 offsets 的维数相同；input 为静态，out 可为动态。按程序顺序写入 input 的有效区域；运行时写出 out 的末尾会停止。",
        "任意类型，两者相同。`parallel=True` 声明循环的各次迭代写入互不重叠的区域。",
    ),
    "atomic_add": Chinese(
        "就地累加一块：`dst[offsets : offsets + shape] += src`，范围为 `src` 的有效区域。",
        "src、offsets 与 dst 维数相同；src 为静态，dst 可为动态。",
        "两者类型相同，每次加法都舍入到该类型。此处按程序顺序相加；设备上并行迭代的顺序不定。",
    ),
    "cast": Chinese(
        "转换为另一种元素类型。",
        "1-4 维，静态；结果的 shape 与有效 shape 同操作数。FP4_E2M1X2 或 FP4_E1M2X2 的一个元素含两个值：转换为它们时最后一轴（须为偶数）减半，反之加倍。",
        "`mode` 为 NONE 时，浮点到整数为截断，其余就近取偶；该组合不支持的 mode 按默认处理。超出范围时 `satmode` 为 ON 则截到边界，为 OFF 则保留低位（NaN 得 0，无穷得极值）。"
        "FP32 到 FP32 且 mode 为 FLOOR、CEIL、TRUNC 或 ROUND 时舍入为整数值。过大的值在 FP8E5M2 与 HF8 为无穷，在 FP8E4M3 为 NaN，ON 时为最大值。",
    ),
    "clone": Chinese("拷贝：shape、类型、格式与有效 shape 均同操作数。", "静态。", "任意类型。"),
    "concat": Chinese(
        "沿一个轴拼接张量。",
        "1 至 128 个维数相同（1-4 维）的静态张量，其余轴长度相等，沿 `dim` 须全部有效。",
        "所有张量类型相同。",
    ),
    "deinterleave": Chinese(
        "取 `input`（或 `input` 接上 `other`）最后一轴的偶数位与奇数位。",
        "1-4 维，最后一轴为偶数；一个操作数时结果减半；两个操作数 shape 相同、沿最后一轴全部有效且完整落在向量 tile 内时，结果的 shape 与之相同。",
        "两个操作数类型相同。",
    ),
    "expand_clone": Chinese(
        "把长度为 1 的轴重复到 `shape` 的长度。",
        "1-4 维，`shape` 为同维数的普通 int。其余轴的有效长度保留，被扩展的轴全部有效，除非 `valid_shape` 另有说明。",
        "结果类型同操作数。",
    ),
    "fillpad": Chinese(
        "在有效区域之外处处写入 `value`；结果全部有效。",
        "1-2 维，静态；shape 不变。",
        '浮点的 `value` 可为 ±inf；整数张量不接受 float。mode 只能为 "constant"。',
    ),
    "interleave": Chinese(
        "两个张量沿最后一轴交替合并后从中间切开：[前一半, 后一半]。",
        "1-4 维，两者 shape 相同，结果也是；最后一轴为偶数且落在一个向量 tile 内。操作数有效长度为 v 时，合并后有 2v 个有效。",
        "两个操作数类型相同。",
    ),
    "pack": Chinese(
        "把张量的全部字节排成一行，低字节在前：0x03040506 变为 6、5、4、3。",
        "1-4 维，静态；结果为一个轴。",
        "结果为 UINT8。所有 NaN 都呈现规范的位模式。",
    ),
    "pad": Chinese(
        "在末端加长最后的轴：1 维时 `pad` 为 (0, right)，否则为 (0, right, 0, bottom)。",
        "1-4 维，静态；有效长度同样增加，因此 `value` 紧跟有效元素之后。不能在左侧或上方填充。",
        '浮点的 `value` 可为 ±inf；整数张量不接受 float。mode 只能为 "constant"。',
    ),
    "permute": Chinese(
        "重排各轴：结果的轴 i 为操作数的轴 `perm[i]`。",
        "1-5 维，静态；`perm` 恰好列出每个轴一次，不用负数。有效长度随轴移动。",
        "结果类型同操作数。",
    ),
    "reshape": Chinese(
        "元素不变，按行优先顺序换成另一种 shape。",
        "普通 int，元素个数相同；其中一个可为 -1。`inplace=True` 得到同一内存的另一个名称，此时也接受符号。较小的 `valid_shape` 截短全部有效的张量；否则其元素个数须与有效区域相同，并保持行优先顺序。不写时，被截短的区域若仍是一个块则保留。",
        "任意类型。",
    ),
    "transpose": Chinese(
        "交换两个轴。",
        "1-5 维，静态；4 维只能交换 (0, 2)、(1, 2)、(1, 3) 或 (2, 3)，5 维只能交换 (3, 4)，除非两轴长度均为 1 或为同一轴；其他组合请用 `permute`。有效长度随轴移动。",
        "结果类型同操作数；不支持 INT64 与 BOOL。",
    ),
    "tril": Chinese(
        "下三角：列 - 行 <= `diagonal` 的元素，其余为零。", f"{_TRIANGLE}`x.tril_()` 为就地形式。", "结果类型同操作数。"
    ),
    "triu": Chinese(
        "上三角：列 - 行 >= `diagonal` 的元素，其余为零。", f"{_TRIANGLE}`x.triu_()` 为就地形式。", "结果类型同操作数。"
    ),
    "unpack": Chinese(
        "把字节作为 `dtype` 类型的元素，低字节在前；是 `pack` 的逆操作。",
        "一个轴；其长度、有效长度与向量 tile 均为元素字节数的倍数。",
        "操作数为 UINT8。",
    ),
    "unsqueeze": Chinese(
        "在轴 `dim` 之前插入长度为 1 的轴。", "静态；-rank - 1 <= dim <= rank；有效长度保留。", "任意类型。"
    ),
    "view": Chinese(
        "`offsets` 处大小为 `shape` 的窗口，内容为程序执行到此处时的内容；或把全部字节视为另一种 `dtype`。",
        "`shape` 为普通 int，`offsets` 与 `valid_shape` 为 int 或符号，各轴一个；输入可为动态。不写 `valid_shape` 时，每轴为 min(max(valid - offset, 0), shape)。运行时偏移为负、valid_shape 超出输入的有效区域会停止。",
        "任意类型。给出 `dtype` 时最后一轴按元素大小之比缩放，其余参数被忽略。",
    ),
}

SORTING: dict[str, Chinese] = {
    "argsort": Chinese(
        "沿 `dim`（None 为最后一轴）在有效长度上求排序后各元素的位置。",
        f"{SAME_SHAPE}4 维时不能为第一轴；该轴的向量 tile 为 32 的倍数。",
        "结果为 INT32。排序稳定；NaN 视为最大；-0 与 +0 相等。不写 `descending` 时按文档为降序并给出警告，因为工具链按升序排列。",
    ),
    "mrgsort": Chinese(
        "合并已排序的对：每四段相邻的、各含 `mergesize` 对的序列合并为一段。",
        "1-4 维；最后一轴为 `sort32` 产生的对，因此为偶数；最后一段与最后四段可以较短。结果的 shape 同操作数，有效长度为完整的对。",
        "从大到小；相等时靠前的段在前；NaN 视为最大。未排序的段也会被排序，而设备对此不作保证。",
    ),
    "sort32": Chinese(
        "最后一轴每 32 个元素为一组，组内从大到小排序，得到值与位置的对。",
        "1-4 维；最后一轴为 32 的倍数，长度加倍：值、位置、值、位置……被有效长度截断的组只排有效元素，有效长度也加倍。",
        "位置沿整个轴从 `index`（None 为 0）起计，以 INT32 的位存放：`view(gathermask(p, 2), dtype=DT_INT32)`。排序稳定；NaN 视为最大；-0 与 +0 相等。",
    ),
    "topk": Chinese(
        "每行最大（或最小）的 `k` 个元素及其位置，已排序：[值, 下标]。",
        "1-4 维；沿最后一轴的有效长度；结果该轴长度为 k。k 不超过该轴长度与最后的向量 tile；运行时 k 大于有效长度会停止。",
        "MERGE_SORT 用 FP32；RADIX_SELECT（仅 950，该轴须完整落在向量 tile 内）还支持 FP16、BF16 与 8、16、32 位整数。值保持类型，下标为 INT32。相等的元素保持原顺序；NaN 视为最大；-0 与 +0 相等。",
    ),
}
