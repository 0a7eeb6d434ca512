"""The `pypto` command. Nothing is imported here: typer and rich load when the command runs."""


def main() -> None:
    """Run the `pypto` command on the arguments of this process. `pypto lint` needs neither typer nor numpy."""
    import sys

    if sys.argv[1:2] == ["lint"]:
        from openpto.cli.lint import run as lint

        sys.exit(lint(sys.argv[2:]))
    if sys.argv[1:2] == ["doctor"]:
        from openpto.cli.doctor import run as doctor

        sys.exit(doctor(sys.argv[2:]))
    if sys.argv[1:2] == ["lsp"]:
        from openpto.cli.lsp import run as lsp

        sys.exit(lsp(sys.argv[2:]))
    from openpto.cli.app import run

    run()
