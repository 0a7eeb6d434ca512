"""The `pypto` command. Nothing is imported here: typer and rich load when the command runs."""


def main() -> None:
    """Run the `pypto` command on the arguments of this process. Those named here do without typer."""
    import sys
    from importlib import import_module

    command, *arguments = sys.argv[1:] or [""]
    if command in ("lint", "doctor", "lsp"):
        sys.exit(import_module(f"openpto.cli.{command}").run(arguments))
    from openpto.cli.app import run

    run()
