"""Rules follow calls into other files of the project, and tell by which call a helper was reached."""

from __future__ import annotations

from pathlib import Path

from openpto.lint.engine import lint_files

FOLDER = Path(__file__).parent / "corpus" / "project" / "kernels"


def test_a_helper_of_another_module() -> None:
    found = lint_files([FOLDER / "imports_helpers.py"])
    places = [(Path(finding.span.file).name, finding.span.line, finding.code) for finding in found]
    assert places == [("blocks.py", 7, "PTO236"), ("blocks.py", 11, "PTO134")]
    view, loop = found
    assert [(name, span.line) for name, span in view.site.chain] == [("load", 11)]
    assert [(name, span.line) for name, span in loop.site.chain] == [("pick", 11)]
    assert view.site.kernel == "kernel"
    assert "called from" in view.text("en")
    assert "imports_helpers.py:11 in kernel" in " ".join(view.text("en").split())


def test_helpers_alone_say_nothing() -> None:
    assert lint_files([FOLDER / "blocks.py"]) == []


def test_both_files_are_told_once() -> None:
    assert len(lint_files(sorted(FOLDER.glob("*.py")))) == 2


def test_a_module_that_imports_itself(tmp_path: Path) -> None:
    text = "import pypto\nimport loop_a\nfrom loop_b import f\n\n\n@pypto.jit\n"
    text += "def k(x: pypto.Tensor([8], pypto.DT_FP32)):\n"
    (tmp_path / "loop_a.py").write_text(text + "    f(x)\n", encoding="utf-8")
    (tmp_path / "loop_b.py").write_text("from loop_a import k\n\n\ndef f(x):\n    g(x)\n", encoding="utf-8")
    assert [finding.code for finding in lint_files([tmp_path / "loop_a.py"])] == ["PTO120"]


def test_columns_count_characters() -> None:
    (found,) = lint_files([FOLDER.parents[1] / "wide_characters.py"])
    line = "    结果 = 输入 * 2.0; 输出 = 结果"
    assert line[found.span.col : found.span.end_col] == "输出 = 结果"
