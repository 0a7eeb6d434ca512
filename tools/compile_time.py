"""How long a kernel takes to compile, stage by stage: CPU milliseconds, cold.

Cold is after import, in a fresh process with an empty cache each time.

    python tools/compile_time.py [operator ...] [--engine native|reference] [--repeat N]

Each operator of ``openpto_gym`` (default: scale_add, softmax, gated_delta_rule) runs its first case once. The time of a
stage is its own, without the stages inside of it; the least of all repetitions is printed. Stages are timed on the
thread of the caller; "beside" is what other threads compiled meanwhile.
"""

from __future__ import annotations

import argparse
import functools
import gc
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

DEFAULT = ("scale_add", "softmax", "gated_delta_rule")
STAGES = (
    ("decorate", "openpto.kernel.jit", "JitCallableWrapper.__init__"),
    ("bind", "openpto.kernel.jit", "JitCallableWrapper._prepare"),
    ("rewrite", "openpto.frontend.build", "_rewrite"),
    ("trace", "openpto.kernel.jit", "trace_kernel"),
    ("ssa", "openpto.ir.ssa", "build"),
    ("verify", "openpto.ir.verifier", "require_valid"),
    ("checks", "openpto.checks", "run"),
    ("promote", "openpto.ops.promotion", "Promote.apply"),
    ("print", "openpto.ir.printer", "text"),
    ("warnings", "openpto.diagnostics.render", "render"),
    ("lower", "openpto.runtime.native.engine", "lower"),
    ("emit", "openpto.runtime.native.engine", "llvm_text"),
    ("llvm", "openpto.runtime.native.jit", "compile_text"),
)
"""Name, module and function of every stage, in the order of the pipeline."""


class Stages:
    """CPU seconds per stage; time inside of another stage counts there only."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._inner: list[float] = []

    def watch(self, name: str, module: str, path: str) -> None:
        """Put a clock around a function, wherever it was imported to."""
        owner: Any = importlib.import_module(module)
        *outer, last = path.split(".")
        for part in outer:
            owner = getattr(owner, part)
        function = getattr(owner, last)
        timed = self._timed(name, function)
        setattr(owner, last, timed)
        for loaded in list(sys.modules.values()):
            if getattr(loaded, "__name__", "").startswith("openpto.") and vars(loaded).get(last) is function:
                setattr(loaded, last, timed)

    def _timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            self._inner.append(0.0)
            begin = time.thread_time()
            try:
                return function(*args, **kwargs)
            finally:
                spent = time.thread_time() - begin
                self.seconds[name] = self.seconds.get(name, 0.0) + spent - self._inner.pop()
                if self._inner:
                    self._inner[-1] += spent

        return timed


def measure(name: str) -> dict[str, float]:
    """CPU milliseconds per stage of one operator in this process."""
    from openpto.runtime import native  # noqa: F401 - what it loads is import, not compilation
    from openpto_gym.registry import load

    stages = Stages()
    for stage in STAGES:
        stages.watch(*stage)
    stages.watch("run", "openpto.runtime", "execute")
    chosen = load(name)
    case = chosen.cases[0]
    inputs = chosen.inputs(case)
    gc.collect()  # what imports left behind
    process, own = time.process_time(), time.thread_time()
    chosen.run(case, inputs)
    stages.seconds["beside"] = (time.process_time() - process) - (time.thread_time() - own)
    return {stage: seconds * 1e3 for stage, seconds in stages.seconds.items()}


def main() -> int:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("operators", nargs="*", default=list(DEFAULT))
    parser.add_argument("--engine", default="native")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.operators[0])))
        return 0
    columns = {name: _least(name, options.engine, options.repeat) for name in options.operators}
    print(f"{'ms':10}" + "".join(f"{name:>20}" for name in columns))
    for stage in (*(stage for stage, *_ in STAGES), "beside"):
        print(f"{stage:10}" + "".join(f"{column.get(stage, 0.0):20.1f}" for column in columns.values()))
    totals = [sum(v for k, v in column.items() if k != "run") for column in columns.values()]
    print(f"{'total':10}" + "".join(f"{total:20.1f}" for total in totals))
    return 0


def _least(name: str, engine: str, repeat: int) -> dict[str, float]:
    command = [sys.executable, __file__, name, "--one"]
    runs = []
    for _ in range(repeat):
        with tempfile.TemporaryDirectory() as empty:
            environment = {**os.environ, "PYPTO_ENGINE": engine, "PYTHONWARNINGS": "ignore", "PYPTO_CACHE_DIR": empty}
            done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        runs.append(json.loads(done.stdout))
    return {stage: min(run.get(stage, 0.0) for run in runs) for stage in runs[0]}


if __name__ == "__main__":
    sys.exit(main())
