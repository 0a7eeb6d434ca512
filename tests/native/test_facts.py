"""What compiled tests tell of later ones, and what they do not: sums that may leave 64 bits, slots that change."""

import random

import pytest

from openpto.runtime.native import loopir as L
from openpto.runtime.native.facts import ANY, MOST, Facts

S, N, T = L.Slot("s"), L.Slot("n"), L.Slot("t")


def known(**ranges):
    facts = Facts()
    for name, within in ranges.items():
        facts.name(name, within=within)
    return facts


def test_a_chunk_that_is_not_the_last_is_full():
    """With s + 128 < n, min(n - s, 128) is 128."""
    facts = known(s=(0, MOST - 1), n=ANY)
    facts.learn(L.Bin("eq", L.Bin("subover", N, S), 0))
    facts.name("left", L.sub(N, S))
    facts.name("live", L.binary("min", L.Slot("left"), 128))
    last = L.binary("or", L.binary("addover", S, 128), L.binary("ge", L.add(S, 128), N))
    facts.enter()
    facts.learn(last, holds=False)
    assert facts.proves("eq", L.Slot("live"), 128)
    facts.leave()
    assert not facts.proves("ge", L.Slot("live"), 128)
    facts.enter()
    facts.learn(last)
    assert not facts.proves("ge", L.Slot("live"), 128)


def test_a_sum_that_may_leave_64_bits_proves_nothing():
    """s + 1 > s is wrong for the greatest s, until it is known that the sum fits."""
    facts = known(s=ANY)
    following = L.add(S, 1)
    assert not facts.proves("gt", following, S)
    facts.learn(L.Bin("eq", L.Bin("addover", S, 1), 0))
    assert facts.proves("gt", following, S)


def test_a_slot_that_changes_proves_nothing():
    """Only names that are set once count."""
    facts = known(s=ANY)
    facts.learn(L.Bin("ge", T, 0))
    assert not facts.proves("ge", T, 0)
    facts.name("n", L.add(T, 1))
    facts.keep(L.add(T, 1), N)
    assert facts.kept(L.add(T, 1)) is None


def test_decide():
    """Parts that are certain go away; the rest stays as it is."""
    facts = known(s=(0, 7), n=ANY)
    open_end = L.binary("lt", S, N)
    assert facts.decide(L.binary("and", L.binary("ge", S, 0), open_end)) == open_end
    assert facts.decide(L.binary("or", L.binary("le", S, 7), open_end)) == 1
    assert facts.decide(L.binary("min", S, 9)) == S
    assert facts.decide(L.binary("ne", L.add(S, 1), 0)) == 1
    assert facts.decide(L.Bin("and", S, N)) == L.Bin("and", S, N)


def test_what_is_held_ends_with_its_body():
    """A value is computed again where the body that computed it has ended."""
    facts = known(s=ANY)
    facts.enter()
    facts.keep(L.add(S, 1), N)
    assert facts.kept(L.add(S, 1)) == N
    facts.leave()
    assert facts.kept(L.add(S, 1)) is None


def value(node, env):
    """An integer expression in Python's numbers, wrapped to 64 bits."""
    if isinstance(node, int):
        return node
    if isinstance(node, L.Slot):
        return env[node.name]
    a, b = value(node.left, env), value(node.right, env)
    results = {"add": a + b, "sub": a - b, "mul": a * b, "min": min(a, b), "max": max(a, b)}
    results |= {"ge": a >= b, "gt": a > b, "le": a <= b, "lt": a < b, "eq": a == b, "ne": a != b}
    results |= {"and": int(a) & int(b), "or": int(a) | int(b)}
    return (int(results[node.op]) + 2**63) % 2**64 - 2**63


def drawn(rng, depth):
    """A random expression over s, n and t."""
    if depth == 0 or rng.random() < 0.2:
        return rng.choice([S, N, T, rng.randint(-3, 3), rng.choice([MOST, -MOST, 128])])
    op = rng.choice(["add", "sub", "min", "max", "add", "sub"])
    return L.Bin(op, drawn(rng, depth - 1), drawn(rng, depth - 1))


@pytest.mark.parametrize("seed", range(12))
def test_what_is_proved_holds(seed):
    """Random tests are told or asked; whatever is decided is so for random values that meet what was told."""
    rng = random.Random(seed)
    for _ in range(60):
        facts = known(s=(-2, 5), n=ANY, t=(0, 2**31))
        told = []
        for _ in range(rng.randint(0, 3)):
            test = L.Bin(rng.choice(["lt", "ge", "eq", "le"]), drawn(rng, 2), drawn(rng, 1))
            told.append((test, rng.random() < 0.7))
            facts.learn(*told[-1])
        facts.name("m", drawn(rng, 2))
        meant = facts.meaning.get("m", 0)
        asked = L.Bin(rng.choice(["lt", "ge", "eq", "ne"]), rng.choice([L.Slot("m"), drawn(rng, 2)]), drawn(rng, 1))
        found = facts.decide(asked)
        for _ in range(40):
            env = {"s": rng.randint(-2, 5), "n": rng.choice([rng.randint(-5, 5), MOST, -MOST]), "t": rng.randint(0, 4)}
            env["m"] = value(meant, env)
            if "m" not in facts.meaning and L.Slot("m") in (asked.left,):
                continue
            if all(bool(value(test, env)) == holds for test, holds in told):
                assert value(found, env) == value(asked, env)
