"""The way to a device: the interpreter that `PYPTO_NPU_PYTHON` names, and what it has."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from openpto.diagnostics.language import T
from openpto.doctor.report import Section

SECONDS = 60.0
"""How long the other interpreter may take to answer; loading its stack takes a while."""

_QUESTION = """
import importlib.metadata as metadata, json, sys

def version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None

found = {"python": sys.version.split()[0]}
found.update({name: version(name) for name in ("torch", "torch-npu", "pypto", "openpto")})
found["devices"] = None
if found["torch-npu"]:
    try:
        import torch, torch_npu
        found["devices"] = torch.npu.device_count() if torch.npu.is_available() else 0
    except Exception as error:
        found["error"] = " ".join(f"{type(error).__name__}: {error}".split())[:300]
print(json.dumps(found))
"""


def section(environ: Mapping[str, str]) -> Section:
    """Whether kernels can be handed to a device."""
    made = Section("device", T("device", "设备"))
    here = find_spec("torch_npu") is not None
    made.fact(
        "torch_npu", T("torch_npu here", "本解释器的 torch_npu"), T("importable", "可导入") if here else T("none", "无")
    )
    chosen = environ.get("PYPTO_NPU_PYTHON", "").strip()
    asked = environ.get("PYPTO_RUN_MODE", "").strip().lower() in ("npu", "0")
    if not chosen:
        made.fact(
            "python",
            T("other interpreter", "另一个解释器"),
            T("none (PYPTO_NPU_PYTHON is not set)", "无（未设置 PYPTO_NPU_PYTHON）"),
        )
        if asked:
            made.found(
                "problem",
                "no-device",
                T("PYPTO_RUN_MODE asks for a device, and there is none", "PYPTO_RUN_MODE 要求使用设备，但没有设备"),
                T(
                    "unset PYPTO_RUN_MODE, or set PYPTO_NPU_PYTHON",
                    "请取消设置 PYPTO_RUN_MODE，或设置 PYPTO_NPU_PYTHON",
                ),
                rule="PTO298",
            )
        return made
    made.fact("python", T("other interpreter", "另一个解释器"), chosen)
    answer, why = ask(chosen, environ)
    if answer is None:
        made.found(
            "problem" if asked else "warning",
            "device-interpreter-broken",
            T(f"PYPTO_NPU_PYTHON does not answer: {why}", f"PYPTO_NPU_PYTHON 没有应答：{why}"),
            T("set it to the path of a Python that has the device's stack", "请设为装有设备软件栈的 Python 的路径"),
        )
        return made
    _stack(made, answer)
    return made


def ask(command: str, environ: Mapping[str, str]) -> tuple[dict[str, Any] | None, str]:
    """What an interpreter says of itself, started as calls of kernels start it, or why it says nothing."""
    from openpto.capsule.interpreter import surroundings, words_of

    try:
        done = subprocess.run(
            [*words_of(command), "-c", _QUESTION],
            capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False, env=surroundings(environ),
            stdin=subprocess.DEVNULL, cwd=os.path.dirname(__file__),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None, f"> {SECONDS:.0f} s"
    except OSError as error:
        return None, error.strerror or str(error)
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    try:
        answer = json.loads(lines[-1]) if lines else None
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        said = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        return None, said[:300]
    return answer, ""


def _stack(made: Section, answer: Mapping[str, Any]) -> None:
    """What the other interpreter has."""
    for name in ("torch", "torch-npu", "pypto", "openpto"):
        if answer.get(name):
            made.fact(name, name, str(answer[name]))
    devices = answer.get("devices")
    made.fact("devices", T("devices", "设备数"), "0" if devices is None else str(devices))
    if answer.get("error"):
        made.found(
            "warning",
            "torch-npu-broken",
            T(f"torch_npu cannot be loaded there: {answer['error']}", f"其中的 torch_npu 无法加载：{answer['error']}"),
            T("repair the device's stack, or source its set-up script first", "请修复设备软件栈，或先执行其环境脚本"),
        )
    elif devices is None:
        made.found(
            "note",
            "no-torch-npu",
            T(
                "it has no torch_npu: kernels run there in simulation",
                "其中没有 torch_npu：kernel 在那里以仿真方式运行",
            ),
        )
    elif devices == 0:
        made.found(
            "warning",
            "no-devices",
            T("torch_npu is there and sees no device", "其中有 torch_npu，但看不到设备"),
            T(
                "look at npu-smi info, and at ASCEND_RT_VISIBLE_DEVICES",
                "请查看 npu-smi info 与 ASCEND_RT_VISIBLE_DEVICES",
            ),
        )
