"""Settings of our own: numerics, engine, target, platform and threads; never part of a kernel file.

An explicit ``openpto.configure`` wins over ``PYPTO_*`` variables, which win over the defaults. As a context manager it
holds for its block in this thread or task; as a plain call for the process.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Mapping
from contextvars import ContextVar, Token
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from openpto._forks import opened_in_child
from openpto.diagnostics import fail, set_target_hook, user_boundary
from openpto.ir.enums import RunMode

MAX_THREADS = 1024

_CHOICES: dict[str, tuple[str, ...]] = {
    "numerics": ("npu", "strict"),
    "engine": ("auto", "reference", "native"),
    "target": ("0.2", "0.3"),
    "platform": ("910B", "910C", "950"),
}
VARIABLES = {
    "numerics": "PYPTO_NUMERICS",
    "engine": "PYPTO_ENGINE",
    "target": "PYPTO_TARGET",
    "platform": "PYPTO_PLATFORM",
    "threads": "PYPTO_NUM_THREADS",
    "replay_dir": "PYPTO_REPLAY_DIR",
}
"""The variable of each setting."""
RUN_MODE_VARIABLE = "PYPTO_RUN_MODE"
UNSET = "unset"
"""What a setting that may be None is set to by a variable or a call to mean None."""


@dataclass(frozen=True, slots=True)
class Settings:
    """numerics  "npu": values between promoted FP16/BF16 vector ops stay FP32, as on the device; "strict": every
                 value is rounded to its dtype
    engine    "reference": op by op with numpy; "native": compiled code; "auto": native where llvmlite can be
              loaded, else the reference
    target    None, or the profile ("0.2", "0.3") whose refusals are errors
    platform  None, or the chip ("910B", "910C", "950") that a kernel is held to
    threads   None: as many as the machine has
    replay_dir  None, or the folder that receives a replay file of every call that stops and every comparison that
              fails; such calls are slower, since their arguments are copied before they run
    """

    numerics: str = "npu"
    engine: str = "auto"
    target: str | None = None
    platform: str | None = None
    threads: int | None = None
    replay_dir: str | None = None


_process: list[tuple[object, dict[str, Any]]] = []
"""What plain calls changed, oldest first: (the call, its changes). A call that turns out to open a block leaves."""
MAX_LAYERS = 64
_changes = itertools.count()
_version = 0
"""Another number after each change of ``_process``."""
_lock = opened_in_child(threading.Lock())
_block: ContextVar[Mapping[str, Any]] = ContextVar("openpto_configuration", default={})  # noqa: B039 - never mutated


def settings() -> Settings:
    """The settings in force here: blocks, then the process, then variables, then defaults."""
    global _last
    now = in_force()
    known, found = _last
    if known != now:
        found = _settings()
        _last = now, found
    return found


def _settings() -> Settings:
    given = {name: os.environ.get(variable) for name, variable in VARIABLES.items()}
    chosen = {name: _from_variable(name, text) for name, text in given.items() if text}
    for _, changes in tuple(_process):
        chosen |= changes
    return replace(Settings(), **{**chosen, **_block.get()})


_read_by_calls = (*VARIABLES.values(), RUN_MODE_VARIABLE, "PYPTO_CPU")
_environ = os.environ
_raw: Mapping[Any, Any] = getattr(_environ, "_data", _environ)
_encode: Callable[[str], Any] = getattr(_environ, "encodekey", str) if _raw is not _environ else str
_keys = tuple(_encode(name) for name in _read_by_calls)


def in_force() -> tuple[object, ...]:
    """Everything that settings and run mode follow from: two equal results mean that nothing has changed.

    ``os.environ`` encodes a name at each look; its table is asked directly, and only once where no variable is set.
    """
    if os.environ is not _environ:  # somebody put another mapping in its place
        return (*map(os.environ.get, _read_by_calls), _version, _block.get())
    if _raw.keys().isdisjoint(_keys):
        return None, _version, _block.get()
    return (*map(_raw.get, _keys), _version, _block.get())


_last: tuple[tuple[object, ...] | None, Settings] = None, Settings()
"""The settings that were asked for last, and what was in force then."""


def _changed() -> None:
    global _version
    _version = next(_changes) + 1


class configure:  # noqa: N801 - reads as a function call or a with statement
    """Change settings of the process, or of a block: ``with openpto.configure(target="0.2"):``.

    Args:
        numerics: "npu" or "strict".
        engine: "auto", "reference" or "native".
        target: None, "0.2" or "0.3".
        platform: None, "910B", "910C" or "950".
        threads: None or an int from 1.
        replay_dir: None, or a folder for replay files (a text or a path).

    Raises:
        TypeError: PTO281, an unknown name. ValueError: PTO294, a value that does not exist.
    """

    @user_boundary()
    def __init__(self, **changes: Any) -> None:
        for name in changes:
            if name not in VARIABLES:
                fail("PTO281", call="configure", key=name, near=", ".join(_near(name, list(VARIABLES))))
        self._changes = {name: _checked(name, value) for name, value in changes.items()}
        self._tokens: list[Token[Mapping[str, Any]]] = []
        with _lock:
            _process.append((self, self._changes))
            if len(_process) > MAX_LAYERS:  # plain calls in a loop: the two oldest become one
                _process[:2] = [(None, {**_process[0][1], **_process[1][1]})]
            _changed()

    def __enter__(self) -> configure:
        with _lock:
            _process[:] = [layer for layer in _process if layer[0] is not self]
            _changed()
        self._tokens.append(_block.set({**_block.get(), **self._changes}))
        return self

    def __exit__(self, *exc: object) -> None:
        _block.reset(self._tokens.pop())


def reset_configuration() -> None:
    """Forget what plain calls of :class:`configure` set; variables and defaults count again."""
    _process.clear()
    _changed()


@user_boundary()
def run_mode_variable(environ: Mapping[str, str] | None = None) -> RunMode | None:
    """The run mode that ``PYPTO_RUN_MODE`` asks for, of the process or of ``environ``; None where it is not set.

    Raises:
        ValueError: PTO295, another value than npu, sim, 0 or 1.
    """
    text = (os.environ if environ is None else environ).get(RUN_MODE_VARIABLE, "").strip().lower()
    if not text:
        return None
    if text not in ("npu", "sim", "0", "1"):
        near = _nearest(text, ("npu", "sim"))
        fail("PTO295", variable=RUN_MODE_VARIABLE, value=repr(text), near=near, allowed="npu, sim")
    return RunMode.NPU if text in ("npu", "0") else RunMode.SIM


def _checked(name: str, value: Any) -> Any:
    if value is None or value == UNSET:
        return getattr(Settings(), name)
    if name == "threads":
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_THREADS:
            allowed = f"None, or an int from 1 to {MAX_THREADS}"
            fail("PTO294", name=name, value=repr(value), near=_nearest_count(value), allowed=allowed)
        return value
    if name == "replay_dir":
        return _folder(value)
    match = next((c for c in _CHOICES[name] if isinstance(value, str) and c.lower() == value.lower()), None)
    if match is None:
        allowed = ", ".join(_CHOICES[name]) + (", None" if getattr(Settings(), name) is None else "")
        fail("PTO294", name=name, value=repr(value), near=_nearest(str(value), _CHOICES[name]), allowed=allowed)
    return match


def _folder(value: Any) -> str:
    """A folder as a text; it need not exist yet."""
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
        if isinstance(text, str) and text.strip():
            return text
    fail("PTO294", name="replay_dir", value=repr(value), near="replays", allowed="None, or the path of a folder")


def _from_variable(name: str, text: str) -> Any:
    variable, text = VARIABLES[name], text.strip()
    if name == "threads":
        if not text.isdecimal() or not 1 <= int(text) <= MAX_THREADS:
            allowed = f"1 to {MAX_THREADS}"
            fail("PTO295", variable=variable, value=repr(text), near=_nearest_count(text), allowed=allowed)
        return int(text)
    if text.lower() in ("none", UNSET):
        return getattr(Settings(), name)
    if name == "replay_dir":
        return text
    match = next((c for c in _CHOICES[name] if c.lower() == text.lower()), None)
    if match is None:
        near, allowed = _nearest(text, _CHOICES[name]), ", ".join(_CHOICES[name])
        fail("PTO295", variable=variable, value=repr(text), near=near, allowed=allowed)
    return match


def from_variable(name: str, environ: Mapping[str, str]) -> Any:
    """What the variable of a setting says, or its default. ValueError: PTO295, no possible value."""
    text = environ.get(VARIABLES[name])
    return _from_variable(name, text) if text else getattr(Settings(), name)


def _nearest(word: str, known: tuple[str, ...]) -> str:
    """The value that was probably meant; all that exist if none is near."""
    return (get_close_matches(word, known, n=1, cutoff=0.4) or [" or ".join(known)])[0]


def _nearest_count(value: Any) -> int:
    """The number of threads nearest to ``value``, which is no possible one."""
    try:
        return min(max(int(value), 1), MAX_THREADS)
    except (TypeError, ValueError, OverflowError):
        return 1


def _near(word: str, known: list[str]) -> list[str]:
    return get_close_matches(word, known, n=3, cutoff=0.5) or known


set_target_hook(lambda: settings().target)
