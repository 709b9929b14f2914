// Plot of the goals that agents expect, over the steps of a match.

import { h, s, replace } from "./dom.js";

const WIDTH = 460;
const HEIGHT = 170;
const LEFT = 30;
const BOTTOM = 22;
const TOP = 8;

/** Plot of goals from 0 to 100 by step. A series has a name, a tone and values, which may be null. */
export class Plot {
  constructor(go) {
    this.svg = s("svg", { class: "plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", onclick: (event) => this.click(event) });
    this.legend = h("div", { class: "legend" });
    this.element = h("div", {}, this.svg, this.legend);
    this.go = go;
    this.steps = 1;
  }

  show(series, now) {
    this.steps = Math.max(1, ...series.map(({ values }) => values.length - 1));
    // A series with nothing but the final goal is not drawn.
    const drawn = series.filter(({ values }) => values.slice(0, -1).some((value) => value !== null));
    const x = (step) => LEFT + step / this.steps * (WIDTH - LEFT - 8);
    const y = (value) => TOP + (100 - value) / 100 * (HEIGHT - BOTTOM - TOP);
    const last = drawn.map(({ name, values }) => `${name} ${Math.round(values.findLast((value) => value !== null))}`).join(", ");
    this.svg.setAttribute("aria-label", drawn.length > 0 ? `Expected goals, latest values: ${last}` : "No estimates yet");
    replace(this.svg,
      [0, 50, 100].map((value) => [
        s("line", { class: "axis", x1: LEFT, x2: WIDTH - 8, y1: y(value), y2: y(value) }),
        s("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, value)]),
      s("text", { x: LEFT, y: HEIGHT - 6 }, "start"),
      s("text", { x: WIDTH - 8, y: HEIGHT - 6, "text-anchor": "end" }, `step ${this.steps}`),
      drawn.map(({ tone, values }) => [
        s("path", { class: `series stroke tone-${tone}`, d: path(values, x, y) }),
        values.map((value, step) => value !== null && s("circle", { class: `stroke tone-${tone}`, cx: x(step), cy: y(value), r: values.length > 60 ? 0 : 2, fill: "none" }))]),
      s("line", { class: "now", x1: x(now), x2: x(now), y1: TOP, y2: HEIGHT - BOTTOM }));
    replace(this.legend, drawn.length > 0
      ? drawn.map(({ name, tone }) => h("span", {}, h("i", { class: `swatch tone-${tone}` }), name))
      : "Agents that search show their expected goals here.");
  }

  click(event) {
    const box = this.svg.getBoundingClientRect();
    const share = ((event.clientX - box.left) / box.width * WIDTH - LEFT) / (WIDTH - LEFT - 8);
    this.go(Math.round(Math.min(1, Math.max(0, share)) * this.steps));
  }
}

function path(values, x, y) {
  let pen = "M";
  const parts = [];
  values.forEach((value, step) => {
    if (value === null) return;
    parts.push(`${pen}${x(step).toFixed(1)} ${y(value).toFixed(1)}`);
    pen = "L";
  });
  return parts.join("");
}
