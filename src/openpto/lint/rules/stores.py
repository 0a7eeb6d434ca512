"""What is stored where: dtypes (PTO247), numbers of elements (PTO252), writes that nobody sees (PTO414)."""

from __future__ import annotations

import ast

from openpto.diagnostics import words
from openpto.diagnostics.language import T
from openpto.lint.hooks import Access, Call, KernelEnd, on, on_call
from openpto.lint.results import count_of
from openpto.lint.values import Tensor, shown_dims
from openpto.lint.walk import Walk

FLOATS = frozenset({"DT_FP32", "DT_FP16", "DT_BF16"})


@on(Access)
def slices(walk: Walk, seen: Access) -> None:
    """PTO247 and PTO252 of `o[...] = v`."""
    if not isinstance(seen.value, Tensor) or seen.picks is None:
        return
    if seen.is_whole and seen.tensor.kind != "parameter":
        return  # a local takes the dtype and the shape of what is moved into it
    at = seen.value_node or seen.node
    if not same_dtype(walk, at, seen.value, seen.tensor) or not seen.is_whole:
        return
    source, target = seen.value.shape, seen.tensor.shape
    have, want = (None if dims is None else count_of(dims) for dims in (source, target))
    if source is not None and target is not None and have is not None and want is not None and have != want:
        walk.report("PTO252", at, source=shown_dims(source), target=shown_dims(target))


@on_call("assemble")
def assembled(walk: Walk, call: Call) -> None:
    """PTO247 of `pypto.assemble(v, offsets, o)`."""
    source, target = call.tensor("input"), call.tensor("out")
    if source is not None and target is not None:
        same_dtype(walk, call.at("input"), source, target)


def same_dtype(walk: Walk, node: ast.AST, source: Tensor, target: Tensor) -> bool:
    """Whether source and destination may have one dtype. Results of integers are not judged: some ops widen them."""
    first, second = source.dtype, target.dtype
    if first is None or second is None or first == second or source.choices or target.choices:
        return True
    if source.kind == "result" and first not in FLOATS:
        return True
    walk.report("PTO247", node, source=first, target=second)
    return False


@on(Access)
def note_write(walk: Walk, seen: Access) -> None:
    """Remember writes into windows, for `lost_writes`."""
    if seen.value is not None and seen.tensor.kind == "window" and not seen.tensor.read:
        walk.copies.setdefault(seen.tensor, (seen.node, walk.frame))


@on(KernelEnd)
def lost_writes(walk: Walk, end: KernelEnd) -> None:
    """PTO414: what was taken from a tensor is written, and nothing ever reads it."""
    if not end.complete:
        return
    for tensor, (node, frame) in walk.copies.items():
        if tensor.read or tensor.escaped or tensor.source is None or tensor.node is None:
            continue
        source = tensor.source.name or T("the tensor", "该张量")
        before, walk.frame = walk.frame, frame
        made = words.line(walk.span(tensor.node).line)
        walk.report("PTO414", node, name=tensor.name or T("it", "它"), source=source, made=made)
        walk.frame = before
