"""What all tests share: the engines of a run, and a store of machine code of its own."""

import os
import shutil
import signal
import sys
import tempfile

import pytest
from hypothesis import settings

STORE = "PYPTO_CACHE_DIR"

# No test depends on how fast the machine is.
settings.register_profile("openpto", deadline=None)
settings.load_profile("openpto")


def pytest_configure(config):
    """Keep machine code of the run in a folder that goes with it, which the workers of the run share.

    ``PYPTO_TEST_ENGINES=both`` runs every kernel of every test on both engines and compares them.
    """
    # Files of tests that are made from a template are also loaded where the plugin is not.
    config.addinivalue_line("markers", "pypto_cases: a test per case; see openpto.pytest_plugin")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a background job of a shell, where Ctrl-C tests would hang
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):
        before, folder = os.environ.get(STORE), tempfile.mkdtemp(prefix="openpto-tests-")
        os.environ[STORE] = folder
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
        config.add_cleanup(lambda: os.environ.pop(STORE) if before is None else os.environ.update({STORE: before}))
    if os.environ.get("PYPTO_TEST_ENGINES") == "both":
        import compare_engines

        compare_engines.install()


@pytest.fixture
def reference_alone(monkeypatch):
    """For tests that examine the reference itself: what it needs, refuses or is patched with."""
    from openpto import runtime
    from openpto.runtime import reference

    monkeypatch.setitem(runtime.ENGINES, "reference", reference.execute)


def pytest_terminal_summary(terminalreporter):
    """What the native engine could not compile, if it was compared."""
    if os.environ.get("PYPTO_TEST_ENGINES") == "both":
        import compare_engines

        terminalreporter.write_line(f"{compare_engines.compared} runs compared")
        for what, count in compare_engines.missing.most_common():
            terminalreporter.write_line(f"not compiled: {what} ({count})")


@pytest.fixture(autouse=True)
def settings_end_with_the_test():
    """Options and the language that a test sets for the process do not reach the next one."""
    yield
    scopes = sys.modules.get("openpto.language.scopes")
    if scopes is not None:
        scopes.reset_options()
    language = sys.modules.get("openpto.diagnostics.language")
    if language is not None:
        language.set_language(None)
