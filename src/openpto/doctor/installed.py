"""Which packages there are, in which versions, and whether those that kernels need can be loaded."""

from __future__ import annotations

import platform
import re
import sys
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import Literal

from openpto._version import API_LEVEL, __version__
from openpto.diagnostics.language import T
from openpto.doctor.report import Section

OLDEST_PYTHON = (3, 10)


@dataclass(frozen=True, slots=True)
class Package:
    """A package that something needs.

    need     kernels: nothing runs without it; command: some commands need it; engine: the native engine
    extra    the extra of openpto that brings it, empty for what always comes along
    purpose  what it is for
    """

    name: str
    module: str
    oldest: tuple[int, ...]
    need: Literal["kernels", "engine", "command", "choice"]
    purpose: T
    extra: str = ""


PACKAGES = (
    Package("numpy", "numpy", (1, 26), "kernels", T("arrays", "数组")),
    Package("ml_dtypes", "ml_dtypes", (0, 5), "kernels", T("small float types", "低精度浮点类型")),
    Package("llvmlite", "llvmlite", (0, 44), "engine", T("the native engine", "本地引擎")),
    Package("platformdirs", "platformdirs", (4,), "command", T("the cache folder", "缓存目录")),
    Package("typer", "typer", (0, 15), "command", T("the pypto command", "pypto 命令")),
    Package("rich", "rich", (13,), "command", T("pictures in the terminal", "终端中的图示")),
    Package("torch", "torch", (), "choice", T("tensors as arguments", "以 torch 张量为参数"), "torch"),
    Package("libcst", "libcst", (1, 5), "choice", T("pypto lint --fix", "pypto lint --fix"), "lint"),
    Package("pygls", "pygls", (2,), "choice", T("pypto lsp", "pypto lsp"), "lsp"),
)


def section() -> Section:
    """Python, OpenPTO and the packages around it."""
    made = Section("installed", T("installed", "已安装"))
    made.fact("openpto", "openpto", f"{__version__} (pypto API {API_LEVEL}), {_home()}")
    _python(made)
    for package in PACKAGES:
        _package(made, package, try_it=not made.findings)
    return made


def _home() -> str:
    return str(Path(__file__).resolve().parents[1])


def _python(made: Section) -> None:
    machine = f"{platform.system()} {platform.machine()}"
    made.fact("python", "python", f"{platform.python_version()} ({platform.python_implementation()}, {machine})")
    made.fact("executable", T("interpreter", "解释器"), sys.executable or "?")
    if sys.version_info < OLDEST_PYTHON:
        made.found(
            "problem",
            "python-too-old",
            T("OpenPTO needs Python 3.10 or later", "OpenPTO 需要 Python 3.10 或更高版本"),
            T("make an environment with a newer Python", "请用较新的 Python 建立环境"),
        )


def _package(made: Section, package: Package, try_it: bool) -> None:
    """A package's version; what is missing, too old or broken is a finding of the weight that its purpose has.

    try_it    whether to load it if kernels need it: what is built on something broken says nothing new
    """
    version, broken = version_of(package.name), ""
    if version is not None and package.need == "kernels" and try_it:
        broken = why_broken(package.module)
    missing = T(f"missing: {package.purpose.en}", f"未安装：{package.purpose.zh}")
    made.fact(package.name, package.name, missing if version is None else version)
    level: Literal["problem", "warning"] = "problem" if package.need == "kernels" else "warning"
    install = T(f"pip install '{wanted(package)}'", f"运行 pip install '{wanted(package)}'")
    if broken:
        made.found(
            "problem",
            f"{package.name}-broken",
            T(f"{package.name} cannot be loaded: {broken}", f"无法加载 {package.name}：{broken}"),
            T(
                f"pip install --force-reinstall '{wanted(package)}'",
                f"运行 pip install --force-reinstall '{wanted(package)}'",
            ),
        )
    elif version is None and package.need in ("kernels", "command"):
        made.found(
            level,
            f"{package.name}-missing",
            T(
                f"{package.name} is not installed: it is needed for {package.purpose.en}",
                f"未安装 {package.name}：用于{package.purpose.zh}",
            ),
            install,
        )
    elif version is not None and package.oldest and numbers(version) < package.oldest:
        made.found(
            level,
            f"{package.name}-too-old",
            T(
                f"{package.name} {version} is older than {_dotted(package.oldest)}, which OpenPTO needs",
                f"{package.name} {version} 过旧，OpenPTO 需要 {_dotted(package.oldest)} 或更高版本",
            ),
            install,
        )


def wanted(package: Package) -> str:
    """What pip is asked for: the extra that brings a package, or the package with its oldest version."""
    if package.extra:
        return f"openpto[{package.extra}]"
    return f"{package.name}>={_dotted(package.oldest)}"


def version_of(name: str) -> str | None:
    """The version of a distribution as its record says; None if there is none."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def why_broken(module: str) -> str:
    """Why a module cannot be loaded, in one line; empty if it can."""
    try:
        import_module(module)
    except Exception as error:  # whatever its loading runs
        return " ".join(f"{type(error).__name__}: {error}".split())[:300]
    return ""


def numbers(version: str) -> tuple[int, ...]:
    """The numbers at the beginning of a version.

    >>> numbers("2.13.0rc1")
    (2, 13, 0)
    """
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in found[0].split(".")) if found else ()


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
