"""One call of a kernel, outside of its program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from openpto.capsule.arrays import Array
from openpto.capsule.flatten import Flat, flatten


@dataclass(frozen=True, slots=True, eq=False)
class Capsule:
    """A call.

    flat     the text of a file and the name of the kernel in it
    names    of the tensor parameters
    tensors  their contents before the call
    same     per tensor the first position that is the same memory
    values   expressions, in the file, for the other arguments
    formats  of the tensor parameters, ND or NZ
    """

    flat: Flat
    names: tuple[str, ...]
    tensors: tuple[Array, ...]
    same: tuple[int, ...]
    values: Mapping[str, str]
    formats: tuple[str, ...]


def capsule(
    kernel: Any,
    tensors: Sequence[Array],
    same: Sequence[int],
    rest: Sequence[Any],
    named: Mapping[str, Any],
    run_mode: str = "",
) -> Capsule:
    """The capsule of a call.

    Args:
        kernel: the object that `pypto.jit` makes.
        tensors, same: as in :class:`Capsule`.
        rest: positional arguments after the tensors.
        named: keyword arguments.
        run_mode: NPU or SIM, to be written into the decorator; empty: none.

    Raises:
        NotSelfContained: the kernel or a value has no text outside of its program.
    """
    signature = kernel.signature
    values = dict(zip([parameter.name for parameter in signature.values], rest, strict=False)) | dict(named)
    flat, given = flatten(kernel, values, run_mode)
    parameters = signature.tensors[: len(tensors)]
    names = tuple(parameter.name for parameter in parameters)
    formats = tuple(parameter.spec.fmt.name.removeprefix("TILEOP_") for parameter in parameters)
    return Capsule(flat, names, tuple(tensors), tuple(same), given, formats)
