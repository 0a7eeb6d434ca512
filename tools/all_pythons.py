"""Run the torch-free tests on every Python from 3.10 to 3.14 that is found on this machine.

Each interpreter gets an environment of its own under .venvs/, with the runtime packages and the test tools but no
torch. `--quick` runs only what depends on the interpreter, and not on the version that runs this file, which has the
whole suite. All other arguments go to pytest. Exit code 1 if any interpreter fails.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MINORS = range(10, 15)
PACKAGES = [
    "numpy", "ml_dtypes", "platformdirs", "pytest", "pytest-xdist", "hypothesis", "mpmath", "rich", "typer",
    "tomli; python_version < '3.11'",
]  # fmt: skip
OPTIONAL = ["llvmlite", "libcst", "pygls"]
# Rooms that look at source text, bytecode, signatures, tracebacks and imports.
DEPEND_ON_INTERPRETER = [
    "frontend",
    "kernel",
    "language",
    "diagnostics",
    "ir",
    "semantics",
    "lint",
    "cli",
    "test_import.py",
]


@dataclass(frozen=True)
class Interpreter:
    """A Python found here: its executable and its version as "3.x"."""

    path: str
    version: str


def candidates() -> list[str]:
    """Executables that may be a wanted Python: on PATH by name, and beside them in pyenv's folder if there is one."""
    names = [f"python3.{minor}" for minor in MINORS] + ["python3"]
    found = [path for name in names if (path := shutil.which(name))]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found += [str(path) for minor in MINORS for path in sorted(pyenv.glob(f"3.{minor}.*/bin/python3.{minor}"))]
    return [*found, sys.executable]


def probe(path: str) -> Interpreter | None:
    """Start the executable and ask for its version and real place; None if it does not start or is out of range."""
    code = "import sys; print(sys.version_info[0], sys.version_info[1], sys.base_prefix)"
    done = subprocess.run([path, "-c", code], capture_output=True, text=True, check=False)
    answer = re.match(r"3 (\d+) ", done.stdout)
    if done.returncode or not answer or int(answer[1]) not in MINORS:
        return None
    return Interpreter(path, f"3.{answer[1]}")


def interpreters() -> list[Interpreter]:
    """One working interpreter for each version, oldest first."""
    chosen: dict[str, Interpreter] = {}
    for path in candidates():
        interpreter = probe(path)
        if interpreter:
            chosen.setdefault(interpreter.version, interpreter)
    return sorted(chosen.values(), key=lambda item: int(item.version.split(".")[1]))


def environment(interpreter: Interpreter) -> Path:
    """The interpreter's environment with everything installed; made once, and again when the recipe changes."""
    folder = ROOT / ".venvs" / interpreter.version
    python = folder / "bin" / "python"
    recipe = hashlib.sha256(Path(__file__).read_bytes() + (ROOT / "pyproject.toml").read_bytes()).hexdigest()
    stamp = folder / ".recipe"
    if python.exists() and stamp.exists() and stamp.read_text() == recipe:
        return python
    run(["sh", "tools/make_venv.sh", str(folder)], env={**os.environ, "PYTHON": interpreter.path})
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, *PACKAGES])
    for package in OPTIONAL:
        done = subprocess.run([*pip, "--only-binary", ":all:", package], cwd=ROOT, check=False)
        if done.returncode:
            print(f"    {interpreter.version}: no wheel of {package}; the suite runs without it", flush=True)
    run([*pip, "--no-deps", "--editable", "."])
    stamp.write_text(recipe)
    return python


def run(command: list[str], env: dict[str, str] | None = None) -> None:
    """Run the command in the repository; a failure ends the program."""
    subprocess.run(command, cwd=ROOT, check=True, env=env)


def main() -> int:
    """Test on each interpreter and print one summary line per interpreter."""
    quick = "--quick" in sys.argv[1:]
    arguments = [argument for argument in sys.argv[1:] if argument != "--quick"] or ["-q", "-n", "2"]
    subset = [f"tests/{name}" for name in DEPEND_ON_INTERPRETER]
    results: list[tuple[str, int]] = []
    found = interpreters()
    if quick:
        found = [interpreter for interpreter in found if interpreter.version != f"3.{sys.version_info[1]}"] or found
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        environments = list(pool.map(environment, found))
    for interpreter, python in zip(found, environments, strict=True):
        print(f"=== Python {interpreter.version} ({interpreter.path})", flush=True)
        command = [str(python), "-m", "pytest", "-m", "not torch and not slow", "-p", "no:cacheprovider", *arguments]
        command += subset if quick else []
        done = subprocess.run(command, cwd=ROOT, check=False, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        results.append((interpreter.version, done.returncode))
    print("=== summary")
    for version, code in results:
        print(f"    Python {version}: {'passed' if code == 0 else f'FAILED (exit {code})'}")
    return int(not results or any(code for _, code in results))


if __name__ == "__main__":
    sys.exit(main())
