"""How long a first call takes, and how much a later one.

Usage: python bench/latency.py [--rounds N]

First calls are made in fresh processes, after imports and the start of LLVM's compiler, whose time is a row of its own.
"cold": nothing is kept on disk. "kept": an earlier process has made the same call. Small: a softmax of ten operations
on tiles of 8 x 64; delta rule: the gated delta rule, two heads, width 128, chunks of 128.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timing import Timing

ROUNDS = 5
PROGRAM = """
import json
import sys
import time

def clock():
    return time.process_time(), time.perf_counter()

def since(start):
    return [now - before for now, before in zip(clock(), start)]

found = {}
start = clock()
import numpy as np
found["import numpy"] = since(start)
start = clock()
import pypto
found["import pypto"] = since(start)
start = clock()
from openpto.runtime import native
from openpto.runtime.native import jit
jit._shared().linker(jit.target())
found["start of the compiler"] = since(start)

start = clock()
if sys.argv[1] == "small":
    from openpto_gym.softmax.kernel import row_softmax as kernel
    x = np.ones((32, 64), np.float32)
    arguments = (x, np.empty_like(x))
else:
    from openpto_gym.gated_delta_rule.kernel import build_kernel
    from openpto_gym.gated_delta_rule.operator import helper_matrices
    kernel = build_kernel(2, 2, 128, 128)
    tokens, state = np.full((128, 2, 128), 0.1, np.float32), np.zeros((1, 2, 128, 128), np.float32)
    column = np.full((128, 2), -0.1, np.float32)
    arguments = (tokens, tokens, tokens, column, column, state, *helper_matrices(128), np.array([0, 128], np.int32))
    arguments = (*arguments, np.empty_like(tokens), np.empty_like(state))
found["definition"] = since(start)
start = clock()
kernel(*arguments)
found["first call"] = since(start)
assert kernel.last_run.engine == "native"
start = clock()
kernel(*arguments)
found["second call"] = since(start)
print(json.dumps(found))
"""


def process(kernel: str, store: str) -> dict[str, list[float]]:
    """Figures of one fresh process: (CPU, wall) seconds by name."""
    environment = {**os.environ, "PYPTO_CACHE_DIR": store, "PYPTO_ENGINE": "native"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-c", PROGRAM, kernel]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    figures: dict[str, list[float]] = json.loads(done.stdout)
    return figures


def series(title: str, make: Callable[[], dict[str, list[float]]], rounds: int, names: tuple[str, ...]) -> None:
    """Print median and least milliseconds of processes."""
    found = [make() for _ in range(rounds)]
    for name in names:
        cpus, walls = zip(*(f[name] for f in found), strict=True)
        print(
            f"{title:18} {name:22} {statistics.median(cpus) * 1e3:8.1f} {min(cpus) * 1e3:8.1f}"
            f" {statistics.median(walls) * 1e3:8.1f} {min(walls) * 1e3:8.1f}",
            flush=True,
        )


def call() -> "Timing":
    """The time of a call on two small tensors."""
    import numpy as np

    import openpto
    import pypto
    from timing import alternated

    tile = pypto.Tensor([8, 16], pypto.DT_FP32)

    @pypto.frontend.jit
    def double(x: tile, out: tile):
        pypto.set_vec_tile_shapes(8, 16)
        out[:] = x + x

    x = np.ones((8, 16), np.float32)
    out = np.empty_like(x)
    openpto.configure(engine="native")
    return alternated({"call": lambda: double(x, out)}, rounds=21)["call"]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rounds = parser.parse_args().rounds
    print(f"{'':41} {'CPU ms: median, least':>17} {'wall: median, least':>17}")
    with tempfile.TemporaryDirectory() as store:
        process("small", store)
        series(
            "any", lambda: process("small", store), rounds, ("import numpy", "import pypto", "start of the compiler")
        )
        process("delta rule", store)
        for kernel in ("small", "delta rule"):
            names = ("definition", "first call", "second call")
            series(f"{kernel}, cold", lambda kernel=kernel: process(kernel, "off"), rounds, names[:2])
            series(f"{kernel}, kept", lambda kernel=kernel: process(kernel, store), rounds, names)
    found = call()
    print(
        f"call on two small tensors: {min(found.cpus) * 1e6:.1f} us CPU at least, {found.cpu * 1e6:.1f} in the median"
    )


if __name__ == "__main__":
    main()
