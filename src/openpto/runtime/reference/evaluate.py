"""Evaluation of scalar expressions over numpy arrays, with the same bits on every CPU.

Only those numpy operations are used whose result IEEE 754 or integer arithmetic fixes: add, sub, mul, div, sqrt,
comparisons, rounding to integral values, bit operations, views and in-range conversions. numpy's transcendentals,
float ``maximum``/``minimum`` and out-of-range ``astype`` vary with the CPU and are not.

An expression becomes a linear program once. Arrays are walked in blocks that stay in the cache; temporaries go back
to a pool as soon as their last reader has run.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from openpto._forks import opened_in_child
from openpto._records import dataclass
from openpto.ir.dtypes import DataType, numpy_dtype
from openpto.ops import arith
from openpto.ops.arith import Expr, Op

from .convert import convert_array
from .fma import round_sum

Array = NDArray[Any]
BLOCK = 16384  # elements; about ten live FP32 temporaries then fit into a megabyte


def evaluate(expr: Expr, inputs: Sequence[ArrayLike], out: Array | None = None) -> Array:
    """The value of ``expr`` for every element.

    Args:
        expr: an expression over operands ``x0, x1, ...``.
        inputs: one array or scalar per operand; shapes broadcast as in numpy. An array must have exactly the host
            type of its operand; Python scalars are converted to it.
        out: receives the result if given; may be one of the inputs, but not overlap one in another way.

    Returns:
        ``out``, or a new array of the broadcast shape.

    Raises:
        TypeError: an input has another element type than the operand.
    """
    program = _program(expr)
    # Trailing operands that the expression does not use still take part in the shape.
    operands = program.operands + (None,) * (len(inputs) - len(program.operands))
    arrays = [_input(value, dtype) for value, dtype in zip(inputs, operands, strict=True)]
    shape = _common_shape(arrays)
    fresh = out is None
    if out is None:
        out = np.empty(shape, numpy_dtype(expr.dtype))
    elif out.dtype != numpy_dtype(expr.dtype) or out.shape != shape:
        raise TypeError(f"out must be {expr.dtype.short}{list(shape)}, not {out.dtype}{list(out.shape)}")
    fresh = fresh or not any(np.may_share_memory(out, a) for a in arrays)
    pool = _Pool()
    with np.errstate(all="ignore"):
        if out.size <= BLOCK:
            program.run(arrays, out, pool, fresh)
            return out
        spread = [a if a.ndim == 0 else np.broadcast_to(a, shape) for a in arrays]
        for block in _blocks(shape):
            program.run([a if a.ndim == 0 else a[block] for a in spread], out[block], pool, fresh)
    return out


def _common_shape(arrays: Sequence[Array]) -> tuple[int, ...]:
    shapes = {a.shape for a in arrays}
    return shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*shapes)


def _input(value: ArrayLike, dtype: DataType | None) -> Array:
    if dtype is None:  # an operand the expression does not use
        return np.asarray(value)
    wanted = numpy_dtype(dtype)
    if isinstance(value, (bool, int, float)):
        return np.asarray(value, dtype=wanted)
    array = np.asarray(value)
    if array.dtype != wanted:
        raise TypeError(f"operand has element type {array.dtype}, expected {wanted}")
    return array


def _blocks(shape: tuple[int, ...]) -> Iterator[tuple[Any, ...]]:
    """Index tuples that cut a ``shape`` of more than BLOCK elements into boxes of at most BLOCK, in row-major order."""
    axis, inner = len(shape) - 1, 1
    while inner * shape[axis] <= BLOCK:
        inner *= shape[axis]
        axis -= 1
    step = max(1, BLOCK // inner)
    for outer in np.ndindex(*shape[:axis]):
        for start in range(0, shape[axis], step):
            yield (*outer, slice(start, start + step))


class _Pool:
    """Arrays that no value uses any more, by type and shape."""

    def __init__(self) -> None:
        self._free: dict[tuple[np.dtype[Any], tuple[int, ...]], list[Array]] = {}

    def take(self, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
        free = self._free.get((dtype, shape))
        return free.pop() if free else np.empty(shape, dtype)

    def give(self, array: Array) -> None:
        self._free.setdefault((array.dtype, array.shape), []).append(array)


Kernel = Callable[[Sequence[Array], Array, _Pool], None]


@dataclass(frozen=True)
class _Step:
    """Computes slot ``target`` from slots ``sources``; then the buffers of slots ``dead`` are free."""

    kernel: Kernel | None  # None: a view of the source's bits
    dtype: np.dtype[Any]
    target: int
    sources: tuple[int, ...]
    dead: tuple[int, ...]


@dataclass(frozen=True)
class _Program:
    operands: tuple[DataType | None, ...]
    inputs: tuple[tuple[int, int], ...]  # (slot, operand number)
    constants: tuple[tuple[int, Array], ...]
    steps: tuple[_Step, ...]
    slots: int
    result: int

    def run(self, arrays: Sequence[Array], out: Array, pool: _Pool, fresh: bool) -> None:
        """Evaluate one block; ``fresh``: ``out`` shares no memory with the inputs."""
        values: list[Any] = [None] * self.slots
        for slot, number in self.inputs:
            values[slot] = arrays[number]
        for slot, value in self.constants:
            values[slot] = value
        shape = out.shape
        for step in self.steps:
            sources = [values[s] for s in step.sources]
            if step.kernel is None:
                values[step.target] = sources[0].view(step.dtype)
            else:
                direct = fresh and step.target == self.result
                target = out if direct else pool.take(step.dtype, shape)
                step.kernel(sources, target, pool)
                values[step.target] = target
            for slot in step.dead:
                pool.give(values[slot])
                values[slot] = None
        if values[self.result] is not out:
            np.copyto(out, values[self.result])


_programs: weakref.WeakKeyDictionary[Expr, _Program] = weakref.WeakKeyDictionary()
_lock = opened_in_child(threading.Lock())


def _program(expr: Expr) -> _Program:
    with _lock:
        found = _programs.get(expr)
    if found is None:
        found = _compile(expr)
        with _lock:
            _programs[expr] = found
    return found


def _sources(node: Expr) -> tuple[Expr, ...]:
    """Operands of the step for ``node``; those of FMA are widened, so that one widening serves several readers."""
    if node.op is Op.FMA:
        return tuple(_widened(a) for a in node.args)
    return node.args


def _widened(node: Expr) -> Expr:
    if node.op is Op.CONST:
        return arith.const(arith.const_value(node), arith.F64)
    return arith.convert(node, arith.F64)


def _compile(root: Expr) -> _Program:
    order = list(arith.postorder(root, _sources))
    slot = {node: i for i, node in enumerate(order)}
    # A BITCAST shares its operand's buffer, which is free after the last reader of either.
    owner: dict[Expr, Expr] = {}
    last: dict[Expr, int] = {}
    for i, node in enumerate(order):
        owner[node] = owner[node.args[0]] if node.op is Op.BITCAST else node
        for source in _sources(node):
            last[owner[source]] = i
    last[owner[root]] = len(order)
    dead: dict[int, list[int]] = {}
    for node, i in last.items():
        if node.args:
            dead.setdefault(i, []).append(slot[node])

    steps = []
    for i, node in enumerate(order):
        if not node.args:
            continue
        kernel = None if node.op is Op.BITCAST else _kernel(node)
        sources = tuple(slot[s] for s in _sources(node))
        steps.append(_Step(kernel, numpy_dtype(node.dtype), i, sources, tuple(dead.get(i, ()))))
    variables = [(slot[n], int(n.attr or 0), n.dtype) for n in order if n.op is Op.VAR]
    operands: list[DataType | None] = [None] * (1 + max((number for _, number, _ in variables), default=-1))
    for _, number, dtype in variables:
        operands[number] = dtype
    constants = tuple((slot[n], _constant(n)) for n in order if n.op is Op.CONST)
    return _Program(
        tuple(operands), tuple((s, n) for s, n, _ in variables), constants, tuple(steps), len(order), slot[root]
    )


def _constant(node: Expr) -> Array:
    dtype = numpy_dtype(node.dtype)
    assert node.attr is not None
    return np.array(int(node.attr), dtype=f"u{dtype.itemsize}").view(dtype)


# Kernels: the numpy code of each primitive. All write their whole target.


def _ufunc(function: Any) -> Kernel:
    def kernel(sources: Sequence[Array], out: Array, pool: _Pool) -> None:
        function(*sources, out=out)

    return kernel


def _select(sources: Sequence[Array], out: Array, pool: _Pool) -> None:
    condition, x, y = sources
    np.copyto(out, y)
    np.copyto(out, x, where=condition)


_FMA_SCRATCH = tuple(np.dtype(t) for t in (np.float64, np.float64, np.uint64, np.float32, np.bool_))


def _fma(sources: Sequence[Array], out: Array, pool: _Pool) -> None:
    a, b, c = sources
    product, total, bits, magnitude, flag = taken = [pool.take(dtype, out.shape) for dtype in _FMA_SCRATCH]
    np.multiply(a, b, out=product)
    np.add(product, c, out=total)
    round_sum(product, np.broadcast_to(c, out.shape), total, out, (bits, magnitude, flag))
    for array in taken:
        pool.give(array)


def _float_extreme(greater: bool) -> Kernel:
    compare = np.greater if greater else np.less
    # Equal operands differ at most in the sign of zero: AND clears it, OR sets it.
    merge = np.bitwise_and if greater else np.bitwise_or

    def kernel(sources: Sequence[Array], out: Array, pool: _Pool) -> None:
        x, y = sources
        flag = pool.take(np.dtype(np.bool_), out.shape)
        bits = np.dtype(f"u{out.dtype.itemsize}")
        np.copyto(out, y)
        compare(x, y, out=flag)
        np.copyto(out, x, where=flag)
        np.equal(x, y, out=flag)
        merge(x.view(bits), y.view(bits), out=out.view(bits), where=flag)
        np.not_equal(x, x, out=flag)
        np.copyto(out, x, where=flag)
        pool.give(flag)

    return kernel


def _convert(target: DataType, saturate: bool) -> Kernel:
    def kernel(sources: Sequence[Array], out: Array, pool: _Pool) -> None:
        convert_array(sources[0], out, saturate)

    return kernel


def _logical_shift_right(sources: Sequence[Array], out: Array, pool: _Pool) -> None:
    bits = np.dtype(f"u{out.dtype.itemsize}")
    np.right_shift(sources[0].view(bits), sources[1].view(bits), out=out.view(bits))


_UFUNCS: dict[Op, Any] = {
    Op.ADD: np.add, Op.SUB: np.subtract, Op.MUL: np.multiply, Op.DIV: np.divide, Op.SQRT: np.sqrt,
    Op.NEG: np.negative, Op.ABS: np.absolute,
    Op.RINT: np.rint, Op.FLOOR: np.floor, Op.CEIL: np.ceil, Op.TRUNC: np.trunc,
    Op.EQ: np.equal, Op.NE: np.not_equal, Op.LT: np.less, Op.LE: np.less_equal,
    Op.GT: np.greater, Op.GE: np.greater_equal,
    Op.AND: np.bitwise_and, Op.OR: np.bitwise_or, Op.XOR: np.bitwise_xor, Op.NOT: np.invert,
    Op.SHL: np.left_shift, Op.ASHR: np.right_shift,
}  # fmt: skip


def _kernel(node: Expr) -> Kernel:
    real = node.dtype in arith.REALS
    if node.op is Op.MIN or node.op is Op.MAX:
        if real:
            return _float_extreme(node.op is Op.MAX)
        return _ufunc(np.minimum if node.op is Op.MIN else np.maximum)
    if node.op is Op.ABS and node.dtype in arith.UNSIGNED:
        return _ufunc(np.positive)
    special: dict[Op, Kernel] = {Op.SELECT: _select, Op.FMA: _fma, Op.LSHR: _logical_shift_right}
    if node.op is Op.CONVERT:
        return _convert(node.dtype, bool(node.attr))
    return special[node.op] if node.op in special else _ufunc(_UFUNCS[node.op])
