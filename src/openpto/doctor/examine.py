"""The whole examination: every section, in the order in which one hinders the next."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from openpto.diagnostics.language import T
from openpto.doctor import conflicts, device, engine, environment, installed, selftest
from openpto.doctor.report import Section, count


def examine(environ: Mapping[str, str], folder: Path, run_kernels: bool = True) -> list[Section]:
    """The sections of a report.

    environ      the variables of this process
    folder       the current folder: what lies there may hide the package from scripts
    run_kernels  whether to run kernels in processes of their own
    """
    made = [installed.section(), conflicts.section(folder, sys.path), environment.section(environ)]
    if _broken(made):
        return made
    made += [_safely(name, title, work) for name, title, work in _deeper(environ)]
    if run_kernels:
        made.append(_safely("self-test", T("self-test", "自检"), lambda: _self_test(made, environ)))
    return made


def _broken(made: list[Section]) -> bool:
    """Whether the rooms that execute cannot even be loaded."""
    return any(
        finding.level == "problem" and finding.name.endswith(("-missing", "-broken"))
        for section in made
        for finding in section.findings
    )


def _deeper(environ: Mapping[str, str]) -> list[tuple[str, T, Callable[[], Section]]]:
    return [
        ("engine", T("engine", "引擎"), lambda: engine.section(environ)),
        ("cache", T("cache of compiled kernels", "已编译 kernel 的缓存"), engine.cache_section),
        ("device", T("device", "设备"), lambda: device.section(environ)),
    ]


def _safely(name: str, title: T, work: Callable[[], Section]) -> Section:
    """A section; what goes wrong in finding it out is its finding."""
    try:
        return work()
    except Exception as error:  # the doctor looks at broken installations
        made = Section(name, title)
        why = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        made.found(
            "problem",
            "examination-failed",
            T(f"it could not be examined: {why}", f"无法检查：{why}"),
            T("pip install --force-reinstall openpto", "运行 pip install --force-reinstall openpto"),
        )
        return made


def _self_test(made: list[Section], environ: Mapping[str, str]) -> Section:
    from openpto.runtime import native_available

    engines = ["reference", "native"] if native_available() else ["reference"]
    asked = engine.asked_for(environ)
    default = asked if asked in engines else engines[-1]
    section = selftest.section(engines, default, sys.path)
    if "native" not in engines:
        section.fact("native", "native", T("not run: no llvmlite", "未运行：没有 llvmlite"))
    return section


def exit_code(made: list[Section]) -> int:
    """0 if kernels run, 1 if something keeps them from it."""
    return int(count(made, "problem") > 0)
