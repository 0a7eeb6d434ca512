"""Pages of operations: their programs run and are right, their parts are those of the declarations."""

from __future__ import annotations

import contextlib
import io
import linecache
import re
import types
import warnings
from functools import cache

import ml_dtypes
import numpy as np
import pytest

from docsite.op_examples import example
from docsite.op_pages import op_pages, path_of, signature
from docsite.op_texts import parsed
from docsite.restrictions import restrictions
from openpto.diagnostics.language import Language
from openpto.ops import OPS, PUBLIC
from openpto.ops.chinese import CHINESE


@pytest.fixture(autouse=True)
def on_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of a page depends on the engine, and small programs run sooner where nothing is compiled."""
    monkeypatch.setenv("PYPTO_ENGINE", "reference")


@cache
def pages(language: Language) -> dict[str, str]:
    return {path: source.text for path, source in op_pages(language).items()}


def program_of(page: str) -> str:
    """The last block of a page, which is its example."""
    return re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)[-1]


def run(program: str, name: str) -> types.ModuleType:
    file = f"<page of {name}>"
    linecache.cache[file] = (len(program), None, program.splitlines(keepends=True), file)
    module = types.ModuleType("page")
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")  # operations that one chip has, documented differences of toolchains
        exec(compile(program, file, "exec", dont_inherit=True), module.__dict__)
    return module


@pytest.mark.parametrize("name", PUBLIC)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_example_runs_and_is_right(name: str) -> None:
    decl = OPS[name]
    sample = example(decl).sample
    module = run(program_of(pages("en")[path_of(decl)]), name)
    arrays = [getattr(module, key) for key in sample.arrays]
    wide = [a if a.dtype.kind in "iub" else a.astype(np.float64) for a in arrays]
    golden = np.asarray(sample.golden(*(arrays if "view(x, dtype" in sample.call else wide)))
    for out in [module.out] if hasattr(module, "out") else module.outs:
        if out.dtype.kind in "iub":
            assert np.array_equal(out, golden)
            continue
        step = float(ml_dtypes.finfo(out.dtype).eps)
        got, want = out.astype(np.float64), golden.astype(np.float64)
        assert np.allclose(got, want, rtol=max(4, sample.ulp) * step, atol=16 * step, equal_nan=True)


def test_chinese_texts_are_complete() -> None:
    assert sorted(CHINESE) == list(PUBLIC)
    for name, text in CHINESE.items():
        for part in (text.summary, text.shapes, text.results):
            assert re.search(r"[\u4e00-\u9fff]", part), name
            assert part.endswith(("。", "）")), (name, part)
            assert "``" not in part, name
            assert part.count("`") % 2 == 0, name


def test_names_in_code_of_chinese_texts_exist_in_the_english_ones() -> None:
    for name, text in CHINESE.items():
        doc = OPS[name].doc
        english = doc + "".join(decl.doc for decl in OPS.values() if decl.name.rpartition(".")[2] in doc.split("`"))
        for code in re.findall(r"`(\w+)`", text.summary + text.shapes + text.results):
            known = code in english or code in OPS[name].signature.parameters or any(code in other for other in PUBLIC)
            assert known, (name, code)


def test_pages_have_all_parts() -> None:
    english, chinese = pages("en"), pages("zh")
    for name in PUBLIC:
        decl = OPS[name]
        for page, words in (
            (english[path_of(decl)], ("## Element types and chips", "## Arithmetic", "## Example", "Tested by")),
            (chinese[path_of(decl)], ("## 元素类型与芯片", "## 算术", "## 示例", "测试：")),
        ):
            assert page.startswith(f"# pypto.{name}\n")
            for word in (*words, f"`tests/ops/test_conformance.py::test_sample[{name}-0]`"):
                assert word in page, (name, word)
            if decl.record is not None:
                assert "](../rules/PTO" in page, name
        assert f"[`{name}`]({name}.md)" in english["api/index.md"]
        assert f"[`{name}`]({name}.md)" in chinese["api/index.md"]
        assert program_of(english[path_of(decl)]) == program_of(chinese[path_of(decl)])


# What documentation says that these operations refuse, with their codes.
REFUSED = {
    "sum": {"PTO231": "", "PTO233": "", "PTO223": ""},
    "add": {"PTO227": "", "PTO228": "", "PTO229": ""},
    "reshape": {"PTO253": "", "PTO254": "", "PTO255": ""},
    "matmul": {"PTO272": "", "PTO274": "", "PTO275": "ReLU is not supported in split-k scenarios"},
    "arange": {"PTO268": "step must not be 0"},
    "conv": {"PTO268": "Conv transpose true is not supported yet."},
    "exp": {"PTO222": "precision_type must be a PrecisionType"},
}


@pytest.mark.parametrize("name", REFUSED)
def test_restrictions_are_found_with_their_reasons(name: str) -> None:
    found = {restriction.code: restriction.reasons for restriction in restrictions(OPS[name])}
    for code, words in REFUSED[name].items():
        assert code in found
        assert not words or any(words in reason.en for reason in found[code])


def test_restrictions_of_others_are_not_listed() -> None:
    assert not {"PTO253", "PTO272", "PTO268"} & {restriction.code for restriction in restrictions(OPS["exp"])}


def test_signatures_name_what_an_author_passes() -> None:
    assert signature(OPS["exp"]) == (
        "pypto.exp(input: Tensor, precision_type: PrecisionType = pypto.PrecisionType.INTRINSIC) -> Tensor"
    )
    assert "Var" not in "".join(signature(OPS[name]) for name in PUBLIC)


def test_parts_of_a_doc_string() -> None:
    said = parsed("Sum of [x].\n\nMore.\nShapes: rank 1-4. Dtypes: FP32;\nothers not.\nErrors: another rank.\n", {"x"})
    assert (said.summary, said.details) == (r"Sum of \[x\].", "More.")
    assert (said.shapes, said.results, said.errors) == ("Rank 1-4.", "FP32; others not.", "another rank.")
