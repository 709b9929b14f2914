// Running matches that were started in this browser, with a button to end each.

import { h, replace, failure, link } from "./dom.js";
import { get, post } from "./api.js";
import { keyOf } from "./keys.js";

const LIVE = ["running", "preparing"];

/** Running matches of this browser. */
export async function ownMatches() {
  const lists = await Promise.all(LIVE.map((status) => get(`/api/matches?status=${status}&limit=200`, { quiet: true })));
  const own = lists.flatMap((list) => list.matches).filter((match) => LIVE.includes(match.status) && keyOf(match.id));
  // A match may change its status between the two answers.
  return [...new Map(own.map((match) => [match.id, match])).values()];
}

/** A list of matches. `ended()` is called after one was ended. */
export function ownList(matches, ended = () => {}) {
  return h("ul", { class: "own" }, matches.map((match) => {
    const trouble = h("div");
    const end = h("button", { type: "button", class: "plain", "aria-label": `End ${match.title}`, onclick: async () => {
      end.disabled = true;
      try {
        await post(`/api/matches/${encodeURIComponent(match.id)}/abort`, { key: keyOf(match.id) });
        item.remove();
        ended();
      } catch (error) {
        end.disabled = false;
        replace(trouble, failure(error));
      }
    } }, "End");
    const item = h("li", {},
      h("span", {}, link(`/match/${encodeURIComponent(match.id)}`, {}, match.title), ` · ${match.players.join(" – ")} · step ${match.step}`),
      match.waiting.length > 0 && h("span", { class: "tag good" }, "your move"), end, trouble);
    return item;
  }));
}
