"""What all tests share: the engines of a run."""

import os


def pytest_configure(config):
    """``PYPTO_TEST_ENGINES=both`` runs every kernel of every test on both engines and compares them."""
    if os.environ.get("PYPTO_TEST_ENGINES") == "both":
        import compare_engines

        compare_engines.install()


def pytest_terminal_summary(terminalreporter):
    """What the native engine could not compile, if it was compared."""
    if os.environ.get("PYPTO_TEST_ENGINES") == "both":
        import compare_engines

        terminalreporter.write_line(f"{compare_engines.compared} runs compared")
        for what, count in compare_engines.missing.most_common():
            terminalreporter.write_line(f"not compiled: {what} ({count})")
