# ruff: noqa: N802 (methods are named after the classes of the tree)
"""Rewriting a function's tree so that control flow asks the machine (``pto__``) at trace time.

Purpose: ``for``, ``if``, ``and``/``or``/``not``, ternaries, chained comparisons, ``in``, calls, and loads of names
that regions store. Everything else is left as the author wrote it.
Precondition: ``refuse.py`` accepted the tree. Postcondition: the tree compiles in place of the original; code stays
where it was (never moved into functions or lambdas), so scopes, closures, walrus and ``break`` keep their meaning.
Every new node has the position of the code it stands for.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import TypeVar

from openpto.diagnostics import Span

from .liveness import Liveness
from .source import FunctionNode, Source
from .specs import BranchSpec, LoopSpec
from .tree import FIELDS, Names, Transformer, Tree, arguments, children

MACHINE, SPECS = "pto__", "specs__"
_PLAIN_ITERABLES = frozenset({"range", "enumerate", "zip", "reversed", "sorted"})
_ASSIGNMENTS = frozenset({ast.Assign, ast.AugAssign})
_BINDING = frozenset({ast.For, ast.If, ast.BoolOp})
_JUMPS = frozenset({ast.Return, ast.Break, ast.Continue})
_POSITION = ("lineno", "col_offset", "end_lineno", "end_col_offset")
Node = TypeVar("Node", bound=ast.AST)


def rewrite(node: FunctionNode, tree: Tree, source: Source, *, kernel: bool) -> list[LoopSpec | BranchSpec]:
    """Rewrite ``node``, of which ``tree`` is the picture, in place; returns the facts its code refers to by number."""
    specs: list[LoopSpec | BranchSpec] = []
    outputs = frozenset(a.arg for a in node.args.args) if kernel else frozenset()
    _Rewriter(node, tree, source, specs, frozenset(), outputs).function()
    return specs


def placed(new: Node, like: ast.AST) -> Node:
    """Give a new node, and the new nodes inside, the position of ``like``; below a placed node all are placed."""
    where: dict[str, object] = {}
    stack: list[ast.AST] = [new]
    while stack:
        node = stack.pop()
        if "lineno" in node._attributes:
            if "lineno" in node.__dict__:
                continue
            where = where or {name: getattr(like, name) for name in _POSITION}
            node.__dict__.update(where)
        if FIELDS[type(node)]:
            stack += children(node)
    return new


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _machine(method: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Attribute(_load(MACHINE), method, ast.Load()), list(args), [])


def _method(name: str, method: str) -> ast.Call:
    return ast.Call(ast.Attribute(_load(name), method, ast.Load()), [], [])


class _Rewriter(Transformer):
    """One function scope; nested functions get their own."""

    def __init__(
        self,
        node: FunctionNode,
        tree: Tree,
        source: Source,
        specs: list[LoopSpec | BranchSpec],
        outer: Names,
        outputs: Names,
    ) -> None:
        self.node = node
        self.tree = tree
        self.source = source
        self.specs = specs
        self.live = Liveness(tree, node.body)
        self.outputs = outputs & self.tree.stored(node.body)
        self.number = 0
        self._jumping = tree.places(_JUMPS)
        self.watched = outer | self._watched(node.body)

    def _watched(self, body: Sequence[ast.stmt]) -> Names:
        """Names that may hold something that must not be used: stored by any ``for`` or ``if``, or after ``and``."""
        found: set[str] = set()
        places = self.tree.places(_BINDING)
        for inner in (inner for statement in body for inner in self.tree.between(places, statement)):
            if isinstance(inner, ast.BoolOp):
                found |= self.tree.stored(inner.values[1:])
            elif inner in self.live.of:
                found |= self.tree.stored([inner])
        return frozenset(found)

    def function(self) -> None:
        """Rewrite the body of the scope's function."""
        node = self.node
        node.decorator_list, node.returns = [], None
        every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
        for argument in every:
            if argument is not None:
                argument.annotation = None
        node.body = self.block(node.body)

    def block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Rewrite statements."""
        out: list[ast.stmt] = []
        for statement in body:
            result = self.visit(statement)
            out.extend(result if isinstance(result, list) else [result])
            out.extend(self._rebound(statement))
        return out

    def _rebound(self, statement: ast.stmt) -> list[ast.stmt]:
        """After a statement that stores the name of a kernel parameter: tell the machine."""
        if not isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
            return []
        names = sorted(self.outputs & self.tree.stored([statement]))
        calls = [ast.Expr(_machine("rebound", _load(name), ast.Constant(name))) for name in names]
        return [placed(call, statement) for call in calls]

    def _spec(self, spec: LoopSpec | BranchSpec) -> ast.expr:
        self.specs.append(spec)
        return ast.Subscript(_load(SPECS), ast.Constant(len(self.specs) - 1), ast.Load())

    def _temporary(self, letter: str) -> str:
        self.number += 1
        return f"{letter}{self.number}__"

    # -- loops ---------------------------------------------------------------------------------------------------

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        if isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Name):
            if node.iter.func.id in _PLAIN_ITERABLES:
                return self._plain_for(node)
        if isinstance(node.iter, (ast.List, ast.Tuple, ast.ListComp)):
            return self._plain_for(node)
        live = self.live.of[node]
        targets = tuple(sorted(self.tree.stored([node.target])))
        names = tuple(sorted((self.tree.stored(node.body) - set(targets)) & (live.inside | live.after)))
        spec = LoopSpec(
            span=self.source.span(node.iter),
            names=names,
            targets=targets,
            index=_index_name(node.target),
            inside=live.inside,
            after=live.after,
            read=live.read,
            counters=self._counters(node.body),
            pattern=len(node.target.elts) if isinstance(node.target, (ast.Tuple, ast.List)) else 0,
            called=isinstance(node.iter, ast.Call),
            jumps=self._jumps(node.body),
            stores=self._first_stores(node.body),
            ends=self._last_stores(node.body),
        )
        loop = self._temporary("L")
        start = _machine("loop", self.visit(node.iter), self._spec(spec))
        body = [
            placed(self._if_region(loop, "managed", "head", names), node.iter),
            *self.block(node.body),
            placed(self._if_region(loop, "managed", "tail", ()), node.iter),
        ]
        guarded = ast.With([ast.withitem(_load(loop))], body)
        new = ast.For(self.visit(node.target), _load(loop), [placed(guarded, node.iter)], [])
        return [
            placed(ast.Assign([ast.Name(loop, ast.Store())], start), node.iter),
            placed(new, node),
            placed(self._if_region(loop, "managed", "exit", (*names, *targets)), node.iter),
        ]

    def _plain_for(self, node: ast.For) -> list[ast.stmt]:
        """An iterable that certainly is no ``pypto.loop``."""
        node.iter = placed(_machine("items", self.visit(node.iter)), node.iter)
        node.target = self.visit(node.target)
        node.body = self.block(node.body)
        return [node]

    def visit_While(self, node: ast.While) -> ast.stmt:
        node.test = placed(_machine("again", self.visit(node.test)), node.test)
        node.body = self.block(node.body)
        return node

    def expression(self, node: ast.expr) -> ast.expr:
        """Rewrite one expression."""
        rewritten: ast.expr = self.visit(node)
        return rewritten

    def _if_region(self, owner: str, question: str, method: str, names: Iterable[str]) -> ast.stmt:
        """``if owner.question: names = owner.method()``."""
        call = _method(owner, method)
        targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in names]
        action: ast.stmt = ast.Assign([ast.Tuple(targets, ast.Store())], call) if targets else ast.Expr(call)
        return ast.If(ast.Attribute(_load(owner), question, ast.Load()), [action], [])

    def _counters(self, body: Sequence[ast.stmt]) -> Names:
        """Names computed from themselves."""
        found: set[str] = set()
        places = self.tree.places(_ASSIGNMENTS)
        for inner in (inner for statement in body for inner in self.tree.between(places, statement)):
            if isinstance(inner, ast.AugAssign) and isinstance(inner.target, ast.Name):
                found.add(inner.target.id)
            elif isinstance(inner, ast.Assign):
                found |= self.tree.stored(inner.targets) & self.tree.loads(inner.value)
        return frozenset(found)

    def _jumps(self, body: Sequence[ast.stmt]) -> tuple[tuple[str, Span], ...]:
        """Statements that leave ``body``: break and continue of its own loop, return."""
        found: list[tuple[str, Span]] = []

        def search(nodes: Iterable[ast.AST], in_loop: bool) -> None:
            for node in nodes:
                if next(self.tree.between(self._jumping, node), None) is None:
                    continue
                if isinstance(node, ast.Return):
                    found.append(("return", self.source.span(node)))
                elif isinstance(node, (ast.Break, ast.Continue)) and not in_loop:
                    kind = "break" if isinstance(node, ast.Break) else "continue"
                    found.append((kind, self.source.span(node)))
                elif not isinstance(node, (ast.FunctionDef, ast.Lambda)):
                    search(children(node), in_loop or isinstance(node, (ast.For, ast.While)))

        search(body, False)
        return tuple(found)

    def _first_stores(self, body: Sequence[ast.stmt]) -> dict[str, Span]:
        """Where each name is stored first."""
        found: dict[str, ast.Name] = {}
        for name in (name for statement in body for name in self.tree.bindings(statement)):
            known = found.get(name.id)
            if known is None or (name.lineno, name.col_offset) < (known.lineno, known.col_offset):
                found[name.id] = name
        return {name: self.source.span(node) for name, node in found.items()}

    def _last_stores(self, body: Sequence[ast.stmt]) -> dict[str, Span]:
        """Where each name is stored last."""
        found: dict[str, ast.Name] = {}
        for name in (name for statement in body for name in self.tree.bindings(statement)):
            known = found.get(name.id)
            if known is None or (name.lineno, name.col_offset) > (known.lineno, known.col_offset):
                found[name.id] = name
        return {name: self.source.span(node) for name, node in found.items()}

    # -- branches ------------------------------------------------------------------------------------------------

    def visit_If(self, node: ast.If) -> list[ast.stmt]:
        live = self.live.of[node]
        both = self.tree.stored(node.body) | self.tree.stored(node.orelse)
        needed = live.after | (live.inside & self.tree.stored(node.body))
        spec = BranchSpec(
            span=self.source.span(node.test),
            names=tuple(sorted(both & needed)),
            after=live.after,
            marked=_is_cond(node.test),
            jumps=self._jumps([*node.body, *node.orelse]),
            then=self._first_stores(node.body),
            other=self._first_stores(node.orelse),
            ends=(self._last_stores(node.body), self._last_stores(node.orelse)),
        )
        test = self.visit(node.test)
        if spec.jumps:
            node.test = placed(_machine("test", test, self._spec(spec)), node.test)
            node.body, node.orelse = self.block(node.body), self.block(node.orelse)
            return [node]
        name = self._temporary("I")
        branch = ast.Assign([ast.Name(name, ast.Store())], _machine("branch", test, self._spec(spec)))
        then = [*self.block(node.body), self._if_region(name, "symbolic", "end_then", ())]
        other = [
            self._if_region(name, "symbolic", "restore", spec.names),
            *self.block(node.orelse),
            self._if_region(name, "symbolic", "join", spec.names),
        ]
        return [
            placed(branch, node.test),
            placed(ast.If(_method(name, "then"), then, []), node.test),
            placed(ast.If(_method(name, "other"), other, []), node.test),
        ]

    # -- other statements ----------------------------------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        node.args.defaults = [self.visit(d) for d in node.args.defaults]
        node.args.kw_defaults = [d and self.visit(d) for d in node.args.kw_defaults]
        decorators = [self.visit(d) for d in node.decorator_list]
        _Rewriter(node, self.tree, self.source, self.specs, self.watched, frozenset()).function()
        node.decorator_list = decorators
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        inner = self.watched
        self.watched = inner - arguments(node.args)
        self.parts(node)
        self.watched = inner
        return node

    def visit_With(self, node: ast.With) -> ast.stmt:
        for item in node.items:
            place = item.context_expr
            item.context_expr = placed(_machine("manager", self.visit(place)), place)
        node.body = self.block(node.body)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        self.parts(node)
        if isinstance(node.target, ast.Name) and node.target.id in self.watched:
            name = node.target.id
            check = ast.Assign([ast.Name(name, ast.Store())], _machine("use", _load(name), ast.Constant(name)))
            return [placed(check, node.target), node]
        return [node]

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        test = node.test
        self.parts(node)
        node.test = placed(_machine("truth", node.test, ast.Constant("assert")), test)
        return node

    def visit_Raise(self, node: ast.Raise) -> list[ast.stmt]:
        self.parts(node)
        return [placed(ast.Expr(_machine("raising")), node), node]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        node.target = self.visit(node.target)
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.match_case:
        if node.guard is not None:
            node.guard = self._truth(node.guard, "match guard")
        node.body = self.block(node.body)
        return node

    # -- expressions ---------------------------------------------------------------------------------------------

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and node.id in self.watched:
            return placed(_machine("use", node, ast.Constant(node.id)), node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.parts(node)
        node.func = placed(_machine("fn", node.func), node.func)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        method = "left_and" if isinstance(node.op, ast.And) else "left_or"
        names = self.tree.stored(node.values[-1:])
        result = self.expression(node.values[-1])
        for operand in reversed(node.values[:-1]):
            earlier = self.tree.stored([operand])
            bound = [ast.Constant(name) for name in sorted(names)]
            left = placed(_machine(method, self.visit(operand), *bound), operand)
            result = self._bound(self._joined(node.op, left, result, node), names, node)
            names |= earlier
        return result

    def _bound(self, value: ast.expr, names: Names, like: ast.expr) -> ast.expr:
        """``value``, after which the names that its second operand may bind hold what both ways leave in them."""
        stores = [ast.NamedExpr(ast.Name(n, ast.Store()), _machine("bound", ast.Constant(n))) for n in sorted(names)]
        return placed(_machine("first", value, *stores), like) if stores else value

    def _joined(self, op: ast.boolop, left: ast.expr, right: ast.expr, like: ast.expr) -> ast.expr:
        second = placed(_machine("right", right), right)
        return placed(_machine("join", ast.BoolOp(op, [left, second])), like)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.parts(node)
        return placed(_machine("not_", node.operand), node) if isinstance(node.op, ast.Not) else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        when = placed(_machine("when", self.visit(node.test)), node.test)
        yes = placed(_machine("yes", self.visit(node.body)), node.body)
        no = placed(_machine("no", self.visit(node.orelse)), node.orelse)
        chosen = ast.BoolOp(ast.Or(), [ast.BoolOp(ast.And(), [when, yes]), no])
        return placed(_machine("join", chosen), node)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        operands = [self.visit(node.left), *map(self.visit, node.comparators)]
        return self._compare(operands, node.ops, node)

    def _compare(self, operands: list[ast.expr], ops: list[ast.cmpop], like: ast.Compare) -> ast.expr:
        left, right = operands[:2]
        if len(ops) == 1:
            return self._comparison(left, ops[0], right, like)
        first = self._comparison(left, ops[0], placed(_machine("keep", right), right), like)
        kept = placed(_machine("kept"), right)
        rest = self._compare([kept, *operands[2:]], ops[1:], like)
        return self._joined(ast.And(), placed(_machine("left_and", first), like), rest, like)

    def _comparison(self, left: ast.expr, op: ast.cmpop, right: ast.expr, like: ast.Compare) -> ast.expr:
        if isinstance(op, ast.In):
            return placed(_machine("contains", left, right), like)
        if isinstance(op, ast.NotIn):
            return placed(_machine("not_", _machine("contains", left, right)), like)
        return placed(ast.Compare(left, [op], [right]), like)

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        node.target, node.iter = self.visit(node.target), self.visit(node.iter)
        node.ifs = [self._truth(test, "comprehension") for test in node.ifs]
        return node

    def _truth(self, test: ast.expr, what: str) -> ast.expr:
        return placed(_machine("truth", self.visit(test), ast.Constant(what)), test)


def _index_name(target: ast.expr) -> str:
    """The name that a loop target gives the index: of ``i`` or ``(i, k)``."""
    first = target.elts[0] if isinstance(target, (ast.Tuple, ast.List)) and target.elts else target
    return first.id if isinstance(first, ast.Name) else ""


def _is_cond(test: ast.expr) -> bool:
    """Whether a test is written ``pypto.cond(...)``."""
    if not isinstance(test, ast.Call):
        return False
    called = test.func
    return (called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")) == "cond"
