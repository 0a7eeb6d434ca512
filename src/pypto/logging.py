"""`pypto.logging`: messages of kernel files, through the standard logger "pypto"."""

import logging
from typing import Any

_logger = logging.getLogger("pypto")


def log_debug(message: object, *args: Any) -> None:
    """Log for debugging."""
    _logger.debug(message, *args)


def log_info(message: object, *args: Any) -> None:
    """Log for information."""
    _logger.info(message, *args)


def log_warn(message: object, *args: Any) -> None:
    """Log a warning."""
    _logger.warning(message, *args)


def log_error(message: object, *args: Any) -> None:
    """Log an error."""
    _logger.error(message, *args)
