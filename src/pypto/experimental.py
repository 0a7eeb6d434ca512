"""`pypto.experimental`: operations of that group, made from their declarations."""

from openpto.language import api as _api

__all__ = sorted(vars(_api.experimental))

globals().update(vars(_api.experimental))
