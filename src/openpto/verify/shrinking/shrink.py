"""The search: passes over a program until none makes it smaller or the time is over."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from openpto.capsule.replay_file import Expected, Replay, recorded
from openpto.capsule.rerun import Outcome
from openpto.diagnostics import T, fail
from openpto.verify.shrinking import expressions, functions, sizes, statements
from openpto.verify.shrinking.oracle import Kept, kept_of
from openpto.verify.shrinking.program import Program, program_of
from openpto.verify.shrinking.worker import Worker

SECONDS = 120.0
PER_RUN = 10.0


@dataclass(slots=True)
class Progress:
    """What the search has come to, for whoever shows it."""

    doing: str = ""
    tried: int = 0
    lines: int = 0
    elements: int = 0


@dataclass(frozen=True, slots=True)
class Shrunk:
    """The result: a replay, its size, and that of what it was made of; ``kept`` says what it still does."""

    replay: Replay
    lines: int
    elements: int
    lines_before: int
    elements_before: int
    tried: int
    finished: bool
    kept: T


def shrink(
    replay: Replay,
    *,
    seconds: float = SECONDS,
    per_run: float = PER_RUN,
    values: bool = False,
    show: Callable[[Progress], None] = lambda progress: None,
) -> Shrunk:
    """Make a replay small.

    Args:
        replay: what is to be kept: the code of its stop, or what makes elements of its output wrong.
        seconds: after these the best result so far counts.
        per_run: what one candidate may take.
        values: whether elements that were right have to stay so where others are merely zero or never written.
        show: is called with the progress.

    Raises:
        RuntimeError: PTO582, the replay does not end as recorded here.
    """
    with Worker(per_run) as worker:
        search = _Search(replay, worker, time.monotonic() + seconds, show, values)
        program = search.start()
        lines, elements = program.lines, program.elements
        finished = True
        try:
            program = search.run(program)
        except _TimeIsOver:
            program, finished = search.best, False
    sizes_of = program.lines, program.elements, lines, elements
    return Shrunk(search.replay_of(program), *sizes_of, search.progress.tried, finished, search.what)


class _TimeIsOver(Exception):
    pass


class _Search:
    def __init__(
        self, replay: Replay, worker: Worker, end: float, show: Callable[[Progress], None], values: bool
    ) -> None:
        self._replay, self._worker, self._end, self._show = replay, worker, end, show
        self._values = values
        self._settings = dict(replay.settings)
        self._seen: set[tuple[str, object]] = set()
        self._last: Outcome | None = None
        self.progress = Progress()
        self.best: Program
        self._kept: Kept

    # -- asking -------------------------------------------------------------------------------------------------------

    def start(self) -> Program:
        """The program to begin with (PTO582 if it does not end as recorded)."""
        self._kept = kept_of(self._replay, program_of(self._replay), self._values)
        program = self._kept.program
        self.best = program
        if not self._kept.judge(program, self._run_patiently):
            fail("PTO582", kernel=program.kernel, kind=self._replay.kind)
        if self._replay.kind != "engines":  # the reference compiles nothing, which small candidates gain from
            engine, self._settings["engine"] = self._settings.get("engine"), "reference"
            begin = time.monotonic()
            if not self._kept.judge(program, self._run) or time.monotonic() - begin > 1.0:
                self._settings["engine"] = engine
        return program

    def keeps(self, program: Program) -> bool:
        """Whether a candidate keeps what counts; it is the best one then."""
        if time.monotonic() > self._end:
            raise _TimeIsOver
        try:
            text = program.text
        except (ValueError, AttributeError, RecursionError):  # a tree that has no text
            return False
        key = (text, tuple(array.tobytes() for array in program.memory.values()), tuple(program.values.items()))
        digest = (text, hash(key))
        if digest in self._seen:
            return False
        self._seen.add(digest)
        self.progress.tried += 1
        self._show(self.progress)
        if not self._kept.judge(program, self._run):
            return False
        self.best = program
        self.progress.lines, self.progress.elements = program.lines, program.elements
        return True

    def _run(self, program: Program, changes: Mapping[str, Any]) -> Outcome | None:
        self._last = self._worker.run(program.capsule(), {**self._settings, **changes})
        return self._last

    def _run_patiently(self, program: Program, changes: Mapping[str, Any]) -> Outcome | None:
        return self._worker.run(program.capsule(), {**self._settings, **changes}, patient=True)

    # -- passes -------------------------------------------------------------------------------------------------------

    def run(self, program: Program) -> Program:
        """All passes, again and again."""
        program = self._until_none("text", program, statements.without_documentation)
        program = self._sizes(program, constants=False)
        program = self._until_none("expressions", program, statements.with_plain_tiles)
        while True:
            before = (program.lines, program.elements, len(program.text))
            program = self._pass("statements", program, statements.fewer)
            program = self._until_none("blocks", program, self._unwrapped)
            program = self._until_none("helpers", program, functions.inlined)
            program = self._until_none("parameters", program, statements.without_parameters)
            program = self._pass("expressions", program, expressions.simpler)
            program = self._sizes(program, constants=True)
            program = self._until_none("names", program, statements.folded)
            program = self._until_none("data", program, sizes.plainer)
            if (program.lines, program.elements, len(program.text)) >= before:
                return program

    def _pass(
        self, doing: str, program: Program, search: Callable[[Program, Callable[[Program], bool]], Program]
    ) -> Program:
        self.progress.doing = doing
        return search(program, self.keeps)

    def _sizes(self, program: Program, constants: bool) -> Program:
        self.progress.doing = "sizes"
        return sizes.smaller(program, self.keeps, self._replay.kind == "stop", constants)

    def _unwrapped(self, program: Program) -> Iterable[Program]:
        stop = None if self._last is None else self._last.stop
        indices = [value for _, _, value in stop.loops if value is not None] if stop is not None else []
        return statements.unwrapped(program, [*indices[:2], 1])

    def _until_none(self, doing: str, program: Program, candidates: Callable[[Program], Iterable[Program]]) -> Program:
        """Take the first candidate that is kept, then those of it, until none is."""
        self.progress.doing = doing
        while True:
            found = next((tried for tried in candidates(program) if self.keeps(tried)), None)
            if found is None:
                return program
            program = found

    @property
    def what(self) -> T:
        """What was kept, in words; elements by their recorded places."""
        return self._kept.what

    # -- result -------------------------------------------------------------------------------------------------------

    def replay_of(self, program: Program) -> Replay:
        """The replay of a small program, with what it does here."""
        expected = self._replay.expected if self._kept.golden else None
        if expected is not None:
            tensor = list(program.shares).index(self._replay.call.names[expected.tensor])
            golden = program.golden if program.golden is not None else expected.golden
            offset = 0 if program.golden is not None else expected.offset
            expected = Expected(tensor, offset, golden, expected.tolerance, expected.summary)
        made = recorded(program.capsule(), self._replay.settings, expected=expected,
                        about={**self._replay.about, "kept": self.what.en})  # fmt: skip
        if self._replay.kind == "engines":
            other = "reference" if made.outcome.engine == "native" else "native"
            made = replace(made, other=made.run(engine=other).tensors)
        return made
