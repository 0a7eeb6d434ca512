"""Settings: `[tool.pypto.lint]` of the nearest pyproject.toml, changed by the command line.

[tool.pypto.lint]
select = ["DEFAULT"]                # prefixes (PTO2), codes, vendor codes (OL48, F21004), ALL, DEFAULT, GYM
extend-select = ["OL25"]
ignore = ["PTO413"]
exclude = ["generated/*"]
target = "0.2"                      # what this toolchain refuses is an error
chip = "910B"                       # what this chip lacks is an error

[tool.pypto.lint.per-file-ignores]
"tests/*" = ["PTO411"]
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from openpto.device import CHIPS
from openpto.diagnostics.errors import fail
from openpto.diagnostics.language import T
from openpto.diagnostics.registry import PROFILES
from openpto.lint.calls import near
from openpto.lint.selection import GROUPS, Selection, prefixes

_LISTS = ("select", "extend-select", "ignore", "exclude")
_KEYS = (*_LISTS, "target", "chip", "per-file-ignores")
_SKIPPED = frozenset({"__pycache__", "node_modules", "site-packages", "build", "dist", "venv"})


@dataclass(frozen=True, slots=True)
class Settings:
    """What applies to a run: the selection of rules, and files that are left out; `source` names the file."""

    selection: Selection = field(default_factory=Selection)
    exclude: tuple[str, ...] = ()
    source: str = ""


def load(start: Path) -> Settings:
    """The settings of the nearest pyproject.toml at or above a path that has such a table.

    Raises PTO791 for a table that cannot be read, PTO792 for a code that no rule has.
    """
    folder = start.resolve()
    for place in (folder, *folder.parents):
        file = place / "pyproject.toml"
        if file.is_file():
            table = _table(file)
            if table is not None:
                return read(table, str(file))
    return Settings()


def _table(file: Path) -> Mapping[str, Any] | None:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    text = file.read_text(encoding="utf-8")
    if "tool.pypto" not in text:
        return None
    try:
        table: Any = tomllib.loads(text).get("tool", {}).get("pypto", {}).get("lint")
    except tomllib.TOMLDecodeError as error:
        fail("PTO791", file=str(file), why=str(error))
    if table is not None and not isinstance(table, dict):
        fail("PTO791", file=str(file), why=T("tool.pypto.lint is not a table", "tool.pypto.lint 不是表"))
    return table


def read(table: Mapping[str, Any], source: str) -> Settings:
    """The settings of a table. Raises PTO791 and PTO792."""
    for key in table:
        if key not in _KEYS:
            fail("PTO791", file=source, why=_no_setting(key))
    lists = {key: texts(table[key], key, source) for key in _LISTS if key in table}
    ignored = table.get("per-file-ignores", {})
    if not isinstance(ignored, dict):
        why = T("per-file-ignores is not a table of patterns", "per-file-ignores 不是模式的表")
        fail("PTO791", file=source, why=why)
    per_file = {pattern: texts(codes, "per-file-ignores", source) for pattern, codes in ignored.items()}
    for code in (code for key in ("select", "extend-select", "ignore") for code in lists.get(key, ())):
        known(code)
    for code in (code for codes in per_file.values() for code in codes):
        known(code)
    selection = Selection(
        select=lists.get("select", ("DEFAULT",)),
        extend_select=lists.get("extend-select", ()),
        ignore=lists.get("ignore", ()),
        per_file_ignores=per_file,
        target=choice(table.get("target"), "target", PROFILES, source),
        chip=choice(table.get("chip"), "chip", tuple(CHIPS), source),
    )
    return Settings(selection, lists.get("exclude", ()), source)


def _no_setting(key: str) -> T:
    close, listed = near(key, _KEYS), ", ".join(_KEYS)
    hint = (
        T(f"; did you mean {close}?", f"；是否想写 {close}？")
        if close
        else T(f"; known are {listed}", f"；可用的有 {listed}")
    )
    return T(f"there is no setting {key!r}{hint.en}", f"没有设置项 {key!r}{hint.zh}")


def texts(value: object, key: str, source: str) -> tuple[str, ...]:
    """A list of texts."""
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        fail("PTO791", file=source, why=T(f"{key} is not a list of texts", f"{key} 不是文本列表"))
    return tuple(value)


def choice(value: object, key: str, allowed: Sequence[str], source: str) -> str | None:
    """One of a few texts, or None."""
    if value is None or (isinstance(value, str) and value in allowed):
        return value
    listed = ", ".join(allowed)
    why = T(f"{key} is {value!r}; it is one of {listed}", f"{key} 为 {value!r}；应为 {listed} 之一")
    fail("PTO791", file=source, why=why)


def known(code: str) -> str:
    """The code, if some rule has it. Raises PTO792."""
    if not prefixes(code):
        fail("PTO792", code=code, groups=", ".join(GROUPS))
    return code


def changed(
    settings: Settings,
    *,
    select: Sequence[str] = (),
    extend_select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    target: str | None = None,
    chip: str | None = None,
) -> Settings:
    """The settings with what the command line says; its `select` replaces, the other lists are added."""
    for code in (*select, *extend_select, *ignore):
        known(code)
    old = settings.selection
    selection = replace(
        old,
        select=tuple(select) or old.select,
        extend_select=(*old.extend_select, *extend_select),
        ignore=(*old.ignore, *ignore),
        target=target or old.target,
        chip=chip or old.chip,
    )
    return replace(settings, selection=selection)


def python_files(paths: Sequence[Path], exclude: Sequence[str] = ()) -> Iterator[Path]:
    """The files to look at: those that are named, and every .py file below a folder that is named.

    Hidden folders, environments and build folders are left out. Raises PTO793 for a path that does not exist.
    """
    seen: set[Path] = set()
    for path in paths:
        if not path.exists():
            fail("PTO793", path=str(path))
        for file in [path] if path.is_file() else _below(path):
            excluded = path.is_dir() and any(file.match(pattern) for pattern in exclude)
            if file not in seen and not excluded:
                seen.add(file)
                yield file


def _below(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and name not in _SKIPPED and not (Path(place, name) / "pyvenv.cfg").exists()
        )
        yield from (Path(place, name) for name in sorted(files) if name.endswith(".py"))
