"""Whether the server can start here: it needs an optional package."""

from __future__ import annotations

import importlib

from openpto.diagnostics.errors import fail

_NEEDED = (("pygls.lsp.server", "LanguageServer"), ("pygls.workspace", "PositionCodec"))


def require() -> None:
    """Raise PTO795 unless pygls can be loaded in a version that has what the server uses."""
    for module, name in _NEEDED:
        try:
            getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError) as error:
            fail("PTO795", why=str(error))
