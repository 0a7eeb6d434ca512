"""A whole verification: the four steps in order, each timed."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from openpto.diagnostics import PyptoWarning
from openpto.verify.device_step import check_device
from openpto.verify.golden_step import check_goldens
from openpto.verify.outcome import Check, Step, Verification
from openpto.verify.sim_step import Simulation
from openpto.verify.source_step import check_source
from openpto.verify.subject import Subject


@dataclass(frozen=True, slots=True)
class Options:
    """target, chip  what the kernels are held to; None: they may need any profile or chip, and the report says which
    replay_dir    folder for replay files of what fails; None: there are none
    on_step       is called with each step when it has ended
    """

    target: str | None = None
    chip: str | None = None
    replay_dir: str | None = None
    on_step: Callable[[Step], None] = lambda step: None


def verify(subject: Subject, options: Options) -> Verification:
    """Run the steps. A step that cannot be run says why; it never counts as passed.

    Warnings are not shown while kernels run: receipts have their codes.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PyptoWarning)
        return _verified(subject, options)


def _verified(subject: Subject, options: Options) -> Verification:
    simulation = Simulation(subject, options.target, options.chip, replay_dir=options.replay_dir)
    steps: list[Step] = []
    device: dict[str, Any] = {}

    def take(key: str, checks: Iterable[Check]) -> Step:
        begin = time.perf_counter()
        answered = tuple(checks)
        step = Step(key, answered, time.perf_counter() - begin)
        steps.append(step)
        options.on_step(step)
        return step

    source = take("source", check_source(subject, options.target, options.chip))
    if any(check.name == "syntax" and check.state == "fail" for check in source.checks):
        why = "the files cannot be parsed"
        for key in ("golden", "sim", "device"):
            take(key, [Check(key, "not run", detail=why)])
    else:
        take("golden", check_goldens(subject))
        sim = take("sim", simulation.checks())
        passed = sim.state == "pass"
        take("device", check_device(simulation.simulated, device) if passed else [_unready()])
    settings: dict[str, Any] = {"target": options.target, "chip": options.chip}
    return Verification(subject.name, tuple(steps), settings, tuple(simulation.receipts), device,
                        tuple(simulation.replays))  # fmt: skip


def _unready() -> Check:
    return Check("device", "not run", detail="SIM did not pass")
