"""Write what the linter knows of the API: `src/openpto/lint/api.json`, made from the declarations of operations.

The linter reads this file because it must not import numpy, or the rooms that record operations. `--check` compares
instead and exits with 1 if the file is not current; `--write` writes it.
"""

from __future__ import annotations

import enum
import inspect
import json
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pypto
import pypto.distributed
from openpto.ir.dtypes import DataType
from openpto.language.option_schema import OPTIONS
from openpto.language.tensor import Tensor
from openpto.ops import OPS
from openpto.ops.convert import pair_kind
from openpto.ops.registry import Dtypes, OpDecl, Pointwise

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "src" / "openpto" / "lint" / "api.json"
MODULES = {
    name: value
    for name, value in vars(pypto).items()
    if isinstance(value, types.ModuleType) and value.__name__.startswith("pypto.")
}


def names() -> dict[str, list[str]]:
    """The names of `pypto` and of its modules, and the members of its enumerations."""
    found = {"": sorted(name for name in dir(pypto))}
    found |= {name: sorted(dir(module)) for name, module in MODULES.items()}
    for name, value in vars(pypto).items():
        if isinstance(value, type) and issubclass(value, enum.Enum):
            found[name] = sorted({*value.__members__, *vars(value)})  # dir() differs between versions of Python
    return {name: [n for n in members if not n.startswith("_")] for name, members in found.items()}


def parameters(function: Callable[..., Any]) -> list[list[Any]]:
    """[name, kind, required] of every parameter; kind is positional, keyword, stars or packing."""
    kinds = {
        inspect.Parameter.KEYWORD_ONLY: "keyword",
        inspect.Parameter.VAR_POSITIONAL: "stars",
        inspect.Parameter.VAR_KEYWORD: "packing",
    }
    return [
        [p.name, kinds.get(p.kind, "positional"), p.default is inspect.Parameter.empty]
        for p in inspect.signature(function).parameters.values()
    ]


def operation(decl: OpDecl) -> dict[str, Any]:
    """One operation as the linter uses it; what is not said is false, empty or "any"."""
    entry: dict[str, Any] = {"parameters": parameters_of(decl), "core": decl.core}
    if decl.keywords:
        entry["keywords"] = dict(decl.keywords)
    if decl.writes:
        entry["writes"] = list(decl.writes)
    if isinstance(decl.arithmetic, Pointwise):
        entry["pointwise"] = True
    if decl.only_950:
        entry["only_950"] = True
    if isinstance(decl.dtypes, Dtypes):
        entry["dtypes"] = sorted(dtype.name for dtype in decl.dtypes.union)
    return entry


def parameters_of(decl: OpDecl) -> list[list[Any]]:
    owner: Any = pypto
    for part in decl.name.split("."):
        owner = getattr(owner, part)
    return parameters(owner)


def options() -> dict[str, list[str]]:
    """The keys of the option groups."""
    return {f"{group}_options": sorted(keys) for group, keys in OPTIONS.items()}


def casts() -> dict[str, list[str]]:
    """The dtypes that `cast` takes each dtype to."""
    return {
        source.name: [target.name for target in DataType if pair_kind(source, target) is not None]
        for source in DataType
        if any(pair_kind(source, target) is not None for target in DataType)
    }


def text() -> str:
    table = {
        "names": names(),
        "tensor": sorted(name for name in dir(Tensor) if not name.startswith("__")),
        "operations": {name: operation(decl) for name, decl in sorted(OPS.items()) if decl.public},
        "options": options(),
        "casts": casts(),
    }
    return json.dumps(table, indent=None, separators=(",", ":"), sort_keys=True).replace('},"', '},\n"') + "\n"


def main() -> int:
    if "--write" in sys.argv:
        FILE.write_text(text(), encoding="utf-8")
        return 0
    current = FILE.read_text(encoding="utf-8") if FILE.exists() else ""
    return 0 if current == text() else 1


if __name__ == "__main__":
    raise SystemExit(main())
