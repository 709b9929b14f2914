// The list of games: search, tags and families.

import { h, replace, waiting, link, field, failure } from "../dom.js";
import { get, post } from "../api.js";
import { go } from "../main.js";

/** Number of games shown at first. */
const FIRST = 24;

export async function gamesPage(place) {
  document.title = "Games – Ludens";
  const list = h("div", { "aria-live": "off" }, waiting("Loading the games …"));
  const search = h("input", { type: "search", placeholder: "name, tag or word", autocomplete: "off" });
  const tags = h("div", { class: "tags", role: "group", "aria-label": "Tags" });
  const count = h("p", { class: "lead", role: "status" }, " ");
  const families = h("div");
  replace(place,
    h("h1", {}, "Pick a game"),
    h("p", { class: "lead" }, "Every game is given by its rules alone. Play it, watch agents play it, or ",
      link("/rules", {}, "add your own rules"), "."),
    h("div", { class: "stack" }, field("Search", search), tags, count),
    list, h("br"), families);
  const data = await get("/api/games");
  const chosen = new Set();
  let all = false;
  const words = (game) => `${game.id} ${game.title} ${game.description ?? ""} ${game.tags.join(" ")}`.toLowerCase();
  const show = () => {
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = data.games.filter((game) =>
      [...chosen].every((tag) => game.tags.includes(tag)) && wanted.every((word) => words(game).includes(word)));
    count.textContent = `${found.length} of ${data.games.length} games`;
    const shown = all ? found : found.slice(0, FIRST);
    replace(list, found.length > 0
      ? [h("ul", { class: "tiles" }, shown.map((game) => h("li", {}, tile(game)))),
        shown.length < found.length && h("button", { type: "button", class: "plain", onclick: () => { all = true; show(); } }, `Show all ${found.length} games`)]
      : h("div", { class: "empty card" }, h("p", {}, "No game matches. Try fewer words, or ", link("/rules", {}, "add your own rules"), ".")));
  };
  const frequent = new Map();
  for (const tag of data.games.flatMap((game) => game.tags)) frequent.set(tag, (frequent.get(tag) ?? 0) + 1);
  replace(tags, [...frequent].sort((a, b) => b[1] - a[1]).slice(0, 14).map(([tag]) => h("button", {
    type: "button", class: "tag", "aria-pressed": "false", onclick: (event) => {
      if (!chosen.delete(tag)) chosen.add(tag);
      event.currentTarget.setAttribute("aria-pressed", String(chosen.has(tag)));
      show();
    },
  }, tag)));
  search.addEventListener("input", show);
  show();
  replace(families, data.families.length > 0 && [
    h("details", { class: "card" }, h("summary", {}, `${data.families.length} families: the same game in any size`),
      h("ul", { class: "tiles" }, data.families.map((family) => h("li", { class: "tile" }, familyForm(family))))),
  ]);
}

function tile(game) {
  return link(`/game/${encodeURIComponent(game.id)}`, { class: "tile" },
    h("strong", {}, game.title || game.id),
    h("span", { class: "text" }, game.description || "Added by a user."),
    h("span", { class: "tags" }, h("span", { class: "tag good" }, game.roles.length === 1 ? "1 role" : `${game.roles.length} roles`),
      game.tags.slice(0, 3).map((tag) => h("span", { class: "tag" }, tag))));
}

function familyForm(family) {
  const inputs = family.parameters.map((parameter) => [parameter.name,
    h("input", { type: "number", min: parameter.min, max: parameter.max, value: parameter.default, required: true, title: parameter.help })]);
  const trouble = h("div");
  const submit = async (event) => {
    event.preventDefault();
    const parameters = Object.fromEntries(inputs.map(([name, input]) => [name, Number(input.value)]));
    try {
      const game = await post("/api/games", { family: family.name, parameters });
      go(`/game/${encodeURIComponent(game.id)}`);
    } catch (error) {
      replace(trouble, failure(error));
    }
  };
  return h("form", { class: "stack", onsubmit: submit },
    h("strong", {}, family.title || family.name),
    h("span", { class: "text" }, family.description ?? ""),
    h("div", { class: "row sizes" }, inputs.map(([name, input]) => field(name.replaceAll("_", " "), input)), h("button", { class: "plain" }, "Create")),
    trouble);
}
