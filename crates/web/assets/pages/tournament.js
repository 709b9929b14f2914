// A tournament: progress, standings, matches and report.

import { h, replace, waiting, failure, link } from "../dom.js";
import { get, post, listen } from "../api.js";
import { keyOf } from "../keys.js";
import { headings, matchRow } from "./matches.js";

const FINAL = ["finished", "aborted", "interrupted", "failed"];

export async function tournamentPage(place, id, isCurrent) {
  document.title = "Tournament – Ludens";
  replace(place, waiting("Loading the tournament …"));
  const path = `/api/tournaments/${encodeURIComponent(id)}`;
  let tournament = await get(path);
  const key = keyOf(id);
  const badge = h("span", { class: "tag" });
  const bar = h("progress", { "aria-label": "Matches played" });
  const said = h("p", { class: "says", role: "status" });
  const standings = h("div");
  const matches = h("div", {}, waiting("Loading the matches …"));
  const trouble = h("div", { "aria-live": "assertive" });
  const abort = h("button", { type: "button", class: "plain", onclick: async () => {
    try {
      show(await post(`${path}/abort`, { key }));
    } catch (error) {
      replace(trouble, failure(error));
    }
  } }, "Abort");
  const report = h("a", { class: "button plain", href: `${path}/report`, target: "_blank", rel: "noopener" }, "Open report with plots");
  document.title = `${tournament.players.join(" – ")} – Ludens`;
  replace(place,
    h("p", { class: "crumbs" }, link("/tournaments", {}, "Tournaments"), ` / ${id}`),
    h("div", { class: "spread" }, h("h1", {}, tournament.players.join(" – ")), h("div", { class: "row" }, badge, abort, report)),
    h("p", { class: "lead" }, `${tournament.games.join(", ")}; ${tournament.rounds} round${tournament.rounds === 1 ? "" : "s"}, seed ${tournament.seed}`),
    h("section", { class: "card" }, said, bar, trouble),
    h("section", { class: "card" }, h("h2", {}, "Standings"), standings),
    h("section", { class: "card" }, h("h2", {}, "Matches"), matches));

  const show = (next) => {
    tournament = { ...tournament, ...next };
    const over = FINAL.includes(tournament.status);
    badge.textContent = over ? tournament.status : "live";
    badge.className = over ? "tag good" : "tag live";
    bar.max = Math.max(1, tournament.planned);
    bar.value = tournament.played;
    abort.hidden = over || !key;
    report.hidden = tournament.played === 0;
    said.textContent = {
      preparing: "Setting up the games …",
      failed: `The tournament could not be played: ${tournament.error?.message ?? tournament.error ?? "unknown reason"}`,
      interrupted: `The server was stopped after ${tournament.played} of ${tournament.planned} matches.`,
      aborted: `Aborted after ${tournament.played} of ${tournament.planned} matches.`,
      finished: `All ${tournament.planned} matches played${tournament.faults ? `, with ${tournament.faults} faults` : ""}.`,
    }[tournament.status] ?? `${tournament.played} of ${tournament.planned} matches played.`;
    replace(standings, tournament.report ? standingsTable(tournament.report) : h("p", { class: "empty" }, "Standings appear after the first match."));
  };
  let asked = 0;
  const refresh = async () => {
    asked += 1;
    const mine = asked;
    const [whole, list] = await Promise.all([get(path, { quiet: true }), get(`/api/matches?tournament=${encodeURIComponent(id)}&limit=50`, { quiet: true })]);
    if (!isCurrent() || mine !== asked) return;
    show(whole);
    replace(matches, list.matches.length > 0
      ? h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, headings())), h("tbody", {}, list.matches.map(matchRow))))
      : h("p", { class: "empty" }, "No finished matches yet."));
  };
  show(tournament);
  await refresh();
  if (FINAL.includes(tournament.status)) return undefined;
  let latest = 0;
  return listen(`${path}/events`, {
    tournament: (next) => {
      show(next);
      // Standings and matches are refreshed less often.
      if (Date.now() - latest > 1500) {
        latest = Date.now();
        refresh().catch(() => {});
      }
    },
    end: (next) => {
      show(next);
      refresh().catch((error) => replace(trouble, failure(error)));
    },
  }, (lost) => replace(trouble, lost && h("p", { class: "notice warn" }, "Connection to the server lost. Reconnecting …")));
}

function standingsTable(report) {
  const interval = (ends) => ends ? `${ends[0].toFixed(1)} to ${ends[1].toFixed(1)}` : "–";
  const rating = (player) => report.ratings?.find((rating) => rating.player === player);
  return h("div", { class: "scroll" }, h("table", {},
    h("thead", {}, h("tr", {}, h("th", {}, "Player"), ["Matches", "Mean goal", "95 % interval", "Won", "Drawn", "Lost", "Rating"].map((name) => h("th", { class: "number" }, name)))),
    h("tbody", {}, (report.overall ?? []).map((row) => h("tr", {},
      h("td", {}, row.player),
      [row.matches, row.mean_goal?.toFixed(1), interval(row.ci95), row.wins, row.draws, row.losses, rating(row.player)?.elo?.toFixed(0)]
        .map((value) => h("td", { class: "number" }, value ?? "–")))))));
}
