"""A step of RMSProp with momentum."""

from openpto_gym.rms_prop.kernel import RmsPropConfig, rms_prop

__all__ = ["RmsPropConfig", "rms_prop"]
