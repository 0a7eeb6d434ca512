"""The language server: what `pypto lint` finds, its repairs and the pages of the registry, in an editor.

Nothing is imported here. documents.py, edits.py, pages.py and names.py know nothing of the protocol; the other files
need the optional packages pygls and lsprotocol, and are loaded by `pypto lsp` only.
"""
