"""The edge between our code and the user's: what an exception looks like when it leaves.

A coded error shows the user's frames only. An exception of the user's own code passes unchanged, without our frames.
Anything else is a mistake of ours and becomes PTO901. `PYPTO_BACKTRACE=1` keeps every frame and every cause.
"""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
from collections.abc import Callable
from types import CodeType, TracebackType
from typing import Literal, ParamSpec, TypeVar

from openpto.diagnostics.errors import PyptoError, make_error
from openpto.diagnostics.warning import PyptoWarning

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., object])

Origin = Literal["ours", "library", "user"]

_PASSING = (PyptoError, PyptoWarning, MemoryError)
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_BESIDE = os.path.dirname(_PACKAGE)
_OWN_PLACES = (
    *(os.path.join(directory, "") for directory in (_PACKAGE, os.path.join(_BESIDE, "pypto"))),
    os.path.join(_BESIDE, "openpto_gym", "registry.py"),  # its operators are kernels like those of users
)
_LIBRARY_DIRECTORIES = tuple(
    {os.path.join(path, "") for name, path in sysconfig.get_paths().items() if name in ("stdlib", "purelib", "platlib")}
)
_traced_files: set[str] = set()
_stand_ins: set[CodeType] = set()


def note_user_file(file: str) -> None:
    """Declare a file as the user's although it lies among installed packages (an installed kernel collection)."""
    _traced_files.add(file)


def stands_in(function: F) -> F:
    """Decorator: a function of ours that runs in the place of one of Python's: what fails in it is the user's."""
    _stand_ins.add(function.__code__)
    return function


def backtrace_wanted() -> bool:
    """True if the user asked to see frames of ours."""
    return os.environ.get("PYPTO_BACKTRACE", "") not in ("", "0")


def handled() -> BaseException | None:
    """The exception that is being handled here. Python 3.11 has a function for it that is faster."""
    return sys.exc_info()[1]


if sys.version_info >= (3, 11):
    handled = sys.exception


def trim(exc: BaseException, outer: BaseException | None = None) -> BaseException:
    """Take our frames off the traceback, and causes raised by us off the chain; returns the exception.

    `outer` is the exception that the user was already handling when our code was called; it stays in the chain.
    """
    if backtrace_wanted():
        return exc
    exc.__traceback__ = _user_frames(exc.__traceback__)
    if isinstance(exc, (PyptoError, PyptoWarning)):
        suppressed = exc.__suppress_context__
        exc.__cause__ = None
        exc.__context__ = outer if outer is not exc else None
        exc.__suppress_context__ = suppressed and outer is None
    return exc


def translate(exc: BaseException) -> BaseException:
    """What the user gets for an exception that reaches the edge: itself, or an internal error in its place."""
    if not isinstance(exc, Exception) or isinstance(exc, _PASSING) or _origin(exc.__traceback__) == "user":
        return exc
    where = _innermost_own_line(exc.__traceback__)
    internal = make_error("PTO901", kind=type(exc).__name__, text=str(exc) or "no text", where=where)
    if backtrace_wanted():
        internal.__cause__ = exc
    internal.__suppress_context__ = True
    return internal


class user_boundary:  # noqa: N801 - reads as a decorator or a with statement
    """Put around what a user calls: `@user_boundary()` on a function, or `with user_boundary():`. `name` is the public
    name of a function that has another one.

    The decorator leaves no frame of ours in a traceback (Python 3.10: one); the with form leaves the frame that holds
    the statement where an internal error replaces another exception.
    """

    __slots__ = ("_name", "_outer")

    def __init__(self, name: str = "") -> None:
        self._name = name

    def __enter__(self) -> None:
        self._outer = handled()

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> Literal[False]:
        if exc is None:
            return False
        shown = translate(exc)
        if shown is exc:
            trim(exc, self._outer)
            return False
        raise trim(shown, self._outer)

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        name = self._name or function.__qualname__.removesuffix(".__init__").rpartition("<locals>.")[2]

        @functools.wraps(function)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
            outer = handled()
            try:
                try:
                    return function(*args, **kwargs)
                except BaseException as exc:
                    shown = _wrong_call(exc, name) or translate(exc)
                    if shown is exc:
                        raise
                    raise shown from shown.__cause__
            except BaseException as exc:
                trim(exc, outer)
                raise

        return guarded


def _wrong_call(exc: BaseException, name: str) -> BaseException | None:
    """PTO222 if Python could not bind the arguments of a guarded function: no frame of it exists then."""
    traceback = exc.__traceback__
    if not isinstance(exc, TypeError) or isinstance(exc, PyptoError) or traceback is None or traceback.tb_next:
        return None
    wrong = make_error("PTO222", op=name, why=str(exc).partition("() ")[2] or str(exc))
    wrong.__suppress_context__ = True
    return wrong


def _user_frames(traceback: TracebackType | None) -> TracebackType | None:
    """The traceback without our frames and without library frames that our code called."""
    kept: list[TracebackType] = []
    below_ours = False
    entry = traceback
    while entry is not None:
        origin = file_origin(entry.tb_frame.f_code.co_filename)
        below_ours = origin == "ours" or (origin == "library" and below_ours)
        if not below_ours:
            kept.append(entry)
        entry = entry.tb_next
    for place, entry in enumerate(kept):
        entry.tb_next = kept[place + 1] if place + 1 < len(kept) else None
    if traceback is not None and traceback not in kept[:1]:
        traceback.tb_next = kept[0] if kept else None  # Python 3.10 raises again with the first entry it knew
    return kept[0] if kept else None


def _origin(traceback: TracebackType | None) -> Origin:
    """Whose code raised: the innermost frame that is not of a library (or in its place) decides."""
    decided: Origin = "ours"
    while traceback is not None:
        code = traceback.tb_frame.f_code
        origin = "library" if code in _stand_ins else file_origin(code.co_filename)
        decided = decided if origin == "library" else origin
        traceback = traceback.tb_next
    return decided


def file_origin(file: str) -> Origin:
    """Whose code a source file holds: ours, a library's or the user's."""
    if file in _traced_files:
        return "user"
    if file.startswith(_OWN_PLACES):
        return "ours"
    if file.startswith(_LIBRARY_DIRECTORIES) or file.startswith("<frozen "):
        return "library"
    return "user"


def _innermost_own_line(traceback: TracebackType | None) -> str:
    """file:line inside our package, for the report of an internal error."""
    place = "unknown place"
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if file.startswith(_OWN_PLACES):
            inside = os.path.relpath(file, os.path.dirname(_PACKAGE)).replace(os.sep, "/")
            place = f"{inside}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return place
