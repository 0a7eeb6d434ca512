"""Making an operator of torch that runs a kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from openpto.diagnostics import T, fail
from openpto.kernel.host import TORCH_DTYPES
from openpto.torch_ops.description import OWN_NAME, Description, refuse
from openpto.torch_ops.shapes import ShapeRule, check_arguments, shapes_of


def make(torch: Any, op: Description, rules: Mapping[str, ShapeRule]) -> Any:
    """The operator without a gradient."""
    types = {element: getattr(torch, text) for text, element in TORCH_DTYPES.items() if hasattr(torch, text)}

    def results(tensors: Sequence[Any], scalars: Mapping[str, Any]) -> list[Any]:
        """The results without data."""
        device = tensors[0].device if tensors else "cpu"
        made = []
        for output, shape in zip(op.outputs, shapes_of(op, rules, tensors, scalars), strict=True):
            declared = output.spec.dtype
            dtype = (
                types.get(declared, torch.uint8)
                if declared is not None
                else _dtype_like(op, output.name, rules, tensors)
            )
            made.append(torch.empty(shape, dtype=dtype, device=device))
        return made

    def run(*args: Any, **kwargs: Any) -> Any:
        tensors, scalars = op.arguments(args, kwargs)
        dense = [_dense(tensor) for tensor in tensors]
        made = results(dense, scalars)
        given = dict(zip((p.name for p in (*op.inputs, *op.outputs)), (*dense, *made), strict=True))
        op.kernel(*(given[p.name] for p in op.kernel.signature.tensors), **scalars, **op.constants)
        _check_written(op, made)
        for p, mine, theirs in zip(op.inputs, dense, tensors, strict=True):
            if p.name in op.mutates and mine is not theirs:
                theirs.copy_(mine)
        return _returned(made)

    def shape_only(*args: Any, **kwargs: Any) -> Any:
        tensors, scalars = op.arguments(args, kwargs)
        check_arguments(op, tensors)
        return _returned(results(tensors, scalars))

    try:
        definition = torch.library.custom_op(op.name, run, mutates_args=sorted(op.mutates), schema=op.schema)
    except RuntimeError as error:  # an operator of torch itself, or of a library that is not written in Python
        text = str(error).splitlines()[0]
        problem = T(
            f"torch has an operator of this name or refuses it: {text}", f"torch 已有同名算子或拒绝该名称：{text}"
        )
        refuse(op.kernel, op.name, problem, OWN_NAME)
    definition.register_fake(shape_only)
    return definition


def _dtype_like(op: Description, output: str, rules: Mapping[str, ShapeRule], tensors: Sequence[Any]) -> Any:
    """The dtype of an output that does not declare one: of the input it is shaped like, else of the first input."""
    names = [p.name for p in op.inputs]
    rule = rules.get(output)
    return tensors[names.index(rule) if isinstance(rule, str) else 0].dtype


def _dense(tensor: Any) -> Any:
    """The same elements in plain memory, in row-major order; the tensor itself if it is so already."""
    return tensor.resolve_conj().resolve_neg().contiguous()


def _returned(made: Sequence[Any]) -> Any:
    return made[0] if len(made) == 1 else tuple(made) or None


def _check_written(op: Description, made: Sequence[Any]) -> None:
    """Whether the run wrote what the operator returns, all of it, and nothing else."""
    receipt = op.kernel.last_run
    assert receipt is not None
    written = receipt.elements_written
    beside = written.keys() - op.mutates - {p.name for p in op.outputs}
    if beside:
        fail("PTO554", site=op.site, name=op.name, tensors=", ".join(sorted(beside)))
    for p, tensor in zip(op.outputs, made, strict=True):
        count = written.get(p.name, 0)
        if count < tensor.numel():
            fail("PTO555", site=op.site, name=op.name, output=p.name, written=count, elements=tensor.numel())
