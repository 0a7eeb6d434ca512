"""PTO236-256, PTO261: windows, keys, stores, assemble, move, reshape and accesses to one element."""

from __future__ import annotations

from openpto.diagnostics.rules.tensor_examples import OUT, program, tensor_rule, with_ints

tensor_rule(
    "PTO236",
    "view-ranks-differ",
    ValueError,
    title=("shape, offsets and tensor have different ranks", "shape、offsets 与张量的维数不同"),
    message=(
        "{op}: {what} has {a} entries, {what_b} {b}; Their size actually are {a} and {b}",
        "{op}：{what} 有 {a} 项，{what_b} 有 {b} 项；Their size actually are {a} and {b}",
    ),
    help=(
        "give one entry per axis of the tensor: pad with 1, then pypto.reshape the result",
        "请为张量的每个轴给出一项：用 1 补齐，再对结果使用 pypto.reshape",
    ),
    why=(
        "A window has one extent, one offset and one valid extent per axis of its tensor; it never drops axes itself.",
        "窗口的每个轴各有一个长度、一个偏移和一个有效长度；它本身不会去掉轴。",
    ),
    phrases=("Their size actually are {a} and {b}",),
    aliases=("F21003", "F21004", "FC0000", "OL52"),
    bad=program("out[:] = x + pypto.view(x, [16], [0])"),
    good=program("out[:] = x + pypto.view(x, [1, 16], [0, 0])"),
)
tensor_rule(
    "PTO237",
    "valid-shape-not-possible",
    ValueError,
    title=("valid_shape is not possible", "valid_shape 无效"),
    message=("{op} with valid_shape {valid}: {why}", "{op} 的 valid_shape 为 {valid}：{why}"),
    help=(
        "a valid extent lies between 0 and the extent of the window; symbols are allowed",
        "有效长度在 0 与窗口长度之间；可以使用符号",
    ),
    why=(
        "valid_shape marks the meaningful part of a tile, so it cannot reach beyond the tile.",
        "valid_shape 标记 tile 中有意义的部分，因此不能超出 tile。",
    ),
    phrases=("{why}",),
    aliases=("F00002", "F21003"),
    words=(
        "View operation failed: newValidShapes",
        "Not supported: validShape contains -1",
    ),
    bad=program("out[:] = x + pypto.view(x, [8, 16], [0, 0], valid_shape=[9, 16])"),
    good=program("out[:] = x + pypto.view(x, [8, 16], [0, 0], valid_shape=[8, 16])"),
)
tensor_rule(
    "PTO238",
    "key-type",
    TypeError,
    title=("a tensor cannot be indexed with this", "不能用它索引张量"),
    message=(
        "Invalid key type: {got}; tuple key must be int, SymbolicScalar or slice",
        "Invalid key type：键的类型是 {got}；tuple key must be int, SymbolicScalar or slice",
    ),
    help=(
        "use ints, symbols, slices and ...; gather along an axis with t[dim:index] or pypto.gather",
        "请使用整数、符号、切片和 ...；沿轴取元素可用 t[dim:index] 或 pypto.gather",
    ),
    why=(
        "A key describes a window by numbers. Masks, lists and index tensors describe no window.",
        "键用数字描述一个窗口。掩码、列表和索引张量不能描述窗口。",
    ),
    phrases=("Invalid key type", "tuple key must be int, SymbolicScalar or slice"),
    aliases=("F00001",),
    bad=program("out[:] = x + x[None, 0:16]"),
    good=program("out[:] = x + x[0:1, 0:16]"),
)
tensor_rule(
    "PTO239",
    "several-ellipses",
    ValueError,
    title=("more than one ... in a key", "键中有多个 ..."),
    message=(
        "Only one ... is supported in a key of a {rank}-D tensor, got {count}",
        "键有误：Only one ... is supported，{rank} 维张量的键中有 {count} 个",
    ),
    help=("write : for the axes that one ... does not stand for", "请对其余的轴写 :"),
    why=("With two of them it is not known which axes each stands for.", "有两个时无法知道各自代表哪些轴。"),
    phrases=("Only one ... is supported",),
    aliases=("F00002",),
    bad=program("out[:] = x + x[..., 0:1, ...]"),
    good=program("out[:] = x + x[..., 0:1]"),
)
tensor_rule(
    "PTO240",
    "too-many-indices",
    IndexError,
    exc_in={"0.2": AssertionError},
    title=("too many indices", "索引过多"),
    message=(
        "Too many indices for tensor with dimension {rank}: rank not match, expect {rank}, but got {count}",
        "Too many indices for tensor with dimension {rank}：张量有 {rank} 个轴，键有 {count} 项（rank not match, expect {rank}, but got {count}）",
    ),
    help=("give at most one entry per axis", "每个轴最多给出一项"),
    why=("The key has more entries than the tensor has axes.", "键的项数多于张量的轴数。"),
    phrases=(
        "Too many indices for tensor with dimension {rank}",
        "rank not match, expect {rank}, but got {count}",
    ),
    aliases=("F00008",),
    bad=with_ints("n = i[0, 0, 0]", "out[0:8, :] = x + pypto.full([8, 16], n, F)"),
    good=with_ints("n = i[0, 0]", "out[0:8, :] = x + pypto.full([8, 16], n, F)"),
)
tensor_rule(
    "PTO241",
    "slice-step",
    ValueError,
    title=("slice has a step", "切片带有步长"),
    message=("step must be 1 or None, got {step}", "切片有误：step must be 1 or None（实际为 {step}）"),
    help=(
        "read whole rows and reshape: [2*n, k] as [n, 2, k], then the first of each pair",
        "可读取整行后重塑：[2*n, k] 变为 [n, 2, k]，再取每对的第一个",
    ),
    why=("A window is a box without gaps.", "窗口是没有间隔的方块。"),
    phrases=("step must be 1 or None",),
    aliases=("F00002",),
    bad=program("out[0:4, :] = x[0:8:2, :]"),
    good=program("out[0:4, :] = x[0:4, :]"),
)
tensor_rule(
    "PTO242",
    "index-out-of-range",
    IndexError,
    title=("index out of range", "索引超出范围"),
    message=(
        "index {index} is out of range for an axis of extent {extent}",
        "索引 {index} 超出长度为 {extent} 的轴的范围",
    ),
    help=(
        "indices count from 0; negative ones count from the end of an axis whose extent is known: t[t.shape[0] - 1]",
        "索引从 0 开始；负索引只能用于长度已知的轴，否则请写 t[t.shape[0] - 1]",
    ),
    why=(
        "The position does not exist, or it is counted from an end that is known only at run time.",
        "该位置不存在，或是从运行时才知道的末尾开始计数。",
    ),
    aliases=("F00008",),
    bad=program("out[:] = x + pypto.unsqueeze(x[8, :], 0)"),
    good=program("out[:] = x + pypto.unsqueeze(x[7, :], 0)"),
)
tensor_rule(
    "PTO243",
    "store-rank",
    ValueError,
    exc_in={"0.2": AssertionError},
    title=("value and key have different ranks", "值与键的维数不同"),
    message=(
        "The number of slice in key ({slices}) must match the length of input Tensor ({rank}).",
        "键与值不符：The number of slice in key ({slices}) must match the length of input Tensor ({rank}).",
    ),
    help=(
        "integers in the key drop axes; write a:a+1 to keep an axis, or reshape the value",
        "键中的整数会去掉轴；可写 a:a+1 保留该轴，或重塑该值",
    ),
    why=(
        "Every slice of the key takes one axis of the value.",
        "键中的每个切片对应值的一个轴。",
    ),
    phrases=("The number of slice in key ({slices}) must match the length of input Tensor ({rank}).",),
    aliases=("F00002",),
    bad=program("out[3, :] = x[0:1, :]"),
    good=program("out[3:4, :] = x[0:1, :]"),
)
tensor_rule(
    "PTO244",
    "store-extent",
    ValueError,
    title=("slice and value have different extents", "切片与值的长度不同"),
    message=(
        "the slice spans {span} elements on axis {axis}, the value has {shape} ({valid} valid)",
        "切片在轴 {axis} 上跨 {span} 个元素，而值有 {shape} 个（有效 {valid} 个）",
    ),
    help=(
        "make them equal, or leave the stop out: o[a:] = v takes the extent from v",
        "请使两者相等，或省略终点：o[a:] = v 的长度取自 v",
    ),
    why=(
        "Toolchains ignore the stop and write as much as the value has, which overwrites neighbours or leaves a gap.",
        "工具链会忽略终点，按值的大小写入，从而覆盖相邻数据或留下空隙。",
    ),
    bad=program("out[0:4, :] = x[0:2, :]"),
    good=program("out[0:2, :] = x[0:2, :]"),
)
tensor_rule(
    "PTO245",
    "store-without-start",
    ValueError,
    title=("slice of a store has a stop but no start", "写入的切片有终点而没有起点"),
    message=(
        "o[:{stop}] = v does not start at 0 in the toolchains, but at {stop} - {size}",
        "在工具链中 o[:{stop}] = v 不是从 0 开始，而是从 {stop} - {size} 开始",
    ),
    help=("write o[0:{stop}] = v", "请写成 o[0:{stop}] = v"),
    why=(
        (
            "Where the start is left out the offset is computed from the stop and the tensor's extent, which is negative "
            "unless the stop is the full extent."
        ),
        "省略起点时，偏移由终点与张量长度算出；除非终点就是全长，否则为负。",
    ),
    bad=program("out[:4, :] = x[0:4, :]"),
    good=program("out[0:4, :] = x[0:4, :]"),
)
tensor_rule(
    "PTO246",
    "value-is-no-tensor",
    TypeError,
    title=("value of a store is not a tensor", "写入的值不是张量"),
    message=("'{got}' type cannot be moved to Tensor", "值的类型有误：'{got}' type cannot be moved to Tensor"),
    help=(
        "assign a Tensor of the kernel; arrays have to be parameters",
        "请赋值 kernel 中的 Tensor；数组需要作为参数传入",
    ),
    why=(
        "A store copies a tensor of the kernel; numbers fill, other Python objects have no elements to copy.",
        "写入会复制 kernel 中的张量；数值用于填充，其他 Python 对象没有可复制的元素。",
    ),
    phrases=("'{got}' type cannot be moved to Tensor",),
    aliases=("F00001",),
    bad=program("out[:] = x.shape"),
    good=program("out[:] = x"),
)
tensor_rule(
    "PTO247",
    "store-dtype",
    RuntimeError,
    title=("source and destination have different dtypes", "源与目标的 dtype 不同"),
    message=(
        "the source is {source}, the destination {target}: Assemble: src and dest requires same dtype",
        "源为 {source}，目标为 {target}：Assemble: src and dest requires same dtype",
    ),
    help=("convert first: pypto.cast(t, pypto.{target})", "请先转换：pypto.cast(t, pypto.{target})"),
    why=("A store copies elements as they are; it never converts.", "写入按原样复制元素，不做转换。"),
    phrases=("Assemble: src and dest requires same dtype",),
    aliases=("FC0001",),
    bad=with_ints("out[:] = x", "pypto.assemble(i, [0, 0], out)"),
    good=with_ints("out[:] = x", "pypto.assemble(pypto.cast(i, F), [0, 0], out)"),
)
tensor_rule(
    "PTO248",
    "store-shape",
    RuntimeError,
    title=("source and destination have different ranks", "源与目标的维数不同"),
    message=(
        "Assemble: src and dest requires same shape: {source} into {target}",
        "Assemble: src and dest requires same shape：将 {source} 写入 {target}",
    ),
    help=(
        "add axes of extent 1 with pypto.unsqueeze or pypto.reshape",
        "可用 pypto.unsqueeze 或 pypto.reshape 增加长度为 1 的轴",
    ),
    why=("A block is written as a box with one offset per axis.", "块以每轴一个偏移的方块写入。"),
    phrases=("Assemble: src and dest requires same shape",),
    aliases=("FC0000", "F40003"),
    bad=program("pypto.assemble(pypto.sum(x, 0), [0, 0], out)"),
    good=program("pypto.assemble(pypto.sum(x, 0, True), [0, 0], out)"),
)
tensor_rule(
    "PTO249",
    "assemble-offsets",
    ValueError,
    title=("assemble needs one offset per axis", "assemble 需要每轴一个偏移"),
    message=(
        "{offsets} offsets for {rank} axes: Assemble: dynOffset and dest requires same shape",
        "{rank} 个轴给出了 {offsets} 个偏移：Assemble: dynOffset and dest requires same shape",
    ),
    help=(
        "write an offset for every axis, 0 where the block starts at the edge",
        "请为每个轴写出偏移，从边缘开始处写 0",
    ),
    why=(
        "Offsets say where the block begins on each axis of the destination.",
        "偏移说明块在目标的每个轴上从何处开始。",
    ),
    phrases=("Assemble: dynOffset and dest requires same shape",),
    aliases=("FC0000",),
    bad=program("pypto.assemble(x, [0], out)"),
    good=program("pypto.assemble(x, [0, 0], out)"),
)
tensor_rule(
    "PTO250",
    "store-format",
    RuntimeError,
    title=("source and destination have different layouts", "源与目标的布局不同"),
    message=(
        "{source} into {target}: Assemble: src and dest requires same format",
        "{source} 写入 {target}：Assemble: src and dest requires same format",
    ),
    help=("declare both tensors with the same format", "请以相同的 format 声明两个张量"),
    why=("A store copies memory; it does not rearrange fractals.", "写入复制内存，不重排分形。"),
    phrases=("Assemble: src and dest requires same format",),
    aliases=("F0000D",),
    bad=program(
        "pypto.assemble(x, [0, 0], out)",
        params=f"x: pypto.Tensor([8, 16], F, format=pypto.TileOpFormat.TILEOP_NZ), {OUT}",
    ),
    good=program("pypto.assemble(x, [0, 0], out)"),
)
_DYNAMIC = "x: pypto.Tensor([pypto.DYNAMIC, 16], F), out: pypto.Tensor([pypto.DYNAMIC, 16], F)"
tensor_rule(
    "PTO251",
    "dynamic-source",
    RuntimeError,
    title=("dynamic tensor is stored", "写入了动态张量"),
    message=(
        "shape of src tensor requires integer, {name} is {shape}",
        "shape of src tensor requires integer（{name} 为 {shape}）",
    ),
    help=(
        "read it through a window first: pypto.view({name}, [8, 16], [i * 8, 0])",
        "请先通过窗口读取：pypto.view({name}, [8, 16], [i * 8, 0])",
    ),
    why=(
        "The block of a store is a tile, whose shape is known when the kernel is compiled.",
        "写入的块是 tile，其形状在编译时已知。",
    ),
    phrases=("shape of src tensor requires integer",),
    aliases=("FC0000",),
    bad=program("pypto.assemble(x, [0, 0], out)", params=_DYNAMIC),
    good=program("pypto.assemble(pypto.view(x, [8, 16], [0, 0]), [0, 0], out)", params=_DYNAMIC),
)
tensor_rule(
    "PTO252",
    "move-shape",
    RuntimeError,
    title=("value does not fit the parameter", "值与参数的形状不符"),
    message=(
        "a tensor {source} was moved into the parameter {target}: another number of elements, or only part is valid",
        "将 {source} 的张量移入参数 {target}：元素个数不同，或只有部分有效",
    ),
    help=("store it at its place: o[a:b, :] = v", "请写入到对应位置：o[a:b, :] = v"),
    why=(
        (
            "`o[:] = x` on a parameter replaces its whole contents. Toolchains do not compare the shapes and leave "
            "memory unwritten, or write beyond it."
        ),
        "对参数使用 `o[:] = x` 会替换其全部内容。工具链不比较形状，会留下未写的内存或写出界。",
    ),
    bad=program("out[:] = x[0:4, :] * 2.0"),
    good=program("out[0:4, :] = x[0:4, :] * 2.0"),
)
tensor_rule(
    "PTO253",
    "reshape-count",
    RuntimeError,
    title=("reshape changes the number of elements", "reshape 改变了元素个数"),
    message=(
        "{op} of {shape} ({count}) to {target}: Shape size not match",
        "{op} 将 {shape}（{count}）变为 {target}：Shape size not match",
    ),
    help=("the products of the extents must be equal", "各长度之积必须相等"),
    why=("A reshape keeps every element and their row-major order.", "reshape 保留每个元素及其行优先顺序。"),
    phrases=("Shape size not match",),
    aliases=("FC0000", "F40003"),
    bad=program("out[:] = x + pypto.reshape(x, [16, 16])"),
    good=program("out[:] = x + pypto.reshape(pypto.reshape(x, [16, 8]), [8, 16])"),
)
tensor_rule(
    "PTO254",
    "reshape-infer",
    ValueError,
    title=("more than one extent to infer", "有多个待推断的长度"),
    message=(
        "Only one dim can be inferred, and only if all others are ints: {source} as {shape}",
        "Only one dim can be inferred，且其余必须为整数：{source} 变为 {shape}",
    ),
    help=(
        "write all extents but one; of a tensor with run-time extents all, with inplace=True, or take a window of it first",
        "请写出除一个以外的所有长度；若张量含运行时长度，请全部写出并使用 inplace=True，或先取窗口",
    ),
    why=(
        "One -1 is computed from the number of elements; two have no unique answer.",
        "一个 -1 可由元素个数算出；两个则没有唯一解。",
    ),
    phrases=("Only one dim can be inferred",),
    aliases=("FC0000",),
    bad=program("out[:] = x + pypto.reshape(x, [-1, -1])"),
    good=program("out[:] = x + pypto.reshape(x, [8, -1])"),
)
tensor_rule(
    "PTO255",
    "reshape-symbol",
    TypeError,
    title=("symbolic target of a reshape", "reshape 的目标含符号"),
    message=(
        "{expr} in the target: reshape() requires integer shape when using non-inplace reshape",
        "目标中含有 {expr}：reshape() requires integer shape when using non-inplace reshape",
    ),
    help=(
        "use inplace=True, which names the same memory under another shape",
        "请使用 inplace=True，它以另一形状指代同一内存",
    ),
    why=(
        "A reshape that makes a new tensor needs its shape when the kernel is compiled; an in-place one only renames.",
        "产生新张量的 reshape 在编译时需要知道形状；就地 reshape 只是改名。",
    ),
    phrases=("reshape() requires integer shape when using non-inplace reshape",),
    aliases=("F00001",),
    bad=program(
        "t = pypto.reshape(x, [x.shape[0] * 2, 8])",
        "out[0:1, 0:8] = pypto.view(t, [1, 8], [0, 0])",
        params=_DYNAMIC,
    ),
    good=program(
        "t = pypto.reshape(x, [x.shape[0] * 2, 8], inplace=True)",
        "for _ in pypto.loop(1):",
        "    out[0:1, 0:8] = pypto.view(t, [1, 8], [0, 0])",
        params=_DYNAMIC,
    ),
)
tensor_rule(
    "PTO256",
    "scalar-access-dtype",
    TypeError,
    exc_in={"0.2": AssertionError},
    title=("element of a tensor that holds no integers", "读取非整型张量的元素"),
    message=(
        "{access} is an element of {dtype}; as a scalar it is an integer: tensor dtype must be DT_INT32.",
        "{access} 是 {dtype} 的元素；作为标量它是整数：tensor dtype must be DT_INT32.",
    ),
    help=("use a window of one element: t[a:a+1, b:b+1]", "请使用一个元素的窗口：t[a:a+1, b:b+1]"),
    why=(
        (
            "A key of integers alone reads or writes a run-time integer, for bounds and offsets. Floats are computed with "
            "as tensors."
        ),
        "只含整数的键读写一个运行时整数，用于边界和偏移。浮点数以张量形式计算。",
    ),
    phrases=("tensor dtype must be DT_INT32.",),
    aliases=("F00001",),
    bad=program("n = x[0, 0]", "out[:] = x + pypto.full([8, 16], n, F)"),
    good=program("n = x[0:1, 0:1]", "out[:] = x + n"),
)
tensor_rule(
    "PTO261",
    "gather-key",
    TypeError,
    title=("axis of t[dim:index] is not an int", "t[dim:index] 的轴不是整数"),
    message=("{kind} key.start must be int, got {got}", "键有误：{kind} key.start must be int（实际为 {got}）"),
    help=("write the axis before the colon: t[0:index]", "请在冒号前写轴：t[0:index]"),
    why=(
        "In a key with a tensor behind the colon the number before it is the axis to gather along.",
        "冒号后是张量时，冒号前的数字是取元素的轴。",
    ),
    phrases=("{kind} key.start must be int",),
    aliases=("F00001",),
    bad=with_ints("out[:] = x[:i]"),
    good=with_ints("out[:] = x[0:i]"),
)
