"""PTO220-235, PTO262-268 and PTO903: operands of operations, their shapes, element types and scalars."""

from __future__ import annotations

from openpto.diagnostics.rules.tensor_examples import OUT, program, tensor_rule, with_ints

GOOD = program("out[:] = x + 1.0")

tensor_rule(
    "PTO220",
    "operation-outside-kernel",
    RuntimeError,
    title=("operation outside of a kernel", "在 kernel 之外调用操作"),
    message=("{op} works inside a kernel only", "{op} 只能在 kernel 内部使用"),
    help=(
        "call it in a function decorated with @pypto.frontend.jit, or in a helper that such a function calls",
        "请在用 @pypto.frontend.jit 装饰的函数中，或在被该函数调用的辅助函数中使用",
    ),
    why=(
        (
            "Operations record a program; there is nothing to record them in while no kernel is traced. Values outside "
            "of kernels are numpy arrays or torch tensors."
        ),
        "操作用于记录程序；没有 kernel 正在追踪时无处可记录。kernel 之外的数值是 numpy 数组或 torch 张量。",
    ),
    aliases=("F00007",),
    bad="import pypto\n\n\ndef run():\n    pypto.full([8, 16], 0.0, pypto.DT_FP32)\n",
    good=program("out[:] = x + pypto.full([8, 16], 0.0, pypto.DT_FP32)"),
)
tensor_rule(
    "PTO221",
    "declaration-used-as-value",
    RuntimeError,
    title=("a declaration is used as a value", "把声明当作值使用"),
    message=(
        "{name} only describes a tensor; it was made outside of the kernel or with marks in its shape",
        "{name} 只是张量的描述；它在 kernel 之外创建，或其形状含有标记",
    ),
    help=(
        "declare locals inside the kernel: t = pypto.Tensor([8, 16], pypto.DT_FP32); pass data as parameters",
        "请在 kernel 内声明局部张量：t = pypto.Tensor([8, 16], pypto.DT_FP32)；数据请作为参数传入",
    ),
    why=(
        "A Tensor made outside of a kernel is an annotation: it has a shape and a dtype, no storage and no contents.",
        "在 kernel 之外创建的 Tensor 是注解：只有形状和 dtype，没有存储和内容。",
    ),
    bad=program("out[:] = x + scratch", before="scratch = pypto.Tensor([8, 16], F)\n"),
    good=GOOD,
)
tensor_rule(
    "PTO222",
    "wrong-arguments",
    TypeError,
    title=("wrong arguments", "参数错误"),
    message=("{op}() {why}", "{op}() 的参数有误：{why}"),
    help=("help(pypto.{op}) shows its parameters", "可用 help(pypto.{op}) 查看参数"),
    why=(
        (
            "The call does not fit the operation's signature, or an argument is of a kind it does not take. Keywords may "
            "be spelled as in the documentation or as in the Python wrappers."
        ),
        "调用与操作的签名不符，或参数类型不被接受。关键字可按文档或 Python 封装中的写法。",
    ),
    phrases=("{why}",),
    aliases=("F00001",),
    words=(
        "incompatible constructor arguments",
        "Unsupported operand types for remainder",
        "Scalar operand for bitwise_and must be an integer",
        "other must be Tensor, int or float but got",
        "one of `input` and `other` should be `Tensor`",
        "Expected src to be int, float, Element, or Tensor",
        "input must be a `Tensor`",
        "num_classes must be an `int`",
    ),
    bad=program("out[:] = pypto.add(x, x, foo=1)"),
    good=program("out[:] = pypto.add(x, x)"),
)
tensor_rule(
    "PTO223",
    "operand-is-no-tensor",
    TypeError,
    title=("operand is not a tensor", "操作数不是张量"),
    message=(
        "Argument '{name}' must be of type Tensor in {op}, got {got}",
        "{op} 的参数有误：Argument '{name}' must be of type Tensor（实际为 {got}）",
    ),
    help=(
        (
            "pass arrays to the kernel as parameters; compute numbers in Python, as math.sqrt(64); make a constant tensor "
            "with pypto.full([rows, cols], value, dtype)"
        ),
        (
            "数组请作为参数传入 kernel；数值请用 Python 计算，如 math.sqrt(64)；"
            "常量张量可用 pypto.full([rows, cols], value, dtype) 创建"
        ),
    ),
    why=(
        (
            "Only tensors of the kernel are operands: parameters, locals and results. A numpy array or torch tensor that "
            "the function captures would be a constant of the compiled program."
        ),
        "只有 kernel 中的张量才是操作数：参数、局部张量和结果。函数捕获的 numpy 数组或 torch 张量会变成编译后程序中的常量。",
    ),
    phrases=("Argument '{name}' must be of type Tensor",),
    aliases=("F00001",),
    bad=program("out[:] = pypto.exp(2.0)"),
    good=program("out[:] = pypto.exp(x)"),
)
_DYNAMIC = "x: pypto.Tensor([pypto.DYNAMIC, 16], F), out: pypto.Tensor([pypto.DYNAMIC, 16], F)"
tensor_rule(
    "PTO224",
    "dynamic-operand",
    RuntimeError,
    title=("dynamic tensor used as an operand", "动态张量被直接用作操作数"),
    message=(
        (
            "{name} {shape} is an operand of {op}: Dynamic shape tensors are not allowed as operation operands (The shape "
            "size of tensor must less than or equal to INT32_MAX)"
        ),
        (
            "{name} {shape} 是 {op} 的操作数：Dynamic shape tensors are not allowed as operation operands（The shape size "
            "of tensor must less than or equal to INT32_MAX）"
        ),
    ),
    help=(
        "Use view in pypto.loop: tile = pypto.view({name}, [<rows>, <cols>], [i * <rows>, 0]); then {op} on the tile",
        "Use view in pypto.loop：tile = pypto.view({name}, [<rows>, <cols>], [i * <rows>, 0])，再对 tile 使用 {op}",
    ),
    why=(
        (
            "Operations work on tiles whose extents are known when the kernel is compiled. A tensor with a run-time extent "
            "is read through windows of fixed shape in a loop; the last window is cut by its valid shape."
        ),
        "操作作用于编译时形状已知的 tile。含有运行时长度的张量要在循环中通过固定形状的窗口读取；最后一个窗口由有效形状裁剪。",
    ),
    phrases=(
        "Dynamic shape tensors are not allowed as operation operands",
        "The shape size of tensor must less than or equal to INT32_MAX",
        "Use view in pypto.loop",
    ),
    aliases=("F0000A", "F21008", "FFFFFF"),
    bad=program("out[:] = x + 1.0", params=_DYNAMIC),
    good=program(
        "for i in pypto.loop((x.shape[0] + 7) // 8):",
        "    tile = pypto.view(x, [8, 16], [i * 8, 0])",
        "    pypto.assemble(tile + 1.0, [i * 8, 0], out)",
        params=_DYNAMIC,
    ),
)
tensor_rule(
    "PTO225",
    "operand-type",
    TypeError,
    title=("operand is neither tensor nor number", "操作数既不是张量也不是数值"),
    message=(
        "{op} does not take a {got} (incompatible constructor arguments); {hint}",
        "{op} 不接受 {got}（incompatible constructor arguments）；{hint}",
    ),
    help=(
        "use a Tensor, an int, a float or pypto.Element(dtype, value)",
        "请使用 Tensor、int、float 或 pypto.Element(dtype, value)",
    ),
    why=(
        (
            "A scalar operand becomes an Element of the tensor's dtype, which Python ints and floats can; None, text, "
            "lists and arrays cannot."
        ),
        "标量操作数会变为张量 dtype 的 Element，只有 Python 的 int 和 float 可以；None、文本、列表和数组不行。",
    ),
    phrases=("incompatible constructor arguments",),
    aliases=("F00001",),
    bad=program("out[:] = x + None"),
    good=GOOD,
)
tensor_rule(
    "PTO226",
    "tensor-with-symbol",
    TypeError,
    title=("tensor combined with a symbol", "张量与符号运算"),
    message=(
        "{op} of a tensor and the symbol {expr}: a run-time integer is no scalar operand",
        "{op} 的操作数是张量与符号 {expr}：运行时整数不能作为标量操作数",
    ),
    help=(
        "make a tensor of it: pypto.full([rows, cols], {expr}, pypto.DT_FP32)",
        "请先把它变成张量：pypto.full([rows, cols], {expr}, pypto.DT_FP32)",
    ),
    why=(
        (
            "Scalars beside tensors are constants of the compiled code. A symbol has a value only when the kernel runs; it "
            "may be an offset, a bound, a valid extent or a fill value."
        ),
        "张量旁的标量是编译代码中的常量。符号只有在运行时才有值；它可以用作偏移、边界、有效长度或填充值。",
    ),
    aliases=("F00001",),
    bad=program("for i in pypto.loop(2):", "    out[:] = x + i"),
    good=program("for i in pypto.loop(2):", "    out[:] = x + pypto.full([8, 16], i, F)"),
)
tensor_rule(
    "PTO227",
    "float-scalar-with-integers",
    TypeError,
    title=("float scalar beside an integer tensor", "整型张量与浮点标量运算"),
    message=(
        "{op}(): float scalar incompatible with integer tensor dtype {dtype} ({value})",
        "{op}(): float scalar incompatible with integer tensor dtype {dtype}（浮点标量 {value} 与整数张量不匹配）",
    ),
    help=(
        "write an int, or cast the tensor: pypto.cast(t, pypto.DT_FP32)",
        "请写成 int，或先转换张量：pypto.cast(t, pypto.DT_FP32)",
    ),
    why=(
        "A scalar takes the tensor's dtype; a float would lose its fraction without notice.",
        "标量采用张量的 dtype；浮点数会悄悄丢失小数部分。",
    ),
    phrases=("float scalar incompatible with integer tensor dtype",),
    aliases=("F00001",),
    bad=with_ints("out[:] = x * pypto.cast(i + 1.5, F)"),
    good=with_ints("out[:] = x * pypto.cast(i + 1, F)"),
)
tensor_rule(
    "PTO228",
    "dtypes-differ",
    RuntimeError,
    title=("operands have different dtypes", "操作数的 dtype 不同"),
    message=(
        "The dtype of input tensors are not same. {op} has {first} and {other}",
        "The dtype of input tensors are not same. {op} 的操作数为 {first} 和 {other}",
    ),
    help=("convert one of them: {how}", "请转换其中一个：{how}"),
    why=(
        "Nothing is promoted silently: both operands of a vector instruction have one element type.",
        "不会自动提升类型：向量指令的两个操作数必须是同一元素类型。",
    ),
    phrases=("The dtype of input tensors are not same.",),
    aliases=("FC0000", "FC0001", "F00002"),
    bad=with_ints("out[:] = x + i"),
    good=with_ints("out[:] = x + pypto.cast(i, F)"),
)
tensor_rule(
    "PTO229",
    "shapes-do-not-fit",
    RuntimeError,
    title=("shapes do not fit together", "形状不匹配"),
    message=(
        "shape not support binary operation: {op} of {shapes}",
        "shape not support binary operation：{op} 的形状为 {shapes}",
    ),
    help=("extents of an axis must be equal, or 1", "同一轴上的长度必须相等，或为 1"),
    why=(
        (
            "Axes are aligned from the right, and an extent of 1 is repeated. Other extents that differ have no meaning. A "
            "result has at most 2147483647 elements."
        ),
        "各轴从右对齐，长度为 1 的轴会被重复。其余不同的长度没有意义。结果最多有 2147483647 个元素。",
    ),
    phrases=("shape not support binary operation",),
    aliases=("FC0000",),
    bad=program("out[:] = x + x[:, 0:8]"),
    good=program("out[:] = x + x[:, 0:1]"),
)
tensor_rule(
    "PTO230",
    "ranks-differ",
    RuntimeError,
    title=("operands have different ranks", "操作数的维数不同"),
    message=("{op} takes operands of one rank, got {ranks}", "{op} 要求操作数维数相同，实际为 {ranks}"),
    help=("add axes with pypto.unsqueeze(t, 0)", "可用 pypto.unsqueeze(t, 0) 增加轴"),
    why=(
        (
            "Arithmetic pads the shorter shape with ones on the left; comparisons, logical operations, where, gather and "
            "scatter do not."
        ),
        "算术操作会在较短形状的左侧补 1；比较、逻辑操作、where、gather 和 scatter 不会。",
    ),
    aliases=("FC0002",),
    bad=program("out[:] = pypto.where(x > pypto.sum(x, 0), x, 0.0)"),
    good=program("out[:] = pypto.where(x > pypto.sum(x, 0, True), x, 0.0)"),
)
tensor_rule(
    "PTO231",
    "dtype-not-supported",
    RuntimeError,
    title=("dtype is not supported by the operation", "该操作不支持此 dtype"),
    message=(
        "{op} does not take {dtype} on any chip; it takes {taken}",
        "{op} 在任何芯片上都不支持 {dtype}；支持的类型为 {taken}",
    ),
    help=("use {how}", "请使用 {how}"),
    why=(
        (
            "Every operation has a list of element types that its instructions work on; another one is refused by the "
            "compiler."
        ),
        "每个操作都有其指令支持的元素类型列表；其他类型会被编译器拒绝。",
    ),
    aliases=("FC0001", "F40004"),
    bad=with_ints("out[:] = x * pypto.exp(i)"),
    good=with_ints("out[:] = x * pypto.exp(pypto.cast(i, F))"),
)
tensor_rule(
    "PTO232",
    "rank-not-supported",
    RuntimeError,
    title=("rank is not supported by the operation", "该操作不支持此维数"),
    message=(
        "{name} of {op} has {rank} axes, {low} to {high} are possible",
        "{op} 的 {name} 有 {rank} 个轴，仅支持 {low} 到 {high} 个",
    ),
    help=("merge axes with pypto.reshape first", "请先用 pypto.reshape 合并轴"),
    why=(
        "Tiles have at most four axes in vector operations, and some operations take fewer.",
        "向量操作的 tile 最多四个轴，有些操作更少。",
    ),
    aliases=("FC0002",),
    bad=program("t = pypto.reshape(x, [1, 1, 1, 8, 16])", "out[:] = pypto.reshape(t * 2.0, [8, 16])"),
    good=program("t = pypto.reshape(x, [1, 1, 8, 16])", "out[:] = pypto.reshape(t * 2.0, [8, 16])", tile="1, 1, 8, 16"),
)
tensor_rule(
    "PTO233",
    "axis-out-of-range",
    RuntimeError,
    title=("axis out of range", "轴超出范围"),
    message=(
        "axis {axis} of {op}: Axis is not in the reasonable range! The tensor has {rank} axes",
        "{op} 的轴 {axis}：Axis is not in the reasonable range! 张量有 {rank} 个轴",
    ),
    help=("axes count from 0, or from -1 at the end", "轴从 0 开始计数，或从末尾的 -1 开始"),
    why=("The axis does not exist in this tensor.", "该张量没有这个轴。"),
    phrases=("Axis is not in the reasonable range!",),
    aliases=("FC0000", "FFFFFF"),
    bad=program("out[:] = x - pypto.sum(x, 5, True)"),
    good=program("out[:] = x - pypto.sum(x, 1, True)"),
)
tensor_rule(
    "PTO234",
    "extent-not-known",
    ValueError,
    exc_in={"0.2": TypeError},
    title=("extent is not known while the kernel is traced", "追踪时长度未知"),
    message=(
        "{name} in {op} is {expr}: Not concrete value (Cannot convert symbols to int)",
        "{op} 中的 {name} 为 {expr}：Not concrete value（Cannot convert symbols to int）",
    ),
    help=(
        "use a fixed window: pypto.view(t, [8, 16], [i, 0], valid_shape=[n, 16]), or a slice such as i*8:i*8+8",
        "请使用固定窗口：pypto.view(t, [8, 16], [i, 0], valid_shape=[n, 16])，或类似 i*8:i*8+8 的切片",
    ),
    why=(
        (
            "Shapes of tiles are fixed when the kernel is compiled; offsets and valid extents may be symbols. The extent of "
            "a slice may hold symbols that cancel out."
        ),
        "tile 的形状在编译时确定；偏移和有效长度可以是符号。切片长度中的符号若能相互抵消也可以。",
    ),
    phrases=("Not concrete value", "Cannot convert symbols to int"),
    aliases=("F00002",),
    bad=program("for i in pypto.loop(2):", "    out[0:8, :] = x[i * 4 :, :]"),
    good=program("for i in pypto.loop(2):", "    out[i * 4 : i * 4 + 4, :] = x[i * 4 : i * 4 + 4, :]"),
)
tensor_rule(
    "PTO235",
    "invalid-shape",
    ValueError,
    title=("invalid shape", "无效的形状"),
    message=("Invalid shape {extent} in {shape} of {op}", "Invalid shape {extent}，位于 {op} 的 {shape}"),
    help=("every extent must be a positive int", "每个长度都必须为正整数"),
    why=(
        (
            "A tile without elements, or with a negative extent, cannot be computed on. A slice whose stop lies before its "
            "start has a negative extent."
        ),
        "没有元素或长度为负的 tile 无法计算。终点在起点之前的切片长度为负。",
    ),
    phrases=("Invalid shape {extent}",),
    aliases=("F00002", "F21004", "FC0000"),
    words=("The shape size of tensor must less than or equal to INT32_MAX",),
    bad=program("t = pypto.Tensor([-4, 16], F)", "out[:] = x + t"),
    good=program("t = pypto.full([8, 16], 1.0, F)", "out[:] = x + t"),
)
tensor_rule(
    "PTO262",
    "index-dtype",
    TypeError,
    title=("index tensor has the wrong dtype", "索引张量的 dtype 错误"),
    message=(
        "index tensor must be of int32 or int64 in {op}, got {dtype}",
        "{op} 的参数有误：index tensor must be of int32 or int64（实际为 {dtype}）",
    ),
    help=("convert it: pypto.cast(index, pypto.DT_INT32)", "请转换：pypto.cast(index, pypto.DT_INT32)"),
    why=("Positions are integers.", "位置是整数。"),
    phrases=("index tensor must be of int32 or int64",),
    aliases=("F00001",),
    bad=program("out[:] = pypto.gather(x, 0, x)"),
    good=with_ints("out[:] = pypto.gather(x, 0, i)"),
)
tensor_rule(
    "PTO263",
    "operands-do-not-fit",
    ValueError,
    title=("operands do not fit the operation", "操作数与操作不符"),
    message=("{op}: {why}", "{op} 的操作数有误：{why}"),
    help=("help(pypto.{op}) shows the shapes it takes", "可用 help(pypto.{op}) 查看其支持的形状"),
    why=(
        "The operation has no meaning, or no instruction on any chip, for operands of these shapes.",
        "对于这样形状的操作数，该操作没有意义，或任何芯片都没有相应指令。",
    ),
    aliases=("FC0000", "FC0002"),
    words=(
        "dim must be 2 or 4",
        "Expect input_dim == weight_dim and both in [3, 4, 5]",
    ),
    bad=program("out[:] = pypto.permute(x, [0, 0])"),
    good=program("out[:] = pypto.permute(pypto.permute(x, [1, 0]), [1, 0])"),
)
tensor_rule(
    "PTO264",
    "format-not-nd",
    RuntimeError,
    title=("operation needs the ND layout", "该操作需要 ND 布局"),
    message=("{name} of {op}: Only support TILEOP_ND", "{op} 的 {name}：Only support TILEOP_ND"),
    help=("declare the tensor without format=TILEOP_NZ", "声明张量时不要使用 format=TILEOP_NZ"),
    why=(
        "Vector instructions work on rows in logical order. Tensors in fractal layout are operands of matmul only.",
        "向量指令按逻辑顺序处理行。分形布局的张量只能作为 matmul 的操作数。",
    ),
    phrases=("Only support TILEOP_ND",),
    aliases=("F0000D",),
    bad=program(
        "out[:] = x + 1.0",
        params=f"x: pypto.Tensor([8, 16], F, format=pypto.TileOpFormat.TILEOP_NZ), {OUT}",
    ),
    good=GOOD,
)
tensor_rule(
    "PTO265",
    "cast-pair-not-supported",
    RuntimeError,
    title=("no chip has this conversion", "没有芯片支持此转换"),
    message=("cast from {source} to {target} exists on no chip", "没有芯片支持从 {source} 到 {target} 的 cast"),
    help=("use {how}", "请使用 {how}"),
    why=(
        "The convert instructions cover a table of pairs; the rest needs two steps. BOOL is no number type.",
        "转换指令只覆盖一张类型对表；其余需要两步。BOOL 不是数值类型。",
    ),
    aliases=("FC0001",),
    bad=program("out[:] = pypto.cast(pypto.cast(x, pypto.DT_BOOL), F)"),
    good=program("out[:] = pypto.where(x > 0.0, 1.0, 0.0)"),
)
tensor_rule(
    "PTO266",
    "where-values-differ",
    TypeError,
    title=("the two values of where have different dtypes", "where 的两个值 dtype 不同"),
    message=(
        "where() input and other data type inconsistent: {first} and {other}; value type mismatch",
        "where() input and other data type inconsistent：{first} 和 {other}；value type mismatch",
    ),
    help=(
        "a plain float counts as FP32; write pypto.Element(dtype, value) beside another dtype",
        "普通 float 视为 FP32；与其他 dtype 一起使用时请写 pypto.Element(dtype, value)",
    ),
    why=(
        "Both branches of the choice fill one tensor, which has one dtype.",
        "选择的两个分支填充同一个张量，它只有一个 dtype。",
    ),
    phrases=("where() input and other data type inconsistent", "value type mismatch"),
    aliases=("F00001",),
    bad=with_ints("out[:] = x + pypto.cast(pypto.where(x > 0.0, i, 0.5), F)"),
    good=with_ints("out[:] = x + pypto.cast(pypto.where(x > 0.0, i, 0), F)"),
)
tensor_rule(
    "PTO267",
    "where-condition",
    TypeError,
    title=("condition of where is not BOOL", "where 的条件不是 BOOL"),
    message=(
        "where() does not support {dtype} condition",
        "条件的类型有误：where() does not support {dtype} condition",
    ),
    help=("write a comparison, such as x > 0.0", "请写成比较，例如 x > 0.0"),
    why=("The choice is made by a mask of DT_BOOL elements.", "选择由 DT_BOOL 元素的掩码决定。"),
    phrases=("where() does not support {dtype} condition",),
    aliases=("F00001",),
    bad=program("out[:] = pypto.where(x, x, 0.0)"),
    good=program("out[:] = pypto.where(x > 0.0, x, 0.0)"),
)
tensor_rule(
    "PTO268",
    "value-not-possible",
    ValueError,
    title=("value is not possible here", "此处不能使用该值"),
    message=("{op}: {why}", "{op} 的值有误：{why}"),
    help=("help(pypto.{op}) shows what it takes", "可用 help(pypto.{op}) 查看可用的值"),
    why=("The argument has the right type, but no meaning for the operation.", "参数类型正确，但对该操作没有意义。"),
    aliases=("F00002",),
    words=(
        "fmod(): other must not be NaN.",
        "fmod(): other must not be inf.",
        "lrelu(): negative_slope must not be NaN.",
        "lrelu(): negative_slope must not be inf.",
        "lrelu(): negative_slope must be non-negative",
        "The length of args should in [1, 2, 3]",
        "full() does not support negative fill_value for unsigned integer dtype",
        "scatter currection only support the case where dim = -2.",
        "scatter reduce only support 'add', 'multiply'",
        "where() does not support negative scalar for unsigned",
        "num_classes must be a positive integer",
        "input key number should be 1",
        "input counter number should be 2",
        "input alg number should be 1",
        "alg only support Philox.",
        "Conv transpose true is not supported yet.",
    ),
    bad=program("pypto.arange(0, 8, 0)", "out[:] = x + 1.0"),
    good=GOOD,
)
tensor_rule(
    "PTO903",
    "dtype-not-yet-available",
    NotImplementedError,
    title=("dtype not yet available", "该 dtype 尚不可用"),
    message=(
        "{op} on {dtype} is not yet available in OpenPTO (dtype not yet available)",
        "OpenPTO 尚未提供 {dtype} 上的 {op}（dtype not yet available）",
    ),
    help=(
        "pypto.cast the tensor to DT_FP16, DT_BF16 or DT_FP32 first; DT_FP8 and DT_HF4 have no values here",
        "请先用 pypto.cast 转换为 DT_FP16、DT_BF16 或 DT_FP32；DT_FP8 和 DT_HF4 在此没有取值",
    ),
    why=(
        "A device has this combination; the engines here do not compute it yet and stop instead of approximating it.",
        "设备支持这一组合；这里的引擎尚不能计算，因此停止，而不是给出近似结果。",
    ),
    phrases=("dtype not yet available",),
    bad=program("pypto.zeros(8, 16, dtype=pypto.DT_HF4)", "out[:] = x + 1.0"),
    good=GOOD,
)
