"""Variables of the environment: which are set, which are misspelt, which have a value that nothing takes."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from openpto.diagnostics import PyptoError
from openpto.diagnostics.language import T
from openpto.diagnostics.render import fill
from openpto.doctor.report import Section

KNOWN: Mapping[str, T] = {
    "PYPTO_ENGINE": T("the engine: auto, native or reference", "引擎：auto、native 或 reference"),
    "PYPTO_NUMERICS": T("where FP16 and BF16 round: npu or strict", "FP16 与 BF16 的舍入：npu 或 strict"),
    "PYPTO_TARGET": T("the toolchain whose refusals are errors", "其拒绝视为错误的工具链"),
    "PYPTO_PLATFORM": T("the chip that kernels are held to", "kernel 须符合的芯片"),
    "PYPTO_NUM_THREADS": T("threads of a kernel", "kernel 的线程数"),
    "PYPTO_RUN_MODE": T("sim or npu, whatever the kernel says", "sim 或 npu，优先于 kernel 中的设置"),
    "PYPTO_CPU": T("the code path of the native engine", "本地引擎的代码路径"),
    "PYPTO_CACHE_DIR": T("where compiled kernels are kept, or off", "已编译 kernel 的目录，或 off"),
    "PYPTO_LANG": T("the language of messages: en or zh", "消息的语言：en 或 zh"),
    "PYPTO_BACKTRACE": T("1 keeps whole tracebacks", "1 保留完整的回溯"),
    "PYPTO_VERIFY_NATIVE": T("1 checks the native engine's own code", "1 检查本地引擎自身的代码"),
    "PYPTO_NPU_PYTHON": T("the interpreter that reaches a device", "可访问设备的解释器"),
    "PYPTO_NPU_PYTHONPATH": T("module path of that interpreter", "该解释器的模块路径"),
    "PYPTO_NPU_TIMEOUT": T("seconds that it may take", "允许它运行的秒数"),
    "PYPTO_NPU_FOLDER": T("where what is handed to it is kept", "交给它的文件的保存目录"),
    "PYPTO_REPLAY_DIR": T("where calls that fail are written as files", "失败的调用写成文件的目录"),
    "PYPTO_TEST_ENGINES": T("engines of the test suite", "测试套件使用的引擎"),
    "PYPTO_TEST_THREADS": T("threads of the test suite", "测试套件的线程数"),
}
"""Every variable that something here reads."""

ELSEWHERE = (
    "TILE_FWK_DEVICE_ID", "TILE_FWK_DEVICE_ID_LIST", "TILE_FWK_OUTPUT_DIR", "PYPTO_THIRD_PARTY_PATH",
    "PYPTO_PROF_PMU_EVENT_TYPE", "PYPTO_LAUNCH_SCHED_SAME_CLUSTER", "PYPTO_DATADUMP_ENABLE",
)  # fmt: skip
"""Variables of the device's toolchain, or of scripts that run there; nothing here reads them."""

_PREFIXES = ("PYPTO_", "TILE_FWK_")


def section(environ: Mapping[str, str]) -> Section:
    """The variables that are set, as kernels of this process read them."""
    made = Section("environment", T("environment", "环境变量"))
    names = sorted(name for name in environ if name.upper().startswith(_PREFIXES))
    if not names:
        made.fact("none", T("set", "已设置"), T("none", "无"))
    for name in names:
        made.fact(name, name, environ[name] or '""')
        if name in KNOWN:
            _check_value(made, name, environ)
        elif name in ELSEWHERE or name.startswith("PYPTO_OP_LINT_"):
            made.found(
                "note",
                "variable-of-the-device",
                T(
                    f"{name} belongs to the device's toolchain; nothing here reads it",
                    f"{name} 属于设备的工具链，此处不读取",
                ),
            )
        else:
            _unknown(made, name)
    return made


def _unknown(made: Section, name: str) -> None:
    near = get_close_matches(name.upper(), [*KNOWN, *ELSEWHERE], n=1, cutoff=0.8)
    cure = T("unset it", "请取消设置")
    if near:
        cure = T(f"did you mean {near[0]}?", f"是否想写 {near[0]}？")
    made.found(
        "warning",
        "unknown-variable",
        T(f"nothing reads {name}: it has no effect", f"没有程序读取 {name}：它不起作用"),
        cure,
    )


def _check_value(made: Section, name: str, environ: Mapping[str, str]) -> None:
    """What a run would say of a value, and values that are silently taken for none."""
    value, refused = environ[name].strip(), _refusal(name, environ)
    if refused is not None:
        message, cure = (_filled(text, refused) for text in (refused.rule.message, refused.rule.help))
        made.found("problem", "value-refused", message, cure, rule=refused.code)
    elif name == "PYPTO_LANG" and value and not value.lower().startswith(("en", "zh")):
        made.found(
            "warning",
            "value-ignored",
            T(f"PYPTO_LANG is {value!r}: the locale decides instead", f"PYPTO_LANG 为 {value!r}：改由系统区域设置决定"),
            T("set it to en or zh", "请设为 en 或 zh"),
        )


def _filled(text: T, refused: PyptoError) -> T:
    """A text of a diagnostic with its particulars."""
    return T(fill(text.en, refused.fields, "en"), fill(text.zh, refused.fields, "zh"))


def _refusal(variable: str, environ: Mapping[str, str]) -> PyptoError | None:
    """The error that reading a variable of the settings gives."""
    from openpto.language.configuration import RUN_MODE_VARIABLE, VARIABLES, from_variable, run_mode_variable

    try:
        if variable == RUN_MODE_VARIABLE:
            run_mode_variable(environ)
        for name in (name for name, known in VARIABLES.items() if known == variable):
            from_variable(name, environ)
    except PyptoError as error:
        return error
    return None
