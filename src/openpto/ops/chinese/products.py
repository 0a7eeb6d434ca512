"""Products, quantisation, random numbers, composites and experimental operations."""

from __future__ import annotations

from .text import SAME_SHAPE, Chinese

_SEED = "`key` 为一个数，`counter` 为两个数，`alg` 为 [1] 或 [3]。"

PRODUCTS: dict[str, Chinese] = {
    "conv": Chinese(
        "一维、二维或三维卷积（互相关），由操作数的维数决定。",
        "input [N, Cin, L]、[N, Cin, H, W] 或 [N, Cin, D, H, W]，静态；weight [Cout, Cin / groups, ...]；`strides`、`dilations` 每个空间轴一个数，`paddings` 每轴一对（前、后）。"
        "结果的轴长为 (n + 前 + 后 - dilation (k - 1) - 1) / stride + 1，向下取整。N 以及无分组时的 Cout 可被 valid_shape 截短，其余轴须完整。",
        "input、weight 与结果类型相同。`extend_params`：`bias_tensor` [Cout] 为同一类型，BF16 时也可为 FP32；`relu_type`。"
        "和从 +0 开始，按通道、再按卷积核位置（行优先）升序累加，每次为一次 FP32 乘加；填充处加上与 +0 的乘积。随后各一次 FP32 步骤：bias、ReLU、输出类型。",
    ),
    "matmul": Chinese(
        "矩阵乘 `input @ mat2`；也可写作 `x @ y`，此时输出类型同操作数。",
        "两者均为 2、3 或 4 维，静态；批轴长度为 1 时广播。`a_trans`：input 存为 [K, M]；`b_trans`：mat2 存为 [N, K]。K 的有效长度须一致；M 与 N 的有效长度保留。",
        "FP32 得到 FP32，FP16 与 BF16 得到 FP16、BF16 或 FP32，INT8 得到 INT32；950 上 FP8E4M3、FP8E5M2（可混用）与 HF8 得到 FP16、BF16 或 FP32；带 scale 时 INT8 得到 FP16，所有类型都可得到 INT8。"
        "`extend_params`：`bias_tensor` [1, N]；`relu_type`；`scale`（取 10 位尾数）或 `scale_tensor` [1, N]；`trans_mode` 把 FP32 操作数舍入为 TF32。"
        "和从 +0 开始，按 k 升序累加，每次为一次 FP32 乘加（INT8 在 INT32 中精确）；随后各一步：bias、scale、ReLU、输出类型（INT8 就近取偶并饱和）。",
    ),
    "scaled_mm": Chinese(
        "微缩放操作数的矩阵乘：K 方向每 32 个元素共用一个 2 的幂作为系数。",
        "矩阵同 `matmul`，2-4 维；G 为 K / 64 向上取整，scale_a 为 [M, G, 2]（`scale_a_trans` 时为 [G, M, 2]），scale_b 为 [G, N, 2]（`scale_b_trans` 时为 [N, G, 2]），各批共用。元素 [m, g, h] 对应 K 从 64 g + 32 h 起。",
        "FP8E4M3 与 FP8E5M2（可混用）或 FP4_E2M1；scale 为 FP8E8M0；结果为 FP16、BF16、FP32，带 scale 时为 INT8。元素与系数先在 FP32 中相乘，之后同 `matmul`。`extend_params` 同 `matmul`，但没有 `trans_mode`；`scale_tensor` 只用于二维矩阵。",
    ),
}

QUANTISATION: dict[str, Chinese] = {
    "dequantize": Chinese(
        "还原为浮点：`(input + zero_points) * scale`，或 `input * scale`。",
        "同 `quantize`。",
        "采用文档中的公式；工具链的其他资料在乘法之前或之后减去零点。`otype` 为 FP32；scale 与 zero_points 为 FP32；和与积各在 FP32 中舍入。",
    ),
    "quant_mx": Chinese(
        "把元素转换为小型浮点类型，每 32 个共用一个 2 的幂：[量化值, scale]。",
        "1-4 维（axis 为 -2 时 2-4 维）。axis 为 -1：该轴为 64 的倍数且全部有效，scale 为 [.., last / 64, 2]；axis 为 -2 同理，scale 为 [.., rows / 64, last, 2]。量化值的 shape 同 input；FP4_E2M1X2 的一个元素含两个值，最后一轴减半。",
        "设 amax 为一组的最大绝对值：ROUND_DOWN 时 scale 的指数为 floor(log2(amax)) - e（FP8E4M3 为 8，FP4 为 2），ROUND_UP 时为 ceil(log2(amax / g))（g 为 448、6），并限制在 FP8E8M0 的范围内；有 NaN 则 scale 为 NaN。元素为 x / scale，就近取偶并饱和。",
    ),
    "quantize": Chinese(
        "量化为整数：`round(input * scale)`，或 `round(input * scale + zero_points)`，就近取偶并饱和。",
        "input 为 1-4 维；scale 与 zero_points 少一个轴：axis 为 -1 时每行一个 [.., rows]，axis 为 -2 时每列一个 [.., columns]。1 维输入用 axis -1 与 scale [1]。",
        "`otype` 无 zero_points 时为 INT8，有则为 UINT8。积与和各在 FP32 中舍入；NaN 得到 0。",
    ),
}

RANDOM: dict[str, Chinese] = {
    "normal": Chinese(
        "正态分布随机数（均值 0，标准差 1）：对 `uniform` 的数以 FP32 做 Box-Muller 变换。",
        "普通 int，1-4 维；向量 tile 覆盖整个 shape，最后一轴为 4 的倍数。",
        f"元素 2j 与 2j+1 为 r sin(t) 与 r cos(t)，其中 r = sqrt(-2 ln max(u[2j], 1e-7))，t = 2 pi u[2j+1]。FP16 与 BF16 以 FP32 计算，只舍入一次。{_SEED}",
    ),
    "uniform": Chinese(
        "[0, 1) 上均匀分布的随机数，由 Philox4x32-10 产生。",
        "普通 int，1-4 维；最后的向量 tile 为 4 的倍数。",
        f"按行优先计的第 i 个元素取第 `i // 4` 块的第 `i % 4` 个字，因此参数相同则结果相同，且前 n 个与 shape 无关。`counter[1]` 选择序列，`counter[0]` 不使用。取字的低 23 位（FP16 为 10，BF16 为 7）除以 2^23（2^10、2^7）。{_SEED}",
    ),
}

COMPOSITES: dict[str, Chinese] = {
    "rms_norm": Chinese(
        "沿最后一轴计算 `x / sqrt(mean(x^2) + epsilon)`，给出 `gamma` 时再乘以它。",
        "1-4 维；gamma 为 [C]，C 为最后一轴的长度；结果的 shape 与有效 shape 同操作数。最后一轴不能被 valid_shape 截短。",
        "两者类型相同；以 FP32 计算，只舍入一次。均值为 x * x * (1/n) 之和。",
    ),
    "sigmoid": Chinese("逐元素计算 `1 / (1 + exp(-x))`。", SAME_SHAPE, "以 FP32 计算，只舍入一次。"),
    "softmax": Chinese("沿一个轴在有效长度上计算 `exp(x - max) / sum`。", SAME_SHAPE, "以 FP32 计算，只舍入一次。"),
}

EXPERIMENTAL: dict[str, Chinese] = {
    "experimental.gather_in_l1": Chinese(
        "取分页存储的若干行作为 `matmul` 的操作数；行的选取同 `gather_in_ub`。",
        "src [tokens, columns]，tokens 可为动态；indices [1, n]，block_table [1, T]；结果为 [n, size]，取前 `size` 列。",
        "`is_b_matrix` 与 `is_trans` 说明乘法如何使用它；它们决定元素在 L1 中的位置，不改变值。indices 为 INT32 或 INT64，block_table 为 INT32。",
    ),
    "experimental.gather_in_ub": Chinese(
        "取分页存储的若干行：token t 对应行 `block_table[0, t // block_size] * block_size + t % block_size`。",
        "param [tokens, hidden]，tokens 可为动态；indices [1, k]，block_table [1, T]；结果为 [k, hidden]，有效部分由 indices 与列决定。`axis` 为 -2。",
        "indices 与 block_table 为 INT32。行号从 param 的原点起计；param 为窗口时，行可在窗口之外、原张量之内，并给出警告。运行时 token 超出表、行超出存储会停止。",
    ),
    "experimental.get_operation_options": Chinese("读取操作选项。", "无张量。", "返回当前生效的操作选项。"),
    "experimental.nop": Chinese(
        "以一个谓词代表多个：需要它的操作排在产生它们的所有操作之后。",
        "任意；结果为 [1, 1]，生效的向量 tile 须有两个值。",
        "结果为 INT32，元素为 1。此处操作按程序顺序执行，谓词不再改变顺序。",
    ),
    "experimental.online_softmax": Chinese(
        "沿轴 0 求一块分数的权重与统计量：[weights, column_max, column_sum]。",
        "scores [k_len, q_len]，轴 0 须完整落在向量 tile 内；weights 为 [k_len, q_len]，其余为 [1, q_len]。",
        "设 s = scores * scale：column_max 为 s 的最大值，权重为 exp(s - column_max)，column_sum 为权重舍入前在 FP32 中的和。权重为 BF16。",
    ),
    "experimental.online_softmax_update": Chinese(
        "合并分块 softmax 的两个状态：[max, sum, output]，output 尚未除以 sum。",
        "最大值与和为 [1, q_len]，output 为 [head_dim, q_len]，轴 0 须完整落在向量 tile 内，tile 的最后一个值为 8 的倍数。",
        "设 m 为较大的最大值：sum = previous_sum exp(previous_max - m) + current_sum exp(current_max - m)，output 同理。",
    ),
    "experimental.set_operation_options": Chinese("设置操作选项 combine_axis。", "无张量。", "对其后记录的操作生效。"),
    "experimental.shmem_load": Chinese(
        "取 PE `src_pe` 的块或其中的窗口，作为 UB 中的 tile：同 `distributed.shmem_get`。",
        "同 `distributed.shmem_get`；tile 须放得进 UB。",
        "同 `distributed.shmem_get`。",
    ),
    "experimental.shmem_store": Chinese(
        "把 UB 中的 tile 放入 PE `dst_pe` 的块：同 `distributed.shmem_put`。",
        "同 `distributed.shmem_put`。",
        "同 `distributed.shmem_put`。谓词若就是 `src` 本身则被忽略。",
    ),
    "experimental.transposed_batchmatmul": Chinese(
        "逐批矩阵乘，左操作数的批轴为第二轴：[M, B, K] x [B, K, N] -> [M, B, N]。",
        "3 维，两者的 B 与 K 相同。cube tile 同 `matmul`；行的搬运使用 [1, 128, 128] 的向量 tile，与设置无关。",
        "两者同为 FP16 或 BF16，结果类型相同。算术同 `matmul`。",
    ),
}
