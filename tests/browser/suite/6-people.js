// People: what they are not shown too early, what they are told, and how they end what they began.

import assert from "node:assert/strict";
import { newMatch, turn } from "../helpers.js";

async function secret({ page, picture, address }) {
  const match = await newMatch(page, address, { game: "repeated-rock-paper-scissors-3", players: ["human", "uct"], pace: { start_clock: .5, play_clock: .5 }, seed: 1 });
  await page.goto(`${address}/match/${match.id}`);
  await turn(page);
  const analysis = page.locator("section", { has: page.getByRole("heading", { name: "Engine analysis" }) });
  // Long enough for the agent to have thought.
  await page.waitForTimeout(1500);
  assert.match(await analysis.innerText(), /appears after the joint move/);
  assert.equal(await page.locator(".analysis tbody tr").count(), 0);
  await picture("held-back");
  await page.locator(".moves button").first().click();
  await page.getByText(/^Step 1 of/).waitFor();
  await page.locator(".analysis tbody tr").first().waitFor();
  assert.match(await analysis.innerText(), /uct played/);
  await picture("told-afterwards");
}

async function hidden({ page, picture, address }) {
  await page.goto(`${address}/game/kuhn-poker`);
  await page.getByText("This page does not hide it yet").waitFor();
  await page.getByText("per second").first().waitFor();
  await picture("hidden-game");
  const match = await newMatch(page, address, { game: "kuhn-poker", players: ["human", "random"], pace: { iterations: 1 }, seed: 1 });
  await page.goto(`${address}/match/${match.id}`);
  await page.getByText("This page does not hide it yet").waitFor();
  await picture("hidden-match");
  await page.goto(`${address}/game/tic-tac-toe`);
  await page.getByText("per second").first().waitFor();
  assert.equal(await page.getByText("This page does not hide it yet").count(), 0);
}

async function ownMatches({ page, context, picture, address }) {
  const human = { game: "tic-tac-toe", players: ["human", "random"], pace: { iterations: 1 } };
  const first = await newMatch(page, address, human);
  const second = await newMatch(page, address, { ...human, game: "connect-four" });
  await page.goto(`${address}/matches`);
  const own = page.locator("section", { has: page.getByRole("heading", { name: "Your running matches" }) });
  await own.locator(`a[href="/match/${second.id}"]`).waitFor();
  await picture("own-matches");
  await own.locator("li", { has: page.locator(`a[href="/match/${first.id}"]`) }).getByRole("button", { name: /^End/ }).click();
  await own.locator(`a[href="/match/${first.id}"]`).waitFor({ state: "detached" });
  await page.waitForFunction(async (id) => (await (await fetch(`/api/matches/${id}`)).json()).status === "aborted", first.id);
  // When the server is full, the same list is where a match is started.
  await page.route("**/api/matches", (route) => route.request().method() === "POST"
    ? route.fulfill({ status: 503, json: { error: { code: "busy", message: "The server runs at most 16 matches.", findings: [] } } })
    : route.continue());
  await page.goto(`${address}/game/tic-tac-toe`);
  await page.getByRole("button", { name: "Start match" }).click();
  await page.getByText("Yours: 1").waitFor();
  await picture("full");
  await page.getByRole("button", { name: /^End/ }).click();
  await page.waitForFunction(async (id) => (await (await fetch(`/api/matches/${id}`)).json()).status === "aborted", second.id);
  await page.unroute("**/api/matches");
  // Another browser has no matches of its own.
  const other = await context.browser().newContext();
  const stranger = await other.newPage();
  await stranger.goto(`${address}/matches`);
  await stranger.locator("tbody tr").first().waitFor();
  assert.equal(await stranger.getByText("Your running matches").count(), 0);
  await other.close();
}

async function token({ page, picture, address }) {
  // As a server with a token answers.
  await page.route("**/api/matches", (route) => {
    const given = route.request().headers().authorization;
    if (route.request().method() !== "POST" || given === "Bearer sesame") return route.continue();
    return route.fulfill({ status: 401, json: { error: { code: "unauthorized", message: "This server needs a token for every change.", findings: [] } } });
  });
  let prompts = 0;
  page.on("dialog", (dialog) => {
    prompts += 1;
    return dialog.dismiss();
  });
  await page.goto(`${address}/game/tic-tac-toe`);
  const start = page.getByRole("button", { name: "Start match" });
  const form = page.getByRole("dialog");
  await start.click();
  await form.getByLabel("Token").waitFor();
  await picture("token");
  await form.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("needs a token for every change").waitFor();
  await start.click();
  await form.getByLabel("Token").fill("wrong");
  await form.getByRole("button", { name: "Continue" }).click();
  await form.getByText("did not accept the token").waitFor();
  await form.getByLabel("Token").fill("sesame");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/match\//);
  assert.equal(prompts, 0, "the browser itself asks nothing");
}

export default [
  ["the analysis is held back while a person moves at the same time", secret],
  ["games with hidden information say that the page hides nothing yet", hidden],
  ["own matches under way are listed and ended", ownMatches],
  ["a token is asked for in a form", token],
];
