"""Words that rules fill into their texts are in the language of the text."""

import ast

import numpy as np
import pytest

import pypto
from openpto.diagnostics import PyptoError, T, fail
from openpto.diagnostics.render import render
from openpto.diagnostics.words import STATEMENTS

F32 = pypto.DT_FP32
SQUARE = pypto.Tensor([32, 32], F32)


def open_slice(x):
    for i in pypto.loop(4):
        x[i * 8 :, :] + 1.0


def short_window(x):
    pypto.view(x, [32], [0, 0])


def of_a_text(x):
    x + "a"


def of_an_array(x):
    x + np.ones((32, 32), np.float32)


def of_an_unknown_name(x):
    x.astype(F32)


def of_a_name_nearby(x):
    pypto.matmull(x, x)


def of_another_shape(x):
    x + x[0:16, 0:8]


ENGLISH_AND_CHINESE = {
    of_another_shape: ("[32, 32] and [16, 8]", "[32, 32] 和 [16, 8]"),
    open_slice: ("the extent of [(i*8):32] in a slice is", "切片 中的 [(i*8):32] 的长度 为"),
    short_window: ("the tensor's shape has 2 entries, the window 1", "张量的 shape 有 2 项，窗口 有 1 项"),
    of_a_text: ("use a Tensor, int or float", "请使用 Tensor、int 或 float"),
    of_an_array: ("pass the array to the kernel as a parameter", "请把数组作为参数传给 kernel"),
    of_an_unknown_name: ("use pypto.cast(t, dtype)", "请使用 pypto.cast(t, dtype)"),
    of_a_name_nearby: ("did you mean: ", "是否想写："),
}


@pytest.mark.parametrize("body", ENGLISH_AND_CHINESE, ids=lambda body: body.__name__)
def test_words_are_in_the_language_of_the_text(body):
    """A text in Chinese holds no English words of ours, and an English one no Chinese."""

    @pypto.frontend.jit
    def kernel(x: SQUARE, y: SQUARE):
        pypto.set_vec_tile_shapes(16, 16)
        body(x)
        y[:] = x

    with pytest.raises(PyptoError) as caught:
        kernel(np.ones((32, 32), np.float32), np.zeros((32, 32), np.float32))
    error, rule = caught.value, caught.value.rule
    english, chinese = ENGLISH_AND_CHINESE[body]
    told = {language: _squeezed(render(rule, error.site, error.fields, language=language)) for language in ("en", "zh")}
    assert _squeezed(english) in told["en"]
    assert _squeezed(chinese) in told["zh"]
    assert _squeezed(english) not in told["zh"]


def _squeezed(text):
    """The text without what breaks and margins of lines put into it."""
    return "".join(text.replace("|", "").split())


def test_statements_are_nodes():
    """Each statement that no kernel holds is one of Python's; `TryStar` is so since 3.11."""
    for name in STATEMENTS.keys() - {"TryStar"}:
        assert issubclass(getattr(ast, name), ast.AST)


def test_what_a_terminal_would_take_as_a_command_is_escaped_in_words_of_both_languages():
    """A name of the author's may hold anything, also where it stands in a text that has two languages."""
    with pytest.raises(PyptoError) as caught:
        fail("PTO268", op="conv", why=T("no \x1b[31mred", "没有 \x1b[31mred"))
    assert "\x1b" not in str(caught.value)
    assert "red" in str(caught.value)
