// What several tests do.

import assert from "node:assert/strict";

/** Starts a match through the API, as another program would; the key is put where the page looks for it. */
export async function newMatch(page, address, body) {
  await page.goto(`${address}/matches`);
  const match = await page.evaluate(async (body) => {
    const answer = await fetch("/api/matches", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    const match = await answer.json();
    if (match.key) localStorage.setItem(`ludens.key.${match.id}`, match.key);
    return match;
  }, body);
  assert.ok(match.id, JSON.stringify(match));
  return match;
}

/** The words of the status line. */
export const status = (page) => page.locator("#status");

/** Waits until the match is over or the person may move again; tells which. */
export async function turn(page) {
  await page.waitForFunction(() => /Your move|The match is over/.test(document.getElementById("status")?.textContent ?? ""));
  return /Your move/.test(await status(page).textContent());
}

/** Fails if the page can be scrolled sideways. */
export async function assertNoSidewaysScroll(page) {
  const { wide, seen } = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, seen: document.documentElement.clientWidth }));
  assert.ok(wide <= seen, `the page is ${wide} px wide, the window ${seen} px`);
}
