"""What the vector tile of one operation occupies in UB, and whether a chip has that much.

Purpose: refuse tiles whose operands, results and scratch space exceed UB.
Precondition: the operation has a vector tile with a positive value per axis.
Non-goals: spilling between operations, which costs time but no compilation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from openpto.checks.access import blocks
from openpto.device import Chip, TileBuffer, VectorUse, least_bytes, scratch_bytes, tile_of, vector_bytes
from openpto.diagnostics import fail, warn
from openpto.ir.dtypes import bytes_of, is_int
from openpto.ir.enums import TopKAlgo
from openpto.ir.expr import Dim
from openpto.ir.nodes import If, Imm, Kernel, Loop, Op, Value
from openpto.ops import OPS
from openpto.ops.registry import Reduce

TILED_BY_SOURCE = frozenset({"index_put_", "index_add_", "scatter_update"})
"""Updates whose tile cuts what is written, the operand before the tensor that is changed."""

PIECEWISE = TILED_BY_SOURCE | {"concat", "index_select", "paged_rows"}
"""Operations that fetch or copy their operands piece by piece: only the piece that the tile cuts is in UB."""

PICKING = frozenset({"gather", "scatter"})
"""Operations of which one axis of every operand is in UB as a whole."""

SEARCHES = frozenset({"argmax", "argmin"})
NEWEST = "DAV_3510"


def inputs_of(op: Op) -> list[Value]:
    """The tensor operands."""
    return [operand for operand in op.operands if isinstance(operand, Value)]


def is_reduction(op: Op) -> bool:
    """True for folds and searches along axes, whose tile refers to their input."""
    return op.name in SEARCHES or (op.name in OPS and isinstance(OPS[op.name].arithmetic, Reduce))


def tiled_value(op: Op) -> Value | None:
    """The tensor that the tile values pair with: the result, for reductions, permutations and updates an input."""
    inputs = inputs_of(op)
    if inputs and (is_reduction(op) or op.name == "permute"):
        return inputs[0]
    if op.name in TILED_BY_SOURCE:
        return inputs[-2]
    return next((result for result in op.results if isinstance(result, Value)), None)


def tiled_shape(op: Op) -> tuple[Dim, ...] | None:
    """The shape that the tile values pair with."""
    value = tiled_value(op)
    return None if value is None else value.type.shape


def check_ub(op: Op, tile: tuple[int, ...], chips: tuple[Chip, ...], uses: Counter[Value]) -> None:
    """Refuse a tile that exceeds UB of every chip (PTO304); name the chips that it needs (PTO307)."""
    alike = {chip.arch == NEWEST: chip for chip in chips}  # what an operation needs differs in nothing else
    each = {newest: _ub_bytes(op, tile, chip, uses) for newest, chip in alike.items()}
    needs = {chip.name: each[chip.arch == NEWEST] for chip in chips}
    fitting = [chip for chip in chips if needs[chip.name] <= chip.ub]
    name = op.site.asked or op.name
    if not fitting:
        largest = max(chips, key=lambda chip: chip.ub)
        fail(
            "PTO304",
            site=op.site,
            op=name,
            tile=numbers(tile),
            need=needs[largest.name],
            have=largest.ub,
            chip=largest.name,
            suggest=numbers(_smaller_tile(op, tile, largest, uses)),
        )
    if len(fitting) < len(chips):
        names = ", ".join(chip.name for chip in fitting)
        warn("PTO307", site=op.site, op=name, memory="UB", need=needs[chips[0].name], chips=names)


def _ub_bytes(op: Op, tile: tuple[int, ...], chip: Chip, uses: Counter[Value]) -> int:
    use = _use(op, tile, chip)
    inputs = list(dict.fromkeys(inputs_of(op)))
    outputs = [result for result in op.results if isinstance(result, Value)]
    if op.name in PIECEWISE:
        inputs, outputs = [], [value for value in (tiled_value(op),) if value is not None]
    elif op.name in PICKING:
        tile = _with_whole_axis(op, tile)
        if op.name == "scatter":
            outputs = []  # the operand that is changed
    rank = len(tiled_shape(op) or ())
    written = tuple(tile[axis] for axis in op.attrs["perm"]) if op.name == "permute" else tile
    results = [_buffer(value, written, rank, reusable=False) for value in outputs]
    if is_reduction(op) and use.axis is not None:
        shape = tuple(1 if axis == use.axis else extent for axis, extent in enumerate(use.shape))
        results = [replace(buffer, shape=shape) for buffer in results]  # the axis is dropped later
    sources = [_buffer(value, tile, rank, reusable=uses[value] <= 1) for value in inputs]
    return max(vector_bytes(sources, results, scratch_bytes(use)), least_bytes(use))


def _use(op: Op, tile: tuple[int, ...], chip: Chip) -> VectorUse:
    """The operation as the tables of scratch space know it."""
    value = tiled_value(op)
    assert value is not None
    first = value if op.name == "where" else (inputs_of(op) or [value])[0]
    axes: tuple[int, ...] = op.attrs.get("axes") or ()
    perm: tuple[int, ...] = op.attrs.get("perm") or ()
    exponent = op.attrs.get("exponent")
    return VectorUse(
        op.name,
        _piece(value, tile, value.type.rank),
        bytes_of(first.type.dtype),
        integer=is_int(first.type.dtype),
        axis=axes[0] if len(axes) == 1 else op.attrs.get("axis"),
        moves_last=bool(perm) and perm[-1] != len(perm) - 1,
        scalar_first=isinstance(next(iter(op.operands), None), Imm),
        exponent=None if exponent is None else float(exponent),
        radix=op.attrs.get("algo") is TopKAlgo.RADIX_SELECT,
        newest=chip.arch == NEWEST,
    )


def _with_whole_axis(op: Op, tile: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(2**31 if axis == op.attrs["axis"] else size for axis, size in enumerate(tile))


def _piece(value: Value, tile: tuple[int, ...], rank: int) -> tuple[int, ...]:
    """The piece of one operand; axes that a lower rank lacks are the leading ones, as in broadcasting."""
    extents = [extent if isinstance(extent, int) else 2**31 for extent in value.type.shape]
    own_tile = tile[max(rank - len(extents), 0) :]
    return tile_of(extents, own_tile) + tuple(extents[len(own_tile) :])


def _buffer(value: Value, tile: tuple[int, ...], rank: int, *, reusable: bool) -> TileBuffer:
    return TileBuffer(_piece(value, tile, rank), bytes_of(value.type.dtype), reusable)


def _smaller_tile(op: Op, tile: tuple[int, ...], chip: Chip, uses: Counter[Value]) -> tuple[int, ...]:
    """Halve the largest value until the operation fits."""
    smaller = list(tile)
    while _ub_bytes(op, tuple(smaller), chip, uses) > chip.ub and max(smaller) > 1:
        largest = smaller.index(max(smaller))
        smaller[largest] = -(-smaller[largest] // 2)
    return tuple(smaller)


def count_uses(kernel: Kernel) -> Counter[Value]:
    """How many consumers each value has. A parameter's tile is copied in for each consumer, so it counts as one."""
    uses: Counter[Value] = Counter()
    for part in blocks(kernel.body):
        for stmt in part.body:
            if isinstance(stmt, Op):
                uses.update({operand for operand in stmt.operands if isinstance(operand, Value)})
            elif isinstance(stmt, Loop):
                uses.update(_tiles(state for carry in stmt.carries for state in (carry.init, carry.yielded)))
            elif isinstance(stmt, If):
                uses.update(_tiles(state for merge in stmt.merges for state in (merge.then, merge.other)))
    for param in kernel.params:
        uses[param.value] = min(uses[param.value], 1)
        if param.final is not param.value:
            uses[param.final] += 1
    return uses


def _tiles(states: Iterable[object]) -> list[Value]:
    return [state for state in states if isinstance(state, Value)]


def numbers(values: Iterable[int]) -> str:
    """Tile values for messages."""
    return ", ".join(map(str, values))
