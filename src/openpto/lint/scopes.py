"""Names outside of kernels: what the module or an enclosing function binds, evaluated when it is asked for.

A name has a value only if it is bound exactly once. Everything that is not plain arithmetic of constants is UNKNOWN.
"""

from __future__ import annotations

import ast

from openpto.lint import integers
from openpto.lint.functions import Function, FunctionNode, every_node, own_nodes
from openpto.lint.integers import Int, Quantity
from openpto.lint.modules import Module, assigned
from openpto.lint.values import UNKNOWN, Callable, Const, List, Name, Tuple, Value, items_of

_OPERATORS: dict[type[ast.operator], str] = {ast.FloorDiv: "//", ast.Mod: "%"}
SYMBOL_MAKERS = frozenset({"frontend.dynamic", "SymbolicScalar", "symbolic_scalar", "frontend.SymbolicScalar"})


class Scope:
    """The names of a module or of a function that encloses a kernel."""

    def __init__(self, module: Module, function: Function | None, outer: Scope | None) -> None:
        self.module = module
        self.function = function
        self.outer = outer
        self._values: dict[str, Value] = {}
        self._bound: dict[str, ast.AST | None] = {}
        self._bind_all(module.source.tree.body if function is None else function.node.body)

    def lookup(self, name: str) -> Value | None:
        """The value of a name; None if neither this scope nor one around it binds it."""
        if name in self._values:
            return self._values[name]
        if name not in self._bound:
            return self._imported(name) if self.outer is None else self.outer.lookup(name)
        self._values[name] = UNKNOWN  # a definition that needs itself
        value = self._evaluate(name, self._bound[name])
        self._values[name] = value
        return value

    def definition(self, name: str) -> ast.expr | None:
        """The expression that a name is bound to, if it is bound once, here or around."""
        if name in self._bound:
            node = self._bound[name]
            return node if isinstance(node, ast.expr) else None
        return None if self.outer is None else self.outer.definition(name)

    def _bind_all(self, body: list[ast.stmt]) -> None:
        definitions: dict[str, ast.AST] = {}
        counts: dict[str, int] = {}
        if self.function is not None:
            arguments = self.function.node.args
            every = [*self.function.parameters, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
            definitions |= {argument.arg: argument for argument in every if argument is not None}
            counts |= dict.fromkeys(definitions, 1)
        for node in own_nodes(body):
            name = ""
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    definitions |= assigned(target, node.value)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                definitions |= assigned(node.target, node.value)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                name = node.name
                definitions[name] = node
            elif isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
                name = node.id
            if name:
                counts[name] = counts.get(name, 0) + 1
        changed = self.module.changed_globals if self.function is None else _nonlocals(body)
        for name, count in counts.items():
            self._bound[name] = definitions.get(name) if count == 1 and name not in changed else None

    def _imported(self, name: str) -> Value | None:
        path = self.module.imports.get(name)
        if path is None:
            return None
        return UNKNOWN if not path else resolve(path, self.module)

    def _evaluate(self, name: str, node: ast.AST | None) -> Value:
        if isinstance(node, ast.arg):
            integer = isinstance(node.annotation, ast.Name) and node.annotation.id == "int"
            return integers.of(Quantity(("argument", name, id(node)), False, name)) if integer else UNKNOWN
        if isinstance(node, FunctionNode):
            function = self.module.by_node.get(node)
            return UNKNOWN if function is None or function.kind == "other" else Callable(function, self)
        return constant(node, self) if isinstance(node, ast.expr) else UNKNOWN


def module_scope(module: Module) -> Scope:
    """The scope of a module, made once."""
    if module.scope is None:
        module.scope = Scope(module, None, None)
    return module.scope


def scope_of(function: Function) -> Scope:
    """The scope that a function is defined in."""
    if function.outer is None:
        return module_scope(function.module)
    return Scope(function.module, function.outer, scope_of(function.outer))


def resolve(path: str, importer: Module) -> Value:
    """What an imported dotted path stands for: a name of another library, or of a module of the project."""
    if path.split(".")[0] == "pypto":
        return Name(path)
    owner, _, name = path.rpartition(".")
    module = importer.project.find(owner, importer) if owner else None
    if module is not None and module is not importer:
        found = module_scope(module).lookup(name)
        if found is not None:
            return found
    return Name(path)


def member(owner: Value, name: str, importer: Module) -> Value:
    """An attribute of a name: `pypto.DT_FP32`, `torch.float32`, or `helpers.scale` of a project's module."""
    if isinstance(owner, Name):
        return resolve(f"{owner.path}.{name}", importer) if not owner.ours else Name(f"{owner.path}.{name}")
    return UNKNOWN


def constant(node: ast.expr, scope: Scope) -> Value:
    """The value of an expression outside of a kernel."""
    if isinstance(node, ast.Constant):
        return literal(node.value)
    if isinstance(node, ast.Name):
        found = scope.lookup(node.id)
        return UNKNOWN if found is None else found
    if isinstance(node, ast.Attribute):
        return member(constant(node.value, scope), node.attr, scope.module)
    if isinstance(node, (ast.Tuple, ast.List)):
        if any(isinstance(item, ast.Starred) for item in node.elts):
            return UNKNOWN
        items = tuple(constant(item, scope) for item in node.elts)
        return Tuple(items) if isinstance(node, ast.Tuple) else List(items)
    if isinstance(node, ast.BinOp):
        return arithmetic(node.op, constant(node.left, scope), constant(node.right, scope))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return negated(constant(node.operand, scope))
    if isinstance(node, ast.Subscript):
        return item(constant(node.value, scope), constant(node.slice, scope))
    return _called(node, scope) if isinstance(node, ast.Call) else UNKNOWN


def _called(node: ast.Call, scope: Scope) -> Value:
    """A named symbol, or min and max of ints."""
    function = constant(node.func, scope)
    arguments = [constant(argument, scope) for argument in node.args]
    if isinstance(function, Name) and function.api in SYMBOL_MAKERS:
        return symbol(arguments)
    if isinstance(node.func, ast.Name) and node.func.id in ("min", "max") and scope.lookup(node.func.id) is None:
        numbers = [value.value for value in arguments if isinstance(value, Int)]
        if len(arguments) == 2 and len(numbers) == 2 and not node.keywords and None not in numbers:
            known = [number for number in numbers if number is not None]
            return Int(min(known) if node.func.id == "min" else max(known))
    return UNKNOWN


def symbol(arguments: list[Value]) -> Value:
    """What `SymbolicScalar("n")` and its like give; a symbol of an integer is that integer."""
    name = arguments[0] if len(arguments) == 1 else UNKNOWN
    if isinstance(name, Const) and isinstance(name.value, str):
        return integers.of(Quantity(("symbol", name.value), True, name.value))
    return name if isinstance(name, Int) else UNKNOWN


def literal(value: object) -> Value:
    """The value of a literal; a bool is no number here."""
    return Int(value) if isinstance(value, int) and not isinstance(value, bool) else Const(value)


def negated(value: Value) -> Value:
    if isinstance(value, Int):
        return integers.multiply(Int(-1), value)
    if isinstance(value, Const) and isinstance(value.value, float):
        return Const(-value.value)
    return UNKNOWN


def arithmetic(operator: ast.operator, a: Value, b: Value) -> Value:
    """Arithmetic of integers and of sequences; everything else is UNKNOWN."""
    if isinstance(a, Int) and isinstance(b, Int):
        return _integer_arithmetic(operator, a, b)
    if isinstance(operator, ast.Add):
        first, second = items_of(a), items_of(b)
        if first is not None and second is not None and type(a) is type(b):
            return Tuple(first + second) if isinstance(a, Tuple) else List(first + second)
    if isinstance(operator, ast.Mult) and isinstance(b, Int) and b.value is not None:
        items = items_of(a)
        if items is not None and 0 <= b.value * len(items) <= 64:
            return Tuple(items * b.value) if isinstance(a, Tuple) else List(items * b.value)
    return UNKNOWN


def _integer_arithmetic(operator: ast.operator, a: Int, b: Int) -> Value:
    if isinstance(operator, ast.Add):
        return integers.add(a, b)
    if isinstance(operator, ast.Sub):
        return integers.add(a, b, -1)
    if isinstance(operator, ast.Mult):
        return integers.multiply(a, b)
    if isinstance(operator, ast.Pow) and a.value is not None and b.value is not None and 0 <= b.value <= 64:
        return Int(a.value**b.value)
    if isinstance(operator, ast.Div):
        symbolic = a.symbolic or b.symbolic
        return (integers.combine("//", a, b) or UNKNOWN) if symbolic else UNKNOWN
    name = _OPERATORS.get(type(operator))
    return UNKNOWN if name is None else (integers.combine(name, a, b) or UNKNOWN)


def item(owner: Value, key: Value) -> Value:
    """An item of a list or tuple."""
    items = items_of(owner)
    if items is None or not isinstance(key, Int) or key.value is None:
        return UNKNOWN
    return items[key.value] if -len(items) <= key.value < len(items) else UNKNOWN


def _nonlocals(body: list[ast.stmt]) -> set[str]:
    found: set[str] = set()
    for statement in body:
        for node in every_node(statement):
            if isinstance(node, ast.Nonlocal):
                found |= set(node.names)
    return found
