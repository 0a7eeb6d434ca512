"""Counting what became of mutants, by subject and by kind of fault, and the texts of reports."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from openpto_gym.mutation.mutant import Mutant
from openpto_gym.mutation.trial import Check, Outcome
from openpto_gym.table import columns

CHECKS: tuple[Check, ...] = tuple(check for check in get_args(Check) if check)
WANTED = 0.95
"""The share of mutants that has to be found, of those that mean something else than their kernel."""


@dataclass(slots=True)
class Tally:
    """Counts of outcomes.

    mutants   all of them; ``same``: those with a reason why they mean the same
    by_check  what found them in a run
    lint      how many the linter found, and ``only_lint``, how many nothing else found
    escapes   those that nothing found
    wrong     those that have such a reason and were found all the same: the reason is wrong
    """

    mutants: int = 0
    same: int = 0
    by_check: Counter[str] = field(default_factory=Counter)
    lint: int = 0
    only_lint: int = 0
    escapes: list[Mutant] = field(default_factory=list)
    wrong: list[Mutant] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        """Count one more."""
        self.mutants += 1
        if outcome.mutant.reason:
            self.same += 1
            if outcome.caught:
                self.wrong.append(outcome.mutant)
            return
        if outcome.check:
            self.by_check[outcome.check] += 1
        self.lint += bool(outcome.lint)
        self.only_lint += bool(outcome.lint) and not outcome.check
        if outcome.escaped:
            self.escapes.append(outcome.mutant)

    @property
    def counted(self) -> int:
        """Mutants that mean something else."""
        return self.mutants - self.same

    @property
    def caught(self) -> int:
        """Those of them that a check found."""
        return self.counted - len(self.escapes)

    @property
    def share(self) -> float:
        """Found of those that mean something else; 1 if there are none."""
        return self.caught / self.counted if self.counted else 1.0

    @property
    def good(self) -> bool:
        """Whether enough were found and no reason was wrong."""
        return self.share >= WANTED and not self.wrong


def tally(outcomes: Iterable[Outcome]) -> Tally:
    """All outcomes together."""
    total = Tally()
    for outcome in outcomes:
        total.add(outcome)
    return total


def by_subject(outcomes: Sequence[Outcome]) -> dict[str, Tally]:
    """The counts of each subject, in the order of the outcomes."""
    return {name: tally(o for o in outcomes if o.mutant.subject == name) for name in _names(outcomes)}


def _names(outcomes: Sequence[Outcome]) -> list[str]:
    return list(dict.fromkeys(outcome.mutant.subject for outcome in outcomes))


def digest(mutants: Iterable[Mutant]) -> str:
    """A mark of a list of mutants, which changes with their texts, and when a mutant gets a reason or loses it."""
    mark = hashlib.sha256()
    for mutant in mutants:
        mark.update(f"{mutant.name}\0{mutant.before}\0{mutant.after}\0{bool(mutant.reason)}\n".encode())
    return mark.hexdigest()[:16]


HEADINGS = ("subject", "mutants", "same", *CHECKS, "only lint", "lint", "escaped", "caught")


def cells(name: str, counts: Tally) -> tuple[str, ...]:
    """One line of the table of subjects, in the order of HEADINGS; no number instead of 0."""
    numbers = [counts.mutants, counts.same, *(counts.by_check[check] for check in CHECKS)]
    numbers += [counts.only_lint, counts.lint, len(counts.escapes)]
    return (name, *(str(number or "") for number in numbers), f"{counts.share:.1%}")


def table(outcomes: Sequence[Outcome]) -> list[str]:
    """The table of subjects and their sum, in plain columns."""
    rows = [cells(name, counts) for name, counts in by_subject(outcomes).items()]
    rows.append(cells("together", tally(outcomes)))
    return columns([HEADINGS, *rows])


def each(outcomes: Sequence[Outcome]) -> list[str]:
    """A line per mutant: where, what was changed, and what found it."""
    rows = [(o.mutant.name, f"{o.mutant.function}:{o.mutant.line}", change(o.mutant), verdict(o)) for o in outcomes]
    return columns([("mutant", "place", "change", "found by"), *rows])


def verdict(outcome: Outcome) -> str:
    """What found a mutant, in a few words."""
    found = [] if not outcome.check else [" ".join(filter(None, (outcome.check, outcome.code, outcome.case)))]
    found += [f"lint {' '.join(outcome.lint)}"] if outcome.lint else []
    if outcome.mutant.reason:
        return f"same meaning{', but found by ' + '; '.join(found) if found else ''}"
    return "; ".join(found) or "ESCAPED"


def change(mutant: Mutant, limit: int = 90) -> str:
    """What was changed into what, in one line."""
    text = f"{mutant.before} => {mutant.after or 'nothing'}"
    return text if len(text) <= limit else text[: limit - 3] + "..."


def as_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome in types of JSON."""
    mutant = outcome.mutant
    return {
        "mutant": mutant.name, "kind": mutant.kind, "function": mutant.function, "line": mutant.line,
        "before": mutant.before, "after": mutant.after, "caught": outcome.caught, "check": outcome.check,
        "code": outcome.code, "case": outcome.case, "detail": outcome.detail, "lint": list(outcome.lint),
        "same_meaning": mutant.reason,
    }  # fmt: skip
