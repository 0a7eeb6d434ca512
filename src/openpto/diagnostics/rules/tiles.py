"""PTO301-307, PTO310 and PTO312: vector tiles."""

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


def _vector(*lines: str, shape: str = "[32, 32]", out: str = "") -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return _VECTOR.format(shape=shape, out=out or shape, body=body)


_SUM = "y[:] = pypto.sum(x, -1, True)"

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
        aliases=("F21004", "OL04"),
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
            "give positive ints only, for example pypto.set_vec_tile_shapes({suggest})",
            "只使用正整数，例如 pypto.set_vec_tile_shapes({suggest})",
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
            "set a vector tile with {rank} values before this line, for example pypto.set_vec_tile_shapes({suggest})",
            "在此行之前设置有 {rank} 个值的向量 tile，例如 pypto.set_vec_tile_shapes({suggest})",
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
            "one tile ({tile}) of {op} needs {formula}",
            "{op} 的一个 tile ({tile}) 需要 {formula}",
        ),
        help=T(
            "the largest that fits: pypto.set_vec_tile_shapes({suggest})",
            "能放下的最大 tile：pypto.set_vec_tile_shapes({suggest})",
        ),
        explanation=T(
            "All distinct tiles an operation reads and writes are in UB at the same time, rows padded to 32 bytes; an "
            "output may take the place of an input of the same size that nobody else needs. There is no second set "
            "for double buffering in this count. `pypto tiles` suggests tiles and shows what they take.",
            "一个操作读写的所有不同 tile 同时位于 UB 中，每行补齐到 32 字节；若某输入大小相同且不再被使用，输出可占用其位置。"
            "此计算不包含双缓冲的第二份空间。`pypto tiles` 可推荐 tile 并显示其占用。",
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
            "the last axis of the tile of {op} has {formula}: tileShape of last axis need to 32Byte align",
            "{op} 的 tile 最后一维有 {formula}：tileShape of last axis need to 32Byte align",
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
        bad=_vector("pypto.set_vec_tile_shapes(16, 10)", _SUM, out="[32, 1]"),
        good=_vector("pypto.set_vec_tile_shapes(16, 16)", _SUM, out="[32, 1]"),
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
            "{op} needs {formula}; of the known chips only {chips} has that much",
            "{op} 需要 {formula}；已知芯片中只有 {chips} 足够",
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

register(
    Rule(
        code="PTO310",
        name="documented-tile-limit",
        severity="warning",
        title=T("tile exceeds a limit of the documentation", "tile 超出文档给出的限制"),
        message=T(
            "the tile ({tile}) of {op} is accepted, but the documentation asks for less: {formula}",
            "{op} 的 tile ({tile}) 可以接受，但文档要求更小：{formula}",
        ),
        help=T(
            "take a smaller tile to be safe with every version; the result does not depend on it",
            "若要适用于所有版本，请使用更小的 tile；结果与 tile 无关",
        ),
        explanation=T(
            "For a few operations the documentation reserves more memory than a compiler does: 64 KiB for the tile of a "
            "reduction, scratch tiles of atan, atan2, erf, tanh and of casts that wrap around. Tiles between the two "
            "sizes were seen to compile. For the rows that topk sorts and for the scales of products in FP4 nobody has "
            "measured which of two figures holds. All of them are accepted here.",
            "对少数操作，文档预留的内存多于编译器实际使用的：归约的 tile 为 64 KiB，以及 atan、atan2、erf、tanh 和回绕转换的临时空间。"
            "介于两者之间的 tile 已确认可以编译。topk 排序的行与 FP4 乘积的缩放因子以哪个数值为准尚无实测。这些 tile 在这里都予以接受。",
        ),
        aliases=("FC1000",),
        bad=_vector("pypto.set_vec_tile_shapes(72, 256)", _SUM, shape="[72, 256]", out="[72, 1]"),
        good=_vector("pypto.set_vec_tile_shapes(64, 256)", _SUM, shape="[72, 256]", out="[72, 1]"),
    )
)

register(
    Rule(
        code="PTO312",
        name="surplus-tile-values",
        severity="warning",
        title=T("the last values of the vector tile are ignored", "向量 tile 的最后几个值被忽略"),
        message=T(
            "{op} works on {rank} axes, so of the tile ({tile}) it takes ({used}): {many} tiles instead of {few}",
            "{op} 处理 {rank} 个维度，因此 tile ({tile}) 只取 ({used})：得到 {many} 个 tile，而不是 {few} 个",
        ),
        help=T(
            "call pypto.set_vec_tile_shapes({suggest}) before this line",
            "在此行之前调用 pypto.set_vec_tile_shapes({suggest})",
        ),
        explanation=T(
            "Tile values pair with axes from the left. A tile that was set for a tensor with more axes keeps its leading "
            "ones, and the values that were meant for rows and columns are dropped. The result is the same, in many more "
            "steps.",
            "tile 的值从左起与各维对应。为维数更多的张量设置的 tile 会保留前面的 1，而原本用于行和列的值被丢弃。"
            "结果相同，但步骤多得多。",
        ),
        untestable="an answer of openpto.check_tiles, which tests/checks/test_check_tiles.py asks; a kernel just runs",
    )
)
