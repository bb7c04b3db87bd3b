// CodeMirror as this page uses it: the description, and texts made of it with their lines tied to its lines.

import { autocompletion, closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { c } from "@codemirror/legacy-modes/mode/clike";
import { gas } from "@codemirror/legacy-modes/mode/gas";
import { verilog } from "@codemirror/legacy-modes/mode/verilog";
import { vhdl } from "@codemirror/legacy-modes/mode/vhdl";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { MergeView } from "@codemirror/merge";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, drawSelection, EditorView, gutter, GutterMarker, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const nonce = () => document.querySelector("meta[name=csp-nonce]")?.content ?? "";

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.controlKeyword], color: "var(--code-keyword)" },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: "var(--code-comment)" },
  { tag: [tags.string, tags.docString, tags.character], color: "var(--code-string)" },
  { tag: [tags.number, tags.integer, tags.float, tags.bool, tags.atom], color: "var(--code-number)" },
  { tag: [tags.function(tags.variableName), tags.function(tags.definition(tags.variableName)), tags.labelName], color: "var(--code-function)" },
  { tag: [tags.typeName, tags.className, tags.standard(tags.variableName), tags.namespace], color: "var(--code-type)" },
  { tag: [tags.meta, tags.annotation, tags.processingInstruction], color: "var(--code-meta)" },
]);

const look = EditorView.theme({
  "&": { height: "100%", backgroundColor: "transparent", color: "var(--text)", fontSize: "var(--code-size)" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--accent)", paddingBottom: "40vh" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--faint)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 6px 0 10px", minWidth: "30px" },
  "&.cm-focused": { outline: "none" },
  "&.cm-focused .cm-cursor": { borderLeftColor: "var(--accent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selection)" },
  ".cm-activeLine": { backgroundColor: "var(--line)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--text)" },
  ".cm-tied": { backgroundColor: "var(--tied)" },
  ".cm-tied-weakly": { backgroundColor: "var(--tied-weakly)" },
  ".cm-heat": { width: "5px", padding: "0" },
  ".cm-cycle": { minWidth: "44px", textAlign: "right", color: "var(--faint)", fontVariantNumeric: "tabular-nums" },
  ".cm-matchingBracket": { backgroundColor: "var(--selection)", outline: "none" },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--text)", borderColor: "var(--border)" },
  ".cm-textfield, .cm-button": { backgroundColor: "var(--paper)", color: "var(--text)", backgroundImage: "none", border: "1px solid var(--border)", borderRadius: "4px" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--border)", borderRadius: "6px", maxWidth: "min(560px, 90vw)" },
  ".cm-diagnostic": { whiteSpace: "pre-wrap", padding: "6px 10px" },
  ".cm-changedLine, .cm-deletedChunk": { backgroundColor: "var(--changed)" },
  "&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText": { background: "var(--removed)" },
  "&.cm-merge-b .cm-changedText": { background: "var(--added)" },
  "&.cm-merge-a .cm-changedLine, &.cm-merge-b .cm-changedLine": { backgroundColor: "var(--changed)" },
  ".cm-collapsedLines": { background: "var(--raised)", color: "var(--muted)" },
});

// ---- lines that are tied ----

const setTied = StateEffect.define();
const tiedStrongly = Decoration.line({ class: "cm-tied" });
const tiedWeakly = Decoration.line({ class: "cm-tied-weakly" });

const tied = StateField.define({
  create: () => Decoration.none,
  update(marks, change) {
    marks = marks.map(change.changes);
    for (const effect of change.effects) if (effect.is(setTied)) marks = decorated(change.state, effect.value);
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorated(state, { strong, weak }) {
  const builder = new RangeSetBuilder();
  for (const line of [...new Set([...strong, ...weak])].sort((a, b) => a - b)) {
    if (line < 1 || line > state.doc.lines) continue;
    const at = state.doc.line(line).from;
    builder.add(at, at, strong.has(line) ? tiedStrongly : tiedWeakly);
  }
  return builder.finish();
}

/** Mark lines of a view (sets of numbers from 1), and bring the first into view if asked. */
export function tie(view, strong, weak, reveal = false) {
  const effects = [setTied.of({ strong, weak })];
  const first = Math.min(...(strong.size ? strong : weak));
  if (reveal && Number.isFinite(first) && first <= view.state.doc.lines) {
    effects.push(EditorView.scrollIntoView(view.state.doc.line(first).from, { y: "center" }));
  }
  view.dispatch({ effects });
}

/** Listeners for the line that is pointed at and the line that the cursor is in. */
function pointing(pointed, chosen) {
  let last = 0;
  const at = (event, view) => {
    const offset = view.posAtCoords({ x: event.clientX, y: event.clientY });
    return offset === null ? 0 : view.state.doc.lineAt(offset).number;
  };
  return [
    EditorView.domEventHandlers({
      mousemove(event, view) {
        const line = at(event, view);
        if (line !== last) pointed((last = line));
      },
      mouseleave() {
        pointed((last = 0));
      },
      click(event, view) {
        const line = at(event, view);
        if (line) chosen(line);
      },
    }),
  ];
}

// ---- gutters ----

class Heat extends GutterMarker {
  constructor(share) {
    super();
    this.share = share;
  }
  eq(other) {
    return other.share === this.share;
  }
  toDOM() {
    const bar = document.createElement("div");
    bar.className = "heat-bar";
    bar.style.opacity = String(Math.max(0.12, Math.min(1, this.share * 4)));
    bar.title = `${Math.round(this.share * 100)} % of what is counted`;
    return bar;
  }
}

const setHeat = StateEffect.define();
const heat = StateField.define({
  create: () => new Map(),
  update(shares, change) {
    for (const effect of change.effects) if (effect.is(setHeat)) return effect.value;
    return change.docChanged ? moved(shares, change) : shares;
  },
});

/** Shares at the lines where an edit leaves them. */
function moved(shares, change) {
  const found = new Map();
  for (const [line, share] of shares) {
    if (line > change.startState.doc.lines) continue;
    const at = change.changes.mapPos(change.startState.doc.line(line).from, 1);
    found.set(change.state.doc.lineAt(at).number, share);
  }
  return found;
}

class Cycle extends GutterMarker {
  constructor(text) {
    super();
    this.text = text;
  }
  eq(other) {
    return other.text === this.text;
  }
  toDOM() {
    return document.createTextNode(this.text);
  }
}

// ---- the description ----

/** Make the editor of the description; `changed` is called with its text, the others with a line (0: none). */
export function descriptionEditor(parent, { changed, pointed, chosen, readOnly = false }) {
  const view = new EditorView({
    parent,
    extensions: [
      EditorView.cspNonce.of(nonce()),
      lintGutter(), lineNumbers(), heat,
      gutter({ class: "cm-heat", lineMarker: (v, block) => heatOf(v, block), lineMarkerChange: (u) => u.startState.field(heat) !== u.state.field(heat) }),
      history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(), autocompletion({ activateOnTyping: false }),
      highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches(), search({ top: true }),
      python(), indentUnit.of("    "), syntaxHighlighting(colours), look, tied,
      keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...lintKeymap, indentWithTab]),
      EditorView.contentAttributes.of({ "aria-label": "Description", spellcheck: "false" }),
      EditorState.readOnly.of(readOnly),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) changed(update.state.doc.toString());
        if (update.selectionSet && !update.docChanged) chosen(update.state.doc.lineAt(update.state.selection.main.head).number);
      }),
      pointing(pointed, () => {}),
    ],
  });
  return view;
}

function heatOf(view, block) {
  const share = view.state.field(heat).get(view.state.doc.lineAt(block.from).number);
  return share ? new Heat(share) : null;
}

/** Show each line's share of what is counted (a map of numbers from 0 to 1). */
export function showHeat(view, shares) {
  view.dispatch({ effects: setHeat.of(shares) });
}

/** Replace the text of an editor. */
export function setText(view, text) {
  if (view.state.doc.toString() !== text) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}

/** Show reports at their places: `line`, `column` (from 1), `severity`, `message`. */
export function showReports(view, reports) {
  const found = reports.filter((one) => one.line >= 1 && one.line <= view.state.doc.lines).map((one) => {
    const line = view.state.doc.line(one.line);
    const from = Math.min(line.to, line.from + Math.max(0, (one.column ?? 1) - 1));
    const rest = view.state.doc.sliceString(from, line.to);
    const start = one.column ? from : line.from + (line.text.length - line.text.trimStart().length);
    const end = one.column ? from + Math.max(1, /^[\w.]+|^\S+/.exec(rest)?.[0].length ?? 1) : line.to;
    return { from: start, to: Math.min(end, view.state.doc.length), severity: one.severity, message: one.message };
  });
  view.dispatch(setDiagnostics(view.state, found));
}

// ---- texts that are made ----

const program = StreamLanguage.define({
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^#.*/) || stream.match(/^@(\d+:)?\d+:\d+(<(\d+:)?\d+:\d+)*$/)) return "comment";
    if (stream.match(/^"[^"]*"/)) return "string";
    if (stream.match(/^%[\w.]+/)) return null;
    if (stream.match(/^@[\w.]+/)) return "typeName";
    if (stream.match(/^(0x[0-9a-f]+|\d+)\b/)) return "number";
    if (stream.match(/^u\d+\b|^index\b/)) return "typeName";
    if (stream.match(/^(program|meta|file|table|matrix|box|func|rounds|steps|body|yield|return|from|step|call)\b/)) return "keyword";
    if (stream.match(/^[a-z_]+\b/)) return "labelName";
    stream.next();
    return null;
  },
});
const LANGUAGES = { program, c: StreamLanguage.define(c), assembly: StreamLanguage.define(gas), verilog: StreamLanguage.define(verilog), vhdl: StreamLanguage.define(vhdl) };

/** A read-only text; `pointed` and `chosen` are called with a line of it. */
export class TextView {
  constructor(parent, { pointed, chosen }) {
    this.language = new Compartment();
    this.cycles = new Compartment();
    this.view = new EditorView({
      parent,
      extensions: [
        EditorView.cspNonce.of(nonce()),
        lineNumbers(), this.cycles.of([]), EditorState.readOnly.of(true), drawSelection(), highlightSelectionMatches(),
        search({ top: true }), this.language.of([]), syntaxHighlighting(colours), look, tied,
        keymap.of([...defaultKeymap, ...searchKeymap]), pointing(pointed, chosen),
      ],
    });
  }

  /** Show a text; `cycles` has a number or null for each line. */
  show({ text, language, name, cycles }) {
    const before = this.view.scrollDOM.scrollTop;
    const marks = cycles?.some((one) => one !== null)
      ? gutter({
          class: "cm-cycle",
          lineMarker: (view, block) => {
            const cycle = cycles[view.state.doc.lineAt(block.from).number - 1];
            return cycle === null || cycle === undefined ? null : new Cycle(String(cycle));
          },
        })
      : [];
    this.view.dispatch({
      changes: { from: 0, to: this.view.state.doc.length, insert: text },
      effects: [this.language.reconfigure(LANGUAGES[language] ?? []), this.cycles.reconfigure(marks)],
    });
    this.view.contentDOM.setAttribute("aria-label", name);
    this.view.scrollDOM.scrollTop = before;
  }
}

/** Two versions of a description side by side. */
export function sideBySide(parent, base, now) {
  const common = [
    EditorView.cspNonce.of(nonce()), lineNumbers(), EditorState.readOnly.of(true), python(), syntaxHighlighting(colours), look,
  ];
  return new MergeView({ parent, a: { doc: base, extensions: common }, b: { doc: now, extensions: common }, collapseUnchanged: { margin: 3, minSize: 6 }, gutter: true });
}
