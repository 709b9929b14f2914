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
}

export default [
  ["nothing scrolls sideways on a phone", phone, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }],
  ["dark and light", dark, { colorScheme: "dark" }],
  ["boards of all shapes", manyShapes],
  ["what is not there is said", missing],
];
