"""What the public package takes from this room."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from openpto.diagnostics import fail, user_boundary
from openpto.frontend import dynamic as dynamic
from openpto.frontend import function as _nested_function
from openpto.ir.dtypes import DataType
from openpto.ir.enums import RunMode, StatusType, TileOpFormat
from openpto.kernel.host import host_tensor
from openpto.kernel.jit import jit
from openpto.language.tensor import Tensor

__all__ = [
    "Function",
    "RunMode",
    "from_torch",
    "function",
    "get_current_function",
    "get_last_function",
    "jit",
    "pass_verify_print",
    "pass_verify_save",
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
        fail("PTO902", op=f"pypto.{name}")

    stop.__name__ = stop.__qualname__ = name
    stop.__doc__ = "Not yet available: stops with PTO902."
    return stop


function = _not_yet("function")
Function = _not_yet("Function")
get_last_function = _not_yet("get_last_function")
get_current_function = _not_yet("get_current_function")
verify = _not_yet("verify")
set_verify_golden_data = _not_yet("set_verify_golden_data")
pass_verify_print = _not_yet("pass_verify_print")
pass_verify_save = _not_yet("pass_verify_save")
