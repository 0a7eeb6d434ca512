"""What a smaller program has to keep: the code of a stop, the difference of engines, or wrong elements of an output.

A comparison with a golden says which elements are wrong. A smaller program computes something else, for which there is
no golden; so it is asked for what made the recorded elements wrong: the same bits where a value is wrong, beside
elements that have their golden; or to be never written, zero or not finite where that is what is wrong, beside elements
that are not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from openpto.capsule.arrays import Array, bits_of
from openpto.capsule.replay_file import Replay
from openpto.capsule.rerun import Outcome
from openpto.diagnostics import T
from openpto.testing import compare
from openpto.testing.compare import outside
from openpto.testing.differences import same_bits
from openpto.verify.replay import compared_part, tolerance_of
from openpto.verify.shrinking.program import Program, Watched

SAMPLES = 4
"""Wrong elements, and right ones, that are watched."""

_WAYS = {
    "unwritten": T("it was never written", "从未写入"),
    "zero": T("it is zero", "为零"),
    "not finite": T("it is not finite", "不是有限值"),
}
_OTHERWISE = {
    "unwritten": T("was written", "已写入"),
    "zero": T("is not zero", "不为零"),
    "not finite": T("is finite", "是有限值"),
}

Run = Callable[[Program, Mapping[str, Any]], "Outcome | None"]
Judge = Callable[[Program, Run], bool]


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept.

    judge    of candidates
    program  to begin with, with the elements that are watched
    what     in words, for people
    golden   whether a small program still has the recorded golden
    """

    judge: Judge
    program: Program
    what: T
    golden: bool = False


def kept_of(replay: Replay, program: Program, values: bool = False) -> Kept:
    """What candidates have to keep of a replay; with ``values``, right elements keep their golden in any case."""
    if replay.kind == "stop":
        assert replay.outcome.stop is not None
        code = replay.outcome.stop.code
        return Kept(_stops(code, replay.outcome.stop.fault), program, T(f"it stops with {code}", f"以 {code} 停止"))
    if replay.kind == "engines":
        return Kept(_engines_differ, program, T("the engines differ", "两个引擎的结果不同"))
    if replay.kind == "comparison":
        return _comparison(replay, program, values)
    same = T("all tensors have the recorded bits", "所有 tensor 与记录逐位相同")
    return Kept(_keeps_bits(replay), program, same)


def _stops(code: str, fault: bool) -> Judge:
    def judge(program: Program, run: Run) -> bool:
        outcome = run(program, {})
        stop = None if outcome is None else outcome.stop
        return stop is not None and (stop.code, stop.fault) == (code, fault)

    return judge


def _engines_differ(program: Program, run: Run) -> bool:
    first, second = run(program, {"engine": "reference"}), run(program, {"engine": "native"})
    if first is None or second is None:
        return False
    if first.stop is not None or second.stop is not None:
        codes = [o.stop.code if o.stop is not None else "" for o in (first, second)]
        return codes[0] != codes[1]
    return not all(map(same_bits, first.tensors, second.tensors))


def _keeps_bits(replay: Replay) -> Judge:
    """Of a call that is recorded for what it gives: the same bits everywhere."""
    names = replay.call.names

    def judge(program: Program, run: Run) -> bool:
        outcome = run(program, {})
        if outcome is None or outcome.stop is not None:
            return False
        found = dict(zip(program.shares, outcome.tensors, strict=True))
        was = dict(zip(names, replay.outcome.tensors, strict=True))
        return all(
            same_bits(was[name], found[name])
            for name, before in zip(names, replay.call.tensors, strict=True)
            if name in found or was[name].tobytes() != before.tobytes()
        )

    return judge


# -- comparisons ------------------------------------------------------------------------------------------------------


def _comparison(replay: Replay, program: Program, values: bool) -> Kept:
    one = replay.expected
    assert one is not None
    name = replay.call.names[one.tensor]
    output, before = replay.outcome.tensors[one.tensor], replay.call.tensors[one.tensor]
    wrong, compared = _masks(replay, output)
    kind = _kind(output[wrong], before[wrong])
    right = compared & ~wrong & ~_is(kind, output, before)
    watched = tuple(Watched(name, at, True, output[at].tobytes()) for at in _samples(wrong, output, None))
    first = np.array(watched[0].index)
    watched += tuple(Watched(name, at, False) for at in _samples(right, output, first))
    golden = one.golden if one.golden.shape == output.shape else None
    strict = values or not kind

    def judge(tried: Program, run: Run) -> bool:
        outcome = run(tried, {})
        if outcome is None or outcome.stop is not None:
            return False
        position = list(tried.shares).index(name)
        now, was = outcome.tensors[position], tried.memory[tried.shares[name]]
        for element in tried.watched:
            value, old = now[element.index], was[element.index]
            if element.wrong:
                good = bool(_is(kind, value, old)) if kind else value.tobytes() == element.bits
            else:
                good = not (kind and _is(kind, value, old))
                good = good and (not strict or _is_right(tried, element, value, replay))
            if not good:
                return False
        return True

    bad, good = (f"{name}[{', '.join(map(str, at[0].index))}]" if at else "" for at in
                 ([w for w in watched if w.wrong], [w for w in watched if not w.wrong]))  # fmt: skip
    way = _WAYS[kind] if kind else T(f"it is {output[watched[0].index]}", f"值为 {output[watched[0].index]}")
    other = T("is right", "正确") if strict else _OTHERWISE[kind]
    what = T(
        f"{bad} is wrong: {way.en}" + (f"; {good} {other.en}" if good else ""),
        f"{bad} 错误：{way.zh}" + (f"；{good} {other.zh}" if good else ""),
    )
    return Kept(judge, replace(program, watched=watched, golden=golden), what, strict)


def _masks(replay: Replay, output: Array) -> tuple[Any, Any]:
    """Elements of an output that are wrong, and those that were compared."""
    one = replay.expected
    assert one is not None
    wrong, compared = np.zeros(output.shape, bool), np.zeros(output.shape, bool)
    compared_part(one, wrong)[...] = outside(compared_part(one, output), one.golden, tolerance_of(one))
    compared_part(one, compared)[...] = True
    return wrong, compared


def _kind(bad: Array, before: Array) -> str:
    """What is wrong with all wrong elements; empty: their values."""
    for kind in ("unwritten", "zero", "not finite"):
        if _is(kind, bad, before).all():
            return kind
    return ""


def _is(kind: str, values: Any, before: Any) -> Any:
    """Which values are wrong in a way."""
    values, before = np.asarray(values), np.asarray(before)
    if kind == "unwritten":
        return bits_of(values) == bits_of(before)
    if kind == "zero":
        return values.astype(np.float64) == 0
    if kind == "not finite":
        return ~np.isfinite(values.astype(np.float64))
    return np.zeros(values.shape, bool)


def _samples(mask: Any, output: Array, near: Any) -> list[tuple[int, ...]]:
    """Some elements of a mask with different values: the first ones, or those nearest to a place."""
    places = np.argwhere(mask)
    if near is not None and len(places):
        order = np.argsort(np.abs(places - near).sum(axis=1), kind="stable")
        places = places[order]
    found: list[tuple[int, ...]] = []
    seen: set[bytes] = set()
    for place in places[:4096]:
        index = tuple(int(i) for i in place)
        bits = output[index].tobytes()
        if bits not in seen or not found:
            seen.add(bits)
            found.append(index)
        if len(found) == SAMPLES:
            break
    return found


def _is_right(program: Program, element: Watched, value: Any, replay: Replay) -> bool:
    """Whether a watched element that was right still has its golden."""
    if program.golden is None or replay.expected is None:
        return True
    golden = program.golden[element.index]
    one = np.asarray(value).reshape(1)
    return compare(one, np.asarray(golden).reshape(1), tolerance_of(replay.expected)).ok
