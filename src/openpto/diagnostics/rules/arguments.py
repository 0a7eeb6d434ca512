"""PTO511-533: the arguments of a call."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register
from openpto.diagnostics.rules.kernel_examples import GOOD, OUT, X, add_kernel

register(
    Rule(
        code="PTO511",
        name="too-few-tensors",
        exc=RuntimeError,
        title=T("tensor missing", "缺少 tensor 参数"),
        message=T(
            "Expected at least {wanted} tensor argument(s), got {got}. {kernel} also needs: {missing}",
            "Expected at least {wanted} tensor argument(s), got {got}. {kernel} 还缺少：{missing}",
        ),
        help=T("pass every tensor by position, outputs included", "请按位置传入所有 tensor，包括输出"),
        explanation=T(
            "A kernel writes its results into tensors of the caller, so outputs are arguments like inputs.",
            "kernel 把结果写入调用者的 tensor，因此输出与输入一样都是参数。",
        ),
        phrases=("Expected at least {wanted} tensor argument(s), got {got}.",),
        aliases=("F00003",),
        bad=add_kernel(call="kernel(x)"),
        good=GOOD,
    )
)

register(
    Rule(
        code="PTO512",
        name="too-many-arguments",
        exc=RuntimeError,
        title=T("too many arguments", "参数过多"),
        message=T(
            "Too many positional arguments: expected {wanted} tensor(s) and at most {values} other(s), got {got}",
            "Too many positional arguments: 需要 {wanted} 个 tensor 和至多 {values} 个其他参数，得到 {got} 个",
        ),
        help=T("compare the call with the parameters of {kernel}", "请对照 {kernel} 的参数检查调用"),
        explanation=T(
            "Arguments are matched with parameters in order: tensors first, then everything else.",
            "参数按顺序匹配：先是 tensor，然后是其他参数。",
        ),
        phrases=("Too many positional arguments: ",),
        aliases=("F00003",),
        bad=add_kernel(call="kernel(x, out, 1.0)"),
        good=GOOD,
    )
)

register(
    Rule(
        code="PTO513",
        name="unknown-argument",
        exc=RuntimeError,
        title=T("unknown keyword argument", "未知的关键字参数"),
        message=T(
            "{kernel}: Unknown keyword argument(s): {names}. Valid non-tensor parameters: {valid}",
            "{kernel} 没有这些关键字参数：Unknown keyword argument(s): {names}. Valid non-tensor parameters: {valid}",
        ),
        help=T(
            "tensors of {kernel} are passed by position, other parameters by their names",
            "{kernel} 的 tensor 按位置传入，其他参数按名称传入",
        ),
        explanation=T(
            "Only parameters that are not tensors can be passed by keyword.",
            "只有非 tensor 参数可以用关键字传入。",
        ),
        phrases=("Unknown keyword argument(s): {names}. Valid non-tensor parameters: {valid}",),
        aliases=("F00003",),
        bad=add_kernel(params=f"{X}, {OUT}, gain=1.0", call="kernel(x, out, gian=2.0)"),
        good=add_kernel(params=f"{X}, {OUT}, gain=1.0", call="kernel(x, out, gain=2.0)"),
    )
)

register(
    Rule(
        code="PTO514",
        name="missing-argument",
        exc=RuntimeError,
        title=T("argument missing", "缺少参数"),
        message=T(
            "Missing required non-tensor argument '{name}' of {kernel}",
            "{kernel} 缺少参数：Missing required non-tensor argument '{name}'",
        ),
        help=T("pass {name}, or give it a default", "请传入 {name}，或为其设置默认值"),
        explanation=T(
            "Parameters without a tensor annotation are constants of the kernel; each needs a value when the kernel is "
            "called.",
            "没有 tensor 注解的参数是 kernel 的常量，调用时每个都需要有值。",
        ),
        phrases=("Missing required non-tensor argument '{name}'",),
        aliases=("F00003",),
        bad=add_kernel(params=f"{X}, {OUT}, gain"),
        good=add_kernel(params=f"{X}, {OUT}, gain", call="kernel(x, out, 2.0)"),
    )
)

register(
    Rule(
        code="PTO515",
        name="tensor-for-a-value",
        exc=RuntimeError,
        title=T("tensor for a non-tensor parameter", "向非 tensor 参数传入 tensor"),
        message=T(
            "Non-tensor parameter '{name}' must not be a torch.Tensor. Use positional arguments for tensors.{note}",
            "{name} 没有 tensor 注解：Non-tensor parameter '{name}' must not be a torch.Tensor. "
            "Use positional arguments for tensors.{note}",
        ),
        help=T(
            "annotate {name} of {kernel} as pypto.Tensor(...)",
            "请把 {kernel} 的 {name} 注解为 pypto.Tensor(...)",
        ),
        explanation=T(
            "A parameter is a tensor only if its annotation says so. Without one, or with an annotation that cannot be "
            "read, its argument would be a constant of the compiled kernel.",
            "只有注解为 tensor 的参数才是 tensor。没有注解或注解无法解析时，其实参会成为编译后 kernel 的常量。",
        ),
        phrases=("Non-tensor parameter '{name}' must not be a torch.Tensor. Use positional arguments for tensors.",),
        aliases=("F00003",),
        untestable="needs torch; tests/kernel/test_torch_arguments.py passes one",
    )
)

register(
    Rule(
        code="PTO516",
        name="not-a-tensor",
        exc=RuntimeError,
        title=T("not a tensor", "不是 tensor"),
        message=T(
            "Input {name} (index {index}) must be a torch.Tensor, got {got}",
            "Input {name} (index {index}) must be a torch.Tensor, got {got}（需要 tensor）",
        ),
        help=T(
            "pass a torch CPU tensor or a numpy array: the kernel works on its memory",
            "请传入 torch CPU tensor 或 numpy 数组：kernel 直接使用其内存",
        ),
        explanation=T(
            "A kernel reads and writes the memory of the caller's tensors. A list or a number has no such memory.",
            "kernel 直接读写调用者 tensor 的内存。列表或数字没有这样的内存。",
        ),
        phrases=("Input {name} (index {index}) must be a torch.Tensor, got {got}",),
        aliases=("F00003",),
        bad=add_kernel(call="kernel([[1.0] * 32] * 8, out)"),
        good=GOOD,
    )
)

register(
    Rule(
        code="PTO517",
        name="not-contiguous",
        exc=RuntimeError,
        title=T("argument is not contiguous", "参数内存不连续"),
        message=T(
            "not all tensors are contiguous: {name} of shape {shape} has strides {strides}",
            "not all tensors are contiguous：{name} 的形状为 {shape}，步长为 {strides}",
        ),
        help=T(
            "pass {name}.contiguous() (torch) or numpy.ascontiguousarray({name}); write an output into a contiguous "
            "tensor and copy it",
            "请传入 {name}.contiguous()（torch）或 numpy.ascontiguousarray({name})；输出请先写入连续的 tensor 再复制",
        ),
        explanation=T(
            "A kernel takes memory in row-major order without gaps. A transposed or sliced tensor is another order of "
            "the same memory, which a device would read wrongly.",
            "kernel 使用行优先且无间隙的内存。转置或切片后的 tensor 是同一内存的另一种次序，设备会读错。",
        ),
        phrases=("not all tensors are contiguous",),
        aliases=("F00003",),
        bad=add_kernel(call="kernel(np.ones((32, 8), np.float32).T, out)"),
        good=add_kernel(call="kernel(np.ascontiguousarray(np.ones((32, 8), np.float32).T), out)"),
    )
)

register(
    Rule(
        code="PTO518",
        name="other-device",
        exc=RuntimeError,
        title=T("tensor on another device", "tensor 位于其他设备"),
        message=T(
            "Unsupported device type: {device} ({name})", "{name} 不在 CPU 上：Unsupported device type: {device}"
        ),
        help=T("pass {name}.cpu()", "请传入 {name}.cpu()"),
        explanation=T(
            "Kernels are executed on the CPU, in the memory of the caller's tensors, so every tensor lies there.",
            "kernel 在 CPU 上直接使用调用者 tensor 的内存，因此所有 tensor 都必须在 CPU 上。",
        ),
        phrases=("Unsupported device type: {device}",),
        untestable="needs a tensor on a device; tests/kernel/test_torch_arguments.py plants one",
    )
)

register(
    Rule(
        code="PTO519",
        name="tensor-without-plain-memory",
        exc=RuntimeError,
        title=T("tensor without plain memory", "tensor 没有普通内存"),
        message=T(
            "{name} has no plain elements in memory: {kind}",
            "{name} 在内存中没有普通元素：{kind}",
        ),
        help=T(
            "pass a plain dense CPU tensor or numpy array with the values of {name}",
            "请传入具有 {name} 的值的普通稠密 CPU tensor 或 numpy 数组",
        ),
        explanation=T(
            "A kernel works on the bytes of its arguments. Sparse, quantized, masked, meta, lazily negated or wrapped "
            "tensors keep their values in another way than as plain elements in row-major order.",
            "kernel 直接处理参数的字节。稀疏、量化、带掩码、meta、延迟取负或被包装的 tensor 不以普通的行优先元素保存数值。",
        ),
        bad=add_kernel(call="kernel(np.ma.masked_array(x), out)"),
        good=GOOD,
    )
)

register(
    Rule(
        code="PTO520",
        name="element-type",
        exc=ValueError,
        title=T("element type without a counterpart", "没有对应类型的元素类型"),
        message=T(
            "Input torch.dtype is not supported. Got {dtype} for {name}",
            "{name} 的元素类型不受支持：Input torch.dtype is not supported. Got {dtype}",
        ),
        help=T("convert {name} to a type of pypto.DataType", "请把 {name} 转换为 pypto.DataType 中的类型"),
        explanation=T(
            "Complex numbers, strings, objects and dates have no element type in the API.",
            "复数、字符串、对象和日期在 API 中没有对应的元素类型。",
        ),
        phrases=("Input torch.dtype is not supported. Got {dtype}",),
        aliases=("F00002",),
        bad=add_kernel(call="kernel(x.astype(np.complex64), out)"),
        good=GOOD,
    )
)

register(
    Rule(
        code="PTO521",
        name="rank-mismatch",
        exc=ValueError,
        title=T("rank does not match", "维数不匹配"),
        message=T(
            "The number of dimensions of input tensor {name} does not match: declared {declared} ({wanted}), got {got}",
            "The number of dimensions of input tensor {name} does not match：声明为 {declared}（{wanted} 维），得到 {got} 维",
        ),
        help=T("reshape the argument, or change the declaration of {name}", "请改变实参形状，或修改 {name} 的声明"),
        explanation=T(
            "A list of ints declares every axis. Use '...' as its last entry, or Tensor(), where the rank is free.",
            "整数列表声明了每一个轴。若维数不固定，请把 '...' 作为最后一项，或使用 Tensor()。",
        ),
        phrases=("The number of dimensions of input tensor {name} does not match",),
        aliases=("F00002",),
        bad=add_kernel(call="kernel(x.reshape(256), out)"),
        good=GOOD,
    )
)

register(
    Rule(
        code="PTO522",
        name="shape-mismatch",
        exc=ValueError,
        title=T("shape does not match", "形状不匹配"),
        message=T(
            "The shape of {name} does not match: axis {axis} is declared {wanted}, got {got} (declared {declared}, "
            "argument {shape})",
            "The shape of {name} does not match：第 {axis} 轴声明为 {wanted}，得到 {got}（声明 {declared}，实参 {shape}）",
        ),
        help=T(
            "pass a tensor of the declared shape, or mark the axis DYNAMIC or STATIC",
            "请传入声明形状的 tensor，或把该轴标记为 DYNAMIC 或 STATIC",
        ),
        explanation=T(
            "A fixed extent is compiled into the kernel. Version 0.2 trusts the annotation and reads beyond the tensor; "
            "here it is always checked.",
            "固定的长度会编译进 kernel。0.2 版信任注解并可能越界读取；这里总是进行检查。",
        ),
        phrases=("The shape of {name} does not match",),
        aliases=("F00002",),
        bad=add_kernel(call="kernel(np.ones((8, 31), np.float32), out)"),
        good=GOOD,
    )
)

register(
    Rule(
        code="PTO523",
        name="dtype-mismatch",
        exc=ValueError,
        title=T("element type does not match", "元素类型不匹配"),
        message=T(
            "The dtype of {name} does not match: declared {declared}, got {got}",
            "The dtype of {name} does not match：声明为 {declared}，得到 {got}",
        ),
        help=T("convert the argument, or change the declaration of {name}", "请转换实参，或修改 {name} 的声明"),
        explanation=T(
            "The declared type is what the compiler uses. Version 0.2 reinterprets the bytes of another type without a "
            "word; here it is always checked.",
            "编译器使用声明的类型。0.2 版会悄悄按声明类型重新解释字节；这里总是进行检查。",
        ),
        phrases=("The dtype of {name} does not match",),
        aliases=("F00002",),
        bad=add_kernel(call="kernel(x.astype(np.float16), out)"),
        good=GOOD,
    )
)

register(
    Rule(
        code="PTO525",
        name="symbol-with-two-sizes",
        exc=ValueError,
        title=T("one named symbol, two sizes", "同一符号对应两个长度"),
        message=T(
            "Symbolic scalar {name} has multiple concrete values: {first} and {second} ({owner}; {where})",
            "同一符号有两个值：Symbolic scalar {name} has multiple concrete values: {first} and {second}（{owner}；{where}）",
        ),
        help=T("pass tensors of equal extent there, or use two symbols", "请传入该轴长度相同的 tensor，或使用两个符号"),
        explanation=T(
            "A named symbol stands for one run-time integer. Every axis that carries the name has that extent.",
            "一个命名符号代表一个运行时整数，所有使用该名称的轴长度都等于它。",
        ),
        phrases=("Symbolic scalar {name} has multiple concrete values: {first} and {second}",),
        aliases=("F00002",),
        bad=add_kernel(
            before='N = pypto.frontend.dynamic("N")\n',
            params="x: pypto.Tensor([N, 32], F), out: pypto.Tensor([N, 32], F)",
            body="out[0:8, :] = pypto.view(x, [8, 32], [0, 0]) + 1.0",
            call="kernel(x, np.zeros((9, 32), np.float32))",
        ),
        good=add_kernel(
            before='N = pypto.frontend.dynamic("N")\n',
            params="x: pypto.Tensor([N, 32], F), out: pypto.Tensor([N, 32], F)",
            body="out[0:8, :] = pypto.view(x, [8, 32], [0, 0]) + 1.0",
        ),
    )
)

register(
    Rule(
        code="PTO526",
        name="read-only-output",
        exc=ValueError,
        title=T("output is read-only", "输出是只读的"),
        message=T("the kernel writes {name}, and the array is read-only", "kernel 要写入 {name}，但该数组是只读的"),
        help=T("pass a writable array, for example {name}.copy()", "请传入可写的数组，例如 {name}.copy()"),
        explanation=T(
            "Results go into the caller's memory. An array that numpy protects from writing is not written.",
            "结果写入调用者的内存。被 numpy 保护为只读的数组不会被写入。",
        ),
        bad=add_kernel(call="out.setflags(write=False)\n    kernel(x, out)"),
        good=add_kernel(call="x.setflags(write=False)\n    kernel(x, out)"),
    )
)

register(
    Rule(
        code="PTO527",
        name="overlapping-arguments",
        exc=ValueError,
        title=T("arguments share memory in part", "参数的内存部分重叠"),
        message=T(
            "{name} and {other} share memory, and are not one tensor of the same address, shape and type",
            "{name} 与 {other} 共享部分内存，但不是地址、形状和类型都相同的同一个 tensor",
        ),
        help=T("pass a copy of one of them", "请为其中之一传入副本"),
        explanation=T(
            "Two arguments that are the same memory are one tensor, so kernels may work in place. With a partial "
            "overlap the result would depend on the order in which a device moves tiles.",
            "完全相同的内存视为同一个 tensor，因此 kernel 可以原地工作。部分重叠时结果取决于设备搬运 tile 的次序。",
        ),
        bad=add_kernel(call="m = np.ones((9, 32), np.float32)\n    kernel(m[:8], m[1:])"),
        good=add_kernel(call="m = np.ones((16, 32), np.float32)\n    kernel(m[:8], m[8:])"),
    )
)

register(
    Rule(
        code="PTO528",
        name="repeated-elements",
        exc=RuntimeError,
        title=T("one element several times", "同一元素重复出现"),
        message=T(
            "not all tensors are contiguous: {name} of shape {shape} shows one element several times (stride 0)",
            "not all tensors are contiguous：形状为 {shape} 的 {name} 中同一元素重复出现（步长为 0）",
        ),
        help=T(
            "pass a copy: .contiguous() or numpy.ascontiguousarray",
            "请传入副本：.contiguous() 或 numpy.ascontiguousarray",
        ),
        explanation=T(
            "expand and broadcast_to make a tensor whose elements share memory. A kernel needs memory for every "
            "element.",
            "expand 和 broadcast_to 产生的 tensor 中多个元素共享内存，而 kernel 要求每个元素都有自己的内存。",
        ),
        phrases=("not all tensors are contiguous",),
        bad=add_kernel(call="kernel(np.broadcast_to(np.float32(1), (8, 32)), out)"),
        good=GOOD,
    )
)

register(
    Rule(
        code="PTO529",
        name="byte-order-or-alignment",
        exc=ValueError,
        title=T("memory the machine cannot use directly", "机器无法直接使用的内存"),
        message=T(
            "{name} is not in the machine's byte order, or not aligned: {problem}",
            "{name} 不是本机字节序，或没有对齐：{problem}",
        ),
        help=T(
            "pass a copy in native order: numpy.array({name}, dtype=...)",
            "请传入本机字节序的副本：numpy.array({name}, dtype=...)",
        ),
        explanation=T(
            "A kernel works on the caller's memory without a copy, so elements lie at aligned addresses in the "
            "machine's byte order.",
            "kernel 不经复制直接使用调用者的内存，因此元素必须对齐并采用本机字节序。",
        ),
        bad=add_kernel(call='kernel(x.astype(x.dtype.newbyteorder("S")), out)'),
        good=GOOD,
    )
)

register(
    Rule(
        code="PTO530",
        name="output-requires-grad",
        exc=RuntimeError,
        title=T("output requires grad", "输出需要梯度"),
        message=T(
            "the kernel writes {name}, and the tensor requires grad",
            "kernel 要写入 {name}，但该 tensor 需要梯度（requires grad）",
        ),
        help=T("pass {name}.detach()", "请传入 {name}.detach()"),
        explanation=T(
            "autograd cannot see what a kernel does, so a write into a tensor that requires grad would make gradients "
            "wrong without notice.",
            "autograd 看不到 kernel 的行为，写入需要梯度的 tensor 会使梯度悄悄出错。",
        ),
        untestable="needs torch; tests/kernel/test_torch_arguments.py passes one",
    )
)

register(
    Rule(
        code="PTO531",
        name="rank-not-fixed",
        severity="warning",
        title=T("marks do not fix the rank", "标记不限定维数"),
        message=T(
            "{name} is declared {declared} and the argument has {rank} axes: the argument wins",
            "{name} 声明为 {declared}，而实参有 {rank} 维：以实参为准",
        ),
        help=T("declare one entry per axis, or end the list with '...'", "请为每个轴声明一项，或以 '...' 结束列表"),
        explanation=T(
            "STATIC and DYNAMIC say how an extent is treated, not that an axis exists. Missing entries count as STATIC, "
            "surplus marks are ignored.",
            "STATIC 和 DYNAMIC 说明如何对待长度，并不说明轴是否存在。缺少的项视为 STATIC，多余的标记被忽略。",
        ),
        bad=add_kernel(params="x: pypto.Tensor([pypto.STATIC], F), out: pypto.Tensor([8, 32], F)"),
        good=add_kernel(params="x: pypto.Tensor([pypto.STATIC, ...], F), out: pypto.Tensor([8, 32], F)"),
    )
)
