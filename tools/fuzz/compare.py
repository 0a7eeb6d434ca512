"""Runs one program on both engines."""

from __future__ import annotations

import functools
import os
import runpy
import sys
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from openpto import configure, runtime
from openpto.diagnostics import PyptoError
from openpto.runtime import reference
from openpto.runtime.native import spread

from .program import Program

os.environ.setdefault("PYPTO_VERIFY_NATIVE", "1")
ENGINES = Path(__file__).parents[2] / "tests" / "engines"
sys.path.insert(0, str(ENGINES))
import compare_engines  # noqa: E402  (the comparison that the test suite uses)

REPAIRS = 40
_USUAL = spread.LEAST, spread.BLOCK


@dataclass(frozen=True)
class Outcome:
    """``kind`` is agree, fault (both the same), refused (not a program), unsupported or disagree."""

    kind: str
    detail: str = ""
    line: int = 0
    unset: str = ""
    """The name without a value that a refusal or fault is about."""

    @property
    def bad(self) -> bool:
        """Whether there is something to fix."""
        return self.kind == "disagree"


def run(program: Program, folder: Path, engine: runtime.Engine = compare_engines.both) -> Outcome:
    """Print the program as a file, import it and call it. In one of four programs every element loop is a region."""
    spread.LEAST, spread.BLOCK = (0, 48) if program.seed % 4 == 1 else _USUAL
    path = folder / f"program_{program.seed}.py"
    path.write_text(program.source()[0])
    return run_file(path, engine)


def run_file(path: Path, engine: runtime.Engine = compare_engines.both) -> Outcome:
    """Call ``run()`` of a kernel file on both engines, or on one."""
    missing = sum(compare_engines.missing.values())
    saved = runtime.ENGINES["reference"]
    runtime.ENGINES["reference"] = engine
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"), configure(engine="reference"):
            warnings.simplefilter("ignore")
            runpy.run_path(str(path))["run"]()
    except compare_engines.EnginesDisagree as found:
        return Outcome("disagree", str(found))
    except PyptoError as found:
        if found.rule.code == "PTO901":
            return Outcome("disagree", str(found), _line(found, path))
        unset = str(found.fields["name"]) if found.code in ("PTO120", "PTO121", "PTO404") else ""
        return Outcome("fault" if found.fault else "refused", f"{found.code} {found}", _line(found, path), unset)
    except Exception as found:  # a name that is not there, or a mistake of ours
        return _unexpected(found, path)
    finally:
        runtime.ENGINES["reference"] = saved
    if sum(compare_engines.missing.values()) > missing:
        return Outcome("unsupported")
    return Outcome("agree")


def _line(found: PyptoError, path: Path) -> int:
    """The line of the file that an error points at; in a helper that of the helper."""
    site = found.site
    return site.span.line if site is not None and site.span is not None and site.span.file == str(path) else 0


def _unexpected(found: Exception, path: Path) -> Outcome:
    frames = traceback.extract_tb(found.__traceback__)
    text = "".join(traceback.format_exception(found))
    if any("/runtime/" in f.filename for f in frames):
        return Outcome("disagree", text)
    lines = [f.lineno for f in frames if f.filename == str(path)]
    return Outcome("refused", text, (lines[-1] if lines else 0) or 0)


def repaired(program: Program, folder: Path) -> tuple[Program, Outcome]:
    """The program that is compared, and what it does: the given one without the statements that are refused. Three of
    four programs also lose the statements that fault, so that most run to their end."""
    program, found = _repair(program, folder, functools.partial(compare_engines.both, faults=_keeps_faults(program)))
    if found.kind == "fault" and not _keeps_faults(program):  # it could not be repaired
        found = run(program, folder)
    return program, found


def without_refused(program: Program, folder: Path) -> Program:
    """That program, found by the reference alone: a crash of compiled code does not end this process."""
    return _repair(program, folder, reference.execute)[0]


def _keeps_faults(program: Program) -> bool:
    return program.seed % 4 == 0


def _repair(program: Program, folder: Path, engine: runtime.Engine) -> tuple[Program, Outcome]:
    """Drop what is refused, statement by statement, until the program runs; the last outcome is that of the result."""
    for _ in range(REPAIRS):
        found = run(program, folder, engine)
        if found.kind != "refused" and (found.kind != "fault" or _keeps_faults(program)):
            return program, found
        guilty = program.source()[1].get(found.line)
        if guilty is None:
            return program, found
        program = program.repaired(guilty)
        for use in program.uses(found.unset) if found.unset else []:
            program = program.repaired(use)
    return program, run(program, folder, engine)
