"""PTO701-762: the conventions of an operator collection (OL01-OL62), off unless they are selected. Kernel files."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, Severity, register


def convention(
    number: int,
    name: str,
    *,
    title: tuple[str, str],
    message: tuple[str, str],
    help: tuple[str, str],
    why: tuple[str, str],
    bad: str = "",
    good: str = "",
    severity: Severity = "error",
    untestable: str = "",
    also: tuple[str, ...] = (),
) -> None:
    """Register PTO7nn for the convention OLnn. Examples begin with a comment that names their file;
    `also` are other numbers of the same convention."""
    register(
        Rule(
            code=f"PTO7{number:02d}",
            name=name,
            severity=severity,
            found_by="lint",
            title=T(*title),
            message=T(*message),
            help=T(*help),
            explanation=T(*why),
            aliases=(f"OL{number:02d}", *also),
            bad=bad,
            good=good,
            untestable=untestable,
        )
    )


def impl(
    body: str = "out[:] = t + 1.0",
    *,
    head: str = "import pypto",
    shape: str = "[pypto.DYNAMIC, 32]",
    dtype: str = "pypto.DT_FP32",
    loop: str = "for i in pypto.loop(x.shape[0] // 8):",
    after: str = "",
) -> str:
    """A kernel file that keeps every convention, with parts exchanged."""
    annotation = f"pypto.Tensor({shape}, {dtype})".replace(", )", ")")
    store = body.replace("out[:]", "out[i * 8 : i * 8 + 8, :]")
    return (
        f"# add_impl.py\n{head}\n\n\n@pypto.frontend.jit\n"
        f"def add_kernel_npu(x: {annotation}, out: {annotation}):\n"
        f"    pypto.set_vec_tile_shapes(8, 32)\n    {loop}\n"
        f"        t = pypto.view(x, [8, 32], [i * 8, 0])\n        {store}\n\n\n"
        f"def add_wrapper(x, out):\n    add_kernel_npu(x, out)\n{after}"
    )


GOOD = impl()

convention(
    1,
    "one-kernel-per-file",
    title=(
        "a file has one kernel, made by @pypto.frontend.jit",
        "每个文件只有一个由 @pypto.frontend.jit 生成的 kernel",
    ),
    message=("{name}: {why}", "{name} 不符合约定：{why}"),
    help=("keep one entry per file and write its decorator in full", "每个文件只保留一个入口，并完整写出装饰器"),
    why=(
        "Tools of the collection find the entry of an operator by the literal decorator, and expect one.",
        "算子集的工具按字面的装饰器寻找算子入口，并且只预期一个。",
    ),
    bad=impl(head="import pypto\n\nfrontend = pypto.frontend").replace("@pypto.frontend.jit", "@frontend.jit"),
    good=GOOD,
)

convention(
    5,
    "parameter-without-annotation",
    title=("parameter of a kernel has no annotation", "kernel 的参数没有标注"),
    message=("{name} has no annotation, so it is a value and not a tensor", "{name} 没有标注，因此它是数值而不是张量"),
    help=("annotate it: pypto.Tensor(...), int, float ...", "请标注：pypto.Tensor(...)、int、float 等"),
    why=(
        "What has no annotation counts as a value. A forgotten annotation of a tensor fails at the first call.",
        "没有标注的参数按数值处理；忘记标注张量会在首次调用时失败。",
    ),
    bad=GOOD.replace("pypto.DT_FP32)):", "pypto.DT_FP32), scale=1.0):"),
    good=GOOD.replace("pypto.DT_FP32)):", "pypto.DT_FP32), scale: float = 1.0):"),
)

convention(
    7,
    "import-pypto-plainly",
    title=("pypto is imported as pypto", "以 import pypto 的形式导入"),
    message=(
        "{form} hides from readers and tools what belongs to pypto",
        "{form} 使读者与工具看不出哪些名称属于 pypto",
    ),
    help=("write import pypto, and pypto.frontend.jit in full", "写成 import pypto，并完整写出 pypto.frontend.jit"),
    why=(
        "Kernel files of the collection use one form of import, so that every name of the API is written in full.",
        "算子集的 kernel 文件只用一种导入形式，使每个 API 名称都完整写出。",
    ),
    bad=impl(head="import pypto\nimport pypto as pt"),
    good=GOOD,
)

convention(
    8,
    "no-wrapper",
    title=("a kernel file has a wrapper", "kernel 文件应有 wrapper"),
    message=("no function of the module ends in _wrapper", "模块中没有以 _wrapper 结尾的函数"),
    help=(
        "add {name}_wrapper, which allocates the outputs and calls the kernel once",
        "添加 {name}_wrapper：分配输出并调用一次 kernel",
    ),
    why=(
        "The wrapper is what tests and models call; it hides layout and allocation from them.",
        "测试与模型调用的是 wrapper，它隐藏了布局与分配。",
    ),
    bad=GOOD.replace("add_wrapper", "run"),
    good=GOOD,
)

convention(
    23,
    "kernel-without-loop",
    severity="warning",
    title=("a kernel has a loop", "kernel 应有循环"),
    message=("{name} reaches no pypto.loop, in itself or in a helper", "{name} 及其 helper 中都没有 pypto.loop"),
    help=(
        "loop over blocks of the dynamic axis, or write for _ in pypto.loop(1):",
        "按块循环动态轴，或写 for _ in pypto.loop(1):",
    ),
    why=(
        "Work is given to cores by loops. A kernel without one serves one block only.",
        "工作由循环分给各核；没有循环的 kernel 只处理一个块。",
    ),
    bad=impl(loop="if True:").replace("i * 8", "0 * 8"),
    good=GOOD,
)

convention(
    25,
    "empty-annotation",
    title=("annotation of a tensor says nothing", "张量标注没有内容"),
    message=("{name} has {what}", "{name} 的注解不完整：{what}"),
    help=(
        "declare the shape and the dtype: pypto.Tensor([pypto.DYNAMIC, 128], pypto.DT_FP32)",
        "声明形状与类型：pypto.Tensor([pypto.DYNAMIC, 128], pypto.DT_FP32)",
    ),
    why=(
        (
            "An empty annotation makes every extent a constant of the compilation: each new size compiles again, and what "
            "is wrong with an argument is not found."
        ),
        "空标注使每个维度都成为编译常量：每个新尺寸都要重新编译，参数的错误也查不出来。",
    ),
    bad=impl(shape="[]"),
    good=GOOD,
)

convention(
    28,
    "function-of-narrow-floats",
    severity="warning",
    title=("function that wants FP32 gets a narrower type", "需要 FP32 的函数收到较窄的类型"),
    message=("{op} of {dtype}", "{dtype} 的 {op}"),
    help=("cast to DT_FP32 first, and back at the end", "先转换为 DT_FP32，最后再转回"),
    why=(
        "sigmoid, softmax, sin and cos lose digits in 16 bits; the collection computes them in FP32.",
        "sigmoid、softmax、sin 与 cos 在 16 位下会损失精度；算子集以 FP32 计算它们。",
    ),
    bad=impl("out[:] = pypto.sigmoid(t)", dtype="pypto.DT_BF16"),
    good=impl("out[:] = pypto.cast(pypto.sigmoid(pypto.cast(t, pypto.DT_FP32)), pypto.DT_BF16)", dtype="pypto.DT_BF16"),
)

convention(
    29,
    "nothing-dynamic",
    severity="warning",
    title=("no extent is dynamic", "没有动态维度"),
    message=("no annotation of the file has a DYNAMIC extent", "文件中没有任何标注含 DYNAMIC 维度"),
    help=("declare batch and sequence as pypto.DYNAMIC", "将 batch 与 sequence 声明为 pypto.DYNAMIC"),
    why=(
        "With fixed extents every size is a compilation of its own.",
        "维度固定时，每个尺寸都要单独编译。",
    ),
    bad=impl(shape="[64, 32]"),
    good=GOOD,
)

convention(
    45,
    "host-loop-around-kernel",
    title=("the wrapper calls the kernel in a loop", "wrapper 在循环中调用 kernel"),
    message=("{name} calls {kernel} once per iteration", "{name} 每次迭代都调用 {kernel}"),
    help=(
        "pass the whole tensors, and loop in the kernel with pypto.loop",
        "传入完整张量，并在 kernel 中用 pypto.loop 循环",
    ),
    why=(
        "Every launch costs as much as a small kernel, and blocks of separate launches cannot run at once.",
        "每次启动的开销相当于一个小 kernel，分开启动的块也不能同时执行。",
    ),
    bad=GOOD.replace("    add_kernel_npu(x, out)\n", "    for i in range(4):\n        add_kernel_npu(x[i], out[i])\n"),
    good=GOOD,
)

convention(
    46,
    "loop-of-one-around-loops",
    severity="warning",
    title=("pypto.loop(1) around a real loop", "pypto.loop(1) 套在真正的循环之外"),
    message=("this loop of one iteration holds another loop", "这个只有一次迭代的循环内含另一个循环"),
    help=("keep the inner loop only", "只保留内层循环"),
    why=(
        "pypto.loop(1) stands in for a loop where a tool asks for one; around another loop it adds a level for nothing.",
        "pypto.loop(1) 用于工具要求有循环之处；套在另一个循环外只会平白增加一层。",
    ),
    bad=GOOD.replace("    for i in", "    for _ in pypto.loop(1):\n     for i in"),
    good=GOOD,
)

convention(
    47,
    "one-tile-for-several-steps",
    severity="warning",
    title=("one tile for several steps", "多个步骤共用一个 tile"),
    message=(
        "{name} sets a tile at its top and calls {count} steps: {steps}",
        "{name} 在开头设置 tile，并调用 {count} 个步骤：{steps}",
    ),
    help=("set the tile in each of the steps", "在每个步骤中各自设置 tile"),
    why=(
        "A tile stays in force in what is called afterwards. Where each step sets its own, they can be moved and reused.",
        "tile 对之后调用的内容继续有效。各步骤自行设置 tile 时，才便于移动和复用。",
    ),
    bad=impl(
        "out[:] = pypto_b(pypto_a(t))",
        after="\n\ndef pypto_a(t):\n    return t + 1.0\n\n\ndef pypto_b(t):\n    return t * 2.0\n",
    ),
    good=GOOD,
)

convention(
    48,
    "tile-not-a-literal",
    title=("tile value is no literal", "tile 的值不是字面量"),
    message=("{text} is neither an int nor a name for one", "{text} 既不是整数，也不是整数的名称"),
    help=("write the number, or a constant of the module", "写出数字，或使用模块常量"),
    why=(
        "Tile values that depend on arguments change with the caller; nobody can check them against the memories of a chip.",
        "依赖参数的 tile 值随调用者变化，无法对照芯片的存储进行检查。",
    ),
    bad=GOOD.replace("pypto.DT_FP32)):", "pypto.DT_FP32), rows: int = 8):").replace(
        "shapes(8, 32)", "shapes(rows, 32)"
    ),
    good=impl(head="import pypto\n\nROWS = 8").replace("shapes(8, 32)", "shapes(ROWS, 32)"),
)

convention(
    49,
    "unrolled-outer-loop",
    title=("unroll_list on an outer loop", "外层循环使用 unroll_list"),
    message=(
        "this loop holds the loop in line {line}, and only the innermost is unrolled",
        "该循环包含第 {line} 行的循环，而只有最内层会展开",
    ),
    help=("give unroll_list to the innermost loop", "将 unroll_list 写在最内层循环上"),
    why=(
        "Toolchains unroll the innermost loop; the factors of an outer one multiply the work of compiling.",
        "工具链只展开最内层循环；外层的展开因子会成倍增加编译工作。",
    ),
    bad=GOOD.replace("    for i in", "    for b in pypto.loop(2, unroll_list=[2]):\n     for i in"),
    good=GOOD.replace("    for i in", "    for b in pypto.loop(2):\n     for i in"),
)

convention(
    56,
    "several-unroll-factors",
    title=("several unroll factors", "多个展开因子"),
    message=("unroll_list has {count} values", "unroll_list 有 {count} 个值"),
    help=("write one factor until the kernel is tuned: unroll_list=[1]", "调优之前只写一个因子：unroll_list=[1]"),
    why=(
        "The body is compiled once per factor. Before a kernel is right that only costs time.",
        "每个因子都要编译一次循环体；kernel 正确之前这只会浪费时间。",
    ),
    bad=GOOD.replace("// 8)", "// 8, unroll_list=[4, 1])"),
    good=GOOD.replace("// 8)", "// 8, unroll_list=[1])"),
)

convention(
    57,
    "other-loops",
    title=("loop that is neither pypto.loop nor range", "既非 pypto.loop 也非 range 的循环"),
    message=("{what} in {name}, which is recorded in a kernel", "{name}（会被记录到 kernel 中）含有 {what}"),
    help=("loop with pypto.loop, pypto.loop_unroll or range", "请使用 pypto.loop、pypto.loop_unroll 或 range"),
    why=(
        "Python runs other loops while the kernel is traced, and records their bodies as often as they run.",
        "其他循环在追踪时由 Python 执行，每执行一次就记录一次循环体。",
    ),
    bad=impl("while False:\n            pass\n        out[:] = t + 1.0"),
    good=GOOD,
)

convention(
    58,
    "wrapper-allocates-with-pypto",
    title=("wrapper allocates with pypto", "wrapper 用 pypto 分配"),
    message=(
        "pypto.{op} in {name} records an operation; it gives no memory that a kernel could write",
        "{name} 中的 pypto.{op} 记录一个操作，并不给出可供 kernel 写入的内存",
    ),
    help=(
        "allocate with torch: torch.empty(shape, dtype=..., device=...)",
        "用 torch 分配：torch.empty(shape, dtype=..., device=...)",
    ),
    why=(
        "Operations of pypto work inside of kernels. Outside of one, outputs are tensors of torch or arrays.",
        "pypto 的操作在 kernel 内部工作；在外部，输出是 torch 张量或数组。",
    ),
    bad=GOOD.replace("    add_kernel_npu(x, out)\n", "    out = pypto.zeros(8, 32)\n    add_kernel_npu(x, out)\n"),
    good=GOOD,
)

convention(
    61,
    "operand-form",
    title=("operand in a form that older front ends refuse", "操作数的写法被旧前端拒绝"),
    message=("{what}", "写法：{what}"),
    help=(
        "put the tensor first, plain numbers second, and dtype= by its keyword",
        "张量在前、普通数字在后，并以关键字写 dtype=",
    ),
    why=(
        (
            "Older front ends take a tensor as first operand only, wrap numbers themselves, and read every position of zeros "
            "and ones as an extent."
        ),
        "旧前端只接受张量作为第一个操作数，会自行包装数字，并把 zeros 与 ones 的每个位置参数都当作维度。",
    ),
    bad=impl("out[:] = pypto.add(t, pypto.Element(pypto.DT_FP32, 1.0))"),
    good=impl("out[:] = pypto.add(t, 1.0)"),
)

convention(
    62,
    "torch-arithmetic-in-kernel-file",
    title=("a kernel file computes with torch", "kernel 文件中使用 torch 计算"),
    message=(
        "torch.{op} in {name} is part of the operator that the kernel does not do",
        "{name} 中的 torch.{op} 是 kernel 没有完成的部分",
    ),
    help=(
        "compute in the kernel; the wrapper only allocates, views and reshapes",
        "在 kernel 中计算；wrapper 只做分配、视图与变形",
    ),
    why=(
        "What torch computes around a kernel is not measured, not fused and not on the device's terms.",
        "torch 在 kernel 之外的计算不计入性能，也不会融合。",
    ),
    bad=impl(head="import pypto\nimport torch").replace(
        "    add_kernel_npu(x, out)\n", "    add_kernel_npu(torch.exp(x), out)\n"
    ),
    good=impl(head="import pypto\nimport torch").replace(
        "    add_kernel_npu(x, out)\n", "    add_kernel_npu(x, torch.empty_like(x))\n"
    ),
)
