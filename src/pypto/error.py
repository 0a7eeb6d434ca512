"""`pypto.error`: the base of everything that is refused with a code, under the names that kernel files catch."""

from openpto.diagnostics import PyptoError

FeError = PyptoError

__all__ = ["FeError", "PyptoError"]
