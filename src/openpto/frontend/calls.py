"""Calls in rewritten code: the user's helpers are rewritten too, everything else is called as it is."""

from __future__ import annotations

import builtins
import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from openpto.diagnostics import fail, portability
from openpto.language.control import is_loop_begin, is_loop_end
from openpto.language.symbolic import to_sym

from .build import is_rewritten, rewritten
from .function import FunctionMarker
from .sites import is_user_file, span_of, user_frames
from .source import Captured, source_of
from .state import plain
from .values import Poison, is_symbolic, is_user_object

if TYPE_CHECKING:
    from .machine import Machine


class Calls:
    """The part of the machine that calls functions."""

    def __init__(self) -> None:
        self.functions: dict[int, tuple[Any, FunctionType]] = {}
        self.kinds: dict[CodeType, str] = {}
        self._special = {
            id(builtins.min): functools.partial(self._extreme, "min"),
            id(builtins.max): functools.partial(self._extreme, "max"),
            id(builtins.range): self._range,
            id(builtins.print): self._print,
            id(builtins.map): self._map,
            id(builtins.filter): self._filter,
            id(functools.reduce): self._reduce,
            id(is_loop_begin): functools.partial(self._loop_test, is_loop_begin),
            id(is_loop_end): functools.partial(self._loop_test, is_loop_end),
        }

    # -- which function ------------------------------------------------------------------------------------------

    def fn(self: Machine, called: Any) -> Any:
        """What to call where the author wrote ``called(...)``."""
        special = self._special.get(id(called))
        if special is not None:
            return special
        if isinstance(called, FunctionType):
            return self.helper(called)
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

    def helper(self: Machine, function: FunctionType, kind: str = "helper") -> FunctionType:
        """The rewritten form of a function of the user's; a library's function as it is."""
        code = function.__code__
        if is_rewritten(code) or not is_user_file(code.co_filename):
            return function
        known = self.functions.get(id(function))
        if known is not None:
            return known[1]
        source, _ = source_of(function)
        if source is None:  # run-time control flow in it stops by itself: loops and conditions refuse plain Python
            return function
        form = rewritten(function, source, kernel=False)
        self.guards.note(function, form)
        made = form.function(function, self)
        self.functions[id(function)] = function, made
        self.kinds[form.code] = kind
        return made

    def kind_of_code(self, code: CodeType) -> str:
        """``kernel``, ``function`` (marked with frontend.function) or ``helper``."""
        return self.kinds.get(code, "helper")

    def _marked(self: Machine, marker: FunctionMarker) -> Callable[..., Any]:
        function = self.helper(marker.function, "function")

        def call(*args: Any, **kwargs: Any) -> Any:
            marker.check(args, kwargs, self.site())
            return function(*args, **kwargs)

        return call

    # -- builtins on symbols -------------------------------------------------------------------------------------

    def _extreme(self: Machine, which: str, *args: Any, **options: Any) -> Any:
        values = list(args[0]) if len(args) == 1 and isinstance(args[0], (list, tuple)) else list(args)
        if options or len(values) < 2 or not any(map(is_symbolic, values)):
            return getattr(builtins, which)(*args, **options)
        portability("PTO663", site=self.site(), which=which)
        result = to_sym(values[0])
        for value in values[1:]:
            result = result.min(value) if which == "min" else result.max(value)
        return result

    def _range(self: Machine, *bounds: Any) -> range:
        for bound in bounds:
            if is_symbolic(bound):
                fail("PTO134", site=self.site(), expr=str(bound))
        return range(*bounds)

    def _print(self: Machine, *values: Any, **options: Any) -> None:
        if not self.silent:
            print(*values, **options)

    def _map(self: Machine, function: Any, *iterables: Any) -> Iterator[Any]:
        return map(self.fn(function), *iterables)

    def _filter(self: Machine, function: Any, iterable: Any) -> Iterator[Any]:
        return filter(None if function is None else self.fn(function), iterable)

    def _reduce(self: Machine, function: Any, *rest: Any) -> Any:
        return functools.reduce(self.fn(function), *rest)

    def _loop_test(self: Machine, test: Callable[[Any], Any], *args: Any, **named: Any) -> Any:
        result = test(*args, **named)
        index = next(iter((*args, *named.values())))
        if self.loops and index.expr is not self.loops[-1].index:
            portability("PTO670", site=self.site(), inner=self.loops[-1].name)
        return result

    # -- ordinary loops and context managers ---------------------------------------------------------------------

    def items(self: Machine, iterable: Iterable[Any]) -> Iterator[Any]:
        """An iterable that is no ``pypto.loop``."""
        for item in plain(iterable):
            self.step()
            yield item

    def again(self: Machine, test: Any) -> bool:
        """The condition of ``while``."""
        self.step()
        return self.truth(test, "while")

    def manager(self: Machine, value: Any) -> Any:
        """The object of a ``with`` statement: only ours make sense while a kernel is traced."""
        module = type(value).__module__.partition(".")[0]
        if module not in ("openpto", "pypto") and not getattr(value, "_is_pypto_scope", False):
            fail("PTO110", site=self.site(), node="With", instead="call what it does directly")
        portability("PTO664", site=self.site())
        return value

    def plain_condition(self: Machine, value: Any) -> None:
        """The test of an ``if`` is a known value that is no bool."""
        frame = next(user_frames(sys._getframe(1), self.kernel_code), None)
        if frame is not None and self.kind_of_code(frame.f_code) != "helper":
            portability("PTO666", site=self.site(span_of(frame)), got=type(value).__name__)
