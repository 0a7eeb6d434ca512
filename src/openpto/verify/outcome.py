"""What a verification found: checks, steps, receipts, and the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from openpto._version import API_LEVEL, __version__
from openpto.diagnostics import T

State = Literal["pass", "fail", "not run"]

FORMAT = 1
"""Version of the JSON report."""

TITLES = {
    "source": T("syntax and lint", "语法与 lint"),
    "golden": T("golden", "标准实现"),
    "sim": T("SIM: structure, tiles, numbers", "SIM：结构、tile、数值"),
    "device": T("device", "设备"),
}


@dataclass(frozen=True, slots=True)
class Check:
    """One question and its answer.

    name     what was asked, the same for all trials
    state    the answer; "not run" has its reason in ``detail``
    trial    the case it belongs to, empty for one of the whole
    detail   the first lines are enough for a table
    data     particulars for the JSON report
    """

    name: str
    state: State
    trial: str = ""
    detail: str = ""
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """One of the four steps."""

    key: str
    checks: tuple[Check, ...]
    seconds: float = 0.0

    @property
    def state(self) -> State:
        """Fails with any check; passes if any check passed; else it was not run."""
        states = {check.state for check in self.checks}
        if "fail" in states:
            return "fail"
        return "pass" if "pass" in states else "not run"

    @property
    def reason(self) -> str:
        """Why it was not run."""
        return next((check.detail for check in self.checks if check.state == "not run"), "")


@dataclass(frozen=True, slots=True)
class Verification:
    """The whole. ``device`` tells what ran the fourth step; without a device, another interpreter in SIM mode."""

    subject: str
    steps: tuple[Step, ...]
    settings: dict[str, Any]
    receipts: tuple[dict[str, Any], ...] = ()
    device: dict[str, Any] = field(default_factory=dict)
    replays: tuple[str, ...] = ()

    @property
    def on_device(self) -> bool:
        """Whether the step on the device ran, and on one."""
        return self.step("device").state != "not run" and self.device.get("mode") == "npu"

    @property
    def state(self) -> State:
        """Fails with any step; passes if all steps that ran passed and some did."""
        states = [step.state for step in self.steps]
        if "fail" in states:
            return "fail"
        return "pass" if "pass" in states else "not run"

    def step(self, key: str) -> Step:
        """A step by its key."""
        return next(step for step in self.steps if step.key == key)

    def failures(self) -> Iterator[tuple[Step, Check]]:
        """What failed."""
        for step in self.steps:
            for check in step.checks:
                if check.state == "fail":
                    yield step, check

    def as_json(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "format": "pypto-verify",
            "version": FORMAT,
            "openpto": __version__,
            "api_level": API_LEVEL,
            "target": self.subject,
            "state": self.state,
            "settings": self.settings,
            "steps": [_step(step) for step in self.steps],
            "device": self.device,
            "replays": list(self.replays),
            "receipts": list(self.receipts),
        }


def _step(step: Step) -> dict[str, Any]:
    return {
        "step": step.key,
        "title": TITLES[step.key].en,
        "state": step.state,
        "reason": step.reason if step.state == "not run" else "",
        "seconds": round(step.seconds, 3),
        "checks": [_check(check) for check in step.checks],
    }


def _check(check: Check) -> dict[str, Any]:
    return {
        "check": check.name,
        "state": check.state,
        "trial": check.trial,
        "detail": check.detail,
        **({"data": check.data} if check.data else {}),
    }


def counts(checks: Sequence[Check]) -> dict[State, int]:
    """How many checks have each state."""
    states: tuple[State, ...] = ("pass", "fail", "not run")
    found = {state: sum(check.state == state for check in checks) for state in states}
    return {state: count for state, count in found.items() if count}
