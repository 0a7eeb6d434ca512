"""Running example programs the way a user runs a kernel file, and collecting what they are told."""

from __future__ import annotations

import itertools
import linecache
import sys
import types
import warnings
from dataclasses import dataclass

from openpto.diagnostics import PyptoError, PyptoWarning, collect_warnings

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Outcome:
    """What an example led to: its exception, its warnings, the file name its spans carry, and what run() returned."""

    error: Exception | None
    warnings: list[PyptoWarning]
    file: str
    result: object = None

    @property
    def codes(self) -> list[str]:
        """Codes of everything that was reported, the error last."""
        told = [w.code for w in self.warnings]
        return [*told, self.error.code] if isinstance(self.error, PyptoError) else told


def execute(source: str, file: str = "") -> Outcome:
    """Run the module text and its `run()`; spans show its lines because linecache knows the text. Messages name the
    file, or a number."""
    number = next(_numbers)
    file, name = file or f"<example-{number}>", f"pypto_example_{number}"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    module = types.ModuleType(name)
    module.__dict__["__file__"] = file
    sys.modules[name] = module
    error: Exception | None = None
    result: object = None
    try:
        with warnings.catch_warnings(record=True) as shown, collect_warnings():
            warnings.simplefilter("always")
            try:
                exec(compile(source, file, "exec", dont_inherit=True), module.__dict__)
                result = module.run()
            except Exception as caught:
                error = caught
    finally:
        del sys.modules[name]
    return Outcome(error, [w.message for w in shown if isinstance(w.message, PyptoWarning)], file, result)
