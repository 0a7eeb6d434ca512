"""Whatever a kernel loads from outside may change between two calls: the second call computes with what it is then."""

import array
import collections
import contextvars
import enum
import functools
import operator
import re
import threading
import types

import numpy as np
import pytest
from semantics_support import F32, T, jit

import pypto


class Config:
    SCALE = 2.0

    class Inner:
        SCALE = 2.0

    @staticmethod
    def scaled(x):
        return x * 2.0


class Base:
    LEVEL = 2.0

    def apply(self, x):
        return x * 2.0

    @property
    def scale(self):
        return 2.0

    @property
    def outside(self):
        return through(1.0)


class Meta(type):
    VALUE = 2.0

    @property
    def scale(cls):
        return cls.VALUE


class Made(metaclass=Meta):
    pass


class Mode(enum.Enum):
    FIRST = [2.0]


def through(x):
    return x * FACTOR


def scaled(x, factor=2.0):
    return x * factor


def place(name):
    return ORDER[name]


def first_scale(x):
    return x * (2.0 if sorted(["a", "b"], key=place)[0] == "b" else 3.0)


def attributed(x):
    return x * attributed.scale


def replaced(x):
    return x * 2.0


def tripled(x):
    return x * 3.0


attributed.scale = 2.0
FACTOR = 2.0
OBJECT = Base()
SPACE = types.SimpleNamespace(scale=2.0)
GETTER = operator.itemgetter(0)
PATTERN = re.compile("a")
NUMBERS = array.array("d", [2.0])
OBJECTS = [Base()]
ORDER = {"a": 1, "b": 0}
LOCAL = threading.local()
LOCAL.scale = 2.0
CONTEXT = contextvars.ContextVar("CONTEXT", default=2.0)
QUEUE = collections.deque([2.0])
MASKED = np.ma.array([2.0, 3.0], mask=[False, True])

CASES = {
    "class attribute": (lambda x: x * Config.SCALE, lambda: setattr(Config, "SCALE", 3.0)),
    "attribute of a nested class": (lambda x: x * Config.Inner.SCALE, lambda: setattr(Config.Inner, "SCALE", 3.0)),
    "static method": (lambda x: Config.scaled(x), lambda: setattr(Config, "scaled", staticmethod(tripled))),
    "class attribute of an object": (lambda x: x * OBJECT.LEVEL, lambda: setattr(Base, "LEVEL", 3.0)),
    "method": (lambda x: OBJECT.apply(x), lambda: setattr(Base, "apply", lambda self, x: x * 3.0)),
    "property": (lambda x: x * OBJECT.scale, lambda: setattr(Base, "scale", property(lambda self: 3.0))),
    "name behind a property": (lambda x: x * OBJECT.outside, lambda: globals().update(FACTOR=3.0)),
    "class of a class": (lambda x: x * Made.scale, lambda: setattr(Meta, "VALUE", 3.0)),
    "value of an enumeration": (lambda x: x * Mode.FIRST.value[0], lambda: operator.setitem(Mode.FIRST.value, 0, 3.0)),
    "namespace": (lambda x: x * SPACE.scale, lambda: setattr(SPACE, "scale", 3.0)),
    "attribute of a function": (lambda x: attributed(x), lambda: setattr(attributed, "scale", 3.0)),
    "default of a function": (lambda x: scaled(x), lambda: setattr(scaled, "__defaults__", (3.0,))),
    "code of a function": (lambda x: replaced(x), lambda: setattr(replaced, "__code__", tripled.__code__)),
    "getter": (lambda x: x * GETTER([2.0, 3.0]), lambda: globals().update(GETTER=operator.itemgetter(1))),
    "pattern": (lambda x: x * (2.0 if PATTERN.match("a") else 3.0), lambda: globals().update(PATTERN=re.compile("b"))),
    "typed array": (lambda x: x * NUMBERS[0], lambda: operator.setitem(NUMBERS, 0, 3.0)),
    "queue": (lambda x: x * QUEUE[0], lambda: operator.setitem(QUEUE, 0, 3.0)),
    "masked array": (lambda x: x * float(MASKED.sum()), lambda: globals().update(MASKED=np.ma.array([3.0]))),
    "name behind a property of an item": (lambda x: x * OBJECTS[0].outside, lambda: globals().update(FACTOR=3.0)),
    "name behind the key of a sort": (first_scale, lambda: globals().update(ORDER={"a": 1, "b": 2})),
    "value of a thread": (lambda x: x * LOCAL.scale, lambda: setattr(LOCAL, "scale", 3.0)),
    "context variable": (lambda x: x * CONTEXT.get(), lambda: CONTEXT.set(3.0)),
    "builtin": (lambda x: x * float(max(1, 2)), lambda: globals().update(max=lambda a, b: 3)),
}


@pytest.fixture(autouse=True)
def unchanged():
    """What a test changes is put back."""
    saved = {k: v for k, v in globals().items() if not k.startswith("__")}
    inside = [(o, n, v) for o in (Config, Config.Inner, Base, Meta) for n, v in vars(o).items() if n[:2] != "__"]
    yield
    for name in set(globals()) - set(saved) - {n for n in globals() if n.startswith("__")}:
        del globals()[name]
    globals().update(saved)
    for owner, name, value in inside:
        setattr(owner, name, value)


@pytest.mark.parametrize("case", CASES)
def test_the_next_call_sees_it(case):
    part, change = CASES[case]

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = part(x)

    x, o = np.ones((4, 8), np.float32), np.zeros((4, 8), np.float32)
    for _ in range(2):
        kernel(x, o)
        assert np.all(o == 2)
    assert kernel.compilations == 1
    change()
    for _ in range(2):
        kernel(x, o)
        assert np.all(o == 3)
    assert kernel.compilations == 2


def test_arguments_count_by_what_is_in_them():
    """Getters, and objects whose class has another attribute now."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32), pick, config):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x * pick([2.0, 3.0]) * config.LEVEL * config.outside

    x, o, config = np.ones((4, 8), np.float32), np.zeros((4, 8), np.float32), Base()
    globals()["FACTOR"] = 2.0
    for level, pick, want in ((2.0, 0, 8), (2.0, 1, 12), (5.0, 1, 30)):
        Base.LEVEL = level
        kernel(x, o, operator.itemgetter(pick), config)
        assert np.all(o == want)
    globals()["FACTOR"] = 3.0
    kernel(x, o, operator.itemgetter(1), config)
    assert np.all(o == 45)


def test_a_name_that_is_gone():
    """A mutable global that was deleted is no longer known, rather than remembered."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x * TABLE["scale"]  # noqa: F821 - set below

    x, o = np.ones((4, 8), np.float32), np.zeros((4, 8), np.float32)
    globals()["TABLE"] = {"scale": 2.0}
    kernel(x, o)
    del globals()["TABLE"]
    with pytest.raises(NameError):
        kernel(x, o)


def test_what_stays_is_not_traced_again():
    """Objects with properties, methods, caches and counters of their own keep their trace."""

    class Plan:
        def __init__(self):
            self.sizes = {"rows": 4}

        @functools.cached_property
        def scale(self):
            return 2.0

        @property
        def rows(self):
            return self.sizes["rows"]

        def apply(self, x):
            return x * self.scale

    plan = Plan()
    assert plan.scale == 2.0

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(plan.rows, 8)
        o[:] = plan.apply(x) + Config.SCALE

    x, o = np.ones((4, 8), np.float32), np.zeros((4, 8), np.float32)
    for _ in range(4):
        kernel(x, o)
    assert np.all(o == 4)
    assert kernel.compilations == 1
