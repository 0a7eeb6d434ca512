"""What the linter knows of the API: names, operations and their signatures, from the generated `api.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

ParameterKind = Literal["positional", "keyword", "stars", "packing"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a public function."""

    name: str
    kind: ParameterKind
    required: bool


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: see `OpDecl`, from which it is made."""

    name: str
    parameters: tuple[Parameter, ...]
    keywords: Mapping[str, str]
    writes: frozenset[str]
    core: str
    pointwise: bool
    only_950: bool
    dtypes: frozenset[str] | None


@cache
def _table() -> dict[str, Any]:
    file = Path(__file__).with_name("api.json")
    loaded: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return loaded


@cache
def operation(name: str) -> Operation | None:
    """The operation of a name without `pypto.`; None if it is none."""
    entry = _table()["operations"].get(name)
    if entry is None:
        return None
    return Operation(
        name=name,
        parameters=_parameters(entry["parameters"]),
        keywords=entry.get("keywords", {}),
        writes=frozenset(entry.get("writes", ())),
        core=entry["core"],
        pointwise=bool(entry.get("pointwise")),
        only_950=bool(entry.get("only_950")),
        dtypes=frozenset(entry["dtypes"]) if "dtypes" in entry else None,
    )


def _parameters(entries: list[list[Any]]) -> tuple[Parameter, ...]:
    return tuple(Parameter(name, kind, required) for name, kind, required in entries)


@cache
def members(owner: str) -> frozenset[str] | None:
    """The names of `pypto` (owner ""), of one of its modules or of one of its enumerations; None for anything else."""
    names = _table()["names"].get(owner)
    return None if names is None else frozenset(names)


@cache
def tensor_members() -> frozenset[str]:
    """Attributes and methods of a tensor."""
    return frozenset(_table()["tensor"])


@cache
def option_keys(group: str) -> frozenset[str]:
    """The keys of an option dictionary such as `runtime_options`."""
    return frozenset(_table()["options"].get(group, ()))


@cache
def casts(source: str) -> frozenset[str]:
    """The dtypes that some chip converts a dtype to."""
    return frozenset(_table()["casts"].get(source, ()))


def option_groups() -> tuple[str, ...]:
    """The names of the option dictionaries that `jit` takes."""
    return ("host_options", "codegen_options", "pass_options", "runtime_options", "verify_options", "debug_options")
