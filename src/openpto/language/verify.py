"""Prints and dumps of a verified call; in other calls they do nothing."""

from __future__ import annotations

import re
from typing import Any

from openpto.diagnostics import T, fail, user_boundary
from openpto.ir import expr as ex
from openpto.ir.expr import Expr
from openpto.ir.nodes import TileType
from openpto.ir.trace import Var, current
from openpto.ops import recording as rec
from openpto.ops.dtype_sets import INT32

from .device_settings import print_options
from .functions import to_ir
from .options import get_verify_options

DONE = TileType((1, 1), INT32)


@user_boundary()
def pass_verify_print(*values: Any, cond: Any = 1) -> None:
    """Print tensors, symbols and texts each time a verified kernel comes here and ``cond`` is not 0.

    A tensor is shown as far as it is valid, in the form of ``set_print_options``. The text also goes to
    ``interpreter.log``. Without ``enable_pass_verify`` nothing happens.
    """
    if not _verified():
        return
    given = [to_ir(v) for v in values]
    operands = [v for v in given if isinstance(v, (Var, Expr))]
    texts = tuple(None if isinstance(v, (Var, Expr)) else str(v) for v in given)
    shown = print_options()
    style = (shown.edgeitems, shown.precision, shown.threshold, shown.linewidth)
    rec.emit(
        "verify_print", operands, DONE, (1, 1), texts=texts, shown=style, cond=_condition("pass_verify_print", cond)
    )


@user_boundary()
def pass_verify_save(tensor: Any, fname: str, cond: Any = 1, **kwargs: Any) -> None:
    """Write a tensor to ``output/output_*/tensor/<fname>.data`` and ``.csv`` each time a verified kernel comes here and
    ``cond`` is not 0. ``$name`` in ``fname`` stands for the keyword ``name``, which may be a symbol.

    ``.data`` holds the valid region row-major, ``.csv`` the shape, the dtype and the numbers. Without
    ``enable_pass_verify`` nothing is written.

    Raises:
        KeyError: PTO480, a ``$name`` without its keyword. ValueError: PTO268, a name that leaves the directory.
    """
    name = _file_name(fname, kwargs)
    if not _verified():
        return
    source = rec.tensor("pass_verify_save", "tensor", to_ir(tensor))
    rec.emit("verify_save", [source], DONE, (1, 1), name=name, cond=_condition("pass_verify_save", cond))


def _verified() -> bool:
    return current() is not None and bool(get_verify_options().get("enable_pass_verify"))


def _condition(name: str, cond: Any) -> tuple[Any, ...]:
    value = rec.dim(name, "cond", to_ir(cond))
    return (ex.as_dim(value) if isinstance(value, Expr) else value,)


def _file_name(fname: object, values: dict[str, Any]) -> tuple[str | Expr, ...]:
    """The pieces of a file name: texts and symbols."""
    if not isinstance(fname, str):
        got = rec.type_name(fname)
        why = T(f"fname must be a str, got {got}", f"fname 必须是 str，但得到 {got}")
        fail("PTO222", op="pass_verify_save", why=why)
    if not fname or fname.startswith(".") or "/" in fname or "\\" in fname:
        why = T(
            f"fname must name a file in the directory of the run, got {fname!r}",
            f"fname 必须是运行目录中的文件名，但得到 {fname!r}",
        )
        fail("PTO268", op="pass_verify_save", why=why)
    pieces: list[str | Expr] = []
    for number, piece in enumerate(re.split(r"\$(\w+)", fname)):
        if number % 2 == 0:
            pieces.append(piece)
            continue
        if piece not in values:
            fail("PTO480", name=piece)
        value = to_ir(values[piece])
        pieces.append(value if isinstance(value, Expr) else str(value))
    return tuple(pieces)
