"""RunMode.NPU: a call runs in the interpreter that PYPTO_NPU_PYTHON names, and its results come back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from openpto.capsule.call import Capsule, capsule
from openpto.capsule.interpreter import run_elsewhere
from openpto.capsule.values import NotSelfContained
from openpto.diagnostics import Site, fail
from openpto.kernel.binding import Bound
from openpto.runtime import RunReport


def execute(kernel: Any, bound: Bound, written: Sequence[int], site: Site) -> RunReport:
    """Run a bound call elsewhere; tensors that the kernel writes are filled with what came back.

    Raises:
        PyptoError: PTO570 to PTO574, the other interpreter; PTO575, the call stopped there; PTO576, the kernel reaches
            what cannot be handed over.
    """
    answers = run_elsewhere([_capsule(kernel, bound, site)])
    [answer] = answers.calls
    if answer.error:
        fail("PTO575", site=site, name=kernel.__name__, stack=answers.stack, text="\n" + answer.error)
    counts = [0] * len(bound.tensors)
    for index in written:
        target = bound.tensors[index].array
        target[...] = answer.tensors[index]
        counts[index] = target.size
    operations = (answer.receipt or {}).get("ops_executed", 0)
    engine = "device" if answers.mode == "npu" else "other interpreter"
    return RunReport(engine, operations if isinstance(operations, int) else 0, tuple(counts))


def _capsule(kernel: Any, bound: Bound, site: Site) -> Capsule:
    names = [parameter.name for parameter in kernel.signature.tensors]
    same = [names.index(bound.alias.get(name, name)) for name in names]
    tensors = [tensor.array for tensor in bound.tensors]
    try:
        return capsule(kernel, tensors, same, (), bound.values, run_mode="NPU")
    except NotSelfContained as reason:
        fail("PTO576", site=site, name=kernel.__name__, what=str(reason))
