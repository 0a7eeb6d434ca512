"""The package's data classes behave like the standard library's, apart from the freezing."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import ClassVar

import pytest

from openpto._records import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 7
    unit: ClassVar[str] = "mm"


@dataclass(frozen=True, slots=True)
class Deeper(Point):
    z: int = 0


@dataclass(slots=True)
class Bag:
    name: str
    items: list[int] = field(default_factory=list)
    shown: int = field(default=3, repr=False)
    total: int = field(init=False)

    def __post_init__(self) -> None:
        self.total = sum(self.items)


@dataclass(frozen=True, slots=True, eq=False)
class Thing:
    value: int


@dataclass
class Open:
    value: int = 1


@dataclass(frozen=True)
class Rounded:
    value: float

    def __init__(self, value: float) -> None:
        self.value = round(value)  # type: ignore[misc]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rounded)

    def __repr__(self) -> str:
        return f"about {self.value}"


def test_arguments_and_defaults() -> None:
    assert (Point(1).x, Point(1).y, Point(y=2, x=1).y, Point.unit) == (1, 7, 2, "mm")
    assert (Deeper(1, 2, 3).z, Deeper(1).y) == (3, 7)
    assert Open().value == 1
    assert Open(4).__dict__ == {"value": 4}
    with pytest.raises(TypeError, match="required positional argument: 'x'"):
        Point()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword"):
        Point(1, z=2)  # type: ignore[call-arg]


def test_equality_and_hash() -> None:
    assert Point(1, 2) == Point(1, 2) != Point(1, 3)
    assert Point(1, 2) != Deeper(1, 2)
    assert hash(Point(1, 2)) == hash(Point(1, 2))
    assert {Point(1): "a"}[Point(1)] == "a"
    assert Thing(1) != Thing(1)
    assert Bag("a") == Bag("a")
    with pytest.raises(TypeError, match="unhashable"):
        hash(Bag("a"))


def test_methods_of_the_class_itself_stay() -> None:
    assert repr(Rounded(1.2)) == "about 1"
    assert Rounded(1.2) == Rounded(7)
    assert hash(Rounded(1.2)) == hash(Rounded(1.4))


def test_nothing_is_frozen() -> None:
    point = Point(1)
    point.x = 2  # type: ignore[misc]
    assert point == Point(2)


def test_slots() -> None:
    assert not hasattr(Point(1), "__dict__")
    assert Deeper.__slots__ == ("z",)
    with pytest.raises(AttributeError):
        Bag("a").other = 1  # type: ignore[attr-defined]


def test_factories_make_a_new_value_each_time() -> None:
    first = Bag("a")
    first.items.append(1)
    assert Bag("b").items == []
    assert Bag("b", [2, 3]).total == 5


def test_text_and_patterns() -> None:
    assert repr(Bag("a", [1])) == "Bag(name='a', items=[1], total=1)"
    match Point(4, 5):
        case Point(x, y):
            assert (x, y) == (4, 5)


def test_functions_of_the_standard_library() -> None:
    assert [f.name for f in dataclasses.fields(Deeper)] == ["x", "y", "z"]
    assert dataclasses.asdict(Point(1, 2)) == {"x": 1, "y": 2}
    assert dataclasses.replace(Point(1, 2), y=3) == Point(1, 3) == replace(Point(1, 2), y=3)
    assert copy.deepcopy(Deeper(1, 2, 3)) == Deeper(1, 2, 3)
    assert pickle.loads(pickle.dumps(Point(1, 2))) == Point(1, 2)
    assert replace(Bag("a", [1]), items=[2]).total == 2


def test_no_field_without_a_default_after_one_with_a_default() -> None:
    with pytest.raises(AssertionError):

        @dataclass(frozen=True, slots=True)
        class Wrong:
            x: int = 1
            y: int  # type: ignore[misc]
