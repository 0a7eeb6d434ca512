"""PTO714, PTO724, PTO744: conventions of an operator collection for the record of how far an operator is."""

from openpto.diagnostics.rules.lint_gym import convention

_FILES = "it concerns a file beside the kernel file; tests/lint/test_state.py shows it"

convention(
    14,
    "stage-skipped",
    title=("an operator is verified before it is written", "算子尚未写完就进入验证"),
    message=(
        "the record is in stage {stage}, and stage {needed} is not among those that are done",
        "记录处于阶段 {stage}，而阶段 {needed} 尚未完成",
    ),
    help=(
        "finish stage {needed} first, or mark it as completed in .orchestrator_state.json",
        "请先完成阶段 {needed}，或在 .orchestrator_state.json 中将其标记为 completed",
    ),
    why=(
        "In the fifth stage the kernel, its golden and its test are written; the later ones verify and tune them.",
        "第五阶段编写 kernel、golden 与测试；之后的阶段进行验证与调优。",
    ),
    untestable=_FILES,
)

convention(
    24,
    "state-file-not-understood",
    title=("the record of an operator cannot be read", "无法读取算子的状态记录"),
    message=(".orchestrator_state.json has {what}", ".orchestrator_state.json 有误：{what}"),
    help=(
        'write an object with stage (1 to 7) and stages, for example {{"stage": 5, "stages": {{"4": "completed"}}}}',
        '请写包含 stage（1 到 7）与 stages 的对象，例如 {{"stage": 5, "stages": {{"4": "completed"}}}}',
    ),
    why=(
        "The record says which stage an operator is in and which are done; the rules of a stage follow from it.",
        "该记录说明算子处于哪个阶段、哪些阶段已完成；各阶段的规则由此得出。",
    ),
    untestable=_FILES,
)

convention(
    44,
    "phase-incomplete",
    title=("the module that is being written lacks a file", "正在编写的模块缺少文件"),
    message=("phase {phase} has no {missing}", "阶段 {phase} 缺少 {missing}"),
    help=("add it in modules/", "请在 modules/ 中补充"),
    why=(
        "A large operator is written module by module, each with a kernel file, a golden and a test of its own.",
        "较大的算子逐个模块编写，每个模块都有自己的 kernel 文件、golden 与测试。",
    ),
    untestable=_FILES,
)
