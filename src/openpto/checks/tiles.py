"""Tile shapes: whether every operation has one, and whether its buffers fit on the chip.

Purpose: refuse operations without a usable vector or cube tile, tiles of the wrong rank, misaligned tiles, and tiles
whose buffers exceed UB, L0A, L0B, L0C or L1.
Precondition: a verified kernel; every operation carries the scope it was recorded in.
Postcondition: nothing is changed. Without a platform a tile has to fit one of the chips; if it does not fit all of
them a warning names those it needs.
Non-goals: cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator

from openpto._records import dataclass
from openpto.checks.access import access, core, operations
from openpto.checks.buffers import count_uses, inputs_of
from openpto.checks.convolution import find_convolution, find_vector_tile
from openpto.checks.cube import find_cube
from openpto.checks.findings import Finding
from openpto.checks.mixed_scopes import find_mixed_scopes
from openpto.checks.vector import find_shape, find_vector
from openpto.checks.workload import find_operation_count
from openpto.device import Chip, chips_of
from openpto.diagnostics import portability
from openpto.ir.nodes import Kernel, Op, Value

BYTEWISE = frozenset({"pack", "unpack"})
"""Operations that are recorded as moves and go through vector tiles on a device."""


def find_tiles(op: Op, chips: tuple[Chip, ...], uses: Counter[Value]) -> Iterator[Finding]:
    """What is wrong with the tiles in the scope of one operation, errors and warnings, in the order of toolchains."""
    unit = core(op.name)
    if unit == "vector":
        yield from find_vector(op, chips, uses)
    elif unit == "move" and op.name == "bitcast" and op.site.asked in BYTEWISE:
        found = find_shape(op, inputs_of(op)[0].type.rank)
        if found is not None:
            yield found
    elif "convolution" in op.attrs:
        yield from find_convolution(op, chips)
    elif unit == "cube":
        yield from find_cube(op, chips)


@dataclass(frozen=True)
class Tiles:
    """The pass; see the module's header. `platform` is the chip chosen by the user, None for any."""

    platform: str | None = None

    def run(self, kernel: Kernel) -> None:
        """Check one kernel. Raises PTO301-305, PTO313 and PTO320-334;
        reports PTO306-308, PTO310, PTO311, PTO326 and PTO335."""
        chips = chips_of(self.platform)
        uses = count_uses(kernel)
        moves: list[Op] = []
        clean: set[Hashable] = set()
        for op in operations(kernel.body):
            question = _question(op, uses)
            if question is None or question not in clean:
                silent = True
                for found in find_tiles(op, chips, uses):
                    silent = False
                    more = {"suggest": _suggestion(found, kernel, chips, uses)} if found.wants_tile else {}
                    found.report(**more)
                if silent and question is not None:
                    clean.add(question)
            if "convolution" in op.attrs:
                for found in find_vector_tile(op, chips):
                    found.report()
            if core(op.name) == "move" and op.site.asked not in BYTEWISE:
                moves.append(op)
        for op in moves:  # last: a warning says little beside a refusal for the same reason
            _check_move(op)
        for found in (*find_mixed_scopes(kernel, chips), *find_operation_count(kernel)):
            found.report()


def _question(op: Op, uses: Counter[Value]) -> Hashable | None:
    """All that decides what :func:`find_tiles` finds for an operation, None where that cannot be compared. Unrolled
    loops ask the same question many times."""
    if core(op.name) not in ("vector", "cube"):
        return None
    numbers = [id(operand) for operand in op.operands]
    operands = tuple(
        (o.type, uses[o] <= 1, numbers.index(id(o))) if isinstance(o, Value) else type(o) for o in op.operands
    )
    results = tuple(result.type if isinstance(result, Value) else None for result in op.results)
    question = op.name, op.site.asked, id(op.scope), operands, results, tuple(op.attrs.items())
    try:
        hash(question)
    except TypeError:  # an attribute is a list or the like
        return None
    return question


def _suggestion(found: Finding, kernel: Kernel, chips: tuple[Chip, ...], uses: Counter[Value]) -> str:
    """A tile to use instead, for everything that shares the one in force."""
    from openpto.checks.suggest import Suggestions  # a kernel that passes does without

    return Suggestions(tuple(operations(kernel.body)), chips, uses, find_tiles).text(found)


def _check_move(op: Op) -> None:
    """Toolchain 0.2 asks for a tile where data only move; the newer one takes the tile of the neighbours."""
    scope = op.scope
    if scope.vec is None and scope.cube is None and scope.conv is None and access(op).reads:
        portability("PTO306", site=op.site, op=op.called)
