"""What the doctor says of each bad condition, which is simulated here: variables, folders, packages on the path."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import openpto
from openpto.diagnostics import RULES
from openpto.diagnostics.language import T
from openpto.doctor import conflicts, device, engine, environment, installed, report, selftest
from openpto.doctor.report import Finding, Section
from openpto.runtime import native_available
from openpto.runtime.native import cpus

SRC = Path(openpto.__file__).resolve().parents[1]
NEEDS_LLVM = pytest.mark.skipif(not native_available(), reason="llvmlite has no wheel here")


def only(section: Section, level: str) -> Finding:
    """The one finding of a section, of this level."""
    (finding,) = section.findings
    assert finding.level == level
    assert bool(finding.message.zh) == bool(finding.message.en)
    assert finding.rule in ("", *RULES)
    assert finding.cure.en or level == "note"
    return finding


def value(section: Section, name: str) -> str:
    return next(fact.value.en for fact in section.facts if fact.name == name)


# Variables


def test_every_variable_that_is_read_is_known() -> None:
    named = {
        name
        for path in SRC.rglob("*.py")
        for name in re.findall(r"[\"'`](PYPTO_[A-Z_]+)[\"'`]", path.read_text(encoding="utf-8"))
    }
    assert named - {"PYPTO_", "PYPTO_OP_LINT_"} <= set(environment.KNOWN) | set(environment.ELSEWHERE)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("PYPTO_NUM_THREAD", "PYPTO_NUM_THREADS"),
        ("pypto_engine", "PYPTO_ENGINE"),
        ("TILE_FWK_DEVICEID", "TILE_FWK_DEVICE_ID"),
    ],
)
def test_a_misspelt_variable(name: str, near: str) -> None:
    finding = only(environment.section({name: "1", "HOME": "/"}), "warning")
    assert (finding.name, finding.cure.en) == ("unknown-variable", f"did you mean {near}?")
    assert name in finding.message.zh


def test_an_unknown_variable_and_one_of_the_device() -> None:
    assert only(environment.section({"PYPTO_COLOUR": "red"}), "warning").cure.en == "unset it"
    assert only(environment.section({"TILE_FWK_DEVICE_ID": "0"}), "note").name == "variable-of-the-device"
    assert environment.section({"LANG": "C"}).findings == []


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("PYPTO_ENGINE", "natve", "native"),
        ("PYPTO_TARGET", "0.4", "0.2, 0.3"),
        ("PYPTO_NUM_THREADS", "many", "1 to 1024"),
        ("PYPTO_RUN_MODE", "gpu", "npu, sim"),
    ],
)
def test_a_value_that_kernels_refuse(monkeypatch: pytest.MonkeyPatch, name: str, text: str, says: str) -> None:
    monkeypatch.setenv(name, text)
    finding = only(environment.section({name: text}), "problem")
    assert (finding.name, finding.rule) == ("value-refused", "PTO295")
    assert text in finding.message.en
    assert text in finding.message.zh
    assert says in finding.cure.en
    assert says in finding.cure.zh


def test_values_that_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = {"PYPTO_ENGINE": "native", "PYPTO_TARGET": "unset", "PYPTO_NUM_THREADS": "1", "PYPTO_RUN_MODE": "sim"}
    for name, text in chosen.items():
        monkeypatch.setenv(name, text)
    assert environment.section({**chosen, "PYPTO_LANG": "zh_CN"}).findings == []
    assert only(environment.section({"PYPTO_LANG": "deutsch"}), "warning").name == "value-ignored"


# Packages


def test_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    section = installed.section()
    assert section.findings == []
    assert (
        value(section, "python")
        == f"{'.'.join(map(str, sys.version_info[:3]))} " + value(section, "python").split(" ", 1)[1]
    )
    import numpy as np

    assert value(section, "numpy") == np.__version__
    versions = {"numpy": "1.25.9", "ml_dtypes": None, "typer": None, "torch": None, "rich": "12.1"}
    real = installed.version_of
    monkeypatch.setattr(installed, "version_of", lambda name: versions.get(name, real(name)))
    section = installed.section()
    found = {finding.name: finding.level for finding in section.findings}
    assert found == {
        "numpy-too-old": "problem",
        "ml_dtypes-missing": "problem",
        "typer-missing": "warning",
        "rich-too-old": "warning",
    }
    assert value(section, "torch") == "missing: tensors as arguments"
    assert "numpy 1.25.9 is older than 1.26" in section.findings[0].message.en


def test_the_declared_versions_are_those_of_the_project() -> None:
    text = (SRC.parent / "pyproject.toml").read_text(encoding="utf-8")
    for package in installed.PACKAGES:
        if package.oldest:
            assert f'"{package.name}>={".".join(map(str, package.oldest))}' in text
        if package.extra:
            assert re.search(rf'^{package.extra} = \[.*"{package.name}[>=]=', text, re.M)


# The engine


@NEEDS_LLVM
def test_engine_cpu_and_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYPTO_NUM_THREADS", raising=False)
    section = engine.section({})
    assert section.findings == []
    assert value(section, "engine") == "native: llvmlite can be loaded"
    assert value(section, "threads").split(" ")[0] == str(cpus.available())
    assert value(engine.section({"PYPTO_ENGINE": "reference"}), "engine") == "reference: PYPTO_ENGINE=reference"
    assert value(engine.section({"PYPTO_ENGINE": "unset"}), "engine") == "native: llvmlite can be loaded"
    assert value(engine.section({"PYPTO_CPU": "generic"}), "code_path") == "generic (PYPTO_CPU)"
    assert only(engine.section({"PYPTO_CPU": "sse"}), "warning").name == "unknown-code-path"


@pytest.mark.parametrize(
    ("chosen", "level", "says"),
    [("", "warning", "slowly"), ("native", "problem", "PYPTO_ENGINE=native"), ("reference", "", "")],
)
def test_without_llvmlite(monkeypatch: pytest.MonkeyPatch, chosen: str, level: str, says: str) -> None:
    monkeypatch.setattr(engine, "version_of", lambda name: None)
    section = engine.section({"PYPTO_ENGINE": chosen})
    assert value(section, "engine").startswith("native" if chosen == "native" else "reference")
    if not level:
        assert section.findings == []
        return
    finding = only(section, level)
    assert says in finding.message.en
    assert "pip install llvmlite" in finding.cure.en


def test_llvmlite_that_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "version_of", lambda name: "0.44")
    monkeypatch.setattr(engine, "why_broken", lambda module: "OSError: no libLLVM")
    finding = only(engine.section({}), "warning")
    assert "OSError: no libLLVM" in finding.message.en
    assert "--force-reinstall" in finding.cure.en


@NEEDS_LLVM
def test_a_code_path_that_the_cpu_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    from openpto.runtime.native import targets

    real = targets.binding()
    poor = SimpleNamespace(
        get_host_cpu_features=lambda: {"avx2": True, "fma": True},
        get_host_cpu_name=lambda: "old",
        get_process_triple=lambda: "x86_64-unknown-linux-gnu",
    )
    goal = targets.target("generic")
    monkeypatch.setattr(targets, "binding", lambda: poor)
    monkeypatch.setattr(targets, "target", lambda path=None: goal)
    finding = only(engine.section({"PYPTO_CPU": "avx512"}), "problem")
    assert "it lacks avx512f" in finding.message.en
    assert real


def test_more_threads_than_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYPTO_NUM_THREADS", "900")
    finding = only(engine.section({"PYPTO_NUM_THREADS": "900"}), "warning")
    assert finding.message.en.startswith("900 threads share ")


# The cache


def test_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYPTO_CACHE_DIR", str(tmp_path / "kept"))
    section = engine.cache_section()
    assert (section.findings, value(section, "entries")) == ([], "0")
    monkeypatch.setenv("PYPTO_CACHE_DIR", "off")
    assert only(engine.cache_section(), "note").name == "cache-off"
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PYPTO_CACHE_DIR", str(tmp_path / "file"))
    assert str(tmp_path / "file") in only(engine.cache_section(), "warning").message.en


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_cache_that_others_may_write_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o777)
    monkeypatch.setenv("PYPTO_CACHE_DIR", str(folder))
    finding = only(engine.cache_section(), "warning")
    assert "others may write to it" in finding.message.en
    assert f"chmod 700 {folder}" in finding.cure.zh


# Who answers to `import pypto`


def foreign(folder: Path, name: str = "pypto-0.2.0.dist-info") -> Path:
    (folder / name).mkdir(parents=True)
    return folder


def test_our_own_package(tmp_path: Path) -> None:
    section = conflicts.section(tmp_path, [str(SRC)])
    assert section.findings == []
    assert value(section, "loads") == str(SRC / "pypto" / "__init__.py")
    assert conflicts.section(SRC, [str(SRC)]).findings == []


def test_another_distribution_beside_ours(tmp_path: Path) -> None:
    finding = only(conflicts.section(tmp_path, [str(SRC), str(foreign(tmp_path / "site"))]), "warning")
    assert finding.rule == "PTO591"
    assert "0.2.0" in finding.message.en


def test_another_distribution_in_our_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = foreign(tmp_path / "site")
    (place / "pypto").mkdir()
    (place / "pypto" / "__init__.py").write_text("import torch\n")
    monkeypatch.setattr(conflicts, "_OWN", (place / "pypto").resolve())
    finding = only(conflicts.section(tmp_path, [str(place)]), "problem")
    assert finding.rule == "PTO590"
    (place / "pypto-0.2.0.dist-info").rmdir()
    assert only(conflicts.section(tmp_path, [str(place)]), "problem").name == "pypto-overwritten"


def test_another_package_that_comes_first(tmp_path: Path) -> None:
    (tmp_path / "pypto.py").write_text("")
    finding = only(conflicts.section(Path("/"), [str(tmp_path), str(SRC)]), "problem")
    assert finding.name == "pypto-is-another"
    assert str(tmp_path / "pypto.py") in finding.message.en
    assert only(conflicts.section(tmp_path, [str(tmp_path), str(SRC)]), "problem").name == "pypto-is-another"


@pytest.mark.parametrize("name", ["pypto.py", "pypto/__init__.py", "openpto.py"])
def test_a_file_of_the_current_folder_that_hides_the_package(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("")
    finding = only(conflicts.section(tmp_path, [str(SRC)]), "problem")
    assert finding.name == "shadowed"
    assert str(file) in finding.message.zh
    assert conflicts.section(tmp_path / "other", [str(SRC)]).findings == []


def test_another_copy_in_the_current_folder(tmp_path: Path) -> None:
    for name in ("pypto/__init__.py", "openpto/_version.py"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("")
    assert only(conflicts.section(tmp_path, [str(SRC)]), "warning").name == "another-copy"


def test_a_folder_without_code_hides_nothing(tmp_path: Path) -> None:
    (tmp_path / "pypto").mkdir()
    assert conflicts.section(tmp_path, [str(tmp_path), str(SRC)]).findings == []


# The device


def script(folder: Path, text: str) -> str:
    file = folder / "python"
    file.write_text(f"#!{sys.executable}\n{text}\n", encoding="utf-8")
    file.chmod(0o755)
    return str(file)


def test_no_device() -> None:
    assert device.section({}).findings == []
    assert only(device.section({"PYPTO_RUN_MODE": "npu"}), "problem").name == "no-device"


def test_an_interpreter_that_is_not_there() -> None:
    chosen = {"PYPTO_NPU_PYTHON": "/nowhere/python"}
    assert "No such file" in only(device.section(chosen), "warning").message.en
    assert device.section({**chosen, "PYPTO_RUN_MODE": "npu"}).findings[0].level == "problem"


def test_an_interpreter_that_says_something_else(tmp_path: Path) -> None:
    broken = script(tmp_path, "raise SystemExit('cannot start')")
    assert "cannot start" in only(device.section({"PYPTO_NPU_PYTHON": broken}), "warning").message.en


def test_this_interpreter_as_the_other_one() -> None:
    section = device.section({**os.environ, "PYPTO_NPU_PYTHON": sys.executable})
    assert only(section, "note").name == "no-torch-npu"
    assert value(section, "devices") == "0"


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ({"torch-npu": "2.1", "devices": 0}, "no-devices"),
        ({"torch-npu": "2.1", "devices": None, "error": "ImportError: libhccl.so"}, "torch-npu-broken"),
        ({"torch-npu": "2.1", "pypto": "0.2.0", "devices": 8}, ""),
    ],
)
def test_the_stack_of_the_other_interpreter(tmp_path: Path, answer: dict[str, object], name: str) -> None:
    other = script(tmp_path, f"print('a banner')\nprint({json.dumps(answer)!r})")
    section = device.section({"PYPTO_NPU_PYTHON": other})
    assert [finding.name for finding in section.findings] == ([name] if name else [])
    assert value(section, "devices") == str(answer["devices"] or 0)


# The self-test


def test_results_that_are_wrong_or_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    good = selftest.Outcome({"softmax": "00"})
    for outcomes, names, level in (
        ({"reference": good, "native": selftest.Outcome(None, "signal 4")}, ["self-test-failed"], "problem"),
        (
            {"reference": selftest.Outcome(None, "wrong results: matmul (1)"), "native": good},
            ["self-test-failed"],
            "warning",
        ),
        ({"reference": good, "native": selftest.Outcome({"softmax": "01"})}, ["engines-differ"], "warning"),
        ({"reference": good, "native": good}, [], ""),
    ):
        monkeypatch.setattr(selftest, "run", lambda engines, path, found=outcomes: found)
        section = selftest.section(["reference", "native"], "native", [])
        assert [finding.name for finding in section.findings] == names
        assert all(finding.level == level for finding in section.findings)


def test_a_program_with_wrong_results_is_not_right(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = 'print(\'{"engine": "reference", "checks": {"x": {"error": 0.5, "ok": false}}, "bits": {}}\')'
    for text, why in (
        (wrong, "wrong results: x (0.5)"),
        ("raise KeyError(3)", "KeyError: 3"),
        ("import os; os.abort()", "signal 6"),
    ):
        monkeypatch.setattr(selftest, "PROGRAM", text)
        assert selftest.run(["reference"], [])["reference"].why == why


# Reports


def test_text_and_json_in_both_languages() -> None:
    section = Section("engine", T("engine", "引擎"))
    section.fact("cpu", T("CPU", "处理器"), "x86")
    section.found("warning", "slow", T("it is slow", "较慢"), T("wait", "请等待"), rule="PTO444")
    assert report.as_text([section], "en").splitlines() == [
        "engine", "  CPU  x86", "  warning: it is slow", "    do: wait", "    explain: pypto explain PTO444", "",
        "kernels run here; 1 warning(s) above",
    ]  # fmt: skip
    assert "  警告: 较慢" in report.as_text([section], "zh")
    table = json.loads(report.as_json([section], "zh"))
    assert (table["ok"], table["problems"], table["warnings"]) == (True, 0, 1)
    assert table["sections"]["engine"]["facts"] == {"cpu": "x86"}
    assert table["sections"]["engine"]["findings"][0]["do"] == "请等待"
