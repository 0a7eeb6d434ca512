"""The text of one function is found in its file, and its tree is the one that the whole file gives."""

import argparse
import ast
import dataclasses
import functools
import inspect
import textwrap

import pytest

from openpto.frontend.source import block, parse
from openpto.frontend.tree import Tree

LAYOUTS = '''
def decorate(*_, **__):
    return lambda function: function


@decorate(
    1,
)
@decorate(text="""
not a line of code
""")
def header(
    a, b=(
1, 2),
):
    """Text
that begins at the margin
"""
    # a comment
# a comment at the margin
    return (a +
b)
    # the last comment


def one_line(x): return x; y = 1
def next_line(x): return x


class Owner:

    def method(self):
        if self:
            return [
    1,
]
        return """
            """ \\
            "x"

    async def other(self): pass
\tdef tabs(self):
\t\treturn 1


def last():
    pass
'''.replace("\tdef", "    def").replace("\t\t", "        ")


def functions(tree):
    return [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def dump(node):
    return ast.dump(node, include_attributes=True)


def check(text):
    lines = text.splitlines(True)
    found = functions(ast.parse(text))
    for node in found:
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        _, tree = block("file.py", first, lines[first - 1 :])
        assert dump(tree) == dump(node)
    return len(found)


def test_layouts():
    assert check(LAYOUTS) == 8


@pytest.mark.parametrize("module", [argparse, dataclasses, functools, inspect, textwrap], ids=lambda m: m.__name__)
def test_library(module):
    assert check(inspect.getsource(module)) > 10


def test_many_lines_at_the_margin():
    text = 'def f():\n    """Long\n' + "text at the margin\n" * 100 + '"""\n    return 1\n\n\nx = 1\n'
    assert check(text) == 1


@pytest.mark.parametrize("text", ["x = 1\n", "def f(:\n    pass\n", "class C:\n    pass\n", "@decorated\n"])
def test_no_function(text):
    with pytest.raises((SyntaxError, IndexError)):
        block("file.py", 1, text.splitlines(True))


def test_tree_is_handed_out_for_changing_once():
    source, node = block("file.py", 3, ["def f():\n", "    return 1\n"])
    assert parse(source) is not parse(source)
    assert dump(parse(source)) == dump(node)


def names(text, question):
    tree = ast.parse(text)
    return sorted(question(Tree(tree), tree.body))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = b\nc, (d, *e) = f\ng.h = 1\ni[j] = 2", "acde"),
        ("for a, b in c:\n    d = 1\nwith e() as f:\n    del g", "abdfg"),
        ("def a(b):\n    c = 1\n    def d(): e = 1", "a"),
        ("x = [a := 1 for b in c if (d := 2)]\nlambda: (e := 1)", "adx"),
        ("match a:\n    case [b, *c] if (d := 1):\n        e = 1\n    case {'k': f, **g}:\n        pass", "bcdefg"),
    ],
)
def test_stored(text, expected):
    assert "".join(names(text, Tree.stored)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = b + c.d[e]", "bce"),
        ("a[b] = c", "abc"),
        ("f(lambda x, y=a: x + b)", "abf"),
        ("r = [x + a for x in b for y in x if y + c]", "abc"),
        ("r = {k: v + a for k, v in b}", "ab"),
        ("r = lambda: [x for x in (lambda z: z + a)]", "a"),
    ],
)
def test_loads(text, expected):
    assert "".join(names(text, lambda tree, body: tree.loads(body[0]))) == expected
