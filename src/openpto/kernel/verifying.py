"""Verified calls: goldens for the tensors of the next call, and the comparison after it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from openpto.diagnostics import T, fail, user_boundary, warn
from openpto.kernel.host import HostTensor, host_tensor
from openpto.runtime.verification import Array, Verification, compare, save_compared, values_of, write_results

_given = threading.local()


@user_boundary()
def set_verify_golden_data(in_out_tensors: Sequence[Any] | None = None, goldens: Sequence[Any] | None = None) -> None:
    """What the tensor parameters of the next verified call have to hold after it; None for those not to be compared.

    A call is verified if ``enable_pass_verify`` is set in its ``verify_options``. Its arguments are what it computes
    with, so that ``in_out_tensors``, which name them for toolchains that verify without running, change nothing here.
    The goldens are used once.

    Raises:
        PyptoError: PTO511 to PTO520, an entry that is no plain tensor on the CPU. TypeError: PTO481, no list.
    """
    for name, values in (("in_out_tensors", in_out_tensors), ("goldens", goldens)):
        if values is not None and not isinstance(values, (list, tuple)):
            fail("PTO481", why=_no_list(name, values))
    for index, tensor in enumerate(in_out_tensors or ()):
        if tensor is not None:
            host_tensor(f"in_out_tensors[{index}]", index, tensor)
    _given.goldens = None if goldens is None else _golden_tensors(goldens)


def _no_list(name: str, values: object) -> T:
    got = type(values).__name__
    return T(f"{name} must be a list, got {got}", f"{name} 必须是列表，但得到 {got}")


def _golden_tensors(goldens: Sequence[Any]) -> list[HostTensor | None]:
    return [None if g is None else host_tensor(f"goldens[{i}]", i, g) for i, g in enumerate(goldens)]


def begun(kernel: str, options: Mapping[str, Any]) -> Verification | None:
    """A verification for a call with these verify_options; None if they do not ask for one."""
    if not options.get("enable_pass_verify"):
        return None
    return Verification(kernel, str(options.get("pass_verify_save_tensor_dir") or ""))


def finish(run: Verification, names: Sequence[str], tensors: Sequence[HostTensor], options: Mapping[str, Any]) -> None:
    """Compare the tensors of a call with the goldens given before it, write the results, and tell what differs
    (PTO483).

    Raises:
        ValueError: PTO482, goldens that do not belong to the parameters.
    """
    goldens: list[HostTensor | None] = getattr(_given, "goldens", None) or [None] * len(names)
    _given.goldens = None
    if len(goldens) != len(names):
        given, wanted = len(goldens), len(names)
        why = T(f"{given} goldens for {wanted} tensor parameters", f"{wanted} 个张量参数有 {given} 个标杆数据")
        fail("PTO482", why=why)
    rtol, atol = options.get("pass_verify_error_tol", (1e-3, 1e-3))
    arrays = [(t.array, t.dtype) for t in tensors]
    outcomes = []
    for name, (data, dtype), golden in zip(names, arrays, goldens, strict=True):
        want = None if golden is None else _golden(name, data, golden)
        outcomes.append(compare(name, values_of(data, dtype), want, rtol, atol))
    write_results(run, outcomes, arrays)
    if options.get("pass_verify_save_tensor"):
        save_compared(run, outcomes, arrays)
    run.write_log()
    for o in outcomes:
        if o.result == "FAILED":
            warn("PTO483", name=o.name, failed=o.failed, count=o.elements, absolute=f"{o.absolute:.3g}", path=run.root)


def _golden(name: str, data: Array, golden: HostTensor) -> Array:
    if golden.array.shape != data.shape:
        have, want = list(golden.array.shape), list(data.shape)
        why = T(
            f"the golden of {name} has the shape {have}, not {want}",
            f"{name} 的标杆数据的 shape 为 {have}，而不是 {want}",
        )
        fail("PTO482", why=why)
    return values_of(golden.array, golden.dtype)


def verify_with(
    make: Callable[..., Callable[..., Any]],
    func: Callable[..., Any],
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    goldens: Sequence[Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    options: Mapping[str, Any],
) -> None:
    """Run ``func`` as a kernel on inputs and outputs and compare the outputs with the goldens."""
    for name, values in (("inputs", inputs), ("outputs", outputs), ("goldens", goldens)):
        if not isinstance(values, (list, tuple)):
            fail("PTO481", why=_no_list(name, values))
    expected = list(goldens)
    if len(expected) == len(outputs):
        expected = [None] * len(inputs) + expected
    set_verify_golden_data(goldens=expected)
    chosen = {key: value for key, value in options.items() if value is not None}
    chosen["verify_options"] = {**chosen.get("verify_options", {}), "enable_pass_verify": True}
    make(**chosen)(func)(*inputs, *outputs, *args, **kwargs)
