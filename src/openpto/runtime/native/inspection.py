"""Prints and dumps of a verified call: compiled code hands values and addresses to the host."""

from __future__ import annotations

from openpto.diagnostics import Site
from openpto.ir.expr import Expr
from openpto.ir.nodes import Op, Value
from openpto.ops import arith
from openpto.runtime import verification

from .build import fill
from .elementwise import result_of
from .handlers import lowers
from .hosted import Numbers, over, told
from .loopir import Index, Ptr
from .lower import Lowering
from .sites import Host
from .tiles import NTile


def _done(low: Lowering, op: Op) -> NTile:
    """The result, which nobody needs: a one."""
    type = result_of(op).type
    shape = low.shape(type)
    made = low.fresh(type, shape, shape)
    fill(low.b, shape, arith.const(1, type.dtype), made.arr)
    return made


@lowers("verify_print")
def verify_print(low: Lowering, op: Op) -> NTile:
    """The valid region of tensors, the values of symbols, and texts."""
    texts, style = op.attrs["texts"], op.attrs["shown"]
    tensors = [o.type.dtype if isinstance(o, Value) else None for o in op.operands]
    with low.b.when(low.dims(op.attrs["cond"])[0]):
        values: list[Index] = []
        memory: list[Ptr] = []
        ranks: list[int] = []
        for operand in op.operands:
            if isinstance(operand, Value):
                source = low.read(operand)
                values += [*source.valid, *source.arr.strides]
                memory.append(source.arr.at)
                ranks.append(len(source.valid))
            else:
                assert isinstance(operand, Expr)
                values.append(low.b.hold(low.scalar(operand)))
                ranks.append(0)

        def show(host: Host, site: Site, values: Numbers, addresses: Numbers) -> None:
            numbers, places, words = iter(values), iter(addresses), []
            for dtype, rank in zip(tensors, ranks, strict=True):
                if dtype is None:
                    words.append(str(next(numbers)))
                    continue
                extents, strides = ([next(numbers) for _ in range(rank)] for _ in range(2))
                words.append(verification.shown(over(next(places), extents, strides, dtype), dtype, style))
            verification.tell(texts, words)

        told(low, op, show, values, memory)
    return _done(low, op)


@lowers("verify_save")
def verify_save(low: Lowering, op: Op) -> NTile:
    """The valid region of a tensor goes to files."""
    name = op.attrs["name"]
    operand = op.operands[0]
    assert isinstance(operand, Value)
    dtype, rank = operand.type.dtype, operand.type.rank
    with low.b.when(low.dims(op.attrs["cond"])[0]):
        source = low.read(operand)
        symbols = low.dims([p for p in name if not isinstance(p, str)])

        def show(host: Host, site: Site, values: Numbers, addresses: Numbers) -> None:
            found = iter(values[2 * rank :])
            text = "".join(p if isinstance(p, str) else str(next(found)) for p in name)
            data = over(addresses[0], values[:rank], values[rank : 2 * rank], dtype)
            verification.current().save(text, data, dtype)

        told(low, op, show, [*source.valid, *source.arr.strides, *symbols], [source.arr.at])
    return _done(low, op)
