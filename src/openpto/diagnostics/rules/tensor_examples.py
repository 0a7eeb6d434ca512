"""The kernel that examples of rules about tensors vary, and the short form in which these rules are written."""

from __future__ import annotations

from collections.abc import Mapping

from openpto.diagnostics.language import T
from openpto.diagnostics.registry import Rule, Severity, register

KERNEL = """import numpy as np
import pypto

F = pypto.DT_FP32
{before}

@pypto.frontend.jit
def kernel({params}):
    pypto.set_vec_tile_shapes({tile})
{body}

def run():
    x, out = np.ones((8, 16), np.float32), np.zeros((8, 16), np.float32)
    {data}
    kernel({args})
"""
X = "x: pypto.Tensor([8, 16], F)"
OUT = "out: pypto.Tensor([8, 16], F)"
INTS = "i: pypto.Tensor([8, 16], pypto.DT_INT32)"
MADE = "i = np.arange(128, dtype=np.int32).reshape(8, 16) % 8"


def program(
    *lines: str,
    params: str = f"{X}, {OUT}",
    args: str = "x, out",
    data: str = "",
    before: str = "",
    tile: str = "8, 16",
) -> str:
    """Source of a module with one kernel of these lines and a `run()` that calls it."""
    body = "".join(f"    {line}\n" for line in lines)
    text = KERNEL.format(params=params, body=body, args=args, data=data, before=before, tile=tile)
    return text.replace("    \n", "")


def with_ints(*lines: str) -> str:
    """As :func:`program`, with a third parameter `i`, INT32 [8, 16]."""
    return program(*lines, params=f"{X}, {INTS}, {OUT}", args="x, i, out", data=MADE)


def tensor_rule(
    code: str,
    name: str,
    exc: type[Exception],
    *,
    title: tuple[str, str],
    message: tuple[str, str],
    help: tuple[str, str],
    why: tuple[str, str],
    bad: str,
    good: str,
    phrases: tuple[str, ...] = (),
    words: tuple[str, ...] = (),
    aliases: tuple[str, ...] = (),
    profiles: tuple[str, ...] = (),
    severity: Severity = "error",
    untestable: str = "",
    exc_in: Mapping[str, type[Exception]] | None = None,
) -> None:
    """Register a rule; texts are (English, Chinese)."""
    register(
        Rule(
            code=code,
            name=name,
            exc=exc,
            exc_in=exc_in or {},
            severity=severity,
            title=T(*title),
            message=T(*message),
            help=T(*help),
            explanation=T(*why),
            phrases=phrases,
            words=words,
            aliases=aliases,
            profiles=profiles,
            bad=bad,
            good=good,
            untestable=untestable,
        )
    )
