// Watching: live, and again after the server was started anew.

import assert from "node:assert/strict";
import { newMatch } from "../helpers.js";

async function live({ page, picture, address }) {
  const match = await newMatch(page, address, { game: "connect-four-5x4", players: ["uct", "ucb"], pace: { start_clock: 0.2, play_clock: 0.6 }, seed: 2 });
  await page.goto(`${address}/match/${match.id}`);
  await page.getByText("live", { exact: true }).waitFor();
  // Analysis appears while an agent thinks, and states without any interaction.
  await page.locator(".analysis tbody tr").first().waitFor();
  const steps = () => page.evaluate(() => Number(document.querySelector("input[type=range]").max));
  // From here on nothing may jump, whatever comes; but who presses a key or resizes the window, as a picture of the whole
  // page does, expects that something changes.
  await page.evaluate(() => {
    window.jumps = [];
    const name = ({ node }) => node?.className || node?.nodeName;
    new PerformanceObserver((list) => list.getEntries().filter((entry) => !entry.hadRecentInput).forEach((entry) => {
      window.jumps.push({ by: entry.value, what: entry.sources.map(name) });
    })).observe({ type: "layout-shift" });
  });
  const before = await steps();
  await page.waitForFunction((before) => Number(document.querySelector("input[type=range]").max) > before, before);
  await picture("live");
  // Who steps back stays there.
  await page.keyboard.press("ArrowLeft");
  const shown = await page.locator("input[type=range]").inputValue();
  const latest = await steps();
  await page.waitForFunction((latest) => Number(document.querySelector("input[type=range]").max) > latest, latest);
  assert.equal(await page.locator("input[type=range]").inputValue(), shown);
  const jumps = await page.evaluate(() => window.jumps);
  assert.ok(jumps.reduce((sum, jump) => sum + jump.by, 0) < 0.02, `the page jumps: ${JSON.stringify(jumps)}`);
  await page.keyboard.press("End");
  await page.locator(".plot .series").first().waitFor();
}

async function reopened({ page, world, picture, address }) {
  const match = await newMatch(page, address, { game: "hex-4", players: ["uct", "random"], pace: { iterations: 50 }, seed: 4 });
  await page.goto(`${address}/match/${match.id}`);
  await page.waitForFunction(() => /The match is over/.test(document.getElementById("status")?.textContent ?? ""));
  const steps = await page.locator("input[type=range]").getAttribute("max");
  const goals = await page.locator("#seats .goal").allTextContents();
  await page.goto("about:blank");
  await world.restart();
  // The port is a new one; the path is what people share.
  await page.goto(`${world.address}/match/${match.id}?step=2`);
  await page.getByText(/^Step 2 of/).waitFor();
  assert.equal(await page.locator("input[type=range]").getAttribute("max"), steps);
  assert.deepEqual(await page.locator("#seats .goal").allTextContents(), goals);
  assert.equal(await page.locator(".cell .figure").count(), 2);
  await picture("reopened");
  await page.goto(`${world.address}/matches`);
  await page.locator("tbody tr", { hasText: /hex/i }).first().waitFor();
  await picture("matches");
}

async function why({ page, picture, address }) {
  const match = await newMatch(page, address, { game: "breakthrough-5x5", players: ["random", "random"], pace: { iterations: 1 }, seed: 3 });
  await page.goto(`${address}/match/${match.id}`);
  await page.waitForFunction(() => /The match is over/.test(document.getElementById("status")?.textContent ?? ""));
  await page.goto(`${address}/match/${match.id}?step=2`);
  await page.locator("summary", { hasText: "Why this move?" }).click();
  // Features with their points for both roles, and the moves of the one who is to move.
  await page.locator(".why table").nth(2).waitFor();
  assert.match(await page.locator(".why").innerText(), /white: expected goal/);
  await picture("why");
  // At the end nothing is left to judge.
  await page.keyboard.press("End");
  await page.getByText(/No explanation/).waitFor();
}

export default [
  ["a match of two agents, live", live],
  ["a finished match by its address after a restart", reopened],
  ["why a position looks as it does", why],
];
