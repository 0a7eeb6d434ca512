"""Replay files: a call, the settings it had and how it ended, as one JSON text that another machine runs again."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from openpto._version import API_LEVEL, __version__
from openpto.capsule.arrays import Array, packed, unpacked
from openpto.capsule.call import Capsule
from openpto.capsule.flatten import Flat
from openpto.capsule.rerun import Outcome, Stop, rerun
from openpto.diagnostics import fail

VERSION = 1
LARGEST = 256 * 2**20
"""Bytes of tensors that are written."""


@dataclass(frozen=True, slots=True)
class Expected:
    """A golden that an output missed.

    tensor     the position of the output among the tensors
    offset     the first of its elements that was compared, in row-major order
    golden     what it should have been; its shape is that of what was compared
    tolerance  rtol, atol, bad_share
    summary    what the comparison found
    """

    tensor: int
    offset: int
    golden: Array
    tolerance: Mapping[str, float]
    summary: str


@dataclass(frozen=True, slots=True)
class Replay:
    """A recorded call.

    call      the kernel's file and the arguments
    settings  numerics, engine, target, platform
    outcome   how it ended: contents of the tensors, or a stop
    expected  the golden that was missed; None if the outcome is all there is to say
    other     tensors that another engine gave; empty if engines are not the matter
    versions  of what ran it
    about     free texts, such as the case it is from
    """

    call: Capsule
    settings: Mapping[str, Any]
    outcome: Outcome
    expected: Expected | None = None
    other: tuple[Array, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """stop, engines, comparison or outputs."""
        if self.outcome.stop is not None:
            return "stop"
        return "engines" if self.other else "comparison" if self.expected is not None else "outputs"

    def run(self, **changes: Any) -> Outcome:
        """Run the call here; ``changes`` are other settings."""
        call, settings = self.call, {**self.settings, **changes}
        if settings.get("engine") == "native" and find_spec("llvmlite") is None:
            settings["engine"] = "auto"
        return rerun(call.flat.text, call.flat.kernel, call.tensors, call.same, call.values, settings)


def recorded(call: Capsule, settings: Mapping[str, Any], **more: Any) -> Replay:
    """The replay of a call, with the outcome that its file has here."""
    made = Replay(call, settings, Outcome(), versions=versions(), **more)
    return replace(made, outcome=made.run())


def versions() -> dict[str, str]:
    """What runs kernels here."""
    llvmlite = "none"
    if find_spec("llvmlite") is not None:
        import llvmlite as found

        llvmlite = found.__version__
    python = ".".join(map(str, sys.version_info[:3]))
    return {"openpto": __version__, "api": API_LEVEL, "python": python, "numpy": np.__version__, "llvmlite": llvmlite}


# -- text -------------------------------------------------------------------------------------------------------------


def text_of(replay: Replay) -> str:
    """The text of a replay file."""
    call = replay.call
    tensors: list[dict[str, Any]] = []
    for name, form, array, same in zip(call.names, call.formats, call.tensors, call.same, strict=True):
        contents = packed(array) if same == len(tensors) else {}
        tensors.append({"name": name, "format": form, "same": same, **contents})
    content = {
        "format": "pypto-replay",
        "version": VERSION,
        "about": dict(replay.about),
        "kernel": call.flat.kernel,
        "source": call.flat.text.split("\n"),
        "values": dict(call.values),
        "settings": dict(replay.settings),
        "outcome": _outcome(replay),
        "versions": dict(replay.versions),
        "tensors": tensors,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _outcome(replay: Replay) -> dict[str, Any]:
    if replay.outcome.stop is not None:
        return {"kind": "stop", **asdict(replay.outcome.stop)}
    found: dict[str, Any] = {"kind": replay.kind, "engine": replay.outcome.engine}
    found["tensors"] = _contents(replay.outcome.tensors, replay.call.tensors)
    if replay.other:
        found["other"] = _contents(replay.other, replay.call.tensors)
    if replay.expected is not None:
        one = replay.expected
        found["expected"] = {
            "tensor": one.tensor, "offset": one.offset, "golden": packed(one.golden),
            "tolerance": dict(one.tolerance), "summary": one.summary,
        }  # fmt: skip
    return found


def _contents(after: Sequence[Array], before: Sequence[Array]) -> list[dict[str, Any]]:
    """Tensors after a call; those that are as before it are not repeated."""
    pairs = zip(after, before, strict=True)
    return [{"as_before": True} if a.tobytes() == b.tobytes() else packed(a) for a, b in pairs]


def _from_contents(described: Sequence[Mapping[str, Any]], before: Sequence[Array]) -> tuple[Array, ...]:
    pairs = zip(described, before, strict=True)
    return tuple(b if one.get("as_before") else unpacked(one) for one, b in pairs)


def read(path: Path) -> Replay:
    """The replay of a file. Raises PTO595 if there is none, PTO581 for one that is not understood."""
    if not path.is_file():
        fail("PTO595", file=str(path))
    try:
        return _replay(json.loads(path.read_text(encoding="utf-8")))
    except Exception as error:  # a broken file raises what json, zlib and the parts like
        fail("PTO581", file=str(path), why=f"{type(error).__name__}: {error}")


def _replay(content: Any) -> Replay:
    if not isinstance(content, dict) or content.get("format") != "pypto-replay":
        raise ValueError("it is not of the format pypto-replay")
    if content.get("version") != VERSION:
        raise ValueError(f"it has version {content.get('version')!r}, and {VERSION} is known")
    tensors: list[Array] = []
    for described in content["tensors"]:
        same = int(described["same"])
        tensors.append(unpacked(described) if same == len(tensors) else tensors[same])
    flat = Flat("\n".join(content["source"]), str(content["kernel"]))
    call = Capsule(
        flat,
        tuple(str(t["name"]) for t in content["tensors"]),
        tuple(tensors),
        tuple(int(t["same"]) for t in content["tensors"]),
        {str(name): str(text) for name, text in content["values"].items()},
        tuple(str(t["format"]) for t in content["tensors"]),
    )
    told = content["outcome"]
    expected: Expected | None = None
    other: tuple[Array, ...] = ()
    if told["kind"] == "stop":
        loops = tuple((str(n), str(i), None if v is None else int(v)) for n, i, v in told["loops"])
        fields = {str(name): str(value) for name, value in told["fields"].items()}
        stop = Stop(told["code"], bool(told["fault"]), told["line"], told["column"], loops, fields, told["text"])
        outcome = Outcome(stop=stop)
    else:
        outcome = Outcome(_from_contents(told["tensors"], tensors), engine=str(told["engine"]))
        other = _from_contents(told["other"], tensors) if "other" in told else ()
        if "expected" in told:
            one = told["expected"]
            tolerance = {str(name): float(value) for name, value in one["tolerance"].items()}
            expected = Expected(
                int(one["tensor"]), int(one["offset"]), unpacked(one["golden"]), tolerance, str(one["summary"])
            )
    plain = {key: dict(content[key]) for key in ("settings", "versions", "about")}
    return Replay(call, plain["settings"], outcome, expected, other, plain["versions"], plain["about"])


def write(replay: Replay, folder: Path) -> Path:
    """Write a replay into a folder under a name that follows from its content; the path. Raises OSError."""
    text = text_of(replay)
    stop = replay.outcome.stop
    what = stop.code if stop is not None else replay.kind
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{replay.call.flat.kernel}-{what}-{digest}.replay.json"
    part = path.with_suffix(f".{os.getpid()}.part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)
    return path
