"""PTO612, PTO613 and PTO649-659: uses of tensors that have a meaning here and are refused, or mean something else, in toolchains."""

from __future__ import annotations

from openpto.diagnostics.rules.tensor_examples import INTS, MADE, OUT, X, program, tensor_rule, with_ints

BOTH = ("0.2", "0.3")

tensor_rule(
    "PTO649",
    "scalar-out-of-range",
    OverflowError,
    severity="warning",
    title=("number does not fit the integer type", "数值超出整数类型的范围"),
    message=(
        "{op} takes {value} beside {dtype}, which cannot hold it: it counts as {taken} here, toolchains {profiles} refuse it",
        "{op} 的数值 {value} 超出 {dtype} 的范围：此处按 {taken} 计算，工具链 {profiles} 会拒绝",
    ),
    help=(
        "write a number of the type's range, or cast the tensor to a wider type first",
        "请写类型范围内的数值，或先把张量转换为更宽的类型",
    ),
    why=(
        "A scalar takes the tensor's dtype. Of an integer that is too large the low bits stay, which is another number.",
        "标量采用张量的 dtype。过大的整数只保留低位，结果是另一个数值。",
    ),
    profiles=BOTH,
    bad=with_ints("out[:] = x + pypto.cast(pypto.maximum(i, 3000000000), F)"),
    good=with_ints("out[:] = x + pypto.cast(pypto.maximum(i, 2000000000), F)"),
)
tensor_rule(
    "PTO650",
    "store-fills",
    TypeError,
    severity="warning",
    title=("a store of a scalar fills", "写入标量即为填充"),
    message=(
        "{what} fills here; toolchains {profiles} refuse it ('{got}' type cannot be moved to Tensor)",
        "{what} 在此处为填充；工具链 {profiles} 会拒绝（'{got}' type cannot be moved to Tensor）",
    ),
    help=(
        "store a tensor: pypto.full([rows, cols], value, dtype)",
        "请写入张量：pypto.full([rows, cols], value, dtype)",
    ),
    why=(
        "Toolchains store tensors only; scalars with a key of integers alone are for INT32 tensors.",
        "工具链只能写入张量；仅含整数的键的标量写入只适用于 INT32 张量。",
    ),
    phrases=("'{got}' type cannot be moved to Tensor",),
    aliases=("F00001",),
    profiles=BOTH,
    bad=program("out[:] = x", "out[0:4, :] = 0.0"),
    good=program("out[:] = x", "out[0:4, :] = pypto.full([4, 16], 0.0, F)"),
)
_INT64 = program(
    "n = i[0, 0]",
    "out[:] = x + pypto.full([8, 16], n, F)",
    params=f"{X}, i: pypto.Tensor([8, 16], pypto.DT_INT64), {OUT}",
    args="x, i, out",
    data="i = np.ones((8, 16), np.int64)",
)
tensor_rule(
    "PTO651",
    "scalar-read-not-int32",
    TypeError,
    exc_in={"0.2": AssertionError},
    severity="warning",
    title=("element of a tensor that is not INT32", "读取非 INT32 张量的元素"),
    message=(
        "an element of {dtype} is read as a scalar; toolchains {profiles} say: tensor dtype must be DT_INT32.",
        "把 {dtype} 的元素读作标量；工具链 {profiles} 会报：tensor dtype must be DT_INT32.",
    ),
    help=("pass such tables as INT32", "请以 INT32 传入这类表"),
    why=(
        (
            "The control core of 0.2 reads INT32 only; 0.3 reads every integer type of parameters, but of other tensors "
            "INT32 only."
        ),
        "0.2 的控制核只能读取 INT32；0.3 可读取参数的所有整型，但其他张量仅限 INT32。",
    ),
    phrases=("tensor dtype must be DT_INT32.",),
    aliases=("F00001",),
    profiles=BOTH,
    bad=_INT64,
    good=with_ints("n = i[0, 0]", "out[:] = x + pypto.full([8, 16], n, F)"),
)
tensor_rule(
    "PTO652",
    "scalar-write-not-int32",
    TypeError,
    exc_in={"0.2": AssertionError},
    severity="warning",
    title=("element of a tensor that is not INT32 is written", "写入非 INT32 张量的元素"),
    message=(
        "an element of {dtype} is written; toolchains {profiles} write INT32 only (tensor dtype must be DT_INT32.)",
        "写入 {dtype} 的元素；工具链 {profiles} 只能写入 INT32（tensor dtype must be DT_INT32.）",
    ),
    help=("use an INT32 tensor, or store a tensor of one element", "请使用 INT32 张量，或写入一个元素的张量"),
    why=(
        "Single elements are written by the control core, which knows INT32 only.",
        "单个元素由控制核写入，它只支持 INT32。",
    ),
    phrases=("tensor dtype must be DT_INT32.",),
    aliases=("F00001",),
    profiles=BOTH,
    bad=program(
        "i[0, 0] = 3",
        params="i: pypto.Tensor([8, 16], pypto.DT_INT64)",
        args="i",
        data="i = np.ones((8, 16), np.int64)",
    ),
    good=program("i[0, 0] = 3", params=INTS, args="i", data=MADE),
)
tensor_rule(
    "PTO653",
    "valid-extents-differ",
    ValueError,
    severity="warning",
    title=("operands have different valid extents", "操作数的有效长度不同"),
    message=(
        (
            "the operands of {op} are valid up to {first} and {other} on axis {axis}; the smaller counts here, toolchains "
            "{profiles} take the first operand's"
        ),
        "{op} 的操作数在轴 {axis} 上的有效长度为 {first} 和 {other}；此处取较小者，工具链 {profiles} 取第一个操作数的",
    ),
    help=(
        "give both operands the same valid_shape, or fill with pypto.fillpad",
        "请让两个操作数的 valid_shape 相同，或用 pypto.fillpad 填充",
    ),
    why=(
        (
            "Outside of its valid region a tile holds arbitrary data; the first operand's extent mixes it in where the "
            "other operand is shorter."
        ),
        "tile 有效区域之外的数据是任意的；若另一个操作数较短，按第一个操作数的长度会混入这些数据。",
    ),
    profiles=BOTH,
    bad=program("out[0:8, :] = x + pypto.view(x, [8, 16], [0, 0], valid_shape=[5, 16])"),
    good=program("out[0:8, :] = x + pypto.view(x, [8, 16], [0, 0], valid_shape=[8, 16])"),
)
tensor_rule(
    "PTO655",
    "move-changes-shape",
    RuntimeError,
    severity="warning",
    title=("moved tensor has another shape", "被移动的张量形状不同"),
    message=(
        "{source} is moved into the parameter {target} in row-major order; toolchains {profiles} do not check shapes",
        "{source} 按行优先顺序移入参数 {target}；工具链 {profiles} 不检查形状",
    ),
    help=("reshape first: o[:] = pypto.reshape(v, [...])", "请先重塑：o[:] = pypto.reshape(v, [...])"),
    why=(
        "The number of elements agrees, so the value has a row-major meaning; it is seldom what was meant.",
        "元素个数一致，因此可按行优先解释；但这通常不是本意。",
    ),
    profiles=BOTH,
    bad=program("out[:] = pypto.reshape(x * 2.0, [16, 8])"),
    good=program("out[:] = x * 2.0"),
)
tensor_rule(
    "PTO656",
    "scatter-by-store",
    RuntimeError,
    severity="warning",
    title=("t[dim:index] = v scatters", "t[dim:index] = v 执行 scatter"),
    message=(
        "t[dim:index] = v writes into t here; toolchains {profiles} scatter into a copy and drop it",
        "t[dim:index] = v 在此处写入 t；工具链 {profiles} 会 scatter 到副本并丢弃",
    ),
    help=("write pypto.scatter_(t, dim, index, v)", "请写成 pypto.scatter_(t, dim, index, v)"),
    why=(
        "Their statement calls the variant that returns a new tensor, and nobody keeps it.",
        "它们的语句调用返回新张量的版本，而结果没有被保留。",
    ),
    profiles=BOTH,
    bad=with_ints("t = pypto.clone(x)", "t[0:i] = 2.0", "out[:] = t"),
    good=with_ints("t = pypto.clone(x)", "pypto.scatter_(t, 0, i, 2.0)", "out[:] = t"),
)
tensor_rule(
    "PTO657",
    "reshape-carries-valid-shape",
    ValueError,
    severity="warning",
    title=("valid shape is carried through a reshape", "有效形状经 reshape 传递"),
    message=(
        "valid {valid} becomes {carried} of {target} here; toolchains {profiles} call the whole shape valid",
        "有效形状 {valid} 在此处变为 {target} 中的 {carried}；工具链 {profiles} 会认为整个形状有效",
    ),
    help=("say it: valid_shape={carried}", "请写明：valid_shape={carried}"),
    why=(
        "A reshape without valid_shape forgets the valid region on a device; what follows computes on padding.",
        "在设备上，不带 valid_shape 的 reshape 会丢失有效区域；后续会在填充数据上计算。",
    ),
    profiles=BOTH,
    bad=program(
        "t = pypto.reshape(pypto.view(x, [8, 16], [0, 0], valid_shape=[4, 16]), [16, 8])",
        "pypto.assemble(t * 2.0, [0, 0], out)",
        params=f"{X}, out: pypto.Tensor([16, 8], F)",
        args="x, out.reshape(16, 8)",
    ),
    good=program(
        "t = pypto.reshape(pypto.view(x, [8, 16], [0, 0], valid_shape=[4, 16]), [16, 8], valid_shape=[8, 8])",
        "pypto.assemble(t * 2.0, [0, 0], out)",
        params=f"{X}, out: pypto.Tensor([16, 8], F)",
        args="x, out.reshape(16, 8)",
    ),
)
tensor_rule(
    "PTO658",
    "inplace-valid-shape",
    ValueError,
    severity="warning",
    title=("valid_shape of an in-place reshape is ignored", "就地 reshape 的 valid_shape 被忽略"),
    message=(
        "reshape(inplace=True) ignores valid_shape {valid}; toolchain {profiles} refuses the pair",
        "reshape(inplace=True) 忽略 valid_shape {valid}；工具链 {profiles} 拒绝同时使用",
    ),
    help=("leave valid_shape out, or inplace=True", "请去掉 valid_shape 或 inplace=True"),
    why=(
        "An in-place reshape is another name of the same memory and has the valid region of its base.",
        "就地 reshape 是同一内存的另一个名称，其有效区域由原张量决定。",
    ),
    profiles=("0.3",),
    bad=program(
        "t = pypto.reshape(x, [16, 8], valid_shape=[8, 8], inplace=True)",
        "for _ in pypto.loop(1):",
        "    out[:] = pypto.reshape(t, [8, 16])",
    ),
    good=program(
        "t = pypto.reshape(x, [16, 8], inplace=True)",
        "for _ in pypto.loop(1):",
        "    out[:] = pypto.reshape(t, [8, 16])",
    ),
)
tensor_rule(
    "PTO659",
    "comparison-with-int",
    TypeError,
    severity="warning",
    title=("tensor compared with a plain int", "张量与普通整数比较"),
    message=(
        "{op} of a tensor and the int {value}: it takes the tensor's dtype here, toolchains {profiles} do not handle ints",
        "{op} 比较张量与整数 {value}：此处采用张量的 dtype，工具链 {profiles} 不处理整数",
    ),
    help=("write {value}.0, or pypto.Element(dtype, {value})", "请写成 {value}.0，或 pypto.Element(dtype, {value})"),
    why=("Their comparisons accept tensors, floats and Elements.", "它们的比较只接受张量、浮点数和 Element。"),
    aliases=("F00001",),
    profiles=BOTH,
    bad=program("out[:] = pypto.where(x > 0, x, 0.0)"),
    good=program("out[:] = pypto.where(x > 0.0, x, 0.0)"),
)
tensor_rule(
    "PTO612",
    "index-add-changes-its-operand",
    RuntimeError,
    severity="warning",
    title=("index_add changes its operand in the toolchains", "index_add 在工具链中会修改其操作数"),
    message=(
        "{name} keeps its contents here; the toolchains ({profiles}) have added to it in {line}",
        "{name} 在此处保持原内容；而工具链（{profiles}）已在 {line} 对它做了累加",
    ),
    help=(
        "write pypto.index_add_(pypto.clone(x), ...) for a sum beside x, or index_add_ to change x",
        "若要在 x 之外得到结果，请写 pypto.index_add_(pypto.clone(x), ...)；若要修改 x，请用 index_add_",
    ),
    why=(
        "It is documented as not in place and so it is here. The toolchains run the kernel of index_add_ on the operand.",
        "文档说明该操作不是就地操作，此处如此实现。而工具链会在操作数上运行 index_add_ 的 kernel。",
    ),
    profiles=BOTH,
    bad=with_ints("t = x * 2.0", "s = pypto.index_add(t, 0, i[0:8, 0], x)", "out[:] = s + t"),
    good=with_ints("t = x * 2.0", "s = pypto.index_add_(pypto.clone(t), 0, i[0:8, 0], x)", "out[:] = s + t"),
)
tensor_rule(
    "PTO613",
    "inplace-reshape-of-view",
    RuntimeError,
    severity="warning",
    title=("in-place reshape of a window", "对窗口做就地 reshape"),
    message=(
        "reshape(inplace=True) of a window runs here; the toolchains ({profiles}) do not allow it",
        "对窗口做 reshape(inplace=True) 在此处可以运行；工具链（{profiles}）不允许",
    ),
    help=(
        "reshape the tensor before the window is taken, or leave out inplace=True",
        "请先对张量做 reshape 再取窗口，或去掉 inplace=True",
    ),
    why=(
        "A window of global memory has strides that another shape cannot describe, so the two cannot share memory there.",
        "全局内存的窗口带有步长，其他形状无法描述，因此两者无法在设备上共享内存。",
    ),
    profiles=BOTH,
    bad=program(
        "t = pypto.reshape(pypto.view(x, [8, 16], [0, 0]), [16, 8], inplace=True)", "out[:] = pypto.reshape(t, [8, 16])"
    ),
    good=program("t = pypto.reshape(pypto.view(x, [8, 16], [0, 0]), [16, 8])", "out[:] = pypto.reshape(t, [8, 16])"),
)
