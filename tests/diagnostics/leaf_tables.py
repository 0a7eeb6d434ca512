"""Rows of the tables that authors debug with, each with the rules that answer it, or what is true here instead.

A line is `symptom: rules` or `symptom - what is true here`.
"""

ERROR_CODES = """
only a code and no text - every message here says its cause; `pypto explain` takes codes and words of messages
clean run, wrong or zero output: PTO412 PTO401 PTO411
a code to route by its prefix - `pypto explain` takes the code; tests/diagnostics/vendor_codes.py lists all of them
F21004 at an operation nobody wrote: PTO301 PTO306
F4 or F5 right after an edit: PTO304 PTO324 PTO410
rtMalloc failed: PTO442
segmentation fault with mangled frames - compiled kernels are verified, and a fault of ours is PTO901
Python loops of the wrapper drive the kernel: PTO181 PTO182
while or for over something else in the graph: PTO131 PTO152 PTO671
"""

EXAMPLES = """
--run_mode sim seems ignored: PTO622
vector tile missing before an implicit copy: PTO306
Python for range drives tiles: PTO181 PTO182 PTO134
move and [:] = both exist - they mean the same here
the import fails: PTO590 PTO591
the script passes in a pipeline - a coded stop ends `pypto` and Python with exit code 1
graph capture of a network - kernels are called like functions; nothing has to be registered
the cost model makes no files - there is no cost model in this version
"""

SIGNATURES = """
a tensor parameter is said to be no tensor: PTO508 PTO515
shape size must be less than INT32_MAX: PTO224 PTO235
empty annotation used as an escape: PTO531
"""

DYNAMIC = """
the tile setter rejects a value: PTO286
the loop rejects bounds: PTO201
indexing with a symbol fails: PTO234
ranks of view: PTO236
compile error without a line: PTO661
bounds from shapes and elements, predicates in helpers: PTO651 PTO661 PTO660
"""

VIEW = """
their size actually are X and Y: PTO236
dimension mismatch with four offsets: PTO236
wrong shape in a computation because reshape is missing: PTO229 PTO230
assemble of another rank: PTO248
"""

SIMULATION = """
errors of 1e20 in simulation - results are exact here
operand1 dim[0] = -1: PTO271
invalid tile values kL0=0, kL1a=0: PTO320
"""

OPERATIONS = """
matmul of 1-D: PTO270
a tensor like a scalar that is to be broadcast: PTO229
zeros and negation: PTO222
transpose by .T: PTO219
.T of an intermediate tensor: PTO219
32-byte rule of a reduction axis: PTO305
state is carried by rebinding: PTO668
"""

TILES = """
cube tile has another number of entries: PTO287
cube tile entries are not ordered or do not divide: PTO321
k and n entries of a cube tile are not aligned: PTO322 PTO323
L0A, L0B, L0C or L1 is too small: PTO324 PTO326
bias or fix-pipe buffer is too small: PTO324
split-K beyond two dimensions, or with another output: PTO327 PTO275
UB is too small: PTO304
tile shape not set: PTO301
wrong numbers of matmul and vector code without a vector tile: PTO301
tile does not divide its axis: PTO621
"""

MATMUL = """
a cryptic failure of matmul with .T or out_dtype: PTO219
a K above 65535: PTO279
only one of vector and cube tile is set: PTO301 PTO320
ranks of assemble differ: PTO248
reshape to [1] of more elements: PTO253
.T is missing, 2-D transpose under a tile of another rank: PTO219 PTO303
alignment of a reduction: PTO305
it still fails though aligned: PTO328 PTO304
a vector of ones of another length: PTO274
5-D views under a 4-D tile: PTO303
"""

LAUNCHES = """
launch aicpu failed 107003: PTO620 PTO621
non-tensor parameter: PTO508 PTO515
return annotation: PTO501
tensor is not iterable: PTO257
difference of exactly 0.0: PTO537
simulation wrong and device right - results are exact here
"""

SCANS = """
UB overflow of a scan: PTO304
a scan element by element: PTO181 PTO182
the length of a block is not the tile - blocks and tiles are independent here
"""

KNOWLEDGE = """
tensor is not iterable, from from_torch: PTO257 PTO516
Element with its arguments in another order: PTO222
cond on a comparison or in a with: PTO660 PTO664 PTO166
reshape with a numpy integer - numpy integers are integers here
zeros swallows the dtype: PTO222
division with a scalar first: PTO223
topk sorted, rms_norm eps, cast satmode: PTO222
annotation of a local name: PTO671
type of an option: PTO282
VEC_DUP before a tile is set: PTO301
dynamic shape in a computation: PTO224
UB, L0B or L1 overflow: PTO304 PTO324
tile size not matched: PTO303
cast that no chip has: PTO265 PTO309
last axis of 32 bytes: PTO305
L0 and L1 relation, 16 elements: PTO321 PTO322
shape size mismatch of concat and reshape in a loop: PTO253 PTO463
107003 while capturing - nothing is launched on a device
the device is busy - nothing is launched on a device
two loops joined by a buffer - runs in program order
AICore exceptions: PTO450 PTO452 PTO454 PTO408
a segmentation fault after B[:] = A: PTO610
index_add in a loop aborts - runs in program order
wrong after sixteen inner iterations - nested loops have no limit
wrong after data of an earlier loop - runs in program order
part written, then read with a guessed valid_shape: PTO431 PTO401
paged attention is zero after index_put_ - runs in program order
a golden of another accumulation: PTO538
a tile of n that does not divide N - tails are handled; the result does not depend on the tile
online softmax with a local maximum: PTO538
RoPE with halves or pairs: PTO538
small sums differ by one unit: PTO538
a tail tile overruns its buffer: PTO452
an offset beyond the tile: PTO450 PTO452
compilation hangs: PTO160 PTO161 PTO181 PTO182
"""

FAQ = """
the output is unchanged: PTO412 PTO411
no device id, allocation fails - nothing is launched on a device
507018 at launch - nothing is launched on a device
tile shape size 1 is not matched: PTO303
tileShape of last axis need to 32Byte align: PTO305
stack frame exceeds 32768 - code for the device is not generated
print shows expressions, once - a kernel is traced, and pypto.pass_verify_print shows values
empty address, WORKSPACE_ITER_INVALID: PTO410 PTO403
a counter does not grow in a loop - Python integers are carried around loops here
view and assemble cycle: PTO611
precision errors in a tail: PTO401 PTO431 PTO465
AICore exception 507015: PTO450 PTO452 PTO454
no swimlane file - there is no trace of a device in this version
compilation takes longer than 600 s: PTO181 PTO182
"""

TABLES = {
    "error-codes": ERROR_CODES, "examples-debug": EXAMPLES, "jit-signature": SIGNATURES, "dynamic-shapes": DYNAMIC,
    "pypto-view": VIEW, "sim-mode": SIMULATION, "tensor-ops": OPERATIONS, "tile-shapes": TILES, "matmul": MATMUL,
    "npu-launch-failures": LAUNCHES, "scan-and-reduction": SCANS, "knowledge": KNOWLEDGE, "faq": FAQ,
}  # fmt: skip


def rows() -> list[tuple[str, str, tuple[str, ...], str]]:
    """Table, symptom, rules, and what is true here where there is no rule."""
    found = []
    for table, text in TABLES.items():
        for line in filter(None, text.split("\n")):
            symptom, marked, truth = line.partition(" - ")
            rules = () if marked else tuple(line.rpartition(":")[2].split())
            found.append((table, symptom if marked else line.rpartition(":")[0], rules, truth))
    return found
