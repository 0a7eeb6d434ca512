"""The documents tell the truth: their programs run, their links lead somewhere, the two READMEs are twins."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ENGLISH, CHINESE = ROOT / "README.md", ROOT / "README.zh-CN.md"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
TILE_LINE = "    pypto.set_vec_tile_shapes(8, 64)\n"


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of the page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text_of(page), re.M | re.S)


def run(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    file = folder / "row_softmax.py"
    file.write_text(program, encoding="utf-8")
    return subprocess.run([sys.executable, file.name], cwd=folder, capture_output=True, text=True, check=False)


def test_quickstart_runs_and_is_right(tmp_path: Path) -> None:
    (program,) = blocks(ENGLISH, "python")
    done = run(program, tmp_path)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [rows for rows, _ in lines] == ["3", "8", "1000"]
    assert all(float(error) < 1e-6 for _, error in lines)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="older interpreters point at the statement")
def test_shown_diagnostic_is_what_is_printed(tmp_path: Path) -> None:
    (program,) = blocks(ENGLISH, "python")
    assert TILE_LINE in program
    done = run(program.replace(TILE_LINE, ""), tmp_path)
    assert done.returncode == 1
    (shown,) = blocks(ENGLISH, "text")
    assert shown.strip() in done.stderr


def test_readmes_are_twins() -> None:
    for language in ("python", "sh", "text"):
        ours, theirs = blocks(ENGLISH, language), blocks(CHINESE, language)
        assert len(ours) == len(theirs)
        if language != "sh":
            assert ours == theirs
    commands = [re.findall(r"^make [a-z-]+", "".join(blocks(page, "sh")), re.M) for page in (ENGLISH, CHINESE)]
    assert commands[0] == commands[1]
    headings = [re.findall(r"^#+ ", text_of(page), re.M) for page in (ENGLISH, CHINESE)]
    assert headings[0] == headings[1]
    links = [set(re.findall(r"\]\(([^)]+)\)", text_of(page))) for page in (ENGLISH, CHINESE)]
    chinese = {link.replace("docs/rules/zh/", "docs/rules/").replace("docs/zh/", "docs/") for link in links[1]}
    assert links[0] - {"README.zh-CN.md"} == chinese - {"README.md"}
    rows = [len(re.findall(r"^\|", text_of(page), re.M)) for page in (ENGLISH, CHINESE)]
    assert rows[0] == rows[1]


def test_named_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", text_of(ROOT / "Makefile"), re.M))
    for page in PAGES:
        assert set(re.findall(r"`?make ([a-z][a-z-]+)(?=[` ]|$)", "\n".join(blocks(page, "sh")), re.M)) <= targets


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_files(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$", "", text_of(page), flags=re.M | re.S)
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", prose)
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_every_decision_has_its_own_number_and_is_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    notes = sorted(path.name for path in folder.glob("[0-9]*.md"))
    assert len({name[:4] for name in notes}) == len(notes)
    assert sorted(re.findall(r"^\| \[\d{4}\]\(([^)]+)\)", text_of(folder / "README.md"), re.M)) == notes
    for name in notes:
        assert text_of(folder / name).startswith(f"# {name[:4]} ")
