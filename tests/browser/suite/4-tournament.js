// A small tournament, from the form to the report.

import assert from "node:assert/strict";

async function tournament({ page, picture, address }) {
  await page.goto(`${address}/tournaments`);
  await page.getByRole("button", { name: "Start tournament" }).waitFor();
  await page.getByLabel("Amount").fill("100");
  await page.getByLabel("Rounds").fill("2");
  await picture("tournaments");
  await page.getByRole("button", { name: "Start tournament" }).click();
  await page.waitForURL(/\/tournament\//);
  await page.getByText(/^All 4 matches played/).waitFor();
  const rows = page.locator("section", { has: page.getByRole("heading", { name: "Standings" }) }).locator("tbody tr");
  await rows.nth(1).waitFor();
  assert.equal(await rows.count(), 2);
  assert.match(await rows.first().textContent(), /uct4/);
  await page.locator("section", { has: page.getByRole("heading", { name: "Matches" }) }).locator("tbody tr").nth(3).waitFor();
  await picture("tournament");
  const report = await page.request.get(`${address}${await page.getByRole("link", { name: /report/ }).getAttribute("href")}`);
  assert.equal(report.status(), 200);
  assert.match(await report.text(), /<svg/);
}

async function choosingGames({ page, picture, address }) {
  await page.goto(`${address}/tournaments`);
  const games = page.getByLabel("Games", { exact: true });
  const start = page.getByRole("button", { name: "Start tournament" });
  await start.waitFor();
  const sent = [];
  page.on("request", (request) => { if (request.method() === "POST") sent.push(request.url()); });
  await games.fill("connect-four");
  await games.press("Enter");
  await page.getByRole("button", { name: "Remove connect-four" }).waitFor();
  assert.equal(await games.inputValue(), "");
  await games.fill("conect-four");
  await games.press("Enter");
  await page.getByText("There is no game “conect-four”").waitFor();
  await picture("tournament-unknown-game");
  await start.click();
  await page.getByText("There is no game “conect-four”").waitFor();
  assert.deepEqual(sent, [], "nothing starts before everything that was typed is known");
  assert.match(page.url(), /\/tournaments$/);
}

export default [
  ["a small tournament and its report", tournament],
  ["Enter takes a game and starts nothing", choosingGames],
];
