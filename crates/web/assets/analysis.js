// Engine analysis: values and visits of an agent's moves, and its principal line.

import { h, replace } from "./dom.js";

/** Panel with the analysis of one role at a time. */
export class Analysis {
  constructor() {
    this.select = h("select", { "aria-label": "Role" });
    this.head = h("p", { class: "line" });
    this.body = h("div", { class: "analysis scroll", tabindex: "0", "aria-label": "Values and visits of the moves" });
    this.line = h("p", { class: "line" });
    this.element = h("section", { class: "card" },
      h("div", { class: "spread" }, h("h2", {}, "Engine analysis"), this.select), this.head, this.body, this.line);
    this.rows = new Map();
    this.shown = null;
    this.select.addEventListener("change", () => this.update());
    this.thoughts = [];
    this.roles = [];
  }

  /** Shows the analysis of the current step, by role; `isSecret` if it is withheld until the joint move. */
  show(roles, thoughts, isSecret) {
    this.thoughts = thoughts;
    this.isSecret = isSecret;
    if (roles.join() !== this.roles.join()) {
      this.roles = roles;
      replace(this.select, roles.map((role, index) => h("option", { value: index }, role)));
    }
    const says = (thought) => thought?.moves.some((move) => move.visits > 0 || move.value !== null);
    const known = thoughts.findIndex(says);
    if (!says(thoughts[this.select.value]) && known >= 0) this.select.value = known;
    this.select.hidden = roles.length < 2;
    this.update();
  }

  update() {
    const thought = this.thoughts[this.select.value];
    if (!thought) {
      replace(this.head, this.isSecret
        ? "Agents and people move simultaneously in this step. The analysis appears after the joint move."
        : "No analysis of this step. It appears while agents think and this page is open.");
      replace(this.body);
      replace(this.line);
      this.shown = null;
      return;
    }
    const figures = [
      thought.playouts && `${thought.playouts.toLocaleString("en")} playouts`,
      thought.nodes && `${thought.nodes.toLocaleString("en")} nodes`,
      thought.value !== null && `expected goal ${thought.value.toFixed(1)}`,
    ].filter(Boolean).join(" · ");
    replace(this.head, h("strong", {}, thought.player), ` ${thought.final ? "played" : "considers"} `, h("code", {}, thought.choice ?? "nothing yet"), figures && ` · ${figures}`);
    this.table(thought);
    const steps = thought.line.map((joint) => joint.filter((move) => !/^\(?(noop|pass|wait)\)?$/.test(move ?? "")).join(" + ")).filter(Boolean);
    replace(this.line, steps.length > 0 ? ["Principal line: ", h("span", { class: "code" }, steps.slice(0, 12).join(" → "))] : "");
  }

  table(thought) {
    const moves = [...thought.moves].sort((a, b) => b.visits - a.visits || (b.value ?? -1) - (a.value ?? -1)).slice(0, 60);
    const most = Math.max(1, ...moves.map((move) => move.visits));
    if (moves.every((move) => move.visits === 0 && move.value === null)) {
      replace(this.body, h("p", { class: "line" }, "This agent does not evaluate moves."));
      return;
    }
    const left = thought.moves.length - moves.length;
    replace(this.body, h("table", {},
      h("thead", {}, h("tr", {}, h("th", {}, "move"), h("th", { class: "number" }, "value"), h("th", { class: "number" }, "visits"), h("th", {}, h("span", { class: "unseen" }, "share")))),
      h("tbody", {}, moves.map((move) => h("tr", { class: move.move === thought.choice ? "best" : null },
        h("td", {}, h("code", {}, move.move)),
        h("td", { class: "number" }, move.value === null ? "–" : move.value.toFixed(1)),
        h("td", { class: "number" }, move.visits.toLocaleString("en")),
        h("td", { class: "bar" }, h("meter", { min: 0, max: most, value: move.visits, "aria-hidden": "true" })))))),
      left > 0 && h("p", { class: "line" }, `and ${left} more moves`));
  }
}
