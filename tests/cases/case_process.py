"""A kernel file as the main program of a process of its own.

Processes are forked from a server that has loaded torch and pypto already, since loading them takes longer than most
files run. The server itself runs no kernel, so every file starts from the same fresh state.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import sys
import traceback
from pathlib import Path
from typing import NamedTuple

PRELOADED = ["torch", "pypto"]


class Outcome(NamedTuple):
    """Exit code (None: it took too long) and everything that was printed."""

    code: int | None
    output: str


def run(file: Path, folder: Path, seconds: float) -> Outcome:
    """Run the file in `folder` on one thread per library; it is ended after `seconds`."""
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    context.set_forkserver_preload(PRELOADED)
    log = folder / "output.txt"
    process = context.Process(target=_main_program, args=(str(file), str(folder), str(log)))
    previous = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = "1"  # inherited by the server, and so by every process
    try:
        process.start()
    finally:
        os.environ.pop("OMP_NUM_THREADS")
        if previous is not None:
            os.environ["OMP_NUM_THREADS"] = previous
    process.join(seconds)
    finished = not process.is_alive()
    if not finished:
        process.kill()
        process.join()
    return Outcome(process.exitcode if finished else None, log.read_text(encoding="utf-8", errors="replace"))


def _main_program(file: str, folder: str, log: str) -> None:
    """Become the file's process: its folder, its streams, its arguments, its exit code."""
    stream = os.open(log, os.O_WRONLY | os.O_CREAT)
    for standard in (1, 2):
        os.dup2(stream, standard)
    os.chdir(folder)
    sys.argv = [file]
    code = 0
    try:
        runpy.run_path(file, run_name="__main__")
    except SystemExit as ending:
        code = ending.code if isinstance(ending.code, int) else int(ending.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
