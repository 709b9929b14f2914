// How it looks: on a phone, in the dark, when something is missing.

import assert from "node:assert/strict";
import { assertNoSidewaysScroll, newMatch, turn } from "../helpers.js";

async function phone({ page, picture, address }) {
  for (const [path, ready] of [["/", ".tile"], ["/game/tic-tac-toe", "dl.facts"], ["/rules", ".editor"], ["/tournaments", "form"], ["/matches", "main"]]) {
    await page.goto(`${address}${path}`);
    await page.locator(ready).first().waitFor();
    await assertNoSidewaysScroll(page);
    if (path === "/") await picture("phone-games");
    if (path.startsWith("/game")) await picture("phone-game");
  }
  const match = await newMatch(page, address, { game: "minichess", players: ["human", "random"], pace: { iterations: 1 }, seed: 1 });
  await page.goto(`${address}/match/${match.id}`);
  await turn(page);
  await assertNoSidewaysScroll(page);
  // Cells are large enough for a finger.
  const box = await page.locator(".cell .ground").first().boundingBox();
  assert.ok(box.width >= 40, `cells are ${box.width} px wide`);
  assert.equal(await page.getByText("Use the arrow keys").isVisible(), false, "a phone has no arrow keys");
  await picture("phone-match");
}

async function dark({ page, picture, address }) {
  await page.goto(`${address}/game/hex-5`);
  await page.locator(".board .cell").first().waitFor();
  const luminance = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0));
  assert.ok(await luminance() < 200, "dark, as the system says");
  await picture("dark-game");
  const match = await newMatch(page, address, { game: "skirmish", players: ["human", "uct"], pace: { iterations: 20 }, seed: 1 });
  await page.goto(`${address}/match/${match.id}`);
  await turn(page);
  await picture("dark-match");
  await page.goto(`${address}/game/hex-5`);
  await page.locator(".board .cell").first().waitFor();
  await page.getByRole("button", { name: /dark and light/ }).click();
  assert.ok(await luminance() > 500, "light, by the button");
  await page.reload();
  await page.locator(".board .cell").first().waitFor();
  assert.ok(await luminance() > 500, "the choice is kept");
}

async function manyShapes({ page, picture, address }) {
  for (const [game, cells] of [["qubic", 64], ["dots-and-boxes", 15], ["peg-solitaire", 33], ["nine-board-tic-tac-toe", 81], ["skirmish", 64], ["kalaha-4x3", 10], ["chinese-checkers-small", 16]]) {
    const roles = game === "peg-solitaire" ? 1 : 2;
    const match = await newMatch(page, address, { game, players: Array(roles).fill("random"), pace: { iterations: 1 }, seed: 1 });
    await page.goto(`${address}/match/${match.id}?step=9`);
    await page.waitForFunction(() => /over|ended/.test(document.getElementById("status")?.textContent ?? ""));
    assert.equal(await page.locator(".board .cell").count(), cells, game);
    assert.ok(await page.locator(".board :is(.figure, .label, .wall)").count() > 2, `${game} shows something`);
    await picture(`board-${game}`);
  }
}

async function missing({ page, picture, address }) {
  await page.goto(`${address}/match/nothing`);
  await page.getByRole("alert").waitFor();
  assert.match(await page.getByRole("alert").textContent(), /match/i);
  await page.goto(`${address}/game/nothing`);
  await page.getByRole("alert").waitFor();
  await picture("missing");
  const answer = await page.goto(`${address}/nothing/at/all`);
  assert.equal(answer.status(), 404);
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
  await picture("unknown-address");
}

async function families({ page, picture, address }) {
  await page.goto(address);
  await page.locator("summary", { hasText: "families" }).click();
  const all = page.locator("details", { hasText: "families" });
  await all.getByText("Sliding puzzle", { exact: true }).waitFor();
  assert.doesNotMatch(await all.innerText(), /[{}]/);
  const cut = await all.locator("label").evaluateAll((labels) => labels.filter((label) => label.scrollWidth > label.clientWidth).map((label) => label.textContent));
  assert.deepEqual(cut, [], "labels stay within their fields");
  await all.getByText("draw when stuck").scrollIntoViewIfNeeded();
  await picture("families");
}

async function current({ page, picture, address }) {
  const match = await newMatch(page, address, { game: "tic-tac-toe", players: ["random", "random"], pace: { iterations: 1 }, seed: 1 });
  await page.goto(`${address}/match/${match.id}?step=2`);
  await page.getByText(/^Step 2 of/).waitFor();
  const moves = page.locator(".moves button");
  const colour = (number) => moves.nth(number).evaluate((button) => getComputedStyle(button).backgroundColor);
  await moves.nth(3).hover();
  assert.notEqual(await colour(3), await colour(1), "a move under the mouse does not look like the current one");
  await picture("hover");
}

export default [
  ["nothing scrolls sideways on a phone", phone, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }],
  ["dark and light", dark, { colorScheme: "dark" }],
  ["boards of all shapes", manyShapes],
  ["what is not there is said", missing],
  ["families have titles and labels for people", families],
  ["the current move can be told from the one under the mouse", current],
];
