"""PTO320-325, PTO333 and PTO334: how the values of a cube tile fit together."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register
from openpto.diagnostics.rules.cube_examples import MATMUL, cube

_INT8 = """import numpy as np
import pypto

I = pypto.DT_INT8


@pypto.frontend.jit
def kernel(
    a: pypto.Tensor([32, 32], I), b: pypto.Tensor([32, 32], I), c: pypto.Tensor([32, 32], pypto.DT_INT32)
):
    pypto.set_cube_tile_shapes({tile})
    c[:] = pypto.matmul(a, b, pypto.DT_INT32)


def run():
    x = np.ones((32, 32), np.int8)
    kernel(x, x.copy(), np.zeros((32, 32), np.int32))
"""

_NZ = """import numpy as np
import pypto

H, NZ = pypto.DT_FP16, pypto.TileOpFormat.TILEOP_NZ


@pypto.frontend.jit
def kernel(
    a: pypto.Tensor([32, 32], H, format=NZ), b: pypto.Tensor([32, 32], H), c: pypto.Tensor([32, 32], pypto.DT_FP32)
):
    pypto.set_cube_tile_shapes({tile})
    c[:] = pypto.matmul(a, b, pypto.DT_FP32)


def run():
    x = np.ones((32, 32), np.float16)
    kernel(x, x.copy(), np.zeros((32, 32), np.float32))
"""

register(
    Rule(
        code="PTO320",
        name="cube-tile-not-set",
        exc=ValueError,
        title=T("cube tile not set", "未设置 cube tile"),
        message=T(
            "Invalid tile values: kL0={kL0}, kL1a={kL1a}, kL1b={kL1b}, mL0={mL0}, mL1={mL1}, nL0={nL0}, nL1={nL1}: "
            "{op} needs a cube tile of positive values",
            "Invalid tile values: kL0={kL0}, kL1a={kL1a}, kL1b={kL1b}, mL0={mL0}, mL1={mL1}, nL0={nL0}, nL1={nL1}："
            "{op} 需要各值为正的 cube tile",
        ),
        help=T(
            "call pypto.set_cube_tile_shapes([mL0, mL1], [kL0, kL1], [nL0, nL1]) before this line, for example "
            "({suggest})",
            "在此行之前调用 pypto.set_cube_tile_shapes([mL0, mL1], [kL0, kL1], [nL0, nL1])，例如 ({suggest})",
        ),
        explanation=T(
            "A matmul is cut by the cube tile: L0 values say what one cube instruction works on, L1 values what is "
            "kept near it. A vector tile does not replace it, and the rule holds in simulation as on a device.",
            "matmul 按 cube tile 切分：L0 值决定一次 cube 指令处理的大小，L1 值决定就近缓存的大小。"
            "向量 tile 不能代替它，仿真与设备上规则相同。",
        ),
        phrases=(
            "Invalid tile values: kL0={kL0}, kL1a={kL1a}, kL1b={kL1b}, mL0={mL0}, mL1={mL1}, nL0={nL0}, nL1={nL1}",
        ),
        aliases=("FC4000", "F0000C"),
        bad=cube("pypto.set_vec_tile_shapes(16, 16)", MATMUL),
        good=cube("pypto.set_cube_tile_shapes([32, 32], [32, 32], [32, 32])", MATMUL),
    )
)

register(
    Rule(
        code="PTO321",
        name="cube-tile-l1-l0-relation",
        exc=ValueError,
        title=T("L1 tile is not a multiple of the L0 tile", "L1 tile 不是 L0 tile 的整数倍"),
        message=T(
            "Invalid L1/L0 relation: {inner_name}={inner}, {outer_name}={outer}, require {inner_name} <= "
            "{outer_name} && {outer_name} % {inner_name} == 0 (in {op})",
            "Invalid L1/L0 relation: {inner_name}={inner}, {outer_name}={outer}, require {inner_name} <= "
            "{outer_name} && {outer_name} % {inner_name} == 0（用于 {op}）",
        ),
        help=T(
            "make {outer_name} a multiple of {inner_name}, for example pypto.set_cube_tile_shapes({suggest})",
            "使 {outer_name} 为 {inner_name} 的整数倍，例如 pypto.set_cube_tile_shapes({suggest})",
        ),
        explanation=T(
            "A piece in L1 is handed to L0 in whole tiles, so it has to hold a whole number of them.",
            "L1 中的数据块以完整的 tile 交给 L0，因此必须是其整数倍。",
        ),
        phrases=(
            (
                "Invalid L1/L0 relation: {inner_name}={inner}, {outer_name}={outer}, require {inner_name} <= "
                "{outer_name} && {outer_name} % {inner_name} == 0"
            ),
        ),
        aliases=("FC4000", "F0000C", "OL48"),
        bad=cube("pypto.set_cube_tile_shapes([32, 16], [32, 32], [32, 32])", MATMUL),
        good=cube("pypto.set_cube_tile_shapes([16, 32], [32, 32], [32, 32])", MATMUL),
    )
)

register(
    Rule(
        code="PTO322",
        name="cube-tile-alignment",
        exc=ValueError,
        title=T("cube tile is not aligned to 16 elements", "cube tile 未按 16 个元素对齐"),
        message=T(
            "kL0({kL0}) and nL0({nL0}) must be aligned to 16 elements (in {op})",
            "kL0({kL0}) and nL0({nL0}) must be aligned to 16 elements（用于 {op}）",
        ),
        help=T(
            "make kL0 and nL0 multiples of 16, for example pypto.set_cube_tile_shapes({suggest})",
            "使 kL0 和 nL0 为 16 的倍数，例如 pypto.set_cube_tile_shapes({suggest})",
        ),
        explanation=T(
            "The cube multiplies fractals of 16 by 16 elements. mL0 needs no alignment as long as A is not "
            "transposed; rows are padded there. Shapes themselves need not be multiples.",
            "cube 以 16 x 16 的分形为单位相乘。只要 A 未转置，mL0 无需对齐，行会自动补齐。张量形状本身不必是倍数。",
        ),
        phrases=("kL0({kL0}) and nL0({nL0}) must be aligned to 16 elements",),
        aliases=("FC4001", "F0000C"),
        bad=cube("pypto.set_cube_tile_shapes([32, 32], [8, 8], [16, 16])", MATMUL),
        good=cube("pypto.set_cube_tile_shapes([32, 32], [16, 16], [16, 16])", MATMUL),
    )
)

register(
    Rule(
        code="PTO323",
        name="cube-tile-bytes",
        exc=ValueError,
        title=T("row of a cube tile is not 32-byte aligned", "cube tile 的行未按 32 字节对齐"),
        message=T(
            "{name} * sizeof(dtype) = {bytes} bytes, must be 32-byte aligned (in {op})",
            "{name} * sizeof(dtype) = {bytes} bytes, must be 32-byte aligned（用于 {op}）",
        ),
        help=T(
            "the bytes of {name} ({formula}) must be a multiple of 32, for example "
            "pypto.set_cube_tile_shapes({suggest})",
            "{name} 的字节数（{formula}）须为 32 的倍数，例如 pypto.set_cube_tile_shapes({suggest})",
        ),
        explanation=T(
            "Tiles are copied in blocks of 32 bytes. With elements of one byte 16 elements are not enough. Of an operand "
            "in NZ the inner axis takes whole blocks.",
            "tile 以 32 字节块复制。元素为一个字节时，16 个元素不够。NZ 操作数的内轴须为完整的块。",
        ),
        phrases=("{name} * sizeof(dtype) = {bytes} bytes, must be 32-byte aligned",),
        aliases=("FC4001", "F0000C"),
        bad=_INT8.format(tile="[32, 32], [16, 16], [32, 32]"),
        good=_INT8.format(tile="[32, 32], [32, 32], [32, 32]"),
    )
)

register(
    Rule(
        code="PTO333",
        name="cube-tile-transposed-rows",
        exc=ValueError,
        title=T("rows of a transposed A are not 32-byte aligned", "转置的 A 的行未按 32 字节对齐"),
        message=T(
            "mL0 memory not aligned when transA=true: {bytes} bytes; mL0 of {op} is {formula} and must make whole "
            "blocks of 32 bytes",
            "mL0 memory not aligned when transA=true: {bytes} bytes；{op} 的 mL0 为 {formula}，须为完整的 32 字节块",
        ),
        help=T(
            "for example pypto.set_cube_tile_shapes({suggest})",
            "例如 pypto.set_cube_tile_shapes({suggest})",
        ),
        explanation=T(
            "A matrix stored as [K, M] is read along M, in blocks of 32 bytes. Without a_trans mL0 needs no alignment.",
            "按 [K, M] 存储的矩阵沿 M 以 32 字节块读取。没有 a_trans 时，mL0 无需对齐。",
        ),
        phrases=("mL0 memory not aligned when transA=true: {bytes} bytes",),
        aliases=("FC4001", "F0000C"),
        bad=cube(
            "pypto.set_cube_tile_shapes([7, 7], [32, 32], [32, 32])",
            "c[:] = pypto.matmul(a, b, pypto.DT_FP32, a_trans=True)",
        ),
        good=cube(
            "pypto.set_cube_tile_shapes([8, 8], [32, 32], [32, 32])",
            "c[:] = pypto.matmul(a, b, pypto.DT_FP32, a_trans=True)",
        ),
    )
)

register(
    Rule(
        code="PTO334",
        name="cube-tile-fractals",
        exc=ValueError,
        title=T("cube tile cuts a fractal of NZ", "cube tile 切断了 NZ 的分形"),
        message=T(
            "{name} of {op} is {extent}; the operand lies in NZ, and its outer axis is cut into multiples of 16",
            "{op} 的 {name} 为 {extent}；该操作数采用 NZ 格式，其外轴须按 16 的倍数切分",
        ),
        help=T(
            "make {name} a multiple of 16, for example pypto.set_cube_tile_shapes({suggest})",
            "使 {name} 为 16 的倍数，例如 pypto.set_cube_tile_shapes({suggest})",
        ),
        explanation=T(
            "NZ stores fractals of 16 rows of 32 bytes. A tile takes whole fractals; in ND the rows of A are padded "
            "instead.",
            "NZ 以 16 行、每行 32 字节的分形存储。tile 须取完整的分形；ND 中 A 的行会自动补齐。",
        ),
        aliases=("FC4001", "F0000C"),
        bad=_NZ.format(tile="[8, 16], [16, 16], [16, 16]"),
        good=_NZ.format(tile="[16, 16], [16, 16], [16, 16]"),
    )
)

register(
    Rule(
        code="PTO325",
        name="cube-tile-k-l1",
        exc=ValueError,
        title=T("the two L1 tiles of K do not fit together", "K 的两个 L1 tile 不匹配"),
        message=T(
            "Invalid tileKL1 configuration: kL1 of A is {a}, of B {b}; the larger must be a multiple of the smaller or "
            "hold all of K (in {op})",
            "Invalid tileKL1 configuration：A 的 kL1 为 {a}，B 的为 {b}；较大者须为较小者的整数倍，或容纳整个 K（{op}）",
        ),
        help=T(
            "give both the same kL1, or a multiple, for example pypto.set_cube_tile_shapes({suggest})",
            "使两者的 kL1 相同或成倍数，例如 pypto.set_cube_tile_shapes({suggest})",
        ),
        explanation=T(
            "A and B walk along K in pieces of their own length. Where one piece ends the other has to end as well "
            "from time to time, else a step of K would need halves of two pieces.",
            "A 和 B 各按自己的长度沿 K 前进。一方的块结束处必须与另一方对齐，否则某一步会需要两个块的各一半。",
        ),
        phrases=("Invalid tileKL1 configuration",),
        aliases=("FC4000", "F0000C"),
        bad=cube("pypto.set_cube_tile_shapes([32, 32], [16, 48, 32], [32, 32])", MATMUL, a="[32, 96]", b="[96, 32]"),
        good=cube("pypto.set_cube_tile_shapes([32, 32], [16, 64, 32], [32, 32])", MATMUL, a="[32, 96]", b="[96, 32]"),
    )
)
