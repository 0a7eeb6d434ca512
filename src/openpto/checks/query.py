"""`openpto.check_tiles`: the checks of tiles as a function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from openpto._records import dataclass, replace
from openpto.checks.chips import Chips
from openpto.checks.findings import Finding
from openpto.checks.question import Question, Tile, asked, chips_named, parts, tile_asked
from openpto.checks.repairs import repaired
from openpto.checks.suggest import Suggestions, setter_text
from openpto.checks.tiles import find_tiles
from openpto.checks.vector import find_surplus
from openpto.checks.workload import find_operation_count
from openpto.device import Chip
from openpto.diagnostics import PyptoError, PyptoWarning, Rule, collect_warnings, current_language, user_boundary
from openpto.diagnostics.render import fill
from openpto.ir.nodes import CubeTile, Kernel
from openpto.language.tile_shapes import ConvTile, TileL0Info, TileL1Info

TILE_RULE = "PTO328"
"""What operations say about their tile while they are recorded."""
ABOUT_CHIPS = frozenset({"PTO308", "PTO309"})
NOT_ABOUT_SIZE = frozenset({"PTO327"})
"""Rules that another tile does not mend."""
SURPLUS = "PTO312"
"""The rule whose text names the tile that was meant."""


@dataclass(frozen=True, slots=True)
class TileFinding:
    """What is wrong with a tile.

    code        the rule, such as PTO304; ``pypto explain`` shows its page
    severity    "error" for what a device refuses, "warning" for what it takes badly or only some chips take
    text        the message, in the language of the user
    formula     the numbers it was decided by, "" where nothing was compared
    suggestion  a call that sets a legal tile near the one asked for, "" where there is none
    tile        the same tile as an argument of ``check_tiles``, None where there is none
    op          the operation that cannot work with it; of an operation made of several it may be one of those
    """

    code: str
    severity: str
    text: str
    formula: str = ""
    suggestion: str = ""
    tile: Any = None
    op: str = ""


@user_boundary()
def check_tiles(
    op: str, shapes: Any, dtypes: Any = "FP32", tile: Any = None, chip: str | None = None, **arguments: Any
) -> tuple[TileFinding, ...]:
    """What a device would say about the tile of an operation: the checks of kernels, asked for one call.

    Args:
        op: a public operation, such as "add", "sum", "matmul" or "conv".
        shapes: of its tensors, in the order of its parameters; a number stands for a scalar operand. One shape is
            repeated for the tensors that follow, and (M, K, N) says both operands of a matmul.
        dtypes: an element type or its name, or one for each shape.
        tile: the vector tile as a list of ints; (m, k, n) or (m, k, n, enable_split_k) for a matmul;
            ``TileL1Info`` or (``TileL1Info``, ``TileL0Info``) for a convolution. None: no tile is set.
        chip: "910B", "910C" or "950" (A2, A3 and names of parts are understood too); None for any of them.
        arguments: other arguments of the operation; those without a default have a usual value (``dim`` is -1).
            ``extend_params`` takes shapes for ``bias_tensor`` and ``scale_tensor``.

    Returns:
        Findings in the order of the checks, errors and warnings; empty if all is well.

    Raises:
        ValueError: PTO592, an unknown operation, element type or chip; PTO593, a shape that is none; PTO287, a cube
            tile of the wrong length. TypeError: PTO285, PTO288. And what the operation refuses for other reasons than
            its tile, PTO2xx.

    >>> found = check_tiles("add", [(1024, 512), (1024, 512)], "FP32", (128, 512), "910B")
    >>> found[0].code, found[0].formula
    ('PTO304', '2 buffers x 128 x 512 x 4 B = 512 KiB > 192 KiB UB of 910B')
    >>> found[0].suggestion
    'pypto.set_vec_tile_shapes(48, 512)'
    >>> check_tiles("add", [(1024, 512), (1024, 512)], "FP32", found[0].tile, "910B")
    ()
    """
    question = asked(op, shapes, dtypes, arguments)
    return tuple(findings(question, tile_asked(question, tile), chips_named(chip)))


def findings(question: Question, tile: Tile | None, chips: tuple[Chip, ...]) -> Iterator[TileFinding]:
    """What is wrong with a tile, each with a legal one."""
    for found in judged(question, tile, chips):
        if isinstance(found, Finding):
            better, told = _better(question, found, tile, chips), _told(found.rule, found.fields, found.op.name)
        elif found.code == TILE_RULE:
            better, told = repaired(question, tile, lambda other: legal(question, other, chips)), found
        else:
            yield found
            continue
        call = "" if better is None else setter_text(better)
        yield replace(told, suggestion=call, tile=None if better is None else public(better))


def judged(question: Question, tile: Tile | None, chips: tuple[Chip, ...]) -> list[Finding | TileFinding]:
    """The same without legal tiles, which are found by asking again."""
    try:
        kernel, _ = question.recorded(tile)
    except PyptoError as refused:
        if refused.code != TILE_RULE:
            raise
        kernel, _ = question.recorded(None)
        return [*_about_chips(kernel, chips), _told(refused.rule, refused.fields, question.decl.name)]
    ops, uses = parts(kernel)
    found: list[Finding | TileFinding] = _about_chips(kernel, chips)
    for part in ops:
        found += (*find_tiles(part, chips, uses), *find_surplus(part))
    return _greatest(found) + [_told(many.rule, many.fields, many.op.name) for many in find_operation_count(kernel)]


def _greatest(found: list[Finding | TileFinding]) -> list[Finding | TileFinding]:
    """Of the parts of an operation that break one rule about one memory, the one that needs most."""
    kept: dict[object, Finding | TileFinding] = {}
    for each in found:
        key = (each.code, each.fields.get("memory"), each.fields.get("name")) if isinstance(each, Finding) else each
        other = kept.get(key)
        if isinstance(each, Finding) and isinstance(other, Finding):
            if each.fields.get("need", 0) <= other.fields.get("need", 0):
                continue
        kept[key] = each
    return list(kept.values())


def legal(question: Question, tile: Tile, chips: tuple[Chip, ...]) -> bool:
    """Whether nothing is found that another tile could mend."""
    return all(each.code in ABOUT_CHIPS for each in judged(question, tile, chips))


def _about_chips(kernel: Kernel, chips: tuple[Chip, ...]) -> list[Finding | TileFinding]:
    """Whether the chips have the operation at all."""
    told: list[PyptoError | PyptoWarning] = []
    with collect_warnings(quiet=True) as warned:
        try:
            Chips(chips[0].name if len(chips) == 1 else None).run(kernel)
        except PyptoError as refused:
            told.append(refused)
    return [_told(each.rule, each.fields, kernel.name) for each in (*warned, *told)]


def _better(question: Question, found: Finding, tile: Tile | None, chips: tuple[Chip, ...]) -> Tile | None:
    """A legal tile near one that is not; what an operation checks while it is recorded is asked again."""
    if found.code in NOT_ABOUT_SIZE:
        return None
    if found.code == SURPLUS:
        return tuple(map(int, found.fields["suggest"].split(", ")))
    kernel, _ = question.recorded(tile)
    ops, uses = parts(kernel)
    best = Suggestions(ops, chips, uses, find_tiles).tile(found)
    if best is None or not isinstance(best, tuple) or legal(question, best, chips):
        return best
    return repaired(question, best, lambda other: legal(question, other, chips)) or best


def _told(rule: Rule, fields: Mapping[str, Any], op: str) -> TileFinding:
    text = fill(rule.message.in_language(current_language()), fields)
    return TileFinding(rule.code, rule.severity, text, str(fields.get("formula", "")), op=op)


def public(tile: Tile) -> Any:
    """A tile as `check_tiles` and the setters take it."""
    if isinstance(tile, CubeTile):
        return list(tile.m), list(tile.k), list(tile.n), tile.split_k
    if isinstance(tile, ConvTile):
        return TileL1Info(*tile.l1), None if tile.l0 is None else TileL0Info(*tile.l0)
    return tile
