"""Running the file of a capsule in this process, and what became of it as plain data."""

from __future__ import annotations

import hashlib
import linecache
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from openpto.capsule.arrays import Array
from openpto.diagnostics import PyptoError, PyptoWarning, Site
from openpto.language.configuration import configure


@dataclass(frozen=True, slots=True)
class Stop:
    """What a call stopped with, apart from where its file lies.

    code    of the rule, or the name of another exception's class
    fault   whether it depends on data
    line, column  in the file of the kernel
    loops   (name, index, value) of the loops around it
    fields  the values of its message
    text    the whole message
    """

    code: str
    fault: bool
    line: int
    column: int
    loops: tuple[tuple[str, str, int | None], ...]
    fields: Mapping[str, str]
    text: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call ended: the contents of its tensors, or a stop; ``engine`` is the one that ran it."""

    tensors: tuple[Array, ...] = ()
    stop: Stop | None = None
    engine: str = ""


def file_of(text: str) -> str:
    """The name of a text as a file, the same for equal texts. Its lines can be looked up."""
    name = f"<kernel {hashlib.sha256(text.encode()).hexdigest()[:8]}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    return name


def namespace_of(text: str) -> dict[str, Any]:
    """The names of a file. Whatever it raises passes."""
    space: dict[str, Any] = {"__name__": "kernel_of_a_capsule"}
    exec(compile(text, file_of(text), "exec", dont_inherit=True), space)
    return space


def rerun(
    text: str,
    kernel: str,
    tensors: Sequence[Array],
    same: Sequence[int],
    values: Mapping[str, str],
    settings: Mapping[str, Any],
) -> Outcome:
    """Run the kernel of a file on copies of tensors. Warnings are silent; nothing is written for replays."""
    memory = [array.copy() for array in tensors]
    arguments = [memory[first] for first in same]
    try:
        with warnings.catch_warnings(), configure(**{**settings, "replay_dir": None}):
            warnings.simplefilter("ignore", PyptoWarning)
            space = namespace_of(text)
            named = {name: eval(expression, space) for name, expression in values.items()}
            space[kernel](*arguments, **named)
            receipt = space[kernel].last_run
    except PyptoError as error:
        return Outcome(stop=stop_of(error))
    except Exception as error:  # a kernel's own Python code may raise anything
        return Outcome(stop=Stop(type(error).__name__, False, 0, 0, (), {}, f"{type(error).__name__}: {error}"))
    return Outcome(tuple(arguments), engine=receipt.engine)


def stop_of(error: PyptoError) -> Stop:
    """An error as plain data."""
    site: Site = error.site
    line, column = (site.span.line, site.span.col) if site.span is not None else (0, 0)
    loops = tuple((frame.name, frame.index_name, frame.value) for frame in site.loops)
    fields = {name: str(value) for name, value in error.fields.items()}
    return Stop(error.code, error.fault, line, column, loops, fields, str(error))
