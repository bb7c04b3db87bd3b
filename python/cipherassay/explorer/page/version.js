// A version of a description with what has become of it: the text at hand, or the base that it is compared with.

import { run } from "./api.js";

/** Milliseconds without a key before a text is run. */
export const PAUSE = 200;

/** A version. `changed` is called with the name of the panel, or `target`, of which something has come. */
export class Version {
  constructor(tab, changed) {
    this.tab = tab;
    this.changed = changed;
    this.stem = "cipher";
    this.origin = "";
    this.text = "";
    this.options = {};
    this.facts = null;
    this.panels = {};
    this.targets = {};
    this.running = new Map();
    this.serial = 0;
  }

  /** Run panels, the first first; what they still do of an older text ends. */
  async runPanels(names) {
    this.begun = performance.now();
    const state = (name) => (this.panels[name] ??= { shown: null, verdicts: [], error: null, seconds: null });
    for (const name of names) Object.assign(state(name), { busy: true });
    const fresh = new Set();
    await this.run(names, [], (message) => {
      if (!message.panel) return this.fault(names, message);
      const one = state(message.panel);
      if (!fresh.has(message.panel)) {
        fresh.add(message.panel);
        Object.assign(one, { error: null, verdicts: [] });
      }
      this.take(one, message);
      this.changed(message.panel);
    }, () => {
      for (const name of names) Object.assign(state(name), { busy: false });
      for (const name of names) this.changed(name);
    });
  }

  take(one, message) {
    const { kind, content } = message;
    if (kind === "facts") this.facts = content;
    else if (kind === "verdict") one.verdicts = [...one.verdicts, content];
    else if (kind === "error") Object.assign(one, { error: content, busy: false });
    else if (kind === "bug") Object.assign(one, { error: bug(content), busy: false });
    else if (kind === "done") Object.assign(one, { busy: false, seconds: (performance.now() - this.begun) / 1000 });
    else Object.assign(one, { shown: content, stale: false });
  }

  /** Run targets; the quick ones come first. */
  async runTargets(names) {
    for (const name of names) this.targets[name] = { ...this.targets[name], busy: true, stale: true };
    this.changed("target");
    await this.run([], names, (message) => {
      if (!message.target) return this.fault([], message);
      const { kind, content } = message;
      if (kind === "cost") this.targets[message.target] = { ...content, seconds: message.seconds };
      if (kind === "error" || kind === "bug") {
        const error = kind === "bug" ? bug(content) : content;
        const reason = [error.message, ...(error.notes ?? []).slice(0, 2)].join("; ");
        this.targets[message.target] = { value: null, code: error.code, reason };
      }
      this.changed("target");
    }, () => {
      for (const name of names) if (this.targets[name]?.busy) this.targets[name] = { ...this.targets[name], busy: false };
      this.changed("target");
    });
  }

  fault(names, message) {
    for (const name of names) Object.assign(this.panels[name], { error: bug(message.content), busy: false });
  }

  async run(panels, targets, take, end) {
    const keys = [...panels, ...targets.map((name) => `target ${name}`)];
    for (const key of keys) this.running.get(key)?.abort();
    const stop = new AbortController();
    for (const key of keys) this.running.set(key, stop);
    const mine = () => keys.some((key) => this.running.get(key) === stop);
    const { tab, stem, origin, text, options } = this;
    try {
      await run({ tab, stem, origin, text, options, panels, targets }, (m) => mine() && take(m), stop.signal);
    } catch (error) {
      if (stop.signal.aborted) return;
      const content = error.report ?? { code: "", message: lost(error), places: [], notes: [], help: "" };
      for (const panel of panels) take({ panel, kind: "error", content });
      for (const target of targets) take({ target, kind: "error", content });
    } finally {
      if (mine()) end();
    }
  }

  /** End what runs of targets. */
  stopTargets() {
    for (const [key, stop] of this.running) if (key.startsWith("target ")) stop.abort();
  }

  /** All that is shown of it, as a shared page holds it. */
  snapshot() {
    const { stem, origin, text, options, facts, panels, targets } = this;
    return { stem, origin, text, options, facts, panels, targets };
  }

  /** Take what a snapshot holds. */
  restore(snapshot) {
    Object.assign(this, structuredClone(snapshot));
    for (const one of [...Object.values(this.panels), ...Object.values(this.targets)]) one.busy = false;
    return this;
  }
}

function bug(text) {
  const last = String(text).trim().split("\n").pop();
  return { code: "", message: `a bug in assay: ${last}`, places: [], notes: [], help: "please report it with the description" };
}

function lost(error) {
  return error instanceof TypeError ? "the server does not answer: has `assay explore` ended?" : error.message;
}
