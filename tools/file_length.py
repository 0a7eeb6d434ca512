"""Report Python files that grow long: over 300 lines they are listed, over 600 the check fails."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("src", "tests", "tools", "bench")
AIM, LIMIT = 300, 600


def lengths(root: Path = ROOT) -> list[tuple[int, str]]:
    """(number of lines, path from the root) of every Python file, longest first."""
    files = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*.py"))]
    counted = [
        (len(path.read_text(encoding="utf-8").splitlines()), path.relative_to(root).as_posix()) for path in files
    ]
    return sorted(counted, key=lambda item: (-item[0], item[1]))


def main() -> int:
    """Print the report; exit code 1 if a file is over the limit."""
    counted = lengths()
    long = [(count, name) for count, name in counted if count > AIM]
    print(f"{len(counted)} files, {sum(count for count, _ in counted)} lines; {len(long)} files over {AIM} lines")
    for count, name in long:
        print(f"  {count:5d}  {name}{'   <-- over the limit' if count > LIMIT else ''}")
    return int(any(count > LIMIT for count, _ in long))


if __name__ == "__main__":
    sys.exit(main())
