"""Whole sessions with the server as a process, as an editor has them."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from lsp_client import Client, applied, covered

pytest.importorskip("pygls", reason="pygls is an optional package (openpto[lsp])")

HEAD = """import pypto


@pypto.frontend.jit
def kernel(x: pypto.Tensor([8, 32], pypto.DT_FP32), y: pypto.Tensor([8, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 32)
"""
FAULTY = HEAD + "    y = x * 2.0\n"
CLEAN = HEAD + "    y[:] = x * 2.0\n"


def codes(findings: list[dict[str, object]]) -> list[object]:
    return [finding["code"] for finding in findings]


def test_open_change_repair_leave(client: Client) -> None:
    told = client.initialize()  # started with --stdio, as many editors do
    assert told["textDocumentSync"] == {"openClose": True, "change": 1, "save": True}
    assert told["hoverProvider"]
    assert told["codeActionProvider"]["codeActionKinds"] == ["quickfix", "source.fixAll.pypto"]

    (found,) = client.open("k.py", FAULTY)
    assert (found["code"], found["severity"], found["source"]) == ("PTO412", 1, "pypto")
    assert covered(FAULTY, found["range"]) == "y = x * 2.0"
    assert "\nhelp: write y[:] = ... instead" in found["message"]
    page = Path(found["codeDescription"]["href"].removeprefix("file://"))
    assert page.read_text(encoding="utf-8").startswith("# PTO412: output parameter is rebound, not written\n")

    client.change("k.py", 2, CLEAN)
    assert client.findings("k.py", 2) == []
    client.change("k.py", 3, FAULTY)
    assert codes(client.findings("k.py", 3)) == ["PTO412"]

    actions = client.actions("k.py", found["range"])
    assert [action["kind"] for action in actions] == ["quickfix", "quickfix", "source.fixAll.pypto"]
    assert actions[0]["title"].startswith("PTO412: write y[:] = ... instead")
    assert actions[0]["isPreferred"]
    assert codes(actions[0]["diagnostics"]) == ["PTO412"]
    repaired = applied(FAULTY, actions[0], client.uri("k.py"))
    assert repaired == CLEAN
    client.change("k.py", 4, repaired)
    assert client.findings("k.py", 4) == []
    client.notify("textDocument/didSave", textDocument={"uri": client.uri("k.py")})
    assert client.findings("k.py", 4) == []

    client.notify("textDocument/didClose", textDocument={"uri": client.uri("k.py")})
    assert client.leave() == 0
    assert client.log == []


def test_a_client_that_leaves_without_shutdown_is_an_error(client: Client) -> None:
    client.initialize()
    client.notify("exit")
    assert client.server.wait(60) == 1


def test_columns_are_units_of_utf_16(session: Client) -> None:
    text = HEAD + '    "输出 🎉🎉"; y = x * 2.0  # 结果 😀\n'
    (found,) = session.open("wide.py", text)
    assert covered(text, found["range"]) == "y = x * 2.0"
    assert found["range"]["start"] == {"line": 6, "character": 4 + 9 + 2}
    fix, ignore, _ = session.actions("wide.py", found["range"])
    assert applied(text, fix, session.uri("wide.py")) == text.replace("y = x", "y[:] = x")
    silenced = applied(text, ignore, session.uri("wide.py"))
    assert silenced == text.replace("# 结果 😀", "# 结果 😀  # noqa: PTO412")
    session.change("wide.py", 2, silenced)
    assert session.findings("wide.py", 2) == []
    place = silenced.split("\n")[6].index("PTO412") + 3  # three characters take two units
    assert (session.hover("wide.py", 6, place) or "").startswith("# PTO412:")


def test_columns_in_the_units_that_the_client_asks_for_and_the_end_of_input(client: Client) -> None:
    assert client.initialize(encodings=["utf-8", "utf-16"])["positionEncoding"] == "utf-8"
    (found,) = client.open("k.py", HEAD + '    "输出 🎉🎉"; y = x * 2.0\n')
    assert found["range"]["start"]["character"] == 4 + 2 + 6 + 1 + 8 + 2
    assert client.server.stdin is not None
    client.server.stdin.close()
    assert client.server.wait(60) == 1


BROKEN = ("    y[:] = pypto.add(x,\n", "    y[:] = (\n    '''\n", "    \0\n", "  ]\n", "\tx\n", "    é = “x”\n")


def test_half_typed_text_is_told_and_then_forgotten(session: Client) -> None:
    session.open("typed.py", CLEAN)
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    for version, broken in enumerate(BROKEN, 2):
        session.change("typed.py", version, HEAD + broken)
        assert codes(session.findings("typed.py", version)) == ["PTO700"]
        assert "pypto.set_vec_tile_shapes(" in (session.hover("typed.py", 5, 20) or "")
        assert session.actions("typed.py", everything) == []
    session.change("typed.py", 9, CLEAN)
    assert session.findings("typed.py", 9) == []


def test_a_text_that_was_never_whole(session: Client) -> None:
    broken = "import pypto as pp\nfrom os import (\n    pp.loop(\n"
    assert codes(session.open("never.py", broken)) == ["PTO700"]
    assert (session.hover("never.py", 2, 8) or "").startswith("```python\npypto.loop(")
    assert session.hover("never.py", 7, 0) is None


def test_text_that_is_not_of_pypto_is_left_alone(session: Client) -> None:
    assert session.open("other.py", "def f(:\n") == []


def test_fast_typing_is_linted_once_and_in_its_last_state(session: Client) -> None:
    session.open("fast.py", CLEAN)
    for version in range(2, 40):
        session.change("fast.py", version, FAULTY if version % 2 else CLEAN + "#\n" * version)
    session.change("fast.py", 40, FAULTY)
    assert codes(session.findings("fast.py", 40)) == ["PTO412"]


def test_settings_of_the_project(session: Client) -> None:
    project = session.folder / "project"
    project.mkdir()
    (project / "pyproject.toml").write_text('[tool.pypto.lint]\nignore = ["PTO412"]\nexclude = ["gen_*"]\n')
    assert session.open("project/k.py", FAULTY) == []
    wrong = FAULTY.replace("8, 32)\n", "8, 32, n)\n")
    assert session.open("project/k2.py", wrong) != []
    assert session.open("project/gen_k.py", wrong) == []


def test_settings_that_cannot_be_read_are_told_and_the_rest_goes_on(session: Client) -> None:
    project = session.folder / "bad"
    project.mkdir()
    (project / "pyproject.toml").write_text("[tool.pypto.lint]\nselct = []\n")
    session.notify("textDocument/didOpen", textDocument=document(session, "bad/k.py", FAULTY))
    told = session.note("window/showMessage")["message"]
    assert "PTO791" in told
    assert "did you mean select?" in told
    assert codes(session.findings("bad/k.py", 1)) == ["PTO412"]
    session.opened.append("bad/k.py")


def document(client: Client, name: str, text: str) -> dict[str, object]:
    return {"uri": client.uri(name), "languageId": "python", "version": 1, "text": text}


def test_settings_of_the_client(client: Client) -> None:
    client.initialize(locale="zh-CN", initializationOptions={"ignore": ["PTO412"], "colour": 1})
    assert "没有设置项 'colour'" in client.note("window/showMessage")["message"]
    assert client.open("k.py", FAULTY) == []
    client.notify("workspace/didChangeConfiguration", settings={"pypto": {"ignore": ["PTO9999"], "chip": "9"}})
    told = client.note("window/showMessage")["message"] + client.note("window/showMessage")["message"]
    assert "PTO792" in told
    assert "chip 为 '9'" in told
    client.notify("workspace/didChangeConfiguration", settings={"pypto": {}})
    client.change("k.py", 2, FAULTY.replace("2.0\n", "2.0  # noqa: OL03\n"))
    (found,) = client.findings("k.py", 2)
    assert "\n建议：" in found["message"]
    fix, ignore, _ = client.actions("k.py", found["range"])
    assert fix["title"].startswith("PTO412：")
    assert ignore["edit"]["changes"][client.uri("k.py")][0]["newText"] == ", PTO412"
    client.notify("workspace/didChangeConfiguration", settings={"pypto": {"language": "en"}})
    (found,) = client.findings("k.py", 2)
    assert "\nhelp: " in found["message"]


def test_a_helper_in_another_file_is_read_as_it_is_open(session: Client) -> None:
    helper = "import pypto\n\n\ndef scale(a, b):\n    b[:] = pypto.view(a, [8, 32], [0])\n"
    good = helper.replace("[0]", "[0, 0]")
    (session.folder / "helpers.py").write_text(good, encoding="utf-8")
    kernel = HEAD.replace("import pypto\n", "import pypto\nfrom helpers import scale\n") + "    scale(x, y)\n"
    assert session.open("calls.py", kernel) == []
    (found,) = session.open("helpers.py", helper)
    assert found["code"] == "PTO236"
    (about,) = found["relatedInformation"]
    assert about["location"]["uri"] == session.uri("calls.py")
    assert covered(kernel, about["location"]["range"]) == "scale(x, y)"
    assert about["message"] == "scale is called here"
    session.change("helpers.py", 2, good)
    assert session.findings("helpers.py", 2) == []


def test_a_finding_in_a_file_that_is_not_open(session: Client) -> None:
    helper = "import pypto\n\n\ndef halve(a, b):\n    b[:] = pypto.view(a, [8, 32], [0])\n"
    (session.folder / "closed.py").write_text(helper, encoding="utf-8")
    kernel = HEAD.replace("import pypto\n", "import pypto\nfrom closed import halve\n") + "    halve(x, y)\n"
    session.notify("textDocument/didOpen", textDocument=document(session, "opener.py", kernel))
    session.opened.append("opener.py")
    (found,) = session.findings("closed.py")
    assert covered(helper, found["range"])
    session.change("opener.py", 2, CLEAN)
    assert session.findings("closed.py") == []


def test_pages_under_the_cursor(session: Client) -> None:
    text = (
        "import pypto as pp\nfrom pypto import view as window\n\n\n@pp.frontend.jit\n"
        "def k(x: pp.Tensor([8, 8], pp.DT_FP32), y: pp.Tensor([8, 8], pp.DT_FP32)):\n"
        "    pp.set_vec_tile_shapes(8, 8)\n"
        "    t = window(x, [8, 8], [0, 0])\n"
        "    y[:] = pp.mul(t, t.sum(1, True))  # F21004\n"
        "view = [3].count\n"
    )
    session.open("pages.py", text)
    lines = text.split("\n")

    def page(line: int, word: str) -> str:
        return session.hover("pages.py", line, lines[line].index(word) + 1) or ""

    window = page(7, "window")
    assert "pypto.view(input: Tensor, shape: list[int] | None = None" in window
    assert "The window of `shape` at `offsets`" in window
    assert "pypto.view(x, [4, 8], [2, 8])" in window
    assert page(1, "view").startswith("```python\npypto.view(")
    assert page(8, "mul").startswith("```python\npypto.mul(")
    assert "Types: " in page(8, "mul")
    assert page(8, "sum").startswith("```python\nTensor.sum(")
    assert page(4, "jit").startswith("```python\npypto.frontend.jit(")
    assert "a member of `pypto.DataType`" in page(5, "DT_FP32")
    assert "PTO301" in page(8, "F21004")
    assert page(9, "view") == ""
    assert page(9, "count") == ""
    assert page(8, "t.sum") == ""


def test_without_pygls_the_command_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "pygls.py").write_text("raise ImportError('none here')\n", encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path, "PYPTO_LANG": "en"}
    command = [sys.executable, "-m", "openpto.cli", "lsp"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=tmp_path)
    assert done.returncode == 2
    assert "PTO795" in done.stderr
    assert "openpto[lsp]" in done.stderr
    assert done.stdout == ""


def test_a_failure_of_the_linter_is_logged_and_leaves_what_is_shown(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from pygls.workspace import Workspace

    from openpto.lsp import server as module

    def broken(*_: object) -> None:
        raise RecursionError("too deep")

    server = module.create()
    server.protocol._workspace = Workspace(None)
    monkeypatch.setattr(module, "examine", broken)
    monkeypatch.setattr(server, "show", lambda *_: pytest.fail("nothing was found out"))
    asyncio.run(server.lint())
    assert "the linter failed" in caplog.text
    assert "too deep" in caplog.text
