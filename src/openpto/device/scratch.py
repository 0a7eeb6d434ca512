"""Scratch space of vector operations in UB, in bytes.

Purpose: what an operation needs beside its operands and results, so that a tile that is accepted here fits on a device.
Sources: where the largest tile that compiles has been measured (A2 and A3), the figure reproduces that measurement;
elsewhere it is what the compiler is known to reserve, else the formula that the documentation of the operation gives.
The last kind counts the operands too, and is therefore a total. Where a formula asks for more than the compiler
reserves, it is kept apart: a tile between the two is worth a warning and no refusal.
Non-goals: operations that spill to global memory by themselves (merge sorts), chains (an operation is judged alone).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

from openpto._records import dataclass
from openpto.device.capacity import BLOCK, align

FP32_BYTES = 4
COMPARISON = 12800
"""Masks and constants that a comparison keeps: 12.5 KiB."""


@dataclass(frozen=True, slots=True)
class VectorUse:
    """One operation on one tile.

    shape         the piece it works on, in elements; of the first operand for reductions
    itemsize      bytes per element of its first tensor operand; of the result of `where`
    integer       whether that is an integer type
    axis          the axis of a reduction or search
    moves_last    whether a permutation moves the last axis
    scalar_first  whether the first operand is a scalar
    exponent      of a power with a known exponent
    radix         whether a selection works digit by digit
    wraps         bytes per element of the INT16 or INT8 that a cast wraps around to; 0 for everything else
    newest        whether the chip is the 950
    """

    name: str
    shape: tuple[int, ...]
    itemsize: int
    integer: bool = False
    axis: int | None = None
    moves_last: bool = False
    scalar_first: bool = False
    exponent: float | None = None
    radix: bool = False
    wraps: int = 0
    newest: bool = False

    @property
    def last(self) -> int:
        """Elements of a row."""
        return self.shape[-1] if self.shape else 1

    @property
    def rows(self) -> int:
        """Rows of the last axis."""
        return prod(self.shape[:-1])

    @property
    def lines(self) -> int:
        """Rows of the last two axes."""
        return self.shape[-2] if len(self.shape) > 1 else 1

    @property
    def extent(self) -> int:
        """Elements along the axis that is folded."""
        return 1 if self.axis is None else self.shape[self.axis]

    @property
    def bytes(self) -> int:
        """The tile of the first operand, rows padded."""
        return self.rows * align(self.last * self.itemsize, BLOCK)

    def singles(self, count: float, step: int = 8) -> int:
        """`count` tiles of FP32, rows padded to `step` elements."""
        return int(count * self.rows * align(self.last, step) * FP32_BYTES)


Formula = Callable[[VectorUse], int]


# Space beside operands and results


def _fold(use: VectorUse) -> int:
    """A reduction along the last axis keeps partial rows; along another one a sum keeps half of the rows."""
    if use.axis is not None and use.axis != len(use.shape) - 1:
        if use.name != "sum":
            return 0
        inner = prod(use.shape[use.axis + 1 : -1])
        return -(-use.shape[use.axis] // 2) * inner * align(use.last, 8) * FP32_BYTES
    if use.last <= 64:
        return BLOCK
    kept = 64 if use.last <= 128 else use.last * FP32_BYTES // 256 // 2 * 64
    return use.rows * kept * FP32_BYTES


def _transposed(use: VectorUse) -> int:
    if not use.moves_last or len(use.shape) < 2:
        return 0
    rows = align(use.shape[-2], 32 if use.itemsize == 1 else 16)
    return prod(use.shape[:-2]) * rows * align(use.last * use.itemsize, BLOCK)


PRODUCTS = frozenset({0.0, 1.0, 2.0, 3.0, -1.0, -2.0, 0.5, -0.5})
"""Exponents that are computed by products, quotients and roots."""


def _power(use: VectorUse) -> int:
    if use.integer:
        return use.singles(1)
    if use.exponent is None:
        return use.singles(1 if use.newest else 2)
    return 0 if use.exponent in PRODUCTS else _exponential(use)


def _exponential(use: VectorUse) -> int:
    return use.singles(1 if use.newest else 2.375)


def _search(use: VectorUse) -> int:
    """A search keeps the values beside the positions, a block for each row."""
    return _fold(use) + (use.rows * BLOCK if use.axis in (None, len(use.shape) - 1) else use.bytes // use.extent)


def _workspace(use: VectorUse) -> int:
    """INT32 for the last two axes."""
    return use.lines * align(use.last, 8) * FP32_BYTES


def _tangent(use: VectorUse) -> int:
    return use.singles(2 if use.itemsize == FP32_BYTES else 4)


def _selection(use: VectorUse) -> int:
    return 26 * use.rows * align(use.last, 128) if use.radix else 0


SCRATCH: Mapping[str, Formula] = {
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge"), lambda use: COMPARISON),
    **dict.fromkeys(("sum", "amax", "amin", "prod"), _fold),
    **dict.fromkeys(("argmax", "argmin"), _search),
    **dict.fromkeys(("rsqrt", "reciprocal", "bitwise_xor", "copysign", "cumsum", "cumprod"), lambda use: use.bytes),
    **dict.fromkeys(("sin", "cos"), lambda use: use.singles(2)),
    **dict.fromkeys(("topk", "topk_indices"), _selection),
    "sign": lambda use: BLOCK,
    "expm1": lambda use: align(use.last * FP32_BYTES, BLOCK),
    "round": lambda use: use.bytes + BLOCK,
    "log1p": lambda use: use.singles(1.25) + COMPARISON,
    "isfinite": lambda use: 2 * use.rows * align(use.last, 32),
    "logical_and": lambda use: 1216,
    "where": lambda use: 4256 + 2048 * use.itemsize,
    "prelu": lambda use: 8192 + align(use.last, 8) // 8,
    "div": lambda use: use.bytes if use.scalar_first else 0,
    "pow": _power,
    "exp2": _exponential,
    "permute": _transposed,
    **dict.fromkeys(("quantize", "dequantize"), _workspace),
    "floor_div": lambda use: use.singles(6),
    "atan2": lambda use: use.singles(4),
    "atan": lambda use: use.singles(3),
    "erf": lambda use: use.singles(3),
    "tanh": _tangent,
    "atanh": lambda use: use.singles(5),
    "tan": lambda use: use.singles(9),
    "remainder": lambda use: 2 * align(use.last * FP32_BYTES, BLOCK),
    "hypot": lambda use: 2 * align(use.last * FP32_BYTES, BLOCK),
}
"""Bytes beside operands and results."""


# Totals


def _hyperbolic(use: VectorUse) -> int:
    """sinh and asinh: five tiles, and one whose second-last axis is longer."""
    groups = align(use.last, 8) // 8
    longer = use.lines + -(-8 // groups) - 1
    outer = prod(use.shape[:-2])
    return (outer * longer + 5 * use.rows) * align(use.last, 8) * FP32_BYTES


def _tanh(use: VectorUse) -> int:
    wide = align(use.last, 8)
    kept = 2 if use.itemsize == FP32_BYTES else 4
    return 2 * use.bytes + kept * wide * use.lines * FP32_BYTES + wide // 8 * use.lines + BLOCK + 1


def _negation(use: VectorUse) -> int:
    """logical_not; of one-byte types the output takes the place of the input."""
    count = use.rows * use.last
    if use.itemsize == 1:
        return use.bytes + COMPARISON
    if use.integer:
        return count * (use.itemsize + 1) + use.itemsize * 2048 + 1
    return count * (use.itemsize + 1) + (20736 if use.itemsize == FP32_BYTES else 12841) + 1


def _is_nan(use: VectorUse) -> int:
    return use.rows * use.last * use.itemsize + 3 * use.lines * use.last * FP32_BYTES + BLOCK + 1


def _wrapping(use: VectorUse) -> int:
    """INT32 beside source and result of a cast; the tile from FP16 to INT8 that was measured has no room for it."""
    if not use.wraps or use.newest:
        return 0
    result = 0 if use.wraps == use.itemsize else use.rows * align(use.last * use.wraps, BLOCK)
    return use.bytes + result + min(use.lines, 255) * align(use.last + 64, 8) * FP32_BYTES


TOTAL: Mapping[str, Formula] = {
    **dict.fromkeys(("acos", "asin"), lambda use: use.singles(6, 64)),
    **dict.fromkeys(("sinh", "asinh"), _hyperbolic),
    "acosh": lambda use: use.singles(5),
    "cosh": lambda use: use.singles(3),
    "cbrt": lambda use: 4 * use.bytes,
    "erfc": lambda use: use.singles(5, 1) + 1,
    "signbit": lambda use: use.rows * use.last * (use.itemsize + 3) + 1,
    "isnan": _is_nan,
    "logical_not": _negation,
}
"""Bytes with operands and results; where the documentation says "less than UB", one more."""

REDUCTION_TILE = 64 * 1024
"""What the documentation allows for the tile of a reduction; 80 KiB were seen to compile."""


def _sorted(use: VectorUse) -> int:
    """Values, and beside them pairs of value and position, 8 bytes each; 32 elements are sorted at a time."""
    return 0 if use.radix else use.bytes + 8 * use.rows * align(use.last, 32)


DOUBTED: Mapping[str, Formula] = {
    **dict.fromkeys(("atan", "erf"), lambda use: use.singles(5, 1) + 1),
    "atan2": lambda use: use.singles(7, 1) + 1,
    "tanh": _tanh,
    "cast": _wrapping,
    **dict.fromkeys(("topk", "topk_indices"), _sorted),
}
"""Totals of the documentation beyond what the compiler reserves, or, of `topk`, beyond what was measured."""


DIFFERENT = frozenset({"pow", "exp2", "cast"})
"""Operations whose figures depend on the chip (`newest`)."""


# Asking


def scratch_bytes(use: VectorUse) -> int:
    """What the operation needs beside its operands and results.

    >>> scratch_bytes(VectorUse("sin", (64, 256), 4)) == 2 * 64 * 1024
    True
    """
    formula = SCRATCH.get(use.name)
    return 0 if formula is None else formula(use)


def least_bytes(use: VectorUse) -> int:
    """What the documentation asks for in total; 0 where it asks for nothing of its own.

    >>> least_bytes(VectorUse("cosh", (8, 16), 4)) == 3 * 8 * 16 * 4
    True
    """
    formula = TOTAL.get(use.name)
    return 0 if formula is None else formula(use)


def documented_bytes(use: VectorUse) -> int:
    """A total of the documentation that compilers were not seen to ask for; 0 where there is none.

    >>> documented_bytes(VectorUse("atan2", (8, 16), 4)) == 7 * 8 * 16 * 4 + 1
    True
    """
    formula = DOUBTED.get(use.name)
    return 0 if formula is None else formula(use)
