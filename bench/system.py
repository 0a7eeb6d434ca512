"""Rows of the table that are no single workload: products, threads, all operators, memory, first calls."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import gemm
import latency
import openpto
from openpto.runtime.native import engine
from openpto_gym.registry import operators
from page import Row, mebibytes, within
from scaling import gain, scaled
from timing import FmaPeak, alternated, share
from workloads import WORKLOADS

MOST_MEMORY = 64 << 20
OF_A_THREAD = 1 << 20


def products() -> Iterator[Row]:
    """Matrix products against the multiply-adds of the machine, or against those of FP32."""
    peak = FmaPeak(steps=20_000)
    for name in ("tiles", "large"):
        cases = gemm.GROUPS[name]()
        found = alternated({"peak": peak, **{case.name: case.run for case in cases}}, 9, least=0.002)
        by_name = {case.name: case for case in cases}
        for case in cases:
            own = found[case.name]
            if case.of:
                ratio = share(own, case.flops, found[case.of], by_name[case.of].flops)
                yield Row(f"matmul {case.name}", "own FP32", own.cpu, found[case.of].cpu, ratio, case.least)
            else:
                ratio = share(own, case.flops, found["peak"], peak.flops)
                yield Row(f"matmul {case.name}", "peak of multiply-adds", own.cpu, 0.0, ratio, case.least, percent=True)


def threads() -> Iterator[Row]:
    """From one thread to two, beside what the machine gives to two at that moment."""
    peak = FmaPeak(2_000_000)
    with ThreadPoolExecutor(2) as pool:
        for name in ("attention", "delta-rule"):
            one, two, given = scaled(WORKLOADS[name]().run, 2, pool, peak, rounds=3)
            against = f"one thread (machine gives {given:.2f}x)"
            yield Row(f"{name} on two threads", against, two.wall, one.wall, gain(one, two), 1.8)


def gym() -> Iterator[Row]:
    """Every case that is not slow, after a first call: our time, and that of its golden in torch with FP64. Scratch
    is what a run is given beside its arguments, as the compiler knows it, so nothing is taken from disk; masks of
    run-time size that it may reserve are not in it."""
    os.environ["PYPTO_CACHE_DIR"] = "off"
    ours = theirs = 0.0
    largest, whose = 0, ""
    for operator in operators():
        for case in operator.cases:
            if case.slow:
                continue
            inputs = operator.inputs(case)
            operator.run(case, inputs)
            begin = time.process_time()
            operator.run(case, inputs)
            ours += time.process_time() - begin
            begin = time.process_time()
            with np.errstate(all="ignore"):
                operator.golden("torch")(case, inputs)
            theirs += time.process_time() - begin
            for kernel, native in engine.compiled():
                if native.scratch > largest:
                    largest, whose = native.scratch, kernel.name
    yield Row("gym, all cases that are not slow", "the goldens in torch", ours, theirs, theirs / ours, 1.0)
    yield within("gym, all cases that are not slow", "a minute", ours, 60.0)
    limit = MOST_MEMORY + OF_A_THREAD
    yield within(f"scratch of {whose}, locals included", "64 MiB + 1 MiB a thread", largest, limit, mebibytes)


def first_calls(rounds: int = 5) -> Iterator[Row]:
    """First calls of kernels that an earlier process compiled, and the time of a call."""
    with tempfile.TemporaryDirectory() as store:
        for name in ("small", "delta rule"):
            latency.process(name, store)
            found = [latency.process(name, store)["first call"] for _ in range(rounds)]
            cpu = statistics.median(cpu for cpu, _ in found)
            yield within(f"first call from the disk cache, {name}", "8 ms", cpu, 8e-3)
    yield within("call on two small tensors", "15 us", latency.call().cpu, 15e-6)


def rows() -> Iterator[Row]:
    """All of them."""
    with openpto.configure(engine="native", threads=1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what only one chip has, and the like
        yield from products()
        yield from gym()
    yield from threads()
    yield from first_calls()
