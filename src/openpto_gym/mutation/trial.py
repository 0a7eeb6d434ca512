"""The trial of a mutant: the linter reads it, then it runs on the cases of its operator until a check finds it."""

from __future__ import annotations

import signal
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from itertools import repeat
from pathlib import Path
from types import FrameType
from typing import Any, Literal

import numpy as np

import openpto
from openpto.diagnostics import PyptoError, collect_warnings
from openpto.lint.engine import lint_text
from openpto.testing import compare, summary
from openpto_gym import registry
from openpto_gym.mutation.mutant import Mutant, Subject
from openpto_gym.mutation.variant import load_variant
from openpto_gym.operator import Arrays, Case, Operator

Check = Literal["stop", "fault", "undefined", "receipt", "numbers", "time", "python", "warning", ""]
"""What finds a mutant in a run: a coded stop before the run, a fault of the run, the checks of undefined elements, the
receipt (an output or an input is not what it should be), the comparison with the golden, the time limit, an exception
of Python without a code; where none of these does, a warning that the kernel itself does not give; or nothing."""

UNDEFINED = frozenset({"PTO401", "PTO402", "PTO403", "PTO410"})
RECEIPT = frozenset({"PTO537", "PTO543"})
LIMIT = 10.0
"""Seconds of processor time of a case after which a mutant counts as one that does not end; kernels take two."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a mutant.

    check     of the run, with ``code``, the ``case`` and ``detail``; empty if all cases passed
    lint      codes of the findings that the unchanged file does not have
    """

    mutant: Mutant
    check: Check = ""
    code: str = ""
    case: str = ""
    detail: str = ""
    lint: tuple[str, ...] = ()

    @property
    def caught(self) -> bool:
        """Whether any check found it."""
        return bool(self.check or self.lint)

    @property
    def escaped(self) -> bool:
        """Whether it means something else and nothing found it."""
        return not self.caught and not self.mutant.reason


class _OutOfTimeError(BaseException):
    """Raised by the clock; no `except Exception` on the way may take it for an error of the kernel."""


@dataclass(frozen=True, slots=True)
class _Exam:
    """One case of an operator with its inputs and goldens."""

    case: Case
    inputs: Arrays
    goldens: Arrays


@dataclass(frozen=True, slots=True)
class _Found:
    """What a run found; the fields are those of an outcome."""

    check: Check = ""
    code: str = ""
    case: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class _Run:
    """What a kernel writes, as bytes by output, and the codes of its warnings."""

    bits: Mapping[str, bytes]
    warnings: frozenset[str]


def trial(mutant: Mutant, subject: Subject, *, lint: bool = True) -> Outcome:
    """Lint a mutant and run it on the cases of the operators that judge it."""
    codes = _lint_codes(mutant, subject) if lint else ()
    with tempfile.TemporaryDirectory(prefix="openpto-mutant-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / f"{mutant.name.replace('/', '_')}.py"
        path.write_text(mutant.text, encoding="utf-8")
        found = _run(subject, path, same_bits=bool(mutant.reason) and not mutant.rounds)
    return Outcome(mutant, found.check, found.code, found.case, found.detail, codes)


def _run(subject: Subject, path: Path, *, same_bits: bool) -> _Found:
    """What finds a mistake on the cases of the judges; a warning only where nothing else does."""
    warned = _Found()
    for name in subject.judges:
        case = ""
        try:
            with openpto.configure(engine="reference"):
                operator = load_variant(name, subject.module, path)
                for exam in exams(name):
                    case = exam.case.name if len(subject.judges) == 1 else f"{name} {exam.case.name}"
                    with _limited():
                        found = _examine(operator, exam, same_bits)
                    if found.check not in ("", "warning"):
                        return replace(found, case=case)
                    if found.check and not warned.check:
                        warned = replace(found, case=case)
        except PyptoError as error:
            return _Found(_kind_of_stop(error.code), error.code, case, str(error).splitlines()[0])
        except _OutOfTimeError:
            return _Found("time", "", case, f"not done after {LIMIT:g} s")
        except SyntaxError:  # no program is no mutant
            raise
        except Exception as error:  # whatever a broken kernel raises while it is traced
            return _Found("python", type(error).__name__, case, f"{type(error).__name__}: {error}")
    return warned


def _examine(operator: Operator, exam: _Exam, same_bits: bool) -> _Found:
    """Run one case: the check that finds a mistake and what it says.

    What is said to mean the same has to give the bits of the kernel as well.
    """
    inputs = {name: array.copy() for name, array in exam.inputs.items()}
    with collect_warnings() as said:
        outputs = operator.run(exam.case, inputs)
    for name, array in exam.inputs.items():
        if array.tobytes() != inputs[name].tobytes():
            return _Found("receipt", detail=f"the input {name} was changed")
    for name, actual in outputs.items():
        golden = exam.goldens[name]
        operator.require_run(exam.case, name, actual, exam.inputs, golden)
        found = compare(actual, golden, exam.case.tolerance_of(name))
        if not found.ok:
            return _Found("numbers", detail=f"{name}: {summary(found)}")
    if same_bits:
        for name, expected in _kernel_itself(operator.name, exam.case.name).bits.items():
            if outputs[name].tobytes() != expected:
                return _Found("numbers", detail=f"{name}: not the bits of the kernel")
    for warning in said:
        if warning.code not in _kernel_itself(operator.name, exam.case.name).warnings:
            return _Found("warning", warning.code, detail=str(warning).splitlines()[0])
    return _Found()


@cache
def _kernel_itself(name: str, case: str) -> _Run:
    """A run of the kernel as it is, on the engine in force."""
    operator = registry.load(name)
    chosen = operator.case(case)
    with collect_warnings() as said:
        outputs = operator.run(chosen, operator.inputs(chosen))
    bits = {output: array.tobytes() for output, array in outputs.items()}
    return _Run(bits, frozenset(warning.code for warning in said))


def _kind_of_stop(code: str) -> Check:
    if code in RECEIPT:
        return "receipt"
    if code in UNDEFINED:
        return "undefined"
    return "fault" if code.startswith("PTO4") else "stop"


def exams(name: str) -> Iterator[_Exam]:
    """The cases of an operator but slow ones, with goldens by the formula in numpy, made when they are needed.

    First come those of the first dtype, and of these first those of middle size: they find most.
    """
    return map(_exam, repeat(name), _order(name))


@cache
def _order(name: str) -> tuple[int, ...]:
    operator = registry.load(name)
    sizes = {
        number: sum(array.nbytes for array in operator.inputs(case).values())
        for number, case in enumerate(operator.cases)
        if not case.slow
    }
    ranks = {number: rank for rank, number in enumerate(sorted(sizes, key=lambda number: sizes[number]))}
    middle, first = 2 * len(sizes) // 3, operator.cases[0].dtype
    return tuple(sorted(sizes, key=lambda k: (operator.cases[k].dtype is not first, abs(ranks[k] - middle), k)))


@cache
def _exam(name: str, number: int) -> _Exam:
    operator = registry.load(name)
    case = operator.cases[number]
    inputs = operator.inputs(case)
    with np.errstate(all="ignore"):  # infinities and NaN in the data are on purpose
        return _Exam(case, inputs, operator.numpy(case, inputs))


def _lint_codes(mutant: Mutant, subject: Subject) -> tuple[str, ...]:
    """Codes of findings that the unchanged file does not have."""
    path = str(subject.path)
    new = _findings(mutant.text, path) - _findings_before(path)
    return tuple(sorted({code for code, _ in new}))


@cache
def _findings_before(path: str) -> Counter[tuple[str, str]]:
    return _findings(Path(path).read_text(encoding="utf-8"), path)


def _findings(text: str, path: str) -> Counter[tuple[str, str]]:
    return Counter((finding.code, finding.message()) for finding in lint_text(text, path))


@contextmanager
def _limited() -> Iterator[None]:
    """Stop what is inside after LIMIT seconds of processor time, where the system has such a clock."""
    if sys.platform == "win32":
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise _OutOfTimeError

    before: Any = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
