"""`register_torch_op`: a kernel becomes an operator of torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from openpto.diagnostics import T, fail, user_boundary
from openpto.kernel.jit import JitCallableWrapper
from openpto.torch_ops import gradients
from openpto.torch_ops.description import Description, describe, refuse
from openpto.torch_ops.operators import make
from openpto.torch_ops.shapes import ShapeRule, check_rules


@user_boundary()
def register_torch_op(
    kernel: JitCallableWrapper,
    name: str,
    *,
    outputs: str | Sequence[str] = "out",
    mutates: str | Sequence[str] = (),
    shapes: ShapeRule | Mapping[str, ShapeRule] | None = None,
    constants: Mapping[str, Any] | None = None,
    backward: JitCallableWrapper | None = None,
    backward_names: Mapping[str, str] | None = None,
) -> Any:
    """Make a kernel an operator of torch: usable in modules, under ``torch.compile`` and with autograd.

    The operator takes the kernel's parameters in their order without those in ``outputs``, which it allocates and
    returns: a tensor, or a tuple of several. Inputs that are not contiguous are copied.

    Args:
        kernel: what ``pypto.jit`` made.
        name: ``"namespace::name"``; without a namespace, "openpto".
        outputs: the tensor parameters that the operator returns. The kernel has to write all of their elements.
        mutates: tensor parameters of the caller that the kernel writes in place. They are not returned.
        shapes: for an output, the name of the input that it is shaped like, or a function of the operator's arguments
            that gives its shape. Needed where the annotations do not tell: an extent is a number, a named symbol that
            an input has too, or the output is declared like an input.
        constants: values of parameters that are no arguments of the operator, such as a configuration.
        backward: the kernel of the gradient. Its parameters are called as the tensors and scalars of the forward
            kernel, ``grad_<output>`` for what arrives and ``grad_<input>`` for what it computes.
        backward_names: parameter of the backward kernel -> one of those names, where it is called otherwise.

    Returns:
        The operator, a ``torch.library.CustomOpDef``; ``torch.ops.namespace.name`` is the same. Registering a name
        again replaces it.

    Raises:
        TypeError: PTO550, not a kernel. ValueError: PTO551, names that do not fit; PTO552, the shape of an output is
            not known; PTO556, a backward kernel that does not fit. ImportError: PTO557, torch is missing or too old.
        A call raises what the kernel raises, and RuntimeError: PTO554, it wrote a tensor that is neither in outputs
            nor in mutates; PTO555, it did not write all of an output; PTO553, a gradient that no kernel computes.
    """
    torch = _torch()
    op = describe(kernel, name, _names(outputs), _names(mutates), constants or {})
    rules = _rules(op, shapes)
    check_rules(op, rules)
    plan = gradients.plan(op, backward, backward_names or {})  # before torch knows of anything
    made = make(torch, op, rules)
    if not op.mutates:  # torch differentiates functions alone
        gradients.register(torch, op, made, plan)
    return made


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        fail("PTO557", found=T("it is not installed", "尚未安装"))
    version = str(torch.__version__)
    if not hasattr(torch.library, "custom_op"):
        fail("PTO557", found=T(f"the version here is {version}", f"此处的版本为 {version}"))
    return torch


def _names(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _rules(op: Description, shapes: ShapeRule | Mapping[str, ShapeRule] | None) -> dict[str, ShapeRule]:
    """The rules by output; one that is given alone is for the only output."""
    if shapes is None or isinstance(shapes, Mapping):
        return dict(shapes or {})
    if len(op.outputs) != 1:
        problem = T("shapes is one rule and there is not one output", "shapes 只有一条规则，而输出不是一个")
        instead = T("give a dictionary: shapes={output: rule}", "请给出字典：shapes={输出名: 规则}")
        refuse(op.kernel, op.name, problem, instead)
    return {op.outputs[0].name: shapes}
