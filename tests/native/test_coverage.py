"""Every operation of the reference has a lowering: no kernel falls back."""

from openpto.runtime.native.engine import FAMILIES
from openpto.runtime.native.handlers import HANDLERS
from openpto.runtime.reference.engine import lifetimes_of
from openpto.runtime.reference.handlers import HANDLERS as DEFINED

FALLING_BACK: set[str] = set()
"""Operations that send a whole kernel to the reference. It stays empty."""


def test_nothing_falls_back():
    """What the reference executes is compiled."""
    assert FAMILIES
    assert lifetimes_of
    assert set(DEFINED) - set(HANDLERS) == FALLING_BACK


def test_nothing_is_lowered_that_has_no_definition():
    """The reference defines every operation."""
    assert set(HANDLERS) <= set(DEFINED)
