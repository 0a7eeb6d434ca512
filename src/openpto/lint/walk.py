"""The walk through a kernel: its statements in program order, helpers followed where they are called.

What is known of every value is kept (see values.py); rules are asked where something happens (see hooks.py). A loop
body is walked once, for an iteration of which nothing is known but that it comes after others; both branches of an
`if` are walked. So whatever a rule sees is true on every way through the kernel that reaches the place.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from openpto.diagnostics import words
from openpto.diagnostics.span import Site, Span
from openpto.lint import expressions, statements
from openpto.lint.findings import Finding, Fix
from openpto.lint.frames import Frame, OpenLoop, Tiles, frame_of
from openpto.lint.functions import Function, every_node
from openpto.lint.hooks import KernelEnd, Rebinding, tell
from openpto.lint.parameters import bind_parameters
from openpto.lint.scopes import scope_of
from openpto.lint.values import Callable, List, Tensor, Tuple, Value

if TYPE_CHECKING:
    from openpto.lint.judge import Judge


class Walk:
    """The state of a walk through one kernel.

    tiles          tile shapes in force
    loops          the `pypto.loop` around this point, outermost first
    conditional    how many conditions without a known value must hold for this point to be reached
    unrolled       how often the Python loops around this point run, where that is known; `recorded` counts operations
    extents        operations and the shapes they meet under a tile, by the call that set it; `tile_values`: what it got
    looped         whether there was a `pypto.loop`
    copies         windows that were written before anything read them: where, and in which call
    told           what is said once per kernel
    reached        the helpers that were followed
    vec_setters    how often a vector tile was set, or may have been by code that was not followed; so cube_setters
    first_use      the first operation that needs a vector tile and a cube tile: place, name, frame, rank
    complete       whether everything was followed
    """

    def __init__(self, kernel: Function, judge: Judge) -> None:
        self.kernel = kernel
        self.judge = judge
        self.frame: Frame = frame_of(kernel, scope_of(kernel))
        self.tiles = Tiles()
        self.loops: list[OpenLoop] = []
        self.conditional = 0
        self.depth = 0
        self.steps = 0
        self.reached: dict[Function, None] = {}
        self.rebound: dict[Tensor, Rebinding] = {}
        self.vec_setters = 0
        self.cube_setters = 0
        self.complete = True
        self.first_use: dict[str, tuple[ast.AST, str, Frame, int | None]] = {}
        self.unrolled: list[int] = []
        self.recorded = 0
        self.told: set[str] = set()
        self.extents: dict[ast.Call, list[tuple[str, tuple[int | None, ...] | None]]] = {}
        self.looped = False
        self.copies: dict[Tensor, tuple[ast.AST, Frame]] = {}
        self.tile_values: dict[int, Value] = {}
        self.parameters: tuple[Tensor, ...] = ()

    def run(self) -> None:
        """Walk the kernel."""
        self.parameters = bind_parameters(self.frame)
        self.block(self.kernel.node.body)
        tell(self, KernelEnd(self.parameters, self.rebound, self.complete))

    def evaluate(self, node: ast.expr) -> Value:
        """What is known of the value of an expression; everything that happens in it is told to the rules."""
        return expressions.evaluate(self, node)

    def block(self, body: list[ast.stmt]) -> bool:
        """Walk statements; whether control may reach their end."""
        return statements.block(self, body)

    def bind(self, target: ast.expr, value: Value, statement: ast.stmt, source: ast.expr | None) -> None:
        """Give a target of an assignment or a loop its value."""
        statements.bind(self, target, value, statement, source)

    def report(self, code: str, node: ast.AST, /, *, fix: Fix | None = None, **fields: object) -> None:
        """Add a finding at a node of the function that is walked."""
        self.add(code, node, fields, fix)

    def add(self, code: str, node: ast.AST, fields: Mapping[str, object], fix: Fix | None = None) -> None:
        """The same with the fields in a mapping."""
        site = Site(self.span(node), self.frame.chain, tuple(loop.shown for loop in self.loops), self.kernel.name)
        self.judge.add(Finding(code, site, fields, fix=fix), self.frame.function.module)

    def span(self, node: ast.AST) -> Span:
        return self.frame.function.module.source.span(node)

    def fix(self, rewrite: str, node: ast.AST, argument: str = "") -> Fix:
        return Fix(rewrite, self.span(node), argument)

    def fix_with_pypto(self, rewrite: str, node: ast.AST) -> Fix | None:
        """A fix that needs a name for `pypto`; None if the module has none."""
        imports = self.frame.function.module.imports
        name = next((name for name, path in imports.items() if path == "pypto"), "")
        return self.fix(rewrite, node, name) if name else None

    def applies(self, code: str) -> bool:
        """Whether a rule is worth looking for in the file that is walked."""
        return self.judge.applies(code, self.frame.function.module.source.path)

    @property
    def certain(self) -> bool:
        """Whether every run of the kernel gets here, if its loops run at all."""
        return self.conditional == 0 and self.complete

    def read(self, value: Value, node: ast.AST, operation: str) -> None:
        """An operation reads a tensor."""
        if not isinstance(value, Tensor):
            return
        unwritten = value.kind == "declared" and not (value.written or value.escaped or value.choices)
        if unwritten and self.certain and value.node is not None:
            line = self.span(value.node).line
            self.report("PTO410", node, op=operation, name=value.name or "the tensor", declared=words.line(line))
            value.written = True  # said once
        if value.moved and self.certain:
            self.report("PTO610", node, name=value.name or "the tensor", line=words.line(value.moved))
            value.moved = 0
        value.mark_read()

    def lose(self, value: Value) -> None:
        """A value goes where the walk cannot follow."""
        if isinstance(value, Tensor):
            value.escape()
        elif isinstance(value, (Tuple, List)):
            for entry in value.items or ():
                self.lose(entry)
            if isinstance(value, List):
                value.items = None
        elif isinstance(value, Callable):
            self.lose_names(value.function.node)
            if value.function.kind != "kernel":
                self.complete = False

    def lose_names(self, node: ast.AST) -> None:
        """Code that the walk does not follow uses these names."""
        for inner in every_node(node):
            if isinstance(inner, ast.Name):
                value = self.frame.names.get(inner.id)
                if isinstance(value, (Tensor, Tuple, List)):
                    self.lose(value)
