"""What `import pypto` loads, in this interpreter and for scripts in the current folder, and who else is called so."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import metadata
from importlib.machinery import PathFinder
from pathlib import Path

from openpto._install import foreign_distributions
from openpto.diagnostics.language import T
from openpto.doctor.report import Section

_OWN = Path(__file__).resolve().parents[1].with_name("pypto")
"""Our `pypto` package: the folder beside `openpto`."""


def section(folder: Path, path: Sequence[str]) -> Section:
    """Who answers to `import pypto`: `folder` is the current one, `path` where modules are looked for."""
    made = Section("import", T("import pypto", "import pypto"))
    found = origin_of("pypto", path)
    loads = T("nothing", "无") if found is None else T(str(found), str(found))
    made.fact("loads", T("loads", "加载"), loads)
    shared = _foreign(made, path)
    if found is None:
        made.found(
            "problem",
            "pypto-missing",
            T("`import pypto` finds nothing", "`import pypto` 找不到任何模块"),
            T("pip install --force-reinstall openpto", "运行 pip install --force-reinstall openpto"),
        )
    elif found.resolve().parent != _OWN:
        made.found(
            "problem",
            "pypto-is-another",
            T(
                f"`import pypto` loads {found}, not OpenPTO, which is in {_OWN}",
                f"`import pypto` 加载的是 {found}，而不是位于 {_OWN} 的 OpenPTO",
            ),
            T(
                "take that folder out of PYTHONPATH, uninstall the other package, or give each an environment",
                "请将该目录移出 PYTHONPATH，卸载另一个包，或为两者分别建立环境",
            ),
        )
    elif not shared and "openpto" not in found.read_text(encoding="utf-8", errors="replace"):
        made.found(
            "problem",
            "pypto-overwritten",
            T(f"another package wrote over {found}", f"另一个包覆盖了 {found}"),
            T("pip install --force-reinstall openpto", "运行 pip install --force-reinstall openpto"),
        )
    _shadow(made, folder, found)
    return made


def origin_of(name: str, path: Sequence[str]) -> Path | None:
    """The file that an import of a module runs; None if there is none, or a folder without code."""
    spec = PathFinder.find_spec(name, list(path))
    if spec is None:  # installed in a way that puts a finder of its own in place of a folder
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            if find is not None and finder is not PathFinder and (spec := find(name, None)) is not None:
                break
    return Path(spec.origin) if spec is not None and spec.origin is not None else None


def _foreign(made: Section, path: Sequence[str]) -> bool:
    """Other distributions that bring a `pypto`; whether one of them shares the folder with ours."""
    shared = False
    told = set()
    for found in foreign_distributions(path):
        told.add("pypto")
        same = Path(found.folder).resolve() == _OWN.parent
        shared = shared or same
        if same:
            made.found(
                "problem",
                "mixed-with-foreign-pypto",
                T(
                    f"the distribution pypto {found.version} is installed in {found.folder}, where OpenPTO's lies too",
                    f"发行包 pypto {found.version} 安装在 {found.folder}，而 OpenPTO 也在该目录",
                ),
                T(
                    "run `pip uninstall pypto openpto` and then install one of the two, or give each an environment",
                    "请运行 `pip uninstall pypto openpto`，然后只安装其中之一，或为两者分别建立环境",
                ),
                rule="PTO590",
            )
        else:
            made.found(
                "warning",
                "hides-foreign-pypto",
                T(
                    f"the distribution pypto {found.version} is installed in {found.folder} as well",
                    f"{found.folder} 中还安装了发行包 pypto {found.version}",
                ),
                T("give the two an environment each", "请为两者分别建立环境"),
                rule="PTO591",
            )
    for name in sorted(set(metadata.packages_distributions().get("pypto", ())) - {"openpto", *told}):
        made.found(
            "warning",
            "another-distribution",
            T(f"the distribution {name} brings a `pypto` too", f"发行包 {name} 也提供 `pypto`"),
            T(f"pip uninstall {name}, if OpenPTO is meant", f"若要使用 OpenPTO，请运行 pip uninstall {name}"),
        )
    return shared


def _shadow(made: Section, folder: Path, told: Path | None) -> None:
    """A file of the current folder that scripts there import in place of the package; not if it is what was `told`."""
    for file in (folder / "pypto" / "__init__.py", folder / "pypto.py", folder / "openpto.py"):
        if not file.is_file() or file.resolve().parent == _OWN or (told is not None and file.samefile(told)):
            continue
        name = "openpto" if file.name == "openpto.py" else "pypto"
        if (folder / "openpto" / "_version.py").is_file():
            made.found(
                "warning",
                "another-copy",
                T(
                    f"scripts in {folder} get another copy of OpenPTO, which lies there",
                    f"{folder} 中的脚本使用的是该目录下的另一份 OpenPTO",
                ),
                T("run them in another folder, if this one is meant", "若要使用当前这一份，请在其他目录中运行"),
            )
            return
        made.found(
            "problem",
            "shadowed",
            T(
                f"scripts in {folder} get {file} from `import {name}`, not OpenPTO",
                f"{folder} 中的脚本执行 `import {name}` 时得到的是 {file}，而不是 OpenPTO",
            ),
            T("rename it", "请改名"),
        )
