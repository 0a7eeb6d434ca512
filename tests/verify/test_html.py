"""The HTML report: well formed, self-contained, and nothing of the text is markup."""

from html.parser import HTMLParser

import pytest

from openpto.diagnostics import set_language
from openpto.verify.html import page
from openpto.verify.outcome import Check, Step, Verification
from openpto.verify.text import details

VOID = {"meta"}


class Parsed(HTMLParser):
    """Tags in balance, their attributes, and the text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.attributes, self.words = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.attributes += [(tag, *pair) for pair in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def verification(**more):
    bad = Check("numbers", "fail", "<tail>", "out & more: 1 < 2\nsecond line", {"max_ulp": 3.0})
    good = Check("numbers", "pass", "one", "", {"max_ulp": 0.5})
    steps = (
        Step("source", (Check("syntax", "pass", "k.py"),), 0.1),
        Step("golden", (Check("golden", "not run", "one", "there is no golden"),)),
        Step("sim", (bad, good), 2.0),
        Step("device", (Check("device", "not run", detail="SIM did not pass"),)),
    )
    receipt = {
        "trial": "one",
        "kernel": "k",
        "engine": "native",
        "elements_written": {"out": 8},
        "warnings": ["PTO308"],
    }
    return Verification("scaled", steps, {"target": None, "chip": "910B"}, (receipt,), **more)


def test_commands_quote_folders_with_spaces() -> None:
    given = verification(replays=("my replays/a.json",))
    assert "pypto replay 'my replays/a.json'" in " ".join(Parsed(page(given)).words)
    told = ["".join(text for text, _ in line) for line in details(given)]
    assert "pypto replay 'my replays/a.json'" in told


def test_the_page_is_well_formed_and_needs_nothing_else() -> None:
    parsed = Parsed(page(verification(replays=("replays/a.json",))))
    assert not [a for a in parsed.attributes if a[1] in ("src", "href")]
    text = " ".join(parsed.words)
    for wanted in ("<tail>", "out & more: 1 < 2", "second line", "pypto replay replays/a.json", "out 8", "PTO308"):
        assert wanted in text
    assert "pass (0.5 ULP)" in text


def test_what_was_not_run_stands_out() -> None:
    parsed = Parsed(page(verification()))
    assert [a for a in parsed.attributes if a == ("p", "class", "banner")]
    text = " ".join(parsed.words)
    assert "step 4 (device) was not run: SIM did not pass. That is no pass." in text
    assert "step 2 (golden) was not run: there is no golden" in text


def test_a_simulating_interpreter_is_not_called_a_device() -> None:
    assert "no device was used" in page(verification(device={"mode": "sim", "stack": "openpto"}))


@pytest.mark.parametrize(("language", "word"), [("en", "FAIL"), ("zh", "失败")])
def test_both_languages(language, word) -> None:
    set_language(language)
    assert word in page(verification())
