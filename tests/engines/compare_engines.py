"""Every kernel that a test runs, run by both engines: equal bits (NaNs equal), equal faults, equal reports.

``PYPTO_TEST_ENGINES=both pytest ...`` installs it; ``python tests/engines/compare_engines.py FILE`` runs one program.
The native engine runs with every number of threads in ``THREADS``, and shares regions of any size.
"""

from __future__ import annotations

import os
import runpy
import sys
from collections import Counter

import numpy as np

import openpto
from openpto import runtime
from openpto.diagnostics import PyptoError, collect_warnings
from openpto.runtime import native, reference
from openpto.runtime.native import parallel

os.environ.setdefault("PYPTO_VERIFY_NATIVE", "1")
THREADS = tuple(map(int, os.environ.get("PYPTO_TEST_THREADS", "1,2,5").split(",")))
parallel.LEAST_REGION = parallel.LEAST_CHUNK = 0
missing: Counter[str] = Counter()
compared = 0


class EnginesDisagree(AssertionError):
    """The engines did not do the same."""


def bits(array: np.ndarray) -> np.ndarray:
    """The bit patterns, with one pattern for every NaN."""
    plain = np.ascontiguousarray(array)
    size = plain.dtype.itemsize
    if plain.dtype.kind in "iub":
        return plain
    raw = plain.view(f"u{size}").copy()
    raw[plain != plain] = 0
    return raw


def outcome(engine, kernel, buffers, env):
    """(report, error, warnings) of one engine; errors are compared, not raised."""
    with collect_warnings() as warnings:
        try:
            report, error = engine(kernel, buffers, env), None
        except PyptoError as found:
            report, error = None, found
    return report, error, [(w.code, w.site) for w in warnings]


def both(kernel, buffers, env, *, faults=True):
    """The reference on the caller's memory, then the native engine on copies; any difference is an error. Without
    ``faults`` a kernel that the reference stops is not compiled."""
    global compared
    if native.statements(kernel.body) > 300:  # compiling takes longer than a test should
        missing["long kernels"] += 1
        return reference.execute(kernel, buffers, env)
    copies = [copied(buffers) for _ in THREADS]
    expected = report, error, _ = outcome(reference.execute, kernel, buffers, env)
    if error is not None and not faults:
        raise error
    outcomes = []
    try:
        for threads, theirs in zip(THREADS, copies, strict=True):
            with openpto.configure(threads=threads):
                outcomes.append(outcome(native.execute, kernel, theirs, env))
    except native.Unsupported as lacking:
        missing[lacking.what] += 1
        if error is not None:
            raise error from None
        return report
    compared += 1
    for threads, theirs, found in zip(THREADS, copies, outcomes, strict=True):
        try:
            compare(kernel, (buffers, expected), (theirs, found))
        except EnginesDisagree as wrong:
            raise EnginesDisagree(f"with {threads} threads: {wrong}") from None
    if error is not None:
        raise error
    return report


def copied(buffers):
    """Copies; arrays that are one memory stay so."""
    places = {(b.ctypes.data, b.nbytes): b for b in buffers}
    copies = {key: b.copy() for key, b in places.items()}
    theirs = [copies[b.ctypes.data, b.nbytes].reshape(b.shape) for b in buffers]
    for copy, buffer in zip(theirs, buffers, strict=True):
        copy.flags.writeable = buffer.flags.writeable or copy.flags.writeable
    return theirs


def compare(kernel, ours, theirs):
    """(buffers, outcome) of the reference and of the native engine."""
    buffers, (report, expected, tells) = ours
    copies, (compiled, error, told) = theirs
    if str(error) != str(expected):
        raise EnginesDisagree(f"the reference ends with\n{expected}\nthe native engine with\n{error}")
    if expected is not None:
        return
    for param, buffer, copy in zip(kernel.params, buffers, copies, strict=True):
        where = np.argwhere(bits(buffer) != bits(copy))
        if len(where):
            at = tuple(int(i) for i in where[0])
            raise EnginesDisagree(
                f"{param.name}: {len(where)} elements differ, first at {at}: {buffer[at]!r} and natively {copy[at]!r}"
            )
    if (report.ops_executed, report.elements_written) != (compiled.ops_executed, compiled.elements_written):
        raise EnginesDisagree(f"reports differ: {report} and natively {compiled}")
    if tells != told:
        raise EnginesDisagree(f"warnings differ: {tells} and natively {told}")


def install() -> None:
    """Let every kernel run this way that does not ask for the native engine by name."""
    runtime.ENGINES["reference"] = both
    os.environ["PYPTO_ENGINE"] = "reference"


if __name__ == "__main__":
    install()
    sys.argv = sys.argv[1:]
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    finally:
        print(f"{compared} runs compared; not compiled: {dict(missing)}", file=sys.stderr)
