"""``frontend.function``: marks a helper whose control flow becomes part of the kernel; ``frontend.dynamic``."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

from openpto.diagnostics import Site, fail, portability, user_boundary
from openpto.language.symbolic import SymbolicScalar

from .header import RETURNS
from .source import capture
from .values import is_tensor


class FunctionMarker:
    """A helper marked with ``@pypto.frontend.function``; only kernels and their helpers can call it."""

    _pictured_by_identity = True

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        self.captured = capture(function)
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self.__wrapped__ = function
        self.signature = inspect.signature(function)

    @user_boundary()
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calling it outside of a kernel is refused (PTO162)."""
        fail("PTO162", name=self.__name__)

    def check(self, args: tuple[Any, ...], kwargs: dict[str, Any], site: Site) -> None:
        """Check a call in a kernel: its arguments against number and annotations, and the header of the function."""
        if "return" in self.function.__annotations__:
            portability("PTO678", site=self._returns(), name=self.__name__)
        if kwargs or len(args) != len(self.signature.parameters):
            try:
                self.signature.bind(*args, **kwargs)
            except TypeError:
                fail("PTO163", site=site, name=self.__name__, want=len(self.signature.parameters), got=len(args))
            portability("PTO667", site=site, name=self.__name__)
        for parameter, value in zip(self.signature.parameters.values(), args, strict=False):
            if is_tensor(parameter.annotation):
                self._check_tensor(parameter.name, parameter.annotation, value, site)

    def _returns(self) -> Site:
        """Where the return annotation stands."""
        source, site = self.captured.source, self.captured.site
        return site if source is None else Site(source.header.get(RETURNS, site.span))

    def _check_tensor(self, name: str, declared: Any, value: Any, site: Site) -> None:
        if not is_tensor(value):
            fail("PTO164", site=site, name=self.__name__, what="kind", argument=name, want="a tensor", got=repr(value))
        wanted = [d for d in declared.declared_shape if d is not Ellipsis]
        exact = len(wanted) == len(declared.declared_shape)
        actual = value.shape
        if wanted and (len(actual) != len(wanted) if exact else len(actual) < len(wanted)):
            fields = {"what": "number of dimensions", "want": len(wanted), "got": len(actual)}
            fail("PTO164", site=site, name=self.__name__, argument=name, **fields)
        for want, got in zip(wanted, actual, strict=False):
            if type(want) is int and want >= 0 and isinstance(got, int) and want != got:
                fail("PTO164", site=site, name=self.__name__, what="shape", argument=name, want=wanted, got=actual)
        dtype = declared.declared_dtype
        if dtype is not None and dtype is not value.dtype:
            fail("PTO164", site=site, name=self.__name__, what="dtype", argument=name, want=dtype, got=value.dtype)


@user_boundary()
def function(decorated: FunctionType) -> FunctionMarker:
    """Mark a helper: its loops and conditions are part of the kernel that calls it.

    Example::

        @pypto.frontend.function
        def add_one(x, out):
            out[:] = x + 1.0
    """
    if not isinstance(decorated, FunctionType):
        fail("PTO103", got=type(decorated).__name__)
    return FunctionMarker(decorated)


@user_boundary()
def dynamic(name: str) -> SymbolicScalar:
    """A named run-time dimension for annotations: equal names are equal sizes."""
    return SymbolicScalar(name)
