"""Words as the search compares them."""

from __future__ import annotations

import pytest

from openpto.guide.lexicon import CONCEPTS
from openpto.guide.symptoms import MESSAGES, SYMPTOMS
from openpto.guide.words import GENERIC, stem, tokens


@pytest.mark.parametrize(
    ("words", "same"),
    [
        ("shape shapes", "shap"),
        ("write writes writing written wrote", "writ"),
        ("align aligned unaligned", "align"),
        ("copy copies copied", "copy"),
        ("axis axes", "axis"),
    ],
)
def test_forms_of_a_word_have_one_stem(words, same):
    stems = {stem(word).removeprefix("un") for word in words.split()}
    assert stems == {same}


@pytest.mark.parametrize(
    ("english", "chinese", "concept"),
    [
        ("the tile is too large", "tile 太大", "=large"),
        ("index out of range", "下标越界", "=oob"),
        ("it hangs forever", "程序卡死", "=hang"),
        ("no error at all", "没有报错", "=silent"),
        ("output does not change", "输出没变", "=unchanged"),
    ],
)
def test_both_languages_meet_in_a_concept(english, chinese, concept):
    assert concept in tokens(english)
    assert concept in tokens(chinese)


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("set_vec_tile_shapes(8)", "set_vec_tile_shapes"),
        ("for i in range(n)", "@range"),
        ("x[i:i+n]", "@window"),
        ("x[::2]", "@step"),
        ("y += 1", "@augmented"),
        ("4-D", "4d"),
        ("ＦＰ１６", "fp16"),
    ],
)
def test_code_tells_what_it_does(text, token):
    assert token in tokens(text)


@pytest.mark.parametrize("text", ["", "a", "128", "?!", "的了吗", "\x00"])
def test_what_says_nothing_has_no_token(text):
    assert tokens(text) == []


def test_the_lexicon_is_in_order():
    for name, (english, chinese) in CONCEPTS.items():
        assert name.isascii()
        assert english, name
        assert chinese, name
        assert all(wording.isascii() for wording in english), name
        assert not any(wording.isascii() and wording.isalpha() for wording in chinese), name
    assert {token for token in GENERIC if token.startswith("=")} <= {f"={name}" for name in CONCEPTS}


def test_symptoms_are_said_once():
    said = [(key, text) for key, texts in SYMPTOMS.items() for text in texts]
    assert len(set(said)) == len(said)
    assert all(set(texts) <= set(SYMPTOMS[key]) for key, texts in MESSAGES.items())
    assert all(text.strip() == text and text for _, text in said)
