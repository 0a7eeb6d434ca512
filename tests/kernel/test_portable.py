"""What a kernel's meaning rests on: equal in another process, different when anything that counts is, refused when it
cannot be told."""

from __future__ import annotations

import collections
import functools
import itertools
import json
import math
import operator
import os
import random
import subprocess
import sys
import textwrap

import pytest

from openpto.kernel.portable import NotPortable, picture

BASE = """
import collections
import dataclasses
import enum
import functools
import math
import typing
import numpy as np
import pypto
import helpers

F = pypto.DT_FP32
SCALE = 2.0
TABLE = np.arange(4.0)
NAMES = {"a": 1, "b": (2, 3)}


class Mode(enum.Enum):
    FAST = 1
    SLOW = 2


@dataclasses.dataclass(frozen=True)
class Config:
    size: int = 8
    mode: Mode = Mode.FAST

    def doubled(self):
        return self.size * 2


CONFIG = Config()


class Meta(type):
    @property
    def level(cls):
        return 5


class Made(metaclass=Meta):
    pass


class Slotted:
    "2"
    __slots__ = ("__size",)

    def __init__(self, size):
        self.__size = size

    def size(self):
        return self.__size + int(Slotted.__doc__)


SLOTTED = Slotted(13)


class Limits(enum.Enum):
    LOW = [1, 2]


class Axis(enum.IntEnum):
    ROWS = 10
    COLUMNS = 11

    def other(self):
        return 21 - self


class Sides(enum.IntFlag):
    LEFT = 1
    RIGHT = 2


class Kind(str, enum.Enum):
    SUM = "sum"


class Pair(typing.NamedTuple):
    low: int = 31
    high: int = 32


Point = collections.namedtuple("Point", "down across")


class Sizes:
    def __init__(self, size):
        self.size = size

    @functools.cached_property
    def half(self):
        return self.size // 4


AXIS, SIDES, KIND, PAIR, POINT, SIZES = Axis.ROWS, Sides.LEFT | Sides.RIGHT, Kind.SUM, Pair(), Point(33, 34), Sizes(64)


def inner(x, factor=3):
    return x * factor


def outer(x):
    return inner(x) + math.sqrt(SCALE) + deeper(x)


def deeper(x):
    return x * helpers.DEPTH


def make(depth):
    def kernel(x, out):
        y = outer(x) + helpers.LIMIT + helpers.shift(x) + TABLE[1] + NAMES["a"]
        y = y + AXIS.other() + SIDES.value + len(KIND.value) + PAIR.low + POINT.across + SIZES.half
        y = y + Made.level + Limits.LOW.value[0] + helpers.LAZY + SLOTTED.size()
        if CONFIG.mode is Mode.FAST:
            y = y + depth + CONFIG.doubled()
        out[:] = [v for v in (y,)][0] + pypto.sum(x)
    return kernel


FUNCTION = make(5)
"""
HELPERS = """
LIMIT = 7
DEPTH = 2
UNUSED = 1


def shift(x):
    return x << LIMIT


def __getattr__(name):
    if name == "LAZY":
        return 11
    raise AttributeError(name)
"""


CHANGES = [
    ("SCALE = 2.0", "SCALE = 2.5"),
    ("SCALE = 2.0", "SCALE = 2  "),
    ("np.arange(4.0)", "np.arange(5.0)"),
    ('"b": (2, 3)', '"b": (2, 4)'),
    ("factor=3", "factor=4"),
    ("return x * factor", "return x - factor"),
    ("make(5)", "make(6)"),
    ("size: int = 8", "size: int = 9"),
    ("mode: Mode = Mode.FAST", "mode: Mode = Mode.SLOW"),
    ("return self.size * 2", "return self.size * 3"),
    ("math.sqrt", "math.exp"),
    ("pypto.sum(x)", "pypto.amax(x)"),
    ("return 5", "return 6"),
    ("Slotted(13)", "Slotted(14)"),
    ('    "2"', '    "3"'),
    ("LOW = [1, 2]", "LOW = [3, 2]"),
    ("ROWS = 10", "ROWS = 9"),
    ("AXIS, SIDES, KIND, PAIR, POINT, SIZES = Axis.ROWS", "AXIS, SIDES, KIND, PAIR, POINT, SIZES = Axis.COLUMNS"),
    ("return 21 - self", "return 20 - self"),
    ("Sides.LEFT | Sides.RIGHT", "Sides.LEFT"),
    ('SUM = "sum"', 'SUM = "add"'),
    ("low: int = 31", "low: int = 30"),
    ("Point(33, 34)", "Point(33, 35)"),
    ("down across", "across down"),
    ("self.size // 4", "self.size // 2"),
    ("Sizes(64)", "Sizes(32)"),
    ("y = outer(x)", "\n        y = outer(x)"),  # diagnostics point at lines
]
HELPER_CHANGES = [
    ("LIMIT = 7", "LIMIT = 8"),
    ("x << LIMIT", "x >> LIMIT"),
    ("DEPTH = 2", "DEPTH = 3"),
    ("return 11", "return 12"),
]
VARIANTS = {
    "plain": (BASE, HELPERS),
    "unused": (BASE, HELPERS.replace("UNUSED = 1", "UNUSED = 2")),
    **{f"{old} -> {new}": (BASE.replace(old, new), HELPERS) for old, new in CHANGES},
    **{f"{old} -> {new}": (BASE, HELPERS.replace(old, new)) for old, new in HELPER_CHANGES},
}
PROGRAM = """
import json
import sys
import types

from openpto.kernel.portable import picture

digests = {}
for name, texts in json.load(sys.stdin).items():
    for module, text in zip(("base", "helpers"), texts):
        sys.modules[module] = types.ModuleType(module)
    for module, text in (("helpers", texts[1]), ("base", texts[0])):
        exec(compile(text, module + ".py", "exec"), vars(sys.modules[module]))
    digests[name] = picture(sys.modules["base"].FUNCTION, {"n": 3}).digest
print(json.dumps(digests))
"""


def digests(seed: str) -> dict[str, str]:
    """Digest of ``FUNCTION`` in every variant, computed in a process of its own."""
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", PROGRAM]
    text = json.dumps(VARIANTS)
    done = subprocess.run(command, input=text, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def found() -> dict[str, str]:
    return digests("1")


def test_equal_in_every_process(found):
    assert digests("2") == found


@pytest.mark.parametrize(("old", "new"), CHANGES + HELPER_CHANGES)
def test_what_counts_changes_it(found, old, new):
    assert VARIANTS[f"{old} -> {new}"] != VARIANTS["plain"]
    assert found[f"{old} -> {new}"] != found["plain"]


def test_what_was_computed_and_kept_counts():
    """A value that a cached property gave may be older than what it was computed from."""

    class Sizes:
        def __init__(self):
            self.size = 64

        @functools.cached_property
        def half(self):
            return self.size // 2

    fresh, stale = Sizes(), Sizes()
    stale.size = 8
    assert stale.half == 4
    stale.size = 64
    assert picture(fresh).digest != picture(stale).digest
    assert picture(fresh).digest == picture(Sizes()).digest


def test_what_is_not_used_does_not(found):
    assert found["unused"] == found["plain"]


def from_environment(x):
    return x * int(os.environ.get("TILE", "8"))


def from_file(x):
    return x * len(open("size").read())


def importing(x):
    import random

    return x * random.random()


def by_name(x):
    return getattr(textwrap, "dedent")(x)


def printing(x):
    print(x)


def through_a_helper(x):
    return from_environment(x) + 1


class Reader:
    def size(self):
        return os.getpid()


READER = Reader()


def through_a_method(x):
    return x * READER.size()


def random_numbers(x):
    import_free = np_random
    return x * import_free.random()


np_random = __import__("numpy").random
generator = np_random.default_rng
read = __import__("numpy").load
NUMBERS = random.Random(3)


def other_random_numbers(x):
    return x * np_random.randint(0, 9)


def of_a_generator(x):
    return x * generator().integers(9)


def from_a_file_of_numpy(x):
    return x * read("sizes.npy")


def by_reflection(x):
    return x * of_an_object.__globals__["NUMBERS"]


def of_an_object(x):
    return x * NUMBERS.random()


@pytest.mark.parametrize(
    "function",
    [
        from_environment,
        from_file,
        importing,
        by_name,
        printing,
        through_a_helper,
        through_a_method,
        random_numbers,
        other_random_numbers,
        of_a_generator,
        from_a_file_of_numpy,
        of_an_object,
        by_reflection,
    ],
)
def test_what_may_differ_in_another_process_is_refused(function):
    with pytest.raises(NotPortable):
        picture(function)


def test_objects_that_cannot_be_looked_into_are_refused():
    getters = operator.itemgetter(0), operator.attrgetter("a"), itertools.count(), collections.deque([1])
    for value in (object(), iter([1]), os, os.stat("."), lambda: os.sep, *getters):
        with pytest.raises(NotPortable):
            picture(value)


def test_equal_values_of_different_types_differ():
    values = [1, 1.0, True, "1", b"1", (1,), [1], {1}, {1: None}, None, 0.0, -0.0, slice(1), range(1)]
    assert len({picture(v).digest for v in values}) == len(values)


def test_cycles_end():
    a: list = [1]
    a.append(a)
    assert picture(a).digest == picture(a).digest
    b: list = [1]
    b.append([1, b])
    assert picture(a).digest != picture(b).digest


LEVEL = 3


def reads_level(x):
    return x * LEVEL


def test_guards_tell_of_changes_in_this_process(monkeypatch):
    found = picture(reads_level)
    assert all(guard.holds() for guard in found.guards)
    monkeypatch.setitem(globals(), "LEVEL", 4)
    assert not all(guard.holds() for guard in found.guards)
    assert picture(reads_level).digest != found.digest


def bare(text):
    """The function `f` of a source text that runs without a module name."""
    names: dict[str, object] = {}
    exec(text, names)
    return names["f"]


def wrapped(function):
    """A helper that looks like one of the library."""

    @functools.wraps(math.sqrt)
    def helper(x):
        return function(x)

    del helper.__wrapped__
    return helper


def test_functions_are_not_known_by_what_they_say_of_themselves():
    import pypto

    assert bare("f = lambda x: x.amax(0)").__module__ is None
    assert picture(bare("f = lambda x: x.amax(0)")).digest != picture(bare("f = lambda x: x.amin(0)")).digest
    first, other = wrapped(lambda x: x + 1), wrapped(lambda x: x + 2)
    assert (first.__module__, first.__qualname__) == ("math", "sqrt")
    assert picture(first).digest != picture(other).digest
    assert picture(pypto.add).digest != picture(pypto.sub).digest
    with pytest.raises(NotPortable):
        picture([1, 2].index)


def test_classes_are_not_known_by_what_they_say_of_themselves():
    text = "class C:\n    def size(self):\n        return {}\nf = C"
    assert bare(text.format(1)).__module__ == "builtins"
    assert picture(bare(text.format(1))).digest != picture(bare(text.format(2))).digest
    assert picture(bare(text.format(1))()).digest != picture(bare(text.format(2))()).digest


def test_a_walk_into_a_library_ends():
    """A kernel with an assertion that pytest rewrote reaches pytest itself."""

    def kernel(x):
        assert x, "something"
        return x

    with pytest.raises(NotPortable):
        picture(kernel)
