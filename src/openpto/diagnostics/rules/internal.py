"""PTO9xx: our own failures, and what is not there yet."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register

register(
    Rule(
        code="PTO901",
        name="internal-error",
        exc=RuntimeError,
        title=T("internal error", "内部错误"),
        message=T(
            "{kind} in {where}: {text}",
            "{where} 中发生 {kind}：{text}",
        ),
        help=T(
            "this is a mistake in OpenPTO, not in your kernel; please file it together with the kernel file and the "
            "output of a run with PYPTO_BACKTRACE=1",
            "这是 OpenPTO 的错误，不是您的 kernel 的问题；请附上 kernel 文件和 PYPTO_BACKTRACE=1 时的输出提交问题",
        ),
        explanation=T(
            "An invariant of the implementation did not hold. The run was stopped because no result is better than a "
            "wrong one. With PYPTO_BACKTRACE=1 the original exception and every frame are shown.",
            "实现内部的不变量被破坏。为避免给出错误结果，运行已停止。"
            "设置 PYPTO_BACKTRACE=1 可看到原始异常和完整的调用栈。",
        ),
        aliases=("F1FFFF",),
        untestable="no known program triggers it; tests plant a failure instead (tests/diagnostics/test_boundary.py)",
    )
)

register(
    Rule(
        code="PTO902",
        name="not-yet-available",
        exc=NotImplementedError,
        title=T("operation not yet available", "该操作尚不可用"),
        message=T("{op} is not yet available in OpenPTO", "OpenPTO 尚未提供 {op}（not yet available）"),
        help=T(
            "the table of public names in the documentation says what is available; express {op} by other operations "
            "where that is possible",
            "文档中的公开名称表列出了可用的操作；如有可能，请用其他操作表达 {op}",
        ),
        explanation=T(
            "Every public name of the API exists. A name whose meaning is not implemented yet stops with this code "
            "instead of computing something else.",
            "API 的每个公开名称都存在。尚未实现其含义的名称会以此代码停止，而不会算出别的结果。",
        ),
        phrases=("not yet available",),
        untestable="which names are missing changes; tests/diagnostics/test_registry.py raises it by hand",
    )
)
