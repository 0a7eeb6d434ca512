"""Padding and triangles: copies in which some elements take a constant."""

from __future__ import annotations

from typing import Any

import numpy as np

from openpto.diagnostics import T, fail
from openpto.ir import affine
from openpto.ir import expr as ex
from openpto.ir.nodes import Imm, TileType
from openpto.ir.trace import Var

from . import recording as rec
from .dtype_sets import BF16, F3, FP16, INT8, INT16, INT32, UINT8, UINT16, UINT32
from .registry import Composite, Dtypes, Named, Sample, op
from .samples import converted, integral, normal

PADDED = Dtypes(F3 | frozenset({INT8, INT16, INT32, UINT8, UINT16, UINT32}))
TRIANGULAR = Dtypes(F3 | frozenset({INT8, INT16, INT32}), frozenset({UINT16, UINT32}))


def fill_value(name: str, value: object, var: Var) -> Imm:
    """The constant beside a tensor, rounded to its dtype (PTO222: a float beside an integer tensor)."""
    dtype = var.type.dtype
    number = value.value if isinstance(value, Imm) else value
    if isinstance(number, float) and dtype not in F3:
        fail(
            "PTO222",
            op=name,
            why=T(
                f"value type mismatch: tensor dtype is {dtype.name} but value is float {number}",
                f"值的类型不符（value type mismatch: tensor dtype is {dtype.name} but value is float {number}）",
            ),
        )
    return rec.scalar(name, value, dtype)


def constant_mode(name: str, mode: object) -> None:
    """The only mode there is (PTO268)."""
    if mode != "constant":
        fail(
            "PTO268",
            op=name,
            why=T(
                f"{name}() knows the mode 'constant' only, got {mode!r}",
                f"{name}() 只支持 'constant' 模式，实际为 {mode!r}",
            ),
        )


@op(
    "pad",
    "S",
    arithmetic=Composite(("full", "assemble")),
    dtypes=PADDED,
    method=True,
    keywords={"x": "input", "padding": "pad"},
    samples=(
        Sample(
            "pypto.pad(x, [0, 8, 0, 4], value=-1.0)",
            {"x": normal(8, 16)},
            lambda x: np.pad(x, ((0, 4), (0, 8)), constant_values=-1.0),
            tile=(12, 24),
        ),
        Sample(
            "pypto.pad(x, [0, 3])", {"x": integral(5, dtype=np.uint8, low=0)}, lambda x: np.pad(x, (0, 3)), tile=(8,)
        ),
        Sample(
            'pypto.pad(x, [0, 8, 0, 0], "constant", float("-inf"))',
            {"x": converted(normal(2, 8, 16), BF16)},
            lambda x: np.concatenate([x, np.full((2, 8, 8), -np.inf)], -1),
            tile=(2, 8, 32),
            result=BF16,
        ),
    ),
)
def pad(input: Var, pad: list[int], mode: str = "constant", value: int | float = 0) -> Var:
    """Grow the last axes at their ends: ``pad`` is (0, right) for rank 1, else (0, right, 0, bottom).

    Shapes: rank 1-4, static; the valid extents grow by the same amounts, so ``value`` follows the valid elements.
    Dtypes: FP16, BF16, FP32, INT8, INT16, INT32, UINT8, UINT16, UINT32. ``value`` may be ±inf for floats.
    Errors: a pad on the left or at the top, a negative one, another number of them; a mode other than "constant"; a
    float beside an integer tensor.
    """
    var = rec.tile("pad", "input", input)
    right, bottom = _amounts(var.type.rank, rec.integers("pad", "pad", pad))
    constant_mode("pad", mode)
    content = fill_value("pad", value, var)
    growth = [0] * var.type.rank
    growth[-1] = right
    if var.type.rank > 1:
        growth[-2] = bottom
    shape = tuple(n + g for n, g in zip(rec.ints(var), growth, strict=True))
    valid = tuple(affine.simplify(ex.binary("add", v, g)) for v, g in zip(var.valid, growth, strict=True))
    result = rec.emit("full", [content], TileType(shape, var.type.dtype), valid, valid=valid)
    rec.emit_into("assemble", [var, result], result, offsets=(0,) * var.type.rank, parallel=False)
    return result


def _amounts(rank: int, pads: tuple[int, ...]) -> tuple[int, int]:
    """(right, bottom) (PTO268)."""
    wanted = 2 if rank == 1 else 4
    if len(pads) != wanted:
        fail(
            "PTO268",
            op="pad",
            why=T(
                f"pad has {len(pads)} numbers where a {rank}-D tensor takes {wanted}",
                f"pad 有 {len(pads)} 个数，而 {rank} 维张量需要 {wanted}",
            ),
        )
    if any(pads[0::2]):
        fail(
            "PTO268",
            op="pad",
            why=T(
                f"pad {list(pads)} grows the left or the top, which must stay: write 0 there",
                f"pad {list(pads)} 在左侧或上侧填充，而这两侧不能改变：请在相应位置写 0",
            ),
        )
    if min(pads) < 0:
        fail(
            "PTO268",
            op="pad",
            why=T(f"pad {list(pads)} is negative; use view to cut", f"pad {list(pads)} 含有负数；裁剪请使用 view"),
        )
    return pads[1], pads[3] if rank > 1 else 0


def triangle(name: str, input: object, diagonal: object) -> Var:
    """Record a triangle of the last two axes."""
    var = rec.tile(name, "input", input, ranks=(2, 5))
    return rec.emit(name, [var, ex.expr(rec.dim(name, "diagonal", diagonal))], var.type, var.valid)


@op(
    "tril",
    "S",
    arithmetic=Named("tril"),
    dtypes=TRIANGULAR,
    promoted=frozenset({BF16}),
    method=True,
    samples=(
        Sample("pypto.tril(x)", {"x": normal(8, 16)}, np.tril),
        Sample("pypto.tril(x, -2)", {"x": integral(2, 8, 16)}, lambda x: np.tril(x, -2), tile=(2, 8, 16)),
        Sample("pypto.tril(x, 3)", {"x": converted(normal(8, 16), FP16)}, lambda x: np.tril(x, 3), result=FP16),
    ),
)
def tril(input: Var, diagonal: Any = 0) -> Var:
    """The lower triangle: elements with column - row <= ``diagonal``, zeros elsewhere.

    Shapes: rank 2-5, the last two axes are the matrix; the result has the operand's shape and valid shape. ``diagonal``
    may be a symbol. ``x.tril_()`` does it in place.
    Dtypes: FP16, BF16, FP32, INT8, INT16, INT32 (UINT16, UINT32 on the 950).
    Errors: rank 1; a dtype outside this list.
    """
    return triangle("tril", input, diagonal)


@op(
    "triu",
    "S",
    arithmetic=Named("triu"),
    dtypes=TRIANGULAR,
    promoted=frozenset({BF16}),
    method=True,
    samples=(
        Sample("pypto.triu(x)", {"x": normal(8, 16)}, np.triu),
        Sample("pypto.triu(x, 2)", {"x": integral(2, 8, 16, dtype=np.int16)}, lambda x: np.triu(x, 2), tile=(2, 8, 16)),
        Sample("pypto.triu(x, -3)", {"x": converted(normal(8, 16), BF16)}, lambda x: np.triu(x, -3), result=BF16),
    ),
)
def triu(input: Var, diagonal: Any = 0) -> Var:
    """The upper triangle: elements with column - row >= ``diagonal``, zeros elsewhere.

    Shapes: rank 2-5, the last two axes are the matrix; the result has the operand's shape and valid shape. ``diagonal``
    may be a symbol. ``x.triu_()`` does it in place.
    Dtypes: FP16, BF16, FP32, INT8, INT16, INT32 (UINT16, UINT32 on the 950).
    Errors: rank 1; a dtype outside this list.
    """
    return triangle("triu", input, diagonal)
