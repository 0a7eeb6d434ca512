"""Repairs: findings that carry a fix are rewritten in the tree of libcst, which keeps everything else as it was.

Each rewrite is a function from the node that lies under the fix's span to its replacement. Only repairs that cannot
change the meaning of a kernel that runs are offered: they concern text that is refused, or that does nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from openpto.diagnostics.errors import fail
from openpto.lint.findings import Finding, Fix

if TYPE_CHECKING:
    import libcst as cst

    Replaced: TypeAlias = cst.CSTNode | cst.RemovalSentinel
    Rewrite: TypeAlias = Callable[[Any, Fix], Replaced]


def repaired(text: str, findings: Sequence[Finding]) -> tuple[str, int]:
    """The text of a file with what can be repaired in it, and the number of repairs. Raises PTO790 without libcst."""
    try:
        import libcst as cst
        from libcst.metadata import MetadataWrapper, PositionProvider
    except ImportError as error:
        fail("PTO790", why=str(error))
    fixes = {_place(finding.fix): finding.fix for finding in findings if finding.fix is not None}
    if not fixes:
        return text, 0
    done: list[Fix] = []
    wrapper = MetadataWrapper(cst.parse_module(text))
    positions = wrapper.resolve(PositionProvider)

    class Repair(cst.CSTTransformer):  # type: ignore[misc]  # mypy does not read libcst
        """Replaces the nodes that fixes name, innermost first."""

        def on_leave(self, original_node: Any, updated_node: Any) -> Any:
            place = positions.get(original_node)
            if place is None:
                return updated_node
            start, end = place.start, place.end
            fix = fixes.get((start.line, start.column, end.line, end.column))
            rewrite = None if fix is None else _REWRITES[fix.rewrite]
            if fix is None or rewrite is None or not isinstance(original_node, _kinds(fix.rewrite)):
                return updated_node
            replaced = rewrite(updated_node, fix)
            if replaced is not updated_node and fix not in done:
                done.append(fix)
            return replaced

    new = wrapper.module.visit(Repair()).code
    ast.parse(new)
    return new, len(done)


def _place(fix: Fix) -> tuple[int, int, int, int]:
    return (fix.span.line, fix.span.col, fix.span.end_line, fix.span.end_col)


def _kinds(rewrite: str) -> Any:
    """The nodes that a rewrite is for; others may have the same place (an expression and its statement)."""
    import libcst as cst

    kinds: dict[str, Any] = {
        "drop-return-annotation": cst.Annotation,
        "drop-future-annotations": cst.ImportFrom,
        "unquote": cst.SimpleString,
        "write-into": (cst.Assign, cst.AugAssign),
        "rename-keyword": cst.Arg,
        "drop-annotation": cst.AnnAssign,
        "start-at-zero": cst.Slice,
        "unwrap-call": cst.Call,
        "wrap-list": cst.BaseExpression,
        "unwrap-list": cst.Call,
        "pypto-loop": cst.Call,
        "pypto-extreme": cst.Call,
    }
    return kinds[rewrite]


def _drop_annotation(updated: Any, fix: Fix) -> Replaced:
    import libcst as cst

    return cst.RemoveFromParent()


def _drop_future(updated: Any, fix: Fix) -> Replaced:
    """Take `annotations` out of `from __future__ import ...`."""
    import libcst as cst

    names = [alias for alias in updated.names if alias.name.value != "annotations"]
    if not names:
        return cst.RemoveFromParent()
    return updated.with_changes(names=[*names[:-1], names[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)])


def _unquote(updated: Any, fix: Fix) -> Replaced:
    import libcst as cst

    return cst.parse_expression(str(updated.evaluated_value))


def _write_into(updated: Any, fix: Fix) -> Replaced:
    """`y = x` becomes `y[:] = x`, and `y += x` becomes `y[:] = y + x`."""
    import libcst as cst

    if isinstance(updated, cst.AugAssign):
        operators: dict[type, cst.BaseBinaryOp] = {
            cst.AddAssign: cst.Add(), cst.SubtractAssign: cst.Subtract(), cst.MultiplyAssign: cst.Multiply(),
            cst.DivideAssign: cst.Divide(),
        }  # fmt: skip
        operator = operators.get(type(updated.operator))
        if operator is None or not isinstance(updated.target, cst.Name):
            return updated
        value: cst.BaseExpression = cst.BinaryOperation(updated.target, operator, _bracketed(updated.value))
        return cst.Assign([cst.AssignTarget(_whole(updated.target))], value)
    target = updated.targets[0]
    return updated.with_changes(targets=[target.with_changes(target=_whole(target.target))])


def _bracketed(value: Any) -> Any:
    """An operand that keeps its meaning behind another operator."""
    import libcst as cst

    simple = isinstance(value, (cst.Name, cst.Call, cst.Attribute, cst.Subscript, cst.BaseNumber)) or value.lpar
    return value if simple else value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def _whole(name: Any) -> Any:
    """`name[:]`."""
    import libcst as cst

    return cst.Subscript(name, [cst.SubscriptElement(cst.Slice(lower=None, upper=None))])


def _rename_keyword(updated: Any, fix: Fix) -> Replaced:
    import libcst as cst

    return updated.with_changes(keyword=cst.Name(fix.argument))


def _plain_assignment(updated: Any, fix: Fix) -> Replaced:
    """`n: int = 8` becomes `n = 8`; a declaration without value goes."""
    import libcst as cst

    if updated.value is None:
        return cst.RemoveFromParent()
    return cst.Assign([cst.AssignTarget(updated.target)], updated.value)


def _start_at_zero(updated: Any, fix: Fix) -> Replaced:
    import libcst as cst

    return updated.with_changes(lower=cst.Integer("0"))


def _unwrap_call(updated: Any, fix: Fix) -> Replaced:
    """`f(x)` becomes `x`."""
    return updated.args[0].value


def _wrap_list(updated: Any, fix: Fix) -> Replaced:
    import libcst as cst

    return cst.List([cst.Element(updated)])


def _unwrap_list(updated: Any, fix: Fix) -> Replaced:
    """`f([a, b])` becomes `f(a, b)`."""
    import libcst as cst

    inner = updated.args[0].value
    if not isinstance(inner, (cst.List, cst.Tuple)):
        return updated
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    last = len(inner.elements) - 1
    arguments = [
        cst.Arg(element.value, comma=comma if place < last else cst.MaybeSentinel.DEFAULT)
        for place, element in enumerate(inner.elements)
    ]
    return updated.with_changes(args=arguments)


def _of_pypto(name: str) -> Rewrite:
    """`f(x)` becomes `pypto.<name>(x)`; the fix knows under which name pypto was imported."""

    def rewrite(updated: Any, fix: Fix) -> Replaced:
        import libcst as cst

        function = name or updated.func.value
        return updated.with_changes(func=cst.Attribute(cst.Name(fix.argument), cst.Name(function)))

    return rewrite


_REWRITES: dict[str, Rewrite] = {
    "drop-return-annotation": _drop_annotation,
    "drop-future-annotations": _drop_future,
    "unquote": _unquote,
    "write-into": _write_into,
    "rename-keyword": _rename_keyword,
    "drop-annotation": _plain_assignment,
    "start-at-zero": _start_at_zero,
    "unwrap-call": _unwrap_call,
    "wrap-list": _wrap_list,
    "unwrap-list": _unwrap_list,
    "pypto-loop": _of_pypto("loop"),
    "pypto-extreme": _of_pypto(""),
}
