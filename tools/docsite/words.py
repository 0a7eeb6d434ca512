"""The fixed words of the pages of operations, and of the guide, in both languages."""

from __future__ import annotations

from openpto.diagnostics import T

FAMILIES = {
    "U": T("Elementwise, one operand", "逐元素，一个操作数"),
    "B": T("Elementwise, two or three operands", "逐元素，两个或三个操作数"),
    "C": T("Comparison, logic, bits", "比较、逻辑与位运算"),
    "R": T("Reductions and scans", "归约与扫描"),
    "K": T("Creation", "创建"),
    "S": T("Shape, layout, copy, cast", "形状、布局、拷贝与类型转换"),
    "I": T("Indexing, gather, scatter", "索引、gather 与 scatter"),
    "T": T("Sorting", "排序"),
    "M": T("Matrix product, convolution", "矩阵乘与卷积"),
    "Q": T("Quantisation", "量化"),
    "N": T("Random numbers", "随机数"),
    "P": T("Composite", "组合"),
    "E": T("Experimental", "实验性"),
    "D": T("Distributed", "分布式"),
    "V": T("Debugging, scalar helpers", "调试与标量工具"),
}

WORDS = {
    "operations": T("Operations", "操作"),
    "intro": T(
        "Every public operation of `pypto`, from its declaration. *ULP* is the largest error, in units in the last place, "
        "that the tests allow against an independent golden; 0 is exact.",
        "`pypto` 的全部公开操作，内容来自其声明。*ULP* 为测试允许的相对独立标准结果的最大误差，以最末位为单位；0 表示完全一致。",
    ),
    "contract": T(
        "What all operations have in common is in [the contract](../contract.md); results for special operands, side by "
        "side, are in [the contract, operation by operation](../contract-ops.md).",
        "所有操作的共同之处见[契约](../contract.md)；特殊操作数的结果汇总见[逐操作的契约](../contract-ops.md)。",
    ),
    "name": T("name", "名称"),
    "what": T("what it does", "作用"),
    "types": T("types", "类型"),
    "any": T("any", "任意"),
    "spelling": T("also", "其他写法"),
    "method": T("As a method: `Tensor.{name}`.", "也可作为方法调用：`Tensor.{name}`。"),
    "keyword": T("`{spelling}` is accepted for `{parameter}`.", "`{parameter}` 也可写作 `{spelling}`。"),
    "writes": T("Changes in place: {names}.", "就地修改：{names}。"),
    "shapes": T("Shapes", "形状"),
    "results": T("Types and results", "类型与结果"),
    "chips": T("Element types and chips", "元素类型与芯片"),
    "type": T("type of the first operand", "首个操作数的类型"),
    "listed": T("as above", "见上文"),
    "unit": T("Unit: {unit}.", "执行单元：{unit}。"),
    "vector": T("vector", "向量（vector）"),
    "cube": T("cube", "矩阵（cube）"),
    "move": T("data movement", "数据搬运"),
    "none": T("none: known while tracing", "无：跟踪时即可得出"),
    "restrictions": T("Restrictions", "限制"),
    "errors": T("Refused: {errors}", "会被拒绝：{errors}"),
    "code": T("code", "代码"),
    "says": T("what is refused or warned of", "会被拒绝或警告的情况"),
    "tile vector": T(
        "A vector tile that suits has to be in force: PTO301, PTO303, PTO304, PTO305.",
        "必须有合适的向量 tile 生效：PTO301、PTO303、PTO304、PTO305。",
    ),
    "tile cube": T(
        "A cube tile that suits has to be in force: PTO320, PTO321, PTO322, PTO323, PTO324.",
        "必须有合适的 cube tile 生效：PTO320、PTO321、PTO322、PTO323、PTO324。",
    ),
    "tile move": T(
        "Data movement needs a vector tile on some toolchains: PTO306.",
        "部分工具链要求搬运数据时也有向量 tile：PTO306。",
    ),
    "only 950": T("On the 950 only: PTO308, PTO309.", "仅 950 支持：PTO308、PTO309。"),
    "numerics": T("Arithmetic", "算术"),
    "computed": T("computed in", "计算类型"),
    "rounded": T("rounded", "舍入"),
    "special": T("Results for special operands", "特殊操作数的结果"),
    "ulp": T(
        "Error: at most {ulp} units in the last place of the result, against an independent golden.",
        "误差：相对独立标准结果不超过结果最末位的 {ulp} 个单位。",
    ),
    "exact": T(
        "The result is exact, or rounded as the contract says: every bit is defined.",
        "结果精确，或按契约舍入：每一位都有定义。",
    ),
    "promoted": T(
        "{types} are computed in FP32 along a chain of such operations and rounded where it ends.",
        "{types} 在一串此类操作中以 FP32 计算，到链的末端才舍入。",
    ),
    "how": T("Order: {how}.", "顺序：{how}。"),
    "example": T("Example", "示例"),
    "tested": T("Tested by `{test}` and on; samples: {count}.", "测试：`{test}` 起，共 {count} 个样例。"),
    "guide": T("Guide", "排错指南"),
    "guide intro": T(
        "From what you see to its cause and its cure. `pypto guide` asks the same questions on the command line. Every "
        "block of code in these pages, and every output shown, runs as a test.",
        "从现象找到原因与解决办法。命令行中的 `pypto guide` 提出同样的问题。这些页面中的每段代码与每段输出都作为测试运行。",
    ),
    "see": T("Codes", "错误码"),
    "symptoms": T("Words that lead here", "常见现象与措辞"),
}
