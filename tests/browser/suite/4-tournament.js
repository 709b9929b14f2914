// A small tournament, from the form to the report.

import assert from "node:assert/strict";

async function tournament({ page, picture, address }) {
  await page.goto(`${address}/tournaments`);
  await page.getByRole("button", { name: "Start the tournament" }).waitFor();
  await page.getByLabel("How many").fill("100");
  await page.getByLabel("Rounds").fill("2");
  await picture("tournaments");
  await page.getByRole("button", { name: "Start the tournament" }).click();
  await page.waitForURL(/\/tournament\//);
  await page.getByText(/^All 4 matches were played/).waitFor();
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

export default [["a small tournament and its report", tournament]];
