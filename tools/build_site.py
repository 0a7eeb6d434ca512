"""Build the documentation site: English in site/, Chinese in site/zh/, both strict, side by side.

Then the result is looked at: nothing is loaded from elsewhere, both searches find words of their language, and every
page leads to its twin. `--serve` shows the site on http://127.0.0.1:8000 afterwards; `mkdocs serve` follows changes.
Exit code 1 if mkdocs warns or the result is not what it has to be.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from docsite.built import external_loads, pages_with, without_twin, wrong_switches
from docsite.translations import behind, translated

ROOT = Path(__file__).resolve().parents[1]
SITE, CHINESE, APART = ROOT / "site", ROOT / "site" / "zh", ROOT / "build" / "site-zh"
COMMAND = [sys.executable, "-m", "mkdocs", "build", "--strict"]
"""Not --quiet: a warning that is not shown is not counted either."""

FOUND = {SITE: ("tile", "pto301", "row_softmax"), CHINESE: ("形状", "向量", "pto301")}
"""Words that the search of a language has to find."""


def build() -> bool:
    """Run mkdocs for both languages at once; True if neither had anything to say."""
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    environment.setdefault("SOURCE_DATE_EPOCH", "0")  # dates in the output would differ from build to build
    runs = [
        subprocess.Popen([*COMMAND, "-f", str(ROOT / file), "-d", str(folder)], cwd=ROOT, env=environment)
        for file, folder in (("mkdocs.yml", SITE), ("mkdocs.zh.yml", APART))
    ]
    codes = [run.wait() for run in runs]
    if any(codes):
        return False
    shutil.rmtree(CHINESE, ignore_errors=True)
    shutil.move(APART, CHINESE)
    return True


def faults() -> list[str]:
    """What is wrong with the site that was built."""
    found = [f"loaded from elsewhere: {load}" for load in external_loads(SITE)]
    found += [
        f"search of {folder.name} does not find {word}"
        for folder, words in FOUND.items()
        for word in words
        if not pages_with(folder, word)
    ]
    found += [f"only in one language: {name}" for name in without_twin(SITE, CHINESE)]
    return found + [f"the switch of languages leads elsewhere: {name}" for name in wrong_switches(SITE, CHINESE)]


def serve() -> None:
    """Show the site until interrupted."""
    with ThreadingHTTPServer(("127.0.0.1", 8000), partial(SimpleHTTPRequestHandler, directory=str(SITE))) as server:
        print("http://127.0.0.1:8000", flush=True)
        server.serve_forever()


def main() -> int:
    """Build, look, and show if asked."""
    if not build():
        return 1
    found = faults()
    for fault in found[:20]:
        print(fault, file=sys.stderr)
    for path in filter(behind, translated()):
        print(f"note: docs/zh/{path} is behind docs/{path}")
    if not found and "--serve" in sys.argv[1:]:
        try:
            serve()
        except KeyboardInterrupt:
            print()
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
