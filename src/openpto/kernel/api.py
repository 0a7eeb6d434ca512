"""What the public package takes from this room."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from openpto.diagnostics import fail, user_boundary
from openpto.frontend import dynamic as dynamic
from openpto.frontend import function as _nested_function
from openpto.ir.dtypes import DataType
from openpto.ir.enums import RunMode, StatusType, TileOpFormat
from openpto.kernel.host import host_tensor
from openpto.kernel.jit import jit
from openpto.kernel.verifying import set_verify_golden_data as set_verify_golden_data
from openpto.kernel.verifying import verify_with
from openpto.language.tensor import Tensor

__all__ = [
    "Function",
    "RunMode",
    "from_torch",
    "function",
    "get_current_function",
    "get_last_function",
    "jit",
    "set_verify_golden_data",
    "verify",
]

nested_function = _nested_function
"""``pypto.frontend.function``; not ``pypto.function``, which is the scope of undecorated code."""

_numbers = iter(range(sys.maxsize))


@user_boundary()
def from_torch(
    t: Any,
    name: str = "",
    dynamic_axis: Sequence[int] | None = None,
    tensor_format: TileOpFormat | None = None,
    dtype: DataType | None = None,
) -> Tensor:
    """A declaration with shape and dtype of a torch tensor (or numpy array), for example as an annotation.

    Args:
        name: shown in messages; ``TENSOR_<n>`` if empty.
        dynamic_axis: axes to mark DYNAMIC; negative ones count from the end.
        tensor_format: layout mark.
        dtype: element type in place of the tensor's own.

    Raises:
        RuntimeError: PTO516 to PTO519, not a plain tensor on the CPU. ValueError: PTO520, an unknown element type.
    """
    name = name or f"TENSOR_{next(_numbers)}"
    tensor = host_tensor(name, 0, t)
    axes = {axis % len(tensor.shape) for axis in dynamic_axis or ()}
    shape = [StatusType.DYNAMIC if axis in axes else extent for axis, extent in enumerate(tensor.shape)]
    layout = TileOpFormat.TILEOP_ND if tensor_format is None else tensor_format
    return Tensor(shape, dtype or tensor.dtype, name, layout)


def _not_yet(name: str) -> Any:
    @user_boundary()
    def stop(*args: Any, **kwargs: Any) -> NoReturn:
        fail("PTO904", name=f"pypto.{name}")

    stop.__name__ = stop.__qualname__ = name
    stop.__doc__ = "Not yet available: stops with PTO904."
    return stop


function = _not_yet("function")
Function = _not_yet("Function")
get_last_function = _not_yet("get_last_function")
get_current_function = _not_yet("get_current_function")


@user_boundary()
def verify(
    func: Callable[..., Any],
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    goldens: Sequence[Any],
    *args: Any,
    codegen_options: Mapping[str, Any] | None = None,
    host_options: Mapping[str, Any] | None = None,
    pass_options: Mapping[str, Any] | None = None,
    verify_options: Mapping[str, Any] | None = None,
    **kwargs: Any,
) -> None:
    """Run an undecorated kernel function on ``inputs`` and ``outputs`` and compare the outputs with ``goldens``.

    Args:
        goldens: one per output, or one per tensor; None where nothing is compared.
        args, kwargs: further arguments of the function.

    The results are written as for ``set_verify_golden_data``; an output that differs is told by a warning, PTO483.

    Raises:
        TypeError: PTO481, an argument that is no list. ValueError: PTO482, goldens that do not belong to the tensors.
    """
    groups = ("codegen_options", "host_options", "pass_options", "verify_options")
    options = dict(zip(groups, (codegen_options, host_options, pass_options, verify_options), strict=True))
    verify_with(jit, func, inputs, outputs, goldens, args, kwargs, options)
