// A game: its facts, its board and the form to start a match.

import { h, replace, waiting, failure, field, link } from "../dom.js";
import { get, post } from "../api.js";
import { forPerson } from "../adaptive.js";
import { playerForm, paceForm } from "../agents.js";
import { BoardView, factsPanel } from "../board.js";
import { keepKey } from "../keys.js";
import { ownMatches, ownList } from "../own.js";
import { go } from "../main.js";

/** Notice for games with hidden information. */
export function hiddenNotice(game) {
  return game.hidden_information && h("p", { class: "notice warn" },
    "The rules of this game hide information from players (GDL-II). This page does not hide it yet: people see everything, and so do agents in matches with people. In matches among agents, each sees what its role sees.");
}

export async function gamePage(place, id, isCurrent) {
  document.title = `${id} – Ludens`;
  replace(place, waiting("Loading the game …"));
  const game = await get(`/api/games/${encodeURIComponent(id)}`);
  document.title = `${game.title || id} – Ludens`;
  const facts = h("section", { class: "card roomy", "aria-busy": "true" }, h("h2", {}, "Facts about this game"), waiting("Analysing the game …"));
  const preview = h("section", { class: "card roomy" }, h("h2", {}, "Board"), waiting("Looking for a board in the rules …"));
  const start = h("section", { class: "card roomy" }, h("h2", {}, "Start a match"), waiting("Loading the agents …"));
  const errors = game.check?.errors?.length ?? 0;
  const rules = h("pre", { class: "scroll code" }, game.text);
  replace(place,
    h("p", { class: "crumbs" }, link("/", {}, "Games"), " / ", game.id),
    h("h1", {}, game.title || game.id),
    game.description && h("p", { class: "lead" }, game.description),
    hiddenNotice(game),
    h("div", { class: "tags" }, game.tags.map((tag) => h("span", { class: "tag" }, tag))),
    errors > 0 && h("p", { class: "notice warn" }, `These rules have ${errors === 1 ? "an error" : `${errors} errors`}; play may be wrong. `,
      link(`/rules?game=${encodeURIComponent(id)}`, {}, "Show them in the editor"), "."),
    h("div", { class: "columns" },
      h("div", { class: "stack" }, start, preview),
      h("div", { class: "stack" }, facts,
        h("section", { class: "card" }, h("details", {}, h("summary", {}, "Rules"), rules,
          h("p", {}, link(`/rules?game=${encodeURIComponent(id)}`, {}, "Edit a copy")))))));
  startForm(start, game, isCurrent);
  lookAt(facts, preview, id, isCurrent);
}

async function startForm(section, game, isCurrent) {
  const roles = game.roles.filter((role) => role !== "random");
  const forms = await Promise.all(roles.map((role, index) =>
    playerForm(role, { adaptive: roles.length > 1, chosen: index === 0 ? "human" : undefined })));
  if (!isCurrent()) return;
  const pace = paceForm();
  const seed = h("input", { type: "number", min: 0, step: 1, placeholder: "random" });
  const trouble = h("div", { "aria-live": "assertive" });
  const button = h("button", {}, "Start match");
  const watch = h("button", { type: "button", class: "plain", onclick: () => {
    forms.forEach((form) => form.leaveToAgent());
    element.requestSubmit();
  } }, "Let agents play");
  const submit = async (event) => {
    event.preventDefault();
    button.disabled = watch.disabled = true;
    replace(trouble);
    const body = { game: game.id, players: forms.map((form) => form.spec()), pace: pace.pace() };
    Object.assign(body, forPerson(body.players));
    if (seed.value !== "") body.seed = Number(seed.value);
    try {
      const match = await post("/api/matches", body);
      keepKey(match.id, match.key);
      go(`/match/${encodeURIComponent(match.id)}`);
    } catch (error) {
      replace(trouble, failure(error), error.code === "busy" && await yours(() => replace(trouble)));
      button.disabled = watch.disabled = false;
    }
  };
  const element = h("form", { class: "stack", onsubmit: submit },
    h("div", { class: "fields" }, forms.map((form) => form.element)),
    pace.element,
    h("details", {}, h("summary", {}, "More"), field("Seed", seed, "With iterations, the same seed gives the same match.")),
    h("div", { class: "row" }, button, watch),
    trouble);
  replace(section, h("h2", {}, "Start a match"), element);
}

/** The user's running matches, one of which may have to be ended. */
async function yours(ended) {
  const own = await ownMatches().catch(() => []);
  return own.length > 0 && [h("p", {}, `Yours: ${own.length}`), ownList(own, ended)];
}

/** Polls for the facts until they are complete. */
async function lookAt(section, preview, id, isCurrent) {
  const path = `/api/games/${encodeURIComponent(id)}/facts`;
  const stage = waiting("Analysing the game …");
  replace(section, h("h2", {}, "Facts about this game"), stage);
  try {
    let answer = await get(path, { quiet: true });
    let drawn = false;
    const draw = () => {
      if (!drawn && answer.layout) showBoards(preview, answer);
      drawn ||= Boolean(answer.layout);
    };
    while (answer.status !== "ready" && answer.status !== "failed") {
      draw();
      const waits = answer.waiting > 0 ? `${answer.waiting} ahead in the queue` : answer.stage ?? "starting";
      stage.lastChild.textContent = `Analysing the game: ${waits} (${Math.round(answer.seconds)} s)`;
      await new Promise((resolve) => setTimeout(resolve, 500));
      if (!isCurrent()) return;
      answer = await get(path, { quiet: true });
    }
    if (!isCurrent()) return;
    section.removeAttribute("aria-busy");
    if (answer.status === "failed") {
      replace(section, h("h2", {}, "Facts about this game"), failure(answer.error));
      replace(preview, h("h2", {}, "Board"), h("p", { class: "empty" }, "The game cannot be set up, so there is no board."));
      return;
    }
    replace(section, h("h2", {}, "Facts about this game"), factsTable(answer.facts));
    draw();
  } catch (error) {
    replace(section, h("h2", {}, "Facts about this game"), failure(error, () => lookAt(section, preview, id, isCurrent)));
  }
}

function showBoards(section, { layout, initial }) {
  const boards = (layout?.boards ?? []).map((board, number) => {
    const view = new BoardView(board, layout.signs, number, () => {}, layout.boards.length > 1);
    view.show(initial?.view.boards[number]);
    return view.element;
  });
  replace(section, h("h2", {}, boards.length > 1 ? "Boards" : "Board"), boards.length > 0
    ? boards
    : h("p", { class: "empty" }, "No board was found in these rules. States are shown as tables of fluents."),
  initial && factsPanel(initial.view.facts));
}

const YES_NO = { true: "yes, proved", false: "no", unknown: "unknown" };

function factsTable(facts) {
  const word = (value) => YES_NO[String(value)] ?? String(value);
  const number = (value) => typeof value === "number" ? value.toLocaleString("en")
    : /^\d+$/.test(value ?? "") ? BigInt(value).toLocaleString("en") : value === "unknown" ? "unknown" : String(value ?? "–");
  const speed = facts.measured;
  const rows = [
    ["Roles", facts.roles.join(", ")],
    ["Moves", Object.entries(facts.moves ?? {}).map(([role, count]) => `${role} ${number(count)}`).join(", ")],
    ["Rules", number(facts.rules)],
    ["Fluents", number(facts.fluents)],
    ["States", number(facts.states)],
    ["Terminal states", number(facts.terminal_states)],
    ["Longest match", facts.longest_match === "unknown" ? "unknown" : `${number(facts.longest_match)} steps`],
    ["Turns", facts.turn_taking === true ? "turn-taking, proved" : facts.simultaneous === true ? "simultaneous moves" : "unknown"],
    ["Constant sum", word(facts.constant_sum)],
    ["Hidden information", word(facts.hidden_information).replace(", proved", "")],
    ["Chance", word(facts.chance).replace(", proved", "")],
    ["Engine", `${facts.engine}${facts.gates ? `, ${number(facts.gates)} gates` : ""}`],
    ["Set-up", `${facts.setup_seconds?.toFixed(3)} s`],
    ["Playouts", speed ? `${number(Math.round(speed.playouts_per_second))} per second` : "–"],
    ["Playout states", speed ? `${number(Math.round(speed.states_per_second))} per second` : "–"],
  ];
  return h("div", {},
    h("dl", { class: "facts" }, rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
    h("details", {}, h("summary", {}, "All facts"), h("pre", { class: "scroll code" }, JSON.stringify(facts, null, 1))));
}
