"""The second step: goldens are worth comparing with. They repeat, agree in float64, and owe nothing to the kernel."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from openpto.kernel.observing import Observer, observe
from openpto.testing import compare, summary
from openpto.verify.independence import dependences, imports_any
from openpto.verify.outcome import Check
from openpto.verify.subject import Arrays, Golden, Subject, Trial


def check_goldens(subject: Subject) -> Iterator[Check]:
    """The checks of a subject's goldens, then those of each trial."""
    if subject.golden_files:
        found = [
            *dependences(subject.golden_files, subject.kernel_files),
            *imports_any(subject.kernel_files, subject.golden_files),
        ]
        yield Check("independent of the kernel", "fail" if found else "pass", detail="\n".join(found))
    for trial in subject.trials:
        yield from _trial(trial)


def _trial(trial: Trial) -> Iterator[Check]:
    if not trial.goldens:
        yield Check("golden", "not run", trial.name, trial.missing or "there is no golden")
        return
    try:
        inputs = trial.inputs()
        again = trial.inputs()
        results = {}
        for golden in trial.goldens:
            results[golden.name], checks = _computed(golden, inputs, trial)
            yield from checks
    except Exception as error:  # whatever a golden raises is what this trial has to show
        yield Check("golden", "fail", trial.name, f"{type(error).__name__}: {error}")
        return
    yield _verdict("inputs repeat", trial, differences(inputs, again))
    yield from _agreement(trial, inputs, results)


def _computed(golden: Golden, inputs: Arrays, trial: Trial) -> tuple[Arrays, list[Check]]:
    """A golden's outputs, and whether it repeats, keeps its inputs, shares no memory with them and runs no kernel."""
    kept = {name: array.copy() for name, array in inputs.items()}
    with np.errstate(all="ignore"), observe(Observer(copies=False)) as watched:
        first = golden.compute(inputs)
        second = golden.compute(inputs)
    changed = differences(kept, inputs)
    shared = [f"{out} is the memory of {name}" for out, a in first.items() for name, b in inputs.items()
              if a.size and np.may_share_memory(a, b)]  # fmt: skip
    called = [f"it called the kernel {call.kernel.__name__}" for call in watched.calls[:1]]
    checks = [
        _verdict("golden repeats", trial, [f"{golden.name}: {text}" for text in differences(first, second)]),
        _verdict("golden keeps its inputs", trial, [f"{golden.name}: {text}" for text in (*changed, *shared)]),
        _verdict("golden runs no kernel", trial, [f"{golden.name}: {text}" for text in called]),
    ]
    return first, checks


def _agreement(trial: Trial, inputs: Arrays, results: dict[str, Arrays]) -> Iterator[Check]:
    """Goldens against each other; a single one that is not in float64, against itself on widened inputs."""
    first = trial.goldens[0]
    others = {golden.name: results[golden.name] for golden in trial.goldens[1:]}
    if not others and not first.wide:
        try:
            with np.errstate(all="ignore"):
                others = {"float64": first.compute(widened(inputs))}
        except Exception as error:  # a golden may not take float64
            why = f"it does not take float64: {type(error).__name__}: {error}"
            yield Check("golden agrees in float64", "not run", trial.name, why)
            return
    if not others:
        yield Check("golden agrees in float64", "not run", trial.name, "there is no second golden")
        return
    found = []
    for name, other in others.items():
        mine = results[first.name]
        if mine.keys() != other.keys():
            found.append(f"{first.name} gives {sorted(mine)}, {name} gives {sorted(other)}")
            continue
        found += [text for out in mine for text in _close(first.name, mine, name, other, out, trial)]
    yield _verdict("golden agrees in float64", trial, found)


def _close(first: str, mine: Arrays, second: str, other: Arrays, out: str, trial: Trial) -> Iterator[str]:
    a, b = mine[out], other[out]
    if a.shape != b.shape:
        yield f"{out}: {first} has shape {a.shape}, {second} {b.shape}"
        return
    found = compare(a, b, trial.tolerance(out, a))
    if not found.ok:
        yield f"{out}: {first} against {second}: {summary(found)}"


def widened(arrays: Arrays) -> Arrays:
    """Floats of every kind in float64, everything else as it is."""
    return {name: array if array.dtype.kind in "iub" else array.astype(np.float64) for name, array in arrays.items()}


def differences(first: Arrays, second: Arrays) -> list[str]:
    """Where two sets of arrays differ in names, shapes, types or bits."""
    if first.keys() != second.keys():
        return [f"there are {sorted(first)}, then {sorted(second)}"]
    found = []
    for name, one in first.items():
        two = second[name]
        if (one.shape, one.dtype) != (two.shape, two.dtype):
            found.append(f"{name} is {one.dtype}{list(one.shape)}, then {two.dtype}{list(two.shape)}")
        elif one.tobytes() != two.tobytes():
            found.append(f"{name} has other bits")
    return found


def _verdict(name: str, trial: Trial, found: list[str]) -> Check:
    return Check(name, "fail" if found else "pass", trial.name, "\n".join(found))
