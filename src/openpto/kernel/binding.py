"""Binding the arguments of one call: tensors to types and run-time sizes, everything else to constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from openpto._records import dataclass
from openpto.diagnostics import Site, fail, warn
from openpto.ir import expr as E
from openpto.ir.dtypes import DataType
from openpto.ir.expr import Dim, Expr
from openpto.ir.nodes import TileType
from openpto.kernel.declaration import STATIC, DimSpec
from openpto.kernel.host import HostTensor, host_tensor, is_torch_tensor
from openpto.kernel.signature import MISSING, Signature, TensorParameter

STORED_AS_UINT8 = frozenset({DataType.DT_HF8, DataType.DT_FP4_E2M1X2, DataType.DT_FP4_E1M2X2, DataType.DT_FP4_E1M2})


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """The arguments of a call.

    tensors  per tensor parameter: the caller's memory
    types    per tensor parameter: static shape with symbols for dynamic extents, dtype, layout
    values   per other parameter: the object
    env      run-time value of every symbol in ``types``
    alias    parameter name -> the earlier parameter that is the same memory
    """

    tensors: tuple[HostTensor, ...]
    types: tuple[TileType, ...]
    values: Mapping[str, Any]
    env: Mapping[Expr, int]
    alias: Mapping[str, str]


def bind(signature: Signature, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Bound:
    """Match a call with the signature; everything that is wrong with the arguments is refused here (PTO511-531)."""
    values = _values(signature, args, kwargs)
    tensors = tuple(host_tensor(p.name, i, args[i]) for i, p in enumerate(signature.tensors))
    env: dict[Expr, int] = {}
    owners: dict[Expr, str] = {}
    shapes = [
        _shape(p, t, env, owners, signature.place(p.name)) for p, t in zip(signature.tensors, tensors, strict=True)
    ]
    for parameter, tensor, shape in zip(signature.tensors, tensors, shapes, strict=True):
        _check_expressions(parameter, tensor, shape, env)
    types = tuple(
        TileType(shape, element_type(p, t.dtype), p.spec.fmt)
        for p, t, shape in zip(signature.tensors, tensors, shapes, strict=True)
    )
    alias = _aliases(signature.tensors, tensors, types)
    return Bound(tensors, types, values, env, alias)


def _values(signature: Signature, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of parameters that are not tensors; a keyword wins over a positional value."""
    wanted, names = len(signature.tensors), [p.name for p in signature.values]
    if len(args) < wanted:
        missing = ", ".join(p.name for p in signature.tensors[len(args) :])
        fail("PTO511", kernel=signature.kernel, wanted=wanted, got=len(args), missing=missing)
    if len(args) > wanted + len(names):
        fail("PTO512", kernel=signature.kernel, wanted=wanted, values=len(names), got=len(args))
    unknown = [key for key in kwargs if key not in names]
    if unknown:
        fail("PTO513", kernel=signature.kernel, names=", ".join(unknown), valid=", ".join(names) or "none")
    given = {**dict(zip(names, args[wanted:], strict=False)), **kwargs}
    values: dict[str, Any] = {}
    for parameter in signature.values:
        if parameter.name not in given and parameter.default is MISSING:
            fail("PTO514", kernel=signature.kernel, name=parameter.name)
        value = given.get(parameter.name, parameter.default)
        if is_torch_tensor(value):
            note = f" (its annotation could not be read: {parameter.problem})" if parameter.problem else ""
            fail("PTO515", kernel=signature.kernel, name=parameter.name, note=note)
        values[parameter.name] = value
    return values


def _shape(
    parameter: TensorParameter, tensor: HostTensor, env: dict[Expr, int], owners: dict[Expr, str], site: Site
) -> tuple[Dim, ...]:
    """Declared extents against actual ones; symbols are entered into ``env``."""
    name, actual = parameter.name, tensor.shape
    dims = fitting(parameter, len(actual), site)
    shape: list[Dim] = []
    for axis, (declared, extent) in enumerate(zip(dims, actual, strict=True)):
        if declared.kind == "fixed" and declared.value != extent:
            wrong_shape(parameter, tensor.shape, axis, declared, extent)
        if declared.kind in ("fixed", "static"):
            shape.append(extent)
            continue
        symbol = declared.value if isinstance(declared.value, Expr) else E.dim(name, axis)
        if symbol.is_leaf:
            known = env.setdefault(symbol, extent)
            owner = owners.setdefault(symbol, f"{name}, axis {axis}")
            if known != extent:
                where = f"{name}, axis {axis}"
                fail("PTO525", name=E.text(symbol), first=known, second=extent, owner=owner, where=where)
        shape.append(symbol)
    return tuple(shape)


def fitting(parameter: TensorParameter, rank: int, site: Site) -> tuple[DimSpec, ...]:
    """The declared entries, one per axis of the argument. A list with marks does not fix the rank."""
    spec, named = parameter.spec, len(parameter.spec.dims)
    if rank > named and (spec.open_ended or spec.has_marks):
        if not spec.open_ended:
            warn("PTO531", site=site, name=parameter.name, declared=str(spec), rank=rank)
        return (*spec.dims, *[STATIC] * (rank - named))
    if rank < named and all(d.is_mark for d in spec.dims[rank:]) and not (spec.open_ended and rank == 0):
        warn("PTO531", site=site, name=parameter.name, declared=str(spec), rank=rank)
        return spec.dims[:rank]
    if rank != named:
        fail("PTO521", name=parameter.name, declared=str(spec), wanted=named, got=rank)
    return spec.dims


def _check_expressions(
    parameter: TensorParameter, tensor: HostTensor, shape: tuple[Dim, ...], env: Mapping[Expr, int]
) -> None:
    """Extents declared as an expression of named symbols, which are all known now."""
    for axis, (declared, extent) in enumerate(zip(shape, tensor.shape, strict=True)):
        if isinstance(declared, Expr) and not declared.is_leaf and declared.leaves <= env.keys():
            if E.evaluate(declared, env) != extent:
                wrong_shape(parameter, tensor.shape, axis, DimSpec("symbol", declared), extent)


def wrong_shape(
    parameter: TensorParameter, shape: Sequence[int], axis: int, declared: DimSpec, extent: int
) -> NoReturn:
    """Refuse an extent that is not the declared one (PTO522)."""
    fail(
        "PTO522",
        name=parameter.name,
        axis=axis,
        wanted=str(declared),
        got=extent,
        declared=str(parameter.spec),
        shape=list(shape),
    )


def element_type(parameter: TensorParameter, given: DataType) -> DataType:
    """The declared element type, which the argument must have; bytes may hold 8-bit and packed 4-bit floats."""
    declared = parameter.spec.dtype
    if declared is None or declared is given:
        return given
    if given is DataType.DT_UINT8 and declared in STORED_AS_UINT8:
        return declared
    fail("PTO523", name=parameter.name, declared=declared.name, got=given.name)


def _aliases(
    parameters: Sequence[TensorParameter], tensors: Sequence[HostTensor], types: Sequence[TileType]
) -> dict[str, str]:
    """Parameters that are the same memory. Memory that two arguments share in part is refused (PTO527)."""
    alias: dict[str, str] = {}
    places = [(tensor.pointer, tensor.nbytes) for tensor in tensors]
    for j, later in enumerate(tensors):
        for i, earlier in enumerate(tensors[:j]):
            if not _overlap(places[i], places[j]):
                continue
            same = places[i][0] == places[j][0] and earlier.shape == later.shape and types[i].dtype is types[j].dtype
            if not same:
                fail("PTO527", name=parameters[j].name, other=parameters[i].name)
            alias[parameters[j].name] = alias.get(parameters[i].name, parameters[i].name)
            break
    return alias


def _overlap(a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Whether stretches of memory, addresses and bytes, have a part in common."""
    return a[1] > 0 < b[1] and a[0] < b[0] + b[1] and b[0] < a[0] + a[1]
