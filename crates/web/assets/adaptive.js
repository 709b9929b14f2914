// The adaptive opponent: who this browser's person is, and why the opponent has the level it has.

import { h, replace, waiting } from "./dom.js";
import { get } from "./api.js";

const NAME = "ludens.person";

/** Whether a player is an adaptive opponent. */
export const isAdaptive = (player) => /^adaptive\b/.test(player);

/** A name for the person at this browser, made up at the first need. */
export function personName() {
  let name = localStorage.getItem(NAME);
  if (!name) {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    name = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    localStorage.setItem(NAME, name);
  }
  return name;
}

/** The part of a request for a match that an adaptive opponent needs. */
export const forPerson = (players) => players.some(isAdaptive) ? { person: personName() } : {};

/** A panel that tells why the opponent has its level, and after the match what comes next. */
export class WhyLevel {
  constructor(game) {
    this.game = game;
    this.body = h("div", { class: "why scroll", tabindex: "0", "aria-label": "Reasons for the level of the opponent" });
    this.summary = h("summary", {}, "Why this level?");
    this.details = h("details", { ontoggle: () => this.update() }, this.summary, this.body);
    this.element = h("section", { class: "card", id: "why-level" }, this.details);
  }

  /** The match is over: what is told now is about the next one. */
  over() {
    this.summary.textContent = "Why the next level?";
    this.update();
  }

  async update() {
    if (!this.details.open) return;
    replace(this.body, waiting("The director is being asked …"));
    try {
      const path = `/api/adaptive?game=${encodeURIComponent(this.game)}&person=${encodeURIComponent(personName())}`;
      this.fill(await get(path, { quiet: true }));
    } catch (error) {
      replace(this.body, h("p", { class: "line" }, error.message));
    }
  }

  fill({ level, iterations, matches, share, rating, facts, explanation, changes }) {
    const percent = share === null ? "" : `, ${Math.round(share * 100)} % of the points`;
    replace(this.body,
      h("p", { class: "line" }, h("strong", {}, `Level ${level}`), `: ${iterations.toLocaleString("en")} iterations for each move`),
      h("p", { class: "line" }, `${matches} ${matches === 1 ? "match" : "matches"} so far${percent}`,
        rating && `; you are rated ${Math.round(rating.elo)} ± ${Math.round(rating.uncertainty)} Elo points above this level`),
      changes.length === 0 ? h("p", { class: "line" }, explanation) : changes.map((change) => [
        h("p", { class: "line" }, change.sentence),
        change.answer.tree && h("ul", { class: "tree" }, treeItem(change.answer.tree, change.answer.arguments)),
      ]),
      facts.length > 0 && h("p", { class: "hint" }, `Known: ${facts.join(", ")}`));
  }
}

/** A node of a dialectical tree with what defeats it. */
function treeItem(node, args) {
  const rules = args[node.argument - 1]?.rules ?? [];
  return h("li", {},
    h("span", { class: node.mark === "undefeated" ? "tag good" : "tag" }, node.mark), " ", h("code", {}, node.conclusion),
    node.why && ` (${node.defeater}: ${node.why})`,
    rules.length > 0 && h("div", { class: "hint" }, rules.map((rule) => rule.rule).join("; ")),
    node.children.length > 0 && h("ul", {}, node.children.map((child) => treeItem(child, args))));
}
