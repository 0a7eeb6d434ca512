"""`pypto replay`: a recorded call again, and whether it ends as it did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from openpto.capsule.arrays import Array
from openpto.capsule.replay_file import Expected, Replay, versions
from openpto.capsule.rerun import Outcome
from openpto.testing import Tolerance, compare, first_difference, summary


@dataclass(frozen=True, slots=True)
class Rerun:
    """What a replay did here.

    outcome      of this run
    differences  texts: in what it is not as recorded; empty: reproduced
    told         further texts: the comparison that failed, other versions
    """

    outcome: Outcome
    differences: tuple[str, ...]
    told: tuple[str, ...]

    @property
    def reproduced(self) -> bool:
        """Whether it ended as recorded."""
        return not self.differences


def replayed(replay: Replay) -> Rerun:
    """Run a replay as it was recorded and compare: codes, places and values of stops, bits of tensors."""
    outcome = replay.run()
    found = list(_differences(replay, replay.outcome, outcome, ""))
    if replay.other and not found:
        engine = "reference" if replay.outcome.engine == "native" else "native"
        found += _differences(replay, Outcome(replay.other, engine=engine), replay.run(engine=engine), f"{engine}: ")
    return Rerun(outcome, tuple(found), tuple(_told(replay, outcome)))


def tolerance_of(expected: Expected) -> Tolerance:
    """The tolerance of a comparison that was recorded."""
    limits = expected.tolerance
    return Tolerance(limits["rtol"], limits["atol"], limits.get("bad_share", 0.0))


def compared_part(expected: Expected, tensor: Array) -> Array:
    """The elements of a tensor that were compared, in the shape of the golden; of a dense one, its own memory."""
    return tensor.reshape(-1)[expected.offset :][: expected.golden.size].reshape(expected.golden.shape)


def _differences(replay: Replay, recorded: Outcome, outcome: Outcome, head: str) -> Iterator[str]:
    if recorded.stop is not None or outcome.stop is not None:
        yield from (head + text for text in _stops(recorded, outcome))
        return
    for name, was, now, before in zip(
        replay.call.names, recorded.tensors, outcome.tensors, replay.call.tensors, strict=True
    ):
        found = first_difference(was, now, before=before)
        if found is not None:
            yield f"{head}{name}: {found}"


def _stops(recorded: Outcome, outcome: Outcome) -> Iterator[str]:
    was, now = recorded.stop, outcome.stop
    if was is None or now is None:
        yield f"recorded: {_ending(recorded)}; now: {_ending(outcome)}"
        return
    if was.code != now.code:
        yield f"recorded: {was.code}; now: {now.code}\n{now.text}"
        return
    for name in ("line", "column", "loops", "fields"):
        first, second = getattr(was, name), getattr(now, name)
        if first != second:
            yield f"{name}: recorded {_shown(first)}, now {_shown(second)}"


def _ending(outcome: Outcome) -> str:
    return f"stopped with {outcome.stop.code}\n{outcome.stop.text}" if outcome.stop is not None else "ran to its end"


def _shown(value: Any) -> str:
    return str(dict(value)) if hasattr(value, "keys") else str(value)


def _told(replay: Replay, outcome: Outcome) -> Iterator[str]:
    if outcome.stop is not None:
        yield outcome.stop.text
    elif replay.expected is not None:
        one = replay.expected
        tolerance = tolerance_of(one)
        found = compare(compared_part(one, outcome.tensors[one.tensor]), one.golden, tolerance)
        yield f"{replay.call.names[one.tensor]}: {summary(found)} (tolerance {tolerance})"
    here = versions()
    for name, was in replay.versions.items():
        if here.get(name, was) != was:
            yield f"{name}: {was} when it was recorded, {here[name]} here"
