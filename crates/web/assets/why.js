// Explains a position: features that correlate with the goals of playouts, and how moves change them.

import { h, replace, waiting } from "./dom.js";
import { get } from "./api.js";

const FEW = 6;

/** Panel for the current step, loaded when it is opened. */
export class Why {
  constructor(path) {
    this.path = path;
    this.step = null;
    this.asked = null;
    this.body = h("div", { class: "why scroll", tabindex: "0", "aria-label": "Features and their effect on the expected goals" });
    this.details = h("details", { ontoggle: () => this.update() }, h("summary", {}, "Why this move?"), this.body);
    this.element = h("section", { class: "card" }, this.details);
  }

  show(step) {
    this.step = step;
    this.update();
  }

  async update() {
    if (!this.details.open || this.step === null || this.asked === this.step) return;
    const step = this.asked = this.step;
    replace(this.body, waiting("Learning from random playouts …"));
    try {
      const answer = await get(`${this.path}/explanation?step=${step}`, { quiet: true });
      if (this.asked === step) this.fill(answer);
    } catch (error) {
      if (this.asked !== step) return;
      this.asked = null;
      replace(this.body, h("p", { class: "line" }, error.message));
    }
  }

  fill({ explanation, reason }) {
    if (!explanation) {
      replace(this.body, h("p", { class: "line" }, `No explanation: ${reason}.`));
      return;
    }
    const points = (number) => h("td", { class: "number" }, `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(1)}`);
    const moves = (role) => explanation.moves.filter((move) => move.role === role).sort((a, b) => b.goal - a.goal).slice(0, FEW);
    replace(this.body, explanation.roles.filter((role) => role.reasons.length > 0).map((role) => [
      h("p", { class: "line" }, h("strong", {}, role.role), `: expected goal ${role.goal.toFixed(1)} (average position: ${role.middle.toFixed(1)})`),
      h("table", {},
        h("thead", {}, h("tr", {}, h("th", {}, "feature"), h("th", { class: "number" }, "value"), h("th", { class: "number" }, "points"))),
        h("tbody", {}, [...role.reasons].sort((a, b) => Math.abs(b.points) - Math.abs(a.points)).slice(0, FEW).map((known) => h("tr", {},
          h("td", {}, h("code", {}, known.text)), h("td", { class: "number" }, String(Math.round(known.value * 100) / 100)), points(known.points))))),
      moves(role.role).length > 0 && h("table", {},
        h("thead", {}, h("tr", {}, h("th", {}, "move"), h("th", { class: "number" }, "goal"), h("th", {}, "because"))),
        h("tbody", {}, moves(role.role).map((move) => h("tr", {},
          h("td", {}, h("code", {}, move.move)), h("td", { class: "number" }, move.goal.toFixed(1)),
          h("td", {}, move.may_end && "may end the match ", h("code", {}, move.changes[0]?.text ?? "")))))),
    ]));
  }
}
