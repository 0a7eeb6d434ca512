"""PTO431-434 and PTO450-463: windows, stores, extents and loops whose run-time sizes have no meaning together."""

from __future__ import annotations

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register
from openpto.diagnostics.rules.runtime import example, fault_rule

_LOOP = """    for i in pypto.loop(4):
        out[i * 8:i * 8 + 8, :] = pypto.view(x, [8, 16], [i * 8, 0]) * 2.0
"""


def _warning(
    code: str, name: str, title: T, message: T, help: T, explanation: T, bad: str, good: str,
    profiles: tuple[str, ...] = (),
) -> None:  # fmt: skip
    register(
        Rule(
            code=code, name=name, exc=ValueError, severity="warning", title=title, message=message, help=help,
            explanation=explanation, profiles=profiles, bad=bad, good=good,
        )
    )  # fmt: skip


# Warnings

_warning(
    "PTO431",
    "undefined-element-computed-with",
    T("computing with undefined elements", "使用未定义的元素进行计算"),
    T(
        "an operand of {op} has elements that were never given a value; they count as zero here, and what depends on "
        "them must not reach an output",
        "{op} 的某个操作数含有从未赋值的元素；此处按零处理，依赖于它们的结果不得到达输出",
    ),
    T("fill the tensor first, or compute on the written part only", "请先填充该张量，或只对已写入的部分计算"),
    T(
        "On a device such elements hold whatever was in memory. Kernels that compute on padding and drop it later are "
        "fine; the elements are tracked, and the run stops if one reaches an output.",
        "在设备上，这些元素是内存中原有的任意内容。先在填充部分计算、之后丢弃的 kernel 没有问题；"
        "这些元素会被跟踪，一旦到达输出就停止运行。",
    ),
    example(
        """    t = pypto.tensor([8, 16], F, "t")
    t[0:4, :] = pypto.view(x, [4, 16], [0, 0])
    doubled = t * 2.0
    out[0:4, :] = doubled[0:4, :]
"""
    ),
    example(
        """    t = pypto.full([8, 16], 0.0, F)
    t[0:4, :] = pypto.view(x, [4, 16], [0, 0])
    doubled = t * 2.0
    out[0:4, :] = doubled[0:4, :]
"""
    ),
)

_warning(
    "PTO432",
    "valid-extents-differ-at-run-time",
    T("operands have different valid extents", "操作数的有效长度不同"),
    T(
        "the operands of {op} have the valid extents {extents} on this run; {used} is computed, a device ({profiles}) "
        "takes those of the first operand",
        "本次运行中 {op} 的操作数有效长度为 {extents}；此处计算 {used}，而设备（{profiles}）取第一个操作数的有效长度",
    ),
    T("give both operands the same valid_shape", "请让各操作数的 valid_shape 相同"),
    T(
        "Outside of its valid region a tile holds arbitrary data. The result is valid where all operands are; a device "
        "computes the first operand's region and mixes in that data.",
        "tile 有效区域之外的数据是任意的。结果只在所有操作数都有效处有效；设备则按第一个操作数的区域计算，会混入这些数据。",
    ),
    example(
        """    a = pypto.view(x, [8, 16], [0, 0], valid_shape=[n[0], 16])
    b = pypto.view(x, [8, 16], [8, 0], valid_shape=[n[1], 16])
    out[0:8, :] = a + b
""",
        lengths="4, 6",
    ),
    example(
        """    a = pypto.view(x, [8, 16], [0, 0], valid_shape=[n[0], 16])
    b = pypto.view(x, [8, 16], [8, 0], valid_shape=[n[0], 16])
    out[0:8, :] = a + b
""",
        lengths="4, 6",
    ),
    profiles=("0.2", "0.3"),
)

_MATMUL = """    pypto.set_cube_tile_shapes([16, 16], [16, 16], [16, 16])
    a = pypto.view(x, [16, 16], [0, 0], valid_shape=[16, n[0]])
    b = pypto.view(x, [16, 16], [16, 0], valid_shape=[n[{which}], 16])
    out[0:16, :] = pypto.matmul(a, b, F)
"""

_warning(
    "PTO433",
    "matmul-k-extents-differ-at-run-time",
    T("matmul operands have different valid K extents", "matmul 操作数的有效 K 长度不同"),
    T(
        "the valid K extents are {a} and {b} on this run; the first {used} count",
        "本次运行中有效的 K 长度为 {a} 和 {b}；只计算前 {used} 个",
    ),
    T("give both operands the same valid K extent", "请让两个操作数的有效 K 长度相同"),
    T(
        "A product needs as many columns of the left operand as rows of the right one. A toolchain that knows the "
        "extents refuses; one that does not computes with what lies behind the shorter operand.",
        "乘积要求左操作数的列数等于右操作数的行数。若工具链知道长度不同会拒绝；否则会用较短操作数之后的任意数据参与计算。",
    ),
    example(_MATMUL.format(which=1)),
    example(_MATMUL.format(which=0)),
    profiles=("0.2", "0.3"),
)

_warning(
    "PTO434",
    "reshape-makes-all-valid",
    T("reshape of a cut tile makes the whole shape valid", "对被裁剪的 tile 做 reshape 使整个形状有效"),
    T(
        "the valid extents {have} of {old} have no counterpart in {new}: the whole shape counts as valid, and what was "
        "not valid before is undefined",
        "{old} 的有效长度 {have} 在 {new} 中没有对应：整个形状视为有效，之前无效的部分为未定义",
    ),
    T("give reshape a valid_shape", "请给 reshape 传入 valid_shape"),
    T(
        "Toolchains take the whole new shape as valid and go on with arbitrary data in the part that was cut away. Here "
        "that part is tracked as undefined and must not reach an output.",
        "工具链把整个新形状都当作有效，并以任意数据参与后续计算。此处这部分被跟踪为未定义，不得到达输出。",
    ),
    example(
        """    a = pypto.view(x, [8, 16], [0, 0], valid_shape=[8, n[0]])
    flat = pypto.reshape(a, [4, 32])
    out[0:4, 0:4] = flat[0:4, 0:4]
"""
    ),
    example(
        """    a = pypto.view(x, [8, 16], [0, 0], valid_shape=[8, n[0]])
    flat = pypto.reshape(a, [4, 32], valid_shape=[4, 8])
    out[0:4, 0:4] = flat[0:4, 0:4]
"""
    ),
    profiles=("0.2", "0.3"),
)

# Windows and stores

fault_rule(
    "PTO450",
    "view-negative-offset",
    IndexError,
    T("window begins before the tensor", "窗口起点在张量之前"),
    T(
        "the offsets of the window are {offsets}: axis {axis} begins at {offset}",
        "窗口的偏移为 {offsets}：第 {axis} 轴从 {offset} 开始",
    ),
    T("offsets count from the beginning and must not be negative", "偏移从起点计算，不得为负"),
    T(
        "A window whose run-time offset is negative would read memory in front of the tensor. Run-time offsets do not "
        "count from the end.",
        "运行时偏移为负的窗口会读到张量之前的内存。运行时偏移不支持从末尾倒数。",
    ),
    example("    out[0:8, :] = pypto.view(x, [8, 16], [n[0] - 8, 0]) * 2.0\n"),
    example("    out[0:8, :] = pypto.view(x, [8, 16], [n[1] - 8, 0]) * 2.0\n"),
)

fault_rule(
    "PTO451",
    "valid-shape-past-source",
    ValueError,
    T("valid_shape reaches past the valid region of the source", "valid_shape 超出了源的有效区域"),
    T(
        "axis {axis}: valid_shape asks for {want} elements at offset {offset}, and {rest} of the {have} valid elements "
        "are left there",
        "第 {axis} 轴：valid_shape 要求从偏移 {offset} 起的 {want} 个元素，而 {have} 个有效元素中只剩 {rest} 个",
    ),
    T(
        "leave valid_shape out, and the window is cut by itself; or limit its entry {axis}, for example (n - i).min({want})",
        "省略 valid_shape，窗口会自动裁剪；或限制其第 {axis} 项，例如 (n - i).min({want})",
    ),
    T(
        "An explicit valid_shape is a promise that these elements exist. Beyond the valid region of the source there is "
        "nothing to read.",
        "显式给出的 valid_shape 表示这些元素确实存在。源的有效区域之外没有可读的内容。",
    ),
    example("    out[0:8, :] = pypto.view(x, [8, 16], [28, 0], valid_shape=[n[1] - 4, 16]) * 2.0\n"),
    example("    out[0:4, :] = pypto.view(x, [4, 16], [28, 0], valid_shape=[n[0], 16]) * 2.0\n"),
    phrases=("View operation failed: newValidShapes",),
)

fault_rule(
    "PTO452",
    "store-past-end",
    IndexError,
    T("store outside of the destination", "写入超出目标范围"),
    T(
        "axis {axis}: elements {low} to {high} are written (valid extents {extents}), and the destination has {capacity}",
        "第 {axis} 轴：写入元素 {low} 到 {high}（有效长度 {extents}），而目标只有 {capacity} 个",
    ),
    T(
        "cut the tile that is stored: a view whose valid_shape has ({capacity} - offset).min({size}) as its entry {axis}",
        "请裁剪要写入的 tile：使用 valid_shape 第 {axis} 项为 ({capacity} - offset).min({size}) 的 view",
    ),
    T(
        "The valid region of a tile does not fit at these offsets. A device writes over whatever lies behind the "
        "destination.",
        "tile 的有效区域在这些偏移处放不下。设备会覆盖目标之后的内存。",
    ),
    example("    pypto.assemble(pypto.view(x, [8, 16], [0, 0]) * 2.0, [n[0] + 24, 0], out)\n"),
    example("    pypto.assemble(pypto.view(x, [8, 16], [0, 0]) * 2.0, [n[0] + 20, 0], out)\n"),
)

fault_rule(
    "PTO453",
    "slice-extent-mismatch",
    ValueError,
    T("slice and stored value have different extents", "切片与写入值的长度不同"),
    T(
        "axis {axis}: the slice has {extent} elements on this run, and the value has {capacity} ({have} of them valid)",
        "第 {axis} 轴：本次运行中切片有 {extent} 个元素，而写入的值有 {capacity} 个（其中有效 {have} 个）",
    ),
    T("leave the stop out (o[a:] = v) to write the extent of v", "省略终点（o[a:] = v）即可按 v 的长度写入"),
    T(
        "The extent of a stored slice must be that of the value or its valid extent. Toolchains ignore the stop and "
        "write the value's extent, which is more or less than what stands there.",
        "写入切片的长度必须等于值的长度或其有效长度。工具链会忽略终点而按值的长度写入，与代码所写的不符。",
    ),
    example("    out[0:n[0], :] = pypto.view(x, [8, 16], [0, 0]) * 2.0\n"),
    example("    out[0:n[0], :] = pypto.view(x, [8, 16], [0, 0], valid_shape=[n[0], 16]) * 2.0\n"),
)

fault_rule(
    "PTO454",
    "index-tensor-out-of-range",
    IndexError,
    T("index tensor holds an index out of range", "索引张量中有越界的下标"),
    T(
        "element {at} of the index is {value}, and axis {axis} of {name} has {extent} elements",
        "索引的元素 {at} 为 {value}，而 {name} 的第 {axis} 轴有 {extent} 个元素",
    ),
    T("indices lie in [0, {extent}); clamp or mask them first", "下标应在 [0, {extent}) 内；请先限制或屏蔽"),
    T(
        "A gather or scatter with such an index addresses memory outside of the tensor. Negative indices do not count "
        "from the end.",
        "使用这样的下标进行 gather 或 scatter 会访问张量之外的内存。负下标不表示从末尾倒数。",
    ),
    example(
        """    at = pypto.full([8, 16], n[1] + 4, pypto.DT_INT32)
    out[0:8, :] = pypto.gather(pypto.view(x, [8, 16], [0, 0]), 1, at)
"""
    ),
    example(
        """    at = pypto.full([8, 16], n[1] + 3, pypto.DT_INT32)
    out[0:8, :] = pypto.gather(pypto.view(x, [8, 16], [0, 0]), 1, at)
"""
    ),
)

fault_rule(
    "PTO455",
    "valid-shape-out-of-range",
    ValueError,
    T("valid_shape outside of the shape", "valid_shape 超出形状范围"),
    T(
        "valid_shape is {valid} on this run, and the shape is {shape}",
        "本次运行中 valid_shape 为 {valid}，而形状为 {shape}",
    ),
    T(
        "limit each entry with pypto.min(n, extent), the extents being {shape}, and never go below 0",
        "请用 pypto.min(n, 长度) 限制各项，长度为 {shape}，且不小于 0",
    ),
    T(
        "The valid extents of a tile lie between 0 and its shape. A device with a larger extent goes on past the end of "
        "the tile.",
        "tile 的有效长度在 0 与其形状之间。长度过大时设备会越过 tile 的末尾。",
    ),
    example("    out[0:8, :] = pypto.view(x, [8, 16], [0, 0], valid_shape=[n[1], 16]) * 2.0\n"),
    example("    out[0:4, :] = pypto.view(x, [8, 16], [0, 0], valid_shape=[n[0], 16]) * 2.0\n"),
    phrases=("View operation failed: newValidShapes",),
)

_BITCAST = """    a = pypto.view(x, [8, 16], [0, 0], valid_shape=[8, n[0]])
    wide = pypto.view(a, dtype=pypto.DT_INT64)
    out[0:8, :] = pypto.view(wide, dtype=F)
"""

fault_rule(
    "PTO456",
    "bitcast-valid-extent",
    ValueError,
    T("valid extent cannot be counted in the other element type", "有效长度无法以另一元素类型表示"),
    T(
        "{have} valid elements of {old} are not a whole number of {new} elements (one takes {ratio})",
        "{have} 个有效的 {old} 元素不是整数个 {new} 元素（每个需要 {ratio} 个）",
    ),
    T("make the valid extent of the last axis a multiple of {ratio}", "请让最后一轴的有效长度为 {ratio} 的倍数"),
    T(
        "view(dtype=...) reads the same bytes as another type. A valid region that ends inside of a wider element has "
        "no counterpart.",
        "view(dtype=...) 以另一类型读取相同的字节。有效区域若终止于较宽元素的内部，则没有对应的表示。",
    ),
    example(_BITCAST, lengths="5, 12"),
    example(_BITCAST, lengths="4, 12"),
)

_CONCAT = """    a = pypto.view(x, [8, 8], [0, 0], valid_shape=[{rows}, {columns}])
    b = pypto.view(x, [8, 8], [8, 0])
    both = pypto.concat([a, b], 1)
    out[0:4, :] = both[0:4, :]
"""

fault_rule(
    "PTO457",
    "concat-cut-axis",
    ValueError,
    T("concat along an axis that is cut", "沿被裁剪的轴拼接"),
    T(
        "operand {number} has {have} of {capacity} valid elements on axis {axis} on this run",
        "本次运行中操作数 {number} 在第 {axis} 轴的 {capacity} 个元素中只有 {have} 个有效",
    ),
    T(
        "fill it up with pypto.fillpad, or assemble the parts at run-time offsets",
        "请用 pypto.fillpad 补齐，或以运行时偏移 assemble 各部分",
    ),
    T(
        "The parts of a concatenation follow each other at fixed places. If one of them ends earlier there is a hole in "
        "the result, which a device fills with arbitrary data.",
        "拼接的各部分位于固定位置。若其中一个提前结束，结果中会出现空洞，设备上其内容是任意的。",
    ),
    example(_CONCAT.format(rows=8, columns="n[0]")),
    example(_CONCAT.format(rows=8, columns="n[0] + 4")),
)

fault_rule(
    "PTO458",
    "concat-extents-differ",
    ValueError,
    T("concat of tiles with different valid extents", "拼接的 tile 有效长度不同"),
    T(
        "operand {number} has the valid extents {have}, the first one {first}; only axis {axis} may differ",
        "操作数 {number} 的有效长度为 {have}，第一个为 {first}；只有第 {axis} 轴可以不同",
    ),
    T("give all operands the same valid_shape on the other axes", "请让所有操作数在其他轴上的 valid_shape 相同"),
    T(
        "The valid region of a result is a box. Parts of different extent on the other axes do not form one.",
        "结果的有效区域是一个矩形块。其他轴上长度不同的部分无法构成矩形块。",
    ),
    example(_CONCAT.format(rows="n[0]", columns=8)),
    example(_CONCAT.format(rows="n[0] + 4", columns=8)),
)

# Sizes

fault_rule(
    "PTO459",
    "negative-extent",
    ValueError,
    T("tensor with a negative extent", "张量的长度为负"),
    T("the shape is {shape} on this run", "本次运行中形状为 {shape}"),
    T("limit the extent: pypto.max(n, 0)", "请限制长度：pypto.max(n, 0)"),
    T(
        "The extent of a local tensor is a run-time value, and it is negative on this run.",
        "局部张量的长度是运行时的值，在本次运行中为负。",
    ),
    example(
        """    t = pypto.tensor([x.shape[0] - 40, 16], F, "t")
    t[0:8, :] = pypto.view(x, [8, 16], [0, 0]) * 2.0
    out[0:8, :] = pypto.view(t, [8, 16], [0, 0]) * 1.0
"""
    ),
    example(
        """    t = pypto.tensor([x.shape[0] - 4, 16], F, "t")
    t[0:8, :] = pypto.view(x, [8, 16], [0, 0]) * 2.0
    out[0:8, :] = pypto.view(t, [8, 16], [0, 0]) * 1.0
"""
    ),
)

fault_rule(
    "PTO460",
    "run-time-step-zero",
    ValueError,
    T("loop with step 0", "循环步长为 0"),
    T("the step of {name} is 0 on this run", "本次运行中 {name} 的步长为 0"),
    T("use a step that is never 0, for example pypto.max(k, 1)", "请使用不为 0 的步长，例如 pypto.max(k, 1)"),
    T("A loop whose step is zero never ends.", "步长为零的循环永远不会结束。"),
    example(_LOOP.replace("pypto.loop(4)", "pypto.loop(0, 4, n[0] - 4)")),
    example(_LOOP.replace("pypto.loop(4)", "pypto.loop(0, 4, n[0] - 3)")),
)

fault_rule(
    "PTO461",
    "parallel-race",
    RuntimeError,
    T("iterations of a parallel loop depend on each other", "并行循环的各次迭代相互依赖"),
    T(
        "{index} = {writer} of {loop} writes {box} of {name}, and {index} = {other} {action} it",
        "{loop} 的 {index} = {writer} 写入 {name} 的 {box}，而 {index} = {other} 也访问它（{action}）",
    ),
    T(
        "let every iteration write a part of its own, or leave parallel=True out",
        "请让每次迭代只写自己的部分，或去掉 parallel=True",
    ),
    T(
        "parallel=True states that the iterations can run at the same time. If one writes what another reads or writes, "
        "the result on a device depends on which comes first.",
        "parallel=True 声明各次迭代可以同时执行。若一次迭代写入另一次读取或写入的内容，设备上的结果取决于先后次序。",
    ),
    example(
        _LOOP.replace("pypto.loop(4)", "pypto.loop(4, parallel=True)").replace(
            "out[i * 8:i * 8 + 8, :]", "out[i * n[0]:i * n[0] + 8, :]"
        )
    ),
    example(_LOOP.replace("pypto.loop(4)", "pypto.loop(4, parallel=True)")),
)

_LOCAL = """    t = pypto.tensor([{rows}, 16], F, "t")
    for i in pypto.loop(({rows}) // 8):
        t[i * 8:i * 8 + 8, :] = pypto.view(x, [8, 16], [i * 8, 0]) * 2.0
    out[:] = t
"""

fault_rule(
    "PTO462",
    "run-time-shapes-do-not-fit",
    ValueError,
    T("shapes do not fit together at run time", "运行时的形状不匹配"),
    T("{op}: {shapes} on this run, expected {want}", "{op}：本次运行中为 {shapes}，应为 {want}"),
    T("make the run-time extents of the operands equal", "请让各操作数的运行时长度一致"),
    T(
        "Symbolic extents are compared when their values are known. On this run the operands do not match.",
        "符号长度在取得数值后才能比较。本次运行中各操作数不匹配。",
    ),
    example(_LOCAL.format(rows="x.shape[0] - 8")),
    example(_LOCAL.format(rows="x.shape[0]")),
)

fault_rule(
    "PTO463",
    "reshape-element-count",
    ValueError,
    T("reshape changes the number of elements", "reshape 改变了元素个数"),
    T(
        "{have} has {count} elements on this run, {want} another number",
        "本次运行中 {have} 有 {count} 个元素，而 {want} 的个数不同",
    ),
    T("make both shapes hold the same number of elements", "请让两个形状的元素个数相同"),
    T("Reshape only counts the same elements differently.", "reshape 只是以不同方式排列相同的元素。"),
    example(
        """    t = pypto.tensor([x.shape[0], 16], F, "t")
    t[0:32, :] = pypto.view(x, [32, 16], [0, 0]) * 2.0
    flat = pypto.reshape(t, [x.shape[0] * n[0], 16], inplace=True)
    out[0:8, :] = pypto.view(flat, [8, 16], [0, 0]) * 1.0
"""
    ),
    example(
        """    t = pypto.tensor([x.shape[0], 16], F, "t")
    t[0:32, :] = pypto.view(x, [32, 16], [0, 0]) * 2.0
    flat = pypto.reshape(t, [x.shape[0] * n[0], 4], inplace=True)
    out[0:8, 0:4] = pypto.view(flat, [8, 4], [0, 0]) * 1.0
"""
    ),
    phrases=("Shape size not match",),
    aliases=("F76007",),
)
