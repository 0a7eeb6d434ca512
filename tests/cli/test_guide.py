"""`pypto guide`: the table, a leaf, and the questions."""

from __future__ import annotations

import io
import re

import pytest
from typer.testing import CliRunner

from openpto.cli import guide
from openpto.cli.app import app
from openpto.diagnostics.source import cell_width
from openpto.guide.leaves import LEAVES
from openpto.guide.leaves.tree import AREAS


def command(*arguments: str, answers: str = ""):
    return CliRunner().invoke(app, ["guide", *arguments], input=answers)


def test_without_arguments_all_leaves_are_listed_under_their_question():
    shown = command().output
    assert re.findall(r"^ {5}([a-z0-9-]+)  ", shown, re.M) == list(LEAVES)
    assert re.findall(r"^(\d+)\. (.*)$", shown, re.M) == [(str(n), area.answer.en) for n, area in enumerate(AREAS, 1)]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_table_fits_the_terminal(language):
    lines = command("--lang", language).output.split("\n")
    assert max(map(cell_width, lines)) <= 80


def test_a_key_shows_its_leaf_in_the_language_asked_for():
    leaf = LEAVES["dynamic-shapes"]
    assert command("dynamic-shapes").output.startswith(f"# {leaf.title.en}\n\n{leaf.situation.en}\n\n## ")
    assert command("Dynamic-Shapes", "--lang", "zh").output.startswith(f"# {leaf.title.zh}\n")


def test_links_become_what_can_be_typed():
    text = command("dynamic-shapes").output
    assert "(pypto guide symbolic-tiles)" in text
    assert "](" not in text
    assert text.rstrip().endswith("codes: " + ", ".join(LEAVES["dynamic-shapes"].see))


@pytest.mark.parametrize(
    ("words", "key"),
    [
        ("set_vec_tile_shapes refuses x.shape[0]", "symbolic-tiles"),
        ("the last rows of the output are not written", "silent-output"),
        ("循环里的累加器没有变化", "loop-carried"),
        ("F21004 Their size actually are 4 and 2", "view-ranks"),
        ("my sums are wrong in the last block", "tails"),
        ("PTO301", "tile-not-set"),
        ("FC1001", "tile-alignment"),
        ("launch aicpu failed: 107003", "npu-launch-failures"),
        ("SIM 输出全是零", "sim-mode"),
        ("does my kernel run on toolchain version 0.2", "targets"),
    ],
)
def test_words_lead_to_the_leaf_that_answers_them(words, key):
    done = command(*words.split(" "))
    assert done.exit_code == 0
    assert done.output.startswith(f"# {LEAVES[key].title.en}\n")


def test_what_nothing_answers_names_near_keys_and_fails():
    done = command("zile-rankk-qx")
    assert done.exit_code == 1
    assert "near ones: tile-rank" in done.stderr
    assert done.stdout == ""


def test_two_answers_lead_to_a_leaf():
    done = command("--walk", answers="2\n1\n")
    key = AREAS[1].leaves[0]
    assert done.exit_code == 0
    assert f"# {LEAVES[key].title.en}\n" in done.output
    for other in AREAS[1].leaves:
        assert LEAVES[other].situation.en[:30] in done.output


def told(*answers: str):
    said: list[str] = []
    return guide.walk(iter(answers), said.append), "".join(said)


def test_an_answer_that_is_none_is_asked_again():
    leaf, said = told("0", "x", "99", "1", "2")
    assert leaf is LEAVES[AREAS[0].leaves[1]]
    assert said.count("is none of these") == 3
    assert said.count("What do you see?") == 1


def test_back_asks_the_first_question_again():
    leaf, said = told("1", "b", "2", "1")
    assert leaf is LEAVES[AREAS[1].leaves[0]]
    assert said.count("What do you see?") == 2


@pytest.mark.parametrize("answers", [(), ("q",), ("1", "q"), ("1",)])
def test_leaving_shows_no_leaf(answers):
    assert told(*answers)[0] is None


def test_leaving_ends_the_command_without_an_error():
    done = command("--walk", answers="q\n")
    assert done.exit_code == 0
    assert "# " not in done.output


def test_a_terminal_gets_a_laid_out_page():
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    guide.show("# Title\n\n- one\n", stream)
    assert "# Title" not in stream.getvalue()
    assert "Title" in stream.getvalue()
