"""``pypto cache``."""

from __future__ import annotations

from typer.testing import CliRunner

from openpto.cli.app import app
from openpto.runtime.store import key_of, store


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["cache", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_info_and_clear(tmp_path, monkeypatch):
    monkeypatch.setenv("PYPTO_CACHE_DIR", str(tmp_path / "kept"))
    store().put(key_of("a"), bytes(2**20))
    text = run("info")
    assert str(tmp_path / "kept") in text
    assert "entries  1" in text
    assert "1.0 MiB of at most 256.0 MiB" in text
    assert "in use" in text
    assert run("clear") == "removed 1 entries, 1.0 MiB\n"
    assert "entries  0" in run("info")


def test_a_folder_that_is_not_used_is_explained(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PYPTO_CACHE_DIR", str(tmp_path / "file"))
    assert f"not used: {tmp_path / 'file'}" in run("info")
    monkeypatch.setenv("PYPTO_CACHE_DIR", "off")
    assert run("info") == "state    not used: PYPTO_CACHE_DIR is off\n"
