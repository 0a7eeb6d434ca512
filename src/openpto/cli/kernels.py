"""Finding the kernels of a file, and arguments that let one be traced without any data."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from openpto.diagnostics import fail
from openpto.ir import expr as E
from openpto.ir.dtypes import DataType, numpy_dtype
from openpto.kernel.declaration import DimSpec, TensorSpec
from openpto.kernel.jit import JitCallableWrapper
from openpto.kernel.signature import MISSING, Signature, TensorParameter, ValueParameter

# Stands for every extent that is only known at run time; traces do not depend on it.
_EXTENT = 16


def load(file: str) -> dict[str, JitCallableWrapper]:
    """The kernels of a Python file by the names of its module, in the order in which it defines them.

    The file runs as an imported module, so a part under `if __name__ == "__main__"` does not.
    Raises PTO595 if there is no such file.
    """
    path = Path(file)
    if not path.is_file():
        fail("PTO595", file=file)
    sys.path.insert(0, str(path.resolve().parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return kernels_of(vars(module))


def kernels_of(namespace: Mapping[str, Any]) -> dict[str, JitCallableWrapper]:
    """The kernels among the values of a namespace; one that has several names appears under the first."""
    seen: set[int] = set()
    found = {}
    for name, value in namespace.items():
        if isinstance(value, JitCallableWrapper) and id(value) not in seen:
            seen.add(id(value))
            found[name] = value
    return found


def choose(kernels: Mapping[str, JitCallableWrapper], name: str, file: str) -> dict[str, JitCallableWrapper]:
    """All kernels, or the one called `name` if that is not empty. Raises PTO596 if there is none."""
    chosen = {key: kernel for key, kernel in kernels.items() if name in ("", key)}
    if not chosen:
        fail("PTO596", file=file, wanted=name or "any kernel", known=", ".join(kernels) or "none")
    return chosen


def given(pairs: Sequence[str]) -> dict[str, str]:
    """`NAME=VALUE` texts as a dict. Raises PTO598 for a text of another form."""
    values: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (equals and name.isidentifier() and value):
            fail("PTO598", text=pair)
        values[name] = value
    return values


def stand_ins(
    signature: Signature, values: Mapping[str, str], extent: int = _EXTENT
) -> tuple[list[Any], dict[str, Any]]:
    """Positional tensors and keyword values for a trace; `extent` is that of dynamic axes.

    Shapes follow the annotations; what they leave open is taken from `values`: "8x64" or "8x64:INT32" for a tensor, a
    Python literal (or else a text) for another parameter. Raises PTO597 for what is open still.
    """
    tensors = [_tensor(parameter, values.get(parameter.name, ""), signature, extent) for parameter in signature.tensors]
    return tensors, dict(_constants(signature.values, values, signature))


def _tensor(parameter: TensorParameter, text: str, signature: Signature, extent: int) -> np.ndarray[Any, Any]:
    extents, _, type_name = text.partition(":")
    try:
        shape = [int(part) for part in extents.split("x")] if extents else _declared_shape(parameter.spec, extent)
        dtype = DataType["DT_" + type_name.upper().removeprefix("DT_")] if type_name else parameter.spec.dtype
    except (ValueError, KeyError):
        fail("PTO598", text=f"{parameter.name}={text}")
    if shape is None:
        fail("PTO597", kernel=signature.kernel, name=parameter.name, example="8x64")
    return np.zeros(shape, numpy_dtype(dtype or DataType.DT_FP32))


def _declared_shape(spec: TensorSpec, extent: int) -> list[int] | None:
    """Extents for the trace, or None if an extent that belongs to the compilation is not declared."""
    if spec.open_ended or any(dim.kind == "static" for dim in spec.dims):
        return None
    return [_extent(dim, extent) for dim in spec.dims]


def _extent(dim: DimSpec, extent: int) -> int:
    if isinstance(dim.value, int):
        return dim.value
    if dim.value is None:
        return extent
    return int(E.evaluate(dim.value, dict.fromkeys(dim.value.leaves, extent)))


def _constants(
    parameters: Sequence[ValueParameter], values: Mapping[str, str], signature: Signature
) -> Iterator[tuple[str, Any]]:
    for parameter in parameters:
        if parameter.name in values:
            yield parameter.name, _literal(values[parameter.name])
        elif parameter.default is MISSING:
            fail("PTO597", kernel=signature.kernel, name=parameter.name, example="8")


def _literal(text: str) -> Any:
    """The value of a Python literal; any other text stands for itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
