"""The documentation site: which pages it has in each language, made from the registry, the declarations and docs/.

Nothing here needs mkdocs; `tools/docsite_hook.py` hands the pages to it.
"""
