"""Pictures of values: what may share a trace and what may not."""

import enum
import math
import random
import re
from array import array
from collections import defaultdict, deque
from dataclasses import dataclass
from functools import partial
from operator import itemgetter, methodcaller
from types import SimpleNamespace

import numpy as np
import pytest

from openpto.frontend.freeze import Identity, freeze
from openpto.ir.dtypes import DataType


class Plain:
    def __init__(self, n):
        self.n = n


class Slotted:
    __slots__ = ("n",)

    def __init__(self, n):
        self.n = n


class Hidden:
    __slots__ = ("__n",)

    def __init__(self, n):
        self.__n = n


@dataclass
class Config:
    tile: int
    names: list


class Colour(enum.Enum):
    RED = 1
    GREEN = 2


def work(a, b):
    return a + b


SAME = [
    (1, 1),
    (math.nan, -math.nan),
    ("a", "a"),
    ([1, {"k": (2.0, None)}], [1, {"k": (2.0, None)}]),
    ({1, 2}, {2, 1}),
    (Plain(3), Plain(3)),
    (Slotted(3), Slotted(3)),
    (Hidden(3), Hidden(3)),
    (itemgetter(0, 1), itemgetter(0, 1)),
    (methodcaller("f", 1, n=2), methodcaller("f", 1, n=2)),
    (deque([1]), deque([1])),
    (SimpleNamespace(n=1), SimpleNamespace(n=1)),
    (Config(1, ["a"]), Config(1, ["a"])),
    (np.arange(4), np.arange(4)),
    (np.float32(1.5), np.float32(1.5)),
    (DataType.DT_FP32, DataType.DT_FP32),
    (work, work),
    (partial(work, 1), partial(work, 1)),
    (slice(1, 2), slice(1, 2)),
]
DIFFERENT = [
    (1, 1.0),
    (1, True),
    (0.0, -0.0),
    (0.0, math.nan),
    (1.0, np.float32(1.0)),
    ("1", 1),
    ("a", b"a"),
    ([1, 2], (1, 2)),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    (Plain(3), Plain(4)),
    (Plain(3), Slotted(3)),
    (Slotted(3), Slotted(4)),
    (Hidden(3), Hidden(4)),
    (itemgetter(0), itemgetter(1)),
    (re.compile("a"), re.compile("b")),
    (array("d", [1.0]), array("d", [2.0])),
    (array("i", [1]), array("h", [1, 0])),
    (deque([1]), deque([2])),
    (SimpleNamespace(n=1), SimpleNamespace(n=2)),
    (np.ma.array([1, 2], mask=[0, 1]), np.ma.array([1, 2], mask=[1, 0])),
    (random.Random(1), random.Random(2)),
    (Config(1, ["a"]), Config(1, ["b"])),
    (np.arange(4), np.arange(4.0)),
    (np.arange(4), np.arange(4).reshape(2, 2)),
    (np.array([0.0]), np.array([-0.0])),
    (Colour.RED, Colour.GREEN),
    (Colour.RED, 1),
    (work, lambda a, b: a + b),
    (object(), object()),
    (partial(work, 1), partial(work, 2)),
    ([partial(work, 1), partial(work, 1), partial(max, 2)], [partial(work, 1), partial(work, 1), partial(max, 3)]),
    (defaultdict(int, {1: 2}), defaultdict(float, {1: 2})),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_same(a, b):
    assert freeze(a) == freeze(b)
    assert hash(freeze(a)) == hash(freeze(b))


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_different(a, b):
    assert freeze(a) != freeze(b)


def test_cycles_end():
    a: list = [1]
    a.append(a)
    b: list = [1]
    b.append(b)
    assert freeze(a) == freeze(b)


def test_shared_and_copied_parts_differ():
    part = [1]
    assert freeze([part, part]) != freeze([[1], [1]])  # a write to one would be a write to both


def test_a_change_is_seen():
    config = Config(1, ["a"])
    before = freeze(config)
    config.names.append("b")
    assert freeze(config) != before


def test_what_reaches_very_many_objects_counts_by_identity():
    """A picture of a library's handle would take minutes."""

    class Node:
        def __init__(self, following):
            self.following = following
            self.items = [object() for _ in range(10)]

    def chain(length):
        node = None
        for _ in range(length):
            node = Node(node)
        return node

    long, short = chain(300), chain(3)
    assert freeze(long) == freeze(long)
    assert isinstance(freeze(long), Identity)
    assert not isinstance(freeze(short), Identity)
