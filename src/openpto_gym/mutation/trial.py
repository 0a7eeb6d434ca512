"""The trial of a mutant: the linter reads it, then it runs on the cases of its operator until a check finds it."""

from __future__ import annotations

import signal
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from pathlib import Path
from types import FrameType
from typing import Any, Literal

import numpy as np

import openpto
from openpto.diagnostics import PyptoError
from openpto.lint.engine import lint_text
from openpto.testing import compare, summary
from openpto_gym import registry
from openpto_gym.mutation.mutant import Mutant, Subject
from openpto_gym.mutation.variant import load_variant
from openpto_gym.operator import Arrays, Case, Operator

Check = Literal["stop", "fault", "undefined", "receipt", "numbers", "time", "python", ""]
"""What finds a mutant in a run: a coded stop before the run, a fault of the run, the checks of undefined elements, the
receipt (an output or an input is not what it should be), the comparison with the golden, the time limit, an exception
of Python without a code; or nothing."""

UNDEFINED = frozenset({"PTO401", "PTO402", "PTO403", "PTO410"})
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


def trial(mutant: Mutant, subject: Subject, *, lint: bool = True) -> Outcome:
    """Lint a mutant and run it on the cases of the operators that judge it."""
    codes = _lint_codes(mutant, subject) if lint else ()
    with tempfile.TemporaryDirectory(prefix="openpto-mutant-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / f"{mutant.name.replace('/', '_')}.py"
        path.write_text(mutant.text, encoding="utf-8")
        check, code, case, detail = _run(subject, path, same_bits=bool(mutant.reason) and not mutant.rounds)
    return Outcome(mutant, check, code, case, detail, codes)


def _run(subject: Subject, path: Path, *, same_bits: bool) -> tuple[Check, str, str, str]:
    for name in subject.judges:
        case = ""
        try:
            with openpto.configure(engine="reference"):
                operator = load_variant(name, subject.module, path)
                for exam in exams(name):
                    case = exam.case.name if len(subject.judges) == 1 else f"{name} {exam.case.name}"
                    with _limited():
                        problem = _examine(operator, exam, same_bits)
                    if problem is not None:
                        return problem[0], "", case, problem[1]
        except PyptoError as error:
            first = str(error).splitlines()[0]
            if error.code in ("PTO537", "PTO543"):
                return "receipt", error.code, case, first
            return _kind_of_stop(error.code), error.code, case, first
        except _OutOfTimeError:
            return "time", "", case, f"not done after {LIMIT:g} s"
        except SyntaxError:  # no program is no mutant
            raise
        except Exception as error:  # whatever a broken kernel raises while it is traced
            return "python", type(error).__name__, case, f"{type(error).__name__}: {error}"
    return "", "", "", ""


def _examine(operator: Operator, exam: _Exam, same_bits: bool) -> tuple[Check, str] | None:
    """Run one case: the check that finds a mistake and what it says, or None.

    What is said to mean the same has to give the bits of the kernel as well.
    """
    inputs = {name: array.copy() for name, array in exam.inputs.items()}
    outputs = operator.run(exam.case, inputs)
    for name, array in exam.inputs.items():
        if array.tobytes() != inputs[name].tobytes():
            return "receipt", f"the input {name} was changed"
    for name, actual in outputs.items():
        golden = exam.goldens[name]
        operator.require_run(exam.case, name, actual, exam.inputs, golden)
        found = compare(actual, golden, exam.case.tolerance_of(name))
        if not found.ok:
            return "numbers", f"{name}: {summary(found)}"
    if same_bits:
        for name, expected in _bits_of_kernel(operator.name, exam.case.name).items():
            if outputs[name].tobytes() != expected:
                return "numbers", f"{name}: not the bits of the kernel"
    return None


@cache
def _bits_of_kernel(name: str, case: str) -> dict[str, bytes]:
    """What the kernel itself writes, on the engine in force."""
    operator = registry.load(name)
    chosen = operator.case(case)
    return {output: array.tobytes() for output, array in operator.run(chosen, operator.inputs(chosen)).items()}


def _kind_of_stop(code: str) -> Check:
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
