"""Edits of texts: the shortest change, and comments that silence, checked by the linter itself."""

from __future__ import annotations

import pytest

from openpto.diagnostics.span import Span
from openpto.lint.source import parse
from openpto.lsp.edits import Edit, difference, lines_of, silence


def edited(text: str, edit: Edit) -> str:
    """A text after an edit, line ends kept."""
    starts = [0]
    for line in lines_of(text):
        end = starts[-1] + len(line)
        starts.append(end + (2 if text[end : end + 2] == "\r\n" else 1))
    start, end = (starts[line] + column for line, column in (edit.start, edit.end))
    return text[:start] + edit.text + text[end:]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", "x"),
        ("y = x\n", "y[:] = x\n"),
        ("a\r\nb\r\nc", "a\r\nc"),
        ("a\r\n\r\nb", "a\r\nb"),
        ("a\rb\n", "a\r\nb\n"),
        ("aaa", "aa"),
        ("aa", "aaaa"),
        ("中文\n🎉 x", "中文\n🎉 y x"),
        ("a\x0cb\nc", "a\x0cb\nd"),
        ("same", "other\n\n"),
    ],
)
def test_difference_leads_from_one_text_to_the_other(old: str, new: str) -> None:
    edit = difference(old, new)
    assert edit is not None
    assert edited(old, edit) == new
    assert difference(new, new) is None


@pytest.mark.parametrize(
    ("text", "line", "end_line", "silenced"),
    [
        ("x = 1\n", 1, 1, "x = 1  # noqa: PTO412\n"),
        ("x = 1  \r\ny = 2\r\n", 1, 1, "x = 1  # noqa: PTO412\r\ny = 2\r\n"),
        ("x = 1  # why\n", 1, 1, "x = 1  # why  # noqa: PTO412\n"),
        ("x = 1  # noqa: E501, OL02\n", 1, 1, "x = 1  # noqa: E501, OL02, PTO412\n"),
        ("x = f(1,\n  2)\n", 1, 2, "x = f(1,  # noqa: PTO412\n  2)\n"),
        ("x = 1 + \\\n  2\n", 1, 2, "x = 1 + \\\n  2  # noqa: PTO412\n"),
        ('x = """\n  2"""\n', 1, 2, 'x = """\n  2"""  # noqa: PTO412\n'),
        ('x = f"""{1}\n{2}\n"""\n', 1, 3, 'x = f"""{1}\n{2}\n"""  # noqa: PTO412\n'),
        ('x = """\n  2\n"""\n', 2, 2, None),
        ("x = (\n", 1, 1, None),
    ],
)
def test_a_comment_silences_where_one_can_stand(text: str, line: int, end_line: int, silenced: str | None) -> None:
    edit = silence(text, Span("k.py", line, 0, end_line, 1), "PTO412")
    if silenced is None:
        assert edit is None
        return
    assert edit is not None
    assert edited(text, edit) == silenced
    named = parse("k.py", silenced.replace("\r\n", "\n")).silenced
    assert any("PTO412" in codes for number, codes in named.items() if number in (line, end_line))
