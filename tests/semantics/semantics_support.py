"""What the tests of this folder share: short names, expectations of errors and warnings, and test data."""

from __future__ import annotations

import linecache
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import openpto
import pypto
from pypto import PyptoError, PyptoWarning

F32, I32, I64, BOOL = pypto.DT_FP32, pypto.DT_INT32, pypto.DT_INT64, pypto.DT_BOOL
D, S = pypto.DYNAMIC, pypto.STATIC
T = pypto.Tensor
jit = pypto.frontend.jit
TARGETS = ("0.2", "0.3")
UNWRITTEN = -777.0


def line_of(diagnostic: PyptoError | PyptoWarning) -> str:
    """The user's source line that an error or a warning points at."""
    span = diagnostic.site.span
    assert span is not None, f"no place: {diagnostic}"
    return linecache.getline(span.file, span.line).strip()


@contextmanager
def fails(match: str, line: str | None = None, code: str | None = None, exc: type = PyptoError) -> Iterator[object]:
    """The block stops with a coded error whose text matches and whose place is a line that contains `line`."""
    with pytest.raises(PyptoError) as caught:
        yield caught
    error = caught.value
    assert re.search(match, str(error), re.IGNORECASE | re.DOTALL), f"{match!r} is not in:\n{error}"
    assert isinstance(error, exc), type(error).__mro__
    if line is not None:
        assert line in line_of(error), f"{line!r} is not in {line_of(error)!r}:\n{error}"
    if code is not None:
        assert error.code == code, str(error)
    assert error.code in str(error)


@contextmanager
def warns(match: str, line: str | None = None) -> Iterator[None]:
    """The block warns with a matching text, at a line that contains `line`."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    ours = [w.message for w in caught if isinstance(w.message, PyptoWarning)]
    found = [w for w in ours if re.search(match, str(w), re.IGNORECASE | re.DOTALL)]
    assert found, f"{match!r} is in none of {[str(w) for w in ours]}"
    if line is not None:
        assert any(line in line_of(w) for w in found), [line_of(w) for w in found]


@contextmanager
def silent() -> Iterator[None]:
    """The block gives no warning of ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", PyptoWarning)
        yield


def refused_by(profiles: tuple[str, ...], match: str, call: Callable[[], object], line: str | None = None) -> None:
    """`call` runs with a warning; chosen as target, each of `profiles` refuses it and the others say nothing."""
    with warns(match, line):
        call()
    for target in TARGETS:
        with openpto.configure(target=target):
            if target in profiles:
                with fails(match, line):
                    call()
            else:
                with silent():
                    call()


def whole(*shape: int, seed: int = 0, low: int = -99, high: int = 100) -> np.ndarray:
    """Small whole numbers as FP32: sums and products of a few of them are exact."""
    return np.random.default_rng(seed).integers(low, high, shape).astype(np.float32)


def blank(*shape: int, dtype: type = np.float32) -> np.ndarray:
    """An output in which every element that was not written can be told."""
    return np.full(shape, UNWRITTEN, dtype)
