// What the panels show: checks, texts, tables.

import { h, number, seconds } from "./dom.js";

const STATES = { pass: ["✓", "passes"], fail: ["✗", "fails"], missing: ["–", "missing"], note: ["i", "to look at"] };

/** An error with its places, notes and help; `go` is called with line and column of a place. */
export function report(error, stem, go) {
  const places = (error.places ?? []).map(([file, line, column, text]) => {
    const own = file.split("/").pop() === `${stem}.py`;
    const named = [own ? `${stem}.py` : file, line, column].filter((one) => one !== null && one !== undefined).join(":");
    const place = own && line ? h("button", { class: "place", onclick: () => go(line, column) }, named) : h("span", {}, named);
    return h("li", {}, place, text ? h("code", {}, text.trim()) : null);
  });
  return h(
    "div", { class: "report", role: "alert" },
    h("p", { class: "report-title" }, h("b", {}, error.code ? `error[${error.code}]` : "error"), ` ${error.message}`),
    places.length ? h("ul", { class: "places" }, places) : null,
    (error.notes ?? []).map((one) => h("p", { class: "note" }, one)),
    error.help ? h("p", { class: "help" }, h("b", {}, "help "), error.help) : null,
  );
}

/** The verdicts of the checks; `go` as for `report`. */
export function verdicts(panel, stem, go) {
  const rows = panel.verdicts.map((one) => {
    const [sign, title] = STATES[one.state] ?? ["?", one.state];
    const places = (one.places ?? []).filter((place) => place.line).map((place) =>
      h("button", { class: "place", onclick: () => go(place.line, place.column) }, `${stem}.py:${place.line}`));
    const [first, ...more] = one.text.split("\n");
    return h(
      "li", { class: `verdict ${one.state}` },
      h("span", { class: "sign", role: "img", "aria-label": title, title }, sign),
      h("span", { class: "what" }, one.what),
      h("span", { class: "said" }, first, more.map((line) => h("span", { class: "more" }, line)), places),
    );
  });
  if (!rows.length && !panel.error) return [h("p", { class: "empty" }, "Checking …")];
  return [panel.error ? report(panel.error, stem, go) : null, h("ul", { class: "verdicts" }, rows)];
}

/** How the checks of a version stand, in a word and for a class. */
export function standing(version) {
  const panel = version.panels.checks;
  const failed = Object.values(version.panels).find((one) => one.error);
  if (!panel || (panel.busy && !panel.verdicts.length && !panel.error)) return ["running", "checking"];
  if (panel.error) return ["fail", panel.error.code ? `error ${panel.error.code}` : "error"];
  const fails = panel.verdicts.filter((one) => one.state === "fail").length;
  const missing = panel.verdicts.filter((one) => one.state === "missing").length;
  if (fails) return ["fail", fails === 1 ? "1 check fails" : `${fails} checks fail`];
  if (panel.busy) return ["running", "checking"];
  if (missing) return ["missing", "no known answers"];
  return ["pass", failed ? "checks pass" : "all checks pass"];
}

/** Facts as terms and values. */
export function facts(shown, panel) {
  const all = [...(shown?.facts ?? [])];
  if (!all.length && !panel.seconds) return null;
  return h(
    "dl", { class: "facts" },
    all.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
    panel.seconds ? h("div", { class: "took" }, h("dt", {}, "made in"), h("dd", {}, seconds(panel.seconds))) : null,
  );
}

/** A table with notes. */
export function table(shown) {
  const kind = (n) => shown.columns[n][1];
  const head = h("tr", {}, shown.columns.map(([name, of]) => h("th", { scope: "col", class: of }, name)));
  const rows = shown.rows.map((row, n) =>
    h("tr", { class: n === shown.rows.length - 1 ? "sum" : undefined }, row.map((cell, k) =>
      h(k ? "td" : "th", { scope: k ? undefined : "row", class: kind(k) }, typeof cell === "number" ? number(cell) : cell ?? ""))));
  return [
    h("h2", {}, shown.title),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": shown.title }, h("table", {}, h("thead", {}, head), h("tbody", {}, rows))),
    h("dl", { class: "notes" }, shown.notes.map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, text)))),
  ];
}
