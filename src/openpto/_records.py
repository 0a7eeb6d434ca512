"""Data classes that are cheap to define and cheap to make.

The standard library compiles six functions for each data class and sets every field of a frozen one through
``object.__setattr__``. Of the two hundred classes of this package that took half of the time of its import, and a tenth
of the time of a compilation, which makes tens of thousands of nodes. To a type checker the names here are the standard
library's, so it refuses to set a field of a frozen class; nothing does while the program runs.

Classes whose instances users hold for long, such as receipts, are the standard library's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace
else:
    import dataclasses
    from dataclasses import MISSING, field
    from functools import cache
    from operator import attrgetter
    from reprlib import recursive_repr
    from types import FunctionType

    @dataclasses.dataclass
    class _Example:
        plain: int

    _ORDINARY = dataclasses.fields(_Example)[0]._field_type

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, repr=True):
        """As the standard library's; names of init variables and keyword-only fields are not known here."""

        def made(cls):
            return _made(cls, frozen, slots, eq, repr)

        return made if cls is None else made(cls)

    def replace(node, /, **changes):
        """A copy with other values of some fields; also of the standard library's data classes."""
        kind = type(node)
        for name in kind.__match_args__:
            if name not in changes:
                changes[name] = getattr(node, name)
        return kind(**changes)

    def _made(cls, frozen, slots, eq, repr):
        own = _own_fields(cls)
        inherited = {}
        for base in cls.__mro__[-1:0:-1]:
            inherited |= base.__dict__.get("__dataclass_fields__", {})
        every = inherited | own
        if slots:
            cls = _with_slots(cls, own, inherited)
        else:
            for name, f in own.items():
                if f.default is not MISSING:
                    setattr(cls, name, f.default)
                elif name in cls.__dict__:
                    delattr(cls, name)
        names = tuple(f.name for f in every.values() if f.compare)
        given = cls.__dict__
        methods = {"__init__": _init(cls, every)}
        if repr:
            methods["__repr__"] = _repr([f.name for f in every.values() if f.repr])
        if eq:
            content = _content(names)
            methods["__eq__"] = _equality(content)
            methods["__hash__"] = _hash(content) if frozen else None
        for name, method in methods.items():
            if given.get(name) is not None:  # the class has its own
                continue
            if method is not None:
                method.__qualname__ = f"{cls.__qualname__}.{name}"
            setattr(cls, name, method)
        cls.__dataclass_fields__ = every
        if "__match_args__" not in given:
            cls.__match_args__ = tuple(f.name for f in every.values() if f.init)
        return cls

    def _own_fields(cls):
        """The fields that a class itself declares, by name."""
        found = {}
        texts = cls.__dict__.get("__annotations__", {})  # noqa: RUF063 - the modules here have texts; quicker by far
        for name, kind in texts.items():
            if kind.startswith(("ClassVar", "typing.ClassVar")):
                continue
            default = cls.__dict__.get(name, MISSING)
            made = default if isinstance(default, dataclasses.Field) else field(default=default)
            made.name, made.type, made._field_type = name, kind, _ORDINARY
            found[name] = made
        return found

    def _with_slots(cls, own, inherited):
        """The class once more, with slots for its fields."""
        content = {name: value for name, value in cls.__dict__.items() if name not in own}
        content.pop("__dict__", None)
        content.pop("__weakref__", None)
        content["__slots__"] = tuple(name for name in own if name not in inherited)
        made = type(cls)(cls.__name__, cls.__bases__, content)
        made.__qualname__ = cls.__qualname__
        return made

    def _init(cls, fields):
        """``__init__``. Where every field only takes an argument, classes of as many fields share one compilation."""
        plain = all(f.init and f.default_factory is MISSING for f in fields.values())
        if not plain or hasattr(cls, "__post_init__"):
            return _special_init(cls, fields)
        names = tuple(fields)
        code = _template(len(names)).replace(co_varnames=("self", *names), co_names=names)
        optional = [f.default is not MISSING for f in fields.values()]
        assert optional == sorted(optional), "a field without a default follows one with a default"
        defaults = tuple(f.default for f in fields.values() if f.default is not MISSING)
        return FunctionType(code, globals(), "__init__", defaults or None)

    @cache
    def _template(count):
        """Code that sets so many fields to its arguments."""
        parameters = "".join(f", f{k}" for k in range(count))
        body = "".join(f"\n self.f{k} = f{k}" for k in range(count)) or " pass"
        names = {}
        exec(f"def __init__(self{parameters}):{body}", names)
        return names["__init__"].__code__

    def _special_init(cls, fields):
        names = {"_MISSING": MISSING, "__name__": cls.__module__}
        parameters, lines = [], []
        for name, f in fields.items():
            value, default = name, ""
            if f.default_factory is not MISSING:
                names[f"_make_{name}"] = f.default_factory
                value, default = f"_make_{name}() if {name} is _MISSING else {name}", "=_MISSING"
            elif f.default is not MISSING:
                names[f"_default_{name}"] = f.default
                default = f"=_default_{name}"
            if f.init:
                parameters.append(name + default)
                lines.append(f" self.{name} = {value}")
        if hasattr(cls, "__post_init__"):
            lines.append(" self.__post_init__()")
        exec("\n".join([f"def __init__({', '.join(['self', *parameters])}):", *lines]), names)
        return names["__init__"]

    def _content(names):
        """A function that gives what counts of an instance."""
        if len(names) > 1:
            return attrgetter(*names)
        if not names:
            return lambda self: ()
        only = attrgetter(names[0])
        return lambda self: (only(self),)

    def _equality(content):
        def __eq__(self, other):  # noqa: N807
            return content(self) == content(other) if other.__class__ is self.__class__ else NotImplemented

        return __eq__

    def _hash(content):
        def __hash__(self):  # noqa: N807
            return hash(content(self))

        return __hash__

    def _repr(names):
        @recursive_repr()
        def __repr__(self):  # noqa: N807
            values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
            return f"{self.__class__.__qualname__}({values})"

        return __repr__


__all__ = ["dataclass", "field", "replace"]
