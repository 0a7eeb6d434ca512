"""Row softmax with a dynamic number of rows."""

from openpto_gym.softmax.kernel import row_softmax

__all__ = ["row_softmax"]
