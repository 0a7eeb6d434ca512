"""Running the cases of an operator against a golden."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np

from openpto.diagnostics import PyptoError, fail
from openpto.kernel.receipt import last_run
from openpto.language.configuration import settings
from openpto.testing import Comparison, Tolerance, compare, report, summary
from openpto_gym.html.error_map import ErrorMap, error_map
from openpto_gym.operator import Arrays, Case, GoldenName, Operator

Verdict = Literal["ok", "miss", "error", "skipped"]


@dataclass(frozen=True, slots=True)
class Result:
    """One output of one case. Without a comparison ``note`` says why: an error, or why the case was skipped.

    ``errors`` says where the errors lie, if that was asked for.
    """

    operator: str
    case: str
    dtype: str
    sizes: str
    output: str
    tolerance: Tolerance
    verdict: Verdict
    found: Comparison | None = None
    seconds: float = 0.0
    engine: str = ""
    note: str = ""
    errors: ErrorMap | None = None

    @property
    def details(self) -> str:
        """Everything known about a result that is not ok, in some lines."""
        if self.found is None:
            return self.note
        return f"{summary(self.found)} (tolerance {self.tolerance})\n{report(self.found)}"


def torch_is_here() -> bool:
    """Whether torch can be imported; it is not loaded for the question."""
    return find_spec("torch") is not None


def check(
    operator: Operator, case: Case, golden: GoldenName = "torch", *, warm: bool = True, maps: bool = False
) -> Iterator[Result]:
    """Run one case: a result per output.

    Where the golden needs torch and there is none the case is skipped, which is no pass. An error of the kernel is a
    result too. With ``warm`` the time is that of the second of two calls, so that compilation is left out; slow cases
    are called once. With ``maps`` every comparison comes with a map of its errors.
    """
    head = (operator.name, case.name, case.dtype.short, case.sizes)
    if golden == "torch" and not torch_is_here():
        yield Result(*head, "", case.tolerance, "skipped", note="needs torch")
        return
    inputs = operator.inputs(case)
    kept = {name: array.copy() for name, array in inputs.items()}
    earlier = last_run()
    try:
        outputs, seconds = _timed(operator, case, inputs, warm and not case.slow)
    except Exception as error:  # whatever a kernel raises is what this case has to show
        yield Result(*head, "", case.tolerance, "error", note=str(error))
        return
    receipt = last_run()
    if receipt is None or receipt is earlier:  # outputs without elements would not show it
        fail("PTO537", kernel=operator.name, reason="no kernel was called")
    for name, array in kept.items():
        if array.tobytes() != inputs[name].tobytes():
            yield Result(*head, name, case.tolerance, "error", note=f"the kernel changed its input {name}")
    with np.errstate(all="ignore"):  # infinities and NaN in the data are on purpose
        goldens = operator.golden(golden)(case, inputs)
    if outputs.keys() != goldens.keys():
        raise LookupError(f"{operator.name}: outputs {sorted(outputs)}, goldens {sorted(goldens)}")
    for name, actual in outputs.items():
        tolerance = case.tolerance_of(name)
        try:
            operator.require_run(case, name, actual, inputs, goldens[name])
        except PyptoError as error:
            if error.code != "PTO543":
                raise
            yield Result(*head, name, tolerance, "error", note=str(error))
            continue
        found = compare(actual, goldens[name], tolerance)
        verdict: Verdict = "ok" if found.ok else "miss"
        if not found.ok and settings().replay_dir is not None:
            from openpto.testing.replays import write_comparison  # only where a folder for replays is named

            about = {"operator": operator.name, "case": case.name, "output": name}
            write_comparison(actual, goldens[name], tolerance, summary(found), receipt=receipt, about=about)
        errors = error_map(actual, goldens[name], tolerance) if maps else None
        yield Result(*head, name, tolerance, verdict, found, seconds, receipt.engine, errors=errors)


def _timed(operator: Operator, case: Case, inputs: Arrays, warm: bool) -> tuple[Arrays, float]:
    if warm:
        operator.run(case, inputs)
    begin = time.perf_counter()
    outputs = operator.run(case, inputs)
    return outputs, time.perf_counter() - begin


def chosen_cases(operator: Operator, *, slow: bool, dtypes: frozenset[str] = frozenset()) -> list[Any]:
    """The cases of an operator, slow ones if they are wanted, of the dtypes wanted (none named: all)."""
    return [
        case
        for case in operator.cases
        if (slow or not case.slow) and (not dtypes or case.dtype.short.lower() in dtypes)
    ]
