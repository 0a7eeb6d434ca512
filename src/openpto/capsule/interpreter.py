"""Another interpreter that runs calls of kernels: it gets a folder, and what it wrote there comes back.

Purpose: the vendor's stack and this project have packages of one name, so that they cannot share a process.
The protocol is a folder with request.json, inputs.npz, kernel files and runner.py, and then result.json and
outputs.npz; docs/verify.md describes it. Nothing that comes back is executed or unpickled.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from openpto.capsule.arrays import Array, dtype_name, from_raw, raw
from openpto.capsule.call import Capsule
from openpto.diagnostics import T, fail

VARIABLE = "PYPTO_NPU_PYTHON"
VERSION = 1
SECONDS = 600.0
"""How long a request may take unless PYPTO_NPU_TIMEOUT says otherwise."""
TAIL = 20
"""Lines of the other interpreter's messages that are shown."""
RUNNER = Path(__file__).with_name("runner.py")
_OWN = ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONSAFEPATH", "VIRTUAL_ENV", "PYPTO_RUN_MODE", VARIABLE)
"""Variables of this process that would lead the other interpreter to this one's packages, or back here."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of one call.

    tensors  contents of the tensor parameters after it; empty if it stopped
    receipt  of a stack that has them
    error    the text of what it stopped with, empty if it ran
    code     of that, where it has one
    """

    tensors: tuple[Array, ...] = ()
    receipt: Mapping[str, Any] | None = None
    error: str = ""
    code: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Answers:
    """What another interpreter did.

    mode   npu: on a device; sim: simulated, by this project's package in another interpreter
    about  names and versions of its stack
    """

    mode: str
    about: Mapping[str, Any]
    calls: tuple[Answer, ...]

    @property
    def stack(self) -> str:
        """One line about the stack."""
        return ", ".join(f"{key} {value}" for key, value in self.about.items()) or self.mode


def command() -> list[str] | None:
    """The interpreter that PYPTO_NPU_PYTHON names, with arguments if it has any; None if it names none."""
    text = os.environ.get(VARIABLE, "").strip()
    return words_of(text) if text else None


def words_of(text: str) -> list[str]:
    """The words of a command: the path of an interpreter, which may hold blanks, or one with arguments."""
    return [text] if os.path.isfile(text) or shutil.which(text) else shlex.split(text)


def surroundings(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that the other interpreter gets from a process with these ones."""
    given = {name: value for name, value in environ.items() if name not in _OWN}
    if environ.get("PYPTO_NPU_PYTHONPATH"):
        given["PYTHONPATH"] = environ["PYPTO_NPU_PYTHONPATH"]
    return given


def run_elsewhere(calls: Sequence[Capsule]) -> Answers:
    """Run calls in the other interpreter, one after another in one process.

    Raises:
        PyptoError: PTO570, it cannot be started; PTO571, it ended without a result; PTO572, it took too long; PTO573,
            what it wrote is no result; PTO574, it cannot run kernels.
    """
    python = command()
    assert python is not None
    with _folder() as folder:
        _ask(folder, calls)
        _start(python, folder, len(calls))
        result = _result(folder)
        if result.get("status") == "refused":
            fail("PTO574", python=_shown(python), why=str(result.get("text", "")))
        return _answers(folder, result, calls)


# -- the request ------------------------------------------------------------------------------------------------------


@contextmanager
def _folder() -> Iterator[Path]:
    """A new private folder; it is kept if PYPTO_NPU_FOLDER says where."""
    kept = os.environ.get("PYPTO_NPU_FOLDER", "").strip()
    if kept:
        os.makedirs(kept, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix="pypto-call-", dir=kept or None))
    try:
        yield place
    finally:
        if not kept:
            shutil.rmtree(place, ignore_errors=True)


def _ask(folder: Path, calls: Sequence[Capsule]) -> None:
    """Write a request."""
    kernels: dict[tuple[str, str], int] = {}
    described = []
    arrays: dict[str, Array] = {}
    for number, call in enumerate(calls):
        kernel = kernels.setdefault((call.flat.text, call.flat.kernel), len(kernels))
        tensors = []
        for index, (name, array, same, form) in enumerate(
            zip(call.names, call.tensors, call.same, call.formats, strict=True)
        ):
            tensors.append({"name": name, "dtype": dtype_name(array), "same": same, "format": form})
            if same == index:
                arrays[f"{number}.{index}"] = raw(array)
        described.append({"kernel": kernel, "tensors": tensors, "values": dict(call.values)})
    files = []
    for (text, name), number in kernels.items():
        file = f"kernel_{number}.py"
        (folder / file).write_text(text, encoding="utf-8")
        files.append({"file": file, "name": name})
    np.savez(folder / "inputs.npz", **arrays)  # type: ignore[arg-type]
    request = {"format": "pypto-call", "version": VERSION, "kernels": files, "calls": described}
    (folder / "request.json").write_text(json.dumps(request, indent=1), encoding="utf-8")
    shutil.copyfile(RUNNER, folder / "runner.py")


def _start(python: Sequence[str], folder: Path, calls: int) -> None:
    """Run the other interpreter to its end."""
    seconds = _seconds()
    with open(folder / "stdout.txt", "wb") as out, open(folder / "stderr.txt", "wb") as errors:
        try:
            child = subprocess.Popen(
                [*python, str(folder / "runner.py"), str(folder)],
                stdin=subprocess.DEVNULL, stdout=out, stderr=errors,
                env=surroundings(os.environ), start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            fail("PTO570", python=_shown(python), why=error.strerror or str(error))
        try:
            code = child.wait(seconds)
        except subprocess.TimeoutExpired:
            _end(child)
            fail("PTO572", python=_shown(python), seconds=f"{seconds:g}", at=_progress(folder, calls),
                 tail=_tail(folder))  # fmt: skip
        except BaseException:
            _end(child)
            raise
    if not (folder / "result.json").is_file():
        fail("PTO571", python=_shown(python), how=_ending(code), at=_progress(folder, calls), tail=_tail(folder))


def _shown(python: Sequence[str]) -> str:
    """An interpreter in a message; long arguments are cut."""
    text = shlex.join(python)
    return text if len(text) <= 60 or len(python) == 1 else f"{python[0]} ..."


def _end(child: subprocess.Popen[bytes]) -> None:
    """End a process and those that it started."""
    try:
        if sys.platform == "win32":
            child.kill()
        else:
            os.killpg(child.pid, signal.SIGKILL)
    except OSError:
        pass  # it has just ended
    child.wait()


def _seconds() -> float:
    text = os.environ.get("PYPTO_NPU_TIMEOUT", "").strip()
    if not text:
        return SECONDS
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < float("inf"):
        allowed = T("a number of seconds above 0", "大于 0 的秒数")
        fail("PTO295", variable="PYPTO_NPU_TIMEOUT", value=repr(text), near=f"{SECONDS:g}", allowed=allowed)
    return seconds


def _ending(code: int) -> T:
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = str(-code)
        return T(f"was ended by signal {name}", f"被信号 {name} 终止")
    return T(f"ended with exit code {code}", f"以退出码 {code} 结束")


def _progress(folder: Path, calls: int) -> T:
    try:
        number = int((folder / "progress.txt").read_text(encoding="utf-8")) + 1
    except (OSError, ValueError):
        return T("before the first call", "尚未开始第一次调用")
    return T(f"in call {number} of {calls}", f"在第 {number} 次调用中（共 {calls} 次）")


def _tail(folder: Path) -> str:
    """The last lines that the other interpreter wrote to stderr, or else to stdout."""
    for name in ("stderr.txt", "stdout.txt"):
        lines = (folder / name).read_bytes()[-20_000:].decode("utf-8", "replace").splitlines()
        told = [line.rstrip() for line in lines if line.strip()][-TAIL:]
        if told:
            return "\n" + "\n".join(told)
    return "-"


# -- the result -------------------------------------------------------------------------------------------------------


def _no_result(why: str) -> NoReturn:
    fail("PTO573", why=why)


def _result(folder: Path) -> dict[str, Any]:
    try:
        result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        _no_result(f"result.json: {error}")
    if not isinstance(result, dict) or result.get("format") != "pypto-result":
        _no_result("result.json is not of the format pypto-result")
    if result.get("version") != VERSION:
        _no_result(f"result.json has version {result.get('version')!r}, and {VERSION} is known")
    return result


def _answers(folder: Path, result: Mapping[str, Any], calls: Sequence[Capsule]) -> Answers:
    told, about = result.get("calls"), result.get("about")
    if not isinstance(told, list) or len(told) != len(calls) or not isinstance(about, dict):
        _no_result(f"result.json does not have {len(calls)} calls and what ran them")
    if result.get("mode") not in ("npu", "sim"):
        _no_result(f"result.json has the mode {result.get('mode')!r}")
    try:
        with np.load(folder / "outputs.npz", allow_pickle=False) as outputs:
            answers = [_answer(k, one, outputs, call) for k, (one, call) in enumerate(zip(told, calls, strict=True))]
    except (OSError, ValueError, EOFError) as error:
        _no_result(f"outputs.npz: {error}")
    except Exception as error:  # a broken archive raises what zipfile and zlib like
        _no_result(f"outputs.npz: {type(error).__name__}: {error}")
    return Answers(str(result["mode"]), {str(k): str(v) for k, v in about.items()}, tuple(answers))


def _answer(number: int, told: Any, outputs: Any, call: Capsule) -> Answer:
    if not isinstance(told, dict) or told.get("status") not in ("done", "error"):
        raise ValueError(f"call {number} has no status")
    if told["status"] == "error":
        return Answer(error=str(told.get("text", "")), code=str(told.get("code") or ""))
    tensors: list[Array] = []
    for index, (before, same) in enumerate(zip(call.tensors, call.same, strict=True)):
        if same < index:
            tensors.append(tensors[same])
            continue
        key = f"{number}.{index}"
        if key not in outputs.files:
            raise ValueError(f"{call.names[index]} of call {number} is missing")
        found = outputs[key]
        if found.shape != before.shape:
            raise ValueError(f"{call.names[index]} of call {number} has shape {found.shape}, not {before.shape}")
        if found.dtype != raw(before).dtype:
            raise ValueError(f"{call.names[index]} of call {number} is {found.dtype}, not {raw(before).dtype}")
        tensors.append(from_raw(found, dtype_name(before)))
    receipt = told.get("receipt")
    seconds = told.get("seconds")
    return Answer(
        tuple(tensors),
        receipt if isinstance(receipt, dict) else None,
        seconds=float(seconds) if isinstance(seconds, (int, float)) else 0.0,
    )
