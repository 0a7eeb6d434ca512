"""``pypto cache``: the machine code that is kept on disk."""

from __future__ import annotations

import typer

app = typer.Typer(no_args_is_help=True, help="Show or remove the machine code that is kept between processes.")


@app.command("info")
def info() -> None:
    """Say where it is kept, how much there is, and what is wrong with the folder if it is not used."""
    from openpto.runtime.store import FOLDER_VARIABLE, store

    kept = store()
    problem = kept.check()
    if kept.folder is not None:
        usage = kept.usage()
        typer.echo(f"folder   {kept.folder}   (set {FOLDER_VARIABLE} to move it, or to off)")
        typer.echo(f"entries  {usage.entries}")
        typer.echo(f"size     {_mebibytes(usage.bytes)} of at most {_mebibytes(kept.limit)}")
    typer.echo(f"state    {f'not used: {problem}' if problem else 'in use'}")


@app.command("clear")
def clear() -> None:
    """Remove every entry. Kernels compile again when they are next called in a new process."""
    from openpto.runtime.store import store

    kept = store()
    removed = kept.clear()
    typer.echo(f"removed {removed.entries} entries, {_mebibytes(removed.bytes)}")
    if kept.check():
        typer.echo(f"not used: {kept.check()}")


def _mebibytes(size: int) -> str:
    return f"{size / 2**20:.1f} MiB"
