"""What `pypto verify` and its kin are asked about: an operator of the gym, a folder of an operator, a kernel file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from openpto.cli.subject_files import file_subject, folder_subject
from openpto.diagnostics import fail
from openpto.testing import Tolerance
from openpto.verify.subject import Array, Arrays, Golden, Subject, Trial


def subject_of(target: str, *, slow: bool, cases: Sequence[str], arguments: Sequence[str]) -> Subject:
    """The subject that a text names.

    Args:
        target: FILE, FILE:KERNEL, a folder, or the name of an operator of the gym.
        slow: also the cases that take long.
        cases: only these cases; empty: all.
        arguments: NAME=VALUE for what annotations of a kernel file leave open.

    Raises:
        PyptoError: PTO560, there is no such thing; PTO561, it has no such case; PTO595 to PTO598.
    """
    from openpto_gym.registry import NAMES

    path = Path(target)
    if path.is_dir():
        found = _folder(path, slow)
    elif target in NAMES:
        found = gym_subject(target, slow=slow)
    elif target.partition(":")[0].endswith(".py"):
        found = file_subject(target, arguments)
    else:
        fail("PTO560", target=target, near=_near(target, NAMES))
    return _only(found, cases)


def _only(subject: Subject, cases: Sequence[str]) -> Subject:
    if not cases:
        return subject
    known = [trial.name for trial in subject.trials]
    for name in cases:
        if name not in known:
            fail("PTO561", subject=subject.name, case=name, count=len(known), near=_near(name, known))
    return replace(subject, trials=tuple(trial for trial in subject.trials if trial.name in cases))


def _near(word: str, known: Sequence[str]) -> str:
    """Names that were probably meant; the first ones if none is near."""
    return ", ".join(get_close_matches(word, known, n=3, cutoff=0.4) or known[:3]) or "none"


def _folder(path: Path, slow: bool) -> Subject:
    """A folder in the layout of the gym (cases.py with OPERATOR) or of an operator collection (`<op>_impl.py`)."""
    from openpto_gym.operator import Operator

    if (path / "cases.py").is_file() and not list(path.glob("*_impl.py")):
        from openpto.cli.subject_files import imported

        operator = getattr(imported(path / "cases.py"), "OPERATOR", None)
        if isinstance(operator, Operator):
            return operator_subject(operator, path.resolve(), slow=slow)
    return folder_subject(path, slow=slow)


def gym_subject(name: str, *, slow: bool) -> Subject:
    """An operator of the gym."""
    from openpto_gym.registry import folder, load

    return operator_subject(load(name), folder(name), slow=slow)


def operator_subject(operator: Any, place: Path, *, slow: bool) -> Subject:
    """An operator object with its folder."""
    from openpto_gym.check import chosen_cases, torch_is_here

    files = tuple(sorted(file for file in place.glob("*.py") if file.name != "__init__.py"))
    kernels = tuple(file for file in files if file.name not in ("cases.py", "golden.py"))
    goldens = tuple(file for file in files if file.name == "golden.py")
    names = ("torch", "numpy") if torch_is_here() else ("numpy",)
    trials = tuple(_trial(operator, case, names) for case in chosen_cases(operator, slow=slow))
    return Subject(operator.name, files, kernels, goldens, trials)


def _trial(operator: Any, case: Any, names: Sequence[Any]) -> Trial:
    def computing(golden: Callable[[Any, Arrays], Arrays]) -> Callable[[Arrays], Arrays]:
        return lambda inputs: golden(case, inputs)

    def tolerance(output: str, actual: Array) -> Tolerance:
        found: Tolerance = case.tolerance_of(output)
        return found

    return Trial(
        name=case.name,
        about=f"{case.dtype.short} {case.sizes}",
        inputs=lambda: operator.inputs(case),
        run=lambda inputs: operator.run(case, inputs),
        goldens=tuple(Golden(name, computing(operator.golden(name))) for name in names),
        tolerance=tolerance,
        kept={name: operator.starts[name] for name in case.kept},
    )


def trial_names(subject: Subject) -> Iterator[str]:
    """The cases of a subject as the command lists them."""
    for trial in subject.trials:
        yield f"{trial.name}  {trial.about}"
