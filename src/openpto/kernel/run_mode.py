"""Which run mode a call has, and what decided it."""

from __future__ import annotations

from openpto.diagnostics import Site, fail
from openpto.ir.enums import RunMode
from openpto.language.configuration import RUN_MODE_VARIABLE, run_mode_variable


def resolve_run_mode(declared: RunMode | None) -> tuple[RunMode, str]:
    """The run mode and its source: PYPTO_RUN_MODE, then the decorator, then SIM."""
    forced = run_mode_variable()
    if forced is not None:
        return forced, RUN_MODE_VARIABLE
    if declared is not None:
        return declared, "decorator"
    return RunMode.SIM, "default"


def require_interpreter(source: str, kernel: str, site: Site) -> None:
    """Refuse RunMode.NPU where no other interpreter is named that runs kernels on a device (PTO298)."""
    from openpto.capsule.interpreter import command  # only such calls need it

    if command() is None:
        fail("PTO298", site=site, name=kernel, source="runtime_options" if source == "decorator" else source)
