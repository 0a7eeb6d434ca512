"""The third step: kernels run here. Structure, tiles of the chips, numbers on both engines, and receipts of it all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import numpy as np

from openpto.capsule.interpreter import command
from openpto.device import CHIPS
from openpto.diagnostics import PROFILES, PyptoError
from openpto.kernel.observing import ObservedCall, Observer, observe
from openpto.kernel.receipt import Receipt
from openpto.kernel.replays import write_call
from openpto.language.configuration import configure
from openpto.testing import compare, report, summary
from openpto.testing.differences import differing_bits, same_bits
from openpto.testing.replays import write_comparison
from openpto.verify.golden_step import differences
from openpto.verify.outcome import Check
from openpto.verify.subject import Arrays, Subject, Trial

ENGINES = ("native", "reference")


@dataclass(slots=True)
class Simulated:
    """What the runs of a trial leave for the device and for replays.

    calls    of the first engine that ran it
    outputs  of that run
    goldens  of the first golden; empty if there is none
    """

    trial: Trial
    calls: list[ObservedCall]
    outputs: Arrays
    goldens: Arrays = field(default_factory=dict)


@dataclass(slots=True)
class Simulation:
    """The step: its checks are yielded, the rest is collected here."""

    subject: Subject
    target: str | None = None
    chip: str | None = None
    simulated: list[Simulated] = field(default_factory=list)
    replay_dir: str | None = None
    replays: list[str] = field(default_factory=list)
    receipts: list[dict[str, Any]] = field(default_factory=list)
    _looked_at: set[str] = field(default_factory=set)

    def checks(self) -> Iterator[Check]:
        """All checks, trial by trial."""
        for trial in self.subject.trials:
            yield from self._trial(trial)
        if not self.subject.trials:
            yield Check("runs", "not run", detail="there are no cases")

    def _trial(self, trial: Trial) -> Iterator[Check]:
        runs: dict[str, Simulated] = {}
        for engine in ENGINES:
            if engine == "native" and find_spec("llvmlite") is None:
                yield Check(f"runs on {engine}", "not run", trial.name, "llvmlite is not installed")
                continue
            checks, run = self._run(trial, engine)
            yield from checks
            if run is None:
                return
            runs[engine] = run
        first = next(iter(runs.values()))
        yield from self._structure(trial, first.calls)
        yield from self._numbers(trial, first)
        if len(runs) > 1:
            yield self._agreement(trial, *runs.values())
        if command() is not None:  # else nobody asks for the contents again
            self.simulated.append(first)

    def _run(self, trial: Trial, engine: str) -> tuple[list[Check], Simulated | None]:
        """Run a trial on one engine."""
        name = f"runs on {engine}"
        inputs = trial.inputs()
        kept = {key: array.copy() for key, array in inputs.items()}
        with configure(engine=engine, target=self.target, platform=self.chip), observe(Observer()) as watched:
            try:
                outputs = trial.run(inputs)
            except Exception as error:  # whatever a kernel or its wrapper raises is what this trial has to show
                for call in watched.calls:
                    if call.error is error:
                        self._replay(trial, call)
                text = str(error) if isinstance(error, PyptoError) else f"{type(error).__name__}: {error}"
                code = {"code": error.code} if isinstance(error, PyptoError) else {}
                return [Check(name, "fail", trial.name, text, code)], None
        receipts = [call.receipt for call in watched.calls if call.receipt is not None]
        self.receipts += [{"trial": trial.name, **described(receipt)} for receipt in receipts]
        problem = _idle(trial, receipts, outputs, kept) or "\n".join(differences(kept, inputs))
        checks = [Check(name, "fail" if problem else "pass", trial.name, problem)]
        other = [receipt for receipt in receipts if receipt.engine != engine]
        if other and not problem:
            why = f"{other[0].kernel} ran on {other[0].engine}"
            checks = [Check(name, "not run", trial.name, why)]
        return checks, Simulated(trial, watched.calls, outputs)

    def _structure(self, trial: Trial, calls: Sequence[ObservedCall]) -> Iterator[Check]:
        """Kernels for each chip and profile: tiles, operations, element types. Equal programs are looked at once."""
        for call in calls:
            assert call.receipt is not None
            if call.receipt.kernel_hash in self._looked_at:
                continue
            self._looked_at.add(call.receipt.kernel_hash)
            chips = (self.chip,) if self.chip else tuple(CHIPS)
            profiles = (self.target,) if self.target else tuple(PROFILES)
            yield _taken("tiles", trial, {chip: _refusal(call, platform=chip) for chip in chips})
            yield _taken("profiles", trial, {profile: _refusal(call, target=profile) for profile in profiles})

    def _numbers(self, trial: Trial, run: Simulated) -> Iterator[Check]:
        """Outputs against the first golden."""
        if not trial.goldens:
            yield Check("numbers", "not run", trial.name, trial.missing or "there is no golden")
            return
        try:
            with np.errstate(all="ignore"):
                run.goldens = trial.goldens[0].compute(trial.inputs())
        except Exception as error:  # whatever a golden raises
            yield Check("numbers", "fail", trial.name, f"the golden: {type(error).__name__}: {error}")
            return
        for check in compared("numbers", trial, run.outputs, run.goldens):
            yield check
            if check.state == "fail" and "output" in check.data and self.replay_dir is not None:
                out = check.data["output"]
                actual = run.outputs[out]
                path = write_comparison(
                    actual, run.goldens[out], trial.tolerance(out, actual), check.detail.split("\n")[0],
                    calls=tuple(run.calls), folder=self.replay_dir, about=self._about(trial, output=out),
                )  # fmt: skip
                self.replays += [] if path is None else [str(path)]

    def _agreement(self, trial: Trial, first: Simulated, second: Simulated) -> Check:
        """Both engines: the same bits, the same counts. Memory that no kernel wrote says nothing of an engine."""
        found = [name for name, array in first.outputs.items() if not same_bits(array, second.outputs[name])]
        told = [f"{name} differs" for name in found]
        left_over = bool(found)
        for one, two in zip(first.calls, second.calls, strict=False):
            assert one.receipt is not None
            assert two.receipt is not None
            if dict(one.receipt.elements_written) != dict(two.receipt.elements_written):
                told.append(f"{one.receipt.kernel}: elements written differ")
                left_over = False
            if not all(same_bits(a, b) for a, b in zip(one.after, two.after, strict=True)):
                if _as_before(one, two):
                    continue
                left_over = False
                self._replay(trial, one, other=two.after)
                break
        if left_over:
            why = f"{', '.join(found)} differs only in what was in its memory before: no kernel wrote it"
            return Check("engines agree bit for bit", "not run", trial.name, why)
        return Check("engines agree bit for bit", "fail" if told else "pass", trial.name, "\n".join(told))

    def _about(self, trial: Trial, **more: str) -> dict[str, str]:
        return {"operator": self.subject.name, "case": trial.name, **more}

    def _replay(self, trial: Trial, call: ObservedCall, **more: Any) -> None:
        if self.replay_dir is not None:
            path = write_call(call, self.replay_dir, about=self._about(trial), **more)
            self.replays += [] if path is None else [str(path)]


def compared(name: str, trial: Trial, outputs: Arrays, goldens: Arrays) -> Iterator[Check]:
    """One check per output, with the numbers of the comparison."""
    if outputs.keys() != goldens.keys():
        yield Check(name, "fail", trial.name, f"outputs are {sorted(outputs)}, goldens {sorted(goldens)}")
        return
    for out, actual in outputs.items():
        golden = goldens[out]
        if actual.shape != golden.shape:
            yield Check(name, "fail", trial.name, f"{out} has shape {actual.shape}, its golden {golden.shape}")
            continue
        if actual.size and np.may_share_memory(actual, golden):
            yield Check(name, "fail", trial.name, f"the golden of {out} is the memory of the output")
            continue
        tolerance = trial.tolerance(out, actual)
        found = compare(actual, golden, tolerance)
        data = {
            "output": out,
            "elements": found.elements,
            "outside": found.outside,
            "max_abs": _plain(found.max_abs),
            "max_ulp": _plain(found.max_ulp),
            "tolerance": str(tolerance),
        }
        floats = actual.dtype.kind not in "iub"
        detail = "" if found.ok else f"{out}: {summary(found)} (tolerance {tolerance})\n{report(found, floats=floats)}"
        yield Check(name, "pass" if found.ok else "fail", trial.name, detail, data)


def described(receipt: Receipt) -> dict[str, Any]:
    """A receipt as plain data."""
    return {
        "kernel": receipt.kernel,
        "kernel_hash": receipt.kernel_hash,
        "engine": receipt.engine,
        "numerics": receipt.numerics,
        "target": receipt.target,
        "platform": receipt.platform,
        "run_mode": receipt.run_mode.name,
        "ops_executed": receipt.ops_executed,
        "elements_written": dict(receipt.elements_written),
        "run_seconds": round(receipt.run_seconds, 6),
        "warnings": sorted({warning.code for warning in receipt.warnings}),
    }


def _as_before(one: ObservedCall, two: ObservedCall) -> bool:
    """Whether two calls of a kernel differ only in elements that neither changed."""
    for first, second, was, had in zip(one.after, two.after, one.before, two.before, strict=True):
        if (first.shape, first.dtype) != (second.shape, second.dtype):
            return False
        differ = differing_bits(first, second)
        if (differ & (differing_bits(first, was) | differing_bits(second, had))).any():
            return False
    return True


def _idle(trial: Trial, receipts: Sequence[Receipt], outputs: Arrays, inputs: Arrays) -> str:
    """Why outputs cannot be what a kernel made of them; empty if they can. ``inputs`` are those from before the run."""
    if not receipts:
        return "no kernel was called"
    for name, array in outputs.items():
        if not array.size:
            continue
        at, size = array.ctypes.data, array.nbytes
        memory = [(r, m) for r in receipts for m in r.outputs if m.pointer < at + size and at < m.pointer + m.nbytes]
        if not memory:
            return f"{name} is not memory that a kernel wrote"
        written = any(r.elements_written.get(m.name, 1) for r, m in memory)
        if name not in trial.kept:
            if not written:
                return f"no element of {name} was written"
        elif written or array.tobytes() != inputs[trial.kept[name]].tobytes():
            return f"{name} was to stay as it was, and the run {'wrote elements of' if written else 'changed'} it"
    return ""


def _refusal(call: ObservedCall, **changes: str) -> PyptoError | None:
    """What compiling a call's kernel for a chip or a profile stops with."""
    arguments = [call.before[first] for first in call.same]
    with configure(**changes):
        try:
            call.kernel.lower(*arguments, *call.args[len(arguments) :], **call.kwargs)
        except PyptoError as error:
            return error
    return None


def _taken(name: str, trial: Trial, found: dict[str, PyptoError | None]) -> Check:
    """Passes if one of those asked for takes the kernel; the others are told."""
    refusals = {key: error for key, error in found.items() if error is not None}
    data = {key: "ok" if error is None else error.code for key, error in found.items()}
    if len(refusals) == len(found):
        return Check(name, "fail", trial.name, str(next(iter(refusals.values()))), data)
    told = ", ".join(f"{key} {error.code}" if error is not None else key for key, error in found.items())
    return Check(name, "pass", trial.name, told, data)


def _plain(value: float) -> float | str:
    """A number that JSON has, or its name."""
    return value if np.isfinite(value) else str(value)
