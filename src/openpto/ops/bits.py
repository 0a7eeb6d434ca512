"""Bitwise operations and shifts of integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from openpto.diagnostics import T, fail
from openpto.ir.nodes import Imm
from openpto.ir.trace import Var

from . import arith
from . import recording as rec
from .binary import beside, binary, binary_samples, no_tensor
from .dtype_sets import BOOL, INT8, INT16, INT32, UINT8, UINT16, UINT32
from .registry import Array, Builder, Dtypes, Pointwise, Sample, op
from .samples import truth
from .typed_samples import any_values

WORDS = frozenset({INT8, INT16, INT32, UINT8, UINT16, UINT32})
BITWISE = Dtypes(WORDS)
INVERTED = Dtypes(WORDS | {BOOL})
SHIFTED = Dtypes(frozenset({INT16, UINT16}), frozenset({INT8, INT32, UINT8, UINT32}))

_DOC = """{summary}

Shapes: broadcast like numpy, rank 1-4; valid extents are the least of the operands that have the full extent.
Dtypes: INT8, UINT8, INT16, UINT16, INT32, UINT32, both the same; an int scalar keeps its low bits.
Errors: a scalar that is no int; different dtypes; shapes that do not broadcast.
"""


def _whole(name: str, value: object) -> None:
    """Scalars of these operations are ints (PTO222)."""
    number = value.value if isinstance(value, Imm) else value
    if isinstance(number, float):
        fail(
            "PTO222",
            op=name,
            why=T(
                f"Scalar operand for {name} must be an integer, got {number}",
                f"标量必须为整数（Scalar operand for {name} must be an integer, got {number}）",
            ),
        )


def bitwise(name: str, summary: str, build: Builder, golden: Any, keywords: dict[str, str]) -> None:
    """Declare one operation of two operands."""

    def record(input: Var, other: Var | int) -> Var:
        _whole(name, other)
        return binary(name, input, other)

    record.__doc__ = _DOC.format(summary=summary)
    op(
        name,
        "C",
        arithmetic=Pointwise(int=build),
        dtypes=BITWISE,
        keywords=keywords,
        samples=(
            *binary_samples(f"pypto.{name}(x, y)", BITWISE, golden),
            Sample(f"pypto.{name}(x, 21)", {"x": any_values(INT16)}, lambda x: golden(x, np.int16(21))),
        ),
    )(record)


bitwise("bitwise_and", "``x & y``, element by element.", lambda x, y: x & y, np.bitwise_and, {"self": "input"})
bitwise(
    "bitwise_or",
    "``x | y``, element by element.",
    lambda x, y: x | y,
    np.bitwise_or,
    {"input1": "input", "input2": "other"},
)
bitwise(
    "bitwise_xor",
    "``x ^ y``, element by element.",
    lambda x, y: x ^ y,
    np.bitwise_xor,
    {"first": "input", "second": "other"},
)


@op(
    "bitwise_not",
    "C",
    arithmetic=Pointwise(int=lambda x: ~x, bool=lambda x: ~x),
    dtypes=INVERTED,
    keywords={"self": "input"},
    samples=(
        *(Sample("pypto.bitwise_not(x)", {"x": any_values(dtype)}, np.invert) for dtype in sorted(WORDS)),
        Sample("pypto.bitwise_not(x)", {"x": truth(8, 16)}, np.logical_not),
    ),
)
def bitwise_not(input: Var) -> Var:
    """``~x``, element by element; of BOOL the logical negation.

    Shapes: any of rank 1-4; the result has the operand's shape, dtype and valid shape.
    Dtypes: INT8, UINT8, INT16, UINT16, INT32, UINT32, BOOL.
    Errors: a dtype outside this list; a dynamic, NZ or empty operand.
    """
    return rec.pointwise("bitwise_not", [rec.tile("bitwise_not", "input", input)])


# Shifts

_SHIFT_DOC = """{summary}

Shapes: broadcast like numpy, rank 1-4; valid extents are the least of the operands that have the full extent.
Dtypes: INT16, UINT16 (INT8, UINT8, INT32, UINT32 on the 950), both the same; either operand may be an int.
An amount that is negative or not below the number of bits shifts everything out: {out}.
Errors: two scalars; a scalar that is no int; different dtypes; shapes that do not broadcast.
"""


def _shifted(x: Array, y: Array, *, left: bool) -> Array:
    """Golden: exact on Python integers of any size."""
    bits = 8 * x.dtype.itemsize
    amount = np.where((y < 0) | (y.astype(object) >= bits), bits, y).astype(object)
    wide = x.astype(object)
    exact = wide * 2**amount if left else wide // 2**amount
    result: Array = np.mod(exact, 2**bits).astype(np.uint64).astype(x.dtype)
    return result


def shift(name: str, summary: str, out: str, build: Builder) -> None:
    """Declare one shift."""
    left = name == "bitwise_left_shift"

    def record(input: Var | int, other: Var | int) -> Var:
        for value in (input, other):
            _whole(name, value)
        if isinstance(input, Var):
            first = rec.tile(name, "input", input)
            return rec.pointwise(name, [first, _amount(name, other, first)])
        if not isinstance(other, Var):
            no_tensor(name)
        amounts = rec.tile(name, "other", other)
        return rec.pointwise(name, [beside(name, input, amounts, strict=True), amounts])

    record.__doc__ = _SHIFT_DOC.format(summary=summary, out=out)
    op(
        name,
        "C",
        arithmetic=Pointwise(int=build),
        dtypes=SHIFTED,
        samples=(
            *binary_samples(f"pypto.{name}(x, y)", SHIFTED, lambda x, y: _shifted(x, y, left=left)),
            Sample(
                f"pypto.{name}(x, 3)",
                {"x": any_values(INT16)},
                lambda x: _shifted(x, np.int16(3) + 0 * x, left=left),
            ),
            Sample(
                f"pypto.{name}(100, x)",
                {"x": any_values(INT16)},
                lambda x: _shifted(np.int16(100) + 0 * x, x, left=left),
            ),
        ),
    )(record)


def _amount(name: str, value: object, first: Var) -> Var | Imm:
    """A shift amount; an int that the dtype cannot hold stays out of range."""
    bits = arith.width(first.type.dtype)
    if isinstance(value, int) and not 0 <= value < bits:
        return rec.rounded(bits, first.type.dtype)
    return beside(name, value, first, strict=True)


shift("bitwise_left_shift", "``x << y``, element by element.", "0", lambda x, y: x << y)
shift(
    "bitwise_right_shift",
    "``x >> y``, element by element; arithmetic for signed types.",
    "0, or -1 for negative x",
    lambda x, y: x >> y,
)
