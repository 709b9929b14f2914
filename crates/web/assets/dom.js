// Making elements. Texts are always put in as text, never as markup, so that nothing a stranger wrote is run.

const SVG = "http://www.w3.org/2000/svg";

/** An element with properties and children. `on…` are listeners, `class`, `aria-…`, `data-…` attributes. */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** The same for SVG. */
export function s(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else if (name === "checked" || name === "disabled" || name === "selected" || name === "open") element[name] = Boolean(value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** Puts new children in the place of the old ones. */
export function replace(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/** Tells people who do not see the page what happened. */
export function announce(text) {
  document.getElementById("announce").textContent = text;
}

/** A sentence with a turning wheel. */
export function waiting(text) {
  return h("div", { class: "waiting", role: "status" }, h("span", { class: "spinner", "aria-hidden": "true" }), h("span", {}, text));
}

/** An error as a sentence, with a way to try again. */
export function failure(error, again) {
  return h("div", { class: "notice bad", role: "alert" },
    h("p", {}, error.message || String(error)),
    again && h("button", { class: "plain", type: "button", onclick: again }, "Try again"));
}

/** A link within the page. */
export function link(href, properties, ...children) {
  return h("a", { href, "data-link": true, ...properties }, ...children);
}

let numbers = 0;

/** A labelled form field. */
export function field(label, input, hint) {
  numbers += 1;
  input.id ||= `field-${numbers}`;
  const hintId = hint ? `${input.id}-hint` : null;
  if (hintId) input.setAttribute("aria-describedby", hintId);
  return h("div", { class: "field" },
    h("label", { for: input.id }, label), input,
    hint && h("span", { class: "hint", id: hintId }, hint));
}
