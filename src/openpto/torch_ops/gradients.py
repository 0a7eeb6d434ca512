"""The gradient of an operator: another kernel, which is an operator itself, so that torch can trace through it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from openpto.diagnostics import fail
from openpto.kernel.jit import JitCallableWrapper
from openpto.torch_ops.description import Description, describe
from openpto.torch_ops.operators import make
from openpto.torch_ops.shapes import ShapeRule, check_rules

SUFFIX = "_backward"


@dataclass(frozen=True, slots=True)
class Plan:
    """How the backward kernel is called.

    op        the kernel as an operator
    sources   per tensor argument, what it is called in the forward kernel, or ``grad_<output>``
    results   per output, the name of the input whose gradient it is
    rules     the shapes of the outputs, as far as arguments tell them
    """

    op: Description
    sources: tuple[str, ...]
    results: tuple[str, ...]
    rules: Mapping[str, ShapeRule]


def plan(op: Description, backward: JitCallableWrapper | None, names: Mapping[str, str]) -> Plan | None:
    """Match the parameters of a backward kernel with the forward kernel; None if there is no backward kernel.

    Raises:
        TypeError: PTO550. ValueError: PTO556, a parameter that is nothing of the forward kernel.
    """
    if backward is None:
        return None
    if not isinstance(backward, JitCallableWrapper):
        fail("PTO550", got=type(backward).__name__)
    if op.mutates:
        _refuse(op, backward, "an operator that writes its arguments in place has no gradient")
    meant = {p.name: _meaning(op, names.get(p.name, p.name)) for p in backward.signature.tensors}
    unknown = [name for name in names if name not in {p.name for p in backward.signature.tensors}]
    if unknown:
        _refuse(op, backward, f"backward_names has {unknown[0]!r}, which is no tensor of it")
    inputs = [p.name for p in op.inputs]
    of_inputs = {f"grad_{name}": name for name in inputs}
    results = {name: of_inputs[meaning] for name, meaning in meant.items() if meaning in of_inputs}
    sources = {name: meaning for name, meaning in meant.items() if name not in results}
    known = {*inputs, *(p.name for p in op.outputs), *(f"grad_{p.name}" for p in op.outputs)}
    for name, meaning in sources.items():
        if meaning not in known:
            possible = ", ".join(sorted(known | of_inputs.keys()))
            _refuse(op, backward, f"{name} is none of {possible}; say by backward_names= which it is")
    if not results:
        _refuse(op, backward, f"it computes none of {', '.join(of_inputs)}")
    values = {v.name for v in backward.signature.values}
    constants = {name: value for name, value in op.constants.items() if name in values}
    described = describe(backward, op.name + SUFFIX, tuple(results), (), constants)
    for scalar in described.scalars:
        if scalar.name not in {s.name for s in op.scalars}:
            _refuse(op, backward, f"{scalar.name} is no argument of the forward kernel")
    same = {meaning: name for name, meaning in sources.items()}
    rules: dict[str, ShapeRule] = {name: same[of] for name, of in results.items() if of in same}
    check_rules(described, rules)
    return Plan(described, tuple(sources.values()), tuple(results.values()), rules)


def _refuse(op: Description, backward: JitCallableWrapper, problem: str) -> NoReturn:
    fail("PTO556", name=op.name, kernel=backward.__name__, problem=problem)


def _meaning(op: Description, name: str) -> str:
    """The full name of a tensor of a backward kernel: `grad` and `d<name>` are understood where they are clear."""
    outputs, inputs = [p.name for p in op.outputs], [p.name for p in op.inputs]
    if name in (*inputs, *outputs):
        return name
    if name == "grad" and len(outputs) == 1:
        return f"grad_{outputs[0]}"
    return f"grad_{name[1:]}" if name[:1] == "d" and name[1:] in (*inputs, *outputs) else name


def register(torch: Any, op: Description, made: Any, plan: Plan | None) -> None:
    """Tell torch the gradient of an operator; what nothing computes stops when it is asked for (PTO553)."""
    if plan is None:
        made.register_autograd(lambda ctx, *grads: _missing(op, op.inputs[0].name))
        return
    backward = make(torch, plan.op, plan.rules)
    backward.register_autograd(lambda ctx, *grads: _missing(plan.op, plan.op.inputs[0].name))
    inputs, outputs = [p.name for p in op.inputs], [p.name for p in op.outputs]
    arguments = [*inputs, *(s.name for s in op.scalars)]
    kept = [name for name in dict.fromkeys(plan.sources) if name in (*inputs, *outputs)]

    def remember(ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        given = dict(zip(arguments, inputs, strict=True))
        given.update(zip(outputs, output if len(outputs) > 1 else (output,), strict=True))
        ctx.save_for_backward(*(given[name] for name in kept))
        ctx.scalars = {s.name: given[s.name] for s in plan.op.scalars}
        ctx.dtypes = [given[p.name].dtype for p in op.inputs]

    def gradients(ctx: Any, *grads: Any) -> tuple[Any, ...]:
        for number, name in enumerate(inputs):
            if ctx.needs_input_grad[number] and name not in plan.results:
                _missing(op, name)
        given = dict(zip(kept, ctx.saved_tensors, strict=True))
        given.update(zip((f"grad_{name}" for name in outputs), grads, strict=True))
        found = backward(*(given[name] for name in plan.sources), **ctx.scalars)
        by_name = dict(zip(plan.results, found if len(plan.results) > 1 else (found,), strict=True))
        wanted = [
            by_name[name].to(dtype) if needed else None
            for name, dtype, needed in zip(inputs, ctx.dtypes, ctx.needs_input_grad, strict=False)
        ]
        return (*wanted, *[None] * len(op.scalars))

    made.register_autograd(gradients, setup_context=remember)


def _missing(op: Description, tensor: str) -> NoReturn:
    fail("PTO553", site=op.site, name=op.name, tensor=tensor)
