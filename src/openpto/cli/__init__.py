"""The `pypto` command. Nothing is imported here: typer and rich load when the command runs."""


def main() -> None:
    """Run the `pypto` command on the arguments of this process."""
    from openpto.cli.app import run

    run()
