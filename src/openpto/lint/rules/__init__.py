"""The rules, a file per subject. Each file registers its checks when it is imported; the list below is complete."""

from openpto.lint.rules import names, signature, syntax, unwritten, windows

__all__ = ["names", "signature", "syntax", "unwritten", "windows"]
