"""Writing replay files where `openpto.configure(replay_dir=...)` or PYPTO_REPLAY_DIR names a folder.

A call that stops is written at once. The last call of each thread is kept, so that a comparison which fails afterwards
can be written with the call that it is about.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openpto.capsule.call import Capsule, capsule
from openpto.capsule.replay_file import LARGEST, recorded, write
from openpto.capsule.values import NotSelfContained
from openpto.diagnostics import PyptoError, PyptoWarning, warn
from openpto.kernel.observing import ObservedCall, Observer, observe
from openpto.kernel.receipt import Receipt
from openpto.language.configuration import Settings, settings

_local = threading.local()


class Recorder(Observer):
    """Watches one call and keeps it as the last of its thread; a call that stops is written."""

    def completed(self, call: ObservedCall, receipt: Receipt) -> None:
        super().completed(call, receipt)
        _local.call = call

    def failed(self, call: ObservedCall, error: BaseException) -> None:
        super().failed(call, error)
        if isinstance(error, PyptoError):
            try:
                path = write_call(call)
            except PyptoWarning:  # where warnings are errors, what the call stopped with is told all the same
                path = None
            if path is not None and hasattr(error, "add_note"):
                error.add_note(f"replay: {path}")


def last_call(receipt: Receipt | None) -> ObservedCall | None:
    """The call of this thread that a receipt is of, if it was kept."""
    call: ObservedCall | None = getattr(_local, "call", None)
    return call if call is not None and call.receipt is receipt else None


def write_call(call: ObservedCall, folder: str | None = None, **more: Any) -> Path | None:
    """Write the replay of a call; the path. What keeps it from being written is a warning (PTO580).

    Args:
        call: a call that was watched with copies.
        folder: None: that of the settings.
        more: further parts of the replay, such as the golden that was missed.
    """
    place = folder or settings().replay_dir
    name = call.kernel.__name__
    if place is None or len(call.before) < len(call.names):  # an argument that is no tensor: nothing ran
        return None
    size = sum(array.nbytes for array in call.before)
    if size > LARGEST:
        warn("PTO580", name=name, why=f"{size >> 20} MiB > {LARGEST >> 20} MiB")
        return None
    try:
        with observe(Observer(copies=False)):  # what runs again is not to be recorded
            return write(recorded(capsule_of(call), chosen(call.settings, call.receipt), **more), Path(place))
    except NotSelfContained as reason:
        warn("PTO580", name=name, why=str(reason))
    except OSError as error:
        warn("PTO580", name=name, why=f"{place}: {error.strerror or error}")
    return None


def capsule_of(call: ObservedCall, run_mode: str = "") -> Capsule:
    """The capsule of a call that was watched (NotSelfContained)."""
    count = len(call.before)
    return capsule(call.kernel, call.before, call.same, call.args[count:], call.kwargs, run_mode)


def chosen(found: Settings, receipt: Receipt | None) -> Mapping[str, Any]:
    """The settings that decide what a call gives; the engine is the one that ran it."""
    engine = receipt.engine if receipt is not None else found.engine
    return {
        "numerics": found.numerics,
        "engine": engine if engine in ("native", "reference") else "auto",
        "target": found.target,
        "platform": found.platform,
    }
