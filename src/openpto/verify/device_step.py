"""The fourth step: the calls of the cases run in the interpreter that PYPTO_NPU_PYTHON names.

The calls are those that SIM ran. What comes back is compared with what SIM gave: bit for bit if the other interpreter
simulates too, within the tolerance of the case on a device; the first difference is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from openpto.capsule.call import Capsule
from openpto.capsule.interpreter import VARIABLE, Answer, Answers, command, run_elsewhere
from openpto.capsule.values import NotSelfContained
from openpto.diagnostics import PyptoError
from openpto.kernel.observing import ObservedCall
from openpto.kernel.replays import capsule_of
from openpto.testing import Tolerance, first_difference
from openpto.verify.outcome import Check
from openpto.verify.sim_step import Simulated
from openpto.verify.subject import Array, Trial, usual_tolerance


@dataclass(frozen=True, slots=True)
class _Task:
    trial: Trial
    observed: ObservedCall
    call: Capsule


def check_device(simulated: Sequence[Simulated], about: dict[str, Any]) -> Iterator[Check]:
    """One check per call. ``about`` receives what ran them."""
    if command() is None:
        yield Check("device", "not run", detail=f"{VARIABLE} names no interpreter of the vendor's stack")
        return
    tasks: list[_Task] = []
    for run in simulated:
        for observed in run.calls:
            try:
                tasks.append(_Task(run.trial, observed, capsule_of(observed, "NPU")))
            except NotSelfContained as reason:
                yield Check("device", "fail", run.trial.name, f"{observed.kernel.__name__} uses {reason}")
    if not tasks:
        yield Check("device", "not run", detail="SIM ran no kernel")
        return
    try:
        answers = run_elsewhere([task.call for task in tasks])
    except PyptoError as error:
        state: Any = "not run" if error.code == "PTO574" else "fail"
        yield Check("device", state, detail=str(error.fields.get("why")) if state == "not run" else str(error))
        return
    about.update({"mode": answers.mode, **answers.about})
    for task, answer in zip(tasks, answers.calls, strict=True):
        yield _judged(task, answer, answers)


def _judged(task: _Task, answer: Answer, answers: Answers) -> Check:
    name = task.observed.kernel.__name__
    data: dict[str, Any] = {"kernel": name, "seconds": round(answer.seconds, 6), "receipt": answer.receipt or {}}
    if answer.error:
        return Check("device", "fail", task.trial.name, f"{name}: {answer.error}", {**data, "code": answer.code})
    told = []
    for parameter, expected, got, before in zip(
        task.call.names, task.observed.after, answer.tensors, task.observed.before, strict=True
    ):
        tolerance = None if answers.mode == "sim" else _tolerance(task.trial, parameter, expected)
        found = first_difference(expected, got, tolerance, before)
        if found is not None:
            told.append(f"{name}, {parameter}: {found}")
            data.setdefault("differences", {})[parameter] = {
                "index": list(found.index), "expected": found.expected, "got": found.got, "ulp": found.ulp,
                "count": found.count, "elements": found.elements, "patterns": [p for p, _ in found.patterns],
            }  # fmt: skip
    return Check("device", "fail" if told else "pass", task.trial.name, "\n".join(told), data)


def _tolerance(trial: Trial, parameter: str, array: Array) -> Tolerance:
    """That of the trial for an output of this name; its usual one for other tensors."""
    try:
        return trial.tolerance(parameter, array)
    except LookupError:
        return usual_tolerance(array)
