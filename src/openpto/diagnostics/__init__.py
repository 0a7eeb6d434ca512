"""Diagnostics: one registry of rules, one renderer, exceptions and warnings made from them."""

from openpto.diagnostics import rules as _rules  # noqa: F401 - registers every rule
from openpto.diagnostics.boundary import backtrace_wanted, file_origin, note_user_file, trim, user_boundary
from openpto.diagnostics.context import at, current_site, current_target, set_site_hook, set_target_hook
from openpto.diagnostics.errors import PyptoError, error_class, fail, fault, forgive, make_error, note_refusals
from openpto.diagnostics.language import Language, T, current_language, said, set_language
from openpto.diagnostics.registry import PROFILES, RULES, Rule, find_rule, register
from openpto.diagnostics.render import one_line, render
from openpto.diagnostics.source import assigned_name
from openpto.diagnostics.span import NOWHERE, LoopFrame, Site, Span
from openpto.diagnostics.warning import PyptoWarning, collect_warnings, emit, portability, warn

__all__ = [
    "NOWHERE",
    "PROFILES",
    "RULES",
    "Language",
    "LoopFrame",
    "PyptoError",
    "PyptoWarning",
    "Rule",
    "Site",
    "Span",
    "T",
    "assigned_name",
    "at",
    "backtrace_wanted",
    "collect_warnings",
    "current_language",
    "current_site",
    "current_target",
    "emit",
    "error_class",
    "fail",
    "fault",
    "file_origin",
    "find_rule",
    "forgive",
    "make_error",
    "note_refusals",
    "note_user_file",
    "one_line",
    "portability",
    "register",
    "render",
    "said",
    "set_language",
    "set_site_hook",
    "set_target_hook",
    "trim",
    "user_boundary",
    "warn",
]
