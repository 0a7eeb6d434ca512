"""Loops and conditions as the author writes them; the front end gives them their meaning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from openpto._records import dataclass
from openpto.diagnostics import fail, portability, user_boundary, warn
from openpto.ir import affine
from openpto.ir import expr as ex
from openpto.ir.expr import Expr

from .symbolic import LoopInfo, SymbolicScalar, SymInt, to_expr


@dataclass(frozen=True, slots=True)
class LoopRange:
    """What ``pypto.loop`` returns: the iterator of a ``for`` in a kernel.

    ``pairs`` marks ``loop_unroll``, whose body gets (index, k). ``unroll`` is in descending order.
    """

    start: Expr
    stop: Expr
    step: Expr
    name: str | None
    idx_name: str | None
    unroll: tuple[int, ...]
    submit_before_loop: bool
    parallel: bool
    pairs: bool

    def __iter__(self) -> Iterator[Any]:
        fail("PTO210", name="pypto.loop_unroll" if self.pairs else "pypto.loop")


@user_boundary()
def loop(
    *bounds: SymInt,
    name: str | None = None,
    idx_name: str | None = None,
    unroll_list: Any = None,
    submit_before_loop: bool = False,
    parallel: bool = False,
    **other: Any,
) -> LoopRange:
    """``for i in pypto.loop(stop)``, ``loop(start, stop)``, ``loop(start, stop, step)``: run-time iterations in order.

    Args:
        bounds: ints or SymbolicScalars, evaluated once.
        name, idx_name: names for messages.
        unroll_list, submit_before_loop: scheduling on a device; they never change a result.
        parallel: the author states that iterations are independent; a violation is an error.

    Raises:
        TypeError: not 1 to 3 positional arguments.
        ValueError: a bound that is no integer ("Invalid value type"), step 0, unroll factor below 1.
    """
    return _range("loop", bounds, name, idx_name, unroll_list, submit_before_loop, parallel, other, pairs=False)


@user_boundary()
def loop_unroll(
    *bounds: SymInt,
    unroll_list: Any = None,
    name: str | None = None,
    idx_name: str | None = None,
    submit_before_loop: bool = False,
    parallel: bool = False,
    **other: Any,
) -> LoopRange:
    """``for i, k in pypto.loop_unroll(start, stop, step, unroll_list=[4, 1])``: the body does k steps itself.

    ``k`` is a Python int; factor 1 is always added. Arguments and errors as for :func:`loop`.
    """
    return _range("loop_unroll", bounds, name, idx_name, unroll_list, submit_before_loop, parallel, other, pairs=True)


def _range(
    call: str,
    bounds: tuple[SymInt, ...],
    name: str | None,
    idx_name: str | None,
    unroll_list: Any,
    submit: bool,
    parallel: bool,
    other: dict[str, Any],
    *,
    pairs: bool,
) -> LoopRange:
    if not 1 <= len(bounds) <= 3:
        fail("PTO208", call=call, count=len(bounds), extra=_keyword_bounds(other))
    for key in other:
        warn("PTO214", call=call, key=key)
    values = [to_expr(b) for b in bounds]
    if len(values) == 1:
        values.insert(0, ex.const(0))
    if len(values) == 2:
        values.append(ex.const(1))
    start, stop, step = values
    if step.concrete() == 0:
        fail("PTO211", call=call)
    factors = _factors(unroll_list, pairs=pairs)
    if unroll_list and not pairs:
        _check_smallest(unroll_list, start, stop, step)
    return LoopRange(start, stop, step, name, idx_name, factors, bool(submit), bool(parallel), pairs)


def _keyword_bounds(other: dict[str, Any]) -> str:
    named = [key for key in ("start", "stop", "step") if key in other]
    return f" ({', '.join(named)} must be positional)" if named else ""


def _check_smallest(unroll_list: Any, start: Expr, stop: Expr, step: Expr) -> None:
    """Report a list whose smallest factor may not divide the number of iterations (PTO672)."""
    given = sorted((to_expr(factor).concrete() or 1 for factor in unroll_list), reverse=True)
    low, high, by = start.concrete(), stop.concrete(), step.concrete()
    known = low is not None and high is not None and by is not None
    if given[-1] == 1 or (known and len(range(low, high, by)) % given[-1] == 0):  # type: ignore[arg-type]
        return
    portability("PTO672", smallest=given[-1], suggest=[*given, 1])


def _factors(unroll_list: Any, *, pairs: bool) -> tuple[int, ...]:
    """Unroll factors in descending order, 1 always among them if any were given (or for ``loop_unroll``)."""
    if unroll_list is None:
        return (1,) if pairs else ()
    if not isinstance(unroll_list, (list, tuple, set, frozenset)):
        fail("PTO215", got=type(unroll_list).__name__)
    factors = {1}
    for factor in unroll_list:
        value = to_expr(factor).concrete()
        if value is None or value < 1:
            fail("PTO212", factor=factor)
        factors.add(value)
    return tuple(sorted(factors, reverse=True))


@user_boundary()
def cond(expr: Any, file: str | None = None, lineno: int | None = None) -> Any:
    """Mark a condition: ``if pypto.cond(expr):``. Returns ``expr``.

    Raises:
        ValueError: only one of ``file`` and ``lineno`` is given.
    """
    if (file is None) != (lineno is None):
        fail("PTO213", given="file" if lineno is None else "lineno")
    return expr


@user_boundary()
def is_loop_begin(index: SymbolicScalar) -> SymbolicScalar:
    """Whether this is the first iteration of the loop that ``index`` belongs to; usable in any expression.

    Raises:
        ValueError: ``index`` is not a loop variable ("not loop index").
    """
    info = _info(index)
    if info.first is not None:
        return SymbolicScalar.of(int(info.first))
    gap = affine.difference(index.expr, info.start)
    if gap is not None:
        return SymbolicScalar.of(int(gap == 0))
    return SymbolicScalar.of(ex.loop_begin(index.expr, info.start))


@user_boundary()
def is_loop_end(index: SymbolicScalar) -> SymbolicScalar:
    """Whether this is the last iteration of the loop that ``index`` belongs to; usable in any expression.

    Raises:
        ValueError: ``index`` is not a loop variable ("not loop index").
    """
    info = _info(index)
    step = info.step.concrete()
    if step is not None:
        following = ex.binary("add", index.expr, step)
        gap = affine.difference(following, info.stop)
        if gap is not None:
            return SymbolicScalar.of(int(gap >= 0 if step > 0 else gap <= 0))
    return SymbolicScalar.of(ex.loop_end(index.expr, info.start, info.stop, info.step))


def _info(index: object) -> LoopInfo:
    if isinstance(index, SymbolicScalar) and index.loop is not None:
        return index.loop
    _not_index(index)


def _not_index(index: object) -> NoReturn:
    shown = str(index) if isinstance(index, SymbolicScalar) else f"{index!r} of type {type(index).__name__}"
    fail("PTO209", got=shown[:60])
