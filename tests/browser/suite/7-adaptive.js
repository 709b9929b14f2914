// The adaptive opponent: chosen on the page, with a panel that tells why it has its level.

import assert from "node:assert/strict";
import { turn } from "../helpers.js";

async function play(page, address) {
  await page.goto(`${address}/game/tic-tac-toe`);
  const players = page.locator("select[name=player]");
  await players.nth(0).selectOption("human");
  await players.nth(1).selectOption("adaptive");
  await page.getByRole("button", { name: "Start match" }).click();
  await page.waitForURL(/\/match\//);
}

async function whyThisLevel({ page, picture, address }) {
  await play(page, address);
  await turn(page);
  assert.match(await page.locator("#seats").innerText(), /adaptive\(level=8\)/);
  const panel = page.locator("#why-level");
  await panel.getByText("Why this level?").click();
  await panel.getByText("Level 8", { exact: true }).waitFor();
  await panel.getByText("Everything stays as it is").waitFor();
  while (await turn(page)) await page.locator(".cell.open").first().click();
  await panel.getByText("Why the next level?").waitFor();
  await panel.getByText("1 match so far").waitFor();
  await picture("why-the-next-level");
  const asked = await page.evaluate(async () => {
    const person = localStorage.getItem("ludens.person");
    return await (await fetch(`/api/adaptive?game=tic-tac-toe&person=${person}`)).json();
  });
  assert.equal(asked.matches, 1);
  assert.equal(asked.changes.length > 0, asked.level !== 8 || asked.hints);
  // The next match begins at the level that was explained.
  await play(page, address);
  await turn(page);
  assert.match(await page.locator("#seats").innerText(), new RegExp(`adaptive\\(level=${asked.level}\\)`));
}

export default [
  ["an adaptive opponent with its reasons", whyThisLevel],
];
