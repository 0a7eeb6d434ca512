"""What only some chips have.

Purpose: refuse operations and element types that the chosen platform lacks; without a platform, warn and name the chip
that is needed.
Precondition: a verified kernel. Postcondition: nothing is changed.
Non-goals: memories and tiles (tiles.py), types that no chip takes (refused when the operation is recorded).
"""

from __future__ import annotations

from openpto._records import dataclass
from openpto.checks.access import operations
from openpto.diagnostics import fail, warn
from openpto.ir.dtypes import DataType
from openpto.ir.enums import TopKAlgo, TransMode
from openpto.ir.nodes import Kernel, Op, Value
from openpto.ops import OPS
from openpto.ops.convert import EVERYWHERE

NEWEST = "950"
"""The chip that has everything the declarations mark as not available everywhere."""
OLDER = "910B"
"""A chip that has what the newest one has given up."""


@dataclass(frozen=True)
class Chips:
    """The pass; see the module's header. `platform` is the chip chosen by the user, None for any."""

    platform: str | None = None

    def run(self, kernel: Kernel) -> None:
        """Check one kernel. Raises PTO309; warns PTO308."""
        for op in operations(kernel.body):
            newest, older = _only_on_newest(op), _only_on_older(op)
            what, chip = newest or older, NEWEST if newest else OLDER
            if what is None or (self.platform is not None and (self.platform == NEWEST) == (newest is not None)):
                continue
            if self.platform is not None:
                fail("PTO309", site=op.site, what=what, platform=self.platform, chip=chip)
            warn("PTO308", site=op.site, what=what, chip=chip)


def _only_on_newest(op: Op) -> str | None:
    """The operation, or the operation on this element type, if only one chip has it."""
    decl = OPS.get(op.name)
    if decl is None:
        return None
    if decl.only_950:
        return op.name
    asked = OPS.get(op.site.asked)  # what the author wrote may be recorded as several
    if asked is not None and asked.only_950:
        return asked.name
    if op.name == "widened_codes":
        operand = op.operands[0]
        assert isinstance(operand, Value)
        return f"{op.site.asked} of {operand.type.dtype.name}"
    if op.attrs.get("algo") is TopKAlgo.RADIX_SELECT:
        return "topk with RADIX_SELECT"
    if op.name == "matmul" and (extra := _matmul_extra(op)) is not None:
        return extra
    if op.name == "cast":
        return _new_cast(op)
    first = next((operand for operand in op.operands if isinstance(operand, Value)), None)
    if first is not None and decl.dtypes is not None and first.type.dtype in decl.dtypes.only_950:
        return f"{op.name} of {first.type.dtype.name}"
    return None


def _only_on_older(op: Op) -> str | None:
    """Casts from and to INT4."""
    types = [value.type.dtype for value in (*op.operands, *op.results) if isinstance(value, Value)]
    if op.name == "cast" and DataType.DT_INT4 in types:
        return f"cast of {types[0].name} to {types[-1].name}"
    return None


def _matmul_extra(op: Op) -> str | None:
    """TF32 and a BF16 bias, besides the element types."""
    tiles = [operand for operand in op.operands if isinstance(operand, Value)]
    if op.attrs.get("trans_mode", TransMode.CAST_NONE) is not TransMode.CAST_NONE:
        return "matmul with trans_mode"
    if op.attrs.get("bias") and tiles[2].type.dtype is DataType.DT_BF16:
        return "matmul with a bias of DT_BF16"
    return None


def _new_cast(op: Op) -> str | None:
    """A pair of types that the older chips convert in several steps or not at all."""
    source, target = op.operands[0], op.results[0]
    assert isinstance(source, Value)
    assert isinstance(target, Value)
    first, second = source.type.dtype, target.type.dtype
    return None if second in EVERYWHERE.get(first, {}) else f"cast of {first.name} to {second.name}"
