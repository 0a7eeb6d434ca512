"""The report of `pypto gym run --html`: its maps against known errors, its text, its images."""

import base64
import dataclasses
import html.parser
import re
import struct
import zlib

import numpy as np
import pytest
from typer.testing import CliRunner

from openpto.cli import app as application
from openpto.testing import Tolerance, error_ratios
from openpto_gym import registry
from openpto_gym.check import check
from openpto_gym.html import drawing, png
from openpto_gym.html.error_map import BOUNDS, COLUMNS, ROWS, error_map
from openpto_gym.html.page import page

PLAIN = Tolerance(rtol=0.0, atol=0.5)


def results(name, count=4):
    operator = registry.load(name)
    return [r for case in operator.cases[:count] for r in check(operator, case, "numpy", warm=False, maps=True)]


@pytest.fixture(scope="module")
def softmax():
    return results("softmax", 12)


def test_ratios_of_errors():
    """Inside, on the limit, outside, lost and equal special values."""
    got = np.array([1.0, 1.5, 3.0, np.nan, np.inf, np.nan, 0.0], np.float32)
    want = np.array([1.0, 1.0, 1.0, 1.0, np.inf, np.nan, -np.inf])
    assert error_ratios(got, want, PLAIN).tolist() == [0.0, 1.0, 4.0, np.inf, 0.0, 0.0, np.inf]
    assert error_ratios(np.array([3, 4]), np.array([3, 5]), Tolerance(0.0, 0.0)).tolist() == [0.0, np.inf]
    assert error_ratios(np.array([3, 4]), np.array([3, 5]), Tolerance(0.0, 4.0)).tolist() == [0.0, 0.25]


def test_the_worst_element_and_the_histogram():
    want = np.zeros((3, 4, 10))
    got = want.astype(np.float32)
    got[1, 2, 7], got[2, 0, 0], got[0, 0, 1] = 2.0, 0.5, 0.0004
    found = error_map(got, want, PLAIN)
    assert (found.worst, found.got, found.golden) == ((1, 2, 7), "2.0", "0")
    assert (found.error, found.allowed, found.ratio) == (2.0, 0.5, 4.0)
    assert (found.folded, found.cell, found.grid.shape, found.at) == (False, (1, 1), (12, 10), (6, 7))
    assert found.grid[6, 7] == 4.0
    assert dict(zip(BOUNDS, found.histogram, strict=True)) == {
        0.0: 117, 1e-3: 1, 1e-2: 0, 0.03: 0, 0.1: 0, 0.3: 0, 1.0: 1, np.inf: 1,
    }  # fmt: skip


@pytest.mark.parametrize("shape", [(1000, 300), (7,), (500, 1), (1, 20_000), (3, 5, 2), (97, 129), (1, 1)])
def test_every_element_is_in_a_cell(shape):
    """A single error anywhere is the largest of the cell that is said to hold it; maps stay small."""
    rng = np.random.default_rng(sum(shape))
    for _ in range(5):
        want = np.zeros(shape)
        got = want.astype(np.float32)
        place = tuple(int(rng.integers(extent)) for extent in shape)
        got[place] = 1.0
        found = error_map(got, want, PLAIN)
        assert (found.worst, found.ratio) == (place, 2.0)
        assert found.grid.shape[0] <= ROWS
        assert found.grid.shape[1] <= COLUMNS
        assert [tuple(map(int, at)) for at in np.argwhere(found.grid == 2.0)] == [found.at]
        assert np.nansum(found.grid) == 2.0


def test_nothing_has_no_map():
    assert error_map(np.zeros((0, 4), np.float32), np.zeros((0, 4)), PLAIN) is None


def decoded(data):
    """Rows of palette indices and the palette of a PNG, read by the rules of the format."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, place = {}, 8
    while place < len(data):
        (length,) = struct.unpack(">I", data[place : place + 4])
        kind, body = data[place + 4 : place + 8], data[place + 8 : place + 8 + length]
        assert struct.unpack(">I", data[place + 8 + length : place + 12 + length]) == (zlib.crc32(kind + body),)
        chunks[kind] = body
        place += 12 + length
    columns, rows, depth, colours, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (depth, colours, rest) == (8, 3, [0, 0, 0])
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(rows, columns + 1)
    assert not lines[:, 0].any()
    return lines[:, 1:], np.frombuffer(chunks[b"PLTE"], np.uint8).reshape(-1, 3)


def test_images_are_png_and_colours_follow_the_errors():
    ratios = np.array([[np.nan, 0.0, 1e-9, 1e-4, 1e-2, 1.0], [1.0001, 10.0, 1e3, 1e9, np.inf, 0.5]])
    pixels, palette = decoded(png.png(png.places(ratios)))
    assert pixels[0].tolist() == [png.EMPTY, png.EXACT, 2, 2, 102, 201]
    assert pixels[1].tolist()[:5] == [202, 219, 253, 253, png.LOST]
    assert len(palette) == 255
    inside = palette[png.INSIDE.start : png.INSIDE.stop].astype(int)
    assert (np.diff(inside.sum(axis=1)) <= 0).all()  # darker towards the tolerance
    assert png.colour(np.inf) == "#{:02x}{:02x}{:02x}".format(*palette[png.LOST])


@pytest.mark.parametrize(
    ("ratio", "text", "words"),
    [
        (0.0, "0 %", "0 % of the tolerance"),
        (1e-7, "< 0.01 %", "< 0.01 % of the tolerance"),
        (0.0123, "1.2 %", "1.2 % of the tolerance"),
        (1.0, "100 %", "100 % of the tolerance"),
        (2.5, "2.5x", "2.5 tolerances"),
        (4997.2, "4,997x", "4,997 tolerances"),
        (np.inf, "infinite", "more than can be measured"),
    ],
)
def test_ratios_as_text(ratio, text, words):
    assert (drawing.short(ratio), drawing.share(ratio)) == (text, words)


class Outline(html.parser.HTMLParser):
    """Counts elements, checks that they are closed in order, and keeps addresses."""

    VOID = {"meta", "input", "img", "image", "rect", "line", "circle"}

    def __init__(self, text):
        super().__init__()
        self.counts, self.open, self.addresses, self.cards = {}, [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.addresses += [value for name, value in attrs if name in ("src", "href")]
        if tag == "article":
            self.cards.append(dict(attrs))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag


def test_the_page_is_whole_and_needs_nothing_else(softmax):
    text = page(softmax, "numpy")
    outline = Outline(text)
    assert outline.open == []
    assert len(outline.cards) == len(softmax) == 12
    assert all(address.startswith(("data:image/png;base64,", "#")) for address in outline.addresses)
    assert not re.search(r"https?:|url\(|@import", text)
    assert "12 results ok" in text
    images = [address for address in outline.addresses if address.startswith("data:")]
    maps = [r for r in softmax if r.errors is not None]
    assert len(images) == len(maps) + 1  # and the legend
    for result, address in zip(maps, images[1:], strict=True):
        pixels, _ = decoded(base64.b64decode(address.partition(",")[2]))
        assert (pixels == png.places(result.errors.grid)).all()


def test_the_same_results_give_the_same_bytes(softmax):
    again = [dataclasses.replace(result, seconds=result.seconds + 1) for result in results("softmax", 12)]
    assert page(again, "numpy") == page(softmax, "numpy")


def test_what_is_wrong_comes_first_and_is_open(softmax):
    """Many results: only operators with something wrong are unfolded; notes are text, not markup."""
    note = "error[PTO451]: <b>bad</b>"
    wrong = dataclasses.replace(softmax[0], verdict="error", found=None, errors=None, note=note, case="broken")
    many = [dataclasses.replace(r, operator=f"operator_{k}") for k in range(10) for r in softmax]
    text = page([*many, *softmax, wrong], "torch")
    outline = Outline(text)
    assert outline.cards[120]["class"] == "card error"
    assert text.count("<details open>") == 1
    assert "<b>" not in text
    assert "&lt;b&gt;bad" in text
    assert "1 of 133 results are not ok" in text


def test_one_result_is_a_page(softmax):
    text = page(softmax[:1], "numpy")
    assert "softmax: 1 results ok" in text
    assert text.count("<details open>") == 1


def test_the_command_writes_the_page(tmp_path):
    file = tmp_path / "report.html"
    arguments = ["gym", "run", "moe_gating", "--golden", "numpy", "--html", str(file)]
    assert CliRunner().invoke(application.app, arguments).exit_code == 0
    text = file.read_text(encoding="utf-8")
    assert len(Outline(text).cards) == 2 * len([c for c in registry.load("moe_gating").cases if not c.slow])
    assert CliRunner().invoke(application.app, arguments).exit_code == 0
    assert file.read_text(encoding="utf-8") == text
    assert CliRunner().invoke(application.app, [*arguments[:-1], str(tmp_path / "no" / "x.html")]).exit_code == 2
