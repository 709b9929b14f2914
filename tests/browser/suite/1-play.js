// Playing: by clicking, and with nothing but the keyboard.

import assert from "node:assert/strict";
import { newMatch, status, turn } from "../helpers.js";

async function playByClicking({ page, picture, address }) {
  await page.goto(address);
  await page.locator(".tile").first().waitFor();
  await picture("games");
  await page.getByLabel("Search").fill("tic-tac-toe");
  await page.locator('a.tile[href="/game/tic-tac-toe"]').click();
  await page.getByRole("heading", { name: "Start a match" }).waitFor();
  await page.getByText("per second").first().waitFor();
  await picture("game");
  const players = page.locator("select[name=player]");
  await players.nth(0).selectOption("human");
  await players.nth(1).selectOption("random");
  await page.getByRole("button", { name: "Start match" }).click();
  await page.waitForURL(/\/match\//);
  let moves = 0;
  while (await turn(page)) {
    const open = page.locator(".cell.open").first();
    const cell = await open.getAttribute("data-cell");
    await open.click();
    moves += 1;
    await page.locator(`.cell[data-cell="${cell}"] .figure`).waitFor();
    if (moves === 2) await picture("playing");
  }
  assert.ok(moves >= 3 && moves <= 5, `${moves} moves`);
  await page.locator("#seats .goal").first().filter({ hasText: /\d/ }).waitFor();
  await picture("finished");
}

async function twoClicks({ page, picture, address }) {
  const match = await newMatch(page, address, { game: "breakthrough-small", players: ["human", "random"], pace: { iterations: 1 }, seed: 5 });
  await page.goto(`${address}/match/${match.id}`);
  await turn(page);
  await page.locator(".cell.open").first().click();
  await page.locator(".cell.chosen").waitFor();
  await picture("from-to");
  await page.keyboard.press("Escape");
  await page.locator(".cell.chosen").waitFor({ state: "detached" });
  await page.locator(".cell.open").first().click();
  await page.locator(".cell.open").first().click();
  await page.getByText(/^Step 2 of 2/).waitFor();
}

async function columns({ page, picture, address }) {
  const match = await newMatch(page, address, { game: "connect-four", players: ["human", "uct"], pace: { iterations: 200 }, seed: 3 });
  await page.goto(`${address}/match/${match.id}`);
  await turn(page);
  // Anywhere in the column: the stone falls to its bottom row.
  await page.locator('.cell[data-cell="3"]').click();
  await page.locator('.cell[data-cell="38"] .figure').waitFor();
  await turn(page);
  await page.locator(".analysis tbody tr").first().waitFor();
  await picture("mind");
  // Some moves more, for the picture of the README.
  for (const cell of ["2", "4", "3"]) {
    await page.locator(`.cell[data-cell="${cell}"]`).click();
    assert.ok(await turn(page), "the match is not over yet");
  }
  await page.mouse.move(0, 0);
  await picture("match");
}

async function keyboardOnly({ page, picture, address }) {
  await page.goto(`${address}/game/tic-tac-toe`);
  const start = page.getByRole("button", { name: "Start match" });
  await start.waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
  await page.keyboard.press("Enter");
  for (let pressed = 0; pressed < 40 && !(await start.evaluate((button) => button === document.activeElement)); pressed += 1) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/match\//);
  await turn(page);
  const focused = () => page.evaluate(() => document.activeElement?.closest?.("[data-cell]")?.dataset.cell ?? null);
  for (let pressed = 0; pressed < 40 && (await focused()) === null; pressed += 1) await page.keyboard.press("Tab");
  assert.notEqual(await focused(), null, "the board is reached by the Tab key");
  const first = await focused();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  assert.notEqual(await focused(), first, "arrow keys go from cell to cell");
  await picture("keyboard");
  const steps = () => page.evaluate(() => Number(document.querySelector("input[type=range]").max));
  const answered = (before) => page.waitForFunction((before) => Number(document.querySelector("input[type=range]").max) > before, before);
  await page.keyboard.press("Enter");
  await answered(0);
  let moves = 1;
  // The other moves are made from the list, where the focus stays from move to move.
  while (await turn(page)) {
    const inList = () => page.evaluate(() => document.activeElement?.dataset?.move !== undefined);
    for (let pressed = 0; pressed < 40 && !(await inList()); pressed += 1) {
      assert.equal(moves, 1, "the focus stays in the list");
      await page.keyboard.press("Tab");
    }
    const before = await steps();
    await page.keyboard.press("Enter");
    moves += 1;
    await answered(before);
  }
  assert.ok(moves >= 3);
  assert.match(await status(page).textContent(), /The match is over/);
  // Now arrow keys step through the match.
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press("Home");
  await page.getByText(/^Start, of/).waitFor();
  await page.keyboard.press("ArrowRight");
  await page.getByText(/^Step 1 of/).waitFor();
  assert.match(page.url(), /step=1$/);
}

export default [
  ["a full game by clicking", playByClicking],
  ["from and to by two clicks", twoClicks],
  ["a column by one click, and the engine analysis", columns],
  ["a full game with the keyboard only", keyboardOnly],
];
