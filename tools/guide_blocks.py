"""Run the code of the guide's leaves and compare what it prints with what the pages show (openpto.guide.leaves.Leaf).

    python tools/guide_blocks.py            # all leaves, both languages
    python tools/guide_blocks.py tile-rank  # one leaf
    python tools/guide_blocks.py --write    # record what blocks of text after code should show

`--write` leaves blocks alone that are right, and those with a line `...`, which only a reader can shorten.
"""

from __future__ import annotations

import argparse
import contextlib
import glob
import importlib
import io
import linecache
import os
import re
import shlex
import subprocess
import sys
import tempfile
import types
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from unittest import mock

from openpto.cli import main as pypto_command
from openpto.diagnostics import PyptoError, PyptoWarning, collect_warnings, set_language
from openpto.diagnostics.language import LANGUAGES, Language
from openpto.guide.leaves import LEAVES, Leaf

PAGES = Path(__file__).resolve().parents[1] / "src" / "openpto" / "guide" / "pages"
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
_MARK = re.compile(r"#\s*(stops|warns): (PTO\d{3})$", re.M)
_ELISION = "..."


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, what stands in it, and where that begins and ends in the body."""

    language: str
    text: str
    start: int
    end: int

    @property
    def file(self) -> str:
        """The name under which a block of Python is kept for the blocks after it."""
        name = re.match(r"# file: (\S+)\n", self.text)
        return name[1] if name else "kernel.py"

    @property
    def promised(self) -> list[str]:
        """Codes that the block says it is told, warnings before the error."""
        marks = _MARK.findall(self.text)
        return sorted({code for kind, code in marks if kind == "warns"}) + [c for kind, c in marks if kind == "stops"]


def blocks(body: str) -> list[Block]:
    """The fenced blocks of a body, in order."""
    return [Block(match[1], match[2], match.start(2), match.end(2)) for match in _FENCE.finditer(body)]


@dataclass(frozen=True)
class Told:
    """What a block led to: the codes of its warnings and of its error, and everything that it shows."""

    codes: list[str]
    shown: str


@dataclass(frozen=True)
class Step:
    """A block that ran, what it led to, and the block of text after it, if there is one."""

    block: Block
    told: Told
    text: Block | None

    @property
    def agrees(self) -> bool:
        """Whether the block shows what the page says, or nothing where the page says nothing."""
        if self.text is not None:
            return matches(self.text.text, self.told.shown)
        return bool(self.told.codes) or not self.told.shown.strip() or self.block.language == "sh"


def matches(wanted: str, shown: str) -> bool:
    """Whether the lines are those wanted, where a line of three dots stands for any lines.

    >>> matches("a\\n...\\nc\\n", "a\\nb\\nb\\nc")
    True
    """
    lines = [".*" if line == _ELISION else re.escape(line) for line in _lines(wanted)]
    pattern = "\n".join(lines).replace("\n.*", "(?:\n.*)?").replace(".*\n", "(?:.*\n)?", lines[:1] == [".*"])
    return re.fullmatch(pattern, "\n".join(_lines(shown)), re.S) is not None


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").split("\n")]


def run_body(body: str, language: Language) -> Iterator[Step]:
    """Run the blocks of a page in turn, in a folder of their own."""
    with tempfile.TemporaryDirectory() as folder, _inside(folder), _speaking(language):
        found = blocks(body)
        for block, after in zip(found, [*found[1:], None], strict=False):
            if block.language in _RUNNERS:
                told = _RUNNERS[block.language](block)
                yield Step(block, told, after if after is not None and after.language == "text" else None)


def _python(block: Block) -> Told:
    Path(block.file).write_text(block.text, encoding="utf-8")
    return execute(block.file)


def execute(file: str) -> Told:
    """Run a file of this folder as a script."""
    text = Path(file).read_text(encoding="utf-8")
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    module = types.ModuleType("__main__")
    module.__dict__["__file__"] = file
    output = io.StringIO()
    error: PyptoError | None = None
    with warnings.catch_warnings(record=True) as noted, collect_warnings(), contextlib.redirect_stdout(output):
        warnings.simplefilter("always")
        try:
            exec(compile(text, file, "exec", dont_inherit=True), module.__dict__)
        except PyptoError as caught:
            error = caught
    told = [w.message for w in noted if isinstance(w.message, PyptoWarning)]
    others = [w for w in noted if not isinstance(w.message, PyptoWarning)]
    assert not others, f"{file}: {others[0].message}"
    codes = [*sorted({warning.code for warning in told}), *([error.code] if error else [])]
    reports = [str(report) for report in (*told, *([error] if error else []))]
    return Told(codes, "\n".join(part.strip("\n") for part in (output.getvalue(), *reports) if part.strip()))


def _shell(block: Block) -> Told:
    parts = [_command(line) for line in block.text.replace("\\\n", " ").strip().split("\n")]
    return Told([code for part in parts for code in part.codes], "\n".join(part.shown.strip("\n") for part in parts))


def _command(line: str) -> Told:
    words = shlex.split(line, comments=True)
    variables = {}
    while words and re.match(r"[A-Z_]+=", words[0]):
        name, _, variables[name] = words.pop(0).partition("=")
    with mock.patch.dict(os.environ, variables):
        words = [found for word in words for found in (sorted(glob.glob(word)) if "*" in word else [word])]
        if words[0] == "python":
            return execute(words[1])
        if words[0] == "pytest":
            return _pytest(words[1:])
        assert words[0] == "pypto", f"not a command of this project: {line}"
        output = io.StringIO()
        with contextlib.ExitStack() as during:
            during.enter_context(mock.patch.object(sys, "argv", words))
            during.enter_context(contextlib.redirect_stdout(output))
            during.enter_context(contextlib.redirect_stderr(output))
            during.enter_context(contextlib.suppress(SystemExit))
            pypto_command()
    return Told([], output.getvalue())


def _pytest(arguments: Sequence[str]) -> Told:
    """Run pytest in this folder as a command of its own, with the plugin, on 80 columns."""
    plugin = "openpto.pytest_plugin"
    found = entry_points(group="pytest11", name="openpto")
    name = "openpto" if any(point.value == plugin for point in found) else plugin
    command = [sys.executable, "-m", "pytest", "-p", name, "-p", "no:cacheprovider", *arguments]
    environment = {**os.environ, "COLUMNS": "80"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    return Told([], done.stdout + done.stderr)


def _json(block: Block) -> Told:
    """JSON on a page is the cases of its operator."""
    Path("test_cases.json").write_text(block.text, encoding="utf-8")
    return Told([], "")


_RUNNERS = {"python": _python, "sh": _shell, "json": _json}


@contextlib.contextmanager
def _inside(folder: str) -> Iterator[None]:
    """Make a folder the current one, whose files can be imported."""
    before, known = os.getcwd(), set(sys.modules)
    os.chdir(folder)
    sys.path.insert(0, folder)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        os.chdir(before)
        sys.path.remove(folder)
        for name in set(sys.modules) - known:
            if str(getattr(sys.modules[name], "__file__", None)).startswith(folder):
                del sys.modules[name]


@contextlib.contextmanager
def _speaking(language: Language) -> Iterator[None]:
    set_language(language)
    try:
        yield
    finally:
        set_language(None)


def record(leaf: Leaf, language: Language) -> bool:
    """Write what the blocks show into the page; whether that changed it."""
    page = PAGES / language / f"{leaf.key}.md"
    old = page.read_text(encoding="utf-8")
    body = leaf.body.in_language(language)
    for step in reversed([step for step in run_body(body, language) if step.text is not None and not step.agrees]):
        assert step.text is not None
        if _ELISION not in _lines(step.text.text):
            body = body[: step.text.start] + step.told.shown.strip("\n") + "\n" + body[step.text.end :]
    new = old.removesuffix(leaf.body.in_language(language)) + body
    page.write_text(new, encoding="utf-8")
    return new != old


def problems(leaf: Leaf, language: Language) -> Iterator[str]:
    """What is not as the page says, one text per block."""
    for step in run_body(leaf.body.in_language(language), language):
        where = f"{leaf.key} ({language})\n{step.block.text}"
        if step.block.language == "python" and step.told.codes != step.block.promised:
            yield f"{where}promised {step.block.promised}, but told {step.told.codes}:\n{step.told.shown}\n"
        if not step.agrees:
            yield f"{where}shows\n{step.told.shown}\n"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("keys", nargs="*", metavar="KEY")
    parser.add_argument("--write", action="store_true", help="record what is shown")
    options = parser.parse_args(arguments)
    wrong = 0
    for key in options.keys or LEAVES:
        for language in LANGUAGES:
            if options.write and record(LEAVES[key], language):
                print(f"{language}/{key}.md written")
            elif not options.write:
                for problem in problems(LEAVES[key], language):
                    wrong += 1
                    print(problem)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
