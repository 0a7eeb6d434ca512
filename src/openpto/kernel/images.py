"""Compiled kernels on disk: a later process that calls the same kernel runs it without tracing or compiling.

An image is found by a digest of all that the kernel's meaning rests on (``portable.py``), the arguments' types and
values, the settings, this package, Python, LLVM and the processor. It is JSON that names object files of the store.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from openpto._version import __version__
from openpto.diagnostics import LoopFrame, PyptoWarning, Site, Span, T, find_rule
from openpto.ir.expr import Expr
from openpto.ir.nodes import Kernel
from openpto.kernel.portable import NotPortable, picture
from openpto.kernel.specialise import Compiled, Place
from openpto.runtime import RunReport
from openpto.runtime.store import key_of, store

FORMAT = 3
_PACKAGES = ("openpto", "pypto")
_ELSEWHERE = frozenset(
    {"__pycache__", "torch_ops", "testing", "pytest_plugin", "lint", "guide", "verify", "lsp", "doctor", "cli"}
)
"""Folders of modules that tracing and compiling do not use."""


def place(function: Any, meaning: tuple[object, ...]) -> Place:
    """Where a specialisation of a kernel is kept, or why it is not."""
    problem = store().check()
    if problem:
        return Place(problem=problem)
    from openpto.runtime.native import jit

    try:
        found = picture(function, *meaning)
    except NotPortable as reason:
        return Place(problem=f"what it means could differ in another process: it uses {reason}")
    goal = jit.target()
    machine = (goal.triple, goal.cpu, goal.attributes)
    return Place(key_of("image", FORMAT, _build(), _toolchain(), *machine, found.digest), "", found.guards)


def find(where: Place, kernel: Callable[[], Kernel]) -> Compiled | None:
    """What is kept, None if nothing is; ``kernel`` traces the kernel if its source is needed after all."""
    from openpto.runtime.native import kept

    content = store().get(where.key)
    if content is None:
        return None
    image = json.loads(content)
    native = kept.restored(image["native"], kernel)
    if native is None:
        return None
    warnings = tuple(_warning(w) for w in image["warnings"])
    written, simple = tuple(image["written"]), image["simple"]
    return Compiled(kernel, image["fingerprint"], written, where.guards, warnings, 0.0, where, native, simple)


def keep(compiled: Compiled) -> None:
    """Keep what was traced and compiled."""
    from openpto.runtime.native import kept

    if not compiled.place.key or compiled.native is not None:
        return
    native = kept.described(compiled.kernel)
    image = {
        "fingerprint": compiled.fingerprint,
        "written": compiled.written,
        "simple": compiled.simple,
        "warnings": [_described(w) for w in compiled.warnings],
        "native": native,
    }
    if native is not None:
        store().put(compiled.place.key, json.dumps(image).encode())


def execute(native: Any, buffers: Sequence[Any], env: Mapping[Expr, int]) -> RunReport | None:
    """Run what was kept; None if it cannot run and nothing was done."""
    from openpto.runtime.native import Unsupported, kept

    try:
        return kept.execute(native, buffers, env)
    except Unsupported:
        return None


def prepared(compiled: Compiled, buffers: Sequence[Any], env: Mapping[Expr, int]) -> Any:
    """The compiled code of a specialisation with the sizes of a call (``native.Prepared``)."""
    from openpto.runtime.native import kept
    from openpto.runtime.native.engine import compile_kernel

    native = compiled.native if compiled.native is not None else compile_kernel(compiled.kernel)
    return kept.prepared(native, buffers, env)


def _described(warning: PyptoWarning) -> dict[str, Any]:
    plain = (str, int, float, bool, type(None))
    fields = {name: value if isinstance(value, plain) else str(value) for name, value in warning.fields.items()}
    both = {name: [value.en, value.zh] for name, value in warning.fields.items() if isinstance(value, T)}
    return {"code": warning.code, "site": asdict(warning.site), "fields": {**fields, **both}}


def _warning(described: Mapping[str, Any]) -> PyptoWarning:
    site = described["site"]
    chain = tuple((name, Span(**span)) for name, span in site["chain"])
    loops = tuple(LoopFrame(**frame) for frame in site["loops"])
    span = None if site["span"] is None else Span(**site["span"])
    fields = {name: T(*value) if isinstance(value, list) else value for name, value in described["fields"].items()}
    return PyptoWarning(find_rule(described["code"]), Site(span, chain, loops, site["kernel"]), fields)


@cache
def _build() -> str:
    """This package as it is on disk: names, sizes and times of its modules, but for rooms that stand behind this one
    and can have no part in what a kernel becomes."""
    parts = [__version__]
    waiting = [str(Path(__file__).parents[2] / package) for package in _PACKAGES]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in sorted(entries, key=lambda e: e.name):
                if entry.name.endswith(".py"):
                    about = entry.stat()
                    parts.append(f"{entry.path} {about.st_size} {about.st_mtime_ns}")
                elif entry.name not in _ELSEWHERE and entry.is_dir():
                    waiting.append(entry.path)
    return key_of("\n".join(parts))


@cache
def _toolchain() -> str:
    import llvmlite

    return key_of(sys.version, sys.platform, np.__version__, llvmlite.__version__)
