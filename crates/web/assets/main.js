// The page frame: routing, menu and theme. Each address has a module in pages/.

import { h, replace, failure, announce } from "./dom.js";
import { startTheme } from "./theme.js";
import { gamesPage } from "./pages/games.js";
import { gamePage } from "./pages/game.js";
import { rulesPage } from "./pages/rules.js";
import { matchPage } from "./pages/match.js";
import { matchesPage } from "./pages/matches.js";
import { tournamentsPage } from "./pages/tournaments.js";
import { tournamentPage } from "./pages/tournament.js";

const PAGES = [
  [/^\/$/, gamesPage],
  [/^\/game\/([^/]+)$/, gamePage],
  [/^\/rules$/, rulesPage],
  [/^\/matches$/, matchesPage],
  [/^\/match\/([^/]+)$/, matchPage],
  [/^\/tournaments$/, tournamentsPage],
  [/^\/tournament\/([^/]+)$/, tournamentPage],
];

/** Addresses of each menu entry. */
const SECTIONS = {
  "/": /^\/$|^\/game\//,
  "/rules": /^\/rules$/,
  "/matches": /^\/match(es$|\/)/,
  "/tournaments": /^\/tournament(s$|\/)/,
};

const main = document.getElementById("main");
let leave = () => {};
let visit = 0;

/** Navigates to an address of the page. */
export function go(href) {
  history.pushState(null, "", href);
  show(true);
}

async function show(moveFocus) {
  leave();
  leave = () => {};
  visit += 1;
  const mine = visit;
  const path = location.pathname;
  for (const anchor of document.querySelectorAll(".top nav a")) {
    if (SECTIONS[anchor.getAttribute("href")].test(path)) anchor.setAttribute("aria-current", "page");
    else anchor.removeAttribute("aria-current");
  }
  const found = PAGES.map(([pattern, page]) => [path.match(pattern), page]).find(([match]) => match);
  const place = h("div");
  replace(main, place);
  window.scrollTo(0, 0);
  if (moveFocus) main.focus({ preventScroll: true });
  if (!found) {
    document.title = "Not found – Ludens";
    replace(place, h("h1", {}, "Page not found"), h("p", {}, "Check the address, or go to the ", h("a", { href: "/", "data-link": true }, "list of games"), "."));
    return;
  }
  try {
    const argument = found[0][1] === undefined ? undefined : decodeURIComponent(found[0][1]);
    const left = await found[1](place, argument, () => mine === visit);
    if (mine === visit) leave = left ?? leave;
    else left?.();
    if (moveFocus && mine === visit) announce(document.title);
  } catch (error) {
    if (mine === visit) replace(place, failure(error, () => show(false)));
  }
}

document.addEventListener("click", (event) => {
  const anchor = event.target.closest?.("a[data-link]");
  if (!anchor || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(anchor.getAttribute("href"));
});
window.addEventListener("popstate", () => show(true));
startTheme(document.getElementById("theme"));
show(false);
