"""Pages of codes."""

import contextlib
import io
import json
import sys
from unittest import mock

import pytest
import typer.main

from openpto.cli import app as commands
from openpto.cli.explain import page
from openpto.diagnostics import RULES, pages, set_language
from openpto.diagnostics.source import cell_width


@pytest.mark.parametrize("code", list(RULES))
def test_every_code_has_a_page(code):
    text, found = page(code.lower())
    assert found
    assert text.startswith(f"{code}: {RULES[code].title.en}")
    assert "= help: " in text
    lines = {line.removeprefix("    ") for line in text.split("\n")}
    assert set(pages.template(RULES[code], "en").split("\n")) <= lines


def test_a_vendor_code_lists_what_it_stands_for():
    text, found = page("F21004")
    assert found
    assert "PTO301  tile shape not set" in text


def test_an_unknown_code_names_near_ones():
    text, found = page("PTO39")
    assert not found
    assert "near ones: PTO" in text


@pytest.mark.parametrize(
    "words",
    [
        "tile-shape-not-set",
        "no vector tile is in force",
        "op [ADDS]tile shape not set, func GetVecTile",
    ],
)
def test_words_of_a_message_find_the_rule(words):
    text, found = page(words)
    assert found
    assert "PTO301" in text


def test_a_message_with_its_values_finds_the_rule():
    text, found = page("Tile shape size 1 is not matched the output shape size 2")
    assert found
    assert text.startswith("PTO303: ")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_prose_of_pages_fits_the_terminal(language):
    set_language(language)
    for code in RULES:
        prose = page(code)[0].split("\n\n")[1]
        assert max(map(cell_width, prose.split("\n"))) <= 80, prose


def test_pages_come_in_chinese():
    set_language("zh")
    assert "= 建议：" in page("PTO301")[0]


app = typer.main.get_command(commands.app)


def run(*arguments, stdin=b""):
    """Exit code, output and errors of the command."""
    text = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    with mock.patch.object(sys, "stdin", text), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = app(["explain", *arguments], standalone_mode=False) or 0
    return code, out.getvalue(), err.getvalue()


LOG = "step 1 ok\n\x1b[31m[ERROR] Tile shape size 1 is not matched the output shape size 2\x1b[0m\nstep 2\n"


@pytest.mark.parametrize("arguments", [["-"], []])
def test_a_log_on_stdin(arguments):
    code, out, err = run(*arguments, stdin=LOG.encode())
    assert (code, err) == (0, "")
    first, _, second = out.split("\n")[:3]
    assert first == "line 2 of 3: [ERROR] Tile shape size 1 is not matched the output shape size 2"
    assert second.startswith("PTO303: ")


@pytest.mark.parametrize("padding", range(40, 64))
def test_the_line_that_is_shown_fits_the_page(padding):
    text = f"step 1\n{'x' * padding} op [ADDS]tile shape not set 中文\n"
    first = run("-", stdin=text.encode())[1].split("\n")[0]
    assert first.startswith("line 2 of 2: xxx")
    assert cell_width(first) <= 100


def test_a_log_in_a_file(tmp_path):
    path = tmp_path / "run.log"
    path.write_text(LOG, encoding="utf-8")
    assert "\nPTO303: " in run(str(path))[1]


def test_a_missing_log_is_a_coded_stop():
    with pytest.raises(FileNotFoundError, match="PTO595"):
        run("missing.log")


def test_words_need_no_quotes():
    code, out, _ = run("output", "is", "all", "zero,", "no", "error")
    assert code == 0
    assert out.startswith("PTO412: ")
    assert "near ones:" in out


@pytest.mark.parametrize("stdin", [b"", b"  \n\n"])
def test_an_empty_text_is_said_to_be_empty(stdin):
    code, out, err = run("-", stdin=stdin)
    assert (code, out) == (1, "")
    assert "nothing" in err


def test_what_nobody_knows_has_exit_code_1():
    code, out, err = run("how do I cook rice")
    assert (code, out) == (1, "")
    assert err == "nothing is known that answers how do I cook rice\n`pypto guide` leads from what you see to a page\n"


def test_a_leaf_answers_where_no_rule_does():
    code, out, _ = run("aicore exception 507015")
    assert code == 0
    assert out.startswith("# An exception of an AI core\n")


def test_json():
    code, out, _ = run("--json", "-", stdin=LOG.encode())
    answer = json.loads(out)
    assert code == 0
    assert answer["page"]["key"] == "PTO303"
    assert answer["page"]["kind"] == "rule"
    assert answer["page"]["cause"] == RULES["PTO303"].explanation.en
    assert answer["evidence"]["line"] == 2
    assert answer["lines"] == 3
    assert answer["query"] is None


def test_json_without_an_answer():
    code, out, _ = run("--json", "how do I cook rice")
    assert code == 1
    assert json.loads(out)["page"] is None


def test_json_of_a_code_of_several_rules():
    answer = json.loads(run("--json", "F21004")[1])
    assert answer["page"]["key"] == "PTO301"
    assert answer["stands_for"][0] == "PTO301"
    assert {near["key"] for near in answer["near"]} == set(answer["stands_for"][1:])


def test_answers_come_in_chinese():
    set_language("zh")
    code, out, _ = run("-", stdin=LOG.encode())
    assert code == 0
    assert out.startswith("第 2 行（共 3 行）：")
    assert "没有找到" in run("how do I cook rice")[2]


def test_a_rule_names_its_leaves_of_the_guide():
    text, _ = page("PTO303")
    assert text.rstrip().endswith("more in the guide: pypto guide tile-rank")
    assert "more in the guide" not in page("PTO595")[0]
