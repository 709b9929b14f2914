// Creates elements. Text is always inserted as text and never as markup, so that input of others cannot run scripts.

const SVG = "http://www.w3.org/2000/svg";

/** Creates an element with properties and children. `on…` are listeners; `class`, `aria-…`, `data-…` are attributes. */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** Creates an SVG element. */
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

/** Replaces all children of an element. */
export function replace(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/** Announces a text to screen readers. */
export function announce(text) {
  document.getElementById("announce").textContent = text;
}

/** A sentence with a spinner. */
export function waiting(text) {
  return h("div", { class: "waiting", role: "status" }, h("span", { class: "spinner", "aria-hidden": "true" }), h("span", {}, text));
}

/** An error message, with a button to try again. */
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
