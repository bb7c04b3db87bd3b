// Costs: a number for each target, beside those of the base.

import { h, number } from "./dom.js";

/** The change from one value to another, with a class: fewer is better for all that is shown. */
export function change(base, now) {
  if (typeof base !== "number" || typeof now !== "number" || base === 0) return ["", ""];
  const share = now / base - 1;
  if (Math.abs(share) < 0.0005) return ["=", "same"];
  const percent = Math.abs(share) >= 10 ? `×${number(now / base)}` : `${share > 0 ? "+" : "−"}${Math.abs(100 * share).toFixed(1)} %`;
  return [percent, share > 0 ? "worse" : "better"];
}

function cell(one) {
  if (!one || (one.busy && one.value === undefined)) return h("td", { class: "number waiting", "aria-label": "being made" }, one ? "…" : "");
  if (one.value === null || one.value === undefined) return h("td", { class: "number none", title: one.reason }, one.code || "–");
  const title = [one.basis, one.strategy, one.tools, one.stable === false ? "on an unsteady machine" : ""].filter(Boolean).join("; ");
  return h("td", { class: one.stale || one.busy ? "number stale" : "number", title }, number(one.value), one.stable === false ? "*" : "");
}

/** The table of costs; with a base its numbers and the changes. */
export function costs(targets, now, base) {
  const groups = [...new Set(targets.map((one) => one.group))];
  const width = base ? 5 : 3;
  const rows = groups.flatMap((group) => [
    h("tr", { class: "group" }, h("th", { colspan: String(width), scope: "rowgroup" }, group)),
    ...targets.filter((one) => one.group === group).map((one) => {
      const [mine, theirs] = [now.targets[one.name], base?.targets[one.name]];
      const [text, kind] = base ? change(theirs?.value, mine?.value) : ["", ""];
      const [name, ...unit] = one.title.split(", ");
      return h(
        "tr", {},
        h("th", { scope: "row" }, name, unit.length ? h("span", { class: "unit" }, unit.join(", ")) : null),
        base ? cell(theirs) : null, cell(mine), base ? h("td", { class: `number ${kind}` }, text) : null,
        h("td", { class: "reason" }, mine?.value === null ? mine.reason : mine?.strategy ?? ""),
      );
    }),
  ]);
  const head = ["target", ...(base ? ["base", "now", "change"] : ["cost"]), ""];
  return h(
    "div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Costs" },
    h("table", { class: "costs" },
      h("thead", {}, h("tr", {}, head.map((one, n) => h("th", { scope: "col", class: n && n < head.length - 1 ? "number" : "text" }, one)))),
      h("tbody", {}, rows)),
  );
}

/** What the panels measure of two versions: operations, cycles, clocks; rows of name, base, now. */
export function measures(now, base) {
  const rows = [];
  const operations = (version) => version.panels.operations?.shown?.metrics ?? {};
  for (const name of Object.keys(operations(now))) rows.push([`operations, ${name}`, operations(base)[name], operations(now)[name]]);
  const named = (version, panel) => Object.fromEntries(version.panels[panel]?.shown?.facts ?? []);
  for (const [panel, title] of [["assembly", "assembly"], ["rtl", "device"], ["c", "C"]]) {
    const [here, there] = [named(now, panel), named(base, panel)];
    for (const name of Object.keys(here)) {
      const first = (text) => (text === undefined ? undefined : /^[\d.]+/.test(text) ? Number.parseFloat(text) : undefined);
      if (first(here[name]) !== undefined) rows.push([`${title}, ${name}`, first(there[name]), first(here[name])]);
    }
  }
  return rows;
}

/** The table of measures. */
export function measured(now, base) {
  const rows = measures(now, base).map(([name, before, after]) => {
    const [text, kind] = change(before, after);
    const plain = name.includes("registers") || name.includes("modules") || name.includes("lines");
    return h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number" }, number(before)), h("td", { class: "number" }, number(after)),
      h("td", { class: `number ${plain ? "" : kind}` }, text));
  });
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Measures" },
    h("table", {}, h("thead", {}, h("tr", {}, ["measure", "base", "now", "change"].map((one, n) => h("th", { scope: "col", class: n ? "number" : "text" }, one)))), h("tbody", {}, rows)));
}
