"""How long `pypto lint` takes for 10,000 lines of kernels, in seconds of processor time; two are the target.

Usage: python bench/lint.py
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from openpto.lint.engine import lint_files

GYM = sorted((Path(__file__).resolve().parents[1] / "src" / "openpto_gym").glob("*/kernel.py"))
LINES = 10_000
ROUNDS = 5


def copies(folder: Path) -> tuple[list[Path], int]:
    """Files with the kernels of the gym, again and again, and how many lines they have."""
    files: list[Path] = []
    lines = 0
    while lines < LINES:
        for source in GYM:
            text = source.read_text(encoding="utf-8")
            files.append(folder / f"kernel_{len(files)}.py")
            files[-1].write_text(text, encoding="utf-8")
            lines += text.count("\n")
    return files, lines


def seconds(files: list[Path]) -> float:
    """Processor time of one run, which must find nothing."""
    started = time.process_time()
    assert lint_files(files) == []
    return time.process_time() - started


def main() -> None:
    """Print the least and the median of several runs."""
    with tempfile.TemporaryDirectory() as folder:
        files, lines = copies(Path(folder))
        times = sorted(seconds(files) for _ in range(ROUNDS))
    print(f"lint of {lines} lines: least {times[0]:.2f} s, median {times[ROUNDS // 2]:.2f} s (target 2 s)")


if __name__ == "__main__":
    main()
