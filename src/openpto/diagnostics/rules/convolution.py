"""PTO330-332 and PTO335: tiles of convolutions."""

from __future__ import annotations

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register

_KERNEL = """import numpy as np
import pypto
from pypto.pypto_impl import TileL0Info, TileL1Info

F = pypto.DT_FP32


@pypto.frontend.jit
def kernel(
    x: pypto.Tensor([1, {c}, 4, {w}], F), y: pypto.Tensor([16, {c}, 1, 1], F), out: pypto.Tensor([1, 16, 4, {w}], F)
):
    {tile}
    out[:] = pypto.conv(x, y, F, [1, 1], [0, 0, 0, 0], [1, 1])


def run():
    x, y = np.ones((1, {c}, 4, {w}), np.float32), np.ones((16, {c}, 1, 1), np.float32)
    kernel(x, y, np.zeros((1, 16, 4, {w}), np.float32))
"""
_GOOD = "pypto.set_conv_tile_shapes(TileL1Info(4, 4, 16, 16, 16, 16, 16, 1), TileL0Info(4, 16, 16, 16))"


def _example(tile: str, c: int = 16, w: int = 16) -> str:
    return _KERNEL.format(tile=tile, c=c, w=w)


register(
    Rule(
        code="PTO330",
        name="conv-tile-not-set",
        exc=ValueError,
        title=T("convolution tile not set", "未设置卷积 tile"),
        message=T(
            "{op} needs a convolution tile, and none is in force here", "{op} 需要卷积 tile，而此处没有生效的设置"
        ),
        help=T(
            "call pypto.set_conv_tile_shapes({suggest}) before this line, with the classes of pypto.pypto_impl",
            "请在此行之前调用 pypto.set_conv_tile_shapes({suggest})，其中的类来自 pypto.pypto_impl",
        ),
        explanation=T(
            "The tile says which part of input, weight and result lies in L1 and L0 at a time. A device cannot choose it "
            "by itself. The result does not depend on it.",
            "该 tile 决定输入、权重和结果每次有多少位于 L1 和 L0。设备无法自行选择。结果与 tile 无关。",
        ),
        aliases=("FC6001",),
        bad=_example("pypto.set_vec_tile_shapes(1, 16, 4, 16)"),
        good=_example(_GOOD),
    )
)

register(
    Rule(
        code="PTO331",
        name="conv-tile-does-not-suit",
        exc=ValueError,
        title=T("convolution tile does not suit", "卷积 tile 不合适"),
        message=T(
            "{name} of the convolution tile is {value} and must be {rule}",
            "卷积 tile 的 {name} 为 {value}，要求：{rule}",
        ),
        help=T("for example pypto.set_conv_tile_shapes({suggest})", "例如 pypto.set_conv_tile_shapes({suggest})"),
        explanation=T(
            "Channels are loaded in blocks of 32 bytes and output rows in blocks of 16 elements; a tile of L0 is a part of "
            "the tile of L1. The result does not depend on tiles; a device refuses this one.",
            "通道按 32 字节的块加载，输出行按 16 个元素的块处理；L0 的 tile 是 L1 tile 的一部分。结果与 tile 无关；但设备会拒绝该 tile。",
        ),
        aliases=("FC6002",),
        bad=_example("pypto.set_conv_tile_shapes(TileL1Info(4, 4, 16, 8, 16, 16, 16, 1))"),
        good=_example(_GOOD),
    )
)

register(
    Rule(
        code="PTO332",
        name="conv-tile-too-large",
        exc=ValueError,
        title=T("convolution tile exceeds on-chip memory", "卷积 tile 超出片上内存"),
        message=T(
            "the convolution tile needs {formula}",
            "卷积 tile 需要 {formula}",
        ),
        help=T(
            "fewer channels, rows or columns at a time, for example pypto.set_conv_tile_shapes({suggest})",
            "减少每次的通道、行或列，例如 pypto.set_conv_tile_shapes({suggest})",
        ),
        explanation=T(
            "L1 holds the input window, the weights and the bias of a tile; L0A, L0B and L0C hold the operands and the sums "
            "of one step.",
            "L1 存放一个 tile 的输入窗口、权重和偏置；L0A、L0B 和 L0C 存放一步计算的操作数与累加值。",
        ),
        aliases=("FC6101", "FC6003"),
        bad=_example("pypto.set_conv_tile_shapes(TileL1Info(4, 4, 2048, 2048, 16, 16, 16, 1))", w=2048),
        good=_example(_GOOD),
    )
)

_ON_910B = _KERNEL.replace("import numpy as np\n", "import numpy as np\nimport openpto\n").replace(
    "    kernel(x, y, np.zeros", '    with openpto.configure(platform="910B"):\n        kernel(x, y, np.zeros'
)
_BOTH = _GOOD + "\n    pypto.set_vec_tile_shapes({vec})"

register(
    Rule(
        code="PTO335",
        name="conv-vector-tile",
        severity="warning",
        title=T("vector tile of a convolution", "卷积的向量 tile"),
        message=T(
            "on the {chip} the documentation asks for a vector tile beside the convolution tile: {why}",
            "在 {chip} 上，文档要求除卷积 tile 外还设置向量 tile：{why}",
        ),
        help=T(
            "call pypto.set_vec_tile_shapes({suggest}) before this line",
            "在此行之前调用 pypto.set_vec_tile_shapes({suggest})",
        ),
        explanation=T(
            "On A2 and A3 vector cores change the layout of the operands first, tile by tile: n in multiples of 16, "
            "channels in blocks of 32 bytes, rows of whole blocks. The 950 does without.",
            "在 A2 与 A3 上，向量核会先逐块转换操作数的布局：n 为 16 的倍数，通道按 32 字节分块，行须为完整的块。950 不需要。",
        ),
        bad=_ON_910B.format(tile=_GOOD, c=16, w=16),
        good=_ON_910B.format(tile=_BOTH.format(vec="16, 16, 1, 16"), c=16, w=16),
    )
)
