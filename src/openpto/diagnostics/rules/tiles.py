"""PTO3xx: vector tiles and chips (300-319), cube tiles (320-339)."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register

_VECTOR = """import numpy as np
import pypto


@pypto.frontend.jit
def kernel(x: pypto.Tensor({shape}, pypto.DT_FP32), y: pypto.Tensor({out}, pypto.DT_FP32)):
{body}

def run():
    kernel(np.ones({shape}, np.float32), np.zeros({out}, np.float32))
"""

_CUBE = """import numpy as np
import pypto


@pypto.frontend.jit
def kernel(
    a: pypto.Tensor({a}, pypto.DT_FP32), b: pypto.Tensor({b}, pypto.DT_FP32), c: pypto.Tensor({c}, pypto.DT_FP32)
):
{body}

def run():
    kernel(np.ones({a}, np.float32), np.ones({b}, np.float32), np.zeros({c}, np.float32))
"""


def _vector(*lines: str, shape: str = "[32, 32]", out: str = "") -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return _VECTOR.format(shape=shape, out=out or shape, body=body)


def _cube(*lines: str, a: str = "[32, 32]", b: str = "[32, 32]", c: str = "[32, 32]") -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return _CUBE.format(a=a, b=b, c=c, body=body)


_MATMUL = "c[:] = pypto.matmul(a, b, pypto.DT_FP32)"

register(
    Rule(
        code="PTO301",
        name="tile-shape-not-set",
        exc=ValueError,
        title=T("tile shape not set", "未设置 tile 形状"),
        message=T(
            "{op} works on a {rank}-D tile, and no vector tile is in force here",
            "{op} 处理 {rank} 维 tile，而此处没有生效的向量 tile",
        ),
        help=T(
            "call pypto.set_vec_tile_shapes({suggest}) before this line",
            "在此行之前调用 pypto.set_vec_tile_shapes({suggest})",
        ),
        explanation=T(
            "A vector operation is cut into tiles that fit into UB, and the tile in force says how. A tile set inside "
            "a loop is gone after the loop; a cube tile does not count. Every toolchain refuses an operation that "
            "computes without one.",
            "向量操作会被切分成能放入 UB 的 tile，由当前生效的 tile 形状决定如何切分。循环内设置的 tile 在循环结束后失效；"
            "cube tile 不算。没有 tile 的计算操作会被所有工具链拒绝。",
        ),
        phrases=("tile shape not set",),
        aliases=("F21004",),
        bad=_vector("y[:] = x + 1.0"),
        good=_vector("pypto.set_vec_tile_shapes(16, 16)", "y[:] = x + 1.0"),
    )
)

register(
    Rule(
        code="PTO302",
        name="vector-tile-not-positive",
        exc=ValueError,
        title=T("tile shape not set to positive values", "tile 形状的值不为正"),
        message=T(
            "the vector tile ({tile}) in force for {op} has a value that is not positive",
            "对 {op} 生效的向量 tile ({tile}) 含有非正的值",
        ),
        help=T(
            "give pypto.set_vec_tile_shapes positive ints only",
            "pypto.set_vec_tile_shapes 只接受正整数",
        ),
        explanation=T(
            "The setter accepts any ints; they are judged when an operation uses them. A tile with a zero or negative "
            "value counts as no tile.",
            "设置函数接受任意整数，直到操作使用时才检查。含零或负值的 tile 等同于没有设置。",
        ),
        phrases=("tile shape not set",),
        aliases=("F21004", "FC1000"),
        bad=_vector("pypto.set_vec_tile_shapes(16, 0)", "y[:] = x + 1.0"),
        good=_vector("pypto.set_vec_tile_shapes(16, 8)", "y[:] = x + 1.0"),
    )
)

register(
    Rule(
        code="PTO303",
        name="vector-tile-rank",
        exc=ValueError,
        title=T("vector tile has fewer values than the tensor has axes", "向量 tile 的值少于张量的维数"),
        message=T(
            "the vector tile ({tile}) has {have} value(s), {op} works on {rank} axes: Tile shape size {have} is not "
            "matched the output shape size {rank}",
            "向量 tile ({tile}) 有 {have} 个值，而 {op} 处理 {rank} 个维度："
            "Tile shape size {have} is not matched the output shape size {rank}",
        ),
        help=T(
            "set a vector tile with {rank} values before this line",
            "在此行之前设置有 {rank} 个值的向量 tile",
        ),
        explanation=T(
            "Tile values pair with axes from the left; surplus values are ignored, missing ones are an error. "
            "Reductions are cut by their input, so a reduction that drops an axis still needs a value for it.",
            "tile 的值从左起与各维对应；多余的值被忽略，缺少则出错。归约按输入切分，因此去掉某一维的归约仍需要该维的值。",
        ),
        phrases=("Tile shape size {have} is not matched the output shape size {rank}", "Run pass failed"),
        aliases=("FC1000", "FFFFFF"),
        bad=_vector("pypto.set_vec_tile_shapes(16)", "y[:] = x + 1.0"),
        good=_vector("pypto.set_vec_tile_shapes(16, 32)", "y[:] = x + 1.0"),
    )
)

register(
    Rule(
        code="PTO304",
        name="vector-tile-exceeds-ub",
        exc=ValueError,
        title=T("vector tile exceeds UB", "向量 tile 超出 UB"),
        message=T(
            "one tile ({tile}) of {op} needs {need} bytes for its inputs and outputs, UB of {chip} has {have}",
            "{op} 的一个 tile ({tile}) 的输入和输出需要 {need} 字节，而 {chip} 的 UB 只有 {have} 字节",
        ),
        help=T(
            "shrink the tile, for example pypto.set_vec_tile_shapes({suggest})",
            "缩小 tile，例如 pypto.set_vec_tile_shapes({suggest})",
        ),
        explanation=T(
            "All distinct tiles an operation reads and writes are in UB at the same time, rows padded to 32 bytes; an "
            "output may take the place of an input of the same size that nobody else needs. There is no second set "
            "for double buffering in this count.",
            "一个操作读写的所有不同 tile 同时位于 UB 中，每行补齐到 32 字节；若某输入大小相同且不再被使用，输出可占用其位置。"
            "此计算不包含双缓冲的第二份空间。",
        ),
        phrases=("Run pass failed",),
        aliases=("F40005", "FFFFFF"),
        bad=_vector("pypto.set_vec_tile_shapes(512, 512)", "y[:] = x + 1.0", shape="[512, 512]"),
        good=_vector("pypto.set_vec_tile_shapes(64, 512)", "y[:] = x + 1.0", shape="[512, 512]"),
    )
)

register(
    Rule(
        code="PTO305",
        name="last-tile-alignment",
        exc=ValueError,
        title=T("last tile value is not 32-byte aligned", "最后一个 tile 值未按 32 字节对齐"),
        message=T(
            "{op} has {last} elements = {bytes} bytes in the last axis of its tile: tileShape of last axis need to "
            "32Byte align",
            "{op} 的 tile 最后一维有 {last} 个元素，即 {bytes} 字节：tileShape of last axis need to 32Byte align",
        ),
        help=T(
            "use a multiple of {step}, for example pypto.set_vec_tile_shapes({suggest})",
            "使用 {step} 的倍数，例如 pypto.set_vec_tile_shapes({suggest})",
        ),
        explanation=T(
            "Reductions and gcd read whole blocks of 32 bytes along the last axis, isnan and isfinite write them. Other "
            "operations pad the rows by themselves; a reduction must not count the padding.",
            "归约和 gcd 沿最后一维读取完整的 32 字节块，isnan 和 isfinite 写出完整的 32 字节块。其他操作会自行补齐各行，"
            "而归约不能把补齐的元素计算在内。",
        ),
        phrases=("tileShape of last axis need to 32Byte align",),
        aliases=("FC1001",),
        bad=_vector("pypto.set_vec_tile_shapes(16, 10)", "y[:] = pypto.sum(x, -1, True)", out="[32, 1]"),
        good=_vector("pypto.set_vec_tile_shapes(16, 16)", "y[:] = pypto.sum(x, -1, True)", out="[32, 1]"),
    )
)

register(
    Rule(
        code="PTO306",
        name="move-without-tile",
        exc=ValueError,
        severity="warning",
        title=T("data are moved where no tile is set", "在未设置 tile 的情况下移动数据"),
        message=T(
            "{op} runs here without a vector tile; toolchain {profiles} refuses it (tile shape not set)",
            "{op} 在此处无需向量 tile 即可运行；工具链 {profiles} 会拒绝（tile shape not set）",
        ),
        help=T(
            "call pypto.set_vec_tile_shapes(...) at the top of the kernel",
            "在 kernel 开头调用 pypto.set_vec_tile_shapes(...)",
        ),
        explanation=T(
            "Views and stores only move data; the newer toolchain takes the tile of the operations around them, the "
            "older one asks for a tile in force.",
            "view 与存储只移动数据；较新的工具链采用周围操作的 tile，较旧的则要求有生效的 tile。",
        ),
        phrases=("tile shape not set",),
        aliases=("F21004",),
        profiles=("0.2",),
        bad=_vector("y[0:16, :] = x[16:32, :]"),
        good=_vector("pypto.set_vec_tile_shapes(16, 32)", "y[0:16, :] = x[16:32, :]"),
    )
)

register(
    Rule(
        code="PTO307",
        name="tile-needs-larger-chip",
        severity="warning",
        title=T("tile fits some chips only", "该 tile 只适合部分芯片"),
        message=T(
            "{op} needs {need} bytes of {memory}; of the known chips only {chips} has that much",
            "{op} 需要 {need} 字节的 {memory}；已知芯片中只有 {chips} 足够",
        ),
        help=T(
            "shrink the tile, or say which chip is meant: openpto.configure(platform=...)",
            "缩小 tile，或指明目标芯片：openpto.configure(platform=...)",
        ),
        explanation=T(
            "Without a chosen platform a kernel has to suit one of the chips. The 950 has more UB and L0C than the "
            "910B and 910C.",
            "未指定平台时，kernel 只需适合其中一种芯片。950 的 UB 和 L0C 比 910B 和 910C 大。",
        ),
        bad=_vector("pypto.set_vec_tile_shapes(56, 1024)", "y[:] = x + 1.0", shape="[56, 1024]"),
        good=_vector("pypto.set_vec_tile_shapes(48, 1024)", "y[:] = x + 1.0", shape="[56, 1024]"),
    )
)

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
            "([128, 128], [64, 256], [128, 128])",
            "在此行之前调用 pypto.set_cube_tile_shapes([mL0, mL1], [kL0, kL1], [nL0, nL1])，"
            "例如 ([128, 128], [64, 256], [128, 128])",
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
        bad=_cube("pypto.set_vec_tile_shapes(16, 16)", _MATMUL),
        good=_cube("pypto.set_cube_tile_shapes([32, 32], [32, 32], [32, 32])", _MATMUL),
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
            "{outer_name} && {outer_name} % {inner_name} == 0（{op}）",
        ),
        help=T(
            "make {outer_name} a multiple of {inner_name}, for example {inner}",
            "使 {outer_name} 为 {inner_name} 的整数倍，例如 {inner}",
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
        aliases=("FC4000", "F0000C"),
        bad=_cube("pypto.set_cube_tile_shapes([32, 16], [32, 32], [32, 32])", _MATMUL),
        good=_cube("pypto.set_cube_tile_shapes([16, 32], [32, 32], [32, 32])", _MATMUL),
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
            "kL0({kL0}) and nL0({nL0}) must be aligned to 16 elements（{op}）",
        ),
        help=T(
            "round kL0 and nL0 up to multiples of 16",
            "将 kL0 和 nL0 向上取整为 16 的倍数",
        ),
        explanation=T(
            "The cube multiplies fractals of 16 by 16 elements. mL0 needs no alignment as long as A is not "
            "transposed; rows are padded there. Shapes themselves need not be multiples.",
            "cube 以 16 x 16 的分形为单位相乘。只要 A 未转置，mL0 无需对齐，行会自动补齐。张量形状本身不必是倍数。",
        ),
        phrases=("kL0({kL0}) and nL0({nL0}) must be aligned to 16 elements",),
        aliases=("FC4001", "F0000C"),
        bad=_cube("pypto.set_cube_tile_shapes([32, 32], [8, 8], [16, 16])", _MATMUL),
        good=_cube("pypto.set_cube_tile_shapes([32, 32], [16, 16], [16, 16])", _MATMUL),
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
            "{name} * sizeof(dtype) = {bytes} bytes, must be 32-byte aligned（{op}）",
        ),
        help=T("round {name} up until its bytes are a multiple of 32", "将 {name} 向上取整，使其字节数为 32 的倍数"),
        explanation=T(
            "Tiles are copied in blocks of 32 bytes. With elements of one byte 16 elements are not enough; with a "
            "transposed A the rule also holds for mL0.",
            "tile 以 32 字节块复制。元素为一个字节时，16 个元素不够；A 转置时，该规则也适用于 mL0。",
        ),
        phrases=("{name} * sizeof(dtype) = {bytes} bytes, must be 32-byte aligned",),
        aliases=("FC4001", "F0000C"),
        bad=_cube(
            "pypto.set_cube_tile_shapes([7, 7], [32, 32], [32, 32])",
            "c[:] = pypto.matmul(a, b, pypto.DT_FP32, a_trans=True)",
        ),
        good=_cube(
            "pypto.set_cube_tile_shapes([8, 8], [32, 32], [32, 32])",
            "c[:] = pypto.matmul(a, b, pypto.DT_FP32, a_trans=True)",
        ),
    )
)

register(
    Rule(
        code="PTO324",
        name="cube-tile-exceeds-memory",
        exc=ValueError,
        title=T("cube tile exceeds a cube memory", "cube tile 超出 cube 存储"),
        message=T(
            "{memory} size exceeded: the cube tile {tile} of {op} needs {need} bytes there, and there are {have}",
            "{memory} size exceeded：{op} 的 cube tile {tile} 在此需要 {need} 字节，而只有 {have} 字节",
        ),
        help=T(
            "shrink the cube tile: L0A holds mL0*kL0 and L0B kL0*nL0 elements, L0C mL0*nL0*4 bytes, L1 one piece of "
            "mL0*kL1 or kL1*nL0",
            "缩小 cube tile：L0A 存放 mL0*kL0 个元素，L0B 存放 kL0*nL0 个元素，L0C 为 mL0*nL0*4 字节，"
            "L1 存放一块 mL0*kL1 或 kL1*nL0",
        ),
        explanation=T(
            "L0A and L0B have 64 KiB each, L0C 128 KiB (950: 256 KiB), L1 512 KiB. Extents are rounded up to 16 "
            "elements (32 for types of one byte) before they are counted. The rule is not an artefact of simulation.",
            "L0A 与 L0B 各 64 KiB，L0C 128 KiB（950 为 256 KiB），L1 512 KiB。计算前各维向上取整到 16 个元素"
            "（单字节类型为 32）。该规则不是仿真造成的。",
        ),
        phrases=("{memory} size exceeded", "Run pass failed"),
        aliases=("F40005", "FFFFFF"),
        bad=_cube("pypto.set_cube_tile_shapes([512, 512], [512, 512], [512, 512])", _MATMUL),
        good=_cube("pypto.set_cube_tile_shapes([128, 128], [64, 256], [128, 128])", _MATMUL),
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
            "give both the same kL1, or a multiple: k = [kL0, kL1]",
            "使两者的 kL1 相同或成倍数：k = [kL0, kL1]",
        ),
        explanation=T(
            "A and B walk along K in pieces of their own length. Where one piece ends the other has to end as well "
            "from time to time, else a step of K would need halves of two pieces.",
            "A 和 B 各按自己的长度沿 K 前进。一方的块结束处必须与另一方对齐，否则某一步会需要两个块的各一半。",
        ),
        phrases=("Invalid tileKL1 configuration",),
        aliases=("FC4000", "F0000C"),
        bad=_cube("pypto.set_cube_tile_shapes([32, 32], [16, 48, 32], [32, 32])", _MATMUL, a="[32, 96]", b="[96, 32]"),
        good=_cube("pypto.set_cube_tile_shapes([32, 32], [16, 64, 32], [32, 32])", _MATMUL, a="[32, 96]", b="[96, 32]"),
    )
)

register(
    Rule(
        code="PTO326",
        name="cube-tile-l1-sum",
        severity="warning",
        title=T("cube tile exceeds the documented sum for L1", "cube tile 超出文档给出的 L1 总和"),
        message=T(
            "the L1 tiles of {op} add up to {need} bytes, L1 has {have}; compilers accept it and move data to and fro",
            "{op} 的 L1 tile 合计 {need} 字节，而 L1 有 {have} 字节；编译器会接受，但会来回搬运数据",
        ),
        help=T("reduce mL1, nL1 or kL1", "减小 mL1、nL1 或 kL1"),
        explanation=T(
            "The documentation asks that mL1*kL1 elements of A and kL1*nL1 of B fit into L1 together. Compilers check "
            "single copies only and spill what does not fit, which costs time and changes no result.",
            "文档要求 A 的 mL1*kL1 个元素与 B 的 kL1*nL1 个元素能同时放入 L1。编译器只检查单次复制，放不下的部分会溢出，"
            "这只影响时间，不影响结果。",
        ),
        bad=_cube("pypto.set_cube_tile_shapes([64, 512], [64, 512], [64, 512])", _MATMUL, a="[32, 512]", b="[512, 32]"),
        good=_cube("pypto.set_cube_tile_shapes([64, 64], [64, 512], [64, 64])", _MATMUL, a="[32, 512]", b="[512, 32]"),
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
        untestable="matmul outputs of other types are not available yet; tests/checks/test_tiles.py builds one by hand",
    )
)
