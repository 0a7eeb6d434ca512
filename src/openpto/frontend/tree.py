"""A function's syntax tree, looked at once: its nodes in the order of the text, and what each part stores and reads.

Purpose: the passes over a tree (refusals, liveness, rewriting) ask about the same parts again and again; here every
part is a range of one list, and a question costs what it finds. Postcondition: answers describe the tree as the author
wrote it, also while it is rewritten in place.
"""

from __future__ import annotations

import ast
from ast import AST
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

Names = frozenset[str]
NONE: Names = frozenset()

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES = frozenset({*FUNCTIONS, ast.Lambda, ast.ClassDef, *COMPREHENSIONS})
_NESTED = frozenset({ast.Lambda, *COMPREHENSIONS})
_NAMING = frozenset({*FUNCTIONS, ast.Name, ast.ClassDef, ast.MatchAs, ast.MatchStar, ast.MatchMapping})

_NO_NODES = frozenset(
    {"arg", "asname", "attr", "conversion", "ctx", "id", "is_async", "kind", "level", "module", "op", "ops"}
    | {"rest", "simple", "type_comment", "type_params"}
)
"""Fields that hold texts, numbers and marks such as ``Load``; type parameters have no effect here."""


class _Fields(dict[type, tuple[str, ...]]):
    """The fields of each class that may hold nodes."""

    def __missing__(self, kind: type) -> tuple[str, ...]:
        names = () if kind in (ast.Name, ast.Constant) else tuple(n for n in kind._fields if n not in _NO_NODES)  # type: ignore[attr-defined]
        self[kind] = names
        return names


FIELDS = _Fields()


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes right below ``node``, without operators and marks."""
    found: list[ast.AST] = []
    for name in FIELDS[type(node)]:
        value = getattr(node, name, None)
        if isinstance(value, list):
            found.extend(item for item in value if isinstance(item, ast.AST))
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def arguments(args: ast.arguments) -> Names:
    """Names of all parameters."""
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return frozenset(a.arg for a in every if a is not None)


class Tree:
    """The nodes of one function definition."""

    def __init__(self, root: ast.AST) -> None:
        self.order: list[ast.AST] = []
        self._start: dict[ast.AST, int] = {}
        self._stop: list[int] = []
        self._scope: list[int] = []  # per node: where the scope that it stands in begins
        self._function: list[int] = []  # the same without comprehensions, through which := reaches
        self._bound: list[tuple[int, str, int]] = []  # place, name, scope
        self._read: list[tuple[int, str]] = []
        self._places: dict[frozenset[type], list[int]] = {}
        self._kinds: defaultdict[type, list[int]] = defaultdict(list)  # places of the nodes of each class
        self._loads: dict[ast.AST, Names] = {}
        self._targets: list[int] = []
        self._index(root)
        self._nested = self.places(_NESTED)

    def _index(self, root: ast.AST) -> None:
        order, start, scopes, functions, kinds = self.order, self._start, self._scope, self._function, self._kinds
        parents: list[int] = []
        stack: list[tuple[ast.AST, int, int, int]] = [(root, -1, -1, -1)]
        while stack:
            node, parent, scope, function = stack.pop()
            place = len(order)
            start[node] = place
            order.append(node)
            parents.append(parent)
            scopes.append(scope)
            functions.append(function)
            kind = type(node)
            kinds[kind].append(place)
            if kind in _NAMING:
                self._note(node, place, parent, scope, function)
            if kind in _SCOPES:
                scope = place
                function = function if kind in COMPREHENSIONS else place
            for name in reversed(FIELDS[kind]):
                value = getattr(node, name, None)
                if isinstance(value, list):
                    stack += [(child, place, scope, function) for child in reversed(value) if isinstance(child, AST)]
                elif isinstance(value, AST):
                    stack.append((value, place, scope, function))
        sizes = [1] * len(order)
        for place in range(len(order) - 1, 0, -1):
            sizes[parents[place]] += sizes[place]
        self._stop = [place + size for place, size in enumerate(sizes)]

    def _note(self, node: ast.AST, place: int, parent: int, scope: int, function: int) -> None:
        """Enter the names that a node itself binds or reads."""
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                self._read.append((place, node.id))
            else:
                walrus = parent >= 0 and isinstance(self.order[parent], ast.NamedExpr)
                self._bound.append((place, node.id, function if walrus else scope))
                if isinstance(node.ctx, ast.Store):
                    self._targets.append(place)
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            self._bound.append((place, node.name, scope))
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)):
            if node.name:
                self._bound.append((place, node.name, scope))
        elif isinstance(node, ast.MatchMapping) and node.rest:
            self._bound.append((place, node.rest, scope))

    # -- ranges --------------------------------------------------------------------------------------------------

    def inside(self, *nodes: ast.AST) -> Iterator[ast.AST]:
        """The nodes of some parts, in the order of the text."""
        for node in nodes:
            place = self._start[node]
            yield from self.order[place : self._stop[place]]

    def in_function(self, body: Iterable[ast.AST]) -> Iterator[ast.AST]:
        """The nodes of some parts, without what stands in nested functions."""
        for node in body:
            place, stop = self._start[node], self._stop[self._start[node]]
            while place < stop:
                inner = self.order[place]
                yield inner
                place = self._stop[place] if isinstance(inner, (ast.FunctionDef, ast.Lambda)) else place + 1

    def places(self, kinds: frozenset[type]) -> list[int]:
        """Where nodes of some classes stand."""
        known = self._places.get(kinds)
        if known is None:
            found = [at for kind in kinds for at in self._kinds.get(kind, ())]
            found.sort()
            known = self._places[kinds] = found
        return known

    def of_kinds(self, kinds: frozenset[type], nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
        """The nodes of some classes in some parts, in the order of the text."""
        places = self.places(kinds)
        for node in nodes:
            yield from self.between(places, node)

    def own(self, kinds: frozenset[type], body: Sequence[ast.AST]) -> Iterator[ast.AST]:
        """The same for the body of the function itself, without what stands in functions and lambdas inside of it."""
        for node in self.of_kinds(kinds, body):
            if self._function[self._start[node]] == 0:
                yield node

    def between(self, places: Sequence[int], node: ast.AST) -> Iterator[ast.AST]:
        """Those of some places (ascending) that lie in ``node``."""
        begin = self._start[node]
        stop = self._stop[begin]
        for at in range(bisect_left(places, begin), bisect_left(places, stop)):
            yield self.order[places[at]]

    def bindings(self, node: ast.AST) -> Iterator[ast.Name]:
        """The ``Name`` nodes in ``node`` that are stored to, in nested scopes too."""
        for inner in self.between(self._targets, node):
            assert isinstance(inner, ast.Name)
            yield inner

    # -- names ---------------------------------------------------------------------------------------------------

    def stored(self, nodes: Iterable[ast.AST]) -> Names:
        """Names that parts bind in their own scope (assignment, ``for``, ``with``, ``def``, walrus, patterns)."""
        found: set[str] = set()
        for node in nodes:
            begin = self._start[node]
            stop = self._stop[begin]
            own = (self._scope[begin], self._function[begin])
            for at in range(bisect_left(self._bound, (begin,)), bisect_left(self._bound, (stop,))):
                _, name, scope = self._bound[at]
                if scope in own:
                    found.add(name)
        return frozenset(found)

    def loads(self, node: ast.AST | None) -> Names:
        """Names of the scope that evaluating ``node`` may read, also later through lambdas in it."""
        if node is None:
            return NONE
        known = self._loads.get(node)
        if known is None:
            known = self._loads[node] = self._loaded(node)
        return known

    def _loaded(self, node: ast.AST) -> Names:
        if isinstance(node, ast.Lambda):
            return self.defaults(node.args) | (self.loads(node.body) - arguments(node.args))
        if isinstance(node, COMPREHENSIONS):
            return self._comprehension(node)
        if next(self.between(self._nested, node), None) is None:
            return self.reads(node)
        return NONE.union(*map(self.loads, children(node)))

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> Names:
        targets = self.stored(g.target for g in node.generators)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        inner = NONE.union(*map(self.loads, parts))
        for position, generator in enumerate(node.generators):
            inner = inner.union(*map(self.loads, generator.ifs))
            if position:
                inner |= self.loads(generator.iter)
        return self.loads(node.generators[0].iter) | (inner - targets)

    def reads(self, node: ast.AST) -> Names:
        """All names read anywhere in ``node``, nested scopes included."""
        begin = self._start[node]
        first = bisect_left(self._read, (begin,))
        last = bisect_left(self._read, (self._stop[begin],))
        return frozenset(self._read[at][1] for at in range(first, last))

    def defaults(self, args: ast.arguments) -> Names:
        """Names that the defaults of parameters read."""
        return NONE.union(*map(self.loads, [*args.defaults, *args.kw_defaults]))


class Transformer:
    """Rewrites a tree in place: ``visit_X`` gives what stands for a node of class X (a statement: or a list)."""

    _methods: ClassVar[Mapping[type, Callable[[Any, Any], Any]]] = {}

    def __init_subclass__(cls) -> None:
        methods = {name[6:]: method for name, method in vars(cls).items() if name.startswith("visit_")}
        cls._methods = {getattr(ast, name): method for name, method in methods.items()}

    def visit(self, node: Any) -> Any:
        """What stands for ``node``."""
        method = self._methods.get(type(node))
        return self.parts(node) if method is None else method(self, node)

    def parts(self, node: Any) -> Any:
        """``node`` with every part rewritten."""
        for name in FIELDS[type(node)]:
            value = getattr(node, name, None)
            if isinstance(value, list):
                value[:] = [self.visit(item) if isinstance(item, ast.AST) else item for item in value]
            elif isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
        return node
