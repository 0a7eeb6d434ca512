"""PTO592-594: questions about tiles."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register

_ASK = """import openpto


def run():
    openpto.check_tiles({arguments})
"""

register(
    Rule(
        code="PTO592",
        name="name-not-known",
        exc=ValueError,
        title=T("unknown name", "未知的名称"),
        message=T("there is no {what} {name}", "没有名为 {name} 的 {what}"),
        help=T("did you mean {near}?", "是否想写 {near}？"),
        explanation=T(
            "A question about tiles names a public operation, the element types of its tensors and the chip: 910B, 910C "
            "or 950, which are also known as A2, A3 and A5.",
            "关于 tile 的提问需给出公开的操作名、张量的元素类型以及芯片：910B、910C 或 950，也可写作 A2、A3、A5。",
        ),
        bad=_ASK.format(arguments='"expp", (64, 512), "FP32", (64, 512)'),
        good=_ASK.format(arguments='"exp", (64, 512), "FP32", (64, 512)'),
    )
)

register(
    Rule(
        code="PTO593",
        name="shape-not-understood",
        exc=ValueError,
        title=T("not a shape", "不是形状"),
        message=T("{text} is not a shape of positive numbers", "{text} 不是由正整数组成的形状"),
        help=T(
            "write (64, 512) in Python, 64x512 on the command line; several shapes are separated by commas",
            "在 Python 中写 (64, 512)，在命令行中写 64x512；多个形状以逗号分隔",
        ),
        explanation=T(
            "Tiles are judged for tensors of known extents. A dynamic axis is cut by a view in a loop before an operation "
            "sees it; ask with the shape of the view.",
            "tile 针对已知大小的张量进行检查。动态维度在操作之前会先在循环中由 view 切分；请使用该 view 的形状提问。",
        ),
        bad=_ASK.format(arguments='"exp", (64, 0), "FP32", (64, 512)'),
        good=_ASK.format(arguments='"exp", (64, 512), "FP32", (64, 512)'),
    )
)

_COMMAND = """from openpto.cli import tiles


def run():
    tiles.report("exp", "64x512", "FP32", "910B", {tile}, [], 1)
"""

register(
    Rule(
        code="PTO594",
        name="tile-not-understood",
        exc=ValueError,
        title=T("not a tile", "不是 tile"),
        message=T("{text} is not a tile of {op}", "{text} 不是 {op} 的 tile"),
        help=T("write it as the setter takes it: --tile {form}", "按设置函数的参数书写：--tile {form}"),
        explanation=T(
            "A vector tile is a number per axis; a cube tile lists L0 and L1 values of m, k and n; a tile of a "
            "convolution is the eight numbers of L1 and, if L0 is given, four more.",
            "向量 tile 为每一维一个数；cube tile 依次列出 m、k、n 的 L0 与 L1 值；卷积 tile 为 L1 的八个数，"
            "若给出 L0 则再加四个数。",
        ),
        bad=_COMMAND.format(tile='"wide"'),
        good=_COMMAND.format(tile='"64,512"'),
    )
)
