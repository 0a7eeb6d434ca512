"""The pytest plugin: options, marks by chip, cases from files, and what the kernels of a run did.

It is loaded by every run of pytest where the package is installed, so it loads nothing of ours before a run needs it:
a run that has no kernels pays for this file, which is a few milliseconds. `-p no:openpto` leaves it out.
docs/pytest.md describes it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

import pytest

from openpto.pytest_plugin import options
from openpto.pytest_plugin.tally import Tally, codes_of

TALLY = pytest.StashKey[Tally]()
"""Runs of this process that no report of a test has taken yet."""
TOTAL = pytest.StashKey[Tally]()
"""Runs of the whole session, those of workers included."""
MARKERS = (
    "pypto_chip(*chips): the test is for these chips (910B, 910C, 950); a run for another one skips it",
    "soc(*names): the same by the names 910, 910B, 910_93, 950",
    "pypto_cases(source, argname='case'): run the test for each case of a JSON file beside it, or of a sequence",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Our options."""
    options.add(parser)


@pytest.hookimpl(hookwrapper=True)
def pytest_load_initial_conftests(parser: pytest.Parser, args: list[str]) -> Generator[None, Any, None]:
    """Take `--run_mode`, if no conftest has an option of that name: such an option is theirs."""
    yield
    options.take_run_mode(parser, args)


def pytest_configure(config: pytest.Config) -> None:
    """Put the settings of the command line in force, and begin to count runs."""
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    config.add_cleanup(options.put_in_force(config))
    config.stash[TALLY], config.stash[TOTAL] = Tally(), Tally()
    config.add_cleanup(config.stash[TALLY].listen())
    config.pluginmanager.register(_Reports(config.stash[TOTAL]), "openpto-reports")


def pytest_report_header(config: pytest.Config) -> str | None:
    """The settings that the command line changed."""
    chosen = options.chosen(config)
    return "pypto: " + ", ".join(f"{name} {value}" for name, value in chosen.items()) if chosen else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test per case."""
    if metafunc.definition.get_closest_marker("pypto_cases") is not None:
        from openpto.pytest_plugin import cases

        cases.parametrize(metafunc)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out cases above the level of the run."""
    if any(item.get_closest_marker("pypto_cases") for item in items):
        from openpto.pytest_plugin import cases

        cases.select(config, items)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, None]:
    """Hold the kernels of a test that is marked for one chip to that chip."""
    if item.get_closest_marker("pypto_chip") is None and item.get_closest_marker("soc") is None:
        yield
        return
    from openpto.pytest_plugin import chips

    with chips.held_to(item):
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that is marked for other chips than that of the run."""
    if item.get_closest_marker("pypto_chip") is not None or item.get_closest_marker("soc") is not None:
        from openpto.pytest_plugin import chips

        chips.skip_elsewhere(item)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Generator[None, Any, None]:
    """Put what kernels did since the last report into this one; that is how it comes from a worker to the session."""
    outcome = yield
    taken = item.config.stash[TALLY].take(codes_of(call.excinfo.value) if call.excinfo is not None else ())
    if taken is not None:
        outcome.get_result().pypto = taken


class _Reports:
    """Gathers what reports bring, whichever process made them."""

    def __init__(self, total: Tally) -> None:
        self.total = total

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Add the runs of a test to those of the session."""
        self.total.add(getattr(report, "pypto", None))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """What the kernels of the run did."""
    total = config.stash[TOTAL]
    total.add(config.stash[TALLY].take())
    if total:
        from openpto.pytest_plugin import summary

        summary.write(terminalreporter, total, options.chosen(config))


@pytest.fixture(scope="session")
def run_mode(request: pytest.FixtureRequest) -> str:
    """The run mode of the command line, "sim" unless it says "npu"; for tests that take it as an argument."""
    return options.run_mode(request.config)


@pytest.fixture
def pypto_receipts() -> Iterator[list[Any]]:
    """The receipts of the kernels that the test has called so far, the oldest first."""
    from openpto.pytest_plugin.tally import Receipts

    with Receipts() as receipts:
        yield receipts
