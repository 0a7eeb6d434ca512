"""Mutants of a kernel file: those that mutators make and those that are written down beside it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from openpto_gym import registry
from openpto_gym.mutation.mutators import MUTATORS
from openpto_gym.mutation.source import Source, sites

SHARED = {
    "flash": ("causal_attention", "varlen_attention", "paged_attention", "lightning_indexer", "mla_decode"),
    "rotary": ("rope", "qk_norm_rope", "mla_prologue"),
    "quantising": ("quantize_int8", "quant_matmul"),
    "precision": ("softmax", "relu"),
}
"""Modules that kernels share, and the operators whose cases judge their mutants."""


@dataclass(frozen=True, slots=True)
class Planted:
    """A fault written by hand: a text that occurs once in the kernel file, and what takes its place."""

    name: str
    kind: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Equivalent:
    """Mutants that mean what the kernel means, with the reason: those of one mutator that change one text.

    ``after``, ``function`` and ``within``, a text of the line where the change begins, narrow the choice down;
    ``count`` is how many mutants it is. With ``rounds`` the same is computed in exact arithmetic, in other steps that
    round elsewhere; else the bits have to be the same.
    """

    mutator: str
    before: str
    reason: str
    after: str | None = None
    function: str | None = None
    within: str = ""
    count: int = 1
    rounds: bool = False

    def fits(self, mutant: Mutant) -> bool:
        """Whether a mutant is one of these."""
        return (
            (self.mutator, self.before) == (mutant.mutator, mutant.before)
            and self.after in (None, mutant.after)
            and self.function in (None, mutant.function)
            and self.within in mutant.source_line
        )


@dataclass(frozen=True, slots=True)
class Subject:
    """A file that is mutated: the kernel of an operator, or a module that kernels share.

    judges: the operators whose cases its mutants run on.
    """

    name: str
    module: str
    judges: tuple[str, ...]

    @property
    def shared(self) -> bool:
        """Whether it is a module that kernels share."""
        return self.name in SHARED

    @property
    def path(self) -> Path:
        """The file."""
        folder = registry.folder(self.name)
        return folder.with_suffix(".py") if self.shared else folder / "kernel.py"

    @property
    def declarations(self) -> str:
        """The module with the faults and reasons that are written by hand for this file."""
        return "openpto_gym.mutation.shared" if self.shared else f"openpto_gym.{self.name}.mutants"


@dataclass(frozen=True, slots=True)
class Mutant:
    """A kernel file with one fault.

    name      subject, mutator and number, such as `softmax/tail_not_cut/2`
    source_line  the line of the kernel where the change begins
    before    the text that was changed, in one line; ``after``: what it became
    text      the whole file with the fault
    reason    why the mutant means the same; empty: it does not. ``rounds``: but rounds elsewhere
    """

    name: str
    subject: str
    mutator: str
    kind: str
    function: str
    line: int
    source_line: str
    before: str
    after: str
    text: str
    reason: str = ""
    rounds: bool = False


def subjects() -> tuple[Subject, ...]:
    """All files that are mutated: operators in the order of their list, then shared modules."""
    operators = tuple(Subject(name, f"openpto_gym.{name}.kernel", (name,)) for name in registry.NAMES)
    return operators + tuple(Subject(name, f"openpto_gym.{name}", judges) for name, judges in SHARED.items())


def subject(name: str) -> Subject:
    """The subject of that name; an unknown name is refused as an operator that does not exist."""
    for known in subjects():
        if known.name == name:
            return known
    registry.load(name)  # the coded stop
    raise AssertionError(name)


def mutants(of: Subject) -> list[Mutant]:
    """The mutants of a file, those of mutators first; no two have the same text.

    Raises:
        ValueError: the text of a fault written by hand does not occur exactly once, or a reason fits another number of
            mutants than it says.
    """
    text = of.path.read_text(encoding="utf-8")
    planted, equivalents = declared(of)
    seen, found, numbers = {text}, [], Counter[str]()
    for mutant in (*_by_mutators(of, text), *_by_hand(of, text, planted)):
        if mutant.text not in seen:
            seen.add(mutant.text)
            numbers[mutant.mutator] += 1
            found.append(_named(mutant, numbers[mutant.mutator], equivalents))
    _check_counts(of, found, equivalents)
    return found


def declared(of: Subject) -> tuple[Sequence[Planted], Sequence[Equivalent]]:
    """The faults written by hand and the reasons of equivalent mutants, of one subject."""
    if find_spec(of.declarations) is None:
        return (), ()
    module = import_module(of.declarations)
    if of.shared:
        return module.PLANTED.get(of.name, ()), module.EQUIVALENT.get(of.name, ())
    return module.PLANTED, module.EQUIVALENT


def _by_mutators(of: Subject, text: str) -> Iterator[Mutant]:
    source = Source(text)
    everywhere = list(sites(source))
    for mutator in MUTATORS.values():
        for site in everywhere:
            for begin, end, new in mutator.find(source, site):
                yield _mutant(of, mutator.name, mutator.kind, site.function, text, begin, end, new)


def _by_hand(of: Subject, text: str, planted: Sequence[Planted]) -> Iterator[Mutant]:
    for fault in planted:
        if text.count(fault.old) != 1:
            raise ValueError(f"{of.name}: the text of {fault.name} occurs {text.count(fault.old)} times")
        begin = text.index(fault.old)
        function = _function_at(text, text.count("\n", 0, begin) + 1)
        yield _mutant(of, fault.name, fault.kind, function, text, begin, begin + len(fault.old), fault.new)


def _mutant(of: Subject, mutator: str, kind: str, function: str, text: str, begin: int, end: int, new: str) -> Mutant:
    old, line = text[begin:end], text.count("\n", 0, begin) + 1
    source_line = text.splitlines()[line - 1].strip()
    changed = text[:begin] + new + text[end:]
    return Mutant("", of.name, mutator, kind, function, line, source_line, _one_line(old), _one_line(new), changed)


def _named(mutant: Mutant, number: int, equivalents: Sequence[Equivalent]) -> Mutant:
    named = replace(mutant, name=f"{mutant.subject}/{mutant.mutator}/{number}")
    for entry in equivalents:
        if entry.fits(mutant):
            return replace(named, reason=entry.reason, rounds=entry.rounds)
    return named


def _check_counts(of: Subject, found: Sequence[Mutant], equivalents: Sequence[Equivalent]) -> None:
    for entry in equivalents:
        fitting = sum(map(entry.fits, found))
        if fitting != entry.count:
            raise ValueError(
                f"{of.name}: {entry.mutator} of {entry.before!r} fits {fitting} mutants, not {entry.count}"
            )


def _function_at(text: str, line: int) -> str:
    """The innermost function that holds a line; empty for a line of the module."""
    inside = [
        node for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0)
    ]  # fmt: skip
    return max(inside, key=lambda node: node.lineno).name if inside else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())
