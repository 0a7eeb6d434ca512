"""Where we are: the place in user source that errors of the running code belong to, and the chosen target.

Code deep inside an op or a pass raises plain `fail(code, ...)`. The place comes from, in this order: the `site`
argument, the innermost `with at(site)`, the hook that the front end installs (`set_site_hook`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from openpto.diagnostics.span import NOWHERE, Site, Span

_sites: ContextVar[Site | None] = ContextVar("openpto_site", default=None)
_site_hook: Callable[[], Site | None] | None = None
_target_hook: Callable[[], str | None] | None = None


@contextmanager
def at(site: Site | Span | None) -> Iterator[None]:
    """Errors and warnings inside the block belong to `site`; None leaves the outer place in force."""
    if site is None:
        yield
        return
    token = _sites.set(site if isinstance(site, Site) else Site(site))
    try:
        yield
    finally:
        _sites.reset(token)


def set_site_hook(hook: Callable[[], Site | None] | None) -> None:
    """Install the function that finds the user's current place while a kernel is traced."""
    global _site_hook
    _site_hook = hook


def set_target_hook(hook: Callable[[], str | None] | None) -> None:
    """Install the function that tells the target profile in force: None, "0.2" or "0.3"."""
    global _target_hook
    _target_hook = hook


def current_site(site: Site | Span | None = None) -> Site:
    """The place that a diagnostic raised now belongs to."""
    if isinstance(site, Span):
        return Site(site)
    if site is not None:
        return site
    inner = _sites.get()
    if inner is not None:
        return inner
    found = _site_hook() if _site_hook is not None else None
    return found if found is not None else NOWHERE


def current_target() -> str | None:
    """The profile that the user chose to be held to, or None for whatever has a meaning."""
    return _target_hook() if _target_hook is not None else None
