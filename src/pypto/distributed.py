"""`pypto.distributed`: operations of that group, made from their declarations."""

from openpto.language import api as _api

__all__ = sorted(vars(_api.distributed))

globals().update(vars(_api.distributed))
