"""PTO324, PTO326 and PTO327: what a cube tile needs of the memories."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register
from openpto.diagnostics.rules.cube_examples import MATMUL, cube

_HALF = """import numpy as np
import pypto

H = pypto.DT_FP16


@pypto.frontend.jit
def kernel(a: pypto.Tensor([32, 32], H), b: pypto.Tensor([32, 32], H), c: pypto.Tensor([32, 32], H)):
    pypto.set_cube_tile_shapes([16, 16], [16, 16], [16, 16]{split})
    c[:] = pypto.matmul(a, b, H)


def run():
    a, b, c = (np.ones([32, 32], np.float16) for _ in range(3))
    kernel(a, b, c)
"""

register(
    Rule(
        code="PTO324",
        name="cube-tile-exceeds-memory",
        exc=ValueError,
        title=T("cube tile exceeds a cube memory", "cube tile 超出 cube 存储"),
        message=T(
            "{memory} size exceeded: the cube tile {tile} of {op} needs {formula}",
            "{memory} size exceeded：{op} 的 cube tile {tile} 需要 {formula}",
        ),
        help=T(
            "shrink the cube tile, for example pypto.set_cube_tile_shapes({suggest})",
            "缩小 cube tile，例如 pypto.set_cube_tile_shapes({suggest})",
        ),
        explanation=T(
            "L0A (mL0 x kL0) and L0B (kL0 x nL0) have 64 KiB each, L0C (mL0 x nL0 x 4 B) 128 KiB (950: 256 KiB), L1 "
            "512 KiB for one copy of mL0 x kL1 or kL1 x nL0. A bias takes 4 bytes of nL0 in its table, a tensor of "
            "scales 8. Extents are rounded up to 16 elements (32 for types of one byte, 64 for 4 bits) before they are "
            "counted. The rule is not an artefact of simulation. `pypto tiles` suggests tiles and shows what they take.",
            "L0A（mL0 x kL0）与 L0B（kL0 x nL0）各 64 KiB，L0C（mL0 x nL0 x 4 B）128 KiB（950 为 256 KiB），L1 512 KiB，"
            "每次存放一块 mL0 x kL1 或 kL1 x nL0。bias 在其表中每个 nL0 占 4 字节，scale 张量占 8 字节。"
            "计算前各维向上取整到 16 个元素（单字节类型为 32，4 位类型为 64）。该规则不是仿真造成的。`pypto tiles` 可推荐 tile 并显示其占用。",
        ),
        phrases=("{memory} size exceeded", "Run pass failed"),
        aliases=("F40005", "FFFFFF"),
        bad=cube("pypto.set_cube_tile_shapes([512, 512], [512, 512], [512, 512])", MATMUL),
        good=cube("pypto.set_cube_tile_shapes([128, 128], [64, 256], [128, 128])", MATMUL),
    )
)

register(
    Rule(
        code="PTO326",
        name="cube-tile-l1-sum",
        severity="warning",
        title=T("cube tile exceeds the documented sum for L1", "cube tile 超出文档给出的 L1 总和"),
        message=T(
            "the L1 tiles of {op} add up to {formula}; compilers accept it and move data to and fro",
            "{op} 的 L1 tile 合计 {formula}；编译器会接受，但会来回搬运数据",
        ),
        help=T("reduce mL1, nL1 or kL1", "减小 mL1、nL1 或 kL1"),
        explanation=T(
            "The documentation asks that mL1*kL1 elements of A and kL1*nL1 of B fit into L1 together. Compilers check "
            "single copies only and spill what does not fit, which costs time and changes no result.",
            "文档要求 A 的 mL1*kL1 个元素与 B 的 kL1*nL1 个元素能同时放入 L1。编译器只检查单次复制，放不下的部分会溢出，"
            "这只影响时间，不影响结果。",
        ),
        bad=cube("pypto.set_cube_tile_shapes([64, 512], [64, 512], [64, 512])", MATMUL, a="[32, 512]", b="[512, 32]"),
        good=cube("pypto.set_cube_tile_shapes([64, 64], [64, 512], [64, 64])", MATMUL, a="[32, 512]", b="[512, 32]"),
    )
)

register(
    Rule(
        code="PTO327",
        name="split-k-output-dtype",
        exc=ValueError,
        title=T("split-k needs an FP32 or INT32 output", "split-k 的输出须为 FP32 或 INT32"),
        message=T(
            "Output data type only support FP32 and INT32 when using GM accumulated; {op} gives {dtype}",
            "Output data type only support FP32 and INT32 when using GM accumulated；{op} 的输出为 {dtype}",
        ),
        help=T(
            "leave enable_split_k out, or compute in FP32 and cast afterwards",
            "去掉 enable_split_k，或以 FP32 计算后再转换",
        ),
        explanation=T(
            "With enable_split_k parts of K are added up in global memory. Only FP32 and INT32 can be added there.",
            "启用 enable_split_k 时，K 的各部分在全局内存中累加，那里只能累加 FP32 与 INT32。",
        ),
        phrases=("Output data type only support FP32 and INT32 when using GM accumulated",),
        aliases=("FC4002",),
        bad=_HALF.format(split=", enable_split_k=True"),
        good=_HALF.format(split=""),
    )
)
