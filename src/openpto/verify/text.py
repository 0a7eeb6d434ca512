"""A verification on the terminal: a line per step, what failed in full, and what was not run."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from openpto.diagnostics import T, said
from openpto.verify.outcome import TITLES, Check, State, Step, Verification, counts

_WORDS: dict[State, T] = {
    "pass": T("pass", "通过"),
    "fail": T("FAIL", "失败"),
    "not run": T("NOT RUN", "未运行"),
}
_STYLES: dict[State, str] = {"pass": "green", "fail": "bold red", "not run": "bold yellow"}
_CHECKS = T("{count} {state}", "{count} 项{state}")
_UNCHECKED = T(
    "{name}: step {number} ({title}) was not run: {why}. That is no pass.",
    "{name}：步骤 {number}（{title}）未运行：{why}。这不等于通过。",
)
_NO_DEVICE = T(
    "{name}: step 4 ran on {stack}, in SIM mode in another interpreter: no device was used.",
    "{name}：步骤 4 在另一个解释器中以 SIM 模式运行（{stack}）：没有使用设备。",
)
_ON = T("{name}: step 4 ran on {stack}", "{name}：步骤 4 运行于 {stack}")
Line = list[tuple[str, str]]
"""Texts with the name of their style, "" for none."""
SHOWN = 8
"""Failures of one kind that are shown in full."""


def word(state: State) -> str:
    """A state in the user's language."""
    return said(_WORDS[state])


def step_line(number: int, step: Step) -> Line:
    """One step: its verdict, how many checks, how long."""
    told = ", ".join(said(_CHECKS, count=count, state=word(state)) for state, count in counts(step.checks).items())
    return [
        (f"{number}. {said(TITLES[step.key])}  ", ""),
        (word(step.state), _STYLES[step.state]),
        (f"  ({told}; {step.seconds:.1f} s)", ""),
    ]


def details(found: Verification) -> Iterator[Line]:
    """What failed, and what was not run."""
    shown: dict[tuple[str, str], int] = {}
    for step, check in found.failures():
        kind = (step.key, check.name)
        shown[kind] = shown.get(kind, 0) + 1
        if shown[kind] <= SHOWN:
            yield []
            yield [(_head(step, check), "bold red")]
            yield from ([(line, "")] for line in check.detail.splitlines())
    hidden = sum(count - SHOWN for count in shown.values() if count > SHOWN)
    if hidden:
        yield [(f"... {hidden}", "bold red")]
    if found.replays:
        yield []
        yield from ([(f"pypto replay {shlex.quote(path)}", "")] for path in found.replays)
    for number, step in enumerate(found.steps, 1):
        if step.state == "not run":
            yield []
            text = said(_UNCHECKED, name=found.subject, number=number, title=said(TITLES[step.key]), why=step.reason)
            yield [(text, _STYLES["not run"])]
    if found.device:
        yield []
        stack = ", ".join(f"{key} {value}" for key, value in found.device.items() if key != "mode")
        told, style = (_ON, "") if found.on_device else (_NO_DEVICE, "bold yellow")
        yield [(said(told, name=found.subject, stack=stack), style)]


def verdict(found: Verification) -> Line:
    """The last line."""
    return [(f"{found.subject}: ", "bold"), (word(found.state), _STYLES[found.state])]


def _head(step: Step, check: Check) -> str:
    trial = f" [{check.trial}]" if check.trial else ""
    return f"{word('fail')}: {check.name}{trial}"
