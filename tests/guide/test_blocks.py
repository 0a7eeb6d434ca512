"""The code of the leaves runs and shows what the pages say."""

from __future__ import annotations

import os
import sys

import pytest

import guide_blocks
from openpto.diagnostics.language import LANGUAGES
from openpto.guide.leaves import LEAVES

CARETS = sys.version_info >= (3, 11)  # older interpreters point at the statement
TWICE = os.environ.get("PYPTO_TEST_ENGINES") == "both"  # every run is one on each engine, and prints on both


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", list(LEAVES))
def test_code_does_what_the_page_says(key, language):
    for step in guide_blocks.run_body(LEAVES[key].body.in_language(language), language):
        if step.block.language == "python":
            assert step.told.codes == step.block.promised, step.told.shown
        if comparable(step):
            assert step.agrees, step.told.shown


def comparable(step: guide_blocks.Step) -> bool:
    """Whether this interpreter and this way of running show what the page shows."""
    prints = TWICE and "pass_verify_print" in step.block.text
    return not prints and (CARETS or step.text is None or "^" not in step.text.text)


def steps(body: str) -> list[guide_blocks.Step]:
    return list(guide_blocks.run_body(body, "en"))


def test_what_is_printed_is_compared():
    assert [step.agrees for step in steps("```python\nprint(1)\n```\n\n```text\n1\n```\n")] == [True]
    assert [step.agrees for step in steps("```python\nprint(1)\n```\n\n```text\n2\n```\n")] == [False]
    assert [step.agrees for step in steps("```python\nprint(1)\n```\n")] == [False]


PROGRAM = """```python
# file: one.py
print("one")
```

```text
one
```

```sh
python one.py
```

```text
one
```
"""

NO_ARGUMENT = """```python
import pypto


@pypto.frontend.jit
def k(x: pypto.Tensor([8], pypto.DT_FP32)):
    x[:] = x


k()
```
"""


def test_what_is_told_is_collected():
    (step,) = steps(NO_ARGUMENT)
    assert step.told.codes == ["PTO511"]
    assert step.block.promised == []


def test_later_blocks_find_the_files_of_earlier_ones():
    assert [step.agrees for step in steps(PROGRAM)] == [True, True]


@pytest.mark.parametrize(
    ("wanted", "shown", "same"),
    [
        ("a\nb", "a\nb", True),
        ("a\n...\nd", "a\nb\nc\nd", True),
        ("a\n...\nd", "a\nd", True),
        ("...\nd", "a\nb\nd", True),
        ("a\n...", "a\nb", True),
        ("a\n...\nd", "a\nb\nc\ne", False),
        ("a", "a\nb", False),
        ("a.c", "abc", False),
    ],
)
def test_three_dots_stand_for_any_lines(wanted, shown, same):
    assert guide_blocks.matches(wanted, shown) is same
