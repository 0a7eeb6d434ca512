"""Running a kernel's rewritten body while a trace records it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

from openpto.diagnostics import PyptoError, Site, Span, current_site, fail, note_refusals
from openpto.ir.expr import ScalarFault
from openpto.ir.nodes import Scope, TileType
from openpto.ir.trace import TOp, Trace, recording
from openpto.language.symbolic import scalar_fault

from . import aliases, foreign, sites
from .build import rewritten
from .guards import Guards
from .machine import Machine
from .source import Captured

MAX_CHAIN = 20
"""Helper calls that are shown for what Python refuses."""


def trace_kernel(
    captured: Captured,
    bound: Mapping[str, Any],
    params: Sequence[tuple[str, TileType, Span | None]],
    *,
    scope: Scope,
    options: Any = None,
    alias: Mapping[str, str] | None = None,
    follow: Callable[[TOp], None] | None = None,
) -> Trace:
    """Trace one kernel.

    Args:
        captured: the kernel's function, from the moment of decoration.
        bound: values of the parameters that are no tensors.
        params: name, type and place of each tensor parameter, in order.
        scope: settings in force at the start.
        options: accepted for the caller's convenience; a trace does not depend on them.
        alias: tensor parameters that are the memory of an earlier one.
        follow: is told of the operations as they are recorded, those too that are recorded anew later.

    Returns:
        The finished trace; ``notes["guards"]`` are objects with ``holds()``, ``notes["rebound"]`` maps a parameter to
        the place that binds its name to something else.
    """
    source = captured.text()
    form = rewritten(captured.function, source, kernel=True)
    trace = Trace(captured.name, captured.site)
    trace.scope = trace.root.scope = scope
    trace.follow = follow
    guards = Guards()
    machine = Machine(trace, form.code, captured.name, guards)
    guards.note(captured.function, form)
    machine.notes += [(note, "kernel") for note in form.notes]
    values = dict(bound)
    for value in bound.values():
        guards.inside(value)
    for name, type_, span in params:
        site = Site(span, kernel=captured.name) if span is not None else captured.site
        var = trace.param(name, type_, site)
        values[name] = machine.handle(var)
    for name, earlier in (alias or {}).items():
        values[name] = values[earlier]
    function = form.function(captured.function, machine)
    stack = sites.machines()
    stack.append(machine)
    try:
        with recording(trace):
            _run(function, values, machine)
    finally:
        stack.pop()
    assert trace.region is trace.root
    machine.refuse_changed_copies()
    aliases.check(trace, set(machine.copied))
    for note, kind in machine.notes:
        note.report(kind)
    trace.notes["guards"] = guards.finished()
    return trace


def _run(function: Any, values: dict[str, Any], machine: Machine) -> None:
    """Call the rewritten body; what Python itself refuses in the author's code gets a code too.

    A refusal that other code caught fails the trace all the same, except the answer to ``hasattr`` and its like.
    """
    try:
        with note_refusals() as refusals:
            function(**values)
        for error in refusals:
            if not isinstance(error, AttributeError):
                raise error
    except ScalarFault as fault:
        scalar_fault(fault)
    except NameError as error:
        if isinstance(error, PyptoError) or not _raised_by_user(error.__traceback__):
            raise
        site = _site_of(error.__traceback__, machine)
        fail("PTO120", site=site, name=getattr(error, "name", None) or str(error).split("'")[1])
    except RecursionError as error:
        site = _site_of(error.__traceback__, machine)
        fail("PTO161", site=site, name=site.chain[0][0] if site.chain else machine.name)
    except (AttributeError, TypeError, ValueError) as error:
        if not isinstance(error, PyptoError) and _raised_by_user(error.__traceback__):
            foreign.refuse(error, _site_of(error.__traceback__, machine))
        raise


def _raised_by_user(traceback: TracebackType | None) -> bool:
    last = None
    while traceback is not None:
        last, traceback = traceback, traceback.tb_next
    return last is not None and sites.is_user_file(last.tb_frame.f_code.co_filename)


def _site_of(traceback: TracebackType | None, machine: Machine) -> Site:
    """The place of the innermost user frame of a traceback, and the helper calls that led there (at most twenty)."""
    places: list[tuple[str, Span]] = []
    while traceback is not None and len(places) < MAX_CHAIN:
        code = traceback.tb_frame.f_code
        if sites.is_user_file(code.co_filename) and (places or code is machine.kernel_code):
            places.append((code.co_name, sites.instruction_span(code, traceback.tb_lasti, traceback.tb_lineno)))
        traceback = traceback.tb_next
    if not places:
        return current_site()
    chain = [(name, caller) for (name, _), (_, caller) in zip(places[1:], places, strict=False)]
    return Site(places[-1][1], tuple(chain[::-1]), machine.loop_frames(), machine.name)
