"""The `pypto` command, run as a process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import openpto

FILE = """
import pypto

F, D, S = pypto.DT_FP32, pypto.DYNAMIC, pypto.STATIC


@pypto.frontend.jit
def scale(x: pypto.Tensor([D, 32], F), out: pypto.Tensor([D, 32], F), factor: float = 2.0):
    pypto.set_vec_tile_shapes(8, 32)
    for i in pypto.loop(x.shape[0] // 8, name="tiles", idx_name="i"):
        tile = pypto.view(x, [8, 32], [i * 8, 0])
        pypto.assemble(pypto.mul(tile, factor), [i * 8, 0], out)


@pypto.frontend.jit
def negate(x: pypto.Tensor([S, 32], F), out: pypto.Tensor([S, 32], F), times):
    pypto.set_vec_tile_shapes(8, 32)
    for _ in range(times):
        out[:] = pypto.neg(x)


if __name__ == "__main__":
    raise SystemExit("the file must not run as a script")
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "kernels.py"
    path.write_text(FILE, encoding="utf-8")
    return path


def pypto_command(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    program = "from openpto.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False, cwd=cwd
    )


def test_version() -> None:
    done = pypto_command("--version")
    assert done.returncode == 0
    assert done.stdout.split() == ["openpto", openpto.__version__, "(pypto", "API", "0.3.0)"]


def test_help_names_the_commands() -> None:
    done = pypto_command("--help")
    assert done.returncode == 0
    assert "ir" in done.stdout


def test_unknown_command_is_refused() -> None:
    assert pypto_command("nonsense").returncode == 2


def test_ir_of_one_kernel(file: Path) -> None:
    done = pypto_command("ir", f"{file.name}:scale", cwd=file.parent)
    assert done.returncode == 0, done.stderr
    assert "scale" in done.stdout
    assert "negate" not in done.stdout
    for word in ("loop", "view", "mul", "assemble"):
        assert word in done.stdout


def test_ir_of_all_kernels_in_order(file: Path) -> None:
    done = pypto_command("ir", str(file), "--arg", "x=8x32", "--arg", "out=8x32", "--arg", "times=1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.index("scale") < done.stdout.index("negate")


@pytest.mark.parametrize(
    ("stage", "words"),
    [
        ("tile", ["kernel", "assemble"]),
        ("loop", ["program scale", "vector ", "region "]),
        ("llvm", ["define i64 @kernel", "fmul"]),
        ("asm", ["kernel:"]),
    ],
)
def test_stages(file: Path, stage: str, words: list[str]) -> None:
    if stage in ("llvm", "asm"):
        pytest.importorskip("llvmlite")
    done = pypto_command("ir", f"{file}:scale", "--stage", stage)
    assert done.returncode == 0, done.stderr
    for word in words:
        assert word in done.stdout


@pytest.mark.parametrize(("stage", "code"), [("loop", ""), ("llvm", "PTO444"), ("asm", "PTO444")])
def test_stages_without_llvmlite(file: Path, stage: str, code: str) -> None:
    """The loop IR needs no LLVM; for what comes after it there is a coded stop."""
    program = "import sys; sys.modules['llvmlite'] = None; from openpto.cli import main; main()"
    command = [sys.executable, "-c", program, "ir", f"{file}:scale", "--stage", stage]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == (1 if code else 0), done.stderr
    assert code in done.stderr
    assert "Traceback" not in done.stderr


def test_stage_of_a_kernel_that_is_not_compiled(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from openpto.cli import show_ir
    from openpto.diagnostics import PyptoError
    from openpto.runtime import native
    from openpto.runtime.native import handlers

    assert native.stage_text
    monkeypatch.delitem(handlers.HANDLERS, "view")
    with pytest.raises(PyptoError) as caught:
        list(show_ir.texts(f"{file}:scale", [], "loop"))
    assert caught.value.code == "PTO445"
    assert "view" in str(caught.value)


def test_open_argument_is_named(file: Path) -> None:
    done = pypto_command("ir", f"{file}:negate")
    assert done.returncode == 1
    assert "PTO597" in done.stderr
    assert "--arg x=8x64" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["absent.py"], "PTO595"),
        (["kernels.py:absent"], "PTO596"),
        (["kernels.py:scale", "--arg", "factor"], "PTO598"),
        (["kernels.py:scale", "--arg", "x=axb"], "PTO598"),
        (["kernels.py:scale", "--arg", "x=8x32:FP77"], "PTO598"),
    ],
)
def test_wrong_arguments_are_coded_stops(file: Path, arguments: list[str], code: str) -> None:
    done = pypto_command("ir", *arguments, cwd=file.parent)
    assert done.returncode == 1
    assert code in done.stderr
    assert "Traceback" not in done.stderr


def test_coded_stop_of_a_kernel_is_shown(file: Path) -> None:
    file.write_text(FILE.replace("    pypto.set_vec_tile_shapes(8, 32)\n    for i", "    for i"), encoding="utf-8")
    done = pypto_command("ir", f"{file}:scale")
    assert done.returncode == 1
    assert "PTO301" in done.stderr


def test_mistake_of_the_file_shows_the_file_only(file: Path) -> None:
    file.write_text(FILE + "\n\nundefined_name\n", encoding="utf-8")
    done = pypto_command("ir", str(file))
    assert done.returncode == 1
    assert "NameError: name 'undefined_name' is not defined" in done.stderr
    frames = [line for line in done.stderr.splitlines() if line.lstrip().startswith("File ")]
    assert not [line for line in frames if "typer" in line or "importlib" in line]
    assert "kernels.py" in frames[-1]
