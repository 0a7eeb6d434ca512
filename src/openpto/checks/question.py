"""One operation on its own: recorded from the names, shapes and element types that a question about tiles gives.

Purpose: let the checks of kernels answer for one call, so that there is one declaration of each limit.
Non-goals: values; a tensor of a question has no data.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from openpto._records import dataclass, field, replace
from openpto.checks.access import operations
from openpto.checks.buffers import count_uses
from openpto.device import CHIPS, Chip, chip_name, chips_of
from openpto.device.chips import OTHER_NAMES
from openpto.diagnostics import NOWHERE, PyptoWarning, at, collect_warnings, fail
from openpto.ir import nodes, ssa
from openpto.ir.dtypes import DataType
from openpto.ir.nodes import Kernel, Op, Scope, TileType, Value
from openpto.ir.trace import Trace, recording
from openpto.language.functions import arguments as bound_arguments
from openpto.language.tile_shapes import ConvTile, CubeTile, TileL1Info, concrete_int, conv_tile
from openpto.ops import OPS
from openpto.ops.recording import asking
from openpto.ops.registry import OpDecl

Shape = tuple[int, ...]
Tile = Shape | nodes.CubeTile | ConvTile
BOOLEANS, POSITIONS = ("condition",), ("index", "indices")


# What the names stand for


def operation(name: str) -> OpDecl:
    """The declaration of a public operation, with or without ``pypto.`` before it (PTO592)."""
    plain = name.strip().removeprefix("pypto.")
    decl = OPS.get(plain)
    if decl is None or not decl.public or decl.record is None:
        known = [other.name for other in OPS.values() if other.public and other.record is not None]
        near = get_close_matches(plain.lower(), known, n=3, cutoff=0.5)
        fail("PTO592", what="operation", name=name, near=", ".join(near) or "add, sum, matmul, conv")
    return decl


def element_type(value: DataType | str) -> DataType:
    """An element type, or its name with or without ``DT_`` (PTO592)."""
    if isinstance(value, DataType):
        return value
    plain = str(value).strip().upper().removeprefix("PYPTO.").removeprefix("DT_")
    known = {dtype.short: dtype for dtype in DataType if dtype is not DataType.DT_BOTTOM}
    if plain not in known:
        near = get_close_matches(plain, known, n=3, cutoff=0.5)
        fail("PTO592", what="element type", name=value, near=", ".join(near) or "FP32, FP16, BF16, INT8")
    return known[plain]


def chips_named(name: str | None) -> tuple[Chip, ...]:
    """The chips that a name stands for, all for None (PTO592)."""
    if name is None:
        return chips_of(None)
    platform = chip_name(str(name))
    if platform is None:
        near = get_close_matches(str(name).upper(), [*CHIPS, *OTHER_NAMES], n=3, cutoff=0.5)
        fail("PTO592", what="chip", name=name, near=", ".join(near) or ", ".join(CHIPS))
    return chips_of(platform)


def shape_of(value: object) -> Shape | float:
    """A shape, or a number that stands for a scalar operand (PTO593)."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    if isinstance(value, (list, tuple)) and value and all(type(v) is int and v > 0 for v in value):
        return tuple(value)
    fail("PTO593", text=str(value))


# The operation


@dataclass(frozen=True)
class Question:
    """A call of one operation.

    operands   shapes, and numbers for scalar operands, in the order of the parameters
    dtypes     element types of the shapes; the last one stands for those that follow
    given      other arguments by name
    """

    decl: OpDecl
    operands: tuple[Shape | float, ...]
    dtypes: tuple[DataType, ...]
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def setter(self) -> str:
        """The function that sets the tile of this operation."""
        return {"vector": "set_vec_tile_shapes", "conv": "set_conv_tile_shapes"}.get(self.kind, "set_cube_tile_shapes")

    @property
    def kind(self) -> str:
        """Which tile it takes: vector, cube or conv."""
        if self.decl.core != "cube":
            return "vector"
        return "conv" if self.decl.name == "conv" else "cube"

    def recorded(self, tile: Tile | None) -> tuple[Kernel, list[PyptoWarning]]:
        """The operation as tile IR under a tile, and what recording it warned of. Raises what recording refuses."""
        trace = Trace(self.decl.name, NOWHERE)
        trace.scope = self.scope(tile)
        with recording(trace), at(NOWHERE), asking(self.decl.name), collect_warnings(quiet=True) as told:
            self._record(trace)
        return ssa.build(trace), told

    @property
    def creates(self) -> bool:
        """Whether it has no tensor operand."""
        return not any("Var" in str(parameter.annotation) for parameter in self.decl.signature.parameters.values())

    def scope(self, tile: Tile | None) -> Scope:
        """The tile where the checks look for it. A matmul of more than two axes also asks for a vector tile."""
        if isinstance(tile, nodes.CubeTile):
            return Scope(cube=tile)
        return Scope(conv=tile) if isinstance(tile, ConvTile) else Scope(vec=tile)

    def _record(self, trace: Trace) -> None:
        record = self.decl.record
        assert record is not None
        args, kwargs = self._call(trace)
        bound = inspect.BoundArguments(self.decl.signature, bound_arguments(self.decl, args, kwargs))
        record(*bound.args, **bound.kwargs)

    def _call(self, trace: Trace) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and named arguments of the recording function."""
        waiting, number = list(self.operands), 0
        kwargs = {self.decl.keywords.get(name, name): value for name, value in self.given.items()}
        for parameter in self.decl.signature.parameters.values():
            name = parameter.name
            if name in kwargs:
                continue
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                return tuple(self.operands[0]) if isinstance(self.operands[0], tuple) else self.operands, kwargs
            if "list[Var]" in str(parameter.annotation):
                kwargs[name] = [self._tensor(trace, "tensor", shape, n) for n, shape in enumerate(waiting)]
            elif _takes_tensor(parameter):
                required = parameter.default is inspect.Parameter.empty
                if not waiting and not required:
                    continue
                kwargs[name] = self._tensor(trace, name, waiting.pop(0) if waiting else self.operands[0], number)
                number += 1
            elif parameter.default is inspect.Parameter.empty and (value := self._usual(name)) is not None:
                kwargs[name] = value
        if isinstance(kwargs.get("extend_params"), Mapping):
            kwargs["extend_params"] = self._extras(trace, kwargs["extend_params"])
        return (), kwargs

    def _tensor(self, trace: Trace, name: str, shape: Shape | float, number: int) -> Any:
        if not isinstance(shape, tuple):
            return shape
        dtype = self.dtypes[min(number, len(self.dtypes) - 1)]
        if number >= len(self.dtypes) or len(self.dtypes) == 1:
            dtype = DataType.DT_BOOL if name in BOOLEANS else DataType.DT_INT32 if name in POSITIONS else dtype
        return trace.param(f"{name}_{number}", TileType(shape, dtype), NOWHERE)

    def _extras(self, trace: Trace, extras: Mapping[str, Any]) -> dict[str, Any]:
        """Bias and scales may be given as shapes."""
        integers = self.dtypes[0] is DataType.DT_INT8
        types = {"bias_tensor": DataType.DT_INT32 if integers else DataType.DT_FP32, "scale_tensor": DataType.DT_INT64}
        return {
            key: trace.param(key, TileType(tuple(value), types[key]), NOWHERE)
            if key in types and isinstance(value, (list, tuple))
            else value
            for key, value in extras.items()
        }

    def _usual(self, name: str) -> Any:
        """A usual value of a parameter that has no default; None where there is none."""
        shape = next((operand for operand in self.operands if isinstance(operand, tuple)), (1,))
        first, spatial = self.dtypes[0], max(len(shape) - 2, 0)
        wide = DataType.DT_FP32 if first is not DataType.DT_FP32 else DataType.DT_FP16
        product = first if self.kind == "conv" else DataType.DT_INT32 if first is DataType.DT_INT8 else DataType.DT_FP32
        quantised = DataType.DT_INT8 if self.decl.name == "quantize" else DataType.DT_FP32
        plain = first if self.decl.core == "vector" and self.decl.name in ("full", "uniform", "normal") else wide
        return {
            "dim": -1, "axis": -1, "dim0": -2, "dim1": -1, "perm": list(reversed(range(len(shape)))),
            "k": min(8, shape[-1]), "pattern_mode": 1, "mergesize": 32, "num_classes": shape[-1],
            "size": list(shape), "shape": list(shape) if self.creates else None,
            "key": [0], "counter": [0, 0], "alg": [1], "fill_value": 0,
            "dtype": plain, "out_dtype": product, "otype": quantised,
            "strides": [1] * spatial, "paddings": [0, 0] * spatial, "dilations": [1] * spatial, "scale": 1.0,
        }.get(name)  # fmt: skip


def _takes_tensor(parameter: inspect.Parameter) -> bool:
    """Whether a parameter of a recording function is a tensor, or may be one."""
    return str(parameter.annotation).startswith("Var")


def asked(
    op: str, shapes: object, dtypes: object = DataType.DT_FP32, given: Mapping[str, Any] | None = None
) -> Question:
    """A question from what a caller writes (PTO592, PTO593)."""
    decl = operation(op)
    listed = shapes if isinstance(shapes, (list, tuple)) else (shapes,)
    if listed and all(type(v) is int for v in listed) and (len(listed) > 1 or not isinstance(shapes, (int, float))):
        listed = (listed,)
    operands = tuple(shape_of(shape) for shape in listed)
    if not operands:
        fail("PTO593", text=str(shapes))
    names = dtypes if isinstance(dtypes, (list, tuple)) else (dtypes,)
    question = Question(decl, operands, tuple(element_type(name) for name in names), dict(given or {}))
    first = operands[0]
    if question.kind == "cube" and len(operands) == 1 and isinstance(first, tuple) and len(first) == 3:
        m, k, n = first
        a = (k, m) if question.given.get("a_trans") else (m, k)
        b = (n, k) if question.given.get("b_trans") else (k, n)
        return replace(question, operands=(a, b))
    return question


def tile_asked(question: Question, tile: Any) -> Tile | None:
    """The tile as the setter of the operation takes it; None for none (PTO285 to PTO288)."""
    if tile is None or isinstance(tile, (nodes.CubeTile, ConvTile)):
        return tile
    if question.kind == "vector":
        if not isinstance(tile, (list, tuple)):
            fail("PTO288", name="tile", wanted="a list of", got=type(tile).__name__)
        return tuple(concrete_int(v, "check_tiles", "tile") for v in tile)
    if question.kind == "cube":
        if isinstance(tile, CubeTile):
            return tile.recorded()
        if not isinstance(tile, (list, tuple)) or len(tile) not in (3, 4):
            fail("PTO287", name="tile", wanted="3 or 4", got=len(tile) if isinstance(tile, (list, tuple)) else 1)
        return CubeTile(*tile).recorded()
    return conv_tile(tile) if isinstance(tile, TileL1Info) else conv_tile(*tile)


def parts(kernel: Kernel) -> tuple[tuple[Op, ...], Counter[Value]]:
    """The operations that a question was recorded as, and how often their values are used."""
    return tuple(operations(kernel.body)), count_uses(kernel)
