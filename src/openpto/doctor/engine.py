"""Which engine runs kernels and why, on which code path, with how many threads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from openpto.diagnostics import PyptoError
from openpto.diagnostics.language import T
from openpto.doctor.installed import version_of, why_broken
from openpto.doctor.report import Section

_PATHS = ("native", "avx512", "avx2", "generic")
_NEEDED = {
    "avx512": ("avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512cd"),
    "avx2": ("avx2", "fma", "f16c", "bmi", "bmi2"),
}
"""Features of the CPU that a code path uses."""
_SHOWN = (
    "avx512f",
    "avx512vnni",
    "avx512bf16",
    "avx512fp16",
    "amx-int8",
    "avx2",
    "fma",
    "f16c",
    "neon",
    "dotprod",
    "sve",
)


def section(environ: Mapping[str, str]) -> Section:
    """The engine, its code path and its threads."""
    made = Section("engine", T("engine", "引擎"))
    loads = "llvmlite" if version_of("llvmlite") is None else why_broken("llvmlite.binding")
    _engine(made, environ, loads)
    if not loads:
        _code_path(made, environ)
    _threads(made, environ)
    return made


def asked_for(environ: Mapping[str, str]) -> str:
    """The engine that the variables ask for; "auto" if they do not, or if they are refused, which is told elsewhere."""
    from openpto.language.configuration import from_variable

    try:
        return str(from_variable("engine", environ))
    except PyptoError:
        return "auto"


def _engine(made: Section, environ: Mapping[str, str], missing: str) -> None:
    asked = asked_for(environ)
    native = asked == "native" or (asked == "auto" and not missing)
    name = "native" if native else "reference"
    if asked != "auto":
        why = T(f"PYPTO_ENGINE={asked}", f"PYPTO_ENGINE={asked}")
    else:
        why = T("llvmlite can be loaded", "可以加载 llvmlite") if native else T("without llvmlite", "没有 llvmlite")
    made.fact("engine", T("chosen", "选用"), T(f"{name}: {why.en}", f"{name}：{why.zh}"))
    if not missing:
        return
    state = (
        T("llvmlite is not installed", "未安装 llvmlite")
        if missing == "llvmlite"
        else T(f"llvmlite cannot be loaded: {missing}", f"无法加载 llvmlite：{missing}")
    )
    cure = T("pip install llvmlite", "运行 pip install llvmlite")
    if missing != "llvmlite":
        cure = T("pip install --force-reinstall llvmlite", "运行 pip install --force-reinstall llvmlite")
    if native:
        made.found(
            "problem",
            "native-engine-missing",
            T(f"PYPTO_ENGINE=native is set, but {state.en}", f"设置了 PYPTO_ENGINE=native，但{state.zh}"),
            T(f"{cure.en}, or unset PYPTO_ENGINE", f"{cure.zh}，或取消设置 PYPTO_ENGINE"),
            rule="PTO444",
        )
    elif asked != "reference":
        made.found(
            "warning",
            "native-engine-missing",
            T(
                f"{state.en}: kernels run on the reference engine, op by op with numpy, with the same results, slowly",
                f"{state.zh}：kernel 在参考引擎上用 numpy 逐个操作运行，结果相同，但较慢",
            ),
            cure,
        )


def _code_path(made: Section, environ: Mapping[str, str]) -> None:
    from openpto.runtime.native import targets

    chosen = environ.get("PYPTO_CPU", "").strip() or "native"
    llvm = targets.binding()
    has = {name for name, present in llvm.get_host_cpu_features().items() if present}
    made.fact("cpu", T("CPU", "CPU"), f"{llvm.get_host_cpu_name()}: {', '.join(f for f in _SHOWN if f in has) or '-'}")
    if chosen not in _PATHS:
        made.found(
            "warning",
            "unknown-code-path",
            T(
                f"PYPTO_CPU is {chosen!r}, which is none of {', '.join(_PATHS)}: the code path of this machine is used",
                f"PYPTO_CPU 为 {chosen!r}，不是 {', '.join(_PATHS)} 之一：使用本机的代码路径",
            ),
            T("unset PYPTO_CPU", "请取消设置 PYPTO_CPU"),
        )
        chosen = "native"
    lacks = [name for name in _NEEDED.get(chosen, ()) if name not in has]
    if lacks and llvm.get_process_triple().startswith("x86_64"):
        made.found(
            "problem",
            "code-path-not-supported",
            T(
                f"PYPTO_CPU={chosen} makes code that this CPU cannot run: it lacks {', '.join(lacks)}",
                f"PYPTO_CPU={chosen} 生成的代码无法在此 CPU 上运行：缺少 {', '.join(lacks)}",
            ),
            T("unset PYPTO_CPU", "请取消设置 PYPTO_CPU"),
        )
    goal = targets.target(chosen)
    why = "PYPTO_CPU" if chosen != "native" else T("this machine's", "本机")
    label = why if isinstance(why, T) else T(why, why)
    made.fact(
        "code_path",
        T("code path", "代码路径"),
        T(f"{_lanes(goal.features)} ({label.en})", f"{_lanes(goal.features)}（{label.zh}）"),
    )


def _lanes(features: frozenset[str]) -> str:
    """The widest vectors that code may use."""
    for feature, name in (("avx512f", "AVX-512"), ("avx2", "AVX2"), ("neon", "NEON")):
        if feature in features:
            return name
    return "generic"


def _threads(made: Section, environ: Mapping[str, str]) -> None:
    from openpto.runtime.native import cpus

    allowed, limit = cpus.affinity(), cpus.quota()
    machine = os.cpu_count() or allowed
    made.fact("processors", T("processors", "处理器"), T(f"{allowed} of {machine}", f"{machine} 个中的 {allowed} 个"))
    if limit is not None:
        made.fact("quota", T("quota of the control group", "控制组配额"), str(limit))
    try:
        threads = _wanted()
    except PyptoError:  # told with the variables
        return
    asked = "PYPTO_NUM_THREADS" in environ
    why = T("PYPTO_NUM_THREADS", "PYPTO_NUM_THREADS") if asked else T("as many as there are", "与处理器数相同")
    made.fact("threads", T("threads", "线程"), T(f"{threads} ({why.en})", f"{threads}（{why.zh}）"))
    if threads > cpus.available():
        made.found(
            "warning",
            "too-many-threads",
            T(
                f"{threads} threads share {cpus.available()} processor(s): they wait for each other",
                f"{threads} 个线程共用 {cpus.available()} 个处理器：它们会互相等待",
            ),
            T("unset PYPTO_NUM_THREADS, or lower it", "请取消设置 PYPTO_NUM_THREADS 或调小"),
        )


def _wanted() -> int:
    from openpto.runtime.native import pool

    return pool.wanted() if pool.THREADS else 1


def cache_section() -> Section:
    """The folder that keeps compiled kernels, and why it is not used if it is not."""
    from openpto.runtime.store import FOLDER_VARIABLE, store

    made = Section("cache", T("cache of compiled kernels", "已编译 kernel 的缓存"))
    kept = store()
    if kept.folder is None:
        made.fact("folder", T("folder", "目录"), T(f"none ({FOLDER_VARIABLE}=off)", f"无（{FOLDER_VARIABLE}=off）"))
        made.found(
            "note",
            "cache-off",
            T("kernels are compiled again in every process", "每个进程都会重新编译 kernel"),
        )
        return made
    made.fact("folder", T("folder", "目录"), str(kept.folder))
    problem = kept.check()
    if problem:
        made.found(
            "warning",
            "cache-not-used",
            T(
                f"the cache is not used, so kernels are compiled again in every process: {problem}",
                f"缓存未被使用，每个进程都会重新编译 kernel：{problem}",
            ),
            T(
                f"make the folder yours and writable by you alone (chown, chmod 700 {kept.folder}), or set "
                f"{FOLDER_VARIABLE} to another one, or to off",
                f"请让该目录归自己所有且只有自己可写（chown、chmod 700 {kept.folder}），或用 {FOLDER_VARIABLE} "
                "指定其他目录，或设为 off",
            ),
        )
        return made
    usage = kept.usage()
    size = f"{usage.bytes / 2**20:.1f} MiB / {kept.limit / 2**20:.0f} MiB"
    made.fact("entries", T("entries", "条目"), str(usage.entries))
    made.fact("size", T("size", "大小"), size)
    _space(made, kept.folder)
    return made


def _space(made: Section, folder: Path) -> None:
    import shutil

    free = shutil.disk_usage(folder).free
    if free < 64 * 2**20:
        made.found(
            "warning",
            "disk-full",
            T(f"{free / 2**20:.0f} MiB are left on the disk of the cache", f"缓存所在磁盘仅剩 {free / 2**20:.0f} MiB"),
            T("make room, or set PYPTO_CACHE_DIR", "请清理空间，或设置 PYPTO_CACHE_DIR"),
        )
