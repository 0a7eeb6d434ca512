"""From a captured function to rewritten code objects, and from those to functions that talk to one machine."""

from __future__ import annotations
import __future__

import ast
import threading
from collections.abc import Iterator
from types import CellType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from openpto._forks import opened_in_child
from openpto._records import dataclass

from .refuse import Note, refuse_syntax
from .rewrite import MACHINE, SPECS, placed, rewrite
from .sites import note_statements
from .source import FunctionNode, Source, parse
from .tree import Tree

if TYPE_CHECKING:
    from .context import Context
    from .specs import BranchSpec, LoopSpec

_LOADING = frozenset({ast.Name, ast.Attribute})
_FUTURE = 0
for _feature in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _feature).compiler_flag


@dataclass(frozen=True, eq=False)
class Rewritten:
    """Rewritten code of one function. ``loaded`` are the dotted names it loads (for guards), ``notes`` what some
    toolchain refuses in it."""

    code: CodeType
    specs: tuple[LoopSpec | BranchSpec, ...]
    loaded: tuple[tuple[str, ...], ...]
    notes: tuple[Note, ...]

    def function(self, original: FunctionType, machine: Context) -> FunctionType:
        """The function with its own globals, closure cells and defaults, talking to ``machine``."""
        cells = dict(zip(original.__code__.co_freevars, original.__closure__ or (), strict=True))
        cells[MACHINE], cells[SPECS] = CellType(machine), CellType(self.specs)
        closure = tuple(cells[name] for name in self.code.co_freevars)
        made = FunctionType(self.code, original.__globals__, original.__name__, original.__defaults__, closure)
        made.__kwdefaults__ = original.__kwdefaults__
        made.__qualname__, made.__module__ = original.__qualname__, original.__module__
        made.__dict__.update(original.__dict__)
        return made


_cache: dict[tuple[CodeType, str, bool], Rewritten] = {}
_codes: set[CodeType] = set()
_lock = opened_in_child(threading.RLock())


def rewritten(function: FunctionType, source: Source, *, kernel: bool) -> Rewritten:
    """The rewritten form of a function (remembered per code object)."""
    # equal code objects of two files compare equal, and their places differ
    key = (function.__code__, function.__code__.co_filename, kernel)
    with _lock:
        known = _cache.get(key)
        if known is None:
            known = _cache[key] = _rewrite(function, source, kernel)
            _codes.update(_nested(known.code))
    return known


def is_rewritten(code: CodeType) -> bool:
    """Whether ``code`` came out of the rewriter, as a function or inside of one."""
    return code in _codes


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _nested(constant)


def _rewrite(function: FunctionType, source: Source, kernel: bool) -> Rewritten:
    node = parse(source)
    tree = Tree(node)
    notes = refuse_syntax(node, tree, source, kernel=kernel)
    note_statements(source.file, node, source.span)
    loaded = tuple(sorted(_loaded(node, tree, function.__code__)))
    specs = rewrite(node, tree, source, kernel=kernel)
    code = _compile(node, function.__code__)
    return Rewritten(code, tuple(specs), loaded, notes)


def _compile(node: Any, original: CodeType) -> CodeType:
    """Compile the definition inside a factory that declares the same free variables, and take its code out."""
    node.name = "function__"  # its own name must stay a global or free variable of the body
    node.args.defaults = []
    node.args.kw_defaults = [None] * len(node.args.kwonlyargs)
    free = [*original.co_freevars, MACHINE, SPECS]
    parameters = ast.arguments([], [ast.arg(name) for name in free], None, [], [], None, [])
    factory = placed(ast.FunctionDef("factory__", parameters, [node], []), node)
    module = ast.Module([factory], [])
    flags = original.co_flags & _FUTURE
    outer = compile(module, original.co_filename, "exec", flags=flags, dont_inherit=True)
    maker = next(c for c in outer.co_consts if isinstance(c, CodeType))
    code = next(c for c in maker.co_consts if isinstance(c, CodeType) and c.co_name == node.name)
    named: dict[str, Any] = {"co_name": original.co_name}
    if hasattr(code, "co_qualname"):
        named["co_qualname"] = original.co_qualname
    return code.replace(**named)


def _loaded(node: FunctionNode, tree: Tree, code: CodeType) -> set[tuple[str, ...]]:
    """Names and dotted names (``config.TILE``) that the body loads from outside; annotations and defaults are not
    the body's, and a local of the function hides a global of its name."""
    hidden = {*code.co_varnames, *code.co_cellvars}
    found: set[tuple[str, ...]] = set()
    for inner in tree.of_kinds(_LOADING, node.body):
        path: list[str] = []
        while isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Load):
            path.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load) and inner.id not in hidden:
            found.add((inner.id, *path[::-1]))
    return found
