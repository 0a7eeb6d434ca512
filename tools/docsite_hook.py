"""The hook of mkdocs: gives it the pages of `docsite`, the navigation, and links between the two languages.

The pages are made in memory; docs/ is read for pictures only. `extra.language` of the configuration is en or zh;
`extra.only` may list the paths of a few pages, for tests.
"""

from __future__ import annotations

from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from docsite.navigation import navigation
from docsite.pages import assets, site_pages
from docsite.sources import DOCS, relative

FOLDERS = {"en": "", "zh": "zh/"}
"""Where the site of a language is, below the English one."""

SWITCH = "language:"
"""Stands for the place of a language in links; looks like a scheme, so that the theme leaves it alone."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Exchange what mkdocs found in docs/ for the pages of the site."""
    pages = site_pages(config.extra["language"], config.extra.get("only"))
    config.nav = navigation(pages, config.extra["language"])
    kept = [file for file in files if file.src_dir != config.docs_dir]
    made = [File.generated(config, path, content=text) for path, text in pages.items()]
    made += [File.generated(config, path, abs_src_path=str(DOCS / path)) for path in assets()]
    return Files([*kept, *made])


def on_page_context(context: dict[str, Any], page: Page, config: MkDocsConfig, **_: Any) -> None:
    """Have the theme write a switch of languages, whose links `on_post_page` fills in."""
    config.extra["alternate"] = [
        {"name": name, "lang": language, "link": f"{SWITCH}{language}"}
        for name, language in (("English", "en"), ("中文", "zh"))
    ]


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Lead the switch to the same page in the other language; the theme's filter cannot leave the site."""
    for language, folder in FOLDERS.items():
        link = relative(f"{FOLDERS[config.extra['language']]}{page.url}", f"{folder}{page.url}")
        output = output.replace(f'"{SWITCH}{language}"', f'"{link}/"')
    return output
