// The page of rows: loads them piece by piece, searches, filters, sorts; what is chosen stands in the address.
"use strict";
document.addEventListener("DOMContentLoaded", async () => {
const { element, number, unpacked } = cipherassay;
const known = await cipherassay.manifest();
const form = document.getElementById("filters");
const state = document.getElementById("state");
const more = document.getElementById("more");
const table = document.querySelector("table.rows");
const body = table.tBodies[0];
const STEP = 200;
const all = [];
let sorted = null, descending = false, found = [], shown = 0;

function cellText(row, name) {
  const value = row[name];
  return value === null ? "" : name === "value" ? number(value) : String(value).replaceAll("_", " ");
}
function chosen() {
  return Object.fromEntries([...new FormData(form)].filter(([, value]) => value));
}
function matches(row, choices, words) {
  for (const [name, value] of Object.entries(choices))
    if (name !== "q" && String(row[name]) !== value) return false;
  return words.every((word) => row.text.includes(word));
}
function line(row) {
  const link = element("a", { href: `rows.html#${row.number}`, textContent: row.number });
  const made = element("tr", {}, element("th", { scope: "row" }, link));
  for (const name of known.shown)
    made.append(element("td", { className: typeof row[name] === "number" ? "" : "words", textContent: cellText(row, name) }));
  return made;
}
function showMore() {
  body.append(...found.slice(shown, shown + STEP).map(line));
  shown = Math.min(found.length, shown + STEP);
  more.hidden = shown >= found.length;
}
function show() {
  const choices = chosen();
  const words = (choices.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  found = all.filter((row) => matches(row, choices, words));
  if (sorted) {
    const side = descending ? -1 : 1;
    found.sort((a, b) => a[sorted] === null ? 1 : b[sorted] === null ? -1
      : side * (typeof a[sorted] === "number" ? a[sorted] - b[sorted] : String(a[sorted]).localeCompare(String(b[sorted]))));
  }
  body.replaceChildren();
  shown = 0;
  showMore();
  const loading = all.length < known.count ? `; ${all.length.toLocaleString("en")} of ${known.count.toLocaleString("en")} loaded` : "";
  state.textContent = `${found.length.toLocaleString("en")} rows${loading}`;
}
function head() {
  const headings = known.shown.map((name) => {
    const button = element("button", { type: "button", className: "sort", textContent: name.replaceAll("_", " ") });
    const heading = element("th", { scope: "col", className: known.texts[known.fields.indexOf(name)] ? "words" : "" }, button);
    button.addEventListener("click", () => {
      descending = sorted === name && !descending;
      sorted = name;
      for (const one of table.tHead.querySelectorAll("th")) one.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
      show();
    });
    return heading;
  });
  table.tHead.replaceChildren(element("tr", {}, element("th", { scope: "col", textContent: "row" }), ...headings));
}
function choicesFromAddress() {
  const hash = location.hash.slice(1);
  if (/^\d+$/.test(hash)) { cipherassay.showEvidence(Number(hash), "", null); return; }
  const asked = new URLSearchParams(hash);
  for (const field of form.elements) if (field.name) field.value = asked.get(field.name) ?? "";
}
function changed() {
  history.replaceState(null, "", `#${new URLSearchParams(chosen())}`);
  show();
}

for (const [name, values] of Object.entries(known.choices))
  form.elements[name].append(...values.map((value) => element("option", { value, textContent: String(value).replaceAll("_", " ") })));
head();
choicesFromAddress();
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("input", changed);
form.addEventListener("reset", () => setTimeout(changed));
more.addEventListener("click", showMore);
window.addEventListener("hashchange", () => { choicesFromAddress(); show(); });
for (let n = 0; n * known.piece < known.count; n++) {
  const piece = await cipherassay.piece(n);
  for (const [place, one] of piece.lines.entries()) {
    const row = unpacked(known, piece, one);
    row.number = n * known.piece + place;
    row.text = [row.cipher, row.variant, row.part, row.operation, row.key_bits, row.strategy, row.level, row.target,
      row.configuration, row.metric, row.basis, row.certificate, row.reference_source].filter((value) => value !== null).join(" ")
      .replaceAll("_", " ").toLowerCase();
    all.push(row);
  }
  if (n % 8 === 0 || n < 2) { show(); await new Promise((resolve) => setTimeout(resolve)); }
}
show();
document.documentElement.dataset.rows = String(all.length);
});
