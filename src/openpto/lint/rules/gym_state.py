"""Conventions of an operator collection for the record of an operator's stages: PTO714, PTO724, PTO744, off by default.

The record is `.orchestrator_state.json` in the folder of the operator. What is read of it is `stage` (or
`current_stage`), 1 to 7; the stages that are done, as a list `completed_stages` or as `stages`, which gives each its
status; and `active_phase`, the module that is being written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openpto.diagnostics.language import T
from openpto.diagnostics.span import Site, Span
from openpto.lint.findings import Finding
from openpto.lint.hooks import on_module
from openpto.lint.judge import Look

FILE = ".orchestrator_state.json"
STAGES = range(1, 8)
IMPLEMENTED = 5
"""The stage in which an operator is written; the later ones take it for done."""
DONE = frozenset({"completed", "complete", "done", "passed"})
PHASE = re.compile(r"[Mm]_?(\d+)\Z")


@dataclass(frozen=True, slots=True)
class State:
    """The record of an operator's folder."""

    look: Look
    path: Path
    text: str

    def report(self, code: str, key: str, /, **fields: object) -> None:
        """A finding at the line of a key, or at the first line."""
        lines = self.text.split("\n")
        number = next((n for n, line in enumerate(lines, 1) if f'"{key}"' in line), 1)
        self.look.judge.add(Finding(code, Site(Span(str(self.path), number)), fields), self.look.module)


@on_module
def records(look: Look) -> None:
    """Everything about the record."""
    path = Path(look.module.source.path)
    if not path.name.endswith("_impl.py") or not any(map(look.applies, ("PTO714", "PTO724", "PTO744"))):
        return
    folder = path.parent.parent if path.parent.name == "modules" else path.parent
    try:
        text = (folder / FILE).read_text(encoding="utf-8")
    except OSError:
        return
    except UnicodeDecodeError:
        text = ""
    state = State(look, folder / FILE, text)
    table = _table(state)
    if table is None:
        return
    stage, done = _stage(table), _completed(table)
    if stage is None:
        state.report("PTO724", "stage", what=T("no stage from 1 to 7", "没有 1 到 7 的阶段"))
    if done is None:
        state.report("PTO724", "stages", what=T("no list of the stages that are done", "没有已完成阶段的列表"))
    elif stage is not None and stage > IMPLEMENTED and IMPLEMENTED not in done:
        state.report("PTO714", "stage", stage=stage, needed=IMPLEMENTED)
    operator = re.sub(r"(_module\d+)?_impl\.py\Z", "", path.name)
    _phase(state, table, folder, operator)


def _table(state: State) -> Mapping[str, Any] | None:
    """The object that the record holds; PTO724 if it is something else."""
    try:
        table = json.loads(state.text)
    except ValueError:
        table = None
    if isinstance(table, dict):
        return table
    state.report("PTO724", "", what=T("no object of JSON", "没有 JSON 对象"))
    return None


def _stage(table: Mapping[str, Any]) -> int | None:
    number = _number(table.get("stage", table.get("current_stage")))
    return number if number in STAGES else None


def _number(value: object) -> int | None:
    """The stage that a value names: 5, "5", "stage5"."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    found = re.fullmatch(r"(?:stage)?[ _]?(\d+)", value.lower()) if isinstance(value, str) else None
    return int(found[1]) if found else None


def _completed(table: Mapping[str, Any]) -> set[int | None] | None:
    """The stages that are done, None if the record does not say."""
    listed, stages = table.get("completed_stages"), table.get("stages")
    if isinstance(listed, list):
        return set(map(_number, listed))
    if not isinstance(stages, dict):
        return None
    found = {name: status.get("status") if isinstance(status, dict) else status for name, status in stages.items()}
    return {_number(name) for name, status in found.items() if str(status).lower() in DONE}


def _phase(state: State, table: Mapping[str, Any], folder: Path, operator: str) -> None:
    """PTO744: the module that is being written has a kernel file, a golden and a test."""
    phase = str(table.get("active_phase") or "")
    number = PHASE.match(phase)
    if number is None:
        return
    name = f"{operator}_module{number[1]}"
    wanted = (f"{name}_impl.py", f"{name}_golden.py", f"test_{name}.py")
    missing = [file for file in wanted if not (folder / "modules" / file).exists() and not (folder / file).exists()]
    if missing:
        state.report("PTO744", "active_phase", phase=phase, missing=", ".join(missing))
