"""What `pypto gym mutants` shows: every line of a kernel with its mutants and what found them, and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from openpto.diagnostics import RULES
from openpto_gym.mutation.mutant import Mutant, subject
from openpto_gym.mutation.tally import CHECKS, Tally, grouped, tally
from openpto_gym.mutation.trial import Outcome
from openpto_gym.table import columns

MEANINGS = {
    "stop": "a coded stop of the compiler",
    "fault": "a fault of the run, or a kernel that writes nothing",
    "undefined": "elements that nothing has written were stored, or read as a number",
    "receipt": "an output that the run did not write, or an input that it changed",
    "numbers": "the comparison with the golden",
    "time": "a case did not end",
    "python": "an exception of Python while the kernel was traced",
    "warning": "only a warning that the kernel itself does not give: a toolchain refuses it or computes something else",
}
"""What finds a mutant in a run, in a few words; in the order of the columns of a table."""

ONLY_LINT = "the linter, and nothing in a run"
ESCAPED = "no check: the cases are too weak, or the change means the same"
HEADINGS = ("mutants", "same", *CHECKS, "only lint", "lint", "escaped", "caught")


def lines_of_kernel(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Every line of the kernels that was changed, and below it its mutants: what found each, the case, the change."""
    for name, line, text in dict.fromkeys(map(_place, sorted(outcomes, key=_order(outcomes)))):
        yield f"{name}:{line}  {text}"
        here = [o for o in outcomes if _place(o) == (name, line, text)]
        rows = [(verdict(o), o.case, _number(o.mutant), change(o.mutant)) for o in here]
        yield from (f"    {row}" for row in columns(rows))
    yield from reasons(outcomes)


def _order(outcomes: Sequence[Outcome]) -> Any:
    subjects = list(dict.fromkeys(outcome.mutant.subject for outcome in outcomes))
    return lambda outcome: (subjects.index(outcome.mutant.subject), outcome.mutant.line)


def _place(outcome: Outcome) -> tuple[str, int, str]:
    of = subject(outcome.mutant.subject)
    file = of.path.name if of.shared else f"{of.name}/{of.path.name}"
    return file, outcome.mutant.line, outcome.mutant.source_line


def _number(mutant: Mutant) -> str:
    return mutant.name.partition("/")[2]


def verdict(outcome: Outcome) -> str:
    """What found a mutant, in a few words."""
    found = [] if not outcome.check else [" ".join(filter(None, (outcome.check, outcome.code)))]
    found += [f"lint {' '.join(outcome.lint)}"] if outcome.lint else []
    if outcome.mutant.reason:
        return f"WRONG REASON: {', '.join(found)}" if found else "same meaning"
    return ", ".join(found) or "ESCAPED"


def change(mutant: Mutant, limit: int = 90) -> str:
    """What was changed into what, in one line."""
    text = f"{mutant.before} => {mutant.after or 'nothing'}"
    return text if len(text) <= limit else text[: limit - 3] + "..."


def by_check(outcomes: Sequence[Outcome]) -> list[str]:
    """How many faults each check found, with the codes that it gave, and how many nothing found."""
    total = tally(outcomes)
    rows = [("found by", "faults", "")]
    for check in sorted(CHECKS, key=lambda check: -total.by_check[check]):
        if total.by_check[check]:
            rows.append((check, str(total.by_check[check]), MEANINGS[check]))
            rows += [("", "", f"  {text}") for text in _codes(check, total.by_code)]
    if total.only_lint:
        rows.append(("only lint", str(total.only_lint), ONLY_LINT))
    if total.escapes:
        rows.append(("nothing", str(len(total.escapes)), ESCAPED))
    return columns(rows)


def _codes(check: str, found: Counter[tuple[str, str]]) -> Iterator[str]:
    for (by, code), count in found.most_common():
        if by == check and count:
            title = RULES[code].title.en if code in RULES else "raised by Python"
            yield f"{count:4}  {code}  {title}"


def by_kind(outcomes: Sequence[Outcome]) -> list[str]:
    """How many faults of each kind there are, and what found them."""
    rows = [("kind of fault", "faults", "found by")]
    groups = grouped(outcomes, lambda mutant: mutant.kind)
    for kind, counts in sorted(groups.items(), key=lambda item: -item[1].counted):
        if counts.counted:
            rows.append((kind, str(counts.counted), _finders(counts)))
    return columns(rows)


def _finders(counts: Tally) -> str:
    found = [(check, count) for check, count in counts.by_check.most_common() if count]
    found += [("only lint", counts.only_lint), ("nothing", len(counts.escapes))]
    return ", ".join(f"{check} {count}" for check, count in found if count)


def by_subject(outcomes: Sequence[Outcome]) -> list[str]:
    """The table of subjects and their sum."""
    groups = grouped(outcomes, lambda mutant: mutant.subject)
    rows = [cells(name, counts) for name, counts in groups.items()]
    return columns([("subject", *HEADINGS), *rows, cells("together", tally(outcomes))])


def cells(name: str, counts: Tally) -> tuple[str, ...]:
    """One line of the table of subjects, in the order of HEADINGS; no number instead of 0."""
    numbers = [counts.mutants, counts.same, *(counts.by_check[check] for check in CHECKS)]
    numbers += [counts.only_lint, counts.lint, len(counts.escapes)]
    return (name, *(str(number or "") for number in numbers), f"{counts.share:.1%}")


def reasons(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Why changes mean the same as the kernel: every reason with its mutants; nothing if there are none."""
    same = [outcome.mutant for outcome in outcomes if outcome.mutant.reason]
    for reason in dict.fromkeys(mutant.reason for mutant in same):
        yield f"same meaning: {reason}"
        yield f"    {', '.join(mutant.name for mutant in same if mutant.reason == reason)}"


def end(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The result in one sentence, and below it what asks for work: escapes and wrong reasons."""
    total = tally(outcomes)
    yield (
        f"{total.caught} of {total.counted} faults are found ({total.share:.1%}), {total.lint} of them by the linter "
        f"as well; changes with the same meaning: {total.same}."
    )
    for mutant in total.escapes:
        yield f"ESCAPED  {mutant.name}  {mutant.function}:{mutant.line}  {change(mutant)}"
    for mutant in total.wrong:
        yield f"WRONG REASON  {mutant.name} is found, so it does not mean the same: {mutant.reason}"


def as_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome in types of JSON."""
    mutant = outcome.mutant
    return {
        "mutant": mutant.name, "kind": mutant.kind, "function": mutant.function, "line": mutant.line,
        "before": mutant.before, "after": mutant.after, "caught": outcome.caught, "check": outcome.check,
        "code": outcome.code, "case": outcome.case, "detail": outcome.detail, "lint": list(outcome.lint),
        "same_meaning": mutant.reason,
    }  # fmt: skip
