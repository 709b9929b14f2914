// The list of tournaments and the form to start one.

import { h, replace, waiting, failure, field, link } from "../dom.js";
import { get, post } from "../api.js";
import { playerForm, paceForm } from "../agents.js";
import { keepKey } from "../keys.js";
import { go } from "../main.js";

export async function tournamentsPage(place, _, isCurrent) {
  document.title = "Tournaments – Ludens";
  const form = h("section", { class: "card" }, h("h2", {}, "Start a tournament"), waiting("Loading games and agents …"));
  const list = h("section", { class: "card" }, h("h2", {}, "Tournaments"), waiting("Loading the tournaments …"));
  replace(place, h("h1", {}, "Tournaments"),
    h("p", { class: "lead" }, "Many matches between agents, with every seating played equally often, and confidence intervals for the results."),
    h("div", { class: "columns" }, form, list));
  const [games, { tournaments }] = await Promise.all([get("/api/games"), get("/api/tournaments")]);
  if (!isCurrent()) return;
  await startForm(form, games.games);
  replace(list, h("h2", {}, "Tournaments"), tournaments.length > 0
    ? h("ul", { class: "findings" }, tournaments.map((tournament) => h("li", {}, link(`/tournament/${encodeURIComponent(tournament.id)}`, { class: "tile" },
      h("strong", {}, tournament.players.join(" – ")),
      h("span", { class: "text" }, tournament.games.join(", ")),
      h("span", { class: "tags" }, h("span", { class: "tag" }, tournament.status), h("span", { class: "tag" }, `${tournament.played} of ${tournament.planned} matches`))))))
    : h("p", { class: "empty" }, "No tournaments yet."));
}

async function startForm(section, games) {
  const chosen = new Set(games.some((game) => game.id === "tic-tac-toe") ? ["tic-tac-toe"] : []);
  const picked = h("div", { class: "tags", "aria-live": "polite" });
  const options = h("datalist", { id: "game-names" }, games.map((game) => h("option", { value: game.id }, game.title)));
  const search = h("input", { list: "game-names", placeholder: "type a name", autocomplete: "off" });
  const showPicked = () => replace(picked, [...chosen].map((id) => h("button", {
    type: "button", class: "tag", "aria-label": `Remove ${id}`, onclick: () => { chosen.delete(id); showPicked(); },
  }, `${id} ✕`)));
  const unknown = h("div", { "aria-live": "assertive" });
  /** Adds the game whose name or title was typed; false if there is none. */
  const pick = () => {
    const typed = search.value.trim().toLowerCase();
    replace(unknown);
    if (typed === "") return true;
    const game = games.find((game) => game.id === typed) ?? games.find((game) => game.title.toLowerCase() === typed);
    if (!game) {
      replace(unknown, failure(new Error(`There is no game “${search.value.trim()}”. Choose one from the list that opens while you type.`)));
      return false;
    }
    chosen.add(game.id);
    search.value = "";
    showPicked();
    return true;
  };
  search.addEventListener("change", pick);
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    // Enter adds the game; the button starts the tournament.
    event.preventDefault();
    pick();
  });
  showPicked();
  const wanted = field("Games", search);
  wanted.append(unknown);
  const players = h("div", { class: "stack" });
  let forms = [];
  const addPlayer = async (name) => {
    const form = await playerForm(`Player ${forms.length + 1}`, { people: false, chosen: name });
    forms.push(form);
    players.append(form.element);
  };
  await addPlayer("uct");
  await addPlayer("random");
  const pace = paceForm({ counted: true });
  const rounds = h("input", { type: "number", min: 1, max: 1000, value: 2, required: true });
  const seed = h("input", { type: "number", min: 0, value: 1, required: true });
  const trouble = h("div", { "aria-live": "assertive" });
  const button = h("button", {}, "Start tournament");
  const submit = async (event) => {
    event.preventDefault();
    replace(trouble);
    if (!pick()) {
      search.focus();
      return;
    }
    if (chosen.size === 0) {
      replace(trouble, failure(new Error("Choose at least one game: type its name and press Enter.")));
      return;
    }
    button.disabled = true;
    try {
      const tournament = await post("/api/tournaments", {
        games: [...chosen], players: forms.map((form) => form.spec()), rounds: Number(rounds.value), pace: pace.pace(), seed: Number(seed.value),
      });
      keepKey(tournament.id, tournament.key);
      go(`/tournament/${encodeURIComponent(tournament.id)}`);
    } catch (error) {
      replace(trouble, failure(error));
      button.disabled = false;
    }
  };
  replace(section, h("h2", {}, "Start a tournament"), h("form", { class: "stack", onsubmit: submit },
    wanted, options, picked, players,
    h("div", { class: "row" },
      h("button", { type: "button", class: "plain", onclick: () => addPlayer() }, "Add player"),
      h("button", { type: "button", class: "plain", onclick: () => { if (forms.length > 2) forms.pop().element.remove(); } }, "Remove player")),
    pace.element,
    h("div", { class: "fields" }, field("Rounds", rounds, "Number of times every seating is played."), field("Seed", seed)),
    h("div", { class: "row" }, button), trouble));
}
