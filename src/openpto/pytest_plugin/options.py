"""Options of the command line, and the variables that put them in force.

Settings go through the environment: scripts that a test starts and workers have them too, and a test that calls
`openpto.configure` still has the last word.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

import pytest


class Option(NamedTuple):
    """An option, the variable that it sets, and the values that it takes (() for a number)."""

    flag: str
    variable: str
    choices: tuple[str, ...]
    help: str

    @property
    def dest(self) -> str:
        return self.flag[2:].replace("-", "_")


OPTIONS = (
    Option("--pypto-engine", "PYPTO_ENGINE", ("auto", "reference", "native"), "the engine that runs kernels"),
    Option("--pypto-numerics", "PYPTO_NUMERICS", ("npu", "strict"), "where FP16 and BF16 values round"),
    Option("--pypto-target", "PYPTO_TARGET", ("0.2", "0.3", "unset"), "the toolchain whose refusals are errors"),
    Option("--pypto-platform", "PYPTO_PLATFORM", ("910B", "910C", "950", "unset"), "the chip kernels are held to"),
    Option(
        "--pypto-run-mode",
        "PYPTO_RUN_MODE",
        ("sim", "npu"),
        "where kernels run, whatever their files say; also --run_mode, unless a conftest has an option of that name",
    ),
)
LEVEL = "--pypto-level"
RUN_MODE = "--run_mode"
DEFAULT_LEVEL = 1


def add(parser: pytest.Parser) -> None:
    """Add the options. `--run_mode` is none of them: a conftest may add it at any time (see `take_run_mode`)."""
    group = parser.getgroup("pypto", "pypto kernels")
    for option in OPTIONS:
        group.addoption(option.flag, choices=option.choices, default=None, dest=option.dest, help=option.help)
    group.addoption(
        LEVEL,
        type=int,
        choices=(0, 1, 2),
        default=DEFAULT_LEVEL,
        dest="pypto_level",
        help="run cases of files up to this level; 2 are long ones (default: 1)",
    )


def take_run_mode(parser: pytest.Parser, args: list[str]) -> None:
    """Rewrite `--run_mode sim` in the arguments as our option, if nobody else has an option of that name.

    An option that is in the parser would collide with one that a conftest adds, also with that of a conftest deep in
    the tree which is only read while tests are collected.
    """
    end = args.index("--") if "--" in args else len(args)
    places = [at for at in range(end) if args[at] == RUN_MODE or args[at].startswith(RUN_MODE + "=")]
    if not places or _is_known(parser):
        return
    for at in reversed(places):
        if args[at] != RUN_MODE:
            args[at] = "--pypto-run-mode" + args[at][len(RUN_MODE) :]
        else:
            args[at : at + 2] = ["--pypto-run-mode", *args[at + 1 : at + 2]]


def _is_known(parser: pytest.Parser) -> bool:
    """Whether `--run_mode` is an option by now."""
    probe = RUN_MODE + "=sim"
    try:
        _, unknown = parser.parse_known_and_unknown_args([probe])
    except pytest.UsageError:  # it is one, and takes other values
        return True
    return probe not in unknown


def chosen(config: pytest.Config) -> dict[str, str]:
    """The settings that the command line gives, by their names."""
    given = {option.flag: config.getoption(option.dest, None) for option in OPTIONS}
    return {flag.removeprefix("--pypto-").replace("-", " "): value for flag, value in given.items() if value}


def run_mode(config: pytest.Config) -> str:
    """ "sim" or "npu": what the command line says, then the variable, then "sim"."""
    text = config.getoption("pypto_run_mode", None) or os.environ.get("PYPTO_RUN_MODE", "").strip().lower()
    return "npu" if text in ("npu", "0") else "sim"


def put_in_force(config: pytest.Config) -> Callable[[], None]:
    """Set the variables of the options that are given; the result sets them back."""
    before: dict[str, str | None] = {}
    for option in OPTIONS:
        value = config.getoption(option.dest, None)
        if value is not None:
            before[option.variable] = os.environ.get(option.variable)
            os.environ[option.variable] = value
    return lambda: restore(before)


def restore(before: dict[str, str | None]) -> None:
    """Set variables back to what they were; None: there was none."""
    for variable, value in before.items():
        if value is None:
            os.environ.pop(variable, None)
        else:
            os.environ[variable] = value
