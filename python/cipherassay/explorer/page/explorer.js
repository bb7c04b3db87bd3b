// The explorer: the description at the left, what becomes of it at the right.

import { openDocument } from "./api.js";
import { costs, measured } from "./costs.js";
import { choice, fill, h, number } from "./dom.js";
import { descriptionEditor, setText, showHeat, showReports, sideBySide, TextView, tie } from "./editor.js";
import { facts, report, standing, table, verdicts } from "./panels.js";
import { saveDescription, savePage } from "./share.js";
import { skeleton } from "./skeleton.js";
import { counted, linesOf, originsOf, shares } from "./ties.js";
import { PAUSE, Version } from "./version.js";

/** Milliseconds after the panels before targets begin, so that typing does not start them. */
const BEFORE_TARGETS = 700;
const COSTS = "costs";
const COMPARE = "compare";

/** The page. */
export class Explorer {
  constructor(body, known, snapshot) {
    this.known = known;
    this.snapshot = snapshot;
    const tab = `tab-${crypto.randomUUID()}`;
    this.now = new Version(tab, (what) => this.changed(this.now, what));
    this.base = null;
    this.tab = `${tab.slice(0, 20)}-base`;
    this.panel = "checks";
    this.chosenLine = 0;
    this.parts = skeleton(body, {
      tabs: [...known.panels.map((one) => [one.name, one.title]), [COSTS, "Costs"], [COMPARE, "Compare"]],
      documents: known.documents,
      frozen: snapshot !== null,
      open: (name) => this.open(name),
      show: (name) => this.show(name),
      keepBase: () => this.keepBase(),
      saveDescription: () => saveDescription(this.now),
      savePage: () => this.savePage(),
    });
    this.text = new TextView(this.parts.text, {
      pointed: (line) => this.pointedAtText(line),
      chosen: (line) => this.pointedAtText(line, true),
    });
    this.editor = descriptionEditor(this.parts.editor, {
      changed: (text) => this.edited(text),
      pointed: (line) => this.pointedAtDescription(line || this.chosenLine),
      chosen: (line) => this.pointedAtDescription((this.chosenLine = line), true),
      readOnly: snapshot !== null,
    });
  }

  /** Open the first document, or what the snapshot holds. */
  async begin() {
    this.drawLine(0, 0);
    if (this.snapshot) {
      this.now.restore(this.snapshot.now);
      if (this.snapshot.base) this.base = new Version("", () => {}).restore(this.snapshot.base);
      setText(this.editor, this.now.text);
      this.drawChoices();
      this.show(this.snapshot.panel ?? "checks");
      this.redrawAll();
      return;
    }
    const wanted = decodeURIComponent(location.hash.slice(1));
    const first = this.known.documents.find((one) => one.name === wanted) ?? this.known.documents[0];
    await this.open(first.name);
    this.show("checks");
  }

  /** Open a document of the server's. */
  async open(name) {
    try {
      const found = await openDocument(name);
      Object.assign(this.now, { stem: found.stem, origin: found.name, facts: null, panels: {}, targets: {}, options: {} });
      this.parts.documents.value = found.name;
      this.base = null;
      this.opening = true;
      setText(this.editor, found.text);
      this.opening = false;
      this.editor.scrollDOM.scrollTop = 0;
      history.replaceState(null, "", `#${encodeURIComponent(name)}`);
      this.drawChoices();
      this.edited(found.text, 0);
    } catch (error) {
      fill(this.parts.status, h("span", { class: "fail" }, error.message));
    }
  }

  /** Take a new text: after a short pause all is made anew. */
  edited(text, pause = PAUSE) {
    if (this.opening || this.snapshot) return;
    this.now.text = text;
    clearTimeout(this.waiting);
    clearTimeout(this.later);
    this.now.stopTargets();
    this.waiting = setTimeout(() => this.runAll(), pause);
  }

  /** Make all panels, the one that is seen first; then the targets. */
  async runAll() {
    const names = this.known.panels.map((one) => one.name);
    const first = [...new Set(["checks", ...names.filter((one) => one === this.panel), ...names])];
    for (const one of Object.values(this.now.panels)) one.stale = true;
    const text = this.now.text;
    const made = this.now.runPanels(first);
    this.redrawAll();
    await made;
    if (this.now.text !== text) return;
    clearTimeout(this.later);
    if (this.now.panels.program?.error) return;
    this.later = setTimeout(() => this.runTargets(), BEFORE_TARGETS);
  }

  runTargets() {
    const names = this.known.targets.map((one) => one.name);
    this.now.runTargets(names);
    const missing = this.base ? names.filter((one) => this.base.targets[one]?.value === undefined) : [];
    if (missing.length) this.base.runTargets(missing);
  }

  /** Take an option's value; one of a panel makes that panel alone. */
  option(name, value, panel) {
    this.now.options[name] = value;
    if (this.base) this.base.options[name] = value;
    if (panel) {
      this.now.runPanels([panel]);
      if (this.base) this.base.runPanels([panel]);
      this.redraw(panel);
    } else {
      this.edited(this.now.text, 0);
      if (this.base) this.base.runPanels(this.known.panels.map((one) => one.name));
    }
  }

  /** Keep the version at hand as the base of comparisons. */
  keepBase() {
    const unfinished = Object.entries(this.now.panels).filter(([, one]) => one.busy || one.stale).map(([name]) => name);
    this.base = new Version(this.tab, (what) => this.changed(this.base, what)).restore(this.now.snapshot());
    if (unfinished.length) this.base.runPanels(unfinished);
    this.show(COMPARE);
  }

  async savePage() {
    const { panels, targets, version, documents } = this.known;
    const own = documents.filter((one) => one.name === this.now.origin);
    const known = { panels, targets, version, documents: own };
    await savePage({ known, panel: this.panel, now: this.now.snapshot(), base: this.base?.snapshot() ?? null });
  }

  // ---- drawing ----

  /** Something has come of a version. */
  changed(version, what) {
    if (version === this.now && what !== "target") {
      this.redraw(what);
      this.drawReports();
      if (what === "program") this.drawChoices();
      if (what === "operations" || what === "assembly") showHeat(this.editor, shares(this.now));
    }
    if (this.panel === COSTS && what === "target") this.redraw(COSTS);
    if (this.panel === COMPARE) this.redraw(COMPARE);
  }

  redrawAll() {
    this.drawReports();
    showHeat(this.editor, shares(this.now));
    this.redraw(this.panel);
  }

  /** Show a tab. */
  show(name) {
    this.panel = name;
    this.parts.select(name);
    this.redraw(name, true);
  }

  redraw(name, anew = false) {
    this.drawStatus();
    if (name !== this.panel) return;
    if (name === COSTS) this.drawCosts();
    else if (name === COMPARE) this.drawCompare(anew);
    else this.drawPanel(name, anew);
  }

  drawPanel(name, anew) {
    const panel = this.now.panels[name] ?? { verdicts: [], busy: true };
    const { content, controls, text } = this.parts;
    this.drawControls(name, panel);
    const shown = panel.shown;
    const isText = shown && shown.text !== undefined && !panel.error;
    text.hidden = !isText;
    content.hidden = Boolean(isText);
    controls.classList.toggle("stale", Boolean(panel.stale && panel.busy));
    if (isText) {
      if (anew || this.drawn !== shown) this.text.show(shown);
      this.drawn = shown;
      this.pointedAtDescription(this.chosenLine);
      return;
    }
    const go = (line, column) => this.go(line, column);
    if (name === "checks") fill(content, verdicts(panel, this.now.stem, go));
    else if (panel.error) fill(content, report(panel.error, this.now.stem, go));
    else if (shown) fill(content, table(shown));
    else fill(content, h("p", { class: "empty" }, "Being made …"));
  }

  drawControls(name, panel) {
    const about = this.known.panels.find((one) => one.name === name);
    const choices = about.options.map((option) => {
      const key = `${name}.${option.name}`;
      const value = this.now.options[key] ?? option.values[0][0];
      const values = this.snapshot ? option.values.filter(([one]) => one === value) : option.values;
      return choice(option.title, values, value, (chosen) => this.option(key, chosen, name));
    });
    const found = facts(panel.shown, panel);
    if (document.activeElement?.closest?.(".controls") && this.controlsOf === name) {
      this.parts.controls.querySelector(".facts")?.remove(); // what has the focus stays
      if (found) this.parts.controls.append(found);
      return;
    }
    this.controlsOf = name;
    fill(this.parts.controls, choices, found);
  }

  drawChoices() {
    const found = this.now.facts;
    const sizes = found?.key_sizes ?? [];
    fill(
      this.parts.choices,
      sizes.length ? choice("Key bits", sizes.map((one) => [String(one), String(one)]), String(found.key_bits), (v) => this.option("key_bits", v)) : null,
      found ? choice("Operation", found.operations.map((one) => [one, one]), found.operation, (v) => this.option("operation", v)) : null,
    );
    if (this.snapshot) for (const one of this.parts.choices.querySelectorAll("select")) one.disabled = true;
  }

  drawStatus() {
    const [state, text] = standing(this.now);
    fill(this.parts.status, h("span", { class: state }, text));
    for (const about of this.known.panels) {
      const panel = this.now.panels[about.name];
      const mark = about.name === "checks" ? state : panel?.busy ? "running" : panel?.error ? "fail" : "";
      this.parts.mark(about.name, mark);
    }
    const waiting = Object.values(this.now.targets).some((one) => one.busy);
    this.parts.mark(COSTS, waiting ? "running" : "");
  }

  drawReports() {
    const reports = [];
    const own = (file) => file.split("/").pop() === `${this.now.stem}.py`;
    const seen = new Set();
    for (const { error } of Object.values(this.now.panels)) {
      const place = error?.places?.find(([file, line]) => own(file) && line);
      if (!place || seen.has(error.message)) continue;
      seen.add(error.message);
      const message = [`error[${error.code}]: ${error.message}`, ...error.notes, error.help && `help: ${error.help}`].filter(Boolean).join("\n");
      reports.push({ line: place[1], column: place[2], severity: "error", message });
    }
    for (const verdict of this.now.panels.checks?.verdicts ?? []) {
      if (verdict.state !== "fail" && verdict.state !== "note") continue;
      const severity = verdict.state === "fail" ? "error" : "info";
      for (const place of verdict.places ?? []) {
        if (own(place.file) && place.line) reports.push({ line: place.line, column: place.column, severity, message: `${verdict.what}: ${verdict.text}` });
      }
    }
    showReports(this.editor, reports);
  }

  drawCosts() {
    const { content, controls, text } = this.parts;
    text.hidden = true;
    content.hidden = false;
    const said = ["One choice for each target, nothing searched for; what is slow comes last. In a terminal: ", h("code", {}, "assay coverage --quick"), "."];
    const busy = Object.values(this.now.targets).some((one) => one.busy);
    const stop = busy ? h("button", { onclick: () => this.stopTargets() }, "Stop") : h("button", { onclick: () => this.runTargets() }, "Run again");
    fill(controls, h("p", { class: "said" }, said), this.snapshot ? null : stop);
    fill(content, costs(this.known.targets, this.now, this.base));
  }

  stopTargets() {
    this.now.stopTargets();
    this.base?.stopTargets();
    for (const version of [this.now, this.base]) for (const one of Object.values(version?.targets ?? {})) one.busy = false;
    this.redraw(this.panel);
  }

  drawCompare(anew) {
    const { content, controls, text } = this.parts;
    text.hidden = true;
    content.hidden = false;
    if (!this.base) {
      fill(controls);
      fill(content, h("div", { class: "empty" }, h("p", {}, "Keep this version as the base, then edit: the two stand side by side here, with what changes in cost."),
        this.snapshot ? null : h("button", { class: "primary", onclick: () => this.keepBase() }, "Keep as base")));
      return;
    }
    const [state, words] = standing(this.now);
    const [before, said] = standing(this.base);
    fill(controls, h("p", { class: "said" }, "base: ", h("span", { class: before }, said), "  now: ", h("span", { class: state }, words)),
      this.snapshot ? null : h("button", { onclick: () => this.keepBase() }, "Keep this as base"));
    if (anew || this.compared !== this.now.text || !content.querySelector(".merge")) {
      this.compared = this.now.text;
      this.tables = h("div", { class: "tables" });
      const place = h("div", { class: "merge-texts" });
      const heads = h("div", { class: "merge-heads" }, h("b", {}, "base"), h("b", {}, "now"));
      fill(content, h("div", { class: "merge" }, heads, place), this.tables);
      sideBySide(place, this.base.text, this.now.text);
    }
    fill(this.tables, measured(this.now, this.base), costs(this.known.targets, this.now, this.base));
  }

  // ---- lines ----

  go(line, column) {
    this.parts.showDescription();
    const at = this.editor.state.doc.line(Math.min(line, this.editor.state.doc.lines));
    this.editor.dispatch({ selection: { anchor: Math.min(at.to, at.from + (column ?? 1) - 1) }, scrollIntoView: true });
    this.editor.focus();
  }

  shown() {
    const panel = this.now.panels[this.panel];
    return panel && !panel.error && panel.shown?.text !== undefined ? panel.shown : null;
  }

  pointedAtDescription(line, reveal = false) {
    const shown = this.shown();
    const { strong, weak } = linesOf(shown, line);
    if (shown) tie(this.text.view, strong, weak, reveal);
    tie(this.editor, new Set(line ? [line] : []), new Set());
    this.drawLine(line, strong.size || weak.size);
  }

  pointedAtText(line, reveal = false) {
    const { strong, weak } = originsOf(this.shown(), line);
    tie(this.text.view, new Set(line ? [line] : []), new Set());
    tie(this.editor, strong, weak, reveal);
    this.drawLine([...strong][0] ?? 0, 0);
  }

  drawLine(line, tied) {
    const { operations, listing, all } = counted(this.now);
    if (!line) {
      fill(this.parts.line, h("span", { class: "muted" }, "Point at a line to see what it becomes and what it takes."));
      return;
    }
    const part = (value, whole) => (whole ? ` (${Math.round((100 * value) / whole)} %)` : "");
    const said = [];
    if (operations[line]) said.push(`${number(operations[line])} operations${part(operations[line], all.operations)}`);
    if (listing[line]) {
      said.push(`${number(listing[line].instructions)} instructions`);
      said.push(`${number(listing[line].cycles)} cycles${part(listing[line].cycles, all.cycles)}`);
    }
    const title = this.known.panels.find((one) => one.name === this.panel)?.title;
    if (tied && title) said.push(`${tied} ${tied === 1 ? "line" : "lines"} of ${title}`);
    fill(this.parts.line, h("b", {}, `Line ${line}`), " ", said.length ? said.join(" · ") : h("span", { class: "muted" }, "no operations"));
  }
}
