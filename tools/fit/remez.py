"""Minimax fits with FP32 or FP64 coefficients.

``fit`` finds the coefficients c of ``sum(c[k] * x**powers[k])`` that minimise the greatest ``|weight * error|`` on an
interval, by the exchange algorithm in multiple precision. ``fit_float32`` then rounds one coefficient after the
other, most significant first, and fits the remaining ones again, so that each rounding is made up for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from mpmath import cos, lu_solve, matrix, mp, mpf, pi, sign

mp.prec = 160
Function = Callable[[mpf], mpf]
GRID = 800


@dataclass(frozen=True)
class Problem:
    """Approximate ``f`` on [low, high] by the given powers of x; the error is measured times ``weight``."""

    f: Function
    weight: Function
    low: mpf
    high: mpf
    powers: tuple[int, ...]


def float32(value: mpf) -> float:
    """Nearest FP32 value (through FP64; the double rounding is harmless for a fit)."""
    return float(np.float32(float(value)))


def fit(problem: Problem) -> tuple[list[mpf], float]:
    """Minimax coefficients and the weighted error they reach."""
    middle, half = (problem.low + problem.high) / 2, (problem.high - problem.low) / 2
    xs = [middle - half * cos(pi * k / (GRID - 1)) for k in range(GRID)]
    # Powers from p upwards are x^p times an ordinary polynomial: on both sides of 0 errors alternate after division
    # by sign(x)^p.
    weights = np.array([abs(problem.weight(x)) * sign(x) ** problem.powers[0] for x in xs], dtype=object)
    target = np.array([problem.f(x) for x in xs], dtype=object) * weights
    basis = np.array([[x**p for p in problem.powers] for x in xs], dtype=object) * weights[:, None]
    n = len(problem.powers)
    chosen = [round((GRID - 1) * (k + 0.5) / (n + 1)) for k in range(n + 1)]
    for _ in range(60):
        system = matrix([[*basis[i], mpf((-1) ** k)] for k, i in enumerate(chosen)])
        solution = lu_solve(system, matrix([target[i] for i in chosen]))
        coefficients = [solution[k] for k in range(n)]
        error = target - basis.dot(np.array(coefficients, dtype=object))
        worst = max(abs(error))
        if worst <= abs(solution[n]) * mpf("1.0001"):
            break
        previous, chosen = chosen, _extrema(error, n + 1)
        if chosen == previous:
            break
    return coefficients, float(worst)


def _extrema(error: np.ndarray, count: int) -> list[int]:
    """Indices of ``count`` alternating extrema that contain the greatest one."""
    found: list[int] = []
    for i, value in enumerate(error):
        if found and (value > 0) == (error[found[-1]] > 0):
            if abs(value) > abs(error[found[-1]]):
                found[-1] = i
        else:
            found.append(i)
    size = [abs(e) for e in error]
    while len(found) > count:
        least = min(range(len(found)), key=lambda k: size[found[k]])
        # An end can go alone; inside, a neighbour goes too, or the signs would not alternate any more.
        if least in (0, len(found) - 1) or len(found) == count + 1:
            found.pop(0 if size[found[0]] < size[found[-1]] else -1)
        else:
            other = least - 1 if size[found[least - 1]] < size[found[least + 1]] else least + 1
            del found[min(least, other) : max(least, other) + 1]
    if len(found) < count:
        raise ArithmeticError("the error does not alternate often enough; change powers or interval")
    return found


def fit_float64(problem: Problem) -> tuple[list[float], float]:
    """FP64 coefficients; their rounding is far below the error of the fit."""
    coefficients, error = fit(problem)
    return [float(c) for c in coefficients], error


def fit_float32(problem: Problem, pinned: Sequence[float] = ()) -> tuple[list[float], float]:
    """FP32 coefficients in the order of ``powers`` and the weighted error after rounding.

    ``pinned`` fixes the first coefficients.
    """
    fixed: list[float] = list(pinned)
    while True:
        done = len(fixed)

        def rest(x: mpf, known: tuple[float, ...] = tuple(fixed)) -> mpf:
            return problem.f(x) - sum((mpf(c) * x**p for c, p in zip(known, problem.powers, strict=False)), mpf(0))

        if done == len(problem.powers):
            points = [problem.low + (problem.high - problem.low) * k / 4000 for k in range(1, 4000)]
            return fixed, float(max(abs(rest(x) * problem.weight(x)) for x in points))
        remaining = Problem(rest, problem.weight, problem.low, problem.high, problem.powers[done:])
        coefficients, _ = fit(remaining)
        fixed.append(float32(coefficients[0]))
