"""What is certain about integers at a point of the program.

Purpose: tests of the program (checks that passed, the branch that is taken, the range of a loop) decide other tests
and tell that a tile is full.
Precondition: names are set once, and read only where they are set. Postcondition: what :meth:`Facts.proves` says holds
for every run that reaches the point.
Method: integers are linear forms over names, over the mathematical integers; a sum that could leave 64 bits is no form
unless a check has said that it does not. A proof adds at most two facts to what the ranges of the names give.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from openpto._records import dataclass, field

from .loopir import Bin, Index, Slot, is_truth

LEAST, MOST = -(2**63), 2**63 - 1
Range = tuple[int, int]
ANY: Range = (LEAST, MOST)
Form = tuple[dict[str, int], int]
"""Coefficients of names, and a constant."""

_DEPTH = 3
_FOLLOWED = 12
_NEGATED = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}
_BITS = ((0, 0), (0, 1), (1, 1))
_PICKS: dict[str, Callable[[int, int], int]] = {"min": min, "max": max}


@dataclass(slots=True)
class _Scope:
    """``forms`` are at least 0, ``exact`` sums stay within 64 bits, ``held`` are computed already."""

    forms: list[Form] = field(default_factory=list)
    exact: set[Bin] = field(default_factory=set)
    held: dict[Index, Slot] = field(default_factory=dict)


class Facts:
    """Facts by scope: what a body adds ends with it."""

    def __init__(self) -> None:
        self.scopes = [_Scope()]
        self.meaning: dict[str, Bin] = {}
        self.ranges: dict[str, Range] = {}
        self.answers: dict[tuple[frozenset[tuple[str, int]], int], bool] = {}

    # -- what is told --------------------------------------------------------------------------------------------

    def enter(self) -> None:
        """A body of its own begins."""
        self.scopes.append(_Scope())

    def leave(self) -> None:
        """It ends."""
        if self.scopes.pop().forms:
            self.answers.clear()

    def state(self) -> _Scope:
        """To come back to."""
        last = self.scopes[-1]
        return _Scope(list(last.forms), set(last.exact), dict(last.held))

    def restore(self, state: _Scope) -> None:
        """Forget what this scope learned since."""
        self.answers.clear()
        self.scopes[-1] = _Scope(list(state.forms), set(state.exact), dict(state.held))

    def name(self, slot: str, value: Index | None = None, within: Range = ANY) -> None:
        """``slot`` is set once, to ``value`` if that is known, and lies in a range."""
        if isinstance(value, Bin):
            self.meaning[slot] = value
            within = self._range(value)
        elif value is not None:
            within = self.range(value)
        self.ranges[slot] = within

    def same(self, slot: str, value: Index) -> None:
        """``slot`` is set once, to what ``value`` is then."""
        self.name(slot, Bin("add", value, 0) if isinstance(value, Slot) and value.name in self.ranges else value)

    def keep(self, value: Index, slot: Slot) -> None:
        """``slot`` holds ``value``, which is not to be computed again."""
        if self._fixed(value):
            self.scopes[-1].held[value] = slot

    def kept(self, value: Index) -> Slot | None:
        """The slot that holds ``value`` already."""
        return next((s.held[value] for s in reversed(self.scopes) if value in s.held), None)

    def _fixed(self, node: Index) -> bool:
        if isinstance(node, Slot):
            return node.name in self.ranges
        return isinstance(node, int) or (isinstance(node, Bin) and self._fixed(node.left) and self._fixed(node.right))

    def learn(self, truth: Index, holds: bool = True) -> None:
        """``truth`` is (not) 0 from here on."""
        if isinstance(truth, Slot) and truth.name in self.meaning:
            truth = self.meaning[truth.name]
        if not isinstance(truth, Bin):
            return
        if truth.op == ("and" if holds else "or"):
            self.learn(truth.left, holds)
            self.learn(truth.right, holds)
        elif truth.op in ("addover", "subover", "mulover"):
            if not holds:
                self.answers.clear()
                self.scopes[-1].exact.add(Bin(truth.op[:3], truth.left, truth.right))
        elif truth.op in ("eq", "ne") and truth.right == 0 and self._is_truth(truth.left):
            self.learn(truth.left, holds == (truth.op == "ne"))
        elif truth.op in _NEGATED:
            self.scopes[-1].forms.extend(self._forms(truth, holds))
            self.answers.clear()

    def _is_truth(self, node: Index) -> bool:
        if isinstance(node, Slot):
            node = self.meaning.get(node.name, node)
        return isinstance(node, Bin) and is_truth(node)

    def _forms(self, test: Bin, holds: bool) -> Iterator[Form]:
        """The forms that are at least 0 if a comparison holds (or does not)."""
        op = test.op if holds else _NEGATED[test.op]
        a, b = self.form(test.left), self.form(test.right)
        if a is None or b is None or op == "ne":
            return
        if op in ("ge", "gt", "eq"):
            yield _sum(a, b, -1, -(op == "gt"))
        if op in ("le", "lt", "eq"):
            yield _sum(b, a, -1, -(op == "lt"))

    # -- forms and ranges ----------------------------------------------------------------------------------------

    def form(self, node: Index, steps: int = _FOLLOWED) -> Form | None:
        """The linear form of an integer, if it is one of names that never change. What a name stands for is looked up
        ``steps`` times in a row; behind that it stands for itself."""
        if isinstance(node, int):
            return {}, node
        if isinstance(node, Slot):
            if node.name not in self.ranges:
                return None
            meant = self.meaning.get(node.name)
            follow = steps and meant is not None and meant.op in ("add", "sub", "mul")
            found = self.form(meant, steps - 1) if follow and meant is not None else None
            return found if found is not None else ({node.name: 1}, 0)
        if not isinstance(node, Bin) or node.op not in ("add", "sub", "mul"):
            return None
        a, b = self.form(node.left, steps), self.form(node.right, steps)
        if a is None or b is None:
            return None
        if node.op != "mul":
            made = _sum(a, b, 1 if node.op == "add" else -1)
        elif not b[0] or not a[0]:
            (terms, constant), factor = (a, b[1]) if not b[0] else (b, a[1])
            made = {n: c * factor for n, c in terms.items() if factor}, constant * factor
        else:
            return None
        low, high = self._spread(made)
        return made if (low >= LEAST and high <= MOST) or self._is_exact(node) else None

    def _is_exact(self, node: Bin) -> bool:
        return any(node in scope.exact for scope in self.scopes)

    def _spread(self, form: Form) -> Range:
        low = high = form[1]
        for name, factor in form[0].items():
            a, b = self.ranges[name]
            low, high = low + min(a * factor, b * factor), high + max(a * factor, b * factor)
        return low, high

    def range(self, node: Index) -> Range:
        """An interval around every value of an integer."""
        if isinstance(node, int):
            return node, node
        if isinstance(node, Slot):
            return self.ranges.get(node.name, ANY)
        return self._range(node) if isinstance(node, Bin) else ANY

    def _range(self, node: Bin) -> Range:
        if is_truth(node):
            return 0, 1
        (a, b), (c, d) = self.range(node.left), self.range(node.right)
        if node.op in ("and", "or"):
            return (0, 1) if min(a, c) >= 0 and max(b, d) <= 1 else ANY
        if node.op in _PICKS:
            pick = _PICKS[node.op]
            return pick(a, c), pick(b, d)
        if node.op == "add":
            made = a + c, b + d
        elif node.op == "sub":
            made = a - d, b - c
        elif node.op == "mul":
            corners = (a * c, a * d, b * c, b * d)
            made = min(corners), max(corners)
        elif node.op == "mod" and a >= 0 and c > 0:
            return 0, min(b, d - 1)
        elif node.op == "div" and a >= 0 and c > 0:
            return a // d, b // c
        else:
            return ANY
        return made if made[0] >= LEAST and made[1] <= MOST else ANY

    # -- proofs --------------------------------------------------------------------------------------------------

    def proves(self, op: str, a: Index, b: Index) -> bool:
        """Whether ``a op b`` certainly holds; ``op`` in ge gt le lt eq ne."""
        x, y = self.form(a), self.form(b)
        if x is None or y is None:
            return False
        up, down = _sum(x, y, -1), _sum(y, x, -1)
        if op in ("ge", "gt"):
            return self._positive(_sum(up, ({}, 0), 1, -(op == "gt")))
        if op in ("le", "lt"):
            return self._positive(_sum(down, ({}, 0), 1, -(op == "lt")))
        if op == "eq":
            return self._positive(up) and self._positive(down)
        return self._positive(_sum(up, ({}, 0), 1, -1)) or self._positive(_sum(down, ({}, 0), 1, -1))

    def decide(self, truth: Index) -> Index:
        """A truth value without the parts that are certain; the one of two values that certainly is the least."""
        if not isinstance(truth, Bin):
            return truth
        if truth.op in ("and", "or") and self.range(truth) in _BITS:
            left, right = self.decide(truth.left), self.decide(truth.right)
            strong = 0 if truth.op == "and" else 1
            if strong in (left, right):
                return strong
            if isinstance(left, int):
                return right
            if isinstance(right, int):
                return left
            return truth if left is truth.left and right is truth.right else Bin(truth.op, left, right)
        if truth.op in _PICKS:
            if self.proves("le", truth.left, truth.right):
                return truth.left if truth.op == "min" else truth.right
            if self.proves("ge", truth.left, truth.right):
                return truth.right if truth.op == "min" else truth.left
        if truth.op in _NEGATED:
            if self.proves(truth.op, truth.left, truth.right):
                return 1
            if self.proves(_NEGATED[truth.op], truth.left, truth.right):
                return 0
        return truth

    def _positive(self, form: Form) -> bool:
        """Whether a form is at least 0; asked again, the answer is known."""
        key = frozenset(form[0].items()), form[1]
        if key not in self.answers:
            self.answers[key] = self._search(form, _DEPTH)
        return self.answers[key]

    def _search(self, form: Form, depth: int) -> bool:
        low, high = self._spread(form)
        if low >= 0:
            return True
        if high < 0 or depth == 0:
            return False
        for scope in reversed(self.scopes):
            for fact in scope.forms:
                if not form[0].keys().isdisjoint(fact[0]):
                    rest = _sum(form, fact, -1)
                    if len(rest[0]) <= len(form[0]) and self._search(rest, min(depth - 1, 1)):
                        return True
        return self._picked(form, depth)

    def _picked(self, form: Form, depth: int) -> bool:
        """A proof that takes a least or greatest of two values apart."""
        for name, factor in form[0].items():
            meant = self.meaning.get(name)
            if meant is None or meant.op not in _PICKS:
                continue
            rest = {n: c for n, c in form[0].items() if n != name}, form[1]
            sides = [self.form(meant.left), self.form(meant.right)]
            found = (s is not None and self._search(_sum(rest, s, factor), depth - 1) for s in sides)
            if all(found) if (factor > 0) == (meant.op == "min") else any(found):
                return True
        return False


def _sum(a: Form, b: Form, sign: int, constant: int = 0) -> Form:
    if not b[0]:
        return a[0], a[1] + sign * b[1] + constant
    terms = dict(a[0])
    for name, factor in b[0].items():
        new = terms.get(name, 0) + sign * factor
        if new:
            terms[name] = new
        else:
            terms.pop(name, None)
    return terms, a[1] + sign * b[1] + constant
