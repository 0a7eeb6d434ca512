"""PTO270-279: matrix products."""

from __future__ import annotations

from openpto.diagnostics.rules.tensor_examples import OUT, X, program, tensor_rule

CUBE = "pypto.set_cube_tile_shapes([16, 16], [16, 16], [16, 16])"
Y = "y: pypto.Tensor([16, 16], F)"


def product(line: str, *, x: str = X, y: str = Y, out: str = OUT, data: str = "") -> str:
    """Source of a module whose kernel multiplies `x` [8, 16] by `y` [16, 16]."""
    made = f"y = np.ones((16, 16), np.float32){data}"
    return program(CUBE, line, params=f"{x}, {y}, {out}", args="x, y, out", data=made)


GOOD = product("out[:] = pypto.matmul(x, y, F)")


def _wide(columns: int) -> str:
    """A product whose right operand has rows of so many elements, of which a few are used."""
    return program(
        CUBE,
        "c = pypto.matmul(x, y, F)",
        "out[:] = pypto.view(c, [8, 16], [0, 0])",
        params=f"x: pypto.Tensor([8, 16], F), y: pypto.Tensor([16, {columns}], F), {OUT}",
        args="x, y, out",
        data=f"y = np.ones((16, {columns}), np.float32)",
    )


tensor_rule(
    "PTO270",
    "matmul-ranks",
    RuntimeError,
    title=("matmul operands have the wrong rank", "matmul 操作数的维数错误"),
    message=(
        "Tensor dimension mismatch. Expect input_dim == mat2_dim and both in [2, 3, 4], got {first} and {other}",
        "Tensor dimension mismatch. Expect input_dim == mat2_dim and both in [2, 3, 4]（实际为 {first} 和 {other}）",
    ),
    help=(
        "bring both to one rank with pypto.unsqueeze or pypto.reshape",
        "请用 pypto.unsqueeze 或 pypto.reshape 使两者维数相同",
    ),
    why=("The last two axes are multiplied; axes before them are a batch.", "最后两个轴做乘积；之前的轴为批次。"),
    phrases=("Tensor dimension mismatch. Expect input_dim == mat2_dim and both in [2, 3, 4]",),
    aliases=("F0000B",),
    bad=product("out[:] = pypto.matmul(pypto.unsqueeze(x, 0), y, F)"),
    good=GOOD,
)
_DYNAMIC = {
    "x": "x: pypto.Tensor([pypto.DYNAMIC, 16], F)",
    "out": "out: pypto.Tensor([pypto.DYNAMIC, 16], F)",
}
tensor_rule(
    "PTO271",
    "matmul-dynamic-operand",
    RuntimeError,
    title=("dynamic tensor used as an operand of matmul", "动态张量被直接用作 matmul 的操作数"),
    message=(
        (
            "operand{number} dim[{axis}] = -1, must be > 0: {name} is {shape}. Dynamic shape tensors are not allowed as "
            "operation operands"
        ),
        (
            "operand{number} dim[{axis}] = -1, must be > 0：{name} 为 {shape}。Dynamic shape tensors are not allowed as "
            "operation operands"
        ),
    ),
    help=(
        "Use view in pypto.loop: tile = pypto.view({name}, [<rows>, <cols>], [i * <rows>, 0]); then multiply the tile",
        "Use view in pypto.loop：tile = pypto.view({name}, [<rows>, <cols>], [i * <rows>, 0])，再对 tile 做乘积",
    ),
    why=(
        (
            "Cube tiles are cut from operands whose extents are known when the kernel is compiled. This is no limit of "
            "the simulation: every toolchain refuses it."
        ),
        "cube tile 从编译时形状已知的操作数中切出。这不是仿真的限制：所有工具链都会拒绝。",
    ),
    phrases=(
        "operand{number} dim[{axis}] = -1, must be > 0",
        "Dynamic shape tensors are not allowed as operation operands",
    ),
    aliases=("FC3000", "F0000A"),
    bad=product("out[:] = pypto.matmul(x, y, F)", **_DYNAMIC),
    good=product("out[0:8, :] = pypto.matmul(pypto.view(x, [8, 16], [0, 0]), y, F)", **_DYNAMIC),
)
_INT = "x: pypto.Tensor([8, 16], pypto.DT_INT8)"
tensor_rule(
    "PTO272",
    "matmul-dtypes-differ",
    ValueError,
    title=("matmul operands have different dtypes", "matmul 操作数的 dtype 不同"),
    message=(
        "Non-FP8 inputs require identical dtypes. got {first} and {other}",
        "Non-FP8 inputs require identical dtypes.（实际为 {first} 和 {other}）",
    ),
    help=("convert one of them: {how}", "请转换其中一个：{how}"),
    why=("The cube unit multiplies elements of one type.", "cube 单元对同一类型的元素做乘积。"),
    phrases=("Non-FP8 inputs require identical dtypes.",),
    aliases=("F00002",),
    bad=product("out[:] = pypto.matmul(x, y, F)", x=_INT, data="\n    x = np.ones((8, 16), np.int8)"),
    good=GOOD,
)
tensor_rule(
    "PTO273",
    "matmul-output-dtype",
    RuntimeError,
    title=("matmul cannot give this output dtype", "matmul 不能输出该 dtype"),
    message=("{operand} operands give {allowed}, not {out}", "{operand} 操作数可输出 {allowed}，不能输出 {out}"),
    help=(
        "ask for {allowed}, and pypto.cast the result to {out}",
        "请输出 {allowed}，再用 pypto.cast 把结果转换为 {out}",
    ),
    why=(
        (
            "Products are accumulated in FP32 (INT32 for INT8) and converted once on their way out; the conversions of the "
            "hardware are limited."
        ),
        "乘积以 FP32（INT8 为 INT32）累加，输出时转换一次；硬件支持的转换有限。",
    ),
    aliases=("FC3002",),
    bad=product("out[:] = pypto.cast(pypto.matmul(x, y, pypto.DT_INT32), F)"),
    good=GOOD,
)
tensor_rule(
    "PTO274",
    "matmul-k-differs",
    RuntimeError,
    title=("K extents of a matmul differ", "matmul 的 K 长度不同"),
    message=(
        (
            "K-dimension valid shape mismatch. Got input valid shape: {first}, mat2 valid shape: {other} "
            "(Matrix K dimension mismatch: {a} and {b})"
        ),
        (
            "K-dimension valid shape mismatch. Got input valid shape: {first}, mat2 valid shape: {other} "
            "（Matrix K dimension mismatch：{a} 和 {b}）"
        ),
    ),
    help=(
        "check a_trans and b_trans; the columns of the left operand meet the rows of the right one",
        "请检查 a_trans 和 b_trans；左操作数的列与右操作数的行相对应",
    ),
    why=("Every product of the sum needs an element of both operands.", "求和中的每个乘积都需要两个操作数的元素。"),
    phrases=("K-dimension valid shape mismatch. Got input valid shape:", "Matrix K dimension mismatch"),
    aliases=("F0000B", "FC3001"),
    bad=product("out[:] = pypto.matmul(x, y[0:8, :], F)"),
    good=GOOD,
)
tensor_rule(
    "PTO275",
    "matmul-extras",
    ValueError,
    title=("extend_params of matmul are not possible", "matmul 的 extend_params 无效"),
    message=("matmul: {why}", "matmul 的 extend_params 有误：{why}"),
    help=("help(pypto.matmul) lists the keys and their shapes", "可用 help(pypto.matmul) 查看各键及其形状"),
    why=(
        "Bias, scale and ReLU are applied while the result leaves the cube unit; each has a fixed shape and dtype.",
        "偏置、缩放和 ReLU 在结果离开 cube 单元时应用；各有固定的形状和 dtype。",
    ),
    aliases=("F0000B", "F00002", "FC3002"),
    words=(
        "ReLU is not supported in split-k scenarios",
        "The param of trans_mode is only supported when input data type is DT_FP32",
    ),
    bad=product("out[:] = pypto.matmul(x, y, F, extend_params={'bias': y[0:1, :]})"),
    good=product("out[:] = pypto.matmul(x, y, F, extend_params={'bias_tensor': y[0:1, :]})"),
)
tensor_rule(
    "PTO276",
    "matmul-format",
    RuntimeError,
    title=("layout is not possible in this matmul", "该 matmul 不支持此布局"),
    message=("matmul: {why}", "matmul 的布局有误：{why}"),
    help=("use ND tensors", "请使用 ND 张量"),
    why=(
        "Fractal layouts exist for operands of the smaller types; results always come out in ND.",
        "分形布局只用于较小类型的操作数；结果总是 ND。",
    ),
    phrases=("{why}",),
    aliases=("F0000D",),
    words=("Output tensor do not support NZ currently.",),
    bad=product("out[:] = pypto.matmul(x, y, F, c_matrix_nz=True)"),
    good=GOOD,
)
tensor_rule(
    "PTO277",
    "matmul-operator-dtype",
    RuntimeError,
    title=("x @ y has no output dtype for these operands", "x @ y 对这些操作数没有输出 dtype"),
    message=("unsupported dtype {dtype} for @", "@ 的类型有误：unsupported dtype {dtype}"),
    help=("write pypto.matmul(x, y, out_dtype)", "请写成 pypto.matmul(x, y, out_dtype)"),
    why=(
        "The operator gives FP16, BF16 and FP32 operands their own dtype and INT8 operands INT32; it knows no others.",
        "该运算符对 FP16、BF16、FP32 保持 dtype，对 INT8 输出 INT32；不支持其他类型。",
    ),
    phrases=("unsupported dtype",),
    aliases=("F00003",),
    bad=product(
        "out[:] = pypto.cast(x @ y, F)",
        x="x: pypto.Tensor([8, 16], pypto.DT_INT32)",
        y="y: pypto.Tensor([16, 16], pypto.DT_INT32)",
        data="\n    x, y = np.ones((8, 16), np.int32), np.ones((16, 16), np.int32)",
    ),
    good=product("out[:] = x @ y"),
)
tensor_rule(
    "PTO278",
    "matmul-batch",
    RuntimeError,
    title=("batch axes of a matmul differ", "matmul 的批次轴不同"),
    message=("batchSize invalid: {first} and {other}", "批次有误：batchSize invalid（{first} 和 {other}）"),
    help=("batch extents must be equal, or 1", "批次长度必须相等，或为 1"),
    why=(
        "Every matrix of one operand meets one of the other; a batch of 1 is repeated.",
        "两个操作数的矩阵一一对应；长度为 1 的批次会被重复。",
    ),
    phrases=("batchSize invalid",),
    aliases=("F0000B",),
    bad=program(
        CUBE,
        "a = pypto.reshape(x, [2, 4, 16])",
        "b = pypto.reshape(pypto.full([48, 16], 1.0, F), [3, 16, 16])",
        "out[:] = pypto.reshape(pypto.matmul(a, b, F), [8, 16])",
        tile="1, 8, 16",
    ),
    good=program(
        CUBE,
        "a = pypto.reshape(x, [2, 4, 16])",
        "b = pypto.reshape(pypto.full([32, 16], 1.0, F), [2, 16, 16])",
        "out[:] = pypto.reshape(pypto.matmul(a, b, F), [8, 16])",
        tile="1, 8, 16",
    ),
)
tensor_rule(
    "PTO279",
    "matmul-inner-axis",
    RuntimeError,
    title=("inner axis of a matmul operand is too long", "matmul 操作数的内轴过长"),
    message=(
        "inner axis must be less than 65535: {name} has {extent} elements there, its shape is {shape}",
        "inner axis must be less than 65535：{name} 的内轴有 {extent} 个元素，其形状为 {shape}",
    ),
    help=(
        "cut the operand with view in a loop and add up the products, or store it transposed and set a_trans or b_trans",
        "请在循环中用 view 切分该操作数并累加乘积，或转置存放并设置 a_trans 或 b_trans",
    ),
    why=(
        "A copy into L1 counts the elements of a stored row in 16 bits. The outer axis has no such limit.",
        "复制到 L1 时，一行的元素个数用 16 位计数。外轴没有此限制。",
    ),
    phrases=("inner axis must be less than 65535",),
    aliases=("FC3000",),
    bad=_wide(65536),
    good=_wide(65535),
)
