"""A verification as one HTML file that needs nothing else: steps, cases by checks, what failed, receipts."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from html import escape

from openpto._version import API_LEVEL, __version__
from openpto.diagnostics import T, current_language, said
from openpto.verify.outcome import TITLES, Check, State, Step, Verification, counts
from openpto.verify.text import word

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --pass: #2a8a3e; --fail: #c62828; --unrun: #b26a00; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; font-size: 0.9rem; } .wide { overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: 0.2rem 0.5rem; text-align: left; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
.pass { color: var(--pass); } .fail { color: var(--fail); font-weight: bold; }
.unrun { color: var(--unrun); font-weight: bold; }
.banner { border: 2px solid var(--unrun); padding: 0.4rem 0.8rem; margin: 1rem 0; }
pre { border: 1px solid var(--line); padding: 0.6rem; overflow-x: auto; font-size: 0.85rem; }
"""
_CLASS: dict[State, str] = {"pass": "pass", "fail": "fail", "not run": "unrun"}
_WORDS = {
    "title": T("Verification of {name}", "{name} 的验证"),
    "step": T("step", "步骤"),
    "verdict": T("verdict", "结论"),
    "checks": T("checks", "检查"),
    "seconds": T("seconds", "秒"),
    "case": T("case", "用例"),
    "failures": T("What failed", "失败项"),
    "receipts": T("Receipts", "回执"),
    "replays": T("Replay files", "replay 文件"),
    "unrun": T(
        "step {number} ({title}) was not run: {why}. That is no pass.",
        "步骤 {number}（{title}）未运行：{why}。这不等于通过。",
    ),
    "no_device": T(
        "Step 4 ran in SIM mode in another interpreter: no device was used.",
        "步骤 4 在另一个解释器中以 SIM 模式运行：没有使用设备。",
    ),
    "device": T("Device", "设备"),
}  # fmt: skip
_RECEIPT = ("trial", "kernel", "engine", "kernel_hash", "ops_executed", "elements_written", "run_seconds", "warnings")


def page(found: Verification) -> str:
    """The text of the file."""
    title = _word("title", name=found.subject)
    language = "zh-CN" if current_language() == "zh" else "en"
    parts = [
        f'<!DOCTYPE html>\n<html lang="{language}">\n<head><meta charset="utf-8"><title>{title}</title>',
        f"<style>{_STYLE}</style></head>\n<body>",
        f"<h1>{title}: {_state(found.state)}</h1>",
        f"<p>openpto {escape(__version__)}, API {escape(API_LEVEL)}; {_settings(found)}</p>",
        *_banners(found),
        _steps(found.steps),
        *(part for number, step in enumerate(found.steps, 1) for part in _cases(number, step)),
        *_failures(found),
        *_replays(found.replays),
        *_device(found),
        *_receipts(found),
        "</body>\n</html>\n",
    ]
    return "\n".join(parts)


def _word(key: str, **fields: object) -> str:
    return escape(said(_WORDS[key], **fields))


def _state(state: State) -> str:
    return f'<span class="{_CLASS[state]}">{escape(word(state))}</span>'


def _settings(found: Verification) -> str:
    return escape(", ".join(f"{name} {value or '-'}" for name, value in found.settings.items()))


def _banners(found: Verification) -> Iterator[str]:
    for number, step in enumerate(found.steps, 1):
        if step.state == "not run":
            text = _word("unrun", number=number, title=said(TITLES[step.key]), why=step.reason)
            yield f'<p class="banner">{text}</p>'
    if found.device and not found.on_device:
        yield f'<p class="banner">{_word("no_device")}</p>'


def _steps(steps: Sequence[Step]) -> str:
    rows = []
    for number, step in enumerate(steps, 1):
        told = ", ".join(f"{count} {word(state)}" for state, count in counts(step.checks).items())
        title = f"{number}. {escape(said(TITLES[step.key]))}"
        rows.append(f'<tr><td>{title}</td><td>{_state(step.state)}</td><td>{escape(told)}</td>'
                    f'<td class="number">{step.seconds:.1f}</td></tr>')  # fmt: skip
    head = "".join(f"<th>{_word(key)}</th>" for key in ("step", "verdict", "checks", "seconds"))
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def _cases(number: int, step: Step) -> Iterator[str]:
    """A table of a step: a row per case, a column per check; a cell has the worst answer."""
    trials = list(dict.fromkeys(check.trial for check in step.checks))
    names = list(dict.fromkeys(check.name for check in step.checks))
    if not trials:
        return
    yield f"<h2>{number}. {escape(said(TITLES[step.key]))}</h2>"
    head = f"<th>{_word('case')}</th>" + "".join(f"<th>{escape(name)}</th>" for name in names)
    rows = []
    for trial in trials:
        cells = "".join(_cell([c for c in step.checks if c.trial == trial and c.name == name]) for name in names)
        rows.append(f"<tr><td>{escape(trial) or '-'}</td>{cells}</tr>")
    yield f'<div class="wide"><table><tr>{head}</tr>{"".join(rows)}</table></div>'


def _cell(checks: Sequence[Check]) -> str:
    if not checks:
        return "<td></td>"
    order: tuple[State, ...] = ("fail", "not run", "pass")
    state = next(state for state in order if any(check.state == state for check in checks))
    short = "; ".join(check.detail.split("\n")[0] for check in checks if check.detail)
    ulp = max((c.data["max_ulp"] for c in checks if isinstance(c.data.get("max_ulp"), float)), default=None)
    note = f" ({ulp:.3g} ULP)" if ulp is not None and state == "pass" else ""
    return f'<td class="{_CLASS[state]}" title="{escape(short, quote=True)}">{escape(word(state))}{note}</td>'


def _failures(found: Verification) -> Iterator[str]:
    failed = list(found.failures())
    if failed:
        yield f"<h2>{_word('failures')}</h2>"
    for step, check in failed:
        head = f"{said(TITLES[step.key])}: {check.name}" + (f" [{check.trial}]" if check.trial else "")
        yield f'<h3 class="fail">{escape(head)}</h3><pre>{escape(check.detail)}</pre>'


def _replays(paths: Sequence[str]) -> Iterator[str]:
    if paths:
        yield f"<h2>{_word('replays')}</h2><pre>"
        yield escape("\n".join(f"pypto replay {shlex.quote(path)}" for path in paths)) + "</pre>"


def _device(found: Verification) -> Iterator[str]:
    if found.device:
        told = ", ".join(f"{key} {value}" for key, value in found.device.items())
        yield f"<h2>{_word('device')}</h2><p>{escape(told)}</p>"


def _receipts(found: Verification) -> Iterator[str]:
    if not found.receipts:
        return
    yield f"<h2>{_word('receipts')}</h2>"
    head = "".join(f"<th>{escape(name)}</th>" for name in _RECEIPT)
    rows = []
    for receipt in found.receipts:
        cells = "".join(f"<td>{escape(_shown(receipt.get(name, '')))}</td>" for name in _RECEIPT)
        rows.append(f"<tr>{cells}</tr>")
    yield f'<div class="wide"><table><tr>{head}</tr>{"".join(rows)}</table></div>'


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {count}" for key, count in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
