"""A process of its own that runs candidates: one that hangs or crashes is no harm.

Both ends are this project's own processes on one machine; what they exchange is pickled.
"""

from __future__ import annotations

import os
import pickle
import select
import struct
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any, BinaryIO

from openpto.capsule.call import Capsule
from openpto.capsule.rerun import Outcome, namespace_of, rerun

START = 120.0
"""Seconds in which a process has to be ready, and what is recorded has to repeat."""
_CODE = "from openpto.verify.shrinking.worker import main; main()"


class Worker:
    """Runs candidates, each within `seconds`."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._child: subprocess.Popen[bytes] | None = None

    def run(self, call: Capsule, settings: Mapping[str, Any], patient: bool = False) -> Outcome | None:
        """How a call ends; None if it does not end in time or ends the process. ``patient``: it may take longer."""
        child = self._running()
        assert child.stdin is not None
        assert child.stdout is not None
        task = (call.flat.text, call.flat.kernel, call.tensors, call.same, dict(call.values), dict(settings))
        try:
            _send(child.stdin, task)
            answer = _receive(child.stdout, max(self._seconds, START) if patient else self._seconds)
        except OSError:
            answer = None
        if answer is None:
            self.close()
        return answer

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            environment = {
                **os.environ,
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                "PYPTO_CACHE_DIR": "off",
            }
            self._child = subprocess.Popen(
                [sys.executable, "-c", _CODE], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, env=environment,
            )  # fmt: skip
            assert self._child.stdout is not None
            _receive(self._child.stdout, START)  # it has loaded what candidates need
        return self._child

    def close(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            for pipe in (self._child.stdin, self._child.stdout):
                if pipe is not None:
                    pipe.close()
            self._child = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _send(pipe: BinaryIO | Any, value: Any) -> None:
    data = pickle.dumps(value)
    pipe.write(struct.pack("<Q", len(data)) + data)
    pipe.flush()


def _receive(pipe: Any, seconds: float) -> Outcome | None:
    """What comes within some seconds; None if nothing does."""
    end = time.monotonic() + seconds
    data = bytearray()
    wanted = 8
    while len(data) < wanted:
        left = end - time.monotonic()
        if left <= 0 or not select.select([pipe], [], [], left)[0]:
            return None
        part = os.read(pipe.fileno(), 1 << 20)
        if not part:
            return None
        data += part
        if len(data) >= 8:
            wanted = 8 + struct.unpack("<Q", data[:8])[0]
    outcome: Outcome = pickle.loads(bytes(data[8:]))
    return outcome


def main() -> None:
    """The process: tasks from stdin, outcomes to stdout. What kernels print goes nowhere."""
    tasks, outcomes = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    namespace_of("import pypto\n")
    _send(outcomes, Outcome())
    while True:
        head = tasks.read(8)
        if len(head) < 8:
            return
        text, kernel, tensors, same, values, settings = pickle.loads(tasks.read(struct.unpack("<Q", head)[0]))
        _send(outcomes, rerun(text, kernel, tensors, same, values, settings))
