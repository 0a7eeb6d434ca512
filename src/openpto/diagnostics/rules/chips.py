"""PTO308, PTO309, PTO311 and PTO313: chips, and what compilers make of a kernel."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register

_KERNEL = """import numpy as np
import pypto

@pypto.frontend.jit
def kernel(x: pypto.Tensor({shape}, pypto.DT_FP32), y: pypto.Tensor({out}, pypto.DT_FP32)):
{body}

def run():
    kernel(np.ones({shape}, np.float32), np.zeros({out}, np.float32))
"""


def _kernel(*lines: str, shape: str = "[32, 32]", out: str = "") -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return _KERNEL.format(shape=shape, out=out or shape, body=body)


_CHIPS = T(
    "The 950 has operations and element types that the 910B and 910C lack. Without a chosen platform all of them are "
    "accepted, with a warning; with one, what it lacks is an error.",
    "950 拥有 910B 和 910C 所没有的操作与元素类型。未指定平台时全部接受并给出警告；指定后，其不支持的内容是错误。",
)
_ABS = """import numpy as np
import openpto
import pypto


@pypto.frontend.jit
def kernel(x: pypto.Tensor([16, 16], pypto.{dtype}), y: pypto.Tensor([16, 16], pypto.{dtype})):
    pypto.set_vec_tile_shapes(16, 16)
    y[:] = pypto.abs(x)


def run():
    x = np.ones((16, 16), np.{host})
    {call}
"""
_ON_910B = 'with openpto.configure(platform="910B"):\n        kernel(x, x.copy())'
_ON_950 = 'with openpto.configure(platform="950"):\n        kernel(x, x.copy())'

register(
    Rule(
        code="PTO308",
        name="only-on-one-chip",
        severity="warning",
        title=T("only one chip has this operation", "只有一种芯片支持该操作"),
        message=T("{what} exists on the {chip} only", "{what} 仅在 {chip} 上可用"),
        help=T(
            'write it in other operations, or say that the {chip} is meant: openpto.configure(platform="{chip}")',
            '改用其他操作表达，或指明目标为 {chip}：openpto.configure(platform="{chip}")',
        ),
        explanation=_CHIPS,
        bad=_ABS.format(dtype="DT_INT32", host="int32", call="kernel(x, x.copy())"),
        good=_ABS.format(dtype="DT_INT32", host="int32", call=_ON_950),
    )
)

register(
    Rule(
        code="PTO309",
        name="chip-lacks-operation",
        exc=ValueError,
        title=T("the chosen chip lacks this operation", "所选芯片不支持该操作"),
        message=T("the {platform} has no {what}; the {chip} has", "{platform} 不支持 {what}，{chip} 支持"),
        help=T("write it in other operations, or choose the {chip}", "改用其他操作表达，或选择 {chip}"),
        explanation=_CHIPS,
        aliases=("FC0001",),
        bad=_ABS.format(dtype="DT_INT32", host="int32", call=_ON_910B),
        good=_ABS.format(dtype="DT_FP32", host="float32", call=_ON_910B),
    )
)

register(
    Rule(
        code="PTO311",
        name="too-many-tiles",
        severity="warning",
        title=T("the tile is small for the tensor", "tile 相对张量过小"),
        message=T(
            "{op} alone is {formula} operations on tiles, {total} with those beside it; the advice is to stay below {most}",
            "仅 {op} 就有 {formula} 个 tile 操作，连同旁边的共 {total} 个；建议少于 {most} 个",
        ),
        help=T(
            "set a larger tile, or walk along the tensor with pypto.loop and views",
            "设置更大的 tile，或使用 pypto.loop 与 view 逐块遍历张量",
        ),
        explanation=T(
            "Compilers cut every operation by its tile and build one graph of all that stands between two loops: tiles "
            "of the shape times operands and result. Graphs of more than 18000 operations take minutes to compile or "
            "fail. The result does not depend on it.",
            "编译器按 tile 切分每个操作，并把两个循环之间的全部内容构成一个图：形状中的 tile 数乘以操作数与结果的个数。"
            "超过 18000 个操作的图编译需要数分钟，甚至失败。结果与此无关。",
        ),
        bad=_kernel("pypto.set_vec_tile_shapes(1, 8)", "y[:] = x + 1.0", shape="[256, 512]"),
        good=_kernel("pypto.set_vec_tile_shapes(64, 512)", "y[:] = x + 1.0", shape="[256, 512]"),
    )
)

_SUBGRAPH = """import numpy as np
import openpto
import pypto

F = pypto.DT_FP32


@pypto.frontend.jit
def kernel(a: pypto.Tensor([32, 32], F), b: pypto.Tensor([32, 32], F), c: pypto.Tensor([32, 32], F)):
    pypto.set_vec_tile_shapes(32, 32)
    pypto.set_cube_tile_shapes([32, 32], [32, 32], [32, 32])
    pypto.set_pass_options(sg_set_scope=1)
    product = pypto.matmul(a, b, F)
    pypto.set_pass_options(sg_set_scope={second})
    c[:] = product + 1.0


def run():
    x = np.ones((32, 32), np.float32)
    with openpto.configure(platform="910B"):
        kernel(x, x.copy(), np.zeros_like(x))
"""

register(
    Rule(
        code="PTO313",
        name="cube-and-vector-in-one-subgraph",
        exc=ValueError,
        title=T("cube and vector operations in one subgraph", "一个子图中同时有 cube 与向量操作"),
        message=T(
            "{op} is forced into subgraph {number} together with the operation before it, which runs on the other kind "
            "of core; on the {chip} a subgraph is pure cube or pure vector",
            "{op} 与其前一个操作被强制放入子图 {number}，而两者使用不同种类的核；在 {chip} 上，子图只能全是 cube 或全是向量操作",
        ),
        help=T(
            "give both kinds numbers of their own: pypto.set_pass_options(sg_set_scope=...)",
            "为两种操作设置不同的编号：pypto.set_pass_options(sg_set_scope=...)",
        ),
        explanation=T(
            "sg_set_scope puts neighbouring operations with the same number into one subgraph. Cube and vector cores of "
            "the 910B and 910C exchange data through global memory only, so one subgraph cannot hold both. The 950 can.",
            "sg_set_scope 把编号相同的相邻操作放入同一个子图。910B 与 910C 的 cube 核与向量核只能通过全局内存交换数据，"
            "因此一个子图不能同时包含两者；950 可以。",
        ),
        aliases=("F43007",),
        bad=_SUBGRAPH.format(second=1),
        good=_SUBGRAPH.format(second=2),
    )
)
