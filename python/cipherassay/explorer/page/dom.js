// Elements without markup in strings: what users write goes into the page as text alone.

/** Make an element: attributes and listeners (`onclick`) by name, `class` as a string, children as nodes or texts. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name === "dataset") Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((one) => one !== null && one !== undefined && one !== false));
  return element;
}

/** Replace what an element holds. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat().filter((one) => one !== null && one !== undefined && one !== false));
}

/** A labelled choice; `values` are pairs of value and title. */
export function choice(label, values, chosen, change) {
  const options = values.map(([value, title]) => h("option", { value, selected: value === chosen }, title));
  const select = h("select", { "aria-label": label, onchange: (event) => change(event.target.value) }, options);
  return h("label", { class: "choice" }, h("span", {}, label), select);
}

/** A number for people: whole from 100 on, else three digits. */
export function number(value) {
  if (value === null || value === undefined) return "";
  const shown = Math.abs(value) >= 100 || Number.isInteger(value) ? Math.round(value) : Number(value.toPrecision(3));
  return shown.toLocaleString("en-US");
}

/** Seconds for people. */
export function seconds(value) {
  return value < 10 ? `${value.toFixed(1)} s` : `${Math.round(value)} s`;
}

/** Hand the browser a file to save. */
export function save(name, kind, text) {
  const address = URL.createObjectURL(new Blob([text], { type: kind }));
  const link = h("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
