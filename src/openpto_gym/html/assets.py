"""Style and behaviour of the report; the page is complete without the script, which only filters."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --page: #f6f6f3; --card: #fff; --ink: #1c2024; --soft: #5f6670; --line: #dcdcd6;
  --good: #2b7496; --bad: #c2261d; --warn: #a16207; --plate: #fff; }
@media (prefers-color-scheme: dark) { :root { --page: #15181b; --card: #1e2226; --ink: #e8e8e4; --soft: #a0a7b0;
  --line: #353b41; --good: #6fb9cf; --bad: #ff7a6e; --warn: #e3b341; --plate: #e9e9e4; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main, header { max-width: 1240px; margin: 0 auto; padding: 0 24px; }
header { padding-top: 36px; }
h1 { font-size: 26px; line-height: 1.2; margin: 0 0 6px; letter-spacing: -0.01em; text-wrap: balance; }
h2 { font-size: 18px; margin: 0; display: inline; }
p { margin: 0 0 10px; max-width: 78ch; }
.soft { color: var(--soft); }
.bad { color: var(--bad); } .good { color: var(--good); } .warn { color: var(--warn); }
code, .mono, td.n { font: 13px/1.45 ui-monospace, "DejaVu Sans Mono", monospace; font-variant-numeric: tabular-nums; }
.legend { display: flex; flex-wrap: wrap; gap: 6px 22px; align-items: center; margin: 14px 0 4px; font-size: 13px; }
.legend img { height: 12px; width: 260px; image-rendering: pixelated; border: 1px solid var(--line); display: block; }
.legend .key::before { content: ""; display: inline-block; width: 12px; height: 12px; margin-right: 6px;
  vertical-align: -1px; background: var(--c); border: 1px solid var(--line); }
.ticks { position: relative; height: 18px; width: 260px; color: var(--soft); font-size: 12px; }
.ticks span { position: absolute; left: var(--x); transform: translateX(-50%); white-space: nowrap; }
.ticks span:first-child { transform: none; } .ticks span:last-child { transform: translateX(-100%); }
.wide { overflow-x: auto; }
table.all { border-collapse: collapse; width: 100%; margin: 18px 0 28px; }
.all th { text-align: left; font-weight: 600; font-size: 13px; color: var(--soft); padding: 4px 12px 4px 0;
  border-bottom: 1px solid var(--line); }
.all td { padding: 3px 12px 3px 0; border-bottom: 1px solid var(--line); vertical-align: middle; white-space: nowrap; }
.all td.n, .all th.n { text-align: right; }
.all a { color: inherit; text-decoration-color: var(--line); }
.strip { display: block; }
.filters { display: flex; flex-wrap: wrap; gap: 10px 18px; align-items: center; margin: 0 0 14px; }
.filters input[type=search] { font: inherit; padding: 5px 10px; min-width: 260px; color: inherit;
  background: var(--card); border: 1px solid var(--line); border-radius: 6px; }
:focus-visible { outline: 2px solid var(--good); outline-offset: 2px; }
section { margin: 0 0 14px; }
details { border-top: 1px solid var(--line); padding: 10px 0 4px; }
summary { cursor: pointer; padding: 2px 0; }
summary .soft { margin-left: 10px; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(290px, 1fr)); gap: 14px; margin: 14px 0 18px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px 14px 12px;
  content-visibility: auto; contain-intrinsic-size: auto 420px; min-width: 0; }
.card.miss, .card.error { border-color: var(--bad); }
.card h3 { font-size: 14px; margin: 0; overflow-wrap: anywhere; }
.card .what { font-size: 12.5px; color: var(--soft); overflow-wrap: anywhere; margin-bottom: 8px; }
.plate { background: var(--plate); border: 1px solid var(--line); border-radius: 4px; padding: 8px; display: flex;
  align-items: center; justify-content: center; min-height: 64px; }
.plate svg { display: block; max-width: 100%; height: auto; }
.plate image { image-rendering: pixelated; }
.axes { font-size: 12px; color: var(--soft); margin: 4px 0 8px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 12px; margin: 0; font-size: 12.5px; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
.bars { display: grid; grid-template-columns: 58px 1fr max-content; gap: 1px 8px; align-items: center; font-size: 12px;
  margin-top: 10px; }
.bars i { display: block; height: 9px; background: var(--c); border-radius: 1px; min-width: 2px;
  outline: 1px solid color-mix(in srgb, var(--ink) 22%, transparent); outline-offset: -1px; }
.bars span:nth-child(3n+1) { color: var(--soft); text-align: right; white-space: nowrap; }
.bars span:nth-child(3n) { text-align: right; font-variant-numeric: tabular-nums; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 12px; margin: 6px 0 0; }
[hidden] { display: none !important; }
footer { max-width: 1240px; margin: 24px auto 48px; padding: 0 24px; font-size: 13px; color: var(--soft); }
@media print { .filters { display: none; } .card { break-inside: avoid; content-visibility: visible; } }
"""

SCRIPT = """
const text = document.getElementById("text"), only = document.getElementById("only");
const none = document.getElementById("none");
function filter() {
  const words = text.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let any = false;
  for (const section of document.querySelectorAll("main > section")) {
    let shown = 0;
    for (const card of section.querySelectorAll(".card")) {
      const ok = words.every(word => card.dataset.words.includes(word)) && !(only.checked && card.matches(".ok"));
      card.hidden = !ok;
      shown += ok;
    }
    section.hidden = !shown;
    any = any || shown;
    if (words.length || only.checked) section.querySelector("details").open = shown > 0;
  }
  none.hidden = any;
}
text.addEventListener("input", filter);
only.addEventListener("change", filter);
function unfold() {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (target && target.querySelector("details")) target.querySelector("details").open = true;
}
window.addEventListener("hashchange", unfold);
unfold();
"""
