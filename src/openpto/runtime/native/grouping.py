"""Nests of element loops that share a function.

Purpose: the code generator's passes take about a millisecond for a function of whatever size, as long as for thirty
lines of a nest. Several nests become one function that is told which of them to run.
Postcondition: every nest is the same code between a branch at its begin and a return at its end; only its registers
and labels are unlike those of all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from openpto._records import dataclass

MOST = 400
"""Lines of a function of several nests: more save little, and leave nothing to a second thread."""
_CALL = "  call void @nest"


@dataclass(frozen=True, slots=True)
class Body:
    """A nest of so many pointers ``%a0`` ... and integers ``%n0`` ...; its lines begin with a label, its name."""

    name: str
    pointers: int
    integers: int
    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Group:
    """Nests of one function, which takes as many pointers and integers as any of them."""

    members: tuple[Body, ...]

    @property
    def pointers(self) -> int:
        """Pointers of the function."""
        return max(body.pointers for body in self.members)

    @property
    def integers(self) -> int:
        """Integers of the function, without the one that selects."""
        return max(body.integers for body in self.members)

    @property
    def name(self) -> str:
        """Of the function: the first nest's."""
        return self.members[0].name

    def text(self) -> list[str]:
        """The function."""
        params = [f"ptr %a{k}" for k in range(self.pointers)] + [f"i64 %n{k}" for k in range(self.integers)]
        choice = []
        if len(self.members) > 1:
            params.insert(0, "i64 %which")
            first, *others = self.members
            cases = " ".join(f"i64 {k}, label %{body.name}" for k, body in enumerate(others, 1))
            choice = ["entry:", f"  switch i64 %which, label %{first.name} [ {cases} ]"]
        head = f"define internal void @{self.name}({', '.join(params)}) noinline {{"
        return [head, *choice, *(line for body in self.members for line in body.lines), "}"]

    def call(self, body: Body, arguments: Sequence[str]) -> str:
        """A call of one of the nests; ``arguments`` have their types in front of them."""
        if len(self.members) > 1:
            pointers = [*arguments[: body.pointers], *["ptr poison"] * (self.pointers - body.pointers)]
            integers = [*arguments[body.pointers :], *["i64 poison"] * (self.integers - body.integers)]
            arguments = [f"i64 {self.members.index(body)}", *pointers, *integers]
        return f"  call void @{self.name}({', '.join(arguments)})"


def groups(bodies: Iterable[Body]) -> list[Group]:
    """Nests that share functions, those with alike parameters together."""
    made: list[list[Body]] = []
    length = 0
    for body in sorted(bodies, key=lambda b: (b.pointers, b.integers)):
        if not made or length + len(body.lines) > MOST:
            made.append([])
            length = 0
        made[-1].append(body)
        length += len(body.lines)
    return [Group(tuple(members)) for members in made]


def redirected(lines: Iterable[str], found: Sequence[Group]) -> list[str]:
    """``lines`` with calls of the functions of ``found`` in place of calls of nests."""
    places: Mapping[str, tuple[Group, Body]] = {body.name: (group, body) for group in found for body in group.members}
    result = []
    for line in lines:
        if line.startswith(_CALL):
            name, arguments = line[line.index("@") + 1 : -1].split("(")
            group, body = places[name]
            line = group.call(body, arguments.split(", ") if arguments else [])
        result.append(line)
    return result
