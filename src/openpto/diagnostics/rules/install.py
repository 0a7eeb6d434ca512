"""PTO59x: the environment that the package is installed in."""

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, register

_EXPLANATION = T(
    "The vendor's distribution is called pypto and installs an import package of that name, as OpenPTO does. Only one "
    "of the two can answer to `import pypto`. Where both write into one folder the result is a mixture of files, and a "
    "kernel would run partly on either.",
    "厂商的发行包名为 pypto，安装的导入包也叫 pypto，OpenPTO 亦然。`import pypto` 只能由其中之一响应。"
    "若两者写入同一目录，文件就会混杂，kernel 会一部分在此、一部分在彼运行。",
)
_PLANTED = "needs another distribution in the environment; tests/test_install.py plants one"

register(
    Rule(
        code="PTO590",
        name="mixed-with-foreign-pypto",
        exc=ImportError,
        title=T("two implementations share the folder of `pypto`", "两个实现共用 `pypto` 目录"),
        message=T(
            "the distribution pypto {version} is installed in {folder}, where OpenPTO's `pypto` lies too",
            "发行包 pypto {version} 安装在 {folder}，而 OpenPTO 的 `pypto` 也在该目录",
        ),
        help=T(
            "run `pip uninstall pypto openpto` and then install one of the two, or give each an environment of its own",
            "请运行 `pip uninstall pypto openpto`，然后只安装其中之一，或为两者分别建立环境",
        ),
        explanation=_EXPLANATION,
        untestable=_PLANTED,
    )
)

register(
    Rule(
        code="PTO591",
        name="hides-foreign-pypto",
        severity="warning",
        title=T("another `pypto` is installed and hidden", "环境中另有一个被遮蔽的 `pypto`"),
        message=T(
            "the distribution pypto {version} in {folder} is not what runs: `import pypto` loads OpenPTO from {own}",
            "{folder} 中的发行包 pypto {version} 并未运行：`import pypto` 加载的是 {own} 中的 OpenPTO",
        ),
        help=T(
            "give the two an environment each if the other one is meant",
            "如果想使用另一个，请为两者分别建立环境",
        ),
        explanation=_EXPLANATION,
        untestable=_PLANTED,
    )
)
