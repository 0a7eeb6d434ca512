"""PTO328-329, PTO435, PTO464-468 and PTO654: what single operations demand of tiles, extents and elements."""

from __future__ import annotations

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register
from openpto.diagnostics.rules.runtime import example, fault_rule
from openpto.diagnostics.rules.tensor_examples import program, tensor_rule

tensor_rule(
    "PTO328",
    "tile-does-not-suit-operation",
    ValueError,
    title=("vector tile does not suit the operation", "向量 tile 与操作不符"),
    aliases=("FC1000",),
    message=("the vector tile of {op} is {tile} here and must be {rule}", "{op} 的向量 tile 为 {tile}，要求：{rule}"),
    help=(
        "set another one with pypto.set_vec_tile_shapes before this line",
        "请在此行之前用 pypto.set_vec_tile_shapes 重新设置",
    ),
    why=(
        (
            "Sorting, encoding, picking and scattering work on whole groups of elements or on a whole axis of one vector "
            "tile, which therefore has to hold them. The result does not depend on tiles; a device refuses this one."
        ),
        (
            "排序、编码、按索引取数和散布操作按组或按整轴处理同一向量 tile 内的元素，因此 tile 必须能容纳它们。"
            "结果与 tile 无关；但设备会拒绝该 tile。"
        ),
    ),
    bad=program(
        "pypto.set_vec_tile_shapes(8, 16)",
        "out[:] = x + pypto.cast(pypto.argsort(x, -1, True), F)",
    ),
    good=program(
        "pypto.set_vec_tile_shapes(8, 32)",
        "out[:] = x + pypto.cast(pypto.argsort(x, -1, True), F)",
    ),
)

_MICROSCALED = """import numpy as np

import openpto
import pypto

F = pypto.DT_FP32


@pypto.frontend.jit
def kernel(x: pypto.Tensor([16, 64], F), out: pypto.Tensor([16, 16], F)):
    pypto.set_vec_tile_shapes(16, 64)
    pypto.set_cube_tile_shapes([16, 16], [{k}, 64], [32, 32])
    q, s = pypto.quant_mx(x, performance_mode=False)
    out[:] = pypto.scaled_mm(q, q, F, s, s, b_trans=True, scale_b_trans=True)


def run():
    with openpto.configure(platform="950"):
        kernel(np.ones((16, 64), np.float32), np.zeros((16, 16), np.float32))
"""

register(
    Rule(
        code="PTO329",
        name="cube-tile-of-scaled-product",
        exc=ValueError,
        title=T("cube tile cuts a pair of scaled groups", "cube tile 切断了一对缩放分组"),
        message=T(
            "kL0({kL0}) of scaled_mm must be a multiple of 64",
            "scaled_mm 的 kL0({kL0}) 必须是 64 的倍数",
        ),
        help=T(
            "for example pypto.set_cube_tile_shapes({suggest})",
            "例如 pypto.set_cube_tile_shapes({suggest})",
        ),
        explanation=T(
            "Scales are stored in pairs, each pair for 64 elements of K. A tile of L0 takes whole pairs.",
            "缩放因子成对存放，每对对应 K 方向的 64 个元素。L0 的 tile 必须包含完整的对。",
        ),
        aliases=("FC4001",),
        bad=_MICROSCALED.format(k=32),
        good=_MICROSCALED.format(k=64),
    )
)

fault_rule(
    "PTO464",
    "extreme-of-nothing",
    ValueError,
    T("position of an extreme of nothing", "空集合没有极值位置"),
    T(
        "{op} searches axis {axis}, which has no valid element on this run",
        "{op} 查找第 {axis} 轴，而本次运行中该轴没有有效元素",
    ),
    T("skip the block: if n > 0:", "请跳过该块：if n > 0:"),
    T(
        "The maximum of nothing is -inf, but it stands at no position. A device returns whatever the index register holds.",
        "空集合的最大值为 -inf，但它不在任何位置。设备会返回下标寄存器中的任意内容。",
    ),
    example(
        """    t = pypto.view(x, [8, 16], [0, 0], valid_shape=[8, n[0] - 4])
    at = pypto.argmax(t, -1, True)
    out[0:8, 0:1] = pypto.cast(at, F)
"""
    ),
    example(
        """    t = pypto.view(x, [8, 16], [0, 0], valid_shape=[8, n[0] - 3])
    at = pypto.argmax(t, -1, True)
    out[0:8, 0:1] = pypto.cast(at, F)
"""
    ),
)

fault_rule(
    "PTO465",
    "statistic-of-cut-axis",
    ValueError,
    T("statistic over an axis that is cut by valid_shape", "在被 valid_shape 截断的轴上做统计"),
    T(
        "{op} works on the whole of axis {axis}, of whose {extent} elements {have} are valid",
        "{op} 作用于整个第 {axis} 轴，其 {extent} 个元素中只有 {have} 个有效",
    ),
    T(
        "divide by the number of valid elements yourself: pypto.sum(x * x, -1, True) * (1.0 / n)",
        "请自行除以有效元素个数：pypto.sum(x * x, -1, True) * (1.0 / n)",
    ),
    T(
        "A device adds up the valid elements and divides by the static extent, which gives a wrong mean without any sign "
        "of it.",
        "设备对有效元素求和，却除以静态长度，会得到错误的均值且没有任何提示。",
    ),
    example(
        """    t = pypto.view(x, [8, 16], [0, 0], valid_shape=[8, n[0]])
    out[0:8, 0:1] = pypto.var(t, -1, keepdim=True)
"""
    ),
    example(
        """    t = pypto.view(x, [8, 16], [0, 0], valid_shape=[n[0] + 4, n[0] + 12])
    out[0:8, 0:1] = pypto.var(t, -1, keepdim=True)
"""
    ),
)

_TOPK = """    pypto.set_vec_tile_shapes(8, 16)
    t = pypto.view(x, [8, 16], [0, 0], valid_shape=[8, n[0]])
    values, places = pypto.topk(t, {k})
    out[0:8, 0:{k}] = values + pypto.cast(places, F)
"""

fault_rule(
    "PTO466",
    "more-elements-wanted-than-valid",
    ValueError,
    T("topk wants more elements than are valid", "topk 需要的元素多于有效元素"),
    T(
        "k is {k}, and the last axis has {have} valid elements on this run",
        "k 为 {k}，而本次运行中最后一轴只有 {have} 个有效元素",
    ),
    T(
        'fill the rest first: pypto.fillpad(x, "constant", float("-inf")), or take a smaller k',
        '请先填充其余部分：pypto.fillpad(x, "constant", float("-inf"))，或取较小的 k',
    ),
    T(
        "A device sorts what lies behind the valid elements in with them, so some of the k would be arbitrary.",
        "设备会把有效元素之后的内容一并排序，因此 k 个结果中会有任意值。",
    ),
    example(_TOPK.format(k=5)),
    example(_TOPK.format(k=4)),
)

fault_rule(
    "PTO467",
    "class-out-of-range",
    IndexError,
    T("class out of range", "类别超出范围"),
    T(
        "element {at} of the input of one_hot is {value}, and there are {classes} classes",
        "one_hot 输入的元素 {at} 为 {value}，而类别共有 {classes} 个",
    ),
    T(
        "classes count from 0 to {classes} - 1; clamp or mask them first",
        "类别范围为 0 到 {classes} - 1；请先限制或屏蔽",
    ),
    T(
        "The element has no column in the result. A device writes the 1 somewhere else.",
        "该元素在结果中没有对应的列。设备会把 1 写到别处。",
    ),
    example(
        """    at = pypto.full([8], n[1] + 4, pypto.DT_INT32)
    out[0:8, :] = pypto.view(x, [8, 16], [0, 0]) + pypto.cast(pypto.one_hot(at, 16), F)
"""
    ),
    example(
        """    at = pypto.full([8], n[1] + 3, pypto.DT_INT32)
    out[0:8, :] = pypto.view(x, [8, 16], [0, 0]) + pypto.cast(pypto.one_hot(at, 16), F)
"""
    ),
)

_PAGED = """    t = pypto.view(x, [8, 16], [0, 0])
    token = pypto.full([1, 4], n[{which}], pypto.DT_INT32)
    table = pypto.full([1, 2], {page}, pypto.DT_INT32)
    out[0:4, :] = pypto.experimental.gather_in_ub(t, token, table, 4, -2)
"""

fault_rule(
    "PTO468",
    "paged-row-out-of-range",
    IndexError,
    T("row of a paged store out of range", "分页存储的行超出范围"),
    T(
        "{op}: token {token}, number {n} of the indices, leads to {what} {found}, which is not in [0, {extent})",
        "{op}：第 {n} 个索引（token {token}）指向 {what} {found}，不在 [0, {extent}) 内",
    ),
    T("check the indices, the block table and block_size", "请检查索引、块表和 block_size"),
    T(
        "The block table tells in which block of the store a token lies. Outside of the table, or of the tensor that "
        "holds the store, a device reads other memory.",
        "块表给出 token 所在的块。超出块表或存储张量时，设备会读到其他内存。",
    ),
    example(_PAGED.format(which=1, page=1)),
    example(_PAGED.format(which=0, page=1)),
)

register(
    Rule(
        code="PTO435",
        name="paged-row-beyond-the-window",
        exc=IndexError,
        severity="warning",
        title=T("row lies outside of the window", "行位于窗口之外"),
        message=T(
            "{op} picks rows that lie outside of the window it was given, in the tensor below; this is not documented "
            "({profiles})",
            "{op} 取到了所给窗口之外、底层张量之内的行；文档未说明这一行为（{profiles}）",
        ),
        help=T("pass the whole tensor, or a window that holds the rows", "请传入整个张量，或包含这些行的窗口"),
        explanation=T(
            "The instruction gets the address of the window and no extent, so that shipped kernels can read the rows of "
            "a whole store through a small window. Rows outside of the tensor below are an error.",
            "该指令只得到窗口的地址而不检查范围，因此已有 kernel 会通过小窗口读取整个存储的行。超出底层张量的行是错误。",
        ),
        profiles=("0.2", "0.3"),
        bad=example(_PAGED.format(which=0, page=2)),
        good=example(_PAGED.format(which=0, page=0)),
    )
)

tensor_rule(
    "PTO654",
    "argsort-order-not-given",
    ValueError,
    title=("argsort without an order", "argsort 未指定顺序"),
    message=(
        "argsort sorts descending here, as its documentation says; the toolchains ({profiles}) sort ascending",
        "此处 argsort 按其文档降序排序；而工具链（{profiles}）按升序排序",
    ),
    help=("say it: pypto.argsort(x, dim, descending=True)", "请写明：pypto.argsort(x, dim, descending=True)"),
    why=(
        (
            "The documented default of descending is True and the default in the Python wrapper is False. Written "
            "out, the kernel means the same everywhere."
        ),
        "文档中 descending 的默认值为 True，而 Python 封装中的默认值为 False。明确写出后，kernel 在各处含义相同。",
    ),
    profiles=("0.2", "0.3"),
    severity="warning",
    bad=program("pypto.set_vec_tile_shapes(8, 32)", "out[:] = x + pypto.cast(pypto.argsort(x), F)"),
    good=program("pypto.set_vec_tile_shapes(8, 32)", "out[:] = x + pypto.cast(pypto.argsort(x, -1, True), F)"),
)
