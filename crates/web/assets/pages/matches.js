// The list of matches, latest first.

import { h, replace, waiting, link } from "../dom.js";
import { get } from "../api.js";
import { ownMatches, ownList } from "../own.js";

export async function matchesPage(place, _, isCurrent) {
  document.title = "Matches – Ludens";
  const own = h("div");
  const body = h("div", {}, waiting("Loading the matches …"));
  replace(place, h("h1", {}, "Matches"), h("p", { class: "lead" }, "Open one to watch it live or to step through it."), own, body);
  const mine = await ownMatches();
  if (!isCurrent()) return;
  const ended = () => { if (!own.querySelector("li")) replace(own); };
  if (mine.length > 0) replace(own, h("section", { class: "card" }, h("h2", {}, "Your running matches"), ownList(mine, ended)));
  const rows = h("tbody");
  const more = h("div", { class: "row end" });
  let last = null;
  const next = async () => {
    const answer = await get(`/api/matches?limit=50${last ? `&before=${encodeURIComponent(last)}` : ""}`);
    if (!isCurrent()) return;
    if (!last && answer.matches.length === 0) {
      replace(body, h("div", { class: "empty card" }, h("p", {}, "No matches yet. ", link("/", {}, "Pick a game"), " and start the first match.")));
      return;
    }
    last = answer.matches.at(-1)?.id ?? last;
    rows.append(...answer.matches.map(matchRow));
    replace(more, answer.more && h("button", { type: "button", class: "plain", onclick: next }, "Show more"));
  };
  await next();
  if (last) replace(body, h("div", { class: "card scroll" }, h("table", {},
    h("thead", {}, h("tr", {}, headings())), rows)), more);
}

/** Headings of a table of matches. */
export function headings() {
  return ["Game", "Players", "Status", "Goals", "Steps", "Started"].map((name) => h("th", { class: name === "Goals" || name === "Steps" ? "number" : null }, name));
}

/** Row of a table of matches. */
export function matchRow(match) {
  const live = match.status === "running" || match.status === "preparing";
  return h("tr", {},
    h("td", {}, link(`/match/${encodeURIComponent(match.id)}`, {}, match.title)),
    h("td", {}, match.players.join(" – ")),
    h("td", {}, h("span", { class: live ? "tag live" : "tag" }, live ? "live" : match.status)),
    h("td", { class: "number" }, match.goals ? match.goals.join(" : ") : "–"),
    h("td", { class: "number" }, match.step),
    h("td", {}, new Date(match.created).toLocaleString("en-GB", { dateStyle: "short", timeStyle: "short" })));
}
