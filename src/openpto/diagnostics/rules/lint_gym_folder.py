"""PTO709-759: conventions of an operator collection for the documents beside a kernel file, and what they promise."""

from openpto.diagnostics.rules.lint_gym import convention

_FILES = "it concerns files beside the kernel file; tests/lint/test_folder.py shows it"

convention(
    9,
    "spec-incomplete",
    title=("the specification of an operator is not complete", "算子的规格说明不完整"),
    message=("SPEC.md {what}", "SPEC.md 不完整：{what}"),
    help=(
        "name the operator, and give p0_shapes, supported_dtypes and tolerance in the front matter",
        "写明算子名称，并在 front matter 中给出 p0_shapes、supported_dtypes 与 tolerance",
    ),
    why=(
        "The other rules compare kernels and tests with what the specification promises.",
        "其他规则将 kernel 与测试同规格说明的承诺进行比较。",
    ),
    untestable=_FILES,
)

convention(
    10,
    "api-report-incomplete",
    title=("the report on the API lacks a section", "API 报告缺少章节"),
    message=("API_REPORT.md has no section on {missing}", "API_REPORT.md 没有关于 {missing} 的章节"),
    help=("add the section", "请补充该章节"),
    why=(
        "The report says which operations are used, what they demand, and how tiles follow from it.",
        "该报告说明使用哪些操作、它们的要求以及由此得出的 tile。",
    ),
    untestable=_FILES,
)

convention(
    12,
    "design-incomplete",
    title=("the design lacks a section", "设计文档缺少章节"),
    message=("DESIGN.md has no section on {missing}", "DESIGN.md 没有关于 {missing} 的章节"),
    help=("add the section", "请补充该章节"),
    why=(
        "A design says what is computed in which order, in which tiles, and how that is verified.",
        "设计说明计算的内容与顺序、所用的 tile 以及验证方法。",
    ),
    untestable=_FILES,
)

convention(
    13,
    "operator-file-missing",
    title=("a file of the operator is missing", "算子缺少文件"),
    message=("{missing} is missing beside {file}", "{file} 旁缺少 {missing}"),
    help=("add it", "请补充"),
    why=(
        "An operator is its kernel file, its golden, its test and its README.",
        "一个算子由 kernel 文件、golden、测试与 README 组成。",
    ),
    untestable=_FILES,
)

convention(
    30,
    "dtype-not-tested",
    severity="warning",
    title=("a promised dtype is not tested", "承诺的类型没有测试"),
    message=("{dtype} is promised, and {test} does not name it", "承诺支持 {dtype}，但 {test} 中没有出现"),
    help=(
        "add a case of this dtype, or take it out of supported_dtypes",
        "增加该类型的用例，或从 supported_dtypes 中删除",
    ),
    why=(
        "What is promised and not tested is a guess.",
        "承诺而未测试的内容只是猜测。",
    ),
    untestable=_FILES,
)

convention(
    31,
    "dynamic-axis-not-declared",
    title=("a dynamic axis of the design is not dynamic in the kernel", "设计中的动态轴在 kernel 中不是动态的"),
    message=(
        "the design has dynamic axes ({axes}), and the kernel declares no DYNAMIC extent",
        "设计含动态轴（{axes}），而 kernel 没有声明 DYNAMIC 维度",
    ),
    help=("declare these axes as pypto.DYNAMIC", "将这些轴声明为 pypto.DYNAMIC"),
    why=(
        "An axis that is not declared dynamic compiles anew for every size.",
        "没有声明为动态的轴，每个尺寸都要重新编译。",
    ),
    untestable=_FILES,
)

convention(
    32,
    "tolerance-of-spec",
    severity="warning",
    title=("tolerances of specification and test do not agree", "规格说明与测试的容差不一致"),
    message=("{what}", "容差：{what}"),
    help=(
        "give {{atol, rtol}} or the three matrices, and compare in the test with the same numbers",
        "给出 {{atol, rtol}} 或三个矩阵，并在测试中使用相同的数值",
    ),
    why=(
        "A test that is more than three times looser than the promise does not check it.",
        "比承诺宽松三倍以上的测试没有检查承诺。",
    ),
    untestable=_FILES,
)

convention(
    33,
    "golden-and-wrapper-differ",
    severity="warning",
    title=("golden and wrapper take different numbers of arguments", "golden 与 wrapper 的参数个数不同"),
    message=(
        "{golden} needs {count} argument(s), {wrapper} {other}",
        "{golden} 需要 {count} 个参数，{wrapper} 需要 {other} 个",
    ),
    help=("give both the inputs of the operator", "让两者都接收算子的输入"),
    why=(
        "A test calls both with the same inputs.",
        "测试以相同的输入调用两者。",
    ),
    untestable=_FILES,
)

convention(
    34,
    "promised-shape-not-tested",
    severity="warning",
    title=("a promised shape is not tested", "承诺的形状没有测试"),
    message=("{test} does not use the shape {shape}", "{test} 没有使用形状 {shape}"),
    help=("add a case of this shape", "增加该形状的用例"),
    why=(
        "p0_shapes are the sizes that users run; what depends on size shows there only.",
        "p0_shapes 是用户实际使用的尺寸；与尺寸有关的问题只在那里出现。",
    ),
    untestable=_FILES,
)

convention(
    37,
    "names-differ-from-the-design",
    severity="warning",
    title=("a kernel file uses none of the names of its design", "kernel 文件没有使用设计中的任何名称"),
    message=(
        "DESIGN.md calls intermediate values {names}; no function of {file} has one of these names",
        "DESIGN.md 将中间结果称为 {names}；{file} 的函数中没有这些名称",
    ),
    help=("give the values the names of the design, or change the design", "请使用设计中的名称，或修改设计"),
    why=(
        "Who reads the design beside the kernel finds a step by its name.",
        "对照设计阅读 kernel 的人靠名称找到各个步骤。",
    ),
    untestable="it concerns files beside the kernel file; tests/lint/test_state.py shows it",
)

convention(
    40,
    "front-matter",
    title=("a document has no front matter", "文档没有 front matter"),
    message=("{file} does not begin with a front matter", "{file} 开头没有 front matter"),
    help=(
        "begin with --- and the keys that tools read, and end it with ---",
        "以 --- 开头并写出工具读取的键，再以 --- 结束",
    ),
    why=(
        "Tools read the front matter and not the text.",
        "工具读取的是 front matter 而不是正文。",
    ),
    untestable=_FILES,
    also=("OL39",),
)

_PASTED = "# add_impl.py\nimport pypto\n\n# error[PTO412]: output parameter is rebound, not written\n"

convention(
    41,
    "pasted-report",
    title=("the report of a tool stands in a source file", "源文件中粘贴了工具的报告"),
    message=("this line was printed by a tool", "这一行是工具输出的内容"),
    help=("remove it", "请删除"),
    why=(
        "Reports are about a state of the file that is gone when it is edited.",
        "报告描述的是文件编辑之前的状态。",
    ),
    bad=_PASTED,
    good="# add_impl.py\nimport pypto\n",
)

convention(
    50,
    "wrapper-parameters",
    title=("parameters of the wrapper are not those of its interface", "wrapper 的参数与接口不一致"),
    message=("{wrapper} takes ({have}), its interface says ({want})", "{wrapper} 的参数为（{have}），接口为（{want}）"),
    help=("take the primary inputs in their order; extras go into **kwargs", "按顺序接收主要输入；其余放入 **kwargs"),
    why=(
        "Modules are put together by their interfaces.",
        "模块按接口组合。",
    ),
    untestable=_FILES,
)

convention(
    51,
    "fewer-writes-than-outputs",
    title=("fewer outputs are written than are declared", "写入的输出少于声明的个数"),
    message=(
        "{count} output(s) are declared, and the kernel writes {have} parameter(s)",
        "声明了 {count} 个输出，而 kernel 只写入 {have} 个参数",
    ),
    help=(
        "write every output: out[:] = ..., out.move(...) or pypto.assemble(..., out)",
        "写入每个输出：out[:] = ...、out.move(...) 或 pypto.assemble(..., out)",
    ),
    why=(
        "An output that is not written keeps what its memory held before.",
        "没有写入的输出保留内存原有的内容。",
    ),
    untestable=_FILES,
)

convention(
    53,
    "inventory-not-finished",
    severity="warning",
    title=("an entry of the inventory is open", "清单中还有未完成的条目"),
    message=("this part of the golden is not done yet", "golden 的这一部分尚未完成"),
    help=("do it and tick it", "完成后打勾"),
    why=(
        "The inventory lists what the golden computes; an open entry is a part that nobody compared.",
        "清单列出 golden 计算的内容；未打勾的条目即没有人比较过的部分。",
    ),
    untestable=_FILES,
)

convention(
    54,
    "self-review-not-finished",
    title=("a self-review is not finished", "自查没有完成"),
    message=("{heading} has {done} of six points ticked", "{heading} 的六项中完成了 {done} 项"),
    help=("go through the six points and tick them", "逐项检查六个要点并打勾"),
    why=(
        "A phase is over when its six points were looked at.",
        "六个要点都检查过，一个阶段才算结束。",
    ),
    untestable=_FILES,
)

convention(
    59,
    "performance-report-without-table",
    title=("the report on the golden's performance has no table", "golden 性能报告没有表格"),
    message=("GOLDEN_PERF_REPORT.md has no table", "GOLDEN_PERF_REPORT.md 中没有表格"),
    help=("add a table of sizes and times", "增加尺寸与时间的表格"),
    why=(
        "What a kernel gains is told against these times.",
        "kernel 的收益以这些时间为基准。",
    ),
    untestable=_FILES,
)
