"""What counts in a log, and what a page is found for in one."""

from __future__ import annotations

import random

import pytest

from openpto.guide.logs import FOLLOWING, FRAME, MOST_LINES, ROOT, digest, plain, read
from openpto.guide.search import of_digest, of_lines, search

NOISE = [
    "[INFO] epoch 3 step 1200 loss 0.0312 lr 1e-4",
    "Downloading shard 7 of 16: 100%|##########| 4.9G/4.9G",
    "DEBUG session: heartbeat ok, 0 errors",
    "rank 3: grad norm 0.98, abs error bound 1e-3",
    "[INFO] PYPTO pass ExpandFunction begin",
]

CHAIN = """\
Traceback (most recent call last):
  File "op.py", line 12, in kernel
    pypto.assemble(t, [0], y)
RuntimeError: Assemble: dynOffset and dest requires same shape

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "op.py", line 30, in <module>
    kernel(x, y)
RenderedParserError: Errcode: F21004!
op [REGISTER_COPY]tile shape not set, func GetVecTile, file scope.cpp, line 91
"""


def noise(lines: int, seed: int = 0) -> list[str]:
    pick = random.Random(seed)
    return [f"2026-08-01 10:{n // 60 % 60:02}:{n % 60:02}.123 {pick.choice(NOISE)} {n}" for n in range(lines)]


def key(text: str | list[str]) -> str | None:
    best = search(text if isinstance(text, str) else "\n".join(text)).best
    return best.key if best else None


@pytest.mark.parametrize("text", ["", " \n\n\t\n", "\ufeff", "....", "====", "\x00\x00\x00", "!?", "-"])
def test_nothing_answers_nothing(text):
    answer = search(text)
    assert answer.best is None
    assert answer.near == []


def test_binary_junk_has_no_page():
    junk = random.Random(1).randbytes(300_000)
    assert of_lines(junk.splitlines(keepends=True)).best is None


@pytest.mark.parametrize(
    "error",
    [
        "sqlalchemy.exc.OperationalError: (sqlite3.OperationalError) no such table: users",
        "OSError: [Errno 28] No space left on device: 'checkpoint.bin'",
        "KeyboardInterrupt",
        "AttributeError: 'NoneType' object has no attribute 'group'",
        "FileNotFoundError: [Errno 2] No such file or directory: 'weights.bin'",
    ],
)
def test_a_log_without_a_known_error_has_no_page(error):
    trace = ["Traceback (most recent call last):", '  File "train.py", line 8, in <module>', "    main()", error]
    assert key([*noise(500), *trace]) is None


def test_the_cause_of_a_chain_wins():
    assert key(CHAIN) == "PTO249"
    assert key([*noise(300), *CHAIN.split("\n"), *noise(300, seed=1)]) == "PTO249"


def test_the_first_of_two_errors_wins():
    first = "[ERROR] PYPTO: in/output total size 294912 exceeds MEM_UB size [196608], F40005"
    second = "[ERROR] PYPTO: Invalid L1/L0 relation: mL0=32, mL1=16, require mL0 <= mL1 && mL1 % mL0 == 0"
    assert key([*noise(80), first, *noise(80), second, *noise(20)]) == "PTO304"
    assert key([*noise(80), second, *noise(80), first, *noise(20)]) == "PTO321"


def test_what_only_follows_yields():
    log = ["RuntimeError: Errcode: FFFFFF! Run pass failed.", "RuntimeError: function nested is not allowed"]
    cause = "ERROR expand.cpp: Tile shape size 1 is not matched the output shape size 2"
    assert key([*noise(60), *log[1:], cause, log[0]]) == "PTO303"


def test_the_line_that_speaks_for_the_page_is_named():
    lines = noise(700)
    lines[400] = "\x1b[31m[ERROR]\x1b[0m E/pypto: tileShape of last axis need to 32Byte align"
    best = search("\n".join(lines)).best
    assert best is not None
    assert best.line is not None
    assert (best.key, best.line.number) == ("PTO305", 401)
    assert "\x1b" not in best.line.text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_encodings(encoding):
    text = "错误: 编译失败\n[ERROR] 向量 tile 太大，UB 放不下\n"
    best = of_lines(text.encode(encoding).splitlines(keepends=True)).best
    assert best is not None
    assert best.key == "PTO304"


def test_a_log_of_megabytes_is_read_as_it_comes():
    wanted = b"E  ValueError: Symbolic scalar N has multiple concrete values: 8 and 16\n"
    lines = [line.encode() + b"\n" for line in noise(2000)] * 45
    assert sum(map(len, lines)) > 5_000_000
    lines.insert(60_000, wanted)
    found = read(iter(lines))
    assert found.total == len(lines)
    assert len(found.lines) <= 2 * MOST_LINES
    assert any(line.number == 60_001 for line in found.lines)
    best = of_digest(found).best
    assert best is not None
    assert best.key == "PTO525"


def test_lines_of_a_traceback_weigh_by_what_they_are():
    weights = {line.text.strip(): line.weight for line in digest(CHAIN.split("\n")).lines}
    assert weights["RuntimeError: Assemble: dynOffset and dest requires same shape"] == ROOT
    assert weights["RenderedParserError: Errcode: F21004!"] == FOLLOWING
    assert weights["pypto.assemble(t, [0], y)"] == FRAME


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("\x1b[1;31mboom\x1b[0m\r\n", "boom"),
        ("10%|#   |\r100%|####| done", "100%|####| done"),
        ("[2026-07-30T08:11:02Z] E/pypto x", "E/pypto x"),
        ("2026-08-11 10:22:41.120 [ERROR] x", "[ERROR] x"),
        ("    indented 10:20", "    indented 10:20"),
        ("a\x00b\tc", "a b c"),
    ],
)
def test_plain_lines(line, shown):
    assert plain(line) == shown


OURS = """\
kernel.py:9: PyptoWarning: warning[PTO306]: data are moved where no tile is set                 (F21004)
 --> kernel.py:9:5
  |
9 |     pypto.assemble(x, [0, 0], out)
  |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  = explain: pypto explain PTO306
Traceback (most recent call last):
  File "run.py", line 4, in <module>
    kernel(x, out)
pypto.PyptoRuntimeError: error[PTO305]: last tile value is not 32-byte aligned  (FC1001, F21004)
  --> kernel.py:11:14
   = explain: pypto explain PTO305
"""


def test_of_our_own_messages_the_error_wins():
    assert key(OURS) == "PTO305"
    assert key([*noise(100), *OURS.split("\n"), *noise(100)]) == "PTO305"


def test_one_line_of_megabytes():
    assert key("x" * 5_000_000) is None
    assert key("x" * 5_000_000 + " Tile shape size 1 is not matched the output shape size 2") == "PTO303"
