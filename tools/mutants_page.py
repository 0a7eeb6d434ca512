"""Write docs/gym-mutants.md, the report on planted faults, from docs/gym-mutants.json, the counts of the last trials.

`--run NAME...` tries the mutants of these subjects again (`--run all`: of all) and changes their counts; `--jobs N`
does it in so many processes. `--check` compares the page with the counts, and the counts with the list of mutants as
the mutators make it now; it exits with 1 if something is not current. `--write` writes the page.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from openpto_gym.mutation.campaign import campaign, mutants_of
from openpto_gym.mutation.mutant import Mutant, subjects
from openpto_gym.mutation.mutators import MUTATORS
from openpto_gym.mutation.report import ESCAPED, MEANINGS, ONLY_LINT, change
from openpto_gym.mutation.tally import CHECKS, digest
from openpto_gym.mutation.trial import Outcome

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "gym-mutants.md"
COUNTS = ROOT / "docs" / "gym-mutants.json"
Record = dict[str, Any]
"""Of one subject: `digest` of its list of mutants, `found` as kind -> check -> mutants, names of `escapes`."""

HEADER = """\
# Planted faults

How far can the checks of this project be trusted? Every operator of the gym, and every module that its kernels share,
is changed in one place at a time, and each of these mutants is linted and run on the cases of its operator (of a shared
module: on those of some operators that use it), the slow cases left out. This page says what found them. It is written
by `tools/mutants_page.py`; `pypto gym mutants NAME` repeats the trials of an operator and shows every mutant.

- **same**: changes that mean what the kernel means, each with its reason below. They give the bits of the kernel and no
  warning that it does not give, and are not counted as faults.
- **escaped**: faults that nothing found. **caught** is the share of faults that something found.
- **lint** counts what the linter finds in the text, whatever a run finds; **only lint** is what nothing else found.

"""


def record(outcomes: Sequence[Outcome]) -> Record:
    """The counts of one subject."""
    found: dict[str, Counter[str]] = {}
    for outcome in outcomes:
        kinds = found.setdefault(outcome.mutant.kind, Counter())
        if outcome.mutant.reason:
            kinds["wrong reason" if outcome.caught else "same"] += 1
            continue
        kinds[outcome.check or ("only lint" if outcome.lint else "escaped")] += 1
        kinds["lint"] += bool(outcome.lint)
    return {
        "digest": digest(outcome.mutant for outcome in outcomes),
        "found": {kind: dict(sorted((+counts).items())) for kind, counts in sorted(found.items())},
        "escapes": [outcome.mutant.name for outcome in outcomes if outcome.escaped],
    }


def read() -> dict[str, Record]:
    """The counts as they were kept, in the order of the subjects."""
    kept = json.loads(COUNTS.read_text(encoding="utf-8")) if COUNTS.exists() else {}
    return {subject.name: kept[subject.name] for subject in subjects() if subject.name in kept}


def stale(counts: dict[str, Record]) -> list[str]:
    """Subjects without counts, or whose mutants are not those that were counted."""
    return [
        subject.name
        for subject in subjects()
        if subject.name not in counts or counts[subject.name]["digest"] != digest(mutants_of(subject.name))
    ]


HEADINGS = ("mutants", "same", *CHECKS, "only lint", "escaped", "lint", "caught")


def page(counts: dict[str, Record]) -> str:
    """The text of the page."""
    left = [subject.name for subject in subjects() if subject.name not in counts]
    lines = [
        HEADER.rstrip("\n"),
        *([f"- Not tried yet: {', '.join(left)}."] if left else []),
        "",
        "## What found them",
        "",
        *_by_check(counts),
        "",
        "## By subject",
        "",
        *_table("subject", _by_subject(counts)),
        "",
    ]
    lines += ["## By kind of fault", "", *_table("kind", _by_kind(counts)), ""]
    lines += ["## Mutators", "", "| mutator | kind | what it does |", "|---|---|---|"]
    lines += [f"| `{m.name}` | {m.kind} | {_escaped(m.meaning)} |" for m in MUTATORS.values()]
    lines += ["", "Faults that these rules do not reach are written down in `mutants.py` beside an operator.", ""]
    lines += ["## Escapes", "", *_escapes(counts), "", "## Changes that mean the same", "", *_same(counts)]
    return "\n".join(lines) + "\n"


def _by_check(counts: dict[str, Record]) -> Iterator[str]:
    """How many faults each check found, those that found most first."""
    found = sum(_by_subject(counts).values(), Counter[str]())
    yield from ("| check | what it is | faults |", "|---|---|---:|")
    for check in sorted(CHECKS, key=lambda check: -found[check]):
        yield f"| **{check}** | {MEANINGS[check]} | {found[check]} |"
    yield f"| **only lint** | {ONLY_LINT} | {found['only lint']} |"
    yield f"| **escaped** | {ESCAPED} | {found['escaped']} |"


def _by_subject(counts: dict[str, Record]) -> dict[str, Counter[str]]:
    return {name: sum((Counter(kind) for kind in kept["found"].values()), Counter()) for name, kept in counts.items()}


def _by_kind(counts: dict[str, Record]) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for kept in counts.values():
        for kind, numbers in kept["found"].items():
            found.setdefault(kind, Counter()).update(numbers)
    return dict(sorted(found.items()))


def _table(first: str, rows: dict[str, Counter[str]]) -> list[str]:
    together = sum(rows.values(), Counter[str]())
    lines = [f"| {' | '.join((first, *HEADINGS))} |", "|---" + "|---:" * len(HEADINGS) + "|"]
    return lines + [_row(name, numbers) for name, numbers in (*rows.items(), ("**together**", together))]


def _row(name: str, numbers: Counter[str]) -> str:
    caught = sum(numbers[check] for check in (*CHECKS, "only lint"))
    faults = caught + numbers["escaped"]
    shown = [str(faults + numbers["same"]), *(str(numbers[heading] or "") for heading in HEADINGS[1:-1])]
    return f"| {' | '.join((name, *shown, f'{caught / faults:.1%}' if faults else ''))} |"


def _escapes(counts: dict[str, Record]) -> list[str]:
    rows = [mutant for name, kept in counts.items() for mutant in mutants_of(name) if mutant.name in kept["escapes"]]
    if not rows:
        return ["None."]
    return ["| mutant | function | change |", "|---|---|---|", *(_described(mutant) for mutant in rows)]


def _same(counts: dict[str, Record]) -> Iterator[str]:
    rows = [mutant for name in counts for mutant in mutants_of(name) if mutant.reason]
    for reason in dict.fromkeys(mutant.reason for mutant in rows):
        yield from ("", f"**{reason}**", "", "| mutant | function | change |", "|---|---|---|")
        yield from (_described(mutant) for mutant in rows if mutant.reason == reason)


def _left(name: str, kept: Record) -> str:
    """The escapes of a subject in full, a line each."""
    lines = [
        f"   {mutant.name} {mutant.function}:{mutant.line}  {change(mutant, 200)}"
        for mutant in mutants_of(name)
        if mutant.name in kept["escapes"]
    ]
    return "\n".join((f"{len(lines)} escaped", *lines))


def _described(mutant: Mutant) -> str:
    return f"| {mutant.name} | {mutant.function} | {_code(change(mutant, 120))} |"


def _code(text: str) -> str:
    return f"`{_escaped(text)}`"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> int:
    """Run the tool."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", nargs="+", metavar="NAME", default=[])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    counts = read()
    for name in [subject.name for subject in subjects()] if options.run == ["all"] else options.run:
        counts[name] = record(list(campaign([name], options.jobs)))
        ordered = {subject.name: counts[subject.name] for subject in subjects() if subject.name in counts}
        COUNTS.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
        print(name, _left(name, counts[name]), flush=True)
    counts = read()
    if options.write or options.run:
        PAGE.write_text(page(counts), encoding="utf-8")
    if options.check:
        old = [*stale(counts), *(["the page"] if PAGE.read_text(encoding="utf-8") != page(counts) else [])]
        print(f"not current: {', '.join(old)}" if old else "current")
        return bool(old)
    return 0


if __name__ == "__main__":
    sys.exit(main())
