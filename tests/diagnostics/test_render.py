"""The layout of diagnostics, compared as whole texts."""

import linecache
import os
import textwrap

import pytest

from openpto.diagnostics import LoopFrame, Rule, Site, Span, T, render
from openpto.diagnostics.source import cell_width, display_path, excerpt

RULE = Rule(
    code="PTO301",
    name="tile-shape-not-set",
    title=T("tile shape not set", "未设置 tile 形状"),
    message=T(
        "{op} works on a {rank}-D tile, and no vector tile is in force here",
        "{op} 处理 {rank} 维 tile，而此处没有生效的向量 tile",
    ),
    help=T(
        "call pypto.set_vec_tile_shapes({suggest}) before this line",
        "在此行之前调用 pypto.set_vec_tile_shapes({suggest})",
    ),
    explanation=T("-", "-"),
    phrases=("tile shape not set",),
    aliases=("F21004",),
)
FIELDS = {"op": "exp", "rank": 2, "suggest": "<rows>, <cols>"}


@pytest.fixture
def source():
    """Make Python know the text of a file that does not exist."""
    names = []

    def add(name, text):
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        names.append(name)

    yield add
    for name in names:
        linecache.cache.pop(name, None)


def golden(text):
    return textwrap.dedent(text).strip("\n")


def kernel_text(line):
    return "\n" * 17 + line + "\n"


def test_the_layout_of_the_architecture(source):
    source("softmax.py", kernel_text("    out[:] = pypto.exp(x - m)"))
    site = Site(
        Span("softmax.py", 18, 13, 18, 29),
        (("row_softmax", Span("attention.py", 41)),),
        (LoopFrame("LOOP_S", "s_idx"),),
        "attention_kernel",
    )
    assert render(RULE, site, FIELDS) == golden(
        """
        error[PTO301]: tile shape not set                                    (F21004)
          --> softmax.py:18:14
           |
        18 |     out[:] = pypto.exp(x - m)
           |              ^^^^^^^^^^^^^^^^ exp works on a 2-D tile, and no vector tile is in force here
           = called from attention.py:41 in attention_kernel, in loop LOOP_S (s_idx)
           = help: call pypto.set_vec_tile_shapes(<rows>, <cols>) before this line
           = explain: pypto explain PTO301
        """
    )


def test_chinese_keeps_the_phrase_and_counts_two_cells(source):
    source("softmax.py", kernel_text("    结果[:] = pypto.exp(x)  # 指数"))
    site = Site(Span("softmax.py", 18, 12, 18, 24), loops=(LoopFrame("L", "i", 3),))
    assert render(RULE, site, FIELDS, language="zh") == golden(
        """
        error[PTO301]: 未设置 tile 形状                                      (F21004)
          --> softmax.py:18:13
           |
        18 |     结果[:] = pypto.exp(x)  # 指数
           |               ^^^^^^^^^^^^
           | exp 处理 2 维 tile，而此处没有生效的向量 tile（原文：tile shape not set）
           = 位于循环 L (i = 3)
           = 建议：在此行之前调用 pypto.set_vec_tile_shapes(<rows>, <cols>)
           = 说明：pypto explain PTO301
        """
    )


def test_tabs_move_the_carets(source):
    source("tabs.py", "\ty = f(\t'中')\n")
    shown = render(RULE, Site(Span("tabs.py", 1, 8, 1, 11)), FIELDS).splitlines()
    assert shown[3] == "1 |     y = f(  '中')"
    assert shown[4].startswith("  |             ^^^^ exp works")


def test_without_columns_the_statement_is_underlined(source):
    source("stmt.py", "    out[:] = 'a#b' + x  # why\n")
    shown = render(RULE, Site(Span("stmt.py", 1)), FIELDS).splitlines()
    assert shown[1] == " --> stmt.py:1"
    assert shown[4].startswith("  |     " + "^" * len("out[:] = 'a#b' + x") + " exp")


def test_a_span_over_several_lines_marks_the_first(source):
    source("multi.py", "y = f(  # note\n    1)\n")
    shown = render(RULE, Site(Span("multi.py", 1, 4, 2, 6)), FIELDS).splitlines()
    assert shown[4].startswith("  |     ^^ exp")


def test_missing_source_and_missing_place():
    shown = render(RULE, Site(Span("gone.py", 7)), FIELDS)
    assert shown == golden(
        """
        error[PTO301]: tile shape not set                                    (F21004)
          --> gone.py:7
           = exp works on a 2-D tile, and no vector tile is in force here
           = help: call pypto.set_vec_tile_shapes(<rows>, <cols>) before this line
           = explain: pypto explain PTO301
        """
    )
    assert "-->" not in render(RULE, Site(None), FIELDS)


def test_helper_chain_is_told_innermost_first():
    chain = (("inner", Span("a.py", 5)), ("outer", Span("b.py", 9)))
    notes = render(RULE, Site(None, chain, (LoopFrame("L", "i", 0), LoopFrame("M", "j", 4)), "kern"), FIELDS)
    assert "   = called from a.py:5 in outer\n   = called from b.py:9 in kern, in loop L (i = 0), in loop M" in notes


def test_own_prose_is_wrapped_and_phrases_stay_whole():
    phrase = "Tile shape size 1 is not matched the output shape size 2"
    rule = Rule(
        code="PTO302", name="x", title=T("t", "t"), explanation=T("e", "e"), phrases=(phrase,),
        message=T("this is a rather long message that runs on to the edge: " + phrase + ", and goes on after it", "m"),
        help=T("h " * 60, "建议很长" * 30),
    )  # fmt: skip
    for language in ("en", "zh"):
        text = render(rule, Site(None), {}, language=language)
        assert phrase in text
        assert max(map(cell_width, text.splitlines())) <= 80


def test_user_text_is_not_markup(source):
    source("markup.py", "x = '[bold red]{op}[/] <b> \\x1b' + \"\x1b[31m\"\n")
    text = render(RULE, Site(Span("markup.py", 1)), FIELDS)
    assert "1 | x = '[bold red]{op}[/] <b> \\x1b' + \"\\x1b[31m\"" in text
    assert "\x1b" not in text


def test_long_lines_are_shown_around_the_mark(source):
    line = "y = " + " + ".join(f"name{n}" for n in range(60))
    source("long.py", line + "\n")
    column = line.index("name40")
    shown = excerpt(Span("long.py", 1, column, 1, column + 6))
    assert shown is not None
    assert cell_width(shown.text) <= 126
    assert shown.text[shown.start : shown.start + shown.length] == "name40"
    assert shown.text.startswith("...")
    assert shown.text.endswith("...")


def test_paths_are_shown_as_typed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert display_path(str(tmp_path / "k.py")) == "k.py"
    assert display_path(os.path.join(os.sep, "k.py")) == os.path.join(os.sep, "k.py")
    assert display_path("<stdin>") == "<stdin>"


def test_ornament_is_ascii(source):
    source("softmax.py", kernel_text("    out[:] = pypto.exp(x - m)"))
    assert render(RULE, Site(Span("softmax.py", 18, 13, 18, 29)), FIELDS).isascii()


def test_code_in_a_note_stays_on_one_line():
    note = "this is a note that is nearly as long as its line is, write (32 - i).min(8) or pypto.full([1, 2], 0.0, F)"
    text = render(RULE, Site(None), {**FIELDS, "notes": (note,)})
    assert "(32 - i).min(8)" in text
    assert "pypto.full([1, 2], 0.0, F)" in text


@pytest.mark.parametrize(
    ("field", "loops", "shown"),
    [
        ("RUNTIME_GetInputShapeDim(ARG_x,0)", (), "x.shape[0]"),
        ("(RUNTIME_GetInputShapeDim(ARG_keys,12)*2)", (), "(keys.shape[12]*2)"),
        ("(loop_idx_1+loop_idx_12)", (LoopFrame("loop_1", "i"), LoopFrame("loop_12", "j")), "(i+j)"),
        ("loop_idx_1", (LoopFrame("ROWS", "r"),), "loop_idx_1"),
    ],
)
def test_symbols_are_shown_as_the_author_writes_them(field, loops, shown):
    assert f"\n   = {shown} works on" in render(RULE, Site(None, (), loops), {**FIELDS, "op": field})


def test_a_field_in_two_languages_gives_the_one_that_is_read():
    fields = {**FIELDS, "suggest": T("<rows>", "<行>")}
    assert "set_vec_tile_shapes(<rows>)" in render(RULE, Site(None), fields, language="en")
    assert "set_vec_tile_shapes(<行>)" in render(RULE, Site(None), fields, language="zh")
