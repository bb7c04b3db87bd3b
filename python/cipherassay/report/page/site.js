// What every page of the report can do: theme, navigation, search, sorted and filtered tables, the evidence of a number.
"use strict";
const cipherassay = window.cipherassay = {};
(() => {
const root = document.documentElement;
const above = root.dataset.root;
const alone = "alone" in root.dataset;  // a page that has everything inside: no search, no other pages
const darkWanted = window.matchMedia("(prefers-color-scheme: dark)");
const kept = {
  get(name) { try { return localStorage.getItem(name); } catch { return null; } },
  set(name, value) { try { localStorage.setItem(name, value); } catch { /* a page may be forbidden to keep anything */ } },
};
if (kept.get("theme")) root.dataset.theme = kept.get("theme");

const $ = (what, within = document) => within.querySelector(what);
const $$ = (what, within = document) => [...within.querySelectorAll(what)];

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
cipherassay.element = element;

// Under file:// a script is the only thing that a page can load; each is loaded once.
const loaded = new Map();
function load(path) {
  if (!loaded.has(path)) loaded.set(path, new Promise((resolve, reject) => {
    document.head.append(element("script", { src: above + path, onload: resolve, onerror: () => reject(new Error(path)) }));
  }));
  return loaded.get(path);
}

// Rows: a piece is a script that calls `rows`.
const pieces = new Map();
cipherassay.rows = (number, texts, lines) => pieces.set(number, { texts, lines });
cipherassay.piece = async (number) => { if (!pieces.has(number)) await load(`rows/${number}.js`); return pieces.get(number); };
cipherassay.manifest = async () => { if (!window.rowsManifest) await load("rows/manifest.js"); return window.rowsManifest; };
cipherassay.row = async (number) => {
  const known = await cipherassay.manifest();
  const piece = await cipherassay.piece(Math.floor(number / known.piece));
  return piece && cipherassay.unpacked(known, piece, piece.lines[number % known.piece]);
};
cipherassay.unpacked = (known, piece, line) => line && Object.fromEntries(known.fields.map((name, n) =>
  [name, line[n] === undefined ? null : known.texts[n] ? piece.texts[line[n]] : line[n]]));
cipherassay.number = (value) => Number.isInteger(value) ? value.toLocaleString("en")
  : value.toLocaleString("en", { maximumSignificantDigits: 6 });

// The evidence of a number: opened by a click or the Enter key, closed by Escape.
let opener = null;
async function showEvidence(number, note, from) {
  const panel = $("#evidence");
  opener = from;
  let row = null;
  if (number !== null) {
    try { row = await cipherassay.row(number); } catch { /* said below */ }
  }
  const known = row ? await cipherassay.manifest() : null;
  const title = row ? [row.cipher, row.variant, row.part, row.operation, row.metric].filter(Boolean).join(" · ") : "Note";
  const close = element("button", { type: "button", className: "close", textContent: "Close" });
  close.addEventListener("click", hideEvidence);
  panel.replaceChildren(element("h2", { id: "evidence-title", textContent: title.replaceAll("_", " ") }), close);
  if (number !== null && !row) panel.append(element("p", { textContent: "This row cannot be loaded: the folder rows/ of the report is missing." }));
  if (note) panel.append(element("p", { textContent: note }));
  if (row) {
    const list = element("dl");
    const add = (name, value) => list.append(element("dt", { textContent: name.replaceAll("_", " ") }), element("dd", { textContent: value }));
    add("value", `${cipherassay.number(row.value)} ${row.unit ?? ""}`);
    if (known.metrics[row.metric]) add("meaning", known.metrics[row.metric]);
    for (const name of known.fields) {
      const value = row[name];
      if (["value", "unit", "command"].includes(name) || value === null) continue;
      add(name, typeof value === "number" ? cipherassay.number(value) : typeof value === "boolean" ? (value ? "yes" : "no") : value);
    }
    panel.append(list);
    if (row.command) {
      const copy = element("button", { type: "button", textContent: "Copy the command" });
      copy.addEventListener("click", () => copyText(row.command, copy));
      panel.append(element("pre", { textContent: row.command, tabIndex: 0 }), copy, " ");
    }
    if (!alone) panel.append(element("a", { href: `${above}rows.html#${number}`, textContent: `row ${number} among all rows` }));
  }
  panel.hidden = false;
  close.focus({ preventScroll: true });
}
cipherassay.showEvidence = showEvidence;
function hideEvidence() {
  const panel = $("#evidence");
  if (panel.hidden) return;
  panel.hidden = true;
  opener?.focus({ preventScroll: true });
}
async function copyText(text, button) {
  try { await navigator.clipboard.writeText(text); } catch { return; }
  button.classList.add("copied");
  setTimeout(() => button.classList.remove("copied"), 1500);
}

// Search: the index is loaded when it is first needed.
let entries = null;
cipherassay.index = (found) => { entries = found.map((one) => [...one, `${one[0]} ${one[1]} ${one[3]}`.toLowerCase()]); };
async function search(text) {
  const box = $("#found");
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  box.hidden = !words.length;
  if (!words.length) return;
  try { await load("assets/search.js"); } catch { return; }
  const score = (one) => words.filter((word) => one[0].toLowerCase().includes(word)).length;
  const found = entries.filter((one) => words.every((word) => one[4].includes(word)));
  found.sort((a, b) => score(b) - score(a));
  box.replaceChildren(...found.slice(0, 30).map(([title, where, address]) =>
    element("a", { href: above + address }, title, element("small", { textContent: where }))));
  if (!found.length) box.append(element("p", { textContent: "No page, table or figure has these words." }));
  box.append(element("a", { href: `${above}rows.html#q=${encodeURIComponent(text)}` }, `Rows with “${text}”`));
}
function moveFocus(event) {
  const links = [$("#search"), ...$$("#found a")];
  const at = links.indexOf(document.activeElement);
  if (at < 0 || !["ArrowDown", "ArrowUp"].includes(event.key)) return;
  event.preventDefault();
  links[Math.min(links.length - 1, Math.max(0, at + (event.key === "ArrowDown" ? 1 : -1)))].focus();
}

// Tables: a click on a heading sorts, a field above a long table filters.
function sortValue(cell) {
  const text = cell.firstChild ? cell.firstChild.textContent.trim() : "";
  const number = Number.parseFloat(text.replaceAll(",", "").replace(/^[<>≤≥=]\s*/, ""));
  return Number.isNaN(number) ? text.toLowerCase() : number;
}
function sortBy(table, column, heading) {
  const descending = heading.getAttribute("aria-sort") === "ascending";
  for (const one of $$("thead th", table)) one.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const lines = [...table.tBodies[0].rows].map((line) => [sortValue(line.cells[column]), line]);
  const kind = (value) => value === "–" || value === "" ? 2 : typeof value === "string" ? 1 : 0;
  lines.sort(([a], [b]) => kind(a) - kind(b) || (kind(a) === 2 ? 0
    : (descending ? -1 : 1) * (typeof a === "string" ? a.localeCompare(b) : a - b)));
  table.tBodies[0].append(...lines.map(([, line]) => line));
}
function enrich(table) {
  const headings = $$("thead tr:last-child > *", table);
  headings.forEach((heading, column) => {
    const label = heading.innerText.trim() || "column";
    const button = element("button", { type: "button", className: "sort" });
    if ($("a", heading)) {  // the heading leads somewhere: the button stands beside its words
      button.setAttribute("aria-label", `Sort by ${label}`);
      heading.append(button);
    } else {
      button.append(...heading.childNodes);
      heading.append(button);
    }
    button.addEventListener("click", () => sortBy(table, column, heading));
  });
  if (!table.classList.contains("filtered")) return;
  const field = element("input", { type: "search", className: "filter", placeholder: "Filter these lines" });
  field.setAttribute("aria-label", `Filter the lines of: ${table.parentElement.getAttribute("aria-label")}`);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const line of table.tBodies[0].rows) {
      const text = line.textContent.toLowerCase();
      line.hidden = !words.every((word) => text.includes(word));
    }
  });
  table.parentElement.before(field);
  if (table.tBodies[0].rows.length > 40) table.parentElement.classList.add("long-table");
}

// Charts: what a mark stands for, shown when it is pointed at or touched.
function showTip(event) {
  const mark = event.target.closest?.(".chart [data-says]");
  let tip = $("#tip");
  if (!mark) { tip?.remove(); return; }
  if (!tip) document.body.append(tip = element("div", { id: "tip" }));
  tip.textContent = mark.dataset.says.replaceAll("; ", " · ");
  tip.style.left = `${Math.min(event.clientX + 12, window.innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.min(event.clientY + 14, window.innerHeight - tip.offsetHeight - 8)}px`;
}

// A link into a fold opens it.
function openTarget() {
  let target = null;
  try { target = document.getElementById(decodeURIComponent(location.hash.slice(1) || "-")); } catch { return; }
  for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  target?.scrollIntoView();
}
function watchContents() {
  const links = new Map($$("#side .contents a").map((link) => [link.hash.slice(1), link]));
  const watcher = new IntersectionObserver((seen) => {
    for (const one of seen) links.get(one.target.id)?.classList.toggle("here", one.isIntersecting);
  }, { rootMargin: "-10% 0px -70% 0px" });
  for (const name of links.keys()) { const there = document.getElementById(name); if (there) watcher.observe(there); }
}

function onClick(event) {
  const link = event.target.closest?.("a, button");
  if (!alone && !$("#found").contains(event.target) && event.target.id !== "search") $("#found").hidden = true;
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  if (link.matches(".noted")) {
    showEvidence("row" in link.dataset ? Number(link.dataset.row) : null, link.dataset.note, link);
    return;
  }
  if (link.matches(".anchor")) { copyText(link.href, link); return; }
  const row = /rows\.html#(\d+)$/.exec(link.getAttribute("href") ?? "");
  if (row && !link.closest("#evidence")) {
    event.preventDefault();
    showEvidence(Number(row[1]), link.dataset.note, link);
  }
}
function onKey(event) {
  if (event.key === "Escape") { hideEvidence(); if (!alone) $("#found").hidden = true; $("#side").classList.remove("open"); }
  if (alone) return;
  if (event.key === "/" && !event.target.closest("input, select, textarea")) { event.preventDefault(); $("#search").focus(); }
  moveFocus(event);
}

document.addEventListener("DOMContentLoaded", () => {
  $$("table.sortable").forEach(enrich);
  if (!alone) $("#search").addEventListener("input", (event) => search(event.target.value));
  $("#theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : darkWanted.matches;
    root.dataset.theme = dark ? "light" : "dark";
    kept.set("theme", root.dataset.theme);
  });
  $("#menu").addEventListener("click", () => {
    $("#menu").setAttribute("aria-expanded", String($("#side").classList.toggle("open")));
  });
  $("#side").addEventListener("click", (event) => { if (event.target.closest("a")) $("#side").classList.remove("open"); });
  document.addEventListener("click", onClick);
  document.addEventListener("keydown", onKey);
  for (const kind of ["pointermove", "pointerdown"]) document.addEventListener(kind, showTip);
  window.addEventListener("hashchange", openTarget);
  window.addEventListener("beforeprint", () => $$("details").forEach((one) => { one.open = true; }));
  openTarget();
  watchContents();
  root.dataset.ready = "yes";
});
})();
