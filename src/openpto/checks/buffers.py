"""What the vector tile of one operation occupies in UB, and whether a chip has that much.

Purpose: find tiles whose operands, results and scratch space exceed UB.
Precondition: the operation has a vector tile with a positive value per axis.
Non-goals: spilling between operations, which costs time but no compilation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from openpto._records import replace
from openpto.checks.access import blocks
from openpto.checks.findings import Finding
from openpto.device import (
    BLOCK,
    Chip,
    Demand,
    TileBuffer,
    VectorUse,
    align,
    compared,
    documented_bytes,
    least_bytes,
    scratch_bytes,
    tile_of,
    vector_bytes,
    vector_demand,
)
from openpto.device.scratch import DIFFERENT, DOUBTED
from openpto.ir.dtypes import DataType, bytes_of, is_int
from openpto.ir.enums import SaturationMode, TopKAlgo
from openpto.ir.expr import Dim
from openpto.ir.nodes import If, Imm, Kernel, Loop, Op, Value
from openpto.ops import OPS
from openpto.ops.registry import Pointwise, Reduce

TILED_BY_SOURCE = frozenset({"index_put_", "index_add_", "scatter_update"})
"""Updates whose tile cuts what is written, the operand before the tensor that is changed."""

PIECEWISE = TILED_BY_SOURCE | {"concat", "index_select", "paged_rows"}
"""Operations that fetch or copy their operands piece by piece: only the piece that the tile cuts is in UB."""

PICKING = frozenset({"gather", "scatter"})
"""Operations of which one axis of every operand is in UB as a whole."""

ROW_BLOCKS = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "prelu"})
"""Operations whose tiles take whole instructions: few rows that are short count as more rows."""
REPEAT = 256
"""Bytes that a vector instruction works on at a time."""

SELECTIONS = frozenset({"topk", "topk_indices"})
"""Operations that work on all of what the tile cuts of their input, and leave less of it."""
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


def find_ub(op: Op, tile: tuple[int, ...], chips: tuple[Chip, ...], uses: Counter[Value]) -> Iterator[Finding]:
    """Whether a tile exceeds UB of every chip (PTO304), of some (PTO307), or a doubtful limit (PTO310)."""
    needs = _needs(op, tile, chips, uses)
    fitting = [chip for chip in chips if needs[chip.name].need <= chip.ub]
    if len(fitting) == len(chips) and op.name not in DOUBTED:
        return
    largest = max(chips, key=lambda chip: chip.ub)
    fields = {"tile": numbers(tile), "memory": "UB"}
    if not fitting:
        need = needs[largest.name]
        shown = need.demand().formula(largest.ub, largest.name)
        yield Finding("PTO304", op, fields | {"need": need.need, "have": largest.ub, "formula": shown})
    elif len(fitting) < len(chips):
        first = next(chip for chip in chips if chip not in fitting)
        need = needs[first.name]
        shown = need.demand().formula(first.ub, first.name)
        names = ", ".join(chip.name for chip in fitting)
        yield Finding("PTO307", op, fields | {"need": need.need, "formula": shown, "chips": names})
    elif (asked := needs[largest.name].documented) > largest.ub:
        shown = f"{' > '.join(compared(asked, largest.ub))} UB of {largest.name}"
        yield Finding("PTO310", op, fields | {"formula": shown})


def _needs(op: Op, tile: tuple[int, ...], chips: tuple[Chip, ...], uses: Counter[Value]) -> dict[str, UbUse]:
    """What each chip needs; most operations need the same on all of them."""
    if op.name not in DIFFERENT:
        return dict.fromkeys((chip.name for chip in chips), UbUse(op, tile, chips[0], uses))
    alike = {chip.arch: chip for chip in chips}
    each = {arch: UbUse(op, tile, chip, uses) for arch, chip in alike.items()}
    return {chip.name: each[chip.arch] for chip in chips}


class UbUse:
    """What one tile of an operation needs of UB on a chip: `need` bytes, and more if the documentation is followed."""

    __slots__ = ("documented", "inputs", "least", "need", "outputs", "scratch")

    def __init__(self, op: Op, tile: tuple[int, ...], chip: Chip, uses: Counter[Value]) -> None:
        use = _use(op, tile, chip)
        self.inputs, self.outputs = _operands(op, tile, use, uses)
        self.scratch = scratch_bytes(use)
        self.least = least_bytes(use)
        self.need = max(vector_bytes(self.inputs, self.outputs, self.scratch), self.least)
        self.documented = documented_bytes(use)

    def demand(self) -> Demand:
        """The same, piece by piece. A documented total is more than its operands; the rest counts as scratch."""
        known = vector_bytes(self.inputs, self.outputs)
        return vector_demand(self.inputs, self.outputs, max(self.scratch, self.least - known))


def _operands(
    op: Op, tile: tuple[int, ...], use: VectorUse, uses: Counter[Value]
) -> tuple[list[TileBuffer], list[TileBuffer]]:
    """The tiles that are read and written."""
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
    stays = not use.moves_last  # a transposed tile is written while the other one is read
    sources = [_buffer(value, tile, rank, reusable=stays and uses[value] <= 1) for value in inputs]
    decl = OPS.get(op.name)
    if decl is not None and isinstance(decl.arithmetic, Pointwise) and results:
        sources = _without_expanded(sources, results[0])
    if op.name in ROW_BLOCKS:
        return [_row_block(b) for b in sources], [_row_block(b) for b in results]
    return sources, results


def _without_expanded(sources: list[TileBuffer], result: TileBuffer) -> list[TileBuffer]:
    """An operand that is broadcast needs no room where the result takes no other place: version 0.2 copies it to a
    tile of its own first, and that becomes the result."""
    alike = [source for source in sources if source.itemsize == result.itemsize]
    full = [source for source in alike if source.size == result.size]
    if not full or any(source.reusable for source in full):
        return sources
    small = next((source for source in alike if source.size < result.size), None)
    return sources if small is None else [source for source in sources if source is not small]


def _row_block(buffer: TileBuffer) -> TileBuffer:
    """Rows are added until a block of the last two axes has as many bytes as one instruction works on."""
    if len(buffer.shape) < 2:
        return buffer
    row = align(buffer.shape[-1] * buffer.itemsize, BLOCK)
    least = max(buffer.shape[-2], -(-REPEAT // row))
    return replace(buffer, shape=(*buffer.shape[:-2], least, buffer.shape[-1]))


def _use(op: Op, tile: tuple[int, ...], chip: Chip) -> VectorUse:
    """The operation as the tables of scratch space know it."""
    value = inputs_of(op)[0] if op.name in SELECTIONS else tiled_value(op)
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
        wraps=_wraps(op, first.type.dtype) if op.name == "cast" else 0,
        newest=chip.arch == NEWEST,
    )


def _wraps(op: Op, source: DataType) -> int:
    """Bytes per element of the result of a cast that keeps the low bits and has to do it in two steps."""
    target = next(result.type.dtype for result in op.results if isinstance(result, Value))
    pairs = {DataType.DT_FP32: {DataType.DT_INT16}, DataType.DT_FP16: {DataType.DT_INT16, DataType.DT_INT8}}
    off = op.attrs.get("satmode") is not SaturationMode.ON
    return bytes_of(target) if off and target in pairs.get(source, ()) else 0


def _with_whole_axis(op: Op, tile: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(2**31 if axis == op.attrs["axis"] else size for axis, size in enumerate(tile))


def _piece(value: Value, tile: tuple[int, ...], rank: int) -> tuple[int, ...]:
    """The piece of one operand; axes that a lower rank lacks are the leading ones, as in broadcasting."""
    extents = [extent if isinstance(extent, int) else 2**31 for extent in value.type.shape]
    own_tile = tile[max(rank - len(extents), 0) :]
    return tile_of(extents, own_tile) + tuple(extents[len(own_tile) :])


def _buffer(value: Value, tile: tuple[int, ...], rank: int, *, reusable: bool) -> TileBuffer:
    return TileBuffer(_piece(value, tile, rank), bytes_of(value.type.dtype), reusable)


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
