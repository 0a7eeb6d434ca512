"""Counting what became of mutants."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import get_args

from openpto_gym.mutation.mutant import Mutant
from openpto_gym.mutation.trial import Check, Outcome

CHECKS: tuple[Check, ...] = tuple(check for check in get_args(Check) if check)
WANTED = 0.95
"""The share of mutants that has to be found, of those that mean something else than their kernel."""


@dataclass(slots=True)
class Tally:
    """Counts of outcomes.

    mutants   all of them; ``same``: those with a reason why they mean the same
    by_check  what found them in a run; ``by_code``: with which code
    lint      how many the linter found, and ``only_lint``, how many nothing else found
    escapes   those that nothing found
    wrong     those that have such a reason and were found all the same: the reason is wrong
    """

    mutants: int = 0
    same: int = 0
    by_check: Counter[str] = field(default_factory=Counter)
    by_code: Counter[tuple[str, str]] = field(default_factory=Counter)
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
            self.by_code[outcome.check, outcome.code] += bool(outcome.code)
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


def grouped(outcomes: Sequence[Outcome], by: Callable[[Mutant], str]) -> dict[str, Tally]:
    """The counts of each group of mutants, in the order of the outcomes."""
    names = dict.fromkeys(by(outcome.mutant) for outcome in outcomes)
    return {name: tally(o for o in outcomes if by(o.mutant) == name) for name in names}


def digest(mutants: Iterable[Mutant]) -> str:
    """A mark of a list of mutants, which changes with their texts, and when a mutant gets a reason or loses it."""
    mark = hashlib.sha256()
    for mutant in mutants:
        mark.update(f"{mutant.name}\0{mutant.before}\0{mutant.after}\0{bool(mutant.reason)}\n".encode())
    return mark.hexdigest()[:16]
