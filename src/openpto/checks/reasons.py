"""Short texts in the language of the user."""

from __future__ import annotations

from openpto.diagnostics import T, current_language


def said(text: T, /, **fields: object) -> str:
    """The text with its fields filled in.

    >>> said(T("{count} tiles", "{count} 个 tile"), count=3)
    '3 tiles'
    """
    return text.in_language(current_language()).format(**fields)
