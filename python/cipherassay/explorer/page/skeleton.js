// The page's frame: header, the description, tabs with what becomes of it.

import { h } from "./dom.js";

const THEMES = ["system", "light", "dark"];

/** Build the frame; returns its parts and what selects a tab. */
export function skeleton(body, given) {
  const { tabs, documents, frozen } = given;
  const own = documents.filter((one) => one.own);
  const others = documents.filter((one) => !one.own);
  const listed = (some) => some.map((one) => h("option", { value: one.name }, one.title));
  const parts = {
    documents: h("select", { "aria-label": "Description", disabled: frozen, onchange: (e) => given.open(e.target.value) },
      own.length ? h("optgroup", { label: "Your files" }, listed(own)) : null,
      h("optgroup", { label: "Ciphers of the project" }, listed(others))),
    choices: h("div", { class: "choices" }),
    status: h("div", { class: "status", role: "status", "aria-live": "polite" }),
    editor: h("div", { class: "editor" }),
    line: h("div", { class: "line", "aria-live": "off" }),
    controls: h("div", { class: "controls" }),
    text: h("div", { class: "text", hidden: true }),
    content: h("div", { class: "content", tabindex: "0" }),
  };
  const left = h("section", { class: "left", "aria-label": "Description" }, parts.editor, parts.line);
  const buttons = new Map();
  const selectNamed = (name) => {
    for (const [one, button] of buttons) {
      button.setAttribute("aria-selected", String(one === name));
      button.tabIndex = one === name ? 0 : -1;
    }
    buttons.get(name)?.scrollIntoView({ block: "nearest", inline: "nearest" });
    body.dataset.tab = name;
    parts.content.setAttribute("aria-label", name);
  };
  const button = (name, title, chosen) => {
    const made = h("button", { role: "tab", id: `tab-${name}`, "aria-controls": "shown", "aria-selected": "false", tabindex: "-1", onclick: chosen }, h("span", { class: "mark" }), title);
    buttons.set(name, made);
    return made;
  };
  const description = button("description", "Description", () => selectNamed("description"));
  description.classList.add("narrow-only");
  const list = h("div", { class: "tabs", role: "tablist", "aria-label": "What becomes of it", onkeydown: (e) => step(e, buttons) },
    description, tabs.map(([name, title]) => button(name, title, () => given.show(name))));
  const right = h("section", { class: "right", "aria-label": "What becomes of it" }, parts.controls,
    h("div", { id: "shown", role: "tabpanel", class: "shown" }, parts.text, parts.content));
  const divider = h("div", { class: "divider", role: "separator", "aria-orientation": "vertical", "aria-label": "Width of the description", tabindex: "0", "aria-valuenow": "44", "aria-valuemin": "20", "aria-valuemax": "80" });
  resizing(divider);
  body.replaceChildren(
    ...[document.getElementById("snapshot")].filter(Boolean),
    h("header", {},
      h("div", { class: "brand" }, h("b", {}, "Cipherassay"), h("span", {}, frozen ? "saved page" : "explorer")),
      h("label", { class: "choice" }, h("span", {}, "Description"), parts.documents), parts.choices, parts.status,
      h("div", { class: "actions" },
        frozen ? null : h("button", { onclick: given.keepBase, title: "Compare what you write from now on with this version" }, "Keep as base"),
        h("button", { onclick: given.saveDescription, title: "Save the description" }, "Save .py"),
        frozen ? null : h("button", { onclick: given.savePage, title: "Save all that is shown as one page, to hand on" }, "Save page"),
        h("button", { class: "theme", onclick: nextTheme, "aria-label": "Colours: system, light, dark", title: "Colours: system, light, dark" }, "◐"))),
    h("nav", { "aria-label": "Panels" }, list),
    h("main", {}, left, divider, right),
  );
  parts.select = selectNamed;
  parts.mark = (name, state) => {
    buttons.get(name).dataset.state = state;
  };
  parts.showDescription = () => {
    if (matchMedia("(max-width: 820px)").matches) selectNamed("description");
  };
  return parts;
}

function step(event, buttons) {
  const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!move) return;
  const all = [...buttons.values()].filter((one) => one.offsetParent !== null);
  const next = all[(all.indexOf(document.activeElement) + move + all.length) % all.length];
  next.focus();
  next.click();
  event.preventDefault();
}

function nextTheme() {
  const root = document.documentElement;
  const next = THEMES[(THEMES.indexOf(root.dataset.theme ?? "system") + 1) % THEMES.length];
  root.dataset.theme = next;
}

function resizing(divider) {
  const set = (share) => {
    const kept = Math.max(20, Math.min(80, share));
    document.documentElement.style.setProperty("--left", `${kept}%`);
    divider.setAttribute("aria-valuenow", String(Math.round(kept)));
  };
  divider.addEventListener("pointerdown", (event) => {
    divider.setPointerCapture(event.pointerId);
    const move = (e) => set((100 * e.clientX) / innerWidth);
    divider.addEventListener("pointermove", move);
    divider.addEventListener("pointerup", () => divider.removeEventListener("pointermove", move), { once: true });
  });
  divider.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -2, ArrowRight: 2 }[event.key];
    if (by) set(Number(divider.getAttribute("aria-valuenow")) + by);
  });
}
