"""Calls in rewritten code: the user's helpers are rewritten too, everything else is called as it is."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Iterable, Iterator
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from openpto.diagnostics import T, fail, portability
from openpto.diagnostics.boundary import stands_in
from openpto.language.control import is_loop_begin, is_loop_end
from openpto.language.symbolic import to_sym

from .build import is_rewritten, rewritten
from .function import FunctionMarker
from .logic import Logic
from .sites import is_user_file
from .source import Captured, source_of
from .state import plain
from .values import Poison, is_symbolic, is_tensor, is_user_object

EXTREMES = {
    "min": T(
        "pypto.minimum(a, b) element by element, or pypto.amin(t, dim) along an axis",
        "pypto.minimum(a, b)（逐元素）或 pypto.amin(t, dim)（沿一个轴）",
    ),
    "max": T(
        "pypto.maximum(a, b) element by element, or pypto.amax(t, dim) along an axis",
        "pypto.maximum(a, b)（逐元素）或 pypto.amax(t, dim)（沿一个轴）",
    ),
}
"""What to write for builtins that got tensors."""


class Calls(Logic):
    """The part of the machine that calls functions."""

    def __init__(self, *state: Any) -> None:
        super().__init__(*state)
        self.functions: dict[int, tuple[Any, FunctionType]] = {}
        self._special = {
            id(builtins.min): functools.partial(self._extreme, "min"),
            id(builtins.max): functools.partial(self._extreme, "max"),
            id(builtins.sum): self._sum,
            id(builtins.range): self._range,
            id(builtins.print): self._print,
            id(builtins.map): self._map,
            id(builtins.filter): self._filter,
            id(functools.reduce): self._reduce,
            id(is_loop_begin): functools.partial(self._loop_test, is_loop_begin),
            id(is_loop_end): functools.partial(self._loop_test, is_loop_end),
        }

    # -- which function ------------------------------------------------------------------------------------------

    def fn(self, called: Any) -> Any:
        """What to call where the author wrote ``called(...)``."""
        self.settle()
        special = self._special.get(id(called))
        if special is not None:
            return special
        if isinstance(called, FunctionType):
            scoped = getattr(called, "_pypto_scoped", None)  # a helper under @pypto.options(...)
            return self.helper(called) if scoped is None else scoped(self.fn)
        if isinstance(called, (type, BuiltinFunctionType)):
            return called
        if isinstance(called, MethodType):
            function = self.fn(called.__func__)
            return called if function is called.__func__ else MethodType(function, called.__self__)
        if isinstance(called, functools.partial):
            return functools.partial(self.fn(called.func), *called.args, **called.keywords)
        if isinstance(called, FunctionMarker):
            return self._marked(called)
        captured = getattr(called, "_captured", None)
        if isinstance(captured, Captured):
            portability("PTO534", site=self.site(), name=captured.name)
            return self.helper(captured.function)
        if isinstance(called, Poison):
            called.refuse()
        if is_user_object(called):
            method = type(called).__dict__.get("__call__")
            if isinstance(method, FunctionType):
                return MethodType(self.helper(method), called)
        return called

    def helper(self, function: FunctionType, kind: str = "helper") -> FunctionType:
        """The rewritten form of a function of the user's; a library's function as it is."""
        code = function.__code__
        if is_rewritten(code) or not is_user_file(code.co_filename):
            return function
        known = self.functions.get(id(function))
        if known is not None:
            return known[1]
        source, _ = source_of(function)
        if source is None:  # run-time control flow in it stops by itself: loops and conditions refuse plain Python
            self.guards.note_untraced(function)
            return function
        form = rewritten(function, source, kernel=False)
        self.guards.note(function, form)
        made = form.function(function, self)
        self.functions[id(function)] = function, made
        self.kinds[form.code] = kind
        self.notes += [(note, kind) for note in form.notes]
        return made

    def _marked(self, marker: FunctionMarker) -> Callable[..., Any]:
        function = self.helper(marker.function, "function")

        def call(*args: Any, **kwargs: Any) -> Any:
            marker.check(args, kwargs, self.site())
            return function(*args, **kwargs)

        return call

    # -- builtins on symbols -------------------------------------------------------------------------------------

    @stands_in
    def _extreme(self, which: str, *args: Any, **options: Any) -> Any:
        values = list(args[0]) if len(args) == 1 and isinstance(args[0], (list, tuple)) else list(args)
        if "key" not in options and any(map(is_tensor, values)):
            fail("PTO260", site=self.site(), sign=f"{which}()", instead=EXTREMES[which])
        if options or len(values) < 2 or not any(map(is_symbolic, values)):
            return getattr(builtins, which)(*args, **options)
        portability("PTO663", site=self.site(), which=which)
        result = to_sym(values[0])
        for value in values[1:]:
            result = result.min(value) if which == "min" else result.max(value)
        return result

    @stands_in
    def _sum(self, *args: Any, **options: Any) -> Any:
        if args and is_tensor(args[0]):
            instead = T("pypto.sum(t, dim), along an axis", "pypto.sum(t, dim)（沿一个轴）")
            fail("PTO260", site=self.site(), sign="sum()", instead=instead)
        return builtins.sum(*args, **options)

    @stands_in
    def _range(self, *bounds: Any) -> range:
        for bound in bounds:
            if is_symbolic(bound):
                fail("PTO134", site=self.site(), expr=str(bound))
        return range(*bounds)

    @stands_in
    def _print(self, *values: Any, **options: Any) -> None:
        if not self.silent:
            print(*values, **options)

    @stands_in
    def _map(self, function: Any, *iterables: Any) -> Iterator[Any]:
        return map(self.fn(function), *iterables)

    @stands_in
    def _filter(self, function: Any, iterable: Any) -> Iterator[Any]:
        return filter(None if function is None else self.fn(function), iterable)

    @stands_in
    def _reduce(self, function: Any, *rest: Any) -> Any:
        return functools.reduce(self.fn(function), *rest)

    @stands_in
    def _loop_test(self, test: Callable[[Any], Any], *args: Any, **named: Any) -> Any:
        result = test(*args, **named)
        index = next(iter((*args, *named.values())))
        if self.loops and index.expr is not self.loops[-1].index:
            portability("PTO670", site=self.site(), inner=self.loops[-1].name)
        return result

    # -- ordinary loops and context managers ---------------------------------------------------------------------

    @stands_in
    def items(self, iterable: Iterable[Any]) -> Iterator[Any]:
        """An iterable that is no ``pypto.loop``."""
        for item in plain(iterable):
            self.step()
            yield item

    def again(self, test: Any) -> bool:
        """The condition of ``while``."""
        self.step()
        return self.truth(test, "while")

    def manager(self, value: Any) -> Any:
        """The object of a ``with`` statement: only ours make sense while a kernel is traced."""
        module = type(value).__module__.partition(".")[0]
        if module not in ("openpto", "pypto") and not getattr(value, "_is_pypto_scope", False):
            fail("PTO110", site=self.site(), node="With", instead=T("call what it does directly", "请直接调用它的内容"))
        portability("PTO664", site=self.site())
        return value
